"""A newly started window, for the tests of its parts."""

from window_fixtures import *  # noqa: F403
