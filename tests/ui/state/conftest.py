"""Real worker processes for the tests of this folder."""

from driving import drive  # noqa: F401
