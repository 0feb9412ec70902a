"""The choice of Qt's platform for drawing windows."""

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
def test_the_qt_platform_follows_the_display(variables, system, platform):
    assert qt_platform(variables, system) == platform
