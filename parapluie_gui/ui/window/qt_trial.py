"""A trial start of Qt in a child process, which Qt aborts if it cannot start."""

from __future__ import annotations

import sys

from PySide6 import QtCore, QtGui, QtSvg, QtWidgets

#: The modules that the window loads; a trial with fewer could succeed where the window fails.
LOADED = (QtCore, QtGui, QtSvg, QtWidgets)


def start() -> None:
    """Start Qt and print the platform and Qt's version."""
    app = QtWidgets.QApplication(["parapluie"])
    sys.stdout.write(f"{app.platformName()} {QtCore.qVersion()}\n")
