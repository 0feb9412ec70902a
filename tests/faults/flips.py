"""Flipped bits, cuts and zeroed pages in a session file and in the score store: `python tests/faults/flips.py`.

Counts the outcomes for the damaged copies. None may be silently different, raise any exception but a readable
error, or crash the process.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

from damage import BLEU, content, corpus, damage, fill

from parapluie_gui.errors import ParapluieError
from parapluie_gui.scores.signature import pair_key
from parapluie_gui.storage.session import Session
from parapluie_gui.storage.store import ScoreStore

ROWS = 60
KEYS = [pair_key(*pair) for pair in zip(corpus(ROWS).source, corpus(ROWS).hypothesis, strict=True)]


def session_file(folder: Path) -> Callable[[bytes], str]:
    """Create a session file; return a function that opens a damaged copy and describes the outcome."""
    path = folder / "s.pluie"
    with Session.open(path, create=True) as session:
        fill(session, ROWS)
    with Session.open(path, reading=True) as session:
        before = content(session)

    def trial(raw: bytes) -> str:
        path.write_bytes(raw)
        try:
            with Session.open(path) as session:
                after, notices = content(session), session.notices
                session.empty()
        except ParapluieError:
            return "a sentence"
        if notices:
            return "saved in part, said" if after != before else "saved as a whole, said"
        return "same" if after == before else "SILENTLY DIFFERENT"

    return trial


def score_store(folder: Path) -> Callable[[bytes], str]:
    """Create a score store; return a function that looks up and stores scores in a damaged copy and describes the
    outcome.
    """
    path = folder / "scores.sqlite"
    with ScoreStore(path) as store:
        for row, key in enumerate(KEYS):
            store.put(BLEU, [key], [row / 8], [0.5], [0.25], [f"evidence {row}"])
        store.put_frame(BLEU, "frame")

    def trial(raw: bytes) -> str:
        path.write_bytes(raw)
        try:
            with ScoreStore(path) as store:
                known = store.known(BLEU, KEYS)
                texts, frame = store.evidence(BLEU, KEYS), store.frame(BLEU)
                store.put(BLEU, KEYS[:2], [1.0, 2.0])
        except ParapluieError:
            return "a sentence"
        rows = known.known.nonzero()[0].tolist()
        right = all((known.value[row], known.p_yes[row], known.p_no[row]) == (row / 8, 0.5, 0.25) for row in rows)
        right = right and all(text in (None, f"evidence {row}") for row, text in enumerate(texts))
        if not right or frame not in (None, "frame"):
            return "SILENTLY DIFFERENT"
        return "same" if len(rows) == ROWS and None not in texts and frame else "fewer known"

    return trial


def main() -> int:
    """Run the trials; the exit status is 1 if any outcome is not allowed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1500, help="damaged copies of each file")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    bad = 0
    for make in (session_file, score_store):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["PARAPLUIE_HOME"] = f"{folder}/home"
            trial, rng, outcomes = make(Path(folder)), random.Random(options.seed), Counter[str]()
            whole = next(path for path in Path(folder).iterdir() if path.is_file()).read_bytes()
            for _ in range(options.count):
                try:
                    outcomes[trial(damage(whole, rng))] += 1
                except Exception:
                    traceback.print_exc()
                    outcomes["ANOTHER EXCEPTION"] += 1
            print(f"{make.__name__}: {options.count} damaged copies: {dict(outcomes.most_common())}")
            bad += outcomes["SILENTLY DIFFERENT"] + outcomes["ANOTHER EXCEPTION"]
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
