"""Tables of what methods get wrong together, of errors by language, and of verdicts by human score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from parapluie_gui.analysis.protocols.paraphrasus import PART_KEYS, PartError
from parapluie_gui.analysis.statistics.grades import Grade
from parapluie_gui.analysis.statistics.shared_errors import SharedErrors
from parapluie_gui.analysis.table import Cell, Table, number
from parapluie_gui.report.evaluation import SHARED, SHARED_NOTE, shared_cells

#: Methods that a title names, at most.
_NAMED = 8

#: Errors of each method, by language and part.
ByLanguage = Mapping[str, Mapping[str, Mapping[str, PartError]]]


def shared_parts_grid(found: Mapping[str, SharedErrors], methods: Sequence[str]) -> Table:
    """Return what all methods get wrong in each part of PARAPHRASUS, and in all of them; no rows for one method."""
    keys = [key for key in PART_KEYS if key in found and found[key].pairs]
    total = sum((found[key] for key in keys), SharedErrors())
    rows: list[tuple[Cell, ...]] = [(key, *shared_cells(found[key])) for key in keys]
    if len(keys) > 1:
        rows.append(("all", *shared_cells(total)))
    named = ", ".join(methods) if len(methods) <= _NAMED else f"{len(methods)} methods"
    return Table(
        "shared-errors",
        f"Wrong together: {named}",
        ("part", *SHARED),
        tuple(rows) if len(methods) > 1 else (),
        SHARED_NOTE,
    )


def languages_grid(found: ByLanguage) -> Table:
    """Return the error of each method in each language and part; no rows where there are not two languages."""
    codes = list(dict.fromkeys(code for errors in found.values() for code in errors))
    there = {key for errors in found.values() for parts in errors.values() for key in parts}
    keys = [key for key in PART_KEYS if key in there]
    rows: list[tuple[Cell, ...]] = [
        (method, code, *(errors[code][key].error if key in errors.get(code, {}) else None for key in keys))
        for method, errors in found.items()
        for code in codes
    ]
    return Table(
        "paraphrasus-languages",
        "PARAPHRASUS by language, wrong verdicts in per cent",
        ("method", "language", *keys),
        tuple(rows) if len(codes) > 1 else (),
    )


def grades_grid(found: Mapping[str, Sequence[Grade]]) -> Table:
    """Return how many pairs each method calls a paraphrase, by human score (PARAPHRASUS, figure 1)."""
    rows: list[tuple[Cell, ...]] = [
        (method, bin_name(each, last=each is bins[-1]), each.pairs, 100 * each.share, *(100 * x for x in each.interval))
        for method, bins in found.items()
        for each in bins
        if each.pairs
    ]
    return Table(
        "grades",
        "Called a paraphrase, by human score, in per cent",
        ("score", "human score", "pairs", "% paraphrase", "low", "high"),
        tuple(rows),
        "Low, high: Wilson's 95 % interval. A bin holds its lower border; the last one holds both.",
    )


def bin_name(grade: Grade, *, last: bool) -> str:
    """Return the borders of a bin as an interval."""
    return f"[{_short(grade.low)}, {_short(grade.high)}{']' if last else ')'}"


def _short(value: float) -> str:
    return f"{value:g}".replace("-", "−") if abs(value) < 1e9 else number(value)
