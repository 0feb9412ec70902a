"""The command `parapluie clean`, and the function `clean` of Python."""

# Each call describes one argument of the command.
# ruff: noqa: RUF009

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from parapluie_gui.api.notices import count
from parapluie_gui.commands.arguments import corpus_file, option_group, output_file, repeatable
from parapluie_gui.commands.corpora import read_corpus
from parapluie_gui.commands.options import ReadingArguments
from parapluie_gui.commands.saying import say
from parapluie_gui.errors import ParapluieError, join_words
from parapluie_gui.pairs import Corpus
from parapluie_gui.pairs.oddities import ODDITIES, clean_corpus, find_oddities
from parapluie_gui.report.table import check_target, write_table
from parapluie_gui.scores.table import ScoreTable

_KEYS = tuple(oddity.key for oddity in ODDITIES)


@dataclass(frozen=True, kw_only=True)
class CleanOptions:
    """Write pairs without markup, HTML entities and other oddities inside their sentences."""

    corpus: Path = corpus_file("file of pairs")
    output: Path = output_file(
        "table to write, with the original sentences in additional columns", "OUT.csv", short="-o", required=True
    )
    only: tuple[str, ...] = repeatable(f"kind to remove (default: all): {join_words(_KEYS)}", "KIND")
    reading: ReadingArguments = option_group(ReadingArguments, "reading")


def run(options: CleanOptions) -> int:
    """Write the cleaned pairs; return the exit status.

    Raises:
        ParapluieError: There is no such kind, or the file cannot be read or written.
    """
    check_target(options.output)
    kinds = _check_kinds(options.only)
    corpus = read_corpus(options.corpus, options.reading)
    for kind in find_oddities(corpus):
        say(f"{corpus.name}: {kind.describe(corpus)}{'' if kind.key in kinds else ', left unchanged'}.")
    cleaned = clean_corpus(corpus, kinds)
    changed = sum(
        (cleaned.source[row], cleaned.hypothesis[row]) != (corpus.source[row], corpus.hypothesis[row])
        for row in range(len(corpus))
    )
    written = write_table(options.output, cleaned, ScoreTable(len(cleaned)))
    for sentence in written.warnings:
        say(sentence)
    print(f"{count(changed, 'pair', 'pairs')} of {len(corpus):,} changed; written to {written.path}")
    return 0


def clean(corpus: Corpus, only: Collection[str] = ()) -> Corpus:
    """Return a corpus without markup, HTML entities and other oddities inside its sentences.

    Args:
        corpus: The pairs.
        only: The kinds to remove: "mojibake", "entities", "markup", "windows", "lines", "control", "invisible",
            "spaces"; all by default.

    Returns:
        The cleaned pairs; the original sentences are in the columns "source.original", "hypothesis.original" and
        "reference.original", each only if one of its sentences changed.

    Raises:
        ParapluieError: There is no such kind.
    """
    return clean_corpus(corpus, _check_kinds(only))


def _check_kinds(names: Collection[str]) -> tuple[str, ...]:
    for name in names:
        if name not in _KEYS:
            raise ParapluieError(f'There is no kind "{name}" to clean. Choose among {join_words(_KEYS)}.')
    return tuple(names) or _KEYS
