"""Reads the corpora that the commands are given, and finds the scores in their columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import numpy as np

from parapluie_gui.analysis.columns import Pairs, columns_of, compiled
from parapluie_gui.arrays import Mask, Scores
from parapluie_gui.commands.options import Reading
from parapluie_gui.commands.output import count
from parapluie_gui.commands.saying import say
from parapluie_gui.errors import CorpusError, ParapluieError, with_advice
from parapluie_gui.pairs import ROLES, ColumnMapping, Corpus, open_corpus
from parapluie_gui.scores.table import ScoreTable

#: Columns that are named in a sentence at most.
_NAMED = 20


def read_corpus(path: Path, reading: Reading | None = None, scores: Collection[str] = ()) -> Corpus:
    """Read a file of pairs and say on stderr which rows were skipped.

    A role without a column in `reading` keeps the detected one; columns of `scores` are not detected as anything else.

    Raises:
        CorpusError: It cannot be read as asked.
    """
    reading = reading or Reading()
    delimiter = {"TAB": "\t", "\\t": "\t"}.get(reading.delimiter or "", reading.delimiter)
    chosen = {role: column for role in ROLES if (column := getattr(reading, role))}
    opened = open_corpus(
        path, layout=reading.layout, encoding=reading.encoding, delimiter=delimiter, positive=reading.positive
    )
    mapping = None
    if chosen or scores:
        seen = opened.preview.mapping
        detected = {role: column for role in ROLES if (column := getattr(seen, role)) not in scores}
        mapping = ColumnMapping(**{**detected, **chosen})
    corpus = opened.read(mapping=mapping)
    say_skipped(corpus)
    return corpus


def say_skipped(corpus: Corpus) -> None:
    """Say what was guessed of a corpus, which rows were skipped, and which columns nearly hold numbers."""
    if corpus.guessed:
        say(f"{corpus.name}: read as {corpus.guessed}.")
    if corpus.skipped:
        first, rows = corpus.skipped[0], count(len(corpus.skipped), "row was", "rows were")
        say(f"{corpus.name}: {rows} skipped (line {first.line}: {first.reason}).")
    for mixed in corpus.mixed:
        say(f"{corpus.name}: {mixed}")


def no_known_score(corpus: Corpus, path: Path) -> CorpusError:
    """Return the error for a corpus without a column that is known as a score."""
    numeric = [name for name in corpus.extra if corpus.numbers(name) is not None]
    todo = "score the pairs first, with `parapluie score`"
    return CorpusError(
        "no column is a known score", f"choose one with --score among {_listed(numeric)}" if numeric else todo, path
    )


def score_values(corpus: Corpus, name: str, path: Path) -> Scores:
    """Return a column of a corpus as numbers, NaN where one is missing.

    Raises:
        CorpusError: There is no such column, or it holds no numbers.
    """
    if name not in corpus.extra:
        raise no_column(name, corpus.extra, path)
    values = corpus.numbers(name)
    if values is None:
        raise CorpusError(f'column "{name}" holds no numbers', "choose another", path)
    return values


def filter_mask(corpus: Corpus, table: ScoreTable, text: str) -> Mask:
    """Return which pairs satisfy a filter.

    Raises:
        ParapluieError: It cannot be understood, or no pair satisfies it.
    """
    columns = columns_of(Pairs(corpus, table))
    mask = compiled(text, columns).mask(lambda name: columns[name].values())
    if not mask.any():
        raise ParapluieError(f"No pair satisfies {text}. Choose another filter.")
    return mask


def filtered(corpus: Corpus, table: ScoreTable, text: str) -> tuple[Corpus, ScoreTable]:
    """Return the pairs that satisfy a filter, with their scores; errors as `filter_mask`."""
    rows = np.flatnonzero(filter_mask(corpus, table, text))
    return corpus.take(rows), table.take(rows)


def given_thresholds(texts: Sequence[str], names: Collection[str]) -> dict[str, float]:
    """Read thresholds written COL=X.

    Raises:
        ParapluieError: One is not written so, or is of no score in `names`.
    """
    found = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        if not equals and len(names) == 1:
            (name,) = names
        try:
            found[name] = float(value if name else "")
        except ValueError:
            raise ParapluieError(f'"{text}" is not a threshold. Write it as COL=X, such as bleu=0.3.') from None
        if name and name not in names:
            raise ParapluieError(f'"{name}" is not one of the scores. Choose among {", ".join(names)}.')
    return found


def no_column(name: str, columns: Iterable[str], path: Path | None = None) -> ParapluieError:
    """Return the error for a column that is not there (in a file), naming those to choose among."""
    has = list(columns)
    what = f'there is no column "{name}"'
    todo = f"choose among {_listed(has)}" if has else "score the pairs first, with `parapluie score`"
    return CorpusError(what, todo, path) if path is not None else ParapluieError(with_advice(f"T{what[1:]}", todo))


def _listed(names: list[str]) -> str:
    shown = ", ".join(f'"{name}"' for name in names[:_NAMED])
    return f"{shown} and {len(names) - _NAMED} more" if len(names) > _NAMED else shown
