"""Records of a session that this program never writes: left out of the working copy before anybody reads them.

A document whose digest is right may still hold them, written by another program. What is left out is told, and the
document itself stays as it is until the session is saved.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from parapluie_gui.errors import SessionError
from parapluie_gui.scores.signature import Signature, pair_key
from parapluie_gui.storage import corpora
from parapluie_gui.storage.corpora import PIECE, unpack
from parapluie_gui.storage.database import Database
from parapluie_gui.storage.salvage import NOUNS

#: More pairs than any corpus has.
_MOST = 1 << 32
#: So many of a corpus's keys are compared with its texts.
_COMPARED = 100

#: What finds the odd records of a table by SQL alone: what identifies a record, and what it is when it is odd.
_ODD: dict[str, tuple[str, str]] = {
    "corpus": (
        "id",
        f"""typeof(pairs) <> 'integer' OR pairs NOT BETWEEN 0 AND {_MOST} OR typeof(position) <> 'integer'
            OR typeof(name) NOT IN ('text', 'blob') OR typeof(layout) <> 'text'
            OR typeof(path) NOT IN ('text', 'blob', 'null')
            OR (SELECT count(*) FROM piece WHERE piece.corpus = id AND piece.name = 'id')
               <> (pairs + {PIECE - 1}) / {PIECE}""",
    ),
    "batch": (
        "id",
        """typeof(pairs) <> 'integer' OR pairs < 0 OR typeof(keys) <> 'blob' OR length(keys) <> 16 * pairs
           OR typeof(numbers) <> 'blob' OR length(numbers) NOT IN (8 * pairs, 24 * pairs)
           OR typeof(evidence) NOT IN ('text', 'null') OR signature NOT IN (SELECT id FROM signature)""",
    ),
    "judgement": (
        "corpus, row, annotator, scheme, question, changed",
        """typeof(row) <> 'integer' OR row < 0 OR typeof(changed) <> 'text'
           OR row >= ifnull((SELECT pairs FROM corpus WHERE corpus.id = judgement.corpus), 0)
           OR typeof(annotator) NOT IN ('text', 'blob') OR typeof(scheme) NOT IN ('text', 'blob')
           OR typeof(question) NOT IN ('text', 'blob') OR typeof(answer) NOT IN ('text', 'blob', 'null')""",
    ),
    "selection": (
        "corpus, name",
        """typeof(name) <> 'text' OR typeof(rows) <> 'blob' OR length(rows) % 8 <> 0
           OR corpus NOT IN (SELECT id FROM corpus)""",
    ),
    "setting": ("key", "typeof(key) <> 'text' OR typeof(value) <> 'text'"),
    "bench": ("place", "typeof(entry) <> 'text'"),
}


def leave_out(database: Database) -> list[str]:
    """Remove the odd records of a session, and return what was removed or mended, each in a few words ("2 notes")."""
    work = _Search(database)
    with database.transaction():
        for table, names, record in work.found():
            where = " AND ".join(f"{name} IS ?" for name in names)
            database.write(f"DELETE FROM {table} WHERE {where}", record)
            work.count[table] += 1
        for entry in database.rows("SELECT id, name, pairs, label, human FROM corpus"):
            work.mend(*entry)
    return [f"{work.count[table]:,} {noun}" for table, noun in NOUNS.items() if work.count[table]] + work.mended


class _Search:
    """One look through a session.

    Attributes:
        count: How many records of each table are odd.
        mended: What else was changed, in words.
    """

    def __init__(self, database: Database) -> None:
        self.count: Counter[str] = Counter()
        self.mended: list[str] = []
        self._database = database

    def found(self) -> Iterator[tuple[str, list[str], Sequence[Any]]]:
        """Yield table, names and values of what identifies each odd record; it goes before the next is asked for."""
        for number, text in self._database.rows("SELECT id, json FROM signature"):
            if not _is_signature(text):
                batches = self._database.rows("SELECT id FROM batch WHERE signature = ?", (number,))
                yield from (("batch", ["id"], batch) for batch in batches)
                yield "signature", ["id"], (number,)
        for table, (names, odd) in _ODD.items():
            for identity in self._database.rows(f"SELECT {names} FROM {table} WHERE {odd}"):
                yield table, names.split(", "), identity
        blobs = " OR ".join(f"typeof({name}) = 'blob'" for name in ("annotator", "scheme", "question", "answer"))
        for *record, answer in self._database.rows(
            f"SELECT {_ODD['judgement'][0]}, answer FROM judgement WHERE {blobs}"
        ):
            if not all(map(_is_text, (*record[2:5], answer))):
                yield "judgement", _ODD["judgement"][0].split(", "), record
        sets = "SELECT corpus, selection.name, rows, pairs FROM selection JOIN corpus ON corpus.id = corpus"
        for corpus, name, rows, pairs in self._database.rows(sets):
            places = np.frombuffer(rows, dtype="<i8")
            if ((places < 0) | (places >= pairs)).any():
                yield "selection", ["corpus", "name"], (corpus, name)
        for table, column, value in (("setting", "key", "value"), ("bench", "place", "entry")):
            for place, text in self._database.rows(f"SELECT {column}, {value} FROM {table}"):
                if not _is_json(text):
                    yield table, [column], (place,)

    def mend(self, number: int, name: object, pairs: int, label: object, human: object) -> None:
        """Remove invalid labels and human scores, and recompute keys that do not match their texts."""
        title = corpora.restored(name)  # type: ignore[arg-type]
        if label is not None and not (
            isinstance(label, bytes) and len(label) == pairs and set(label) <= {0, 1, 255}  # 255 is -1
        ):
            self._database.write("UPDATE corpus SET label = NULL WHERE id = ?", (number,))
            self.mended.append(f"the labels of “{title}”")
        if human is not None and not (isinstance(human, bytes) and len(human) == 8 * pairs):
            self._database.write("UPDATE corpus SET human = NULL WHERE id = ?", (number,))
            self.mended.append(f"the human scores of “{title}”")
        if not self._keys_fit(number, pairs):
            corpora.renew_keys(self._database, number)
            self.mended.append(f"what finds the scores of “{title}” (made anew)")

    def _keys_fit(self, number: int, pairs: int) -> bool:
        """Tell whether a corpus has a key for each pair, and the first ones are those of their texts."""
        plain, others = corpora.keys(self._database, number)
        for keys in (plain, others):
            if keys is not None and not (isinstance(keys, bytes) and len(keys) == 16 * pairs):
                return self._unreadable(number)
        first = min(pairs, _COMPARED)
        piece = "SELECT texts FROM piece WHERE corpus = ? AND name = ? AND place = 0"
        texts = []
        for column in ("source", "hypothesis"):
            row = self._database.row(piece, (number, column))
            try:
                texts.append(unpack(min(pairs, PIECE), lambda place, row=row: row[0])[:first])  # type: ignore[misc]
            except (ValueError, TypeError, RecursionError):
                return True  # reading the corpus says so
        if any(len(column) != first or not all(isinstance(text, str) for text in column) for column in texts):
            return True
        return plain[: 16 * first] == b"".join(map(pair_key, *texts)) or self._unreadable(number)

    def _unreadable(self, number: int) -> bool:
        """Tell whether a corpus cannot be read, so that no keys can be made of its texts."""
        try:
            corpora.read(self._database, number)
        except SessionError:
            return True
        return False


def _is_signature(text: object) -> bool:
    try:
        Signature.from_json(text if isinstance(text, str) else "")
    except ValueError:
        return False
    return True


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _is_text(value: object) -> bool:
    try:
        return not isinstance(value, bytes) or bool(value.decode("utf-8", "surrogatepass")) or not value
    except UnicodeDecodeError:
        return False
