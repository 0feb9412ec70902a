"""The tiny models of each family, for the tests of this folder."""

from families import folders, templates, tokenizers  # noqa: F401
