"""The tiny models of each family, for the tests in this folder."""

from families import folders, judges, messages, small, templates, tokenizers, two_losses  # noqa: F401
