"""Starts Qt as the window does and says on what: in a process of its own, which Qt ends when it cannot start."""

from __future__ import annotations

import sys

from PySide6 import QtCore, QtGui, QtSvg, QtWidgets

#: A trial with less could succeed where the window fails.
LOADED = (QtCore, QtGui, QtSvg, QtWidgets)


def start() -> None:
    """Start Qt; prints the platform and Qt's version."""
    app = QtWidgets.QApplication(["parapluie"])
    sys.stdout.write(f"{app.platformName()} {QtCore.qVersion()}\n")
