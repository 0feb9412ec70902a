"""Passports in Python: `parapluie_gui.passport` and its results, which `parapluie passport` prints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from os import PathLike, fspath
from pathlib import Path

from parapluie_gui.analysis.base import Run, analyse
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.statistics.correlation import DRAWS
from parapluie_gui.analysis.table import Table
from parapluie_gui.api.material import build_material
from parapluie_gui.api.notices import progress as progress_bar
from parapluie_gui.api.scoring import Judge, local_scorer, plan_scoring, try_compute
from parapluie_gui.api.shown import ResultTable
from parapluie_gui.errors import ModelError, ParapluieError, explain_write_errors
from parapluie_gui.features.passport.analysis import (
    JudgedMaterial,
    PassportAnalysis,
    PassportOptions,
    drift_tables,
    passport_table,
)
from parapluie_gui.features.passport.asking import ask_judges, draw_rows, with_reverse
from parapluie_gui.features.passport.facts import JudgeMeasurements
from parapluie_gui.features.passport.passport import (
    Passport,
    PassportDrift,
    compare_passports,
    match_passports,
    read_passports,
    write_passports,
)
from parapluie_gui.features.passport.sheet import sheet_html
from parapluie_gui.files import write_text
from parapluie_gui.pairs import Corpus, read
from parapluie_gui.report.record import record_analyses
from parapluie_gui.scores.identity import identify, without_judge
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.shipped import shipped_corpora
from parapluie_gui.work.local import LocalScorer
from parapluie_gui.work.scoring_plan import ScoringPlan

#: Default number of pairs, which gives an interval of ±7 percentage points around one half.
PAIRS = 200


@dataclass(frozen=True, eq=False, repr=False)
class Passports:
    """The passports of judges. A notebook shows them as tables.

    Attributes:
        run: The run of the analysis; internal, not part of the public interface.
    """

    run: Run[PassportOptions, tuple[Passport, ...]]

    @property
    def passports(self) -> dict[str, Passport]:
        """The passport of each judge and template, by the name of the score."""
        return {passport.name: passport for passport in self.run.result}

    @property
    def tables(self) -> dict[str, ResultTable]:
        """The table of each passport, by the name of the score."""
        lines = self.run.material.signature_lines
        return {
            passport.name: ResultTable(passport_table(passport), lines([passport.name])) for passport in self.run.result
        }

    @property
    def summary(self) -> str:
        """The main findings in sentences."""
        return PassportAnalysis().finding(self.run)

    def record(self) -> dict[str, object]:
        """Return the content of `parapluie passport --json`: dicts, lists, numbers, and None for undefined numbers."""
        return record_analyses([(PassportAnalysis(), self.run)])

    def save(self, path: str | PathLike[str]) -> None:
        """Save the passports to a file, for `compare`.

        Raises:
            ParapluieError: The file cannot be written.
        """
        date = datetime.now().astimezone().isoformat(timespec="seconds")
        write_passports(Path(fspath(path)), self.run.result, date)

    def compare(self, path: str | PathLike[str]) -> tuple[PassportDrift, ...]:
        """Compare with passports saved earlier by `save`.

        Raises:
            ParapluieError: The file has no passport of these judges.
        """
        matched = match_passports(read_passports(Path(fspath(path))), self.run.result)
        return tuple(compare_passports(before, after, self.run.material.corpus) for before, after in matched)

    def drift(self, path: str | PathLike[str]) -> list[Table]:
        """Return `compare` as tables; internal, not part of the public interface."""
        corpus = self.run.material.corpus
        return [table for drift in self.compare(path) for table in drift_tables(drift, corpus) if len(table)]

    def write_sheet(self, path: str | PathLike[str], drift: Sequence[Table] = (), command: str = "") -> None:
        """Write the passports as one HTML sheet to print.

        Raises:
            ParapluieError: The file cannot be written.
        """
        date = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")
        target = Path(fspath(path))
        with explain_write_errors(target):
            write_text(target, sheet_html(self.run, drift, date=date, command=command))

    def __repr__(self) -> str:
        return "\n".join(map(str, self.tables.values()))

    def _repr_html_(self) -> str:
        return "".join(table._repr_html_() for table in self.tables.values())


def passport(
    judge: str | PathLike[str] | Judge | Sequence[str | PathLike[str] | Judge],
    corpus: Corpus | None = None,
    *,
    templates: str | Iterable[str] = (),
    pairs: int = PAIRS,
    order: bool = True,
    probes: bool = True,
    draws: int = DRAWS,
    seed: int = 0,
    device: str = "auto",
    precision: str = "auto",
    exact: bool = False,
    progress: bool | None = None,
) -> Passports:
    """Measure the quality of a judge before relying on it.

    Args:
        judge: The judge or judges, as in `score`.
        corpus: Labelled pairs; the demo by default.
        templates: As in `score`, for all judges.
        pairs: The maximum number of pairs to score, drawn at random, labelled pairs first.
        order: Whether to score with the sentences swapped too, which doubles the time.
        probes: Whether to look for signs that the judge knows the pairs, and to try other spellings of its answers.
        draws: The number of resamples for intervals.
        seed: The seed of the random choices.
        device: As in `score`.
        precision: As in `score`.
        exact: As in `score`.
        progress: As in `score`.

    Raises:
        ParapluieError: A judge or template is missing, or no score can be computed.
    """
    scorer = judge.scorer if isinstance(judge, Judge) and progress is None else local_scorer(progress)
    plan = plan_scoring(judge, templates, (), device, precision, exact)
    corpus = read(shipped_corpora()["demo"].path) if corpus is None else corpus
    passports, errors = examine_judges(
        corpus, plan, scorer, pairs=pairs, order=order, probes=probes, draws=draws, seed=seed, progress=progress
    )
    if errors:
        raise errors[0]
    return passports


def examine_judges(
    corpus: Corpus,
    plan: ScoringPlan,
    scorer: LocalScorer,
    *,
    pairs: int,
    order: bool,
    probes: bool,
    draws: int,
    seed: int,
    progress: bool | None = None,
) -> tuple[Passports, list[ParapluieError]]:
    """Score pairs by a plan, ask its judges again, and return their passports and the errors of failed scores.

    Raises:
        ParapluieError: No score could be computed.
    """
    chosen = corpus.take(draw_rows(corpus, pairs, seed))
    scores, errors = try_compute(chosen, with_reverse(plan) if order else plan, scorer)
    if not any(scores.table.count_scores(name) for name in scores.table.scores):
        raise errors[0] if errors else ModelError("No score could be computed. Name a judge.")
    asked, failed = ask_judges(chosen, plan, scorer, seed, probe=probes)
    material = build_material(chosen, scores.table, only=list(scores.table.scores), draws=draws, seed=seed)
    judged = JudgedMaterial.from_measurements(material, _key_by_column(asked, plan, scores.table, material))
    with progress_bar(progress) as tick:
        run = analyse(PassportAnalysis(), judged, PassportOptions(), tick)
    return Passports(run), [*errors, *failed]


def _key_by_column(
    asked: dict[tuple[str, int], JudgeMeasurements], plan: ScoringPlan, table: ScoreTable, material: AnalysisMaterial
) -> dict[str, JudgeMeasurements]:
    """Return measurements by the name of the score in a table, which includes the judge if there are several."""
    measured: dict[str, JudgeMeasurements] = {}
    for name in material.names:
        identity = identify(name, table.signatures.get(name))
        for (column, number), one in asked.items():
            settings = plan.judgings[number].judge
            maker = identity.maker
            if (
                without_judge(name) == column
                and maker is not None
                and maker.judge in (settings.model, settings.files.name)
            ):
                measured.setdefault(name, one)
    return measured
