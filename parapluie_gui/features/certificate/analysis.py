"""What scores do with pairs whose answer is known, made by rule; no corpus is needed.

The pairs are made and scored before (`certificate.cases`); this says what came out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from parapluie_gui.analysis.base import Analysis, Block, Need, Remark, Run
from parapluie_gui.analysis.figure import Heading, HeatMap
from parapluie_gui.analysis.link import EditLink, OptionsLink
from parapluie_gui.analysis.material import CorpusParts, Material
from parapluie_gui.analysis.options import score
from parapluie_gui.analysis.plain import plain
from parapluie_gui.analysis.score_column import ScoreColumn, Tick
from parapluie_gui.analysis.table import Cell, Table, cell_text, number
from parapluie_gui.features.certificate.behaviours import BEHAVIOURS, BY_KEY
from parapluie_gui.features.certificate.cases import Suite
from parapluie_gui.features.certificate.certificate import BehaviourRow, Certificate, certify
from parapluie_gui.options import choice, integer
from parapluie_gui.scores.signature import Signature

#: What tables of several scores show: the shares ranked wrong, which need no threshold, or the failures.
Measure = Literal["ranked", "failed"]

NO_THRESHOLD = "no threshold"

MEASURES: dict[Measure, str] = {
    "ranked": "share of pairs ranked wrong",
    "failed": "share of failures",
}


@dataclass(frozen=True, eq=False)
class SuiteMaterial(Material):
    """The scores of pairs that were made by rule."""

    suite: Suite | None = None

    @classmethod
    def of(
        cls,
        suite: Suite,
        scores: Sequence[ScoreColumn],
        signatures: Mapping[str, Signature],
        given: Mapping[str, float] | None = None,
    ) -> SuiteMaterial:
        """Return the scores of a suite as the certificate needs them; `given` are thresholds, by score."""
        corpus_parts = CorpusParts.of_corpus(suite.corpus)
        return cls(
            corpus_parts,
            tuple(scores),
            suite.corpus.labels,
            corpus_parts.parts,
            given=given or {},
            signatures=signatures,
            y=scores[0].name if scores else "",
            suite=suite,
        )


_MADE = Need(
    lambda material: isinstance(material, SuiteMaterial),
    "The pairs are made for this. Press Certify.",
    "",
    "The pairs are made for this. Use `parapluie certify`, or certify() in Python.",
)


@dataclass(frozen=True)
class Options:
    """Which pairs are made, and what is shown."""

    # The default is enough for an interval of ten points, and soon done.
    pairs: int = integer("&Pairs", 100, 100_000, 1000, "about how many pairs are made")
    seed: int = integer("S&eed", 0, 2**31 - 1, 0, "seed of the choice of sentences")
    measure: str = choice(
        "&Heat map of",
        {"ranked": "ranked wrong (no threshold needed)", "failed": "failures at the threshold"},
        "what several scores are compared by: ranked wrong, or failed at the threshold",
        default="ranked",
        only_shown=True,
    )
    score: str = score("&Rows of", "the score whose rows are shown", only_shown=True, flag="")
    behaviour: str = choice(
        "&Worst pairs of",
        {each.key: each.title for each in BEHAVIOURS},
        "the behaviour whose worst pairs are shown",
        only_shown=True,
        flag="",
    )

    @property
    def compared_by(self) -> Measure:
        """The measure of the heat map."""
        return "failed" if self.measure == "failed" else "ranked"


class Certifying(Analysis[Options, tuple[Certificate, ...]]):
    """A cell or a row clicked shows its worst pairs; one of those opens in the Bench."""

    name = "certificate"
    title = "Certificate"
    group = "Judges"
    about = (
        "What scores do with pairs whose answer is known, made by rule from sentences that no training uses: a "
        "sentence beside itself, negated, with another name, in capitals, in other words. No corpus is needed."
    )
    manual = "certificate"
    needs = (_MADE,)
    options = Options
    in_analyse = False
    in_report = False
    standalone = True

    def compute(self, material: Material, options: Options, tick: Tick) -> tuple[Certificate, ...]:
        assert isinstance(material, SuiteMaterial) and material.suite is not None
        found = []
        for done, each in enumerate(material.score_columns):
            tick(done, len(material.score_columns))
            found.append(certify(material.suite, each, material.given.get(each.name)))
        return tuple(found)

    def finding(self, run: Run[Options, tuple[Certificate, ...]]) -> str:
        measure = run.options.compared_by
        rows = [(share(each, row.behaviour, measure), each, row) for each in run.result for row in each.rows]
        rows = [one for one in rows if one[0] > 0]
        if not rows:
            return ""
        _, found, row = max(rows, key=lambda one: one[0])
        what = "Ranked wrong most often" if measure == "ranked" else "Most failures"
        words = _share_words(found, row.behaviour, measure)
        return f"{what}: “{BY_KEY[row.behaviour].title}” by {found.title}, {words}."

    def blocks(self, run: Run[Options, tuple[Certificate, ...]]) -> Sequence[Block]:
        found = next((each for each in run.result if each.name == run.options.score), None)
        if found is None:
            return ()
        measure = run.options.compared_by
        row = found.row(run.options.behaviour) or found.rows[0]
        about = suite_words(run)
        return (
            certificate_map(run.result, measure, about),
            certificate_table(found, about),
            worst_table(found, row),
            side_by_side(run.result, measure, about),
            Remark(
                "These pairs are made by rule. Whether a score tells a free paraphrase from a trap of the same words "
                "is shown by Two meanings (File, Open Two meanings), on the page of that name."
            ),
        )

    def tables(self, run: Run[Options, tuple[Certificate, ...]]) -> list[Table]:
        """Return the rows of every score, and all scores side by side where there are several."""
        measure = run.options.compared_by
        tables = [table for each in run.result for table in self.of_score(each, suite_words(run))]
        return tables if len(run.result) < 2 else [*tables, side_by_side(run.result, measure, suite_words(run))]

    def of_score(self, found: Certificate, about: str) -> list[Table]:
        """Return the tables of one score, whose names no other score's have."""
        return [replace(certificate_table(found, about), name=f"certificate-{found.name}")]

    def details(self, run: Run[Options, tuple[Certificate, ...]]) -> dict[str, object]:
        """Return which pairs were made, and all counts and the worst pairs of each row of each score."""
        return {"cases": suite_words(run), "certificates": {each.name: plain(each) for each in run.result}}


class WorstToo(Certifying):
    """The certificates with the worst pairs of each row as tables."""

    def of_score(self, found: Certificate, about: str) -> list[Table]:
        worst = [(row.behaviour, worst_table(found, row)) for row in found.rows if row.worst]
        named = [replace(table, name=f"certificate-{found.name}-worst-{key}") for key, table in worst]
        return [*super().of_score(found, about), *named]


def suite_words(run: Run[Options, tuple[Certificate, ...]]) -> str:
    """Return in words over which pairs it was."""
    assert isinstance(run.material, SuiteMaterial)
    return str(run.material.suite)


def certificate_table(found: Certificate, about: str = "") -> Table:
    """Return the rows of one certificate; `about` says over which pairs."""
    return Table(
        "certificate",
        f"Certificate of {found.title}, {threshold_words(found)}",
        ("", "behaviour", "cases", "failures", "share", "mean change", "ranked", "ranked wrong"),
        tuple(_cells(row) for row in found.rows),
        " ".join(filter(None, [_note(found), _sentence(about)])),
        scores=(found.name,),
        link=lambda row, column: OptionsLink({"behaviour": found.rows[row].behaviour}),
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
        " ".join(filter(None, [note, _sentence(about)])),
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
        {(each.name, key): _share_words(each, key, measure) for each in found for key in keys},
        note=f"{MEASURES[measure].capitalize()}, of how many, with Wilson's 95 % interval. {about}.",
        cell=150,
        link=lambda name, key: OptionsLink({"score": name, "behaviour": key}),
    )


def worst_table(found: Certificate, row: BehaviourRow) -> Table:
    """Return the worst pairs of a row."""
    return Table(
        f"certificate-worst-{row.behaviour}",
        f"Worst pairs of {found.title}: {BY_KEY[row.behaviour].title}",
        ("score", "change", "", "source", "hypothesis"),
        tuple(
            (each.score, each.change, "wrong" if each.failed else "right", each.source, each.hypothesis)
            for each in row.worst
        ),
        scores=(found.name,),
        link=lambda at, column: EditLink(row.worst[at].source, row.worst[at].hypothesis),
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


def _share_words(found: Certificate, behaviour: str, measure: Measure) -> str:
    """Return a share with how many it is of, and its interval: "31 % of 62 [21–43]"; "" where there is none."""
    row = found.row(behaviour)
    if row is None or math.isnan(share(found, behaviour, measure)):
        return ""
    part, count = (row.failed, row.cases) if measure == "failed" else (row.ranked_wrong, row.compared)
    value, low, high = (f"{100 * each:.0f}" for each in (part.value, part.low, part.high))
    return f"{value} % of {count:,} [{low}–{high}]"


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


def _cells(row: BehaviourRow) -> tuple[Cell, ...]:
    behaviour = BY_KEY[row.behaviour]
    failures: Cell = NO_THRESHOLD if row.failures is None else row.failures
    share_failed: Cell = None if row.failures is None else row.failed
    ranked = row.compared or None
    return (behaviour.group, behaviour.title, row.cases, failures, share_failed, row.change, ranked, _wrong(row))


def _wrong(row: BehaviourRow) -> Cell:
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
        "than a pair of the same; for the sentence beside itself: it scored lower than its own rewording; for more and "
        f"more changes: the score rose, as for failures. Intervals are Wilson's at 95 %.{direction}"
    )


def _sentence(about: str) -> str:
    return f"{about[:1].upper()}{about[1:]}." if about else ""
