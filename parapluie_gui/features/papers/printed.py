"""The printed numbers of the papers: every table cell with paper, table and row, read from `resources/papers`.

A file has `title`, `paper`, the `templates` and `metrics` that its rows are computed from, optionally `authors_column`,
the title of the column with the authors' own numbers, and

- `corpora`, by key: `title`; `names`, a pattern for the folder and name of its files; `absent`, why it is unavailable;
  `differs`, why the available corpus is not the paper's; `mix`, the corpora it is mixed from; `extends`, the corpus
  to which sources are added; `pair`, its only pair;
- `rows`, by the paper's name: `score`, a metric's column; `template` of a judge; `predictions`, columns of the file
  (`*` for several runs); `of`, the two columns of a correlation; `tuned` or `similarity` of ParaScore; `model`, that
  of the paper; `code`, the lexical metric that the authors' code computes in another way; `differs`, why a different
  number is expected;
- `table`: `number`, `title`, `corpora`, optionally a `note`, and `cells`: a line for each row and quantity, with the
  number printed for each corpus, "-" for none; `tool` has the numbers that the authors' own tool gives, in the same
  form; `why` explains for single cells ("CORPUS | ROW") why our number differs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import nan
from typing import Any

from parapluie_gui import places
from parapluie_gui.own_files import read_toml

#: The papers by the names of their files.
PAPERS = ("parapluie", "paraphrasus", "parascore", "pem")


@dataclass(frozen=True)
class PrintedCorpus:
    """A corpus of a paper; see the module docstring."""

    key: str
    title: str = ""
    names: str = ""
    absent: str = ""
    differs: str = ""
    mix: tuple[str, ...] = ()
    extends: str = ""
    pair: tuple[str, ...] = ()

    def is_called(self, name: str) -> bool:
        """Return whether a file or corpus with this name holds it."""
        return bool(self.names) and re.search(self.names, name) is not None


@dataclass(frozen=True)
class PrintedRow:
    """The scores or columns that a row of a paper's tables is computed from; see the module docstring."""

    title: str
    score: str = ""
    template: str = ""
    predictions: str = ""
    of: tuple[str, ...] = ()
    least: Mapping[str, float] = field(default_factory=dict)
    tuned: str = ""
    similarity: bool = False
    model: str = ""
    code: str = ""
    differs: str = ""


@dataclass(frozen=True)
class PrintedCell:
    """One printed number.

    Attributes:
        table, corpus, row, quantity: Its place in the paper.
        text: The number as printed ("0.70").
        why: Why our number differs; "" for no reason.
        tool: The number that the authors' own tool gives, as text; "" if unknown.
    """

    table: str
    corpus: PrintedCorpus
    row: PrintedRow
    quantity: str
    text: str
    why: str = ""
    tool: str = ""

    @property
    def value(self) -> float:
        """The printed number."""
        return float(self.text)

    @property
    def digits(self) -> int:
        """Number of decimal places printed."""
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
    """One paper.

    Attributes:
        key: Name of its file.
        title: Short title.
        paper: Authors and venue.
        templates, metrics: Templates and metrics that its rows are computed from.
        corpora: Its corpora by key.
        tables: Its tables.
        authors_column: Title of the column with the authors' own numbers; "" if there are none.
    """

    key: str
    title: str
    paper: str
    templates: tuple[str, ...]
    metrics: tuple[str, ...]
    corpora: Mapping[str, PrintedCorpus]
    tables: tuple[PrintedTable, ...]
    authors_column: str = ""

    @property
    def cells(self) -> Iterator[PrintedCell]:
        """All printed numbers."""
        return (cell for table in self.tables for cell in table.cells)


@cache
def printed_paper(key: str) -> PrintedPaper:
    """Return the printed tables of a paper of `PAPERS`."""
    data = read_toml(places.resources() / "papers" / f"{key}.toml")
    corpora = {name: _corpus(name, entry) for name, entry in data["corpora"].items()}
    rows = {name: _row(name, entry) for name, entry in data["rows"].items()}
    tables = tuple(_table(entry, corpora, rows) for entry in data["table"])
    lists = (tuple(data["templates"]), tuple(data["metrics"]))
    return PrintedPaper(
        key, data["title"], data["paper"], *lists, corpora, tables, authors_column=data.get("authors_column", "")
    )


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
    tool = {cell[:3]: cell[3] for cell in _numbers(data.get("tool", ""), data["corpora"])}
    for row, quantity, key, text in _numbers(data["cells"], data["corpora"]):
        reason = why.get(f"{key} | {row}", "")
        own = tool.get((row, quantity, key), "")
        cells.append(PrintedCell(number, corpora[key], rows[row], quantity, text, reason, own))
    return PrintedTable(number, data["title"], data.get("note", "").strip(), tuple(cells))


def _numbers(lines: str, corpora: Sequence[str]) -> Iterator[tuple[str, str, str, str]]:
    """Yield row, quantity, key of the corpus and number of each cell in the lines of a table."""
    for line in lines.strip().splitlines():
        row, quantity, texts = (part.strip() for part in line.split("|"))
        for key, text in zip(corpora, texts.split(), strict=True):
            if text != "-":
                yield row, quantity, key, text


@dataclass(frozen=True)
class ReplicatedCell:
    """A printed number and ours.

    Attributes:
        printed: The cell of the paper.
        ours: The number computed now; NaN if it cannot be computed.
        why: Reason for a difference or a missing number; "" for no reason.
        by: Template and model of our number if they differ from the paper's ("DIRECT · SmolLM2").
        authors: The number that the authors' own tool or code gives; NaN if unknown.
    """

    printed: PrintedCell
    ours: float = nan
    why: str = ""
    by: str = ""
    authors: float = nan

    @property
    def is_computed(self) -> bool:
        """Whether our number was computed."""
        return self.ours == self.ours

    @property
    def difference(self) -> float:
        """Our number minus the printed one; NaN without our number."""
        return self.ours - self.printed.value

    @property
    def equal(self) -> bool:
        """Whether our number, rounded as in print, equals the printed one."""
        return self._equals(self.printed.value, self.ours)

    @property
    def authors_known(self) -> bool:
        """Whether the authors' own tool or code gives a number."""
        return self.authors == self.authors

    @property
    def equals_authors(self) -> bool:
        """Whether our number, rounded as in print, equals that of the authors' own tool or code."""
        return self.authors_known and self._equals(round(self.authors, self.printed.digits), self.ours)

    @property
    def authors_equal(self) -> bool:
        """Whether the number of the authors' own tool or code, rounded as in print, equals the printed one."""
        return self._equals(self.printed.value, self.authors)

    def _equals(self, wanted: float, number: float) -> bool:
        return number == number and abs(round(number, self.printed.digits) - wanted) < 1e-9


def grouped_absences(cells: Sequence[ReplicatedCell]) -> list[tuple[str, str, str, int, str]]:
    """Group the cells without a number of ours by corpus and reason: (tables, corpus, rows, number of cells, why)."""
    groups: dict[tuple[str, str], list[PrintedCell]] = {}
    for cell in cells:
        if not cell.is_computed:
            groups.setdefault((cell.printed.corpus.title, cell.why), []).append(cell.printed)
    result = []
    for (corpus, why), members in groups.items():
        tables = ", ".join(dict.fromkeys(member.table for member in members))
        rows = list(dict.fromkeys(member.row.title for member in members))
        shown = ", ".join(rows[:4]) + (f" and {len(rows) - 4} more" if len(rows) > 4 else "")
        result.append((tables, corpus, shown, len(members), why))
    return result
