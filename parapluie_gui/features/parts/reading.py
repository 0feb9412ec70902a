"""Loads the parts of a folder into the session, each once, after the pairs already there; runs in a thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from parapluie_gui.errors import one_line
from parapluie_gui.features.parts.folder import is_parts_folder
from parapluie_gui.features.parts.listing import (
    PartsContents,
    list_parts,
    manifest_signatures,
    read_parts,
    sample_parts,
    select_usable,
)
from parapluie_gui.pairs.reading.large import MOST_PAIRS
from parapluie_gui.storage.session import Session
from parapluie_gui.ui.state.growing import CorpusUpdate
from parapluie_gui.ui.state.opening import LoadedCorpus, add_to_session, keep_signatures, read_from_session
from parapluie_gui.ui.state.stored_values import StoredValues

#: The session's setting for a corpus in parts: its folder, the number of parts once complete, and the row after the
#: last pair of each part.
PARTS = "parts.{}"


class PartsFolders:
    """Folders of parts as a kind of growing corpus (`ui.state.growing`)."""

    setting = PARTS

    def recognises(self, path: Path) -> bool:
        """Return whether a path is a folder of parts."""
        return is_parts_folder(path)

    def read(self, session: Path, path: Path, tell: Callable[[int], None]) -> CorpusUpdate:
        """Load the new parts into the session; see `read_folder`."""
        return read_folder(session, path, tell)

    def files(self, path: Path) -> Sequence[Path]:
        """Return the files of the existing parts, without those whose footer is damaged.

        Raises:
            ParapluieError: It is no longer a folder of parts.
        """
        return select_usable(path, list_parts(path).files, {})

    def extent(self, setting: StoredValues) -> str:
        """Return in words how many of its parts a corpus has loaded."""
        known, parts = len(setting.part("ends")), setting.place("parts")
        if not parts:
            return ""
        if known == parts:
            return _tr("All {0} parts").format(f"{known:,}")
        return _tr("{0} of {1} parts. Reload to add new parts.").format(f"{known:,}", f"{parts:,}")

    def empty(self, path: Path) -> str:
        """Return the message for a folder whose parts have no pairs yet."""
        return _tr("{0}: its parts have no pairs yet. Open it again later.").format(one_line(str(path)))


FOLDERS = PartsFolders()


def _tr(text: str) -> str:
    return QCoreApplication.translate("Parts", text)


def read_folder(path: Path, folder: Path, tell: Callable[[int], None]) -> CorpusUpdate:
    """Append the new parts of a folder to its corpus in the session; the first parts add the corpus.

    Args:
        path: The session's working copy.
        folder: The folder of parts.
        tell: Called with the number of pairs read.

    Raises:
        ParapluieError: It is not a folder of parts, or the session cannot be written.
    """
    listing = list_parts(folder)
    if len(listing.files) * listing.pairs > MOST_PAIRS:
        sample, problems = sample_parts(folder, listing.files, tell)
        sentences = tuple(filter(None, (*problems.values(), listing.warning)))
        loaded = None if sample is None else add_to_session(path, lambda tick: sample, tell, manifest_signatures)
        return CorpusUpdate(loaded if isinstance(loaded, LoadedCorpus) else None, sentences=sentences)
    with Session.connect(path) as session:
        number, ends = _find_corpus(session, folder)
    new = [file for file in listing.files if file.name not in ends]
    contents = read_parts(folder, new, tell) if new else PartsContents()
    setting: dict[str, object] = {}
    if number is not None or contents.corpus is not None:
        with Session.connect(path) as session, session.transaction():
            before = (
                session.add_pairs(number, contents.corpus) if number is not None and contents.corpus is not None else 0
            )
            if number is None and contents.corpus is not None:
                number = session.add_corpus(contents.corpus)
                keep_signatures(session, number, manifest_signatures(folder))
            ends |= {name: before + end for name, end in contents.ends.items()}
            setting = {"folder": str(folder), "parts": listing.parts, "ends": ends}
            session.set_setting(PARTS.format(number), setting)
    sentences = tuple(filter(None, (*contents.problems.values(), listing.warning)))
    return CorpusUpdate(None if number is None else read_from_session(path, number, tell), setting, sentences)


def _find_corpus(session: Session, folder: Path) -> tuple[int | None, dict[str, int]]:
    """Return the number of a folder's corpus in the session, None if it has none, and the end of each of its parts."""
    settings = StoredValues(session.settings())
    for entry in session.corpora():
        setting = settings.part(PARTS.format(entry.id))
        if setting.text("folder") == str(folder):
            parts = setting.part("ends")
            ends = {name: end for name in parts if (end := parts.place(name)) is not None and end <= entry.pairs}
            return entry.id, ends  # leaves out parts whose pairs were removed by undo, so that they are read again
    return None, {}
