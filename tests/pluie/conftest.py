"""Tiny models of every family, for the tests of this folder."""

from families import folders, judges, messages, small, templates, tokenizers, two_losses  # noqa: F401
