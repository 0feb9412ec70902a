"""How the parts of a folder come into the session: each once, behind the pairs that are there; runs without Qt."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from parapluie_gui.cluster.growing import Listing, NewParts, list_parts, read_parts, signatures_of
from parapluie_gui.pairs.reading.large import MOST_PAIRS
from parapluie_gui.storage.session import Session
from parapluie_gui.ui.state.kept_values import KeptValues
from parapluie_gui.ui.state.opening import Loaded, from_session, keep_signatures

#: The setting of the session that says which parts a corpus has: the folder, and where the pairs of each part end.
PARTS = "parts.{}"


@dataclass(frozen=True)
class PartsRead:
    """What came of a look into a folder of parts.

    Attributes:
        number: The session's number of its corpus; None while it has no pair.
        loaded: The corpus as it is now; None where nothing came, unless that was asked for.
        kept: The value of the setting PARTS.
        known: The names of the parts that are in the corpus.
        wrong: Why a part cannot be used, by its file's name.
        full: Whether parts were left because there are MOST_PAIRS.
        large: Whether there are more pairs than are shown whole, and nothing was read.
    """

    number: int | None
    loaded: Loaded | None
    listing: Listing
    kept: Mapping[str, object] = field(default_factory=dict)
    known: frozenset[str] = frozenset()
    wrong: Mapping[str, str] = field(default_factory=dict)
    full: bool = False
    large: bool = False


def read_new_parts(
    path: Path, folder: Path, skipped: Collection[str], tell: Callable[[int], None], *, whole: bool
) -> PartsRead:
    """Put the parts that are new behind the corpus of a folder in the session; with the first, it becomes one.

    Args:
        path: The session's working copy.
        folder: The folder of parts.
        skipped: The names of parts that are not to be read.
        tell: Called with the number of pairs read.
        whole: Whether the folder is being opened: the corpus is returned even if nothing came, unless it is too large.

    Raises:
        ParapluieError: It is no folder of parts, or the session cannot be written.
    """
    listing = list_parts(folder)
    if whole and len(listing.files) * listing.pairs > MOST_PAIRS:
        return PartsRead(None, None, listing, large=True)
    with Session.connect(path) as session:
        number, ends, pairs = _present(session, folder)
    new = [file for file in listing.files if file.name not in ends and file.name not in skipped]
    found = read_parts(folder, new, MOST_PAIRS - pairs, tell) if new else NewParts()
    if found.corpus is not None:
        with Session.connect(path) as session, session.transaction():
            before = 0 if number is None else session.add_pairs(number, found.corpus)
            if number is None:
                number = session.add_corpus(found.corpus)
                keep_signatures(session, number, signatures_of(folder))
            ends |= {name: before + end for name, end in found.ends.items()}
            session.set_setting(PARTS.format(number), _kept(folder, ends))
    wanted = number is not None and (whole or found.corpus is not None)
    return PartsRead(
        number,
        from_session(path, number, tell) if wanted and number is not None else None,
        listing,
        _kept(folder, ends),
        frozenset({*ends, *found.ends}),
        found.wrong,
        found.full,
    )


def _present(session: Session, folder: Path) -> tuple[int | None, dict[str, int], int]:
    """Return the number of a folder's corpus in the session, where each of its parts ends, and its pairs."""
    settings = KeptValues(session.settings())
    for entry in session.corpora():
        kept = settings.part(PARTS.format(entry.id))
        if kept.text("folder") == str(folder):
            parts = kept.part("ends")
            ends = {name: end for name in parts if (end := parts.place(name)) is not None and end <= entry.pairs}
            return entry.id, ends, entry.pairs  # parts whose pairs were taken away again come anew
    return None, {}, 0


def _kept(folder: Path, ends: Mapping[str, int]) -> dict[str, object]:
    return {"folder": str(folder), "ends": dict(ends)}
