"""How the parts of a folder come into the session: each once, behind the pairs that are there; runs without Qt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from parapluie_gui.features.parts.listing import NewParts, list_parts, read_parts, sample_parts, signatures_of
from parapluie_gui.pairs.reading.large import MOST_PAIRS
from parapluie_gui.storage.session import Session
from parapluie_gui.ui.state.kept_values import KeptValues
from parapluie_gui.ui.state.opening import LoadedCorpus, from_session, into_session, keep_signatures

#: The setting of the session that says which parts a corpus has: the folder, how many there are to be, and where the
#: pairs of each end.
PARTS = "parts.{}"


@dataclass(frozen=True)
class PartsRead:
    """What came of reading a folder of parts.

    Attributes:
        loaded: The corpus as it is now, or a sample where there are more pairs than are shown; None without any pair.
        kept: The value of the setting PARTS; empty for a sample.
        sentences: Sentences on what cannot be used.
    """

    loaded: LoadedCorpus | None
    kept: Mapping[str, object] = field(default_factory=dict)
    sentences: tuple[str, ...] = ()


def read_folder(path: Path, folder: Path, tell: Callable[[int], None]) -> PartsRead:
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
        loaded = None if sample is None else into_session(path, lambda tick: sample, tell)
        return PartsRead(loaded if isinstance(loaded, LoadedCorpus) else None, sentences=sentences)
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
    return PartsRead(None if number is None else from_session(path, number, tell), kept, sentences)


def _present(session: Session, folder: Path) -> tuple[int | None, dict[str, int]]:
    """Return the number of a folder's corpus in the session, and where each of its parts ends."""
    settings = KeptValues(session.settings())
    for entry in session.corpora():
        kept = settings.part(PARTS.format(entry.id))
        if kept.text("folder") == str(folder):
            parts = kept.part("ends")
            ends = {name: end for name in parts if (end := parts.place(name)) is not None and end <= entry.pairs}
            return entry.id, ends  # parts whose pairs were taken away again come anew
    return None, {}
