"""How a corpus comes in: read or asked about, and put into the session; runs in a thread of its own, without Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from parapluie_gui import places
from parapluie_gui.errors import CorpusError, EncodingError
from parapluie_gui.pairs import ColumnMapping, Corpus, OpenedCorpus, Tick, inspect, read_text
from parapluie_gui.pairs.pool import apart, pool
from parapluie_gui.pairs.reading.reader import Decisions
from parapluie_gui.scores.session import Session
from parapluie_gui.scores.table import ScoreTable


def _unchanged(corpus: Corpus) -> Corpus:
    return corpus


@dataclass(frozen=True)
class Question:
    """A file that cannot be read without the user's word on its columns or encoding.

    Attributes:
        opened: The file; it has no preview while the encoding is not named.
        name: What it is called.
        finish: Makes the corpus to be shown of the one that is read.
    """

    opened: OpenedCorpus
    name: str
    finish: Callable[[Corpus], Corpus] = _unchanged

    def read(self, mapping: ColumnMapping, *, tick: Tick | None = None, **decisions: Unpack[Decisions]) -> Corpus:
        """Read it with the user's choices."""
        return self.finish(self.opened.decide(**decisions).read(mapping=mapping, tick=tick))


@dataclass(frozen=True)
class Loaded:
    """A corpus that lies in the session.

    Attributes:
        number: The session's number for it.
        corpus: Its pairs.
        table: The scores known of them.
    """

    number: int
    corpus: Corpus
    table: ScoreTable


def read_demo(tick: Callable[[int], None] | None = None) -> Corpus:
    """Return the demo corpus."""
    text = (places.resources() / "demo" / "demo.tsv").read_text(encoding="utf-8")
    return read_text(text, name="Demo", tick=tick)


def has_columns(path: Path) -> bool:
    """Whether a text file is a table by itself rather than one half of two parallel files."""
    try:
        return inspect(path).certain
    except CorpusError:
        return False


def read_or_ask(
    opening: Callable[[], OpenedCorpus], name: str, finish: Callable[[Corpus], Corpus] = _unchanged, *, tick: Tick
) -> Corpus | Question:
    """Read a file if it says itself what its columns are, else return the question to the user."""
    opened = opening()
    question = Question(opened, name, finish)
    try:
        preview = opened.preview
    except EncodingError:
        return question
    return question if not preview.certain and len(preview.columns) > 1 else finish(opened.read(tick=tick))


def added_to(present: Corpus, new: Corpus) -> Corpus:
    """Return a corpus pooled with the one that is there; one that is there already is not added twice."""
    known = apart(present)
    if any((list(each.source), list(each.hypothesis)) == (list(new.source), list(new.hypothesis)) for each in known):
        raise CorpusError("its pairs are in the corpus already", "choose another file", new.path)
    return pool([*known, new])


def into_session(path: Path, reading: Callable[..., Corpus | Question], tell: Callable[[int], None]) -> object:
    """Read a corpus and put it into the session; one that is there already is not put there twice."""
    result = reading(tick=tell)
    if isinstance(result, Question):
        return result
    if not len(result):
        raise CorpusError("it holds no pair of sentences", "choose another file or other columns", result.path)
    with Session.open(path) as session:
        for entry in session.corpora():
            if entry.name == result.name and entry.pairs == len(result):
                known = session.corpus(entry.id)
                if (known.source, known.hypothesis) == (list(result.source), list(result.hypothesis)):
                    return Loaded(entry.id, known, session.score_table(entry.id))
        number = session.add_corpus(result)
        return Loaded(number, result, session.score_table(number))


def from_session(path: Path, number: int, tell: Callable[[int], None]) -> Loaded:
    """Read a corpus that the session holds already."""
    with Session.open(path) as session:
        return Loaded(number, session.corpus(number), session.score_table(number))
