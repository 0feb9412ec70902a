"""The store of scores: every computed score, by its signature and the texts of its pair.

Each batch of scores is one row: keys and numbers as bytes. A row for each pair, sorted by its key, would touch a
different page of the file for almost every pair, at sixty microseconds per pair.

A record that does not match its checksum counts as missing: its pairs are scored again.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from parapluie_gui.arrays import Keys, Mask, Rows, Scores
from parapluie_gui.errors import DamagedError
from parapluie_gui.own_files import parse_json
from parapluie_gui.scores.signature import Signature
from parapluie_gui.storage.database import Database, OpenFile
from parapluie_gui.storage.keys import KeyFinder, key_array
from parapluie_gui.storage.schema import SESSION, STORE, intact

#: Number of batches up to which they are read individually; if there are more, all batches of the signature are read.
_FEW_BATCHES = 200

_SIGNATURE = intact("signature")


@dataclass(frozen=True, eq=False)
class KnownScores:
    """The stored scores of n pairs; `known` is true for scored pairs, even if the score is NaN (not defined)."""

    known: Mask
    value: Scores
    p_yes: Scores
    p_no: Scores

    def fill_gaps(self, other: KnownScores) -> KnownScores:
        """Return these scores, with those of `other` where a pair is not known."""
        mine = self.known
        columns = ((self.value, other.value), (self.p_yes, other.p_yes), (self.p_no, other.p_no))
        return KnownScores(mine | other.known, *(np.where(mine, one, another) for one, another in columns))


@dataclass(frozen=True, eq=False)
class _StoredKeys:
    """The keys (m, 2) of one signature's b batches, the batches' numbers, ascending, and their ends in `keys`."""

    signature: int
    batches: Rows
    ends: Rows
    keys: Keys


class ScoreStore(OpenFile):
    """Scores in an SQLite file, by signature and pair text; a missing file is created.

    A store belongs to the thread that created it; several processes may write and read the same file at once. A session
    file works too: its scores are then read and written.

    Args:
        path: The file.
        reading: Only read: do not create the file, and wait only briefly for writers.
        waits: Wait for writers even when only reading; not for the window's thread.

    Raises:
        SessionError: The file is damaged, of a different kind or version, or cannot be written.
    """

    def __init__(self, path: Path | str, *, reading: bool = False, waits: bool = False) -> None:
        self._database = Database(Path(path), (STORE, SESSION), create=not reading, reading=reading, waits=waits)
        self._last: _StoredKeys | None = None

    @classmethod
    def from_database(cls, database: Database) -> ScoreStore:
        """Return the store within an open session file; closing the store closes the file."""
        store = cls.__new__(cls)
        store._database = database
        store._last = None
        return store

    def put(
        self,
        signature: Signature,
        pair_keys: Sequence[bytes],
        values: Scores | Sequence[float],
        p_yes: Scores | Sequence[float] | None = None,
        p_no: Scores | Sequence[float] | None = None,
        evidence: Sequence[str | None] | None = None,
    ) -> None:
        """Store the scores of n pairs, entirely or (if the process dies) not at all; they replace earlier ones.

        Args:
            signature: The signature of their computation.
            pair_keys: n keys from `pair_key`.
            values: n scores; NaN means not defined, and counts as known.
            p_yes: n probabilities of the answer yes, in [0, 1].
            p_no: n probabilities of the answer no.
            evidence: n texts that a model wrote before its answer, such as INDIRECT's explanation.
        """
        count = len(pair_keys)
        columns = [values] if p_yes is None and p_no is None else [values, p_yes, p_no]
        numbers = np.full((len(columns), count), np.nan, dtype="<f8")
        for line, column in zip(numbers, columns, strict=True):
            if column is not None:
                if len(column) != count:
                    raise ValueError(f"{len(column)} numbers for {count} pairs")
                line[:] = column
        texts = None
        if evidence is not None and any(text is not None for text in evidence):
            if len(evidence) != count:
                raise ValueError(f"{len(evidence)} texts for {count} pairs")
            texts = json.dumps([None if text is None else _storable(text) for text in evidence], ensure_ascii=False)
        with self._database.transaction():
            self._database.write(
                "INSERT INTO batch (signature, pairs, keys, numbers, evidence) VALUES (?, ?, ?, ?, ?)",
                (self._use(signature), count, b"".join(pair_keys), numbers.tobytes(), texts),
            )

    def touch(self, signature: Signature) -> None:
        """Make a signature the most recently used one although it has no new scores."""
        with self._database.transaction():
            self._use(signature)

    def known(self, signature: Signature, pair_keys: Sequence[bytes]) -> KnownScores:
        """Return the stored scores of n pairs under this signature (a million keys take a third of a second)."""
        return self.look_up(signature, KeyFinder(key_array(pair_keys)))

    def look_up(self, signature: Signature, finder: KeyFinder) -> KnownScores:
        """Return the stored scores of a finder's n pairs under this signature."""
        known = KnownScores(np.zeros(len(finder), dtype=bool), *(np.full(len(finder), np.nan) for _ in range(3)))
        with self._database.transaction(reading=True):
            stored = self._keys(signature)
            if stored is None:
                return known
            place = finder.find(stored.keys)
            rows = np.flatnonzero(place >= 0)
            if not len(rows):
                return known
            numbers, intact_keys = np.full((3, len(stored.keys)), np.nan), np.zeros(len(stored.keys), dtype=bool)
            for begin, end, blob in self._batches("numbers", stored, place[rows]):
                lines = np.frombuffer(blob, dtype="<f8").reshape(-1, end - begin)
                numbers[: len(lines), begin:end] = lines
                intact_keys[begin:end] = True
            rows = rows[intact_keys[place[rows]]]
        known.known[rows] = True
        for target, line in zip((known.value, known.p_yes, known.p_no), numbers, strict=True):
            target[rows] = line[place[rows]]
        return known

    def evidence(self, signature: Signature, pair_keys: Sequence[bytes]) -> list[str | None]:
        """Return the evidence of n pairs, None for pairs without any."""
        texts: list[str | None] = [None] * len(pair_keys)
        with self._database.transaction(reading=True):
            stored = self._keys(signature)
            if stored is None:
                return texts
            place = KeyFinder(key_array(pair_keys)).find(stored.keys)
            rows = np.flatnonzero(place >= 0)
            rows = rows[np.argsort(place[rows], kind="stable")]
            places = place[rows]
            for begin, end, text in self._batches("evidence", stored, places):
                if (lines := _lines(text, end - begin)) is not None:
                    first, last = np.searchsorted(places, [begin, end])
                    for row, index in zip(rows[first:last].tolist(), places[first:last].tolist(), strict=True):
                        texts[row] = lines[index - begin]
        return texts

    def put_frame(self, signature: Signature, frame: str) -> None:
        """Store the prompt around the sentences, as text for its judge to parse."""
        with self._database.transaction():
            number = self._use(signature)
            self._database.write("UPDATE signature SET frame = ? WHERE id = ?", (_storable(frame), number))

    def frame(self, signature: Signature) -> str | None:
        """Return the stored prompt of a signature, or None."""
        row = self._database.row(f"SELECT frame FROM signature WHERE key = ? AND {_SIGNATURE}", (signature.key,))
        return None if row is None else row[0]

    def signatures(self) -> list[Signature]:
        """Return all signatures, the most recently used last."""
        rows = self._database.rows(f"SELECT json FROM signature WHERE {_SIGNATURE} ORDER BY latest")
        signatures = []
        for (text,) in rows:
            with contextlib.suppress(ValueError):  # written by another program
                signatures.append(Signature.from_json(text))
        return signatures

    def copy_to(self, other: ScoreStore, pair_keys: Sequence[bytes], shown: Mapping[str, Scores]) -> None:
        """Copy the stored scores of n pairs to another store, with their evidence and prompts.

        Args:
            other: The store to copy to.
            pair_keys: n keys from `pair_key`.
            shown: By column, n scores; only stored scores that equal these are copied.
        """
        for signature in self.signatures():
            if (values := shown.get(signature.column)) is None:
                continue
            stored = self.known(signature, pair_keys)
            rows = np.flatnonzero(stored.known & (stored.value == values))
            if not len(rows):
                continue
            keys = [pair_keys[row] for row in rows.tolist()]
            answers = (None if np.isnan(column[rows]).all() else column[rows] for column in (stored.p_yes, stored.p_no))
            other.put(signature, keys, stored.value[rows], next(answers), next(answers), self.evidence(signature, keys))
            if (frame := self.frame(signature)) is not None:
                other.put_frame(signature, frame)

    def _use(self, signature: Signature) -> int:
        """Mark a signature as the latest used and return its number, within a transaction; repair a damaged record."""
        self._database.write(
            f"""INSERT INTO signature (key, json, latest)
                VALUES (?, ?, (SELECT ifnull(max(latest), 0) + 1 FROM signature))
                ON CONFLICT (key) DO UPDATE
                SET latest = excluded.latest, json = excluded.json, frame = CASE WHEN {_SIGNATURE} THEN frame END
                WHERE latest < excluded.latest - 1 OR NOT {_SIGNATURE}""",
            (signature.key, signature.to_json()),
        )
        number = self._number(signature)
        if number is None:
            raise DamagedError(f"{self._database.display_name} is damaged: a record that was just written is missing.")
        return number

    def _number(self, signature: Signature) -> int | None:
        row = self._database.row(f"SELECT id FROM signature WHERE key = ? AND {_SIGNATURE}", (signature.key,))
        return None if row is None else row[0]

    def _keys(self, signature: Signature) -> _StoredKeys | None:
        """Return the keys stored under a signature; those of the last signature are cached, and only new ones read."""
        number = self._number(signature)
        if number is None:
            return None
        stored = self._last
        if stored is None or stored.signature != number:
            empty = np.zeros(0, dtype=np.int64)
            stored = _StoredKeys(number, empty, empty, np.zeros((0, 2), dtype=np.uint64))
        last = int(stored.batches[-1]) if len(stored.batches) else -1
        new = self._database.rows(
            f"SELECT id, pairs, keys FROM batch WHERE signature = ? AND id > ? AND {intact('batch', 'keys_sum')} "
            "ORDER BY id",
            (number, last),
        )
        if new:
            ids, counts, blobs = zip(*new, strict=True)
            stored = _StoredKeys(
                number,
                np.concatenate([stored.batches, np.array(ids, dtype=np.int64)]),
                np.concatenate([stored.ends, len(stored.keys) + np.cumsum(counts, dtype=np.int64)]),
                np.concatenate([stored.keys, key_array(blobs)]),
            )
        self._last = stored
        return stored

    def _batches(self, column: str, stored: _StoredKeys, places: Rows) -> Iterator[tuple[int, int, Any]]:
        """Yield the beginning, the end and one column of each intact batch that contains some of the given indices."""
        wanted = stored.batches[np.unique(np.searchsorted(stored.ends, places, side="right"))]
        query = f"SELECT id, {column} FROM batch WHERE {intact('batch', f'{column}_sum')} AND"
        if len(wanted) > _FEW_BATCHES:
            rows = self._database.rows(f"{query} signature = ? ORDER BY id", (stored.signature,))
        else:
            marks = ", ".join("?" * len(wanted))
            rows = self._database.rows(f"{query} id IN ({marks}) ORDER BY id", wanted.tolist())
        begins = np.concatenate([np.zeros(1, dtype=np.int64), stored.ends])
        bounds = dict(zip(stored.batches.tolist(), pairwise(begins.tolist()), strict=True))
        for batch, content in rows:
            if batch in bounds:  # only if its keys are intact too
                yield *bounds[batch], content


def _lines(text: object, count: int) -> list[str | None] | None:
    """Return the texts of a batch; None if it has none, or they cannot be read."""
    try:
        lines = parse_json(text) if isinstance(text, str) else None
    except ValueError:
        return None
    if not isinstance(lines, list) or len(lines) != count:
        return None
    return lines if all(line is None or isinstance(line, str) for line in lines) else None


def _storable(text: str) -> str:
    """Return a text without lone surrogates, which UTF-8 cannot encode and generated text may end in."""
    return text.encode("utf-8", "replace").decode()
