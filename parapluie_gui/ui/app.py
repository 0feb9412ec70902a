"""The application: from the command line's options to a running window, or to a picture of it."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, QSize, Qt, QTimer, qInstallMessageHandler
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from parapluie_gui import places
from parapluie_gui.errors import BAD_INPUT, INTERRUPTED, one_line
from parapluie_gui.feature import collect_parts
from parapluie_gui.files import atomic_write
from parapluie_gui.models import catalogue
from parapluie_gui.models.kind import CAUSAL
from parapluie_gui.pluie.templates import REVERSE, USUAL_TEMPLATES, check_template_kinds, find_templates, load_templates
from parapluie_gui.storage.working_copies import WorkingCopies
from parapluie_gui.ui.state.driver import WorkerDriver
from parapluie_gui.ui.state.preferences import UserPreferences
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.widgets import theme as themes
from parapluie_gui.ui.widgets.collector import GarbageCollector
from parapluie_gui.ui.widgets.overrides import keep_errors_from_ending
from parapluie_gui.ui.window.end_signals import EndSignals
from parapluie_gui.ui.window.main import MainWindow
from parapluie_gui.work.scoring_plan import JudgeTemplates

#: The folder for temporary files if the disk is full: in memory, on Linux.
_IN_MEMORY = Path("/dev/shm")


@contextmanager
def open_data_folder() -> Iterator[str]:
    """Ensure that there is a data folder; yield a sentence if it is only a temporary one, otherwise "".

    PARAPLUIE_HOME then directs this process and its child processes to the temporary folder. An existing folder that
    cannot be written stays in use for its models and templates; sessions find a different place by themselves.
    """
    _find_room()
    try:
        places.user_data()
    except (FileExistsError, NotADirectoryError):
        reason = QCoreApplication.translate("DataFolder", "a file has that name")
    except OSError as error:
        reason = error.strerror or str(error)
    else:
        yield ""
        return
    text = QCoreApplication.translate(
        "DataFolder",
        "Your work in this window will be lost when you close it: {0} cannot be created ({1}). Save the session "
        "elsewhere (Ctrl+S), or set PARAPLUIE_HOME to a different folder and restart.",
    )
    sentence = text.format(one_line(places.data_folder()), reason)
    with tempfile.TemporaryDirectory(prefix="parapluie-", ignore_cleanup_errors=True) as scratch:
        os.environ["PARAPLUIE_HOME"] = scratch
        yield sentence


def _find_room() -> None:
    """Put temporary files into memory if the folders for them are full too."""
    try:
        tempfile.gettempdir()
    except OSError:
        if _IN_MEMORY.is_dir():
            tempfile.tempdir = str(_IN_MEMORY)


#: Time for the views to show the last scores (they update every 100 ms) and to finish their layout.
SETTLE_MS = 600


class WindowCapture(QObject):
    """Waits for the corpus, or for its scores, saves the window as PNG and exits.

    Attributes:
        error: The reason why there is no picture, or "".
    """

    def __init__(self, window: MainWindow, path: Path, when: str) -> None:
        super().__init__(window)
        self.error = ""
        window.parts.running.questions.asks = False  # nobody would see a question
        self._window = window
        self._path = path
        self._when = when
        self._shooting = CallThrottle(self._take, SETTLE_MS, self, rest=True)
        for part in (window.state.session, window.state.queue, window.state.corpora):
            part.failed.connect(self._give_up)
        window.state.queue.working.connect(self._look)
        window.state.corpora.asked.connect(
            lambda question: self._give_up(
                question.problem or self.tr("The roles of the file's columns must be chosen by hand.")
            )
        )
        if when == "scored":
            window.scoring.ended.connect(self._shooting.ask)
            window.scoring.failed.connect(self._give_up)
        else:
            window.workspace.corpus_changed.connect(self._shoot_corpus)

    def _look(self) -> None:
        """Capture the window at once if no corpus is being read."""
        if self._window.workspace.corpus is None and not self._window.state.queue.busy and not self.error:
            if self._when == "scored":
                self._give_up(self.tr("This session has no corpus to score. Choose another session."))
            else:
                self._shooting.ask()

    def _shoot_corpus(self) -> None:
        if self._window.workspace.corpus is not None:
            self._shooting.ask()

    def _take(self) -> None:
        try:
            with atomic_write(self._path) as part:
                if not self._window.grab().save(str(part), "PNG"):
                    raise OSError("the image could not be saved")
        except OSError:
            self.error = self.tr("{0} cannot be written. Choose another folder or name.").format(self._path)
        self._leave()

    def _give_up(self, why: str) -> None:
        self.error = why
        self._leave()

    def _leave(self) -> None:
        self._window.close()
        QApplication.quit()


@dataclass(frozen=True, kw_only=True)
class LaunchOptions:
    """The choices with which the window opens.

    Attributes:
        corpus: A file of pairs or a session; or None.
        demo: Whether to open the demo corpus.
        shipped: The name of a different shipped corpus to open; "" for none.
        score: Whether to score the corpus at once.
        judge: The model, or None.
        templates: Names of ParaPLUIE templates.
        judges: Several judges with their templates, instead of `judge` and `templates`.
        screenshot: The file in which to save a picture of the window before exiting; None for an ordinary window.
        size: Width and height of the picture in pixels.
        theme: "light", "dark", or None for the theme used last.
        when: When the picture is taken: "loaded" or "scored".
    """

    corpus: Path | None = None
    demo: bool = False
    shipped: str = ""
    score: bool = False
    judge: str | None = None
    templates: tuple[str, ...] = ()
    judges: tuple[JudgeTemplates, ...] = ()
    screenshot: Path | None = None
    size: tuple[int, int] = (1440, 900)
    theme: str | None = None
    when: str = "loaded"


def run(launch: LaunchOptions, ending: EndSignals) -> int:
    """Open the window, or render it to a file; returns the exit status."""
    _drop_noise()
    with open_data_folder() as trouble:
        launch = _with_judge(launch)
        app = make_application(sys.argv)
        if launch.screenshot is None:
            return _show(app, launch, ending, trouble)
        # Taking a picture does not change the user's session and settings.
        with tempfile.TemporaryDirectory(prefix="parapluie-") as scratch:
            return _photograph(app, launch, ending, launch.screenshot, Path(scratch))


def _drop_noise() -> None:
    """Suppress Qt's reports on stderr about the offscreen platform, which the user cannot act on."""

    def pass_on(kind: object, context: object, text: str) -> None:
        if "propagateSizeHints" not in text:
            print(text, file=sys.stderr)

    qInstallMessageHandler(pass_on)


def _show(app: QApplication, launch: LaunchOptions, ending: EndSignals, trouble: str) -> int:
    """Run the window until it is closed."""
    preferences = UserPreferences()
    theme = _theme(app, launch.theme, preferences.values.text("theme"))
    copies = WorkingCopies(places.user_data(), content=collect_parts("content"))
    with _open(copies, preferences, theme, launch) as window, window.parts.internal_errors.watch():
        if trouble:
            window.banner.warn(trouble)
        window.show()
        _close_when_asked(window, ending)
        return app.exec()


def _photograph(app: QApplication, launch: LaunchOptions, ending: EndSignals, picture: Path, scratch: Path) -> int:
    """Render the window to a file."""
    preferences = UserPreferences(scratch / "window.json")
    copies = WorkingCopies(scratch, content=collect_parts("content"))
    with _open(copies, preferences, _theme(app, launch.theme, ""), launch) as window:
        window.resize(QSize(*launch.size))
        camera = WindowCapture(window, picture, launch.when)
        window.show()
        _close_when_asked(window, ending)
        app.exec()
    if ending.asked:
        return INTERRUPTED
    if camera.error:
        print(f"parapluie: {camera.error}", file=sys.stderr)
        return BAD_INPUT
    return 0


def _close_when_asked(window: MainWindow, ending: EndSignals) -> None:
    """Close the window as its own button does after a signal to end; a timer lets Python notice the signal."""

    def look() -> None:
        if ending.asked:
            window.close()
            QApplication.quit()  # a dialog may still be open

    ticker = QTimer(window, interval=100)
    ticker.timeout.connect(look)
    ticker.start()


@contextlib.contextmanager
def _open(
    copies: WorkingCopies, preferences: UserPreferences, theme: themes.Theme, launch: LaunchOptions
) -> Iterator[MainWindow]:
    """Create the window and the worker's driver; both are closed at the end, even after an error."""
    driver = WorkerDriver()
    driver.start()
    try:
        window = MainWindow(copies, preferences, driver, theme)
        _choose(window, launch)
        window.state.session.opened.connect(partial(_begin, window, launch), Qt.ConnectionType.SingleShotConnection)
        yield window
        window.close()
    finally:
        driver.close()


def make_application(arguments: list[str]) -> QApplication:
    """Return the application object with its name and icon."""
    keep_errors_from_ending()
    app = QApplication([one_line(argument) for argument in arguments])
    GarbageCollector(app)
    app.setApplicationName("parapluie")
    # No display name: Qt would append it to each dialog's title, for which dialogs are too narrow.
    app.setDesktopFileName("parapluie-gui")
    app.setWindowIcon(QIcon(str(places.resources() / "icons" / "app.svg")))
    return app


def _theme(app: QApplication, wanted: str | None, remembered: str) -> themes.Theme:
    """Return the requested theme; failing that, the theme used last; failing that, the desktop's."""
    name = wanted or remembered
    if name in themes.THEMES:
        return themes.THEMES[name]
    dark = app.styleHints().colorScheme() == Qt.ColorScheme.Dark
    return themes.DARK if dark else themes.LIGHT


def _with_judge(launch: LaunchOptions) -> LaunchOptions:
    """Add a judge for the named templates, unless a judge is named too.

    Raises:
        TemplateError: A template does not exist, or is not for this judge.
    """
    if not launch.templates:
        return launch
    templates = find_templates(launch.templates, load_templates(places.user_templates())[0])
    judge = launch.judge or catalogue.choose_default_judge({template.kind for template in templates})
    check_template_kinds(catalogue.find_kind(judge) or templates[0].kind, judge, templates)
    return replace(launch, judge=judge)


def _choose(window: MainWindow, launch: LaunchOptions) -> None:
    """Preset the judge and templates from the command line; shipped corpora are shown with the default ones."""
    templates = launch.templates
    if launch.judge:
        window.setup.restore({"judge": {"model": launch.judge}})
    elif launch.judges:
        window.setup.set_judgings([replace(judging, judge=judging.judge.by_name()) for judging in launch.judges])
        return
    usual = USUAL_TEMPLATES[window.setup.judge.kind or CAUSAL] if launch.demo or launch.shipped else ()
    named = find_templates(templates or usual, load_templates(places.user_templates())[0])
    wanted = {template.name.removesuffix(REVERSE).upper() for template in named}
    if any(template.name.endswith(REVERSE) for template in named):
        window.setup.restore({"both_directions": True})
    if wanted:
        names = window.setup.templates.ticks()
        window.setup.restore({"templates": {name: name.upper() in wanted for name in names}})


def _begin(window: MainWindow, launch: LaunchOptions) -> None:
    """Open the named corpus or session, and score it if requested; the command line overrides the session."""
    _choose(window, launch)
    if launch.demo:
        window.state.corpora.open_demo()
    elif launch.shipped:
        window.state.corpora.open_shipped(launch.shipped)
    elif launch.corpus is not None:
        window.files.open_paths([launch.corpus])
    else:
        window.state.corpora.show_last()
        return
    if launch.score:
        window.workspace.corpus_changed.connect(window.run, Qt.ConnectionType.SingleShotConnection)
