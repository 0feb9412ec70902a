"""The papers' printed tables cell by cell: ours, computed now from what is available, and theirs, with notes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from parapluie_gui.analysis.base import Analysis, Block, Remark, Run
from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.table import Cell, Table
from parapluie_gui.features.papers import replicated_parapluie, replicated_parascore, replicated_pem
from parapluie_gui.features.papers.paraphrasus import (
    GROUPS,
    BenchmarkTask,
    Method,
    MethodErrors,
    paraphrasus,
    prediction_method,
    score_method,
    tasks,
)
from parapluie_gui.features.papers.printed import (
    PAPERS,
    PrintedCell,
    PrintedRow,
    PrintedTable,
    ReplicatedCell,
    grouped_absences,
    printed_paper,
)
from parapluie_gui.features.papers.replicated_cells import Replicating
from parapluie_gui.options import choice, keys_as_titles, switch


@dataclass(frozen=True)
class Options:
    """Which paper, and whether the equal cells are shown too."""

    paper: str = choice(
        "&Paper",
        lambda material: {name: printed_paper(name).title for name in PAPERS},
        "the paper whose tables are computed (default: that of the pairs)",
        keys=keys_as_titles(PAPERS),
        usual=lambda material: usual_paper(material),
        flag="--paper",
        metavar="PAPER",
    )
    differing: bool = switch("Only what &differs", "leave out the cells that are equal as printed", only_shown=True)


@dataclass(frozen=True)
class Replication:
    """All printed cells of a paper beside ours, in the order of its tables."""

    paper: str
    cells: tuple[ReplicatedCell, ...]

    @property
    def computed(self) -> tuple[ReplicatedCell, ...]:
        """The cells that have a number of ours."""
        return tuple(cell for cell in self.cells if cell.computed)


def usual_paper(material: Material) -> str:
    """Return the paper whose corpora the pairs are; the first where they are none's."""
    if tasks(material.corpus, material.where):
        # MRPC's own file is both ParaPLUIE's corpus and a part of PARAPHRASUS.
        mine = Replicating(material, printed_paper("parapluie"))
        return "parapluie" if mine.there() else "paraphrasus"
    return next((name for name in PAPERS if Replicating(material, printed_paper(name)).there()), PAPERS[0])


class Replicated(Analysis[Options, Replication]):
    """Nothing is stored of what is computed: a cell has a number of ours where the pairs and scores are there now."""

    name = "replicate"
    title = "Printed tables"
    group = "Judges"
    about = "The papers' tables cell by cell: ours, printed, difference, and why not"
    manual = "papers"
    needs = ()
    options = Options
    in_analyse = False
    in_report = False

    def compute(self, material: Material, options: Options, tick: Tick) -> Replication:
        work = Replicating(material, printed_paper(options.paper))
        fill = _FILLED[options.paper](work)
        cells = list(work.paper.cells)
        found: list[ReplicatedCell] = []
        for number, cell in enumerate(cells):
            tick(number, len(cells))
            found += fill(cell) or [ReplicatedCell(cell, why=work.why_not(cell))]
        tick(len(cells), len(cells))
        return Replication(options.paper, tuple(found))

    def blocks(self, run: Run[Options, Replication]) -> Sequence[Block]:
        paper, found = printed_paper(run.options.paper), run.result
        blocks: list[Block] = [Remark(_summary(found), result=True)]
        for table in paper.tables:
            shown = _table(paper.title, table, found.cells, run.options.differing)
            if table.note and (table.number == "model card" or len(shown)):
                blocks.append(Remark(" ".join(table.note.split()), result=table.number == "model card"))
            blocks.append(shown)
        return (*blocks, _absences(found))

    def details(self, run: Run[Options, Replication]) -> dict[str, object]:
        return {"paper": run.options.paper, "cells": list(map(_record, run.result.cells))}


def _table(paper: str, table: PrintedTable, cells: Sequence[ReplicatedCell], differing: bool) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for cell in cells:
        if cell.printed.table != table.number or not cell.computed or (differing and cell.equal):
            continue
        whole = not cell.printed.digits and cell.ours == int(cell.ours)
        ours = int(cell.ours) if whole else cell.ours
        difference: Cell = "equal" if cell.equal else int(cell.difference) if whole else cell.difference
        text = cell.printed.text.replace("-", "−")
        why = "" if cell.equal else cell.why
        row = f"{cell.printed.row.title} ({cell.by})" if cell.by else cell.printed.row.title
        rows.append((cell.printed.corpus.title, row, cell.printed.quantity, ours, text, difference, why))
    number = table.number if table.number == "model card" else f"table {table.number}"
    header = ("corpus", "row", "quantity", "ours", "printed", "difference", "why")
    # Of what is rounded to two digits a third one shows how near ours is; errors in per cent are rounded by rule.
    digits = max((each.digits for each in table.cells), default=0)
    return Table(
        f"printed-{table.number}".replace(" ", "-"),
        f"{paper}, {number}: {table.title}",
        header,
        tuple(rows),
        digits=digits if digits == 1 else max(digits, 3),
    )


def _absences(found: Replication) -> Table:
    return Table(
        "printed-not-computed",
        "What could not be computed",
        ("tables", "corpus", "rows", "cells", "why"),
        tuple(grouped_absences(found.cells)),
    )


def _summary(found: Replication) -> str:
    computed = found.computed
    total = len({id(cell.printed) for cell in found.cells})
    cells = len({id(cell.printed) for cell in computed})
    if not cells:
        return f"Of {total:,} printed cells none can be computed from these pairs and scores."
    equal = sum(cell.equal for cell in computed)
    near = sum(not cell.equal and abs(cell.difference) <= 0.02 * max(1.0, abs(cell.printed.value)) for cell in computed)
    return (
        f"Of {total:,} printed cells {cells:,} are computed here. Equal as printed: {equal:,}; within 0.02 (of a "
        f"number above 1: 2 %): {near:,}; further away: {len(computed) - equal - near:,}."
    )


def _record(cell: ReplicatedCell) -> dict[str, object]:
    printed = cell.printed
    return {
        "table": printed.table,
        "corpus": printed.corpus.title,
        "row": printed.row.title,
        "quantity": printed.quantity,
        "printed": printed.value,
        "ours": cell.ours if cell.computed else None,
        "difference": cell.difference if cell.computed else None,
        "by": cell.by,
        "why": cell.why,
    }


#: Returns the cells of ours for a printed one: several where several judges were asked, none where none can be.
Fill = Callable[[PrintedCell], list[ReplicatedCell]]


def _paraphrasus(work: Replicating) -> Fill:
    """Return how cells of PARAPHRASUS's tables are computed: by predictions of the files, or by judges asked now."""
    corpus, where = work.material.corpus, work.material.where
    found = {task.part.key: task for task in tasks(corpus, where)} if len(corpus) else {}
    known: dict[str, list[tuple[str, MethodErrors]]] = {}
    whole = {each.corpus.key: each.value for each in work.paper.cells if each.quantity == "pairs"}

    def sample(key: str) -> str:
        """Note that only some of a part's pairs are here: this explains more than any note about the whole part."""
        here = len(found[key].rows) if key in found else 0
        return f"{here:,} of {whole[key]:,.0f} pairs" if key in whole and 0 < here < 0.95 * whole[key] else ""

    def methods(row: PrintedRow) -> list[tuple[str, MethodErrors]]:
        made: list[tuple[str, Method]] = []
        if columns := work.prediction_columns(row):
            made.append(("", prediction_method(row.title, corpus, columns)))
        made += [(by, replace(score_method(column), name=column.name)) for column, by in work.columns(row)]
        return [(by, paraphrasus(corpus, [method], where=where).methods[0]) for by, method in made]

    def fill(cell: PrintedCell) -> list[ReplicatedCell]:
        if cell.quantity in ("pairs", "paraphrases"):
            return _size(cell, found)
        if not found:
            return []
        if cell.row.title not in known:
            known[cell.row.title] = methods(cell.row)
        made = []
        for by, each in known[cell.row.title]:
            value, why = _error(cell, each)
            if value is not None:
                reasons = filter(None, (why, sample(cell.corpus.key) or work.why(cell, by)))
                made.append(ReplicatedCell(cell, value, "; ".join(reasons), by))
            elif why:
                made.append(ReplicatedCell(cell, why=why))
        return made

    return fill


def _size(cell: PrintedCell, found: Mapping[str, BenchmarkTask]) -> list[ReplicatedCell]:
    task = found.get(cell.corpus.key)
    if task is None:
        return []
    value = len(task.rows) if cell.quantity == "pairs" else int((task.expected == 1).sum())
    return [ReplicatedCell(cell, value, "" if value == cell.value else cell.corpus.differs)]


def _error(cell: PrintedCell, each: MethodErrors) -> tuple[float | None, str]:
    """Return a method's error in a part, or an average with all its parts; None and why not without one of them."""
    key = cell.corpus.key
    group = next((name for name, title in GROUPS.items() if title == key), None)
    chosen = [each.averages[group]] if group is not None else each.averages.values() if cell.corpus.mix else ()
    if missing := [name for average in chosen for name in average.missing]:
        return None, f"no data: {', '.join(missing)}"
    if group is not None:
        return each.averages[group].error, ""
    if cell.corpus.mix:
        return each.total, ""
    found = each.parts.get(key)
    if found is None:
        return None, ""
    return found.error, f"{found.unscored:,} verdicts are missing" if found.unscored else ""


_FILLED: Mapping[str, Callable[[Replicating], Fill]] = {
    "parapluie": replicated_parapluie.filler,
    "paraphrasus": _paraphrasus,
    "parascore": replicated_parascore.filler,
    "pem": replicated_pem.filler,
}
assert tuple(_FILLED) == PAPERS
