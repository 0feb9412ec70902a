"""The papers' printed tables cell by cell: our number from the available pairs and scores, and the printed one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan

from parapluie_gui.analysis.base import Analysis, AnalysisRemark, Block, Run
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.table import Cell, Table
from parapluie_gui.features.papers import replicated_parapluie, replicated_parascore, replicated_pem
from parapluie_gui.features.papers.paraphrasus import (
    GROUPS,
    BenchmarkMethod,
    BenchmarkTask,
    MethodErrors,
    find_tasks,
    paraphrasus,
    prediction_method,
    score_method,
)
from parapluie_gui.features.papers.printed import (
    PAPERS,
    PrintedCell,
    PrintedPaper,
    PrintedRow,
    PrintedTable,
    ReplicatedCell,
    grouped_absences,
    printed_paper,
)
from parapluie_gui.features.papers.replicated_cells import PaperMaterial
from parapluie_gui.options import choice, keys_as_titles, switch


@dataclass(frozen=True)
class ReplicationOptions:
    """Options of the analysis: the paper, and whether to leave out equal cells."""

    paper: str = choice(
        "&Paper",
        lambda material: {name: printed_paper(name).title for name in PAPERS},
        "the paper whose tables are computed (default: the paper of the pairs)",
        keys=keys_as_titles(PAPERS),
        usual=lambda material: usual_paper(material),
        flag="--paper",
        metavar="PAPER",
    )
    differing: bool = switch(
        "Only cells that &differ", "leave out cells that equal the printed number", only_shown=True
    )


@dataclass(frozen=True)
class ReplicationResult:
    """All printed cells of a paper with our numbers, in the order of its tables."""

    paper: str
    cells: tuple[ReplicatedCell, ...]

    @property
    def computed_cells(self) -> tuple[ReplicatedCell, ...]:
        """The cells for which there is a number of ours."""
        return tuple(cell for cell in self.cells if cell.is_computed)


def usual_paper(material: AnalysisMaterial) -> str:
    """Return the paper whose corpora the pairs are from; the first of `PAPERS` if no paper matches."""
    if find_tasks(material.corpus, material.where):
        # MRPC's own file is both ParaPLUIE's corpus and a part of PARAPHRASUS.
        mine = PaperMaterial(material, printed_paper("parapluie"))
        return "parapluie" if mine.there() else "paraphrasus"
    return next((name for name in PAPERS if PaperMaterial(material, printed_paper(name)).there()), PAPERS[0])


class PrintedTablesAnalysis(Analysis[ReplicationOptions, ReplicationResult]):
    """Shows a paper's printed cells and ours; a cell has our number if its pairs and scores are available."""

    name = "replicate"
    title = "Printed tables"
    group = "Judges"
    about = "The papers' tables cell by cell: our number, the printed number, the difference and its reason"
    manual = "papers"
    needs = ()
    options = ReplicationOptions
    in_analyse = False
    in_report = False

    def compute(self, material: AnalysisMaterial, options: ReplicationOptions, tick: Tick) -> ReplicationResult:
        work = PaperMaterial(material, printed_paper(options.paper))
        fill = _FILLERS[options.paper](work)
        cells = list(work.paper.cells)
        replicated: list[ReplicatedCell] = []
        for number, cell in enumerate(cells):
            tick(number, len(cells))
            replicated += fill(cell) or [ReplicatedCell(cell, why=work.why_not(cell))]
        tick(len(cells), len(cells))
        return ReplicationResult(options.paper, tuple(replicated))

    def blocks(self, run: Run[ReplicationOptions, ReplicationResult]) -> Sequence[Block]:
        paper, replication = printed_paper(run.options.paper), run.result
        blocks: list[Block] = [AnalysisRemark(_summary(paper, replication), result=True)]
        for table in paper.tables:
            shown = _table(paper, table, replication.cells, run.options.differing)
            if table.note and (table.number == "model card" or len(shown)):
                blocks.append(AnalysisRemark(" ".join(table.note.split()), result=table.number == "model card"))
            blocks.append(shown)
        return (*blocks, _absences(replication))

    def details(self, run: Run[ReplicationOptions, ReplicationResult]) -> dict[str, object]:
        return {"paper": run.options.paper, "cells": list(map(_record, run.result.cells))}


def _table(paper: PrintedPaper, table: PrintedTable, cells: Sequence[ReplicatedCell], differing: bool) -> Table:
    rows: list[tuple[Cell, ...]] = []
    has_authors = any(cell.authors_known for cell in cells if cell.printed.table == table.number)
    for cell in cells:
        if cell.printed.table != table.number or not cell.is_computed or (differing and cell.equal):
            continue
        is_count = not cell.printed.digits and cell.ours == int(cell.ours)
        ours = int(cell.ours) if is_count else cell.ours
        difference: Cell = "equal" if cell.equal else int(cell.difference) if is_count else cell.difference
        text = cell.printed.text.replace("-", "−")
        why = "" if cell.equal else cell.why
        row = f"{cell.printed.row.title} ({cell.by})" if cell.by else cell.printed.row.title
        authors: tuple[Cell, ...] = ()
        if has_authors:
            authors = (cell.authors if cell.authors_known else None,)
        rows.append((cell.printed.corpus.title, row, cell.printed.quantity, ours, *authors, text, difference, why))
    number = table.number if table.number == "model card" else f"table {table.number}"
    own = (paper.authors_column,) if has_authors else ()
    header = ("corpus", "row", "quantity", "ours", *own, "printed", "difference", "why")
    # A third digit shows how close our number is to a number printed with two; percentages are rounded as usual.
    digits = max((cell.digits for cell in table.cells), default=0)
    return Table(
        f"printed-{table.number}".replace(" ", "-"),
        f"{paper.title}, {number}: {table.title}",
        header,
        tuple(rows),
        digits=digits if digits == 1 else max(digits, 3),
    )


def _absences(replication: ReplicationResult) -> Table:
    return Table(
        "printed-not-computed",
        "What could not be computed",
        ("tables", "corpus", "rows", "cells", "why"),
        tuple(grouped_absences(replication.cells)),
    )


def _summary(paper: PrintedPaper, replication: ReplicationResult) -> str:
    computed = replication.computed_cells
    total = len({id(cell.printed) for cell in replication.cells})
    cells = len({id(cell.printed) for cell in computed})
    if not cells:
        return f"None of the {total:,} printed cells can be computed from these pairs and scores."
    equal = sum(cell.equal for cell in computed)
    near = sum(not cell.equal and abs(cell.difference) <= 0.02 * max(1.0, abs(cell.printed.value)) for cell in computed)
    sentence = (
        f"Of {total:,} printed cells, {cells:,} are computed here. Equal to the printed number: {equal:,}; within "
        f"0.02 (2 % for numbers above 1): {near:,}; further away: {len(computed) - equal - near:,}."
    )
    known = [cell for cell in computed if cell.authors_known]
    if not known:
        return sentence
    ours, printed = sum(cell.equals_authors for cell in known), sum(cell.authors_equal for cell in known)
    return (
        f"{sentence} In the {len(known):,} rows with a number under “{paper.authors_column}”, it equals ours in "
        f"{ours:,} and the printed one in {printed:,}."
    )


def _record(cell: ReplicatedCell) -> dict[str, object]:
    printed = cell.printed
    return {
        "table": printed.table,
        "corpus": printed.corpus.title,
        "row": printed.row.title,
        "quantity": printed.quantity,
        "printed": printed.value,
        "ours": cell.ours if cell.is_computed else None,
        "difference": cell.difference if cell.is_computed else None,
        "authors": cell.authors if cell.authors_known else None,
        "by": cell.by,
        "why": cell.why,
    }


#: A function that computes our cells for a printed cell: one for each judge, or an empty list.
Fill = Callable[[PrintedCell], list[ReplicatedCell]]


def _paraphrasus(work: PaperMaterial) -> Fill:
    """Return a function that computes cells of PARAPHRASUS's tables from the files' predictions, or judges' scores."""
    corpus, where = work.material.corpus, work.material.where
    available = {task.part.key: task for task in find_tasks(corpus, where)} if len(corpus) else {}
    known: dict[str, list[tuple[str, MethodErrors]]] = {}
    sizes = {cell.corpus.key: cell.value for cell in work.paper.cells if cell.quantity == "pairs"}

    def sample(key: str) -> str:
        """Return a note if only some of a part's pairs are available; it takes precedence over notes on the part."""
        here = len(available[key].rows) if key in available else 0
        return f"{here:,} of {sizes[key]:,.0f} pairs" if key in sizes and 0 < here < 0.95 * sizes[key] else ""

    def methods(row: PrintedRow) -> list[tuple[str, MethodErrors]]:
        chosen: list[tuple[str, BenchmarkMethod]] = []
        if columns := work.prediction_columns(row):
            chosen.append(("", prediction_method(row.title, corpus, columns)))
        chosen += [(by, replace(score_method(column), name=column.name)) for column, by in work.columns(row)]
        return [(by, paraphrasus(corpus, [method], where=where).methods[0]) for by, method in chosen]

    def fill(cell: PrintedCell) -> list[ReplicatedCell]:
        if cell.quantity in ("pairs", "paraphrases"):
            return _size(cell, available)
        if not available:
            return []
        if cell.row.title not in known:
            known[cell.row.title] = methods(cell.row)
        cells = []
        for by, errors in known[cell.row.title]:
            value, why = _error(cell, errors)
            if value is not None:
                authors = float(cell.tool) if cell.tool and not by else nan
                replicated = ReplicatedCell(cell, value, by=by, authors=authors)
                reasons = (why, sample(cell.corpus.key) or _reason(work, replicated))
                cells.append(replace(replicated, why="; ".join(filter(None, reasons))))
            elif why:
                cells.append(ReplicatedCell(cell, why=why, authors=float(cell.tool) if cell.tool else nan))
        return cells

    return fill


def _reason(work: PaperMaterial, cell: ReplicatedCell) -> str:
    """Explain why our number may differ from the printed one."""
    if cell.equals_authors:
        return "; ".join(filter(None, (cell.printed.why, "the authors' own tool gives our number")))
    return work.why(cell.printed, cell.by)


def _size(cell: PrintedCell, available: Mapping[str, BenchmarkTask]) -> list[ReplicatedCell]:
    task = available.get(cell.corpus.key)
    if task is None:
        return []
    value = len(task.rows) if cell.quantity == "pairs" else int((task.expected == 1).sum())
    return [ReplicatedCell(cell, value, "" if value == cell.value else cell.corpus.differs)]


def _error(cell: PrintedCell, method: MethodErrors) -> tuple[float | None, str]:
    """Return a method's error in a part or average; None and the reason if a part is missing."""
    key = cell.corpus.key
    group = next((name for name, title in GROUPS.items() if title == key), None)
    chosen = [method.averages[group]] if group is not None else method.averages.values() if cell.corpus.mix else ()
    if missing := [name for average in chosen for name in average.missing]:
        return None, f"no data: {', '.join(missing)}"
    if group is not None:
        return method.averages[group].error, ""
    if cell.corpus.mix:
        return method.total, ""
    error = method.parts.get(key)
    if error is None:
        return None, ""
    return error.error, f"{error.unscored:,} verdicts are missing" if error.unscored else ""


_FILLERS: Mapping[str, Callable[[PaperMaterial], Fill]] = {
    "parapluie": replicated_parapluie.make_filler,
    "paraphrasus": _paraphrasus,
    "parascore": replicated_parascore.make_filler,
    "pem": replicated_pem.make_filler,
}
assert tuple(_FILLERS) == PAPERS
