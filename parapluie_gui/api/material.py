"""Builds the material of analyses from pairs and scores, for the command line and Python."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from parapluie_gui.analysis.columns import ColumnMaterial
from parapluie_gui.analysis.kept_threshold import KeptThreshold
from parapluie_gui.analysis.material import AnalysisMaterial, CorpusParts
from parapluie_gui.analysis.own_scores import own_scores, put_own_scores
from parapluie_gui.analysis.score_column import ScoreColumn, table_score_column
from parapluie_gui.analysis.study import DISTANCE
from parapluie_gui.api.corpora import filter_mask, filter_pairs, score_for_outcomes
from parapluie_gui.arrays import Scores
from parapluie_gui.errors import CorpusError, ParapluieError, join_words, with_advice
from parapluie_gui.feature import ColumnPart, collect_parts
from parapluie_gui.judgements.columns import CorpusJudgements, with_judgements
from parapluie_gui.options import finite_number
from parapluie_gui.pairs.annotators import split_threshold
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.identity import describe_ambiguity, identify, matching_columns
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable

#: The advice for a name that fits several scores.
ONE_OF_THEM = "write one of these names"
#: Maximum number of columns listed in a message.
_NAMED = 20


def build_material(
    corpus: Corpus,
    table: ScoreTable,
    signatures: Mapping[str, Signature] | None = None,
    *,
    scores: Sequence[str] = (),
    only: Sequence[str] = (),
    distances: Collection[str] = (),
    known: Iterable[str] = (),
    filter: str | None = None,
    select: str | None = None,
    draws: int = 0,
    seed: int = 0,
    path: Path | None = None,
    given: Mapping[str, float] | None = None,
) -> AnalysisMaterial:
    """Build the material of an analysis.

    Args:
        corpus: The pairs.
        table: The computed scores, to which the corpus's columns of scores are added.
        signatures: The signatures of the corpus's columns.
        scores: Columns of the corpus to use as scores; by default those recognised by name or signature, and `known`.
        only: Instead of `scores`, the complete list of scores in order, computed or from the corpus; empty for all.
        distances: Scores in which lower numbers mean closer.
        known: Further columns to use as scores by default.
        filter: A filter that selects the pairs.
        select: A filter that gives the selection within these pairs.
        draws: The number of resamples for confidence intervals and tests.
        seed: The random seed for the resamples.
        path: The corpus's file, for messages.
        given: Chosen thresholds by score, for filters by outcome; see `score_for_outcomes`.

    Raises:
        ParapluieError: A column is missing or not numeric, or a filter is invalid.
    """
    signatures, computed = dict(signatures or {}), list(table.scores)
    further = (name for name in known if corpus.numbers(name) is not None)
    usual = [*own_scores(corpus, signatures), *further]
    scores, only, distances = (_resolve_names(names, corpus, signatures, table) for names in (scores, only, distances))
    names = [name for name in only or scores or dict.fromkeys(usual) if name not in table]
    for name in names:
        score_values(corpus, name, path)
    table = put_own_scores(table, corpus, names, signatures)
    scored = _scored_columns(table, only or (*names, *computed), distances)
    judged = score_for_outcomes(scored)
    threshold = None if judged is None else (given or {}).get(judged.name)
    if filter is not None:
        corpus, table = filter_pairs(corpus, table, filter, judged, threshold)
        scored = _scored_columns(table, only or (*names, *computed), distances)
    if select is not None:
        judged = next((column for column in scored if judged is not None and column.name == judged.name), None)
    corpus_parts = CorpusParts.from_corpus(corpus)
    return AnalysisMaterial(
        corpus_parts=corpus_parts,
        score_columns=scored,
        labels=corpus.labels,
        parts=corpus_parts.parts,
        draws=draws,
        seed=seed,
        y=scored[0].name if scored else "",
        distance=table[DISTANCE] if DISTANCE in table.scores else None,
        signatures={column.name: table.signatures[column.name] for column in scored if column.name in table.signatures},
        own=frozenset(table.own),
        selected=None if select is None else filter_mask(corpus, table, select, judged, threshold),
        people=CorpusJudgements.from_records(corpus, (), ()),
    )


def put_expressions(
    corpus: Corpus, table: ScoreTable, texts: Sequence[str], signatures: Mapping[str, Signature] | None = None
) -> None:
    """Add computed columns, NAME = EXPRESSION, to a table of scores.

    Expressions may use the scores in the table, and scores and extra columns of the corpus.

    Raises:
        ParapluieError: A definition is malformed, its name is taken, or its expression is invalid.
    """
    if texts:
        copy = table.take(np.arange(table.rows))
        signed = dict(signatures or {})
        put_own_scores(copy, corpus, own_scores(corpus, signed), signed)
        _definer().define(texts, ColumnMaterial(with_judgements(corpus, (), ()), copy), table)


def check_expressions(texts: Sequence[str]) -> None:
    """Check definitions of computed columns, NAME = EXPRESSION, before scoring.

    Raises:
        ParapluieError: A definition is malformed, or its name has a different meaning.
    """
    if texts:
        _definer().check(texts)


def _definer() -> ColumnPart:
    for part in collect_parts("columns"):
        if isinstance(part, ColumnPart) and part.definer:
            return part
    raise ParapluieError("This installation cannot compute columns from others. Leave the column out.")


def _scored_columns(table: ScoreTable, names: Iterable[str], distances: Collection[str]) -> tuple[ScoreColumn, ...]:
    """Return the columns of these scores that have numbers."""
    columns = (_score_column(table, name, name in distances) for name in names)
    return tuple(column for column in columns if not np.isnan(column.values).all())


def _score_column(table: ScoreTable, name: str, distance: bool) -> ScoreColumn:
    return replace(table_score_column(table, name, distance or None), bounds=table.all_bounds(name))


def _resolve_names(names: Iterable[str], corpus: Corpus, own: Mapping[str, Signature], table: ScoreTable) -> list[str]:
    """Resolve plain names to columns: a column of that name, or the score of the only judge that fits.

    Raises:
        ParapluieError: A name fits the scores of several judges.
    """
    signatures = {**own, **table.signatures}
    resolved = []
    existing = dict.fromkeys([*corpus.extra, *signatures])
    for name in names:
        if name not in existing and identify(name).maker is not None:
            fits = [column for column in existing if name in identify(column, signatures.get(column)).names]
            if len(fits) > 1:
                what = describe_ambiguity(name, fits) or f"{name} fits {join_words(fits)}"
                raise ParapluieError(with_advice(what, ONE_OF_THEM))
            name = fits[0] if fits else name
        resolved.append(name)
    return resolved


def no_known_score(corpus: Corpus, path: Path | None = None) -> CorpusError:
    """Return the error for a corpus in which no column is recognised as a score."""
    numeric = [name for name in corpus.extra if corpus.numbers(name) is not None]
    todo = "score the pairs first, with `parapluie score`"
    return CorpusError(
        "no column is a known score",
        f"choose one with --score among {_list_columns(numeric)}" if numeric else todo,
        path,
    )


def score_values(corpus: Corpus, name: str, path: Path | None = None) -> Scores:
    """Return a column of a corpus as numbers, NaN for missing ones.

    Raises:
        CorpusError: The column is missing or not numeric.
    """
    if name not in corpus.extra:
        if several := describe_ambiguity(name, corpus.extra):
            raise ParapluieError(with_advice(several, ONE_OF_THEM))
        raise no_column(name, corpus.extra, path)
    values = corpus.numbers(name)
    if values is None:
        raise CorpusError(f'column "{name}" contains no numbers', "choose a different column", path)
    return values


def parse_score_thresholds(texts: Iterable[str], columns: Collection[str]) -> dict[str, float | None]:
    """Parse scores written COL or COL=X, with X as the threshold; None means the score's own threshold.

    Raises:
        ParapluieError: The value after the equals sign is not a number.
    """
    thresholds: dict[str, float | None] = {}
    for text in texts:
        name, threshold = split_threshold(text, columns)
        if name not in columns and threshold is None and text.rpartition("=")[0] in columns:
            raise ParapluieError(f'"{text}" has no threshold. Write it as COL=X, such as bleu=0.3.')
        thresholds[name] = threshold
    return thresholds


def parse_thresholds(
    texts: Sequence[str], names: Collection[str], stored: Sequence[KeptThreshold] = ()
) -> dict[str, float]:
    """Parse thresholds written COL=X, or COL=NAME for a threshold that the user saved under a name.

    Raises:
        ParapluieError: A threshold is malformed, or its score is not in `names`.
    """
    thresholds = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        if not equals and len(names) == 1:
            (name,) = names
        if name not in names and len(fits := matching_columns(name, names)) == 1:
            (name,) = fits
        saved = next((one.threshold for one in stored if (one.score, one.name) == (name, value)), value)
        try:
            thresholds[name] = finite_number(saved if name else "")
        except ValueError:
            raise ParapluieError(
                f'"{text}" is not a threshold, which is a finite number. Write it as COL=X, such as bleu=0.3.'
            ) from None
        if name:
            check_scores([name], names)
    return thresholds


def check_thresholds(thresholds: Mapping[str, float] | None) -> dict[str, float]:
    """Return thresholds by score after checking that they are finite.

    Raises:
        ParapluieError: One of them is infinite or NaN.
    """
    for name, value in (thresholds or {}).items():
        if not math.isfinite(value):
            raise ParapluieError(
                f"The threshold of {name} is {value}, which is not a finite number. Choose a different threshold."
            )
    return dict(thresholds or {})


def check_scores(wanted: Iterable[str], names: Collection[str]) -> None:
    """Raise a ParapluieError for the first name that is not one of the scores in `names`."""
    for name in wanted:
        if several := describe_ambiguity(name, names):
            raise ParapluieError(with_advice(several, ONE_OF_THEM))
        if name not in names:
            raise ParapluieError(f'"{name}" is not one of the scores. Choose among {", ".join(names)}.')


def no_column(name: str, columns: Iterable[str], path: Path | None = None) -> ParapluieError:
    """Return the error for a missing column (of a file), which lists the existing columns."""
    existing = list(columns)
    what = f'there is no column "{name}"'
    todo = f"choose among {_list_columns(existing)}" if existing else "score the pairs first, with `parapluie score`"
    return CorpusError(what, todo, path) if path is not None else ParapluieError(with_advice(f"T{what[1:]}", todo))


def _list_columns(names: list[str]) -> str:
    shown = ", ".join(f'"{name}"' for name in names[:_NAMED])
    return f"{shown} and {len(names) - _NAMED} more" if len(names) > _NAMED else shown
