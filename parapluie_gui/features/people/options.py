"""Options of the actions of `parapluie judgements`; imports no heavy module, so that `--help` is fast."""

# Each call describes one argument of one command; none is shared between dataclasses.
# ruff: noqa: RUF009

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from parapluie_gui.commands.arguments import argument, files, option, output_file, switch
from parapluie_gui.places import expand_user_path


@dataclass(frozen=True, kw_only=True)
class ExportJudgements:
    """Write people's answers in a session as a table with one row per answer."""

    session: Path = argument("session file", "SESSION.pluie", type=expand_user_path)
    output: Path = output_file(
        "table to write: .csv, .tsv, .jsonl, .parquet or .xlsx", "OUT.csv", short="-o", required=True
    )
    history: bool = switch("include answers that were later changed or deleted")
    no_formulas: bool = switch("CSV and TSV: put an apostrophe before texts that a spreadsheet would run as formulas")
    for_excel: bool = switch("CSV and TSV: as --no-formulas, and begin with the mark by which Excel recognises UTF-8")


@dataclass(frozen=True, kw_only=True)
class MergeJudgements:
    """Merge people's answers in copies of a session: write the first with the answers of the others."""

    session: tuple[Path, ...] = files("session file", "SESSION.pluie")
    output: Path = output_file("session file to write", "OUT.pluie", short="-o", required=True)


@dataclass(frozen=True, kw_only=True)
class ImportJudgements:
    """Write a session with the answers in a table added, matched by the pairs' ids."""

    session: Path = argument("session file", "SESSION.pluie", type=expand_user_path)
    answers: Path = argument(
        "table: one row per judgement (pair, annotator, answer), or one column per person",
        "ANSWERS",
        type=expand_user_path,
    )
    output: Path = output_file("session file to write", "OUT.pluie", short="-o", required=True)
    corpus: str | None = option("name of the corpus (default: the one that has most of the pairs)", "NAME")
    question: str | None = option("question of a scheme (default: matched by name and answers)", "ID")
