"""What the actions of `parapluie judgements` can be given; light, as `options.py` is."""

# Each call describes one argument of one command; none is shared between dataclasses.
# ruff: noqa: RUF009

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from parapluie_gui.commands.arguments import argument, file, files, option, switch
from parapluie_gui.places import expand_user_path


@dataclass(frozen=True, kw_only=True)
class ExportJudgements:
    """Write what people said in a session as a table with a row for each answer."""

    session: Path = argument("session file", "SESSION.pluie", type=expand_user_path)
    output: Path = file("table to write: .csv, .tsv, .jsonl, .parquet or .xlsx", "OUT.csv", short="-o", required=True)
    history: bool = switch("also answers that were changed later or taken back")
    no_formulas: bool = switch("CSV and TSV: an apostrophe before texts that a spreadsheet would run")


@dataclass(frozen=True, kw_only=True)
class MergeJudgements:
    """Merge what people said in copies of a session: the first, with the answers of the others."""

    session: tuple[Path, ...] = files("session file", "SESSION.pluie")
    output: Path = file("session file to write", "OUT.pluie", short="-o", required=True)


@dataclass(frozen=True, kw_only=True)
class ImportJudgements:
    """Write a session with the answers of a table, found by the pairs' ids."""

    session: Path = argument("session file", "SESSION.pluie", type=expand_user_path)
    answers: Path = argument(
        "table: a row for each judgement (pair, annotator, answer), or a column for each person",
        "ANSWERS",
        type=expand_user_path,
    )
    output: Path = file("session file to write", "OUT.pluie", short="-o", required=True)
    corpus: str | None = option("name of the corpus (default: the one that has most of the pairs)", "NAME")
    question: str | None = option("question of a scheme that is answered (default: found by name and answers)", "ID")
