"""Scores of pairs with metrics and judges: `parapluie_gui.score`, and what the commands run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from os import PathLike, fspath
from typing import TYPE_CHECKING, Unpack, overload

from parapluie_gui import places
from parapluie_gui.api.corpora import ReadingOptions, corpus_of
from parapluie_gui.api.judges import check_distinct, choose_judges, choose_metrics, names_of
from parapluie_gui.api.scores import Score, Scores, one_score
from parapluie_gui.arrays import Rows
from parapluie_gui.errors import MetricError, ParapluieError
from parapluie_gui.metrics import catalogue, column_source
from parapluie_gui.models.device import foresee
from parapluie_gui.pairs import Corpus
from parapluie_gui.work.bars import is_watched
from parapluie_gui.work.local import LocalScorer
from parapluie_gui.work.scoring_plan import Judging, ScoringPlan

if TYPE_CHECKING:
    from parapluie_gui.api.corpora import PairsLike


#: The judge that is asked where neither a judge nor a metric is named.
USUAL = "pocket"


class Judge:
    """A language model that judges pairs; it is loaded at the first score and stays loaded while this object lives.

    Attributes:
        model: What it was asked for by.
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
            templates: ParaPLUIE templates ("DIRECT", "FS-DIRECT,reverse"); by default the usual one of its kind.
            device: "auto", "cpu", "cuda", "cuda:1", "cuda:all", "cuda:each" or "mps".
            precision: "auto", "float32", "bfloat16" or "float16".
            exact: Whether it reads one pair at a time without a shared cache, for reproduction.
            progress: Whether a bar on stderr says how far it is; None: in a terminal or notebook.

        Raises:
            ParapluieError: The model or a template is not there, or they do not go together.
        """
        (judging,) = choose_judges((fspath(model),), names_of(templates), device, precision, exact)
        self.model = judging.judge.model
        # Looked up anew at each score: a folder may hold another model by then.
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


#: How a judge is named.
AnyJudge = str | PathLike[str] | Judge


def local_scorer(progress: bool | None = None) -> LocalScorer:
    """Return what scores here and keeps every score in the user's store."""
    shown = is_watched() if progress is None else progress
    return LocalScorer((places.score_cache(),), quiet=not shown, bar=shown)


def plan_of(
    judge: AnyJudge | Sequence[AnyJudge] | None,
    templates: str | Iterable[str],
    metrics: str | Iterable[str],
    device: str,
    precision: str,
    exact: bool,
) -> ScoringPlan:
    """Return what Python asks to be computed; the pocket judge where nothing is named.

    Raises:
        ParapluieError: Something is not there, or cannot be computed here.
    """
    specs, names = choose_metrics(names_of(metrics)), names_of(templates)
    for spec in specs:
        if not (ready := catalogue.ready(spec)):
            raise MetricError(ready.missing)
    if isinstance(judge, Sequence) and not isinstance(judge, str):
        return ScoringPlan(specs, _several(judge, names, device, precision, exact), device)
    if isinstance(judge, Judge):
        return replace(judge.plan, metrics=specs, judgings=_several([judge], names, device, precision, exact))
    model = fspath(judge) if judge is not None else None if specs or names else USUAL
    judges = choose_judges(() if model is None else (model,), names, device, precision, exact)
    return ScoringPlan(specs, judges, device)


def _several(
    judges: Sequence[AnyJudge], names: Sequence[str], device: str, precision: str, exact: bool
) -> tuple[Judging, ...]:
    """Return several judges with their templates; errors as `choose_judges`."""
    made = [each for each in judges if isinstance(each, Judge)]
    if not made:
        return choose_judges(
            [fspath(each) for each in judges if not isinstance(each, Judge)], names, device, precision, exact
        )
    if names or (device, precision, exact) != ("auto", "auto", False):
        raise ParapluieError(
            "A Judge has its templates, device and precision already. Name them where it is made: Judge(…, "
            "templates=[…])."
        )
    if len(made) < len(judges):
        raise ParapluieError("Pass either names of judges or Judge objects, not both: Judge(NAME) makes one of a name.")
    found = tuple(judging for each in made for judging in each.plan.judgings)
    check_distinct(found)
    return found


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
    references: Iterable[str | None] | None = None,
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
    references: Iterable[str | None] | None = None,
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

    Two sentences give a `Score`, a number with its signature. Everything else gives `Scores`. Every score is kept in
    the user's store as it arrives: after Ctrl+C the same call goes on where it stopped.

    Args:
        pairs: A corpus, a file's path, a data frame, a list of (source, hypothesis), the sources, or one source.
        hypotheses: The hypotheses, as many; or one.
        references: With two lists, a reference or None for each pair.
        judge: The model that judges: as in `Judge`, or one, or several of either, each a column of its own. A name may
            have templates of its own ("smollm2-135m=P1,P2") and a precision ("smollm2-135m@bfloat16"). Where no judge,
            template or metric is named, "pocket".
        metrics: Metrics ("bleu", "sbert:FOLDER"), see `parapluie metrics`.
        templates: ParaPLUIE templates; by default the usual one of the judge.
        device: Where models compute, as in `Judge`.
        precision: As in `Judge`.
        exact: As in `Judge`.
        progress: Whether a bar on stderr says how far it is; None: in a terminal or notebook.
        **reading: The columns of a file or data frame (source="s1", label="is_duplicate"); see `ReadingOptions`.

    Raises:
        ParapluieError: Something asked for is not there, or a score cannot be computed.
    """
    single = isinstance(pairs, str) and isinstance(hypotheses, str)
    if single and (references is not None or reading):
        raise ParapluieError("Two sentences have no reference and no columns. Pass lists: [source], [hypothesis].")
    plan = plan_of(judge, templates, metrics, device, precision, exact)
    if single:
        pairs, hypotheses = [pairs], [hypotheses]  # type: ignore[list-item]
    corpus = corpus_of(pairs, hypotheses, references, reading)
    own = judge.scorer if isinstance(judge, Judge) and progress is None else None
    scores = compute(corpus, plan, own or local_scorer(progress))
    return one_score(scores) if single else scores


def compute(corpus: Corpus, plan: ScoringPlan, scorer: LocalScorer | None = None) -> Scores:
    """Return the scores of a plan.

    Raises:
        ParapluieError: One cannot be computed; those before it are in the store.
    """
    scores, errors = try_compute(corpus, plan, scorer)
    if errors:
        raise errors[0]
    return scores


def try_compute(
    corpus: Corpus, plan: ScoringPlan, scorer: LocalScorer | None = None, rows: Rows | None = None
) -> tuple[Scores, list[ParapluieError]]:
    """Return the scores of a plan that can be computed, and why others cannot.

    Args:
        corpus: The pairs.
        plan: What is asked for.
        scorer: What computes it; by default one that also says what it loads.
        rows: (k,) The pairs to be scored; without it all.

    Raises:
        ParapluieError: As `check`.
    """
    check(corpus, plan)
    table, errors = (scorer or LocalScorer((places.score_cache(),))).score(corpus, plan, rows)
    return Scores(corpus, table.with_full_names()), errors


def check(corpus: Corpus, plan: ScoringPlan) -> None:
    """Find out, before hours of scoring, what cannot be computed.

    Raises:
        ParapluieError: A column that a metric names is not there, or the device cannot compute.
    """
    for each in plan.judgings:
        foresee(each.judge.device, each.judge.precision)
    for source in column_source.split(plan.metrics)[0]:
        source.values(corpus)
