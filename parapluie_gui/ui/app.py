"""The application: from the command line's options to a running window, or to a picture of it."""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from parapluie_gui import places
from parapluie_gui.errors import BAD_INPUT
from parapluie_gui.models import catalogue
from parapluie_gui.models.kind import CAUSAL
from parapluie_gui.pluie.templates import USUAL_TEMPLATES, find_templates, for_judge, load_templates
from parapluie_gui.ui.state.driver import Driver
from parapluie_gui.ui.state.preferences import Preferences
from parapluie_gui.ui.state.unsaved import UnsavedSessions
from parapluie_gui.ui.widgets import theme as themes
from parapluie_gui.ui.window.main import MainWindow
from parapluie_gui.ui.window.screenshot import Camera


def run(options: argparse.Namespace) -> int:
    """Open the window, or render it to a file; returns the exit status.

    Args:
        options: corpus, demo, score, judge, template, screenshot, size, theme, when; as `parapluie gui` parses them.
    """
    _check(options)
    app = make_application(sys.argv)
    if options.screenshot is None:
        return _show(app, options)
    # A picture leaves the user's own session and settings as they are.
    with tempfile.TemporaryDirectory(prefix="parapluie-") as scratch:
        return _photograph(app, options, Path(scratch))


def _show(app: QApplication, options: argparse.Namespace) -> int:
    """Run the window until it is closed."""
    preferences = Preferences()
    theme = _theme(app, options.theme, preferences.get("theme", ""))
    with _open(UnsavedSessions(places.user_data()), preferences, theme, options) as window:
        window.show()
        # Ctrl+C in the terminal closes the window as its own button does; Python sees it at the next tick.
        signal.signal(signal.SIGINT, lambda *_: window.close())
        ticker = QTimer(window, interval=200)
        ticker.timeout.connect(lambda: None)
        ticker.start()
        return app.exec()


def _photograph(app: QApplication, options: argparse.Namespace, scratch: Path) -> int:
    """Render the window to a file."""
    preferences = Preferences(scratch / "window.json")
    with _open(UnsavedSessions(scratch), preferences, _theme(app, options.theme, ""), options) as window:
        window.resize(QSize(*options.size))
        camera = Camera(window, options.screenshot, _when(options))
        QTimer.singleShot(0, camera, camera.expect_nothing_else)
        window.show()
        app.exec()
    if camera.error:
        print(f"parapluie: {camera.error}", file=sys.stderr)
        return BAD_INPUT
    return 0


@contextlib.contextmanager
def _open(
    unsaved: UnsavedSessions, preferences: Preferences, theme: themes.Theme, options: argparse.Namespace
) -> Iterator[MainWindow]:
    """Make the window with its worker's driver; both are closed in the end, whatever happens."""
    driver = Driver()
    driver.start()
    try:
        window = MainWindow(unsaved, preferences, driver, theme)
        _choose(window, options)
        QTimer.singleShot(0, window, partial(_begin, window, options))
        yield window
        window.close()
    finally:
        driver.close()


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


def _check(options: argparse.Namespace) -> None:
    """Find the templates that the command line names, and a judge for them where it names none.

    Raises:
        TemplateError: There is no such template, or it is not for this judge.
    """
    if options.template:
        templates = find_templates(options.template, load_templates(places.user_templates())[0])
        kinds = {template.kind for template in templates}
        options.judge = options.judge or catalogue.usual_judge(kinds)
        for_judge(catalogue.kind_of(options.judge) or templates[0].kind, options.judge, templates)


def _choose(window: MainWindow, options: argparse.Namespace) -> None:
    """Preset judge and templates as the command line says; the demo shows the judge's usual templates."""
    if options.judge:
        window.setup.restore({"judge": {"model": options.judge}})
    usual = USUAL_TEMPLATES[window.setup.judge.kind or CAUSAL] if options.demo else ()
    wanted = {name.upper() for name in options.template or usual}
    if wanted:
        names = window.setup.templates.ticks()
        window.setup.restore({"templates": {name: name.upper() in wanted for name in names}})


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
