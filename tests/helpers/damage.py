"""A session with every kind of content, and damaged files."""

from __future__ import annotations

import random

import numpy as np

from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.signature import Signature, pair_key
from parapluie_gui.storage.session import Session

BLEU = Signature.from_fields("bleu", {"name": "bleu"})


def corpus(rows: int = 5, name: str = "mine") -> Corpus:
    return Corpus(
        name,
        [str(row) for row in range(rows)],
        [f"Source sentence {row}." for row in range(rows)],
        [f"Hypothesis {row}." for row in range(rows)],
        label=np.array([row % 2 for row in range(rows)], dtype=np.int8),
    )


def fill(session: Session, rows: int = 5) -> int:
    number = session.add_corpus(corpus(rows))
    keys = [pair_key(*pair) for pair in zip(corpus(rows).source, corpus(rows).hypothesis, strict=True)]
    session.store.put(BLEU, keys, np.arange(rows) / 8)
    session.set_note(number, 1, "Träume", "same_meaning")
    session.save_selection(number, "odd", [1, 3])
    session.set_setting("view.1", {"x": "bleu"})
    session.set_bench([{"source": "s", "hypothesis": "h"}])
    return number


def content(session: Session) -> dict[str, object]:
    """Return all content of a session that a user can see."""
    result: dict[str, object] = {"settings": session.settings(), "bench": session.bench()}
    for entry in session.corpora():
        read = session.corpus(entry.id)
        table = session.score_table(entry.id)
        result[entry.name] = (
            list(read.source),
            list(read.hypothesis),
            None if read.label is None else read.label.tolist(),
            {name: table[name].tolist() for name in table},
            session.notes(entry.id),
            {name: rows.tolist() for name, rows in session.selections(entry.id).items()},
        )
    return result


def damage(raw: bytes, rng: random.Random) -> bytes:
    """Return a file with a few flipped bits, a cut, or a zeroed page."""
    data = bytearray(raw)
    match rng.randrange(8):
        case 0:
            return bytes(data[: rng.randrange(len(data))])
        case 1:
            start = rng.randrange(len(data) // 4096) * 4096
            data[start : start + 4096] = bytes(4096)
        case _:
            for _ in range(rng.choice((1, 1, 2, 8))):
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)
