"""What the papers print: every cell of their tables with paper, table and row, read from `resources/papers`.

A file has `title`, `paper`, the `templates` and `metrics` that its rows are computed from, and

- `corpora`: of each by its key `title`; `names`, a pattern of its files' folder and name; `absent`, why nobody has it;
  `differs`, why what is at hand is not the paper's; `mix`, the corpora it is made of; `extends`, the one to which
  sources are added; `pair`, the one pair it consists of;
- `rows`: of each by what the paper calls it the `score` (a metric's column), the `template` of a judge, `predictions`
  (columns of the file, `*` for several runs), the two columns `of` a correlation, `tuned` or `similarity` of ParaScore;
  `model`, that of the paper; `differs`, why another number is expected;
- `table`: `number`, `title`, `corpora`, perhaps a `note`, and `cells`: a line for each row and quantity, with what is
  printed for each corpus, "-" for nothing; `why` says of single cells ("CORPUS | ROW") why ours is another number.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import nan
from typing import Any

from parapluie_gui import places

#: The papers by the names of their files.
PAPERS = ("parapluie", "paraphrasus", "parascore", "pem")


@dataclass(frozen=True)
class PrintedCorpus:
    """A corpus of a paper; see the file's docstring."""

    key: str
    title: str = ""
    names: str = ""
    absent: str = ""
    differs: str = ""
    mix: tuple[str, ...] = ()
    extends: str = ""
    pair: tuple[str, ...] = ()

    def is_called(self, name: str) -> bool:
        """Tell whether a file or corpus of this name holds it."""
        return bool(self.names) and re.search(self.names, name) is not None


@dataclass(frozen=True)
class PrintedRow:
    """What a row of a paper's tables is computed from; see the file's docstring."""

    title: str
    score: str = ""
    template: str = ""
    predictions: str = ""
    of: tuple[str, ...] = ()
    least: Mapping[str, float] = field(default_factory=dict)
    tuned: str = ""
    similarity: bool = False
    model: str = ""
    differs: str = ""


@dataclass(frozen=True)
class PrintedCell:
    """One printed number: of which table, corpus, row and quantity, as it is written ("0.70"), and why ours differs."""

    table: str
    corpus: PrintedCorpus
    row: PrintedRow
    quantity: str
    text: str
    why: str = ""

    @property
    def value(self) -> float:
        """The number."""
        return float(self.text)

    @property
    def digits(self) -> int:
        """Digits behind the point that are printed."""
        return len(self.text.partition(".")[2])


@dataclass(frozen=True)
class PrintedTable:
    """One table of a paper."""

    number: str
    title: str
    note: str
    cells: tuple[PrintedCell, ...]


@dataclass(frozen=True)
class PrintedPaper:
    """One paper: its short title, who published it where, its corpora by key, and its tables."""

    key: str
    title: str
    paper: str
    templates: tuple[str, ...]
    metrics: tuple[str, ...]
    corpora: Mapping[str, PrintedCorpus]
    tables: tuple[PrintedTable, ...]

    @property
    def cells(self) -> Iterator[PrintedCell]:
        """All printed numbers."""
        return (cell for table in self.tables for cell in table.cells)


@cache
def printed_paper(key: str) -> PrintedPaper:
    """Return what a paper of `PAPERS` prints."""
    data = tomllib.loads((places.resources() / "papers" / f"{key}.toml").read_text("utf-8"))
    corpora = {name: _corpus(name, each) for name, each in data["corpora"].items()}
    rows = {name: _row(name, each) for name, each in data["rows"].items()}
    tables = tuple(_table(each, corpora, rows) for each in data["table"])
    lists = (tuple(data["templates"]), tuple(data["metrics"]))
    return PrintedPaper(key, data["title"], data["paper"], *lists, corpora, tables)


def _corpus(key: str, data: Mapping[str, Any]) -> PrintedCorpus:
    words: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}
    return PrintedCorpus(**{"key": key, "title": key, **words})


def _row(title: str, data: Mapping[str, Any]) -> PrintedRow:
    words: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}
    return PrintedRow(title, **words)


def _table(
    data: Mapping[str, Any], corpora: Mapping[str, PrintedCorpus], rows: Mapping[str, PrintedRow]
) -> PrintedTable:
    number, cells, why = str(data["number"]), [], data.get("why", {})
    for line in data["cells"].strip().splitlines():
        row, quantity, texts = (part.strip() for part in line.split("|"))
        for key, text in zip(data["corpora"], texts.split(), strict=True):
            if text != "-":
                reason = why.get(f"{key} | {row}", "")
                cells.append(PrintedCell(number, corpora[key], rows[row], quantity, text, reason))
    return PrintedTable(number, data["title"], data.get("note", "").strip(), tuple(cells))


@dataclass(frozen=True)
class ReplicatedCell:
    """A printed number beside ours.

    Attributes:
        printed: What the paper prints.
        ours: What was computed now; NaN where it could not be.
        why: Why it differs, or why there is none; "" for nothing to say.
        by: What it was computed with, where that is not the paper's ("DIRECT · SmolLM2").
    """

    printed: PrintedCell
    ours: float = nan
    why: str = ""
    by: str = ""

    @property
    def computed(self) -> bool:
        """There is a number of ours."""
        return self.ours == self.ours

    @property
    def difference(self) -> float:
        """Ours minus the printed number; NaN without ours."""
        return self.ours - self.printed.value

    @property
    def equal(self) -> bool:
        """Ours, rounded as the printed number is, is that number."""
        return self.computed and abs(round(self.ours, self.printed.digits) - self.printed.value) < 1e-9


def grouped_absences(cells: Sequence[ReplicatedCell]) -> list[tuple[str, str, str, int, str]]:
    """Return the cells without a number of ours by corpus and reason: tables, corpus, rows, how many cells, why."""
    groups: dict[tuple[str, str], list[PrintedCell]] = {}
    for cell in cells:
        if not cell.computed:
            groups.setdefault((cell.printed.corpus.title, cell.why), []).append(cell.printed)
    found = []
    for (corpus, why), members in groups.items():
        tables = ", ".join(dict.fromkeys(each.table for each in members))
        rows = list(dict.fromkeys(each.row.title for each in members))
        shown = ", ".join(rows[:4]) + (f" and {len(rows) - 4} more" if len(rows) > 4 else "")
        found.append((tables, corpus, shown, len(members), why))
    return found
