"""The application: from the command line's options to a running window, or to a picture of it."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
from pathlib import Path

from PySide6.QtCore import QLockFile, QSize, Qt, QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from parapluie_gui import places
from parapluie_gui.errors import SessionError
from parapluie_gui.scores.session import Session
from parapluie_gui.ui import theme as themes
from parapluie_gui.ui.camera import Camera
from parapluie_gui.ui.desk import unsaved_session
from parapluie_gui.ui.preferences import Preferences
from parapluie_gui.ui.window import MainWindow
from parapluie_gui.work.driver import Driver


def run(options: argparse.Namespace) -> int:
    """Open the window, or render it to a file; returns the exit status.

    Args:
        options: corpus, demo, score, judge, template, screenshot, size, theme, when; as `parapluie gui` parses them.
    """
    app = make_application(sys.argv)
    picture = options.screenshot is not None
    preferences = Preferences()
    theme = _theme(app, options.theme, "" if picture else preferences.get("theme", ""))
    with tempfile.TemporaryDirectory(prefix="parapluie-") as scratch:
        # A picture, and the demo, leave the user's own session as it is.
        session, lock = _session(Path(scratch), own=not picture and not options.demo)
        if session is None:
            return 2
        driver = Driver()
        driver.start()
        if picture:
            preferences = Preferences(Path(scratch) / "window.json")
        window = MainWindow(session, preferences, driver, theme)
        _choose(window, options)
        if picture:
            window.resize(QSize(*options.size))
            window.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen, _offscreen())
        window.show()
        camera = Camera(window, options.screenshot, _when(options)) if picture else None
        QTimer.singleShot(0, window, lambda: _begin(window, options))
        # Ctrl+C in the terminal closes the window as its own button does; Python sees it at the next tick.
        signal.signal(signal.SIGINT, lambda *_: window.close())
        ticker = QTimer(window, interval=200)
        ticker.timeout.connect(lambda: None)
        ticker.start()
        status = app.exec()
        if window.isVisible():
            window.close()
        if lock is not None:
            lock.unlock()
    if camera is not None and camera.error:
        print(f"parapluie: {camera.error}", file=sys.stderr)
        return 2
    return status


def make_application(arguments: list[str]) -> QApplication:
    """Return the application object with its name and icon."""
    app = QApplication(arguments)
    app.setApplicationName("parapluie")
    app.setApplicationDisplayName("ParaPLUIE Inspector")
    app.setDesktopFileName("parapluie-gui")
    app.setWindowIcon(QIcon(str(places.resources() / "icons" / "app.svg")))
    return app


def _theme(app: QApplication, wanted: str | None, remembered: str) -> themes.Theme:
    """Return the theme asked for, else the one used last, else the desktop's."""
    name = wanted or remembered
    if name in themes.THEMES:
        return themes.THEMES[name]
    dark = app.styleHints().colorScheme() == Qt.ColorScheme.Dark
    return themes.DARK if dark else themes.LIGHT


def _session(scratch: Path, *, own: bool) -> tuple[Session | None, QLockFile | None]:
    """Open the session to begin with; a second window gets one of its own."""
    if not own:
        return Session.open(scratch / "unsaved.pluie", create=True), None
    lock = QLockFile(str(places.user_data() / "unsaved.lock"))
    lock.setStaleLockTime(0)
    if not lock.tryLock(0):
        return Session.open(scratch / "unsaved.pluie", create=True), None
    try:
        return unsaved_session(), lock
    except SessionError as error:
        print(f"parapluie: {error}", file=sys.stderr)
        return None, None


def _choose(window: MainWindow, options: argparse.Namespace) -> None:
    """Preset judge and templates as the command line says; the demo shows the paper's two quick templates."""
    templates = options.template or (["DIRECT", "FS-DIRECT"] if options.demo else [])
    chosen: dict[str, object] = {}
    if templates:
        wanted = {name.upper() for name in templates}
        names = window.setup.templates.ticks()
        chosen["templates"] = {name: name.upper() in wanted for name in names}
    if options.judge:
        chosen["judge"] = {"model": options.judge}
    if chosen:
        window.setup.restore(chosen)


def _begin(window: MainWindow, options: argparse.Namespace) -> None:
    """Open what was named, and score it if that was asked for."""
    scoring = options.score or (options.demo and options.when != "loaded") or options.when == "scored"
    if options.demo:
        window.desk.open_demo()
    elif options.corpus is not None:
        window.open_paths([options.corpus])
    else:
        window.desk.show_corpus(len(window.desk.session.corpora()) - 1)
        return
    if scoring:
        window.workspace.corpus_changed.connect(window.run, Qt.ConnectionType.SingleShotConnection)


def _when(options: argparse.Namespace) -> str:
    return options.when or ("scored" if options.demo or options.score else "loaded")


def _offscreen() -> bool:
    return os.environ.get("QT_QPA_PLATFORM") == "offscreen"
