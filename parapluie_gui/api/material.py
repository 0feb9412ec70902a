"""From pairs and a table of scores to the material of an analysis, for the command line and Python alike."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from parapluie_gui.analysis.columns import ColumnMaterial
from parapluie_gui.analysis.kept_threshold import KeptThreshold
from parapluie_gui.analysis.material import CorpusParts, Material
from parapluie_gui.analysis.own_scores import own_scores, put_own_scores
from parapluie_gui.analysis.score_column import ScoreColumn, table_score_column
from parapluie_gui.analysis.study import DISTANCE
from parapluie_gui.api.corpora import filter_mask, filtered
from parapluie_gui.arrays import Scores
from parapluie_gui.errors import CorpusError, ParapluieError, join_words, with_advice
from parapluie_gui.feature import ColumnPart, brought
from parapluie_gui.judgements.columns import People, with_judgements
from parapluie_gui.pairs.annotators import split_threshold
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.identity import describe_ambiguity, identify, matching_columns
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable

#: What to do about a name that fits several scores.
ONE_OF_THEM = "write one of these names"
#: Columns that are named in a sentence at most.
_NAMED = 20


def material_of(
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
) -> Material:
    """Return what an analysis computes from.

    Args:
        corpus: The pairs.
        table: Scores that were computed; the corpus's own columns of scores are put into it.
        signatures: What the columns of the corpus were computed with.
        scores: Columns that are scores too; without any, those known by name or signature, and `known`.
        only: Without `scores`: all scores there are to be, in this order, computed or columns; empty for all.
        distances: Those of them where lower is closer.
        known: Further columns that are scores where none is named.
        filter: Only the pairs that satisfy it.
        select: The pairs that satisfy it are the selection.
        draws: Of confidence intervals and tests.
        seed: Of their random numbers.
        path: The file of the corpus, which errors name.

    Raises:
        ParapluieError: A column is not there or holds no numbers, or a filter cannot be understood.
    """
    signatures, computed = dict(signatures or {}), list(table.scores)
    further = (name for name in known if corpus.numbers(name) is not None)
    usual = [*own_scores(corpus, signatures), *further]
    scores, only, distances = (_meant(each, corpus, signatures, table) for each in (scores, only, distances))
    names = [name for name in only or scores or dict.fromkeys(usual) if name not in table]
    for name in names:
        score_values(corpus, name, path)
    table = put_own_scores(table, corpus, names, signatures)
    if filter is not None:
        corpus, table = filtered(corpus, table, filter)
    columns = [_score_column(table, name, name in distances) for name in only or (*names, *computed)]
    there, corpus_parts = (
        tuple(each for each in columns if not np.isnan(each.values).all()),
        CorpusParts.of_corpus(corpus),
    )
    return Material(
        corpus_parts=corpus_parts,
        score_columns=there,
        labels=corpus.labels,
        parts=corpus_parts.parts,
        draws=draws,
        seed=seed,
        y=there[0].name if there else "",
        distance=table[DISTANCE] if DISTANCE in table.scores else None,
        signatures={each.name: table.signatures[each.name] for each in there if each.name in table.signatures},
        own=frozenset(table.own),
        selected=None if select is None else filter_mask(corpus, table, select),
        people=People.of(corpus, (), ()),
    )


def put_expressions(
    corpus: Corpus, table: ScoreTable, texts: Sequence[str], signatures: Mapping[str, Signature] | None = None
) -> None:
    """Put columns worked out from others, NAME = EXPRESSION, into a table of scores.

    They know the scores in the table, those that the corpus came with, and its further columns.

    Raises:
        ParapluieError: One is not written so, has a name that is taken, or cannot be understood.
    """
    if texts:
        whole = table.take(np.arange(table.rows))
        signed = dict(signatures or {})
        put_own_scores(whole, corpus, own_scores(corpus, signed), signed)
        _definer().define(texts, ColumnMaterial(with_judgements(corpus, (), ()), whole), table)


def check_expressions(texts: Sequence[str]) -> None:
    """Refuse texts that define no column, NAME = EXPRESSION, before there are scores.

    Raises:
        ParapluieError: One is not written so, or its name means something else.
    """
    if texts:
        _definer().check(texts)


def _definer() -> ColumnPart:
    for part in brought("columns"):
        if isinstance(part, ColumnPart) and part.definer:
            return part
    raise ParapluieError("This installation lacks columns worked out from others. Leave the column out.")


def _score_column(table: ScoreTable, name: str, distance: bool) -> ScoreColumn:
    return replace(table_score_column(table, name, distance or None), bounds=table.all_bounds(name))


def _meant(names: Iterable[str], corpus: Corpus, own: Mapping[str, Signature], table: ScoreTable) -> list[str]:
    """Return the columns that plain names mean: themselves, or the one judge's score that each fits.

    Raises:
        ParapluieError: One fits the scores of several judges.
    """
    signatures, found = {**own, **table.signatures}, []
    there = dict.fromkeys([*corpus.extra, *signatures])
    for name in names:
        if name not in there and identify(name).maker is not None:
            fits = [each for each in there if name in identify(each, signatures.get(each)).names]
            if len(fits) > 1:
                what = describe_ambiguity(name, fits) or f"{name} fits {join_words(fits)}"
                raise ParapluieError(with_advice(what, ONE_OF_THEM))
            name = fits[0] if fits else name
        found.append(name)
    return found


def no_known_score(corpus: Corpus, path: Path | None = None) -> CorpusError:
    """Return the error for a corpus without a column that is known as a score."""
    numeric = [name for name in corpus.extra if corpus.numbers(name) is not None]
    todo = "score the pairs first, with `parapluie score`"
    return CorpusError(
        "no column is a known score", f"choose one with --score among {_listed(numeric)}" if numeric else todo, path
    )


def score_values(corpus: Corpus, name: str, path: Path | None = None) -> Scores:
    """Return a column of a corpus as numbers, NaN where one is missing.

    Raises:
        CorpusError: There is no such column, or it holds no numbers.
    """
    if name not in corpus.extra:
        if several := describe_ambiguity(name, corpus.extra):
            raise ParapluieError(with_advice(several, ONE_OF_THEM))
        raise no_column(name, corpus.extra, path)
    values = corpus.numbers(name)
    if values is None:
        raise CorpusError(f'column "{name}" holds no numbers', "choose another", path)
    return values


def with_thresholds(texts: Iterable[str], columns: Collection[str]) -> dict[str, float | None]:
    """Read scores written COL or COL=X (paraphrases have X or better) into their thresholds, None for its own one.

    Raises:
        ParapluieError: One has something else than a number behind the equals sign.
    """
    found: dict[str, float | None] = {}
    for text in texts:
        name, threshold = split_threshold(text, columns)
        if name not in columns and threshold is None and text.rpartition("=")[0] in columns:
            raise ParapluieError(f'"{text}" has no threshold. Write it as COL=X, such as bleu=0.3.')
        found[name] = threshold
    return found


def given_thresholds(
    texts: Sequence[str], names: Collection[str], kept: Sequence[KeptThreshold] = ()
) -> dict[str, float]:
    """Read thresholds written COL=X, or COL=NAME for one that was kept under a name.

    Raises:
        ParapluieError: One is not written so, or is of no score in `names`.
    """
    found = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        if not equals and len(names) == 1:
            (name,) = names
        if name not in names and len(fits := matching_columns(name, names)) == 1:
            (name,) = fits
        known = next((each.threshold for each in kept if (each.score, each.name) == (name, value)), value)
        try:
            found[name] = float(known if name else "")
        except ValueError:
            raise ParapluieError(f'"{text}" is not a threshold. Write it as COL=X, such as bleu=0.3.') from None
        if name:
            check_scores([name], names)
    return found


def check_scores(wanted: Iterable[str], names: Collection[str]) -> None:
    """Raise a ParapluieError for the first that is none of the scores in `names`."""
    for name in wanted:
        if several := describe_ambiguity(name, names):
            raise ParapluieError(with_advice(several, ONE_OF_THEM))
        if name not in names:
            raise ParapluieError(f'"{name}" is not one of the scores. Choose among {", ".join(names)}.')


def no_column(name: str, columns: Iterable[str], path: Path | None = None) -> ParapluieError:
    """Return the error for a column that is not there (in a file), naming those to choose among."""
    has = list(columns)
    what = f'there is no column "{name}"'
    todo = f"choose among {_listed(has)}" if has else "score the pairs first, with `parapluie score`"
    return CorpusError(what, todo, path) if path is not None else ParapluieError(with_advice(f"T{what[1:]}", todo))


def _listed(names: list[str]) -> str:
    shown = ", ".join(f'"{name}"' for name in names[:_NAMED])
    return f"{shown} and {len(names) - _NAMED} more" if len(names) > _NAMED else shown
