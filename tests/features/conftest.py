"""A window as it starts, for the tests of what is in it."""

from window_fixtures import *  # noqa: F403
