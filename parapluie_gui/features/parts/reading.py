"""How the parts of a folder come into the session: each once, behind the pairs that are there; it runs in a thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from parapluie_gui.errors import one_line
from parapluie_gui.features.parts.folder import is_parts
from parapluie_gui.features.parts.listing import (
    NewParts,
    list_parts,
    read_parts,
    sample_parts,
    signatures_of,
    with_right_ends,
)
from parapluie_gui.pairs.reading.large import MOST_PAIRS
from parapluie_gui.storage.session import Session
from parapluie_gui.ui.state.growing import CorpusUpdate
from parapluie_gui.ui.state.opening import LoadedCorpus, add_to_session, keep_signatures, read_from_session
from parapluie_gui.ui.state.stored_values import StoredValues

#: The setting of the session that says which parts a corpus has: the folder, how many there are to be, and where the
#: pairs of each end.
PARTS = "parts.{}"


class PartsFolders:
    """The kind of corpus that folders of parts are, as `ui.state.growing` asks for one."""

    setting = PARTS

    def recognises(self, path: Path) -> bool:
        """Return whether a path is a folder of parts."""
        return is_parts(path)

    def read(self, session: Path, path: Path, tell: Callable[[int], None]) -> CorpusUpdate:
        """Put the parts that are new into the session; see `read_folder`."""
        return read_folder(session, path, tell)

    def files(self, path: Path) -> Sequence[Path]:
        """Return the files of the parts that are there, without those whose ends are damaged.

        Raises:
            ParapluieError: It is no folder of parts any more.
        """
        return with_right_ends(path, list_parts(path).files, {})

    def extent(self, setting: StoredValues) -> str:
        """Return how many of its parts a corpus has, in words."""
        known, parts = len(setting.part("ends")), setting.place("parts")
        if not parts:
            return ""
        if known == parts:
            return _tr("All {0} parts").format(f"{known:,}")
        return _tr("{0} of {1} parts. Reload adds what came since.").format(f"{known:,}", f"{parts:,}")

    def empty(self, path: Path) -> str:
        """Return the sentence on a folder whose parts have no pair yet."""
        return _tr("{0}: none of its parts has a pair yet. Open it again later.").format(one_line(str(path)))


FOLDERS = PartsFolders()


def _tr(text: str) -> str:
    return QCoreApplication.translate("Parts", text)


def read_folder(path: Path, folder: Path, tell: Callable[[int], None]) -> CorpusUpdate:
    """Put the parts that are new behind the corpus of a folder in the session; with the first, it becomes one.

    Args:
        path: The session's working copy.
        folder: The folder of parts.
        tell: Called with the number of pairs read.

    Raises:
        ParapluieError: It is no folder of parts, or the session cannot be written.
    """
    listing = list_parts(folder)
    if len(listing.files) * listing.pairs > MOST_PAIRS:
        sample, wrong = sample_parts(folder, listing.files, tell)
        sentences = tuple(filter(None, (*wrong.values(), listing.sentence)))
        loaded = None if sample is None else add_to_session(path, lambda tick: sample, tell, signatures_of)
        return CorpusUpdate(loaded if isinstance(loaded, LoadedCorpus) else None, sentences=sentences)
    with Session.connect(path) as session:
        number, ends = _present(session, folder)
    new = [file for file in listing.files if file.name not in ends]
    found = read_parts(folder, new, tell) if new else NewParts()
    kept: dict[str, object] = {}
    if number is not None or found.corpus is not None:
        with Session.connect(path) as session, session.transaction():
            before = session.add_pairs(number, found.corpus) if number is not None and found.corpus is not None else 0
            if number is None and found.corpus is not None:
                number = session.add_corpus(found.corpus)
                keep_signatures(session, number, signatures_of(folder))
            ends |= {name: before + end for name, end in found.ends.items()}
            kept = {"folder": str(folder), "parts": listing.parts, "ends": ends}
            session.set_setting(PARTS.format(number), kept)
    sentences = tuple(filter(None, (*found.wrong.values(), listing.sentence)))
    return CorpusUpdate(None if number is None else read_from_session(path, number, tell), kept, sentences)


def _present(session: Session, folder: Path) -> tuple[int | None, dict[str, int]]:
    """Return the number of a folder's corpus in the session, and where each of its parts ends."""
    settings = StoredValues(session.settings())
    for entry in session.corpora():
        kept = settings.part(PARTS.format(entry.id))
        if kept.text("folder") == str(folder):
            parts = kept.part("ends")
            ends = {name: end for name in parts if (end := parts.place(name)) is not None and end <= entry.pairs}
            return entry.id, ends  # parts whose pairs were taken away again come anew
    return None, {}
