"""A corpus whose parts are still being scored: the window follows their folder, and new parts appear by themselves."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

from parapluie_gui.cluster.growing import Listing, list_parts
from parapluie_gui.errors import ParapluieError, one_line
from parapluie_gui.pairs.reading.large import MOST_PAIRS
from parapluie_gui.ui.state.corpus_queue import Arrival, CorpusQueue
from parapluie_gui.ui.state.parts_reading import PARTS, PartsRead, read_new_parts
from parapluie_gui.ui.state.session_settings import SessionSettings
from parapluie_gui.ui.state.task import Task
from parapluie_gui.ui.state.throttle import Throttle

#: Milliseconds between two looks where nobody says that something came, as on file systems of a network.
POLL_MS = 5000

#: Least milliseconds between what the file system says and a look; more where reading takes longer, by this many times.
SOON_MS = 300
_REST = 2


class Growing(QObject):
    """Follows the folder of the corpus that is shown, or one that has no pair yet.

    Attributes:
        text: How many of its parts there are, "" where the corpus is no folder of parts.

    Signals:
        changed: (str) `text` is another one.
        said: (str) A sentence: what cannot be used, or that nothing is there yet.
    """

    changed = Signal(str)
    said = Signal(str)

    def __init__(self, corpora: CorpusQueue, settings: SessionSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.text = ""
        self._corpora, self._settings = corpora, settings
        self._watcher = QFileSystemWatcher(self)
        self._soon = Throttle(self._look, SOON_MS, self, prompt=True)
        self._polling = QTimer(self, singleShot=True, interval=POLL_MS)
        self._polling.timeout.connect(self._look)
        self._watcher.directoryChanged.connect(self._soon.ask)
        self._task: Task[Listing | ParapluieError] | None = None
        self._leave()
        corpora.parts_opened.connect(self.open)
        corpora.corpora_changed.connect(self._follow)
        corpora.rested.connect(self._rest)

    def open(self, folder: Path) -> None:
        """Show the parts that are in a folder, and follow it."""
        folder = folder.absolute()
        self._begin(folder)
        self._read(whole=True)

    def close(self) -> None:
        """Follow nothing any more; returns when nobody looks."""
        self._leave()
        if self._task is not None:
            self._task.stop()
            self._task.wait()

    # Which folder

    def _leave(self) -> None:
        self._folder: Path | None = None
        self._number: int | None = None
        self._known: frozenset[str] = frozenset()
        self._wrong: dict[str, object] = {}
        self._told: set[str] = set()
        self._reading = False
        self._polling.stop()
        self._soon.stop()
        if watched := self._watcher.directories():
            self._watcher.removePaths(watched)

    def _begin(self, folder: Path) -> None:
        self._leave()
        self._folder, self._number = folder, self._corpora.number
        self._watcher.addPath(str(folder))

    def _follow(self) -> None:
        """Follow the folder of another corpus that is shown."""
        number = self._corpora.number
        if number == self._number:
            return
        folder = self._settings.values.part(PARTS.format(number)).text("folder")
        if not folder:
            self._leave()
            self._say("")
        elif self._folder == Path(folder):
            self._number = number
        else:
            self._begin(Path(folder))
            self._say("")
            self._look()

    # Looking and reading

    def _look(self) -> None:
        """Find out, in a thread, whether there is a new part."""
        folder = self._folder
        if folder is None or self._task is not None or self._reading:
            return

        def work(tell: Callable[[int], None]) -> Listing | ParapluieError:
            try:
                return list_parts(folder)
            except ParapluieError as error:
                return error

        self._task = Task(work, self)
        self._task.begin(self._take_listing, lambda error: self._tell(str(error)), self._end)

    def _end(self) -> None:
        self._task = None
        self._rest()

    def _rest(self) -> None:
        self._reading = False
        if self._folder is not None and not self._polling.isActive():
            self._polling.start()

    def _take_listing(self, listing: Listing | ParapluieError) -> None:
        if self._folder is None:
            return
        if isinstance(listing, ParapluieError):
            self._tell(str(listing))
            return
        for file in listing.files:
            if file.name in self._wrong and _stamp(file) != self._wrong[file.name]:
                del self._wrong[file.name]  # another file by now
        if any(file.name not in self._known and file.name not in self._wrong for file in listing.files):
            self._read(whole=False)
        else:
            self._show(listing)

    def _read(self, *, whole: bool) -> None:
        """Read what is new, in the queue of all readings."""
        folder, skipped, started = self._folder, set(self._wrong), time.monotonic()
        assert folder is not None
        self._reading = True
        found: list[PartsRead] = []

        def reading(path: Path, tell: Callable[[int], None]) -> object:
            nonlocal started
            started = time.monotonic()
            found.append(read_new_parts(path, folder, skipped, tell, whole=whole))
            return found[0].loaded

        def take(arrival: Arrival | None) -> None:
            self._soon.wait = max(SOON_MS, int(1000 * _REST * (time.monotonic() - started)))
            if folder == self._folder:
                self._take(found[0], arrival, whole)

        self._corpora.read(one_line(folder.name), reading, take)

    def _take(self, read: PartsRead, arrival: Arrival | None, whole: bool) -> None:
        if read.large and (folder := self._folder) is not None:
            self._leave()
            self._say("")
            self._corpora.open_sample(folder)
            return
        self._known = read.known
        for name, sentence in read.wrong.items():
            path = next(file for file in read.listing.files if file.name == name)
            self._wrong[name] = _stamp(path)
            self._tell(sentence)
        if arrival is not None and read.number is not None:
            self._settings.keep(PARTS.format(read.number), read.kept)
            if read.number == self._corpora.number:
                self._corpora.grow(arrival)
            elif whole or self._number is None or self._number == self._corpora.number:
                self._corpora.show(arrival)
        self._show(read.listing, read.full)
        if read.number is None:
            words = self.tr("{0}: none of its {1} parts has a pair yet. They appear here by themselves.")
            self._tell(words.format(one_line(str(self._folder)), f"{read.listing.parts:,}"))

    # Words

    def _show(self, listing: Listing, full: bool = False) -> None:
        known = sum(file.name in self._known for file in listing.files)
        if known == listing.parts:
            text = self.tr("All {0} parts").format(f"{known:,}")
        elif full:
            text = self.tr("{0} of {1} parts. More than {2} pairs are not shown one by one: open the folder again.")
            text = text.format(f"{known:,}", f"{listing.parts:,}", f"{MOST_PAIRS:,}")
        else:
            text = self.tr("{0} of {1} parts. New ones appear by themselves.").format(
                f"{known:,}", f"{listing.parts:,}"
            )
        if self._wrong:
            text += self.tr(" Parts that cannot be used: {0}.").format(f"{len(self._wrong):,}")
        self._say(text)
        self._tell(listing.sentence)

    def _say(self, text: str) -> None:
        if text != self.text:
            self.text = text
            self.changed.emit(text)

    def _tell(self, sentence: str) -> None:
        """Say a sentence once."""
        if sentence and sentence not in self._told:
            self._told.add(sentence)
            self.said.emit(sentence)


def _stamp(path: Path) -> object:
    """Return what changes when a file is written anew."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
