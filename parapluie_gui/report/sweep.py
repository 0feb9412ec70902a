"""The tables and the heat map of a sweep: its forms, the variance by factor, the pairs that hinge on the form."""

from __future__ import annotations

import math
from typing import Literal

from parapluie_gui.analysis.figure import Heading, HeatMap
from parapluie_gui.analysis.statistics.factorial import PAIRS, REST, TOGETHER, Term
from parapluie_gui.analysis.sweep import Form, Sweep
from parapluie_gui.analysis.table import Cell, Table, number

#: What the cells of the heat map show.
SweepMeasure = Literal["accuracy", "mean", "flips"]

SWEEP_MEASURES: dict[SweepMeasure, str] = {
    "accuracy": "share of labelled pairs judged right",
    "mean": "mean score",
    "flips": "share of pairs whose verdict is not that of most forms",
}

#: Width of a column of the heat map: "hypothesis first" fits above it.
_CELL = 112


def forms_grid(found: Sweep) -> Table:
    """Return a row for each form of the question."""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (*each.levels, each.accuracy, each.mean, each.flips) for each in found.forms
    )
    return Table(
        "sweep",
        f"{len(found.forms)} forms of one question, {_pairs(found)}",
        (*found.factors, "accuracy", "mean score", "flips"),
        rows,
        f"accuracy: {SWEEP_MEASURES['accuracy']}, at a score of 0 ({found.labelled:,} have a label). flips: "
        f"{SWEEP_MEASURES['flips']}.",
    )


def variance_grid(found: Sweep) -> Table:
    """Return what the differences between scores, and between the forms' accuracies, go with."""
    accuracy = {term.name: term for term in found.of_accuracy}
    return Table(
        "sweep-variance",
        f"What the variance of the scores goes with, {_pairs(found)}",
        ("term", "degrees of freedom", "η² of scores", "η² of accuracy"),
        tuple(_term(term, accuracy) for term in found.of_scores),
        f"Full factorial analysis of variance. {PAIRS}: how much pairs differ in every form. {PAIRS} × factor: how "
        f"differently the factor acts on different pairs. {TOGETHER}: interactions of the factors; {REST}: all others.",
    )


def hinges_grid(found: Sweep) -> Table:
    """Return the pairs that hinge on the form, the most divided first."""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            each.minority,
            each.lowest,
            each.highest,
            f"{each.factor}: {each.low_level} < {each.high_level}",
            {1: "paraphrase", 0: "not a paraphrase"}.get(each.label if each.label is not None else -1, ""),
            each.source,
            each.hypothesis,
        )
        for each in found.hinges
    )
    count = f"{found.hinging:,} of {found.pairs:,} pairs do not have the same verdict in every form"
    return Table(
        "sweep-hinges",
        "Pairs that hinge on the form of the question",
        ("minority", "lowest", "highest", "moved most by", "label", "source", "hypothesis"),
        rows,
        f"{count}. minority: share of the forms that say the other thing. moved most by: the factor with the largest "
        "differences between its levels for this pair.",
    )


def sweep_map(found: Sweep, measure: SweepMeasure, about: str = "") -> HeatMap:
    """Return the heat map: wordings with their numbers of examples down, answers with their orders across.

    `about` says over which pairs.
    """
    wordings, answers, orders, counts = found.levels
    values = {each.levels: _value(each, measure) for each in found.forms}
    known = [value for value in values.values() if not math.isnan(value)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    across = {_key(answer, order): (answer, order) for answer in answers for order in orders}
    down = {_key(wording, count): (wording, count) for wording in wordings for count in counts}
    places = {(column, line): values[w, a, o, e] for column, (a, o) in across.items() for line, (w, e) in down.items()}
    columns = tuple(
        Heading(key, f"{answer} {order}" if len(orders) > 1 else answer) for key, (answer, order) in across.items()
    )
    lines = tuple(Heading(key, _line(*each) if len(counts) > 1 else each[0]) for key, each in down.items())
    texts = {place: _text(value, measure) for place, value in places.items() if not math.isnan(value)}
    shades = {place: _shade(value, low, high, measure) for place, value in places.items()}
    note = f"{SWEEP_MEASURES[measure].capitalize()}. {about}."
    return HeatMap("forms", "Forms of one question", columns, lines, shades, texts, note, _CELL)


def form_at(found: Sweep, column: str, line: str) -> int:
    """Return the place among the forms of a cell of the heat map, by the keys of its column and line."""
    levels = (form.levels for form in found.forms)
    keys = [(_key(answer, order), _key(wording, count)) for wording, answer, order, count in levels]
    return keys.index((column, line))


def _key(one: str, other: str) -> str:
    return f"{one}|{other}"


def _line(wording: str, count: str) -> str:
    return f"{wording}, 1 example" if count == "1" else f"{wording}, {count} examples"


def _value(form: Form, measure: SweepMeasure) -> float:
    return {"accuracy": form.accuracy, "mean": form.mean, "flips": form.flips}[measure]


def _shade(value: float, low: float, high: float, measure: SweepMeasure) -> float:
    """Return how dark a cell is: the lowest accuracy, the highest mean and the most flips are darkest."""
    if math.isnan(value):
        return math.nan
    shade = (value - low) / (high - low) if high > low else 0.0
    return 1 - shade if measure == "accuracy" and high > low else shade


def _text(value: float, measure: SweepMeasure) -> str:
    return number(value, 2) if measure == "mean" else f"{100 * value:.1f} %"


def _term(term: Term, accuracy: dict[str, Term]) -> tuple[Cell, ...]:
    other = accuracy.get(term.name)
    return (term.name, term.degrees, term.share, None if other is None else other.share)


def _pairs(found: Sweep) -> str:
    return "1 pair" if found.pairs == 1 else f"{found.pairs:,} pairs"
