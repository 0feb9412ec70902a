"""How a corpus comes in: read or asked about, and put into the session; runs in a thread of its own, without Qt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Unpack

from parapluie_gui.analysis.own_scores import own_scores, put_own_scores
from parapluie_gui.errors import CorpusError, EncodingError, LabelError
from parapluie_gui.pairs import ColumnMapping, Corpus, OpenedCorpus, Tick, open_corpus, open_text
from parapluie_gui.pairs.pool import pool, split_pool
from parapluie_gui.pairs.reading.blocks import ENDING
from parapluie_gui.pairs.reading.large import (
    MOST_PAIRS,
    SampledCorpus,
    SampleOrigin,
    count_rows,
    is_folder_of_parquet,
    read_sample,
)
from parapluie_gui.pairs.reading.reader import Decisions
from parapluie_gui.report.signatures import read_signatures
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.shipped import shipped
from parapluie_gui.storage.corpora import CorpusEntry
from parapluie_gui.storage.session import Session
from parapluie_gui.ui.state.kept_values import KeptValues


def _unchanged(corpus: Corpus) -> Corpus:
    return corpus


@dataclass(frozen=True)
class OpeningQuestion:
    """A file that cannot be read before the user chose its columns or encoding, or said what its labels mean.

    Attributes:
        opened: The file; it has no preview while the encoding is unknown.
        name: Its name for the user.
        finish: Turns the corpus that is read into the one to show.
    """

    opened: OpenedCorpus
    name: str
    finish: Callable[[Corpus], Corpus] = _unchanged

    def read(self, mapping: ColumnMapping, *, tick: Tick | None = None, **decisions: Unpack[Decisions]) -> Corpus:
        """Read it with the user's choices."""
        return self.finish(self.opened.decide(**decisions).read(mapping=mapping, tick=tick))


#: The setting of the session that holds the signatures of the scores in a corpus's file.
_SIGNATURES = "signatures.{}"

#: The setting of the session that says what a corpus is a sample of.
_WHOLE = "whole.{}"


@dataclass(frozen=True)
class LoadedCorpus:
    """A corpus of the session, by its number there, with its stored scores; `whole` is what it is a sample of."""

    number: int
    corpus: Corpus
    table: ScoreTable
    whole: SampleOrigin | None = None


def read_demo(tick: Callable[[int], None] | None = None) -> Corpus:
    """Return the demo corpus."""
    text = shipped()["demo"].path.read_text(encoding="utf-8")
    return open_text(text).read(name="Demo", tick=tick)


def read_shipped(name: str, tick: Callable[[int], None] | None = None) -> Corpus:
    """Return a corpus that ships, by the name that stands for its path."""
    corpus = shipped()[name]
    return open_corpus(corpus.path).read(name=corpus.title, tick=tick)


def has_columns(path: Path) -> bool:
    """Tell a text file that is a table from one half of two parallel files."""
    try:
        return open_corpus(path).preview.certain
    except CorpusError:
        return False


def read_or_ask(
    opening: Callable[[], OpenedCorpus], name: str, finish: Callable[[Corpus], Corpus] = _unchanged, *, tick: Tick
) -> Corpus | OpeningQuestion:
    """Read a file whose columns are certain; otherwise return the question to the user."""
    opened = opening()
    question = OpeningQuestion(opened, name, finish)
    try:
        preview = opened.preview
    except EncodingError:
        return question
    if not preview.certain and len(preview.columns) > 1:
        return question
    try:
        return finish(opened.read(tick=tick))
    except LabelError:
        return question


def read_or_sample(path: Path, name: str, *, tick: Tick) -> Corpus | OpeningQuestion | SampledCorpus:
    """Read a file as `read_or_ask`; of a Parquet file with too many pairs, or of a folder of them, return a sample."""
    if is_folder_of_parquet(path) or (path.suffix.lower() == ENDING and count_rows(path) > MOST_PAIRS):
        return read_sample(path, tick=tick)
    return read_or_ask(partial(open_corpus, path), name, tick=tick)


def added_to(present: Corpus, new: Corpus) -> Corpus:
    """Return a corpus pooled with the present one.

    Raises:
        CorpusError: The present one contains its pairs already.
    """
    known = split_pool(present)
    if any((list(each.source), list(each.hypothesis)) == (list(new.source), list(new.hypothesis)) for each in known):
        raise CorpusError("its pairs are in the corpus already", "choose another file", new.path)
    return pool([*known, new])


def into_session(
    path: Path,
    reading: Callable[..., Corpus | OpeningQuestion | SampledCorpus],
    tell: Callable[[int], None],
    signatures_in: Callable[[Path], Mapping[str, Signature]] = read_signatures,
) -> object:
    """Read a corpus and add it to the session, unless the session has it already.

    Args:
        path: The session's working copy.
        reading: Reads the corpus, or a sample of it, or returns what to ask the user.
        tell: Called with the number of rows read.
        signatures_in: Returns what the scores in the corpus's file were computed with.
    """
    read = reading(tick=tell)
    if isinstance(read, OpeningQuestion):
        return read
    result, whole = (read.corpus, read.origin) if isinstance(read, SampledCorpus) else (read, None)
    if not len(result):
        raise CorpusError("it holds no pair of sentences", "choose another file or other columns", result.path)
    with Session.connect(path) as session:
        number = next((entry.id for entry in session.corpora() if _holds(session, entry, result)), None)
        if number is None:
            number = session.add_corpus(result)
        else:
            result = session.corpus(number)  # people may have given it other labels
        signatures = {} if result.path is None else signatures_in(result.path)
        if signatures:
            keep_signatures(session, number, signatures)
        if whole is not None and whole.pairs > len(result):
            session.set_setting(_WHOLE.format(number), {**asdict(whole), "path": str(whole.path)})
        return LoadedCorpus(number, result, _scores(session, number, result), _whole(session, number))


def keep_signatures(session: Session, number: int, signatures: Mapping[str, Signature]) -> None:
    """Keep what the scores in a corpus's file were computed with."""
    session.set_setting(_SIGNATURES.format(number), {name: each.to_json() for name, each in signatures.items()})


def from_session(path: Path, number: int, tell: Callable[[int], None]) -> LoadedCorpus:
    """Read a corpus of the session."""
    with Session.connect(path) as session:
        corpus = session.corpus(number)
        return LoadedCorpus(number, corpus, _scores(session, number, corpus), _whole(session, number))


def _whole(session: Session, number: int) -> SampleOrigin | None:
    """Return what a corpus of the session is a sample of; None for any other."""
    kept = KeptValues(session.settings()).part(_WHOLE.format(number))
    path, pairs = kept.text("path"), kept.number("pairs")
    if not path or pairs is None:
        return None
    return SampleOrigin(Path(path), int(pairs), kept.place("seed") or 0, kept.text("label"), kept.text("human"))


def _holds(session: Session, entry: CorpusEntry, corpus: Corpus) -> bool:
    if entry.name != corpus.name or entry.pairs != len(corpus):
        return False
    known = session.corpus(entry.id)
    # a table of the same pairs with scores is another one
    return all(list(getattr(known, name)) == list(getattr(corpus, name)) for name in ("source", "hypothesis", "extra"))


def _scores(session: Session, number: int, corpus: Corpus) -> ScoreTable:
    """Return the stored scores of a corpus: of each, those in the session or those in its file, whichever has more."""
    kept = session.settings().get(_SIGNATURES.format(number))
    texts = kept if isinstance(kept, dict) else {}
    signatures = {column: Signature.from_json(text) for column, text in texts.items()}
    names = own_scores(corpus, signatures)
    table, own = session.score_table(number), put_own_scores(ScoreTable(len(corpus)), corpus, names, signatures)
    for name in names:
        # Another corpus of the session may share a few pairs with this one, scored by another judge.
        if name in table and table.scored(name) < own.scored(name):
            table.drop(name)
    return put_own_scores(table, corpus, names, signatures)
