"""Scores pairs with metrics and judges: `parapluie_gui.score` and the functions behind commands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from os import PathLike, fspath
from typing import TYPE_CHECKING, Unpack, overload

from parapluie_gui import places
from parapluie_gui.api.corpora import ReadingOptions, make_corpus
from parapluie_gui.api.judges import as_names, check_distinct, choose_judges, choose_metrics
from parapluie_gui.api.scores import Score, Scores, single_score
from parapluie_gui.arrays import Rows
from parapluie_gui.errors import MetricError, ParapluieError
from parapluie_gui.metrics import catalogue, column_source
from parapluie_gui.models.device import foresee
from parapluie_gui.pairs import Corpus
from parapluie_gui.work.bars import is_watched
from parapluie_gui.work.local import LocalScorer
from parapluie_gui.work.scoring_plan import JudgeTemplates, ScoringPlan

if TYPE_CHECKING:
    from parapluie_gui.api.corpora import PairsLike


#: The judge that is used if neither a judge nor a metric is named.
USUAL = "pocket"


class Judge:
    """A language model that judges pairs, loaded for the first score and kept as long as this object exists.

    Attributes:
        model: The name or path by which it was requested.
        templates: The names of its templates.
    """

    def __init__(
        self,
        model: str | PathLike[str] = USUAL,
        *,
        templates: str | Iterable[str] = (),
        device: str = "auto",
        precision: str = "auto",
        exact: bool = False,
        progress: bool | None = None,
    ) -> None:
        """Find a model.

        Args:
            model: A name of the catalogue, a folder, a LoRA adapter, a GGUF file, a hub id or a server's address.
            templates: ParaPLUIE templates ("DIRECT", "FS-DIRECT,reverse"); by default the model's usual template.
            device: "auto", "cpu", "cuda", "cuda:1", "cuda:all", "cuda:each" or "mps".
            precision: "auto", "float32", "bfloat16" or "float16".
            exact: Whether to process one pair at a time without a shared cache, for reproduction.
            progress: Whether to show a progress bar on stderr; with None, only in a terminal or notebook.

        Raises:
            ParapluieError: The model or a template is missing, or the model does not support the template.
        """
        (judging,) = choose_judges((fspath(model),), as_names(templates), device, precision, exact)
        self.model = judging.judge.model
        # Resolved again for each score, because the model in a folder may change.
        self.plan = ScoringPlan((), (judging,), device).by_name()
        self.scorer = local_scorer(progress)

    @property
    def templates(self) -> tuple[str, ...]:
        return tuple(template.name for template in self.plan.templates)

    def __repr__(self) -> str:
        return f"Judge({self.model!r}, templates={list(self.templates)!r})"

    @overload
    def score(self, pairs: str, hypotheses: str) -> Score: ...  # type: ignore[overload-overlap]
    @overload
    def score(self, pairs: PairsLike, hypotheses: Iterable[str] | None = None) -> Scores: ...
    def score(self, pairs: PairsLike, hypotheses: Iterable[str] | None = None) -> Score | Scores:
        """Score pairs as `parapluie_gui.score` does."""
        return score(pairs, hypotheses, judge=self)


#: A judge, or its name or path.
AnyJudge = str | PathLike[str] | Judge


def local_scorer(progress: bool | None = None) -> LocalScorer:
    """Return a scorer that works in this process and stores every score in the user's store."""
    shown = is_watched() if progress is None else progress
    return LocalScorer((places.score_cache(),), quiet=not shown, bar=shown)


def plan_scoring(
    judge: AnyJudge | Sequence[AnyJudge] | None,
    templates: str | Iterable[str],
    metrics: str | Iterable[str],
    device: str,
    precision: str,
    exact: bool,
) -> ScoringPlan:
    """Build the plan for a call of `score`; if nothing is named, it uses the pocket judge.

    Raises:
        ParapluieError: A judge, template or metric is missing, or cannot be computed here.
    """
    specs, names = choose_metrics(as_names(metrics)), as_names(templates)
    for spec in specs:
        if not (ready := catalogue.ready(spec)):
            raise MetricError(ready.missing)
    if isinstance(judge, Sequence) and not isinstance(judge, str):
        return ScoringPlan(specs, _resolve_judges(judge, names, device, precision, exact), device)
    if isinstance(judge, Judge):
        return replace(judge.plan, metrics=specs, judgings=_resolve_judges([judge], names, device, precision, exact))
    model = fspath(judge) if judge is not None else None if specs or names else USUAL
    judges = choose_judges(() if model is None else (model,), names, device, precision, exact)
    return ScoringPlan(specs, judges, device)


def _resolve_judges(
    judges: Sequence[AnyJudge], names: Sequence[str], device: str, precision: str, exact: bool
) -> tuple[JudgeTemplates, ...]:
    """Resolve several judges with their templates; errors as in `choose_judges`."""
    objects = [judge for judge in judges if isinstance(judge, Judge)]
    if not objects:
        return choose_judges(
            [fspath(judge) for judge in judges if not isinstance(judge, Judge)], names, device, precision, exact
        )
    if names or (device, precision, exact) != ("auto", "auto", False):
        raise ParapluieError(
            "A Judge already has its templates, device and precision. Set them when you create it: Judge(…, "
            "templates=[…])."
        )
    if len(objects) < len(judges):
        raise ParapluieError(
            "Pass either names of judges or Judge objects, not both: Judge(NAME) turns a name into a Judge."
        )
    judgings = tuple(judging for judge in objects for judging in judge.plan.judgings)
    check_distinct(judgings)
    return judgings


@overload
def score(  # type: ignore[overload-overlap]
    pairs: str,
    hypotheses: str,
    *,
    judge: AnyJudge | Sequence[AnyJudge] | None = None,
    metrics: str | Iterable[str] = (),
    templates: str | Iterable[str] = (),
    device: str = "auto",
    precision: str = "auto",
    exact: bool = False,
    progress: bool | None = None,
) -> Score: ...
@overload
def score(
    pairs: PairsLike,
    hypotheses: Iterable[str] | None = None,
    *,
    references: Iterable[str | Sequence[str] | None] | None = None,
    judge: AnyJudge | Sequence[AnyJudge] | None = None,
    metrics: str | Iterable[str] = (),
    templates: str | Iterable[str] = (),
    device: str = "auto",
    precision: str = "auto",
    exact: bool = False,
    progress: bool | None = None,
    **reading: Unpack[ReadingOptions],
) -> Scores: ...
def score(
    pairs: PairsLike,
    hypotheses: Iterable[str] | None = None,
    *,
    references: Iterable[str | Sequence[str] | None] | None = None,
    judge: AnyJudge | Sequence[AnyJudge] | None = None,
    metrics: str | Iterable[str] = (),
    templates: str | Iterable[str] = (),
    device: str = "auto",
    precision: str = "auto",
    exact: bool = False,
    progress: bool | None = None,
    **reading: Unpack[ReadingOptions],
) -> Score | Scores:
    """Score sentence pairs with metrics and with ParaPLUIE, as `parapluie score` does.

    For two sentences the result is a `Score`, a number with its signature, otherwise `Scores`. Each score is stored as
    soon as it is computed, so that after Ctrl+C the same call continues where it stopped.

    Args:
        pairs: A corpus, a file's path, a data frame, a list of (source, hypothesis), the sources, or one source.
        hypotheses: The hypotheses of a list of sources, or one hypothesis.
        references: With two lists, a reference, a list of several or None for each pair.
        judge: The name of a model as in `Judge`, a `Judge`, or several of either, each with its own column. A name may
            include templates ("smollm2-135m=P1,P2") and a precision ("smollm2-135m@bfloat16"). If no judge, template or
            metric is named, it is "pocket".
        metrics: Metrics ("bleu", "sbert:FOLDER"); `parapluie metrics` lists them.
        templates: ParaPLUIE templates; by default the judge's usual template.
        device: The device of models, as in `Judge`.
        precision: The precision of models, as in `Judge`.
        exact: As in `Judge`.
        progress: Whether to show a progress bar on stderr; with None, only in a terminal or notebook.
        **reading: The columns of a file or data frame (source="s1", label="is_duplicate"); see `ReadingOptions`.

    Raises:
        ParapluieError: A file, judge, template or metric is missing, or a score cannot be computed.
    """
    single = isinstance(pairs, str) and isinstance(hypotheses, str)
    if single and (references is not None or reading):
        raise ParapluieError("Two sentences have no reference and no columns. Pass lists: [source], [hypothesis].")
    plan = plan_scoring(judge, templates, metrics, device, precision, exact)
    if single:
        pairs, hypotheses = [pairs], [hypotheses]  # type: ignore[list-item]
    corpus = make_corpus(pairs, hypotheses, references, reading)
    own = judge.scorer if isinstance(judge, Judge) and progress is None else None
    scores = compute(corpus, plan, own or local_scorer(progress))
    return single_score(scores) if single else scores


def compute(corpus: Corpus, plan: ScoringPlan, scorer: LocalScorer | None = None) -> Scores:
    """Compute the scores of a plan.

    Raises:
        ParapluieError: A score cannot be computed; the scores before it are stored.
    """
    scores, errors = try_compute(corpus, plan, scorer)
    if errors:
        raise errors[0]
    return scores


def try_compute(
    corpus: Corpus, plan: ScoringPlan, scorer: LocalScorer | None = None, rows: Rows | None = None
) -> tuple[Scores, list[ParapluieError]]:
    """Compute the scores of a plan as far as possible, and return the errors for the others.

    Args:
        corpus: The pairs.
        plan: The judges and metrics.
        scorer: The scorer; by default a scorer that reports the models it loads.
        rows: The rows to score, (k,); None for all.

    Raises:
        ParapluieError: As in `check_plan`.
    """
    check_plan(corpus, plan)
    table, errors = (scorer or LocalScorer((places.score_cache(),))).score(corpus, plan, rows)
    return Scores(corpus, table.with_full_names()), errors


def check_plan(corpus: Corpus, plan: ScoringPlan) -> None:
    """Check, before hours of scoring, whether a plan can be computed.

    Raises:
        ParapluieError: A column that a metric needs is missing, or the device is not available.
    """
    for judging in plan.judgings:
        foresee(judging.judge.device, judging.judge.precision)
    for source in column_source.split(plan.metrics)[0]:
        source.values(corpus)
