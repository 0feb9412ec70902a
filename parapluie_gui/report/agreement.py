"""Tables of how raters agree: the people among themselves, and everybody with everybody."""

from __future__ import annotations

from math import isnan

from parapluie_gui.analysis.protocols.raters import KAPPA, PEARSON, RaterStudy
from parapluie_gui.analysis.statistics.agreement import Agreement
from parapluie_gui.analysis.table import Cell, Table

_TITLES = {KAPPA: "Cohen's κ", "share": "Share of equal answers", PEARSON: "Pearson's r"}


def people_grid(study: RaterStudy) -> Table:
    """Return the agreement of the people; without rows where fewer than two people answered."""
    kinds = [("answers as given", study.people), ("paraphrase or not", study.labels)]
    there = [(name, found) for name, found in kinds if found is not None]
    columns = [_measures(found) for _, found in there]
    rows = tuple((name, *(column[name] for column in columns)) for name in (columns[0] if columns else ()))
    return Table(
        "agreement",
        f"Agreement of the annotators on “{study.question}”",
        ("", *(name for name, _ in there)),
        rows,
        "Pairs are those that two annotators or more answered; Fleiss' κ is of those that all answered. In brackets: "
        "95 % bootstrap intervals over pairs. A dash: not defined, such as where everybody gave one same answer.",
    )


def matrix_grid(study: RaterStudy, measure: str = KAPPA) -> Table:
    """Return how every two raters agree, as in figure 3 of PARAPHRASUS (κ) and table 1 of PEM (Pearson's r)."""
    names = [rater.name for rater in study.raters]
    rows = []
    for one, rater in enumerate(study.raters):
        cells: list[Cell] = [rater.name]
        for two in range(len(names)):
            cells.append(None if one == two else study.cell(one, two, measure).value)
        rows.append(tuple(cells))
    notes = "; ".join(rater.note for rater in study.raters if rater.note)
    note = f"A score says paraphrase where {notes}." if notes and measure != PEARSON else ""
    return Table("raters", f"{_TITLES[measure]} of every two raters", ("", *names), tuple(rows), note)


def counts_grid(study: RaterStudy) -> Table:
    """Return each rater's answers in numbers: pairs, paraphrases, not paraphrases."""
    rows: list[tuple[Cell, ...]] = []
    for rater in study.raters:
        said = rater.labels[study.where]
        positive, negative = int((said == 1).sum()), int((said == 0).sum())
        share = positive / (positive + negative) if positive + negative else float("nan")
        given = int((rater.answers[study.where] >= 0).sum()) if rater.answers is not None else positive + negative
        rows.append((rater.name, given, positive, negative, None if isnan(share) else share))
    return Table(
        "rater counts",
        "What each rater said",
        ("rater", "pairs", "paraphrase", "not a paraphrase", "share of paraphrases"),
        tuple(rows),
    )


def pairs_grid(study: RaterStudy) -> Table:
    """Return every two raters with all measures and their intervals, those first that agree least."""
    names = [rater.name for rater in study.raters]
    rows: list[tuple[Cell, ...]] = []
    for one, two in rater_pairs(study):
        found = study.matrix[one, two]
        rows.append((names[one], names[two], found.items, found.share, found.kappa, study.pearson[one, two]))
    return Table(
        "rater pairs",
        "Every two raters, those first that agree least",
        ("rater", "rater", "pairs", "equal answers", "Cohen's κ", "Pearson's r"),
        tuple(rows),
        "κ and equal answers are of paraphrase or not; between two people whose answers do not say that, of the "
        "answers. Pearson's r is of answers' places on their scale, labels and scores (distances negated).",
    )


def rater_pairs(study: RaterStudy) -> list[tuple[int, int]]:
    """Return the places of every two raters in the order of `pairs_grid`."""

    def key(places: tuple[int, int]) -> float:
        kappa = study.matrix[places].kappa.value
        return float("inf") if isnan(kappa) else kappa

    return sorted(study.matrix, key=key)


def agreement_grids(study: RaterStudy, measure: str = KAPPA) -> list[Table]:
    """Return all tables of a study that have rows."""
    grids = [people_grid(study), matrix_grid(study, measure), pairs_grid(study), counts_grid(study)]
    return [grid for grid in grids if len(grid)]


def _measures(found: Agreement) -> dict[str, Cell]:
    return {
        "annotators": found.raters,
        "pairs": found.items,
        "answered by all": found.complete,
        "equal answers": found.share,
        "Cohen's κ, mean of every two": found.kappa,
        "Fleiss' κ": found.fleiss,
        "Krippendorff's α, nominal": found.nominal,
        "Krippendorff's α, ordinal": found.ordinal,
    }
