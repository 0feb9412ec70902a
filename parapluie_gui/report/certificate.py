"""The tables and the heat map of certificates: rows, scores side by side, the worst pairs; and Markdown for cards."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from parapluie_gui.analysis.certificate.behaviours import BEHAVIOURS, BY_KEY
from parapluie_gui.analysis.certificate.certificate import Certificate, Row
from parapluie_gui.analysis.figure import Heading, HeatMap
from parapluie_gui.analysis.table import Cell, Table, cell_text, number

#: What tables of several scores show: the shares ranked wrong, which need no threshold, or the failures.
Measure = Literal["ranked", "failed"]

NO_THRESHOLD = "no threshold"

MEASURES: dict[Measure, str] = {
    "ranked": "share of pairs ranked wrong",
    "failed": "share of failures",
}


def certificate_grid(found: Certificate, about: str = "") -> Table:
    """Return the rows of one certificate; `about` says over which pairs."""
    return Table(
        "certificate",
        f"Certificate of {found.title}, {threshold_words(found)}",
        ("", "behaviour", "cases", "failures", "share", "mean change", "ranked", "ranked wrong"),
        tuple(_cells(row) for row in found.rows),
        " ".join(filter(None, [_note(found), f"{about[:1].upper()}{about[1:]}." if about else ""])),
    )


def side_by_side(found: Sequence[Certificate], measure: Measure = "ranked", about: str = "") -> Table:
    """Return one share of every behaviour for several scores."""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (behaviour.group, behaviour.title, *(share(each, behaviour.key, measure) for each in found))
        for behaviour in BEHAVIOURS
        if any(not math.isnan(share(each, behaviour.key, measure)) for each in found)
    )
    lacking = [each.title for each in found if each.threshold is None]
    note = f"No threshold: {', '.join(lacking)}." if lacking and measure == "failed" else ""
    return Table(
        f"certificates-{measure}",
        f"Certificates side by side: {MEASURES[measure]}",
        ("", "behaviour", *(each.title for each in found)),
        rows,
        " ".join(filter(None, [note, f"{about[:1].upper()}{about[1:]}." if about else ""])),
    )


def certificate_map(found: Sequence[Certificate], measure: Measure, about: str = "") -> HeatMap:
    """Return the behaviours of which at least one score has a number; `about` says over which pairs."""
    lines: list[Heading | str] = []
    for behaviour in BEHAVIOURS:
        if all(math.isnan(share(each, behaviour.key, measure)) for each in found):
            continue
        if behaviour.group not in lines:
            lines.append(behaviour.group)
        lines.append(Heading(behaviour.key, behaviour.title))
    keys = [line.key for line in lines if isinstance(line, Heading)]
    return HeatMap(
        "certificates",
        "Certificates side by side",
        tuple(Heading(each.name, each.title) for each in found),
        tuple(lines),
        {(each.name, key): share(each, key, measure) for each in found for key in keys},
        note=f"{MEASURES[measure].capitalize()}. {about}.",
    )


def worst_grid(found: Certificate, row: Row) -> Table:
    """Return the worst pairs of a row."""
    return Table(
        f"certificate-worst-{row.behaviour}",
        f"Worst pairs of {found.title}: {BY_KEY[row.behaviour].title}",
        ("score", "change", "", "source", "hypothesis"),
        tuple(
            (each.score, each.change, "wrong" if each.failed else "right", each.source, each.hypothesis)
            for each in row.worst
        ),
    )


def share(found: Certificate, behaviour: str, measure: Measure) -> float:
    """Return a share of one behaviour, 0 to 1; NaN where the score has none."""
    row = found.row(behaviour)
    if row is None:
        return math.nan
    if measure == "failed":
        # Without a threshold only "must be lower" is left of some rows; beside others it would look like a success.
        return row.failed.value if found.threshold is not None else math.nan
    return row.ranked_wrong.value


def threshold_words(found: Certificate) -> str:
    """Return in words which threshold a certificate uses."""
    if found.threshold is None:
        return NO_THRESHOLD
    return f"threshold {number(found.threshold, 3)} ({'given' if found.given else 'natural'})"


def markdown(found: Certificate, about: str) -> str:
    """Return the rows as a table for a model card, with how to read it."""
    head = ["behaviour", "cases", "failures", "share", "share ranked wrong"]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for row in found.rows:
        failures = NO_THRESHOLD if row.failures is None else f"{row.failures:,}"
        cells = [BY_KEY[row.behaviour].title, f"{row.cases:,}", failures, *map(cell_text, (row.failed, _wrong(row)))]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, "", f"{about[:1].upper()}{about[1:]}; {threshold_words(found)}. {_note(found)}"])


def _cells(row: Row) -> tuple[Cell, ...]:
    behaviour = BY_KEY[row.behaviour]
    failures: Cell = NO_THRESHOLD if row.failures is None else row.failures
    share_failed: Cell = None if row.failures is None else row.failed
    ranked = row.compared or None
    return (behaviour.group, behaviour.title, row.cases, failures, share_failed, row.change, ranked, _wrong(row))


def _wrong(row: Row) -> Cell:
    return row.ranked_wrong if row.compared else None


def _note(found: Certificate) -> str:
    if found.threshold is None:
        failures = "Failures without a threshold: the changed pair scores no lower than the sentence beside itself."
    else:
        failures = (
            "Failures: a pair on the wrong side of the threshold, or a changed pair that scores no lower than the "
            "sentence beside itself; what is added or lost only has to score lower."
        )
    direction = "" if found.higher_is_closer else " Lower scores are closer."
    return (
        f"{failures} Ranked wrong, without any threshold: of one sentence, a pair of another meaning scored no lower "
        f"than a pair of the same. Intervals are Wilson's at 95 %.{direction}"
    )
