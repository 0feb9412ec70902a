"""Where windows are drawn on this computer."""

from __future__ import annotations

import pytest

from parapluie_gui.computer import qt_platform


@pytest.mark.parametrize(
    ("variables", "system", "platform"),
    [
        ({}, "linux", ""),
        ({"DISPLAY": ":0"}, "linux", "xcb"),
        ({"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}, "linux", "wayland"),
        ({"DISPLAY": ":0", "QT_QPA_PLATFORM": "offscreen"}, "linux", "offscreen"),
        ({}, "win32", "windows"),
        ({}, "darwin", "cocoa"),
    ],
)
def test_where_windows_are_drawn(variables, system, platform):
    assert qt_platform(variables, system) == platform
