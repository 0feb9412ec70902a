"""Asking for scores of pairs: metrics first, then one template after the other."""

from __future__ import annotations

import contextlib
import math
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from parapluie_gui import packages
from parapluie_gui.analysis.score_languages import describe_strange_language
from parapluie_gui.arrays import Rows, Scores
from parapluie_gui.errors import ParapluieError, TemplateError, join_words
from parapluie_gui.metrics import catalogue, consent
from parapluie_gui.metrics.base import Metric, MetricContext, no_references_error
from parapluie_gui.models.device import EACH_GPU
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.cost import Spending
from parapluie_gui.pluie.evidence import Evidence, stored_evidence
from parapluie_gui.pluie.judge import Judge, Scored, judge_class
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.prompt import with_columns
from parapluie_gui.pluie.templates import Template, for_judge
from parapluie_gui.scores.identity import identify
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.work import process_pool
from parapluie_gui.work.context import RequestContext, Unforeseen
from parapluie_gui.work.each_gpu import EachGpu
from parapluie_gui.work.events import Batch, ColumnStarted, Event, JudgeLoaded, Notice, StageChanged
from parapluie_gui.work.gate import Cancelled
from parapluie_gui.work.keeper import Keeper
from parapluie_gui.work.meter import Meter
from parapluie_gui.work.process_pool import ProcessPool
from parapluie_gui.work.request import PairsRequest, PairTexts
from parapluie_gui.work.scoring_plan import Judging, ScoringPlan
from parapluie_gui.work.unscored import empty_cells, no_numbers, some_not_numbers, without_column

#: Most pairs of a metric per batch, and the seconds a batch should take where its calls are not slower by themselves: a
#: pause and a cancel wait for its end.
CHUNK = 2000
CHUNK_SECONDS = 0.1
#: Chunks of a metric that runs a model among which pairs of like lengths are brought together.
WINDOW = 16
#: Pairs without a number after which the user hears that there has been none so far.
EARLY = 50


@dataclass(frozen=True)
class ScorePairs(PairsRequest):
    """Pairs to score, and everything to score them with.

    Attributes:
        stores: SQLite files in which known scores are looked up and new ones kept.
        seed: Decides the order in which pairs are scored.
        metric_files: The SHA-256 of the user's metric files that may run, by their specs; None for any that is named.
        share: Whether the pairs are some of another request's, which has said what is to be said of their language.
    """

    plan: ScoringPlan
    stores: tuple[Path, ...] = ()
    seed: int = 0
    metric_files: Mapping[str, str] | None = None
    share: bool = False

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        plan: ScoringPlan,
        stores: Sequence[Path],
        *,
        metric_files: Mapping[str, str] | None = None,
    ) -> ScorePairs:
        """Copy the pairs of a corpus into a request."""
        return cls(PairTexts.of(corpus, plan.columns), plan, tuple(stores), metric_files=metric_files)

    def wanted_judge(self) -> JudgeSettings | None:
        """Return the first judge."""
        return self.plan.judgings[0].judge if self.plan.judgings else None

    def run(self, context: RequestContext) -> None:
        """Emit each column with its scores, stored ones first; computed ones are stored before they are emitted."""
        with Keeper(self.stores, context.notice) as keeper:
            _Scoring(self, context, keeper).everything()


class _Scoring:
    """A request on its way."""

    def __init__(self, request: ScorePairs, context: RequestContext, keeper: Keeper) -> None:
        self._request, self._context, self._keeper = request, context, keeper
        self._pairs, self._plan = request.pairs, request.plan
        self._keys_with: dict[tuple[str, ...], Sequence[bytes]] = {}
        self._keys = self._keys_for(())
        count = len(self._pairs)
        columns = len(self._plan.metrics) + len(self._plan.templates)
        self._meter = Meter(columns * count, pairs=count)
        self._warned: set[str] = set()
        self._called = ScoreTable(0)
        self._counting: tuple[Judge, Spending] | None = None

    def everything(self) -> None:
        """Compute the metrics, then what the judge says.

        A column that fails does not stop the others: the first error is raised when all is done.
        """
        failed: list[Exception] = []
        context = MetricContext(
            check=self._context.gate.check,
            stage=self._context.stage,
            notice=self._warn,
            device=self._plan.metric_device,
            models=self._context.models,
        )
        if not self._context.urgent and not self._request.share:
            known = self._plan.languages()
            texts = self._pairs.sources, self._pairs.hypotheses
            if sentence := describe_strange_language(known, *texts, self._plan.templates):
                self._warn(sentence)
        metrics: deque[tuple[str, Metric]] = deque()
        for name in self._plan.metrics:
            with self._noting(name, failed):
                metric = catalogue.metric(name)
                if self._request.metric_files is not None:
                    consent.check(name, metric, self._request.metric_files)
                metric.announce(context)
                if metric.info.needs_reference and not any(self._pairs.references or ()):
                    self._refuse(no_references_error(metric.info), failed)
                    continue
                metrics.append((name, metric))
                del metric
        for template in self._plan.templates:
            if none := self._missing_columns(template):
                self._refuse(without_column(template, none[0]), failed)
        while metrics:
            with self._noting(metrics[0][0], failed):
                self._metric(*metrics.popleft(), context)  # and nobody else holds it: its network may have to go
        if not self._context.urgent:
            self._context.models.forget()
        judgings = self._plan.judgings
        if len(judgings) == 1:
            self._judge(judgings[0], failed)
        else:
            for each in judgings:
                with self._noting(each.judge.model, failed):  # the others judge all the same
                    self._judge(each, failed)
        if failed:
            raise failed[0]

    @contextlib.contextmanager
    def _noting(self, name: str, failed: list[Exception]) -> Iterator[None]:
        """Note that a metric failed, and go on with the others; the first one's sentence ends the job."""
        try:
            yield
        except Cancelled:
            raise
        except Exception as error:
            traceback.clear_frames(error.__traceback__)  # they hold the model, and the tensors that did not fit
            known = error if isinstance(error, ParapluieError) else packages.find_missing_package(error)
            self._note(known or Unforeseen.of(error, f"{name} failed"), failed)

    def _note(self, failure: Exception, failed: list[Exception]) -> None:
        """Note a failure; only the first one's sentence ends the job, so the others are said on the way."""
        if failed:
            self._warn(str(failure))
        failed.append(failure)

    def _refuse(self, failure: Exception, failed: list[Exception]) -> None:
        """Report a failure before anything is computed, not at the end: the rest may take hours."""
        self._warn(str(failure))
        failed.append(failure)

    def _metric(self, name: str, metric: Metric, context: MetricContext) -> None:
        keys = self._keys
        if metric.info.uses_reference:
            keys = self._keys_for(("reference",))
        signature = metric.signature()
        order = np.random.default_rng(self._request.seed).permutation(self._begin(signature, keys))
        if len(order):
            if metric.info.cost == "model":
                self._context.load_libraries()
            self._context.gate.guard(partial(metric.prepare, context))
        if metric.chunk:
            order = self._by_length(order, metric.chunk * WINDOW)
        self._meter.begin(typical=not self._plan.judgings)

        def keep(rows: Rows, values: Scores) -> None:
            self._keeper.put(signature, [keys[row] for row in rows.tolist()], values)
            self._deliver(rows, {signature.column: values})

        size, shortest = metric.chunk or 1, math.inf
        with ProcessPool(name) if process_pool.pays(metric, len(order)) else contextlib.nullcontext() as helpers:
            while len(order):
                if helpers is not None and helpers.ready():
                    self._spread(helpers, order, keep)
                    return
                started = time.monotonic()
                rows, order = order[:size], order[size:]
                keep(rows, self._context.gate.guard(partial(metric.score, *self._texts(rows))))
                took = time.monotonic() - started
                shortest = min(shortest, took)
                # What each call costs, whatever its pairs, is paid the less often the more pairs it has.
                enough = max(CHUNK_SECONDS, 3 * shortest)
                if not metric.chunk and took < enough / 2:
                    size = min(size * 2, CHUNK)
                elif not metric.chunk and took > enough:
                    size = max(size // 2, 1)

    def _spread(self, helpers: ProcessPool, order: Rows, keep: Callable[[Rows, Scores], None]) -> None:
        """Let other processes compute these rows; this one keeps and tells what they answer."""
        gate = self._context.gate
        waiting: deque[Rows] = deque()
        while len(order) or waiting:
            while len(order) and helpers.hungry:
                rows, order = order[:CHUNK], order[CHUNK:]
                helpers.send(*self._texts(rows))
                waiting.append(rows)
            keep(waiting.popleft(), gate.guard(partial(helpers.receive, gate.check)))

    def _texts(self, rows: Rows) -> tuple[list[str], list[str], list[str | None] | None]:
        pairs, numbers = self._pairs, rows.tolist()
        references = None if pairs.references is None else [pairs.references[row] for row in numbers]
        return [pairs.sources[row] for row in numbers], [pairs.hypotheses[row] for row in numbers], references

    def _by_length(self, rows: Rows, window: int) -> Rows:
        """Return the rows with those of like lengths together, within windows: little padding, and an even scatter."""
        sources, hypotheses, _ = self._texts(rows)
        lengths = np.array([max(len(two[0]), len(two[1])) for two in zip(sources, hypotheses, strict=True)])
        parts = [slice(start, start + window) for start in range(0, len(rows), window)]
        return np.concatenate([rows[part][np.argsort(lengths[part], kind="stable")] for part in parts] or [rows])

    def _judge(self, judging: Judging, failed: list[Exception]) -> None:
        settings, gpus = judging.judge.locate(), None
        files = settings.files
        for_judge(files.kind, files.name, judging.templates)
        if settings.device == EACH_GPU:
            gpus = self._context.judges.take(EACH_GPU, self._start_gpus)
            settings = replace(settings, device=gpus.devices[0])
        kind = judge_class(files, settings.device, settings.precision)
        work: list[tuple[Template, Rows]] = []
        for template in judging.templates:
            if self._missing_columns(template):
                continue
            signature = kind.signature(files, template, settings)
            missing = self._begin(signature, self._keys_for(template.columns))
            work.append((template, self._with_columns(template, signature, missing)))
        # A corpus whose scores are all known needs no model, and no PyTorch.
        if not any(len(missing) for _, missing in work):
            return
        if gpus is not None:
            told: set[str] = set()
            for template, missing in work:
                try:
                    self._on_each_gpu(
                        gpus, template, kind.signature(files, template, settings), settings, missing, told
                    )
                except ParapluieError as error:
                    if str(error) not in map(str, failed):
                        self._note(error, failed)
            return
        judge = self._context.judge(files, settings)
        before = judge.spending()
        self._counting = None if before is None else (judge, before)
        self._context.say_loaded(judge, exact=settings.exact, notices=(files.note,) if files.note else ())
        broken: list[str] = []
        for template, missing in work:
            if len(missing):
                try:
                    if not self._template(judge, template, settings, missing):
                        broken.append(template.name)
                except TemplateError as error:  # this model's chat format refuses it
                    self._note(error, failed)
        if broken:
            under = f" under {join_words(broken)}" if len(broken) < len(work) else ""
            self._note(no_numbers(files.name, under, settings), failed)

    def _start_gpus(self) -> EachGpu:
        self._context.load_libraries()
        return EachGpu()

    def _on_each_gpu(
        self,
        gpus: EachGpu,
        template: Template,
        signature: Signature,
        settings: JudgeSettings,
        missing: Rows,
        told: set[str],
    ) -> None:
        """Let a process for each GPU judge its share of the missing pairs; what they tell they have kept.

        `told` is what was said of the loaded models under other templates.
        """
        column = self._called.place(signature.column, signature)
        columns, before, left = (column, *identify(column).evidence), frozenset(told), set(missing.tolist())

        def ask(rows: Rows, device: str) -> ScorePairs:
            plan = ScoringPlan.of_judge(replace(settings, device=device), (template,))
            return replace(self._request, pairs=self._pairs.take(rows), plan=plan, share=True)

        def hear(rows: Rows, event: Event) -> None:
            if isinstance(event, Batch):
                its = rows[event.rows]
                left.difference_update(its.tolist())
                values = dict(zip(columns, event.values.values(), strict=True))
                self._deliver(its, values, fresh=event.fresh, evidence=event.evidence)
            elif isinstance(event, JudgeLoaded) and event.description not in before:
                told.add(event.description)
                self._context.emit(JudgeLoaded(self._context.job, event.description))
                for notice in event.notices:
                    self._warn(notice)
            elif isinstance(event, StageChanged):
                self._context.stage(event.text)
            elif isinstance(event, Notice):
                self._warn(event.text)

        def judge() -> None:
            shares = gpus.shares(np.array(sorted(left), dtype=np.intp), ask)
            gpus.run(shares, hear, self._context.gate.check, urgent=self._context.urgent)

        self._meter.begin()
        self._context.gate.guard(judge)

    def _template(self, judge: Judge, template: Template, settings: JudgeSettings, missing: Rows) -> bool:
        """Score the missing pairs under a template; returns False if all that the model answers is no number.

        Answers that are no numbers are kept when there are others, as where a metric is not defined. Where there are
        none, the model is broken here, and may do better after a repair or on another device: it is to be asked again.
        """
        scorer = judge.scorer(
            template,
            exact=settings.exact,
            batch_tokens=settings.batch_tokens,
            warn=self._warn,
            guard=self._context.gate.guard,
        )
        self._keeper.put_frame(scorer.signature, scorer.frame.to_json())
        sources, hypotheses, _ = self._texts(missing)
        if shown := self._shown(template):
            sources = [
                with_columns(source, (str(texts[row]) for texts in shown))
                for source, row in zip(sources, missing.tolist(), strict=True)
            ]
        keys = self._keys_for(template.columns)
        self._meter.begin()
        works = len(missing) < len(self._pairs)
        broken: list[Scored] = []
        for scored in scorer.score(sources, hypotheses, self._request.seed):
            broken += [one for one in scored if one.broken]
            works = works or any(math.isfinite(one.score) for one in scored)
            self._keep(scorer.signature, keys, missing, [one for one in scored if not one.broken])
            self._tell(scorer.signature, missing, scored)
            if not works and len(broken) >= EARLY:
                self._warn(f"{judge.files.name} has answered NaN for every pair so far under {template.name}.")
        if works:
            self._keep(scorer.signature, keys, missing, broken)
            if broken:
                self._warn(some_not_numbers(judge.files.name, template.name, len(broken), settings))
        return works or not broken

    def _shown(self, template: Template) -> list[tuple[str | None, ...]]:
        """Return the further columns that a template shows."""
        return [texts for name in template.columns if (texts := self._pairs.column(name)) is not None]

    def _with_columns(self, template: Template, signature: Signature, rows: Rows) -> Rows:
        """Leave out, of a template that shows further columns, the pairs with an empty cell: they have no score."""
        if not template.columns:
            return rows
        shown = self._shown(template)
        there = np.array([all(texts[row] for texts in shown) for row in rows.tolist()], dtype=np.bool_)
        none = rows[~there]
        column = self._called.place(signature.column, signature)
        columns = (column, *identify(column).evidence)
        if len(none):
            self._warn(empty_cells(template, len(none)))
            self._deliver(none, dict.fromkeys(columns, np.full(len(none), np.nan)))
        return rows[there]

    def _missing_columns(self, template: Template) -> list[str]:
        """Return the columns that a template shows and that hold nothing in these pairs."""
        return [name for name in template.columns if not any(self._pairs.column(name) or ())]

    def _keys_for(self, columns: tuple[str, ...]) -> Sequence[bytes]:
        """Return the pairs' keys with these columns; they are made once."""
        if columns not in self._keys_with:
            self._keys_with[columns] = self._pairs.keys(columns)
        return self._keys_with[columns]

    def _keep(self, signature: Signature, keys: Sequence[bytes], missing: Rows, scored: list[Scored]) -> None:
        """Keep ParaPLUIE scores of some of the missing rows."""
        if scored:
            its = [keys[missing[one.row]] for one in scored]
            self._keeper.put(signature, its, *_numbers(scored), [one.evidence.to_json() for one in scored])

    def _tell(self, signature: Signature, missing: Rows, scored: list[Scored]) -> None:
        """Send a batch of ParaPLUIE scores that has been kept."""
        column = self._called.place(signature.column, signature)
        columns = (column, *identify(column).evidence)
        evidence = tuple(one.evidence for one in scored) if self._context.urgent else ()
        rows = missing[[one.row for one in scored]]
        self._deliver(rows, dict(zip(columns, _numbers(scored), strict=True)), evidence=evidence)

    def _begin(self, signature: Signature, keys: Sequence[bytes]) -> Rows:
        """Announce a column, deliver its stored scores, and return the rows that are missing."""
        column = self._called.declare(signature.column, signature)
        self._context.gate.guard(lambda: None)
        self._context.emit(ColumnStarted(self._context.job, column, signature))
        found = self._keeper.stored_scores(signature, keys)
        if identify(column).judged and not np.isfinite(found.value[found.known]).any():
            found.known[:] = False  # what a broken model answered before such answers were left out
        rows = np.flatnonzero(found.known)
        if len(rows):
            values = {column: found.value[rows]}
            if identify(column).judged:
                values |= zip(identify(column).evidence, (found.p_yes[rows], found.p_no[rows]), strict=True)
            evidence: tuple[Evidence | None, ...] = ()
            if self._context.urgent:
                texts = self._keeper.evidence(signature, [keys[row] for row in rows.tolist()])
                evidence = tuple(map(stored_evidence, texts))
            self._deliver(rows, values, fresh=False, evidence=evidence)
        return np.flatnonzero(~found.known)

    def _deliver(
        self,
        rows: Rows,
        values: dict[str, Scores],
        *,
        fresh: bool = True,
        evidence: tuple[Evidence | None, ...] = (),
    ) -> None:
        self._context.emit(Batch(self._context.job, rows, values, fresh, evidence))
        progress = self._meter.count(self._context.job, len(rows), next(iter(values)), fresh=fresh)
        if progress:
            self._context.emit(replace(progress, spending=self._spending()))

    def _spending(self) -> Spending | None:
        """Return what was asked of the judge since the job began."""
        if self._counting is None or (now := self._counting[0].spending()) is None:
            return None
        return now.since(self._counting[1])

    def _warn(self, text: str) -> None:
        if text not in self._warned:
            self._warned.add(text)
            self._context.notice(text)


def _numbers(scored: Sequence[Scored]) -> tuple[Scores, Scores, Scores]:
    """Return n scores, NaN for infinite ones too, with p(yes) and p(no)."""
    score = np.array([one.score for one in scored])
    score[~np.isfinite(score)] = np.nan
    evidence = [one.evidence for one in scored]
    return score, np.array([each.p_yes for each in evidence]), np.array([each.p_no for each in evidence])
