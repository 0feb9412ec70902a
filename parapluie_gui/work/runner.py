"""Computing a job: metrics first, then one template after the other; for the worker process and the command line."""

from __future__ import annotations

import contextlib
import math
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from parapluie_gui.arrays import Rows, Scores
from parapluie_gui.errors import ParapluieError, TemplateError, first_line
from parapluie_gui.metrics import catalogue, consent
from parapluie_gui.metrics.base import Metric, MetricContext, ModelCache, without_references
from parapluie_gui.models.catalogue import ModelFiles, find_model
from parapluie_gui.models.device import free_memory
from parapluie_gui.pluie.evidence import Evidence, stored_evidence
from parapluie_gui.pluie.judge import Judge, Scored, judge_class
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.spending import Spending
from parapluie_gui.pluie.templates import Template, for_judge
from parapluie_gui.scores.identity import identify
from parapluie_gui.scores.signature import Signature, pair_key
from parapluie_gui.work import process_pool
from parapluie_gui.work.cascade import Cascade, decided
from parapluie_gui.work.gate import Cancelled, Gate
from parapluie_gui.work.job import Batch, ColumnStarted, Event, Failed, Finished, Job, JudgeLoaded, Notice, StageChanged
from parapluie_gui.work.keeper import Keeper
from parapluie_gui.work.likeness import find_likeness
from parapluie_gui.work.meter import Meter
from parapluie_gui.work.no_numbers import no_numbers, some_not_numbers
from parapluie_gui.work.preview import preview
from parapluie_gui.work.process_pool import ProcessPool
from parapluie_gui.work.second import Relay, SecondKeeper, second_job
from parapluie_gui.work.writing import write_candidates

#: Most pairs of a metric per batch, and the seconds a batch should take: a pause and a cancel wait for its end.
CHUNK = 2000
CHUNK_SECONDS = 0.1
#: Chunks of a metric that runs a model among which pairs of like lengths are brought together.
WINDOW = 16
#: Pairs without a number after which the user hears that there has been none so far.
EARLY = 50


class Runner:
    """Runs jobs, one after the other, and keeps the loaded model between them.

    `libraries` returns once PyTorch and transformers can be imported (a worker loads them beside its first job).
    """

    def __init__(
        self, emit: Callable[[Event], None], gate: Gate | None = None, libraries: Callable[[], None] = lambda: None
    ) -> None:
        self.emit = emit
        self.libraries = libraries
        self.gate = gate or Gate()
        self.models = ModelCache()
        self._loaded: tuple[tuple[ModelFiles, str, str], Judge] | None = None

    def run(self, job: Job) -> None:
        """Compute a job; ends with exactly one Finished or Failed, whatever happens."""
        started = time.monotonic()
        try:
            with Keeper(job.stores, lambda text: self.emit(Notice(job.id, text))) as keeper:
                if job.writing is not None:
                    write_candidates(self, job, job.writing)
                elif job.like is not None:
                    find_likeness(self, job, keeper, job.like)
                elif job.preview:
                    preview(self, job)
                else:
                    _Run(self, job, keeper).everything()
        except Cancelled:
            self.emit(Finished(job.id, cancelled=True, seconds=time.monotonic() - started))
        except ParapluieError as error:
            self.emit(Failed(job.id, str(error)))
        except Exception as error:  # the worker must outlive whatever a model or a metric throws
            self.emit(Failed(job.id, _sentence(error), traceback.format_exc()))
        else:
            self.emit(Finished(job.id, seconds=time.monotonic() - started))

    def judge(self, job: Job, files: ModelFiles, settings: JudgeSettings) -> Judge:
        """Return the judge of these settings, loading it unless it is the one at hand."""
        wanted = (files, settings.device, settings.precision)
        if self._loaded is None or self._loaded[0] != wanted:
            if self._loaded is not None:  # its memory is free before the new one takes its own
                self._loaded = None
                free_memory()
            kind = judge_class(*wanted)
            if kind.needs_pytorch:
                self.load_libraries(job)
            self.emit(StageChanged(job.id, f"Loading {files.name} …"))
            self._loaded = wanted, kind.load(*wanted, self.gate.check)
        return self._loaded[1]

    def load_libraries(self, job: Job) -> None:
        """Return once PyTorch and transformers can be imported; say what the user waits for."""
        if "transformers" not in sys.modules:
            self.emit(StageChanged(job.id, "Loading PyTorch …"))
        self.libraries()


class _Run:
    """One job on its way."""

    def __init__(self, runner: Runner, job: Job, keeper: Keeper) -> None:
        self._runner, self._job, self._keeper = runner, job, keeper
        self._keys = [pair_key(s, h) for s, h in zip(job.sources, job.hypotheses, strict=True)]
        self._first: Scores = np.full(len(job) if job.cascade is not None else 0, np.nan)
        self._signatures: dict[str, Signature] = {}
        columns = len(job.metrics) + (len(job.templates) if job.judge else 0)
        self._meter = Meter(columns * len(job), pairs=len(job))
        self._warned: set[str] = set()
        self._served: tuple[Judge, Spending] | None = None

    def everything(self) -> None:
        """Compute the metrics, then what the judge says.

        A column that fails does not stop the others: the first error is raised when all is done.
        """
        failed: list[Exception] = []
        context = MetricContext(
            check=self._runner.gate.check,
            stage=lambda text: self._runner.emit(StageChanged(self._job.id, text)),
            notice=self._warn,
            device=self._job.judge.device if self._job.judge is not None else self._job.device,
            models=self._runner.models,
        )
        metrics: deque[tuple[str, Metric]] = deque()
        for name in self._job.metrics:
            with self._noting(name, failed):
                metric = catalogue.metric(name)
                if self._job.metric_files is not None:
                    consent.check(name, metric, self._job.metric_files)
                metric.announce(context)
                metrics.append((name, metric))
                del metric
        while metrics:
            with self._noting(metrics[0][0], failed):
                self._metric(*metrics.popleft(), context)  # and nobody else holds it: its network may have to go
        if not self._job.urgent:
            self._runner.models.forget()
        if self._job.judge is not None and self._job.templates:
            before = len(failed)
            self._judge(self._job.judge, failed)
            if self._job.cascade is not None and len(failed) == before:
                self._second(self._job.cascade)
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
            failure = error if isinstance(error, ParapluieError) else MetricFailed(_sentence(error, f"{name} failed"))
            if failure is not error:
                failure.__cause__ = error
            self._note(failure, failed)

    def _note(self, failure: Exception, failed: list[Exception]) -> None:
        """Note a failure; only the first one's sentence ends the job, so the others are said on the way."""
        if failed:
            self._warn(str(failure))
        failed.append(failure)

    def _metric(self, name: str, metric: Metric, context: MetricContext) -> None:
        job, keys = self._job, self._keys
        if metric.info.needs_reference and not any(job.references or ()):
            raise without_references(metric.info)
        if metric.info.uses_reference and job.references is not None:
            keys = [pair_key(*three) for three in zip(job.sources, job.hypotheses, job.references, strict=True)]
        signature = metric.signature()
        order = np.random.default_rng(job.seed).permutation(self._begin(signature, keys))
        if len(order):
            if metric.info.cost == "model":
                self._runner.load_libraries(job)
            self._runner.gate.guard(partial(metric.prepare, context))
        if metric.chunk:
            order = self._by_length(order, metric.chunk * WINDOW)
        self._meter.begin(typical=job.judge is None)

        def keep(rows: Rows, values: Scores) -> None:
            self._keeper.put(signature, [keys[row] for row in rows.tolist()], values)
            self._deliver(rows, {signature.column: values})

        size = metric.chunk or 1
        with ProcessPool(name) if process_pool.pays(metric, len(order)) else contextlib.nullcontext() as helpers:
            while len(order):
                if helpers is not None and helpers.ready():
                    self._spread(helpers, order, keep)
                    return
                started = time.monotonic()
                rows, order = order[:size], order[size:]
                keep(rows, self._runner.gate.guard(partial(metric.score, *self._texts(rows))))
                took = time.monotonic() - started
                if not metric.chunk and took < CHUNK_SECONDS / 2:
                    size = min(size * 2, CHUNK)
                elif not metric.chunk and took > CHUNK_SECONDS:
                    size = max(size // 2, 1)

    def _spread(self, helpers: ProcessPool, order: Rows, keep: Callable[[Rows, Scores], None]) -> None:
        """Let other processes compute these rows; this one keeps and tells what they answer."""
        gate = self._runner.gate
        waiting: deque[Rows] = deque()
        while len(order) or waiting:
            while len(order) and helpers.hungry:
                rows, order = order[:CHUNK], order[CHUNK:]
                helpers.send(*self._texts(rows))
                waiting.append(rows)
            keep(waiting.popleft(), gate.guard(partial(helpers.receive, gate.check)))

    def _texts(self, rows: Rows) -> tuple[list[str], list[str], list[str | None] | None]:
        job = self._job
        numbers = rows.tolist()
        references = None if job.references is None else [job.references[row] for row in numbers]
        return [job.sources[row] for row in numbers], [job.hypotheses[row] for row in numbers], references

    def _by_length(self, rows: Rows, window: int) -> Rows:
        """Return the rows with those of like lengths together, within windows: little padding, and an even scatter."""
        sources, hypotheses, _ = self._texts(rows)
        lengths = np.array([max(len(two[0]), len(two[1])) for two in zip(sources, hypotheses, strict=True)])
        parts = [slice(start, start + window) for start in range(0, len(rows), window)]
        return np.concatenate([rows[part][np.argsort(lengths[part], kind="stable")] for part in parts] or [rows])

    def _judge(self, settings: JudgeSettings, failed: list[Exception]) -> None:
        files = find_model(settings.model)
        for_judge(files.kind, files.name, self._job.templates)
        kind = judge_class(files, settings.device, settings.precision)
        work: list[tuple[Template, Rows]] = []
        for template in self._job.templates:
            work.append((template, self._begin(kind.signature(files, template, settings), self._keys)))
        # A corpus whose scores are all known needs no model, and no PyTorch.
        if not any(len(missing) for _, missing in work):
            return
        judge = self._runner.judge(self._job, files, settings)
        before = judge.spending()
        self._served = None if before is None else (judge, before)
        described = judge.describe(exact=settings.exact)
        self._runner.emit(JudgeLoaded(self._job.id, described, (files.note,) if files.note else ()))
        broken: list[str] = []
        for template, missing in work:
            if len(missing):
                try:
                    if not self._template(judge, template, settings, missing):
                        broken.append(template.name)
                except TemplateError as error:  # this model's chat format refuses it
                    self._note(error, failed)
        if broken:
            under = f" under {' and '.join(broken)}" if len(broken) < len(work) else ""
            self._note(no_numbers(files.name, under, settings), failed)

    def _second(self, cascade: Cascade) -> None:
        """Ask the second judge about what the first is not sure of, and say whose score counts."""
        job, runner = self._job, self._runner
        sent = cascade.sent(self._first)
        emit, relay = runner.emit, Relay(runner.emit, job, sent)
        runner.emit = relay
        try:
            with SecondKeeper(job.stores, self._warn, self._keeper) as keeper:
                _Run(runner, second_job(job, cascade, sent), keeper).everything()
        finally:
            runner.emit = emit
        assert relay.signature is not None
        signature = cascade.signature(self._signatures[job.templates[0].column], relay.signature)
        values = decided(self._first, relay.scores)
        runner.emit(ColumnStarted(job.id, signature.column, signature))
        self._keeper.put(signature, self._keys, values)
        runner.emit(Batch(job.id, np.arange(len(job)), {signature.column: values}))

    def _template(self, judge: Judge, template: Template, settings: JudgeSettings, missing: Rows) -> bool:
        """Score the missing pairs under a template; returns False if all that the model answers is no number.

        Answers that are no numbers are kept when there are others, as where a metric is not defined. Where there are
        none, the model is broken here, and may do better after a repair or on another device: it is to be asked again.
        """
        job = self._job
        scorer = judge.scorer(
            template,
            exact=settings.exact,
            batch_tokens=settings.batch_tokens,
            warn=self._warn,
            guard=self._runner.gate.guard,
        )
        self._keeper.put_frame(scorer.signature, scorer.frame.to_json())
        sources, hypotheses = [job.sources[row] for row in missing], [job.hypotheses[row] for row in missing]
        self._meter.begin()
        works = len(missing) < len(job)
        broken: list[Scored] = []
        for scored in scorer.score(sources, hypotheses, job.seed):
            broken += [one for one in scored if one.broken]
            works = works or any(math.isfinite(one.score) for one in scored)
            self._keep(scorer.signature, missing, [one for one in scored if not one.broken])
            self._tell(scorer.signature, missing, scored)
            if not works and len(broken) >= EARLY:
                self._warn(f"{judge.files.name} has answered NaN for every pair so far under {template.name}.")
        if works:
            self._keep(scorer.signature, missing, broken)
            if broken:
                self._warn(some_not_numbers(judge.files.name, template.name, len(broken), settings))
        return works or not broken

    def _keep(self, signature: Signature, missing: Rows, scored: list[Scored]) -> None:
        """Keep ParaPLUIE scores of some of the missing rows."""
        if scored:
            keys = [self._keys[missing[one.row]] for one in scored]
            self._keeper.put(signature, keys, *_numbers(scored), [one.evidence.to_json() for one in scored])

    def _tell(self, signature: Signature, missing: Rows, scored: list[Scored]) -> None:
        """Send a batch of ParaPLUIE scores that has been kept."""
        columns = (signature.column, *identify(signature.column).evidence)
        evidence = tuple(one.evidence for one in scored) if self._job.urgent else ()
        rows = missing[[one.row for one in scored]]
        self._deliver(rows, dict(zip(columns, _numbers(scored), strict=True)), evidence=evidence)

    def _begin(self, signature: Signature, keys: Sequence[bytes]) -> Rows:
        """Announce a column, deliver its stored scores, and return the rows that are missing."""
        column = signature.column
        self._runner.gate.guard(lambda: None)
        self._signatures[column] = signature
        self._runner.emit(ColumnStarted(self._job.id, column, signature))
        found = self._keeper.stored_scores(signature, keys)
        if identify(column).judged and not np.isfinite(found.value[found.known]).any():
            found.known[:] = False  # what a broken model answered before such answers were left out
        rows = np.flatnonzero(found.known)
        if len(rows):
            values = {column: found.value[rows]}
            if identify(column).judged:
                values |= zip(identify(column).evidence, (found.p_yes[rows], found.p_no[rows]), strict=True)
            evidence: tuple[Evidence | None, ...] = ()
            if self._job.urgent:
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
        self._runner.emit(Batch(self._job.id, rows, values, fresh, evidence))
        progress = self._meter.count(self._job.id, len(rows), next(iter(values)), fresh=fresh)
        if self._job.cascade is not None:  # how much goes to the second judge is not known yet
            if (first := values.get(self._job.templates[0].column)) is not None:
                self._first[rows] = first
            progress = progress and replace(progress, steps=progress.steps + 1, remaining=None)
        if progress:
            self._runner.emit(replace(progress, spending=self._spending()))

    def _spending(self) -> Spending | None:
        """Return what was asked of a server since the job began."""
        if self._served is None or (now := self._served[0].spending()) is None:
            return None
        return now.since(self._served[1])

    def _warn(self, text: str) -> None:
        if text not in self._warned:
            self._warned.add(text)
            self._runner.emit(Notice(self._job.id, text))


def _numbers(scored: Sequence[Scored]) -> tuple[Scores, Scores, Scores]:
    """Return n scores, NaN for infinite ones too, with p(yes) and p(no)."""
    score = np.array([one.score for one in scored])
    score[~np.isfinite(score)] = np.nan
    evidence = [one.evidence for one in scored]
    return score, np.array([each.p_yes for each in evidence]), np.array([each.p_no for each in evidence])


class MetricFailed(Exception):
    """A metric failed in a way that it did not foresee; the text is a sentence for the user."""


def _sentence(error: Exception, what: str = "Scoring failed") -> str:
    """Say to a user that something unforeseen went wrong; the rest of a long message is in the traceback."""
    if isinstance(error, MetricFailed):
        return str(error)
    return f"{what}: {first_line(error).rstrip('.')}."
