"""Opening a corpus: read it, or ask the user how, and add it to the session; runs in a thread, without Qt."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Unpack, cast

import numpy as np

from parapluie_gui.analysis.own_scores import own_scores, put_own_scores
from parapluie_gui.arrays import Labels, Scores
from parapluie_gui.errors import (
    CorpusError,
    EncodingError,
    LabelError,
    ParapluieError,
    UndecidedError,
    UndecidedLabelError,
    one_line,
)
from parapluie_gui.pairs import ColumnMapping, Corpus, OpenedCorpus, Tick, open_corpus, open_text, saved_plan
from parapluie_gui.pairs.plan import ReadingPlan
from parapluie_gui.pairs.pool import split_pool
from parapluie_gui.pairs.reading.blocks import ENDING
from parapluie_gui.pairs.reading.decisions import ReadingDecisions
from parapluie_gui.pairs.reading.large import (
    MOST_PAIRS,
    SampledCorpus,
    SampleOrigin,
    count_rows,
    is_folder_of_parquet,
    read_sample,
)
from parapluie_gui.pairs.reading.several_people import combine
from parapluie_gui.report.judged_demo import SignedCorpus, add_demo_scores
from parapluie_gui.report.signatures import read_signatures
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.shipped import shipped_corpora
from parapluie_gui.storage.corpora import CorpusEntry
from parapluie_gui.storage.session import Session
from parapluie_gui.ui.state.stored_values import StoredValues


def _return_unchanged(corpus: Corpus) -> Corpus:
    return corpus


@dataclass(frozen=True)
class OpeningQuestion:
    """A file that cannot be read until the user chooses its columns or encoding, or the meaning of its labels.

    Attributes:
        opened: The file, which has no preview while the encoding is unknown.
        name: Its name, for the user.
        finish: The function that converts the corpus read to the corpus to show.
        decisions: The user's earlier decisions about the file, if it was read before.
        problem: The sentence of the error that a choice can avoid, or "".
        asks_about_labels: Whether the problem is what the values of the label mean.
    """

    opened: OpenedCorpus
    name: str
    finish: Callable[[Corpus], Corpus] = _return_unchanged
    decisions: ReadingDecisions = field(default_factory=ReadingDecisions)
    problem: str = ""
    asks_about_labels: bool = False

    def read(
        self,
        mapping: ColumnMapping,
        *,
        save_plan: str = "",
        tick: Tick | None = None,
        **decisions: Unpack[ReadingDecisions],
    ) -> Corpus:
        """Read the file with the user's choices, and save them as the plan with a name."""
        corpus = self.opened.decide(**decisions).read(mapping=mapping, tick=tick)
        if save_plan and corpus.plan is not None:
            saved_plan.save_plan(corpus.plan, save_plan)
        return self.finish(corpus)


#: Key of the session's setting with the signatures of the scores in a corpus's file.
_SIGNATURES = "signatures.{}"

#: Key of the session's setting with the file or folder of which a corpus is a sample.
_SAMPLE_ORIGIN = "whole.{}"


@dataclass(frozen=True)
class LoadedCorpus:
    """A corpus of the session, with its number, stored scores and the file that it is a sample of."""

    number: int
    corpus: Corpus
    table: ScoreTable
    sample_origin: SampleOrigin | None = None


def read_demo(tick: Callable[[int], None] | None = None) -> SignedCorpus:
    """Return the demo corpus with a language model's scores, so that its answers are seen without the model."""
    path = shipped_corpora()["demo"].path
    return add_demo_scores(open_text(path.read_text(encoding="utf-8")).read(name="Demo", tick=tick))


def read_shipped(name: str, tick: Callable[[int], None] | None = None) -> Corpus:
    """Return a shipped corpus by its name."""
    corpus = shipped_corpora()[name]
    return open_corpus(corpus.path).read(name=corpus.title, tick=tick)


def has_columns(path: Path) -> bool:
    """Return True if a text file is a table, and not one half of two parallel files."""
    try:
        return open_corpus(path).preview.certain
    except ParapluieError:
        return False


def read_or_ask(
    opening: Callable[[], OpenedCorpus],
    name: str,
    finish: Callable[[Corpus], Corpus] = _return_unchanged,
    *,
    tick: Tick,
) -> Corpus | OpeningQuestion:
    """Read a file if its columns are certain; otherwise return the question to the user."""
    opened = opening()
    question = OpeningQuestion(opened, name, finish)
    try:
        preview = opened.preview
        if not preview.certain and len(preview.columns) > 1:
            return question
        return finish(opened.read(tick=tick))
    except UndecidedLabelError as error:  # perhaps by rows below those of the preview
        return replace(question, problem=str(error), asks_about_labels=True)
    except (EncodingError, LabelError, UndecidedError):
        return question
    except CorpusError as error:
        if "--" not in error.todo:
            raise
        return replace(question, problem=str(error))  # a control of the dialog can solve the problem


def ask_again(path: Path, plan: ReadingPlan | None) -> OpeningQuestion:
    """Return the question about how a file is read, with the decisions of the plan by which it was read, if known.

    Raises:
        ParapluieError: The file can no longer be opened.
    """
    chosen = {} if plan is None else dict(plan.chosen)
    decisions = cast(ReadingDecisions, {**chosen, "roles": tuple(chosen.get("roles", {}).items())})
    question = OpeningQuestion(open_corpus(path), one_line(path.name), decisions=decisions)
    with contextlib.suppress(ParapluieError):  # the dialog shows the problem
        _ = question.opened.decide(**decisions).preview
    return question


def read_or_sample(path: Path, name: str, *, tick: Tick) -> Corpus | OpeningQuestion | SampledCorpus:
    """Read a file as `read_or_ask` does, or a sample of a Parquet folder or of a file with too many pairs."""
    if is_folder_of_parquet(path) or (path.suffix.lower() == ENDING and count_rows(path) > MOST_PAIRS):
        return read_sample(path, tick=tick)
    return read_or_ask(partial(open_corpus, path), name, tick=tick)


def pool_with(present: Corpus, new: Corpus) -> Corpus:
    """Return a corpus pooled with the current one.

    Raises:
        CorpusError: The current corpus already contains these pairs.
    """
    known = split_pool(present)
    if (combined := combine([*known, new])).corpus.annotators and not new.annotators:
        return combined.corpus
    if any((list(part.source), list(part.hypothesis)) == (list(new.source), list(new.hypothesis)) for part in known):
        raise CorpusError("the corpus already contains its pairs", "choose another file", new.path)
    return combine([*known, new]).corpus


def add_to_session(
    path: Path,
    reading: Callable[..., Corpus | OpeningQuestion | SampledCorpus | SignedCorpus],
    tell: Callable[[int], None],
    signatures_in: Callable[[Path], Mapping[str, Signature]] = read_signatures,
) -> object:
    """Read a corpus and add it to the session, unless the session has it already.

    Args:
        path: The session's working copy.
        reading: The function that reads the corpus or a sample of it, or returns a question to the user.
        tell: Called with the number of rows read.
        signatures_in: Returns the signatures of the scores in the corpus's file.
    """
    read = reading(tick=tell)
    if isinstance(read, OpeningQuestion):
        return read
    source = read.origin if isinstance(read, SampledCorpus) else None
    result = read.corpus if isinstance(read, (SampledCorpus, SignedCorpus)) else read
    if not len(result):
        raise CorpusError("it contains no pair of sentences", "choose another file or other columns", result.path)
    with Session.connect(path) as session:
        number = next((entry.id for entry in session.corpora() if _holds(session, entry, result)), None)
        if number is None:
            number = session.add_corpus(result)
        else:
            result = session.corpus(number)  # its labels may have been changed
        if isinstance(read, SignedCorpus):
            signatures = read.signatures
        else:
            signatures = {} if result.path is None else signatures_in(result.path)
        if signatures:
            keep_signatures(session, number, signatures)
        if source is not None and source.pairs > len(result):
            session.set_setting(_SAMPLE_ORIGIN.format(number), {**asdict(source), "path": str(source.path)})
        return LoadedCorpus(number, result, _scores(session, number, result), _sample_origin(session, number))


def keep_signatures(session: Session, number: int, signatures: Mapping[str, Signature]) -> None:
    """Store the signatures of the scores in a corpus's file."""
    session.set_setting(
        _SIGNATURES.format(number),
        {name: signature.to_json(with_remarks=True) for name, signature in signatures.items()},
    )


def read_from_session(path: Path, number: int, tell: Callable[[int], None]) -> LoadedCorpus:
    """Read a corpus of the session."""
    with Session.connect(path) as session:
        corpus = session.corpus(number)
        return LoadedCorpus(number, corpus, _scores(session, number, corpus), _sample_origin(session, number))


def _sample_origin(session: Session, number: int) -> SampleOrigin | None:
    """Return the file or folder of which a corpus of the session is a sample, None for a complete corpus."""
    setting = StoredValues(session.settings()).part(_SAMPLE_ORIGIN.format(number))
    path, pairs = setting.text("path"), setting.number("pairs")
    if not path or pairs is None:
        return None
    return SampleOrigin(
        Path(path), int(pairs), setting.place("seed") or 0, setting.text("label"), setting.text("human")
    )


def _holds(session: Session, entry: CorpusEntry, corpus: Corpus) -> bool:
    if entry.name != corpus.name or entry.pairs != len(corpus):
        return False
    known = session.corpus(entry.id)
    # a table of the same pairs with scores counts as a different corpus, and so does the file with different labels
    if (
        corpus.plan is not None
        and corpus.plan.chosen
        and not (_are_equal(known.label, corpus.label) and _are_equal(known.human, corpus.human))
    ):
        return False
    return all(list(getattr(known, name)) == list(getattr(corpus, name)) for name in ("source", "hypothesis", "extra"))


def _are_equal(one: Labels | Scores | None, other: Labels | Scores | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other, equal_nan=True)


def _scores(session: Session, number: int, corpus: Corpus) -> ScoreTable:
    """Return the stored scores of a corpus: for each column, those in the session or the file, whichever has more."""
    setting = session.settings().get(_SIGNATURES.format(number))
    texts = setting if isinstance(setting, dict) else {}
    signatures = {column: Signature.from_json(text) for column, text in texts.items()}
    names = own_scores(corpus, signatures)
    table, own = session.score_table(number), put_own_scores(ScoreTable(len(corpus)), corpus, names, signatures)
    for name in names:
        # A different corpus of the session may share a few pairs with this one, scored by a different judge.
        if name in table and table.count_scores(name) < own.count_scores(name):
            table.drop(name)
    return put_own_scores(table, corpus, names, signatures)
