"""Tiny models of every family, for the tests of this folder."""

from families import folders, templates, tokenizers  # noqa: F401
