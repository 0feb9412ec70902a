"""The store of scores: every number that was ever computed, found again by what it was computed from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from parapluie_gui.scores.database import Database, OpenFile
from parapluie_gui.scores.schema import SESSION, STORE
from parapluie_gui.scores.signature import Signature


@dataclass(frozen=True, eq=False)
class KnownScores:
    """What the store knows of n pairs.

    Attributes:
        known: bool array (n,): whether the pair was scored, be it with NaN (the metric is not defined there).
        value, p_yes, p_no: float64 arrays (n,), NaN where unknown or absent.
    """

    known: np.ndarray
    value: np.ndarray
    p_yes: np.ndarray
    p_no: np.ndarray


class ScoreStore(OpenFile):
    """Scores in an SQLite file, keyed by signature and pair text; made when missing.

    Each object belongs to the thread that made it. Processes may write and read the same file at once. Also opens a
    session file, whose scores it then reads and writes.

    Raises:
        SessionError: The file is damaged, of another kind or of a newer version, or cannot be written.
    """

    def __init__(self, path: Path | str) -> None:
        self._database = Database(Path(path), (STORE, SESSION))

    @classmethod
    def over(cls, database: Database) -> ScoreStore:
        """Return the store within an open session file; closing it closes the file."""
        store = cls.__new__(cls)
        store._database = database
        return store

    def put(
        self,
        signature: Signature,
        pair_keys: Sequence[bytes],
        values: np.ndarray | Sequence[float],
        p_yes: np.ndarray | Sequence[float] | None = None,
        p_no: np.ndarray | Sequence[float] | None = None,
        evidence: Sequence[str | None] | None = None,
    ) -> None:
        """Keep the scores of n pairs, all of them or (if the process dies) none; they replace earlier ones.

        Args:
            signature: What they were computed with.
            pair_keys: n keys of `pair_key`.
            values: n scores; NaN says that the score is not defined and counts as known.
            p_yes: n probabilities of the answer yes, in [0, 1].
            p_no: n probabilities of the answer no.
            evidence: n texts a model wrote on its way to the score, such as INDIRECT's explanation.
        """
        count = len(pair_keys)
        columns = [_numbers(numbers, count) for numbers in (values, p_yes, p_no)]
        texts = [None] * count if evidence is None else [None if text is None else _storable(text) for text in evidence]
        with self._database.transaction():
            number = self._use(signature)
            self._database.write_many(
                """INSERT OR REPLACE INTO score (signature, pair, value, p_yes, p_no, evidence)
                   VALUES (?, ?, ?, ?, ?, ?)""",
                zip([number] * count, pair_keys, *columns, texts, strict=True),
            )

    def touch(self, signature: Signature) -> None:
        """Make a signature the most recently used one, as when all its scores were known already."""
        with self._database.transaction():
            self._use(signature)

    def known(self, signature: Signature, pair_keys: Sequence[bytes]) -> KnownScores:
        """Return what is known of n pairs under this signature (100,000 keys take a third of a second)."""
        found = KnownScores(np.zeros(len(pair_keys), dtype=bool), *(np.full(len(pair_keys), np.nan) for _ in range(3)))
        number = self._number(signature)
        if number is not None:
            rows = self._look_up("value, p_yes, p_no", number, pair_keys)
            if rows:
                index, value, p_yes, p_no = zip(*rows, strict=True)
                at = np.array(index)
                found.known[at] = True
                for target, numbers in ((found.value, value), (found.p_yes, p_yes), (found.p_no, p_no)):
                    target[at] = np.array(numbers, dtype=np.float64)  # None becomes NaN
        return found

    def evidence(self, signature: Signature, pair_key: bytes) -> str | None:
        """Return the text a model wrote on its way to the score, or None."""
        return self.evidences(signature, [pair_key])[0]

    def evidences(self, signature: Signature, pair_keys: Sequence[bytes]) -> list[str | None]:
        """Return the evidence of n pairs, None where there is none."""
        texts: list[str | None] = [None] * len(pair_keys)
        number = self._number(signature)
        if number is not None:
            for index, text in self._look_up("evidence", number, pair_keys):
                texts[index] = text
        return texts

    def put_frame(self, signature: Signature, frame: str) -> None:
        """Keep the prompt around the sentences, as the text its owner reads back."""
        with self._database.transaction():
            number = self._use(signature)
            self._database.write("UPDATE signature SET frame = ? WHERE id = ?", (_storable(frame), number))

    def frame(self, signature: Signature) -> str | None:
        """Return what `put_frame` kept, or None."""
        row = self._database.row("SELECT frame FROM signature WHERE key = ?", (signature.key,))
        return None if row is None else row[0]

    def signatures(self) -> list[Signature]:
        """Return every signature that was ever used, the latest last."""
        return [
            Signature.from_json(text) for (text,) in self._database.rows("SELECT json FROM signature ORDER BY latest")
        ]

    def _number(self, signature: Signature) -> int | None:
        row = self._database.row("SELECT id FROM signature WHERE key = ?", (signature.key,))
        return None if row is None else row[0]

    def _use(self, signature: Signature) -> int:
        """Return the signature's number, now the latest; within a transaction."""
        self._database.write(
            """INSERT INTO signature (key, json, latest)
               VALUES (?, ?, (SELECT ifnull(max(latest), 0) + 1 FROM signature))
               ON CONFLICT (key) DO UPDATE SET latest = excluded.latest
               WHERE latest < excluded.latest - 1""",
            (signature.key, signature.to_json()),
        )
        number = self._number(signature)
        assert number is not None
        return number

    def _look_up(self, columns: str, number: int, pair_keys: Sequence[bytes]) -> list[tuple]:
        """Return (index, columns...) of the pairs that have a score."""
        # A temporary table joins 100,000 keys in one statement; an IN list would need a statement per 32,766.
        with self._database.transaction(reading=True):
            self._database.write("CREATE TEMP TABLE IF NOT EXISTS asked (place INTEGER PRIMARY KEY, pair BLOB)")
            self._database.write("DELETE FROM temp.asked")
            self._database.write_many("INSERT INTO temp.asked VALUES (?, ?)", enumerate(pair_keys))
            return self._database.rows(
                f"SELECT place, {columns} FROM temp.asked CROSS JOIN score USING (pair) WHERE signature = ?", (number,)
            )


def _numbers(numbers: np.ndarray | Sequence[float] | None, count: int) -> list[float | None]:
    if numbers is None:
        return [None] * count
    # SQLite has no NaN; NULL stands for it.
    return [None if number != number else number for number in np.asarray(numbers, dtype=np.float64).tolist()]


def _storable(text: str) -> str:
    """Return text without the lone surrogates that a generation cut in mid-character can hold; SQLite has UTF-8."""
    return text.encode("utf-8", "replace").decode()
