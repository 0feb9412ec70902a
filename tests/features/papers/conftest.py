"""The Analysis tab with a corpus."""

from tab_fixtures import *  # noqa: F403
