"""Reads the corpora that the commands are given, and finds the scores in their columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import cast

from parapluie_gui.api import corpora as api
from parapluie_gui.api.corpora import read_file
from parapluie_gui.arrays import Scores
from parapluie_gui.commands.options import Reading
from parapluie_gui.commands.saying import say
from parapluie_gui.errors import CorpusError, ParapluieError, with_advice
from parapluie_gui.pairs import Corpus

#: Columns that are named in a sentence at most.
_NAMED = 20


def read_corpus(path: Path, reading: Reading | None = None, scores: Collection[str] = ()) -> Corpus:
    """Read a file of pairs and say on stderr which rows were skipped.

    A role without a column in `reading` keeps the detected one; columns of `scores` are not detected as anything else.

    Raises:
        CorpusError: It cannot be read as asked.
    """
    return read_file(path, choices(reading or Reading()), scores, notice=say)


def choices(reading: Reading) -> api.Reading:
    """Return the options of reading as the Python functions take them."""
    return cast(api.Reading, dict(vars(reading)))


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
