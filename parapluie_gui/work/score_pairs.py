"""The request for scores of pairs: metrics first, then one template after the other."""

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
from parapluie_gui.metrics.base import AllReferences, Metric, MetricContext, no_references_error
from parapluie_gui.metrics.neural.model_metric import ModelMetric
from parapluie_gui.models.device import EACH_GPU
from parapluie_gui.models.unread import describe_unread_pairs, find_unread_pairs
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.cost import TokenUsage
from parapluie_gui.pluie.evidence import AnswerEvidence, parse_stored_evidence
from parapluie_gui.pluie.judge import Judge, PairScore, judge_class
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.prompt import join_columns
from parapluie_gui.pluie.templates import Template, check_template_kinds
from parapluie_gui.scores.identity import identify
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.work import process_pool
from parapluie_gui.work.column_remarks import SHORT, ColumnRemarks, cut_evidence
from parapluie_gui.work.context import RequestContext, UnexpectedError
from parapluie_gui.work.each_gpu import EachGpu
from parapluie_gui.work.events import (
    ColumnRemarked,
    ColumnStarted,
    Event,
    JobNotice,
    JudgeLoaded,
    ScoreBatch,
    StageChanged,
)
from parapluie_gui.work.gate import JobCancelled
from parapluie_gui.work.meter import ProgressMeter
from parapluie_gui.work.process_pool import ProcessPool
from parapluie_gui.work.request import PairsRequest, PairTexts
from parapluie_gui.work.score_stores import ScoreStores
from parapluie_gui.work.scoring_plan import JudgeTemplates, ScoringPlan
from parapluie_gui.work.unscored import empty_cells_notice, missing_column_error, nan_error, nan_notice

#: Maximum number of pairs of a metric in a batch, and the target duration of a batch in seconds: a pause and a cancel
#: wait for its end.
CHUNK = 2000
CHUNK_SECONDS = 0.1
#: For a metric with a model, the number of chunks within which pairs are sorted by length.
WINDOW = 16
#: Number of pairs after which the user is warned if all scores are NaN so far.
EARLY = 50


@dataclass(frozen=True)
class ScorePairs(PairsRequest):
    """A request to score pairs according to a plan.

    Attributes:
        stores: SQLite files in which stored scores are looked up and new scores are stored.
        seed: Seed of the order in which pairs are scored.
        metric_files: SHA-256 of the user's metric files that may run, by spec; None allows any file that the plan
            names.
        share: Whether the pairs are a share of a larger request, which has already warned about their language.
    """

    plan: ScoringPlan
    stores: tuple[Path, ...] = ()
    seed: int = 0
    metric_files: Mapping[str, str] | None = None
    share: bool = False

    @classmethod
    def from_corpus(
        cls,
        corpus: Corpus,
        plan: ScoringPlan,
        stores: Sequence[Path],
        *,
        metric_files: Mapping[str, str] | None = None,
    ) -> ScorePairs:
        """Copy the pairs of a corpus into a request."""
        return cls(PairTexts.from_corpus(corpus, plan.columns), plan, tuple(stores), metric_files=metric_files)

    def wanted_judge(self) -> JudgeSettings | None:
        """Return the first judge."""
        return self.plan.judgings[0].judge if self.plan.judgings else None

    def run(self, context: RequestContext) -> None:
        """Emit each column with its scores, stored scores first; new scores are stored before they are emitted."""
        with ScoreStores(self.stores, context.notice) as stores:
            _ScoringRun(self, context, stores).run()


class _ScoringRun:
    """The computation of one request."""

    def __init__(self, request: ScorePairs, context: RequestContext, stores: ScoreStores) -> None:
        self._request, self._context, self._stores = request, context, stores
        self._pairs, self._plan = request.pairs, request.plan
        self._keys_with: dict[tuple[str, ...], Sequence[bytes]] = {}
        self._keys = self._keys_for(())
        count = len(self._pairs)
        columns = len(self._plan.metrics) + len(self._plan.templates)
        self._meter = ProgressMeter(columns * count, pairs=count)
        self._warned: set[str] = set()
        self._column_names = ScoreTable(0)
        self._counting: tuple[Judge, TokenUsage] | None = None
        self._remarks = ColumnRemarks(
            self._warn,
            lambda *remark: context.emit(ColumnRemarked(context.job, *remark)),
        )

    def run(self) -> None:
        """Compute the metrics, then the judges.

        A column that fails does not stop the others; the first error is raised at the end.
        """
        errors: list[Exception] = []
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
            with self._collecting_errors(name, errors):
                metric = catalogue.metric(name)
                if self._request.metric_files is not None:
                    consent.check(name, metric, self._request.metric_files)
                metric.announce(context)
                if metric.info.needs_reference and not any(self._pairs.references or ()):
                    self._report_early(no_references_error(metric.info), errors)
                    continue
                metrics.append((name, metric))
                del metric
        for template in self._plan.templates:
            if missing := self._missing_columns(template):
                self._report_early(missing_column_error(template, missing[0]), errors)
        while metrics:
            with self._collecting_errors(metrics[0][0], errors):
                # removed from the list, so that its network can be freed
                self._compute_metric(*metrics.popleft(), context)
        if not self._context.urgent:
            self._context.models.forget()
        judgings = self._plan.judgings
        if len(judgings) == 1:
            self._run_judge(judgings[0], errors)
        else:
            for judging in judgings:
                with self._collecting_errors(judging.judge.model, errors):
                    self._run_judge(judging, errors)
        if errors:
            raise errors[0]

    @property
    def _describes_pairs(self) -> bool:
        """Whether pairs about which scores say little are named: at each run, even if all scores are stored."""
        return not (self._request.share or self._context.urgent)

    @contextlib.contextmanager
    def _collecting_errors(self, name: str, errors: list[Exception]) -> Iterator[None]:
        """Record an error of a metric or a judge, so that the others continue."""
        try:
            yield
        except JobCancelled:
            raise
        except Exception as error:
            traceback.clear_frames(error.__traceback__)  # tracebacks keep the model and its tensors alive
            known = error if isinstance(error, ParapluieError) else packages.find_missing_package(error)
            self._record(known or UnexpectedError.from_error(error, f"{name} failed"), errors)

    def _record(self, failure: Exception, errors: list[Exception]) -> None:
        """Record an error; the first one ends the job, and later ones are shown as notices."""
        if errors:
            self._warn(str(failure))
        errors.append(failure)

    def _report_early(self, failure: Exception, errors: list[Exception]) -> None:
        """Record an error and show it now: the other columns may take hours."""
        self._warn(str(failure))
        errors.append(failure)

    def _compute_metric(self, name: str, metric: Metric, context: MetricContext) -> None:
        references = self._pairs.reference_columns if metric.info.uses_reference else ()
        keys = self._keys_for(references)
        signature = metric.signature().with_references(references)
        network = getattr(metric, "metric", metric)  # of a variant
        order = np.random.default_rng(self._request.seed).permutation(self._start_column(signature, keys))
        column, count, began = self._column_names.place(signature.column, signature), len(order), 0.0
        if self._describes_pairs:
            sentence = metric.remark(self._pairs.sources, self._pairs.hypotheses)
            self._remarks.say(column, sentence, cut=metric.unread)
        if len(order):
            if metric.info.cost == "model":
                self._context.load_libraries()
            self._context.gate.guard(partial(metric.prepare, context))
        if metric.chunk:
            order = self._sort_by_length(order, metric.chunk * WINDOW)
        self._meter.begin(typical=not self._plan.judgings)

        def store(rows: Rows, values: Scores) -> None:
            evidence = None
            if isinstance(network, ModelMetric):
                cut = [any(map(network.was_cut, self._texts_of_row(row))) for row in rows.tolist()]
                self._remarks.add_cut(column, rows[cut].tolist())
                evidence = cut_evidence(cut)
            self._stores.put(signature, [keys[row] for row in rows.tolist()], values, evidence=evidence)
            self._deliver(rows, {signature.column: values})

        def finish() -> None:
            self._remarks.say_cut(column, metric.info.title)
            if count:
                self._remarks.say_cost(column, time.monotonic() - began, count, self._device_of(network))

        size, shortest, began = metric.chunk or 1, math.inf, time.monotonic()
        with (
            ProcessPool(name) if process_pool.is_worthwhile(metric, len(order)) else contextlib.nullcontext() as helpers
        ):
            while len(order):
                if helpers is not None and helpers.ready():
                    self._score_in_pool(helpers, order, store)
                    break
                started = time.monotonic()
                rows, order = order[:size], order[size:]
                store(rows, self._context.gate.guard(partial(metric.score, *self._texts_of_rows(rows))))
                duration = time.monotonic() - started
                shortest = min(shortest, duration)
                # Larger batches spread the fixed cost of a call over more pairs.
                target = max(CHUNK_SECONDS, 3 * shortest)
                if not metric.chunk and duration < target / 2:
                    size = min(size * 2, CHUNK)
                elif not metric.chunk and duration > target:
                    size = max(size // 2, 1)
        finish()

    @staticmethod
    def _device_of(network: object) -> str:
        """Return the device of a metric's network, or "cpu"."""
        loaded = getattr(network, "network", None) or getattr(getattr(network, "encoder", None), "loaded", None)
        return str(getattr(loaded, "device", "cpu"))

    def _texts_of_row(self, row: int) -> tuple[str, ...]:
        references = [texts[row] for name in self._pairs.reference_columns if (texts := self._pairs.column(name))]
        return tuple(filter(None, (self._pairs.sources[row], self._pairs.hypotheses[row], *references)))

    def _score_in_pool(self, helpers: ProcessPool, order: Rows, store: Callable[[Rows, Scores], None]) -> None:
        """Compute these rows in other processes; store and emit their scores in this process."""
        gate = self._context.gate
        waiting: deque[Rows] = deque()
        while len(order) or waiting:
            while len(order) and helpers.has_room:
                rows, order = order[:CHUNK], order[CHUNK:]
                helpers.send(*self._texts_of_rows(rows))
                waiting.append(rows)
            store(waiting.popleft(), gate.guard(partial(helpers.receive, gate.check)))

    def _texts_of_rows(self, rows: Rows) -> tuple[list[str], list[str], AllReferences]:
        pairs, numbers = self._pairs, rows.tolist()
        texts = [pairs.sources[row] for row in numbers], [pairs.hypotheses[row] for row in numbers]
        return *texts, pairs.references_of(numbers)

    def _sort_by_length(self, rows: Rows, window: int) -> Rows:
        """Return the rows sorted by length within windows, which saves padding and still fills the plot evenly."""
        sources, hypotheses, _ = self._texts_of_rows(rows)
        lengths = np.array([max(map(len, pair)) for pair in zip(sources, hypotheses, strict=True)])
        parts = [slice(start, start + window) for start in range(0, len(rows), window)]
        return np.concatenate([rows[part][np.argsort(lengths[part], kind="stable")] for part in parts] or [rows])

    def _run_judge(self, judging: JudgeTemplates, errors: list[Exception]) -> None:
        settings, gpus = judging.judge.locate(self._context.stage), None
        files = settings.files
        check_template_kinds(files.kind, files.name, judging.templates)
        unread: list[int] = []
        if files.gguf is None and files.remote is None and self._describes_pairs:
            unread = find_unread_pairs(files.folder, self._pairs.sources, self._pairs.hypotheses)
        remark = describe_unread_pairs(files.name, unread, self._pairs.sources, self._pairs.hypotheses)
        if settings.device == EACH_GPU:
            gpus = self._context.judges.take(EACH_GPU, self._start_gpus)
            settings = replace(settings, device=gpus.devices[0])
        kind = judge_class(files, settings.device, settings.precision)
        work: list[tuple[Template, Rows]] = []
        for template in judging.templates:
            if self._missing_columns(template):
                continue
            signature = kind.signature(files, template, settings)
            missing = self._start_column(signature, self._keys_for(template.columns))
            column = self._column_names.place(signature.column, signature)
            self._remarks.say(column, remark, cut=unread)
            if len(missing) < len(self._pairs):
                self._remarks.take_frame(column, self._stores.frame(signature))
            if not len(missing):
                self._remarks.say_cut(column, template.name)
            work.append((template, self._drop_incomplete(template, signature, missing)))
        # If all scores are stored, neither the model nor PyTorch is needed.
        if not any(len(missing) for _, missing in work):
            return
        if gpus is not None:
            descriptions: set[str] = set()
            for template, missing in work:
                try:
                    self._on_each_gpu(
                        gpus, template, kind.signature(files, template, settings), settings, missing, descriptions
                    )
                except ParapluieError as error:
                    if str(error) not in map(str, errors):
                        self._record(error, errors)
            return
        judge = self._context.judge(files, settings)
        before = judge.spending()
        self._counting = None if before is None else (judge, before)
        self._context.say_loaded(judge, exact=settings.exact, notices=(files.note,) if files.note else ())
        broken: list[str] = []
        for template, missing in work:
            if len(missing):
                try:
                    if not self._score_template(judge, template, settings, missing):
                        broken.append(template.name)
                except TemplateError as error:  # the model's chat format refuses the template
                    self._record(error, errors)
        if broken:
            under = f" under {join_words(broken)}" if len(broken) < len(work) else ""
            self._record(nan_error(files.name, under, settings), errors)

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
        descriptions: set[str],
    ) -> None:
        """Compute the missing pairs in one process for each GPU, which stores the scores of its share.

        `descriptions` holds the descriptions of loaded models that were already emitted under earlier templates.
        """
        column = self._column_names.place(signature.column, signature)
        columns, left = (column, *identify(column).evidence), set(missing.tolist())
        earlier = frozenset(descriptions)

        def ask(rows: Rows, device: str) -> ScorePairs:
            plan = ScoringPlan.from_judge(replace(settings, device=device), (template,))
            return replace(self._request, pairs=self._pairs.take(rows), plan=plan, share=True)

        def receive(rows: Rows, event: Event) -> None:
            if isinstance(event, ScoreBatch):
                scored_rows = rows[event.rows]
                left.difference_update(scored_rows.tolist())
                values = dict(zip(columns, event.values.values(), strict=True))
                self._deliver(scored_rows, values, fresh=event.fresh, evidence=event.evidence)
            elif isinstance(event, JudgeLoaded) and event.description not in earlier:
                descriptions.add(event.description)
                self._context.emit(JudgeLoaded(self._context.job, event.description))
                for notice in event.notices:
                    self._warn(notice)
            elif isinstance(event, StageChanged):
                self._context.stage(event.text)
            elif isinstance(event, ColumnRemarked):
                cut = tuple(rows[list(event.cut)].tolist())
                self._context.emit(replace(event, job=self._context.job, column=column, cut=cut))
            elif isinstance(event, JobNotice):
                self._warn(event.text)

        def score_left() -> None:
            shares = gpus.shares(np.array(sorted(left), dtype=np.intp), ask)
            gpus.run(shares, receive, self._context.gate.check, urgent=self._context.urgent)

        self._meter.begin()
        self._context.gate.guard(score_left)

    def _score_template(self, judge: Judge, template: Template, settings: JudgeSettings, missing: Rows) -> bool:
        """Score the missing pairs under a template; return False if all answers are NaN.

        If other pairs have scores, NaN is stored, as for an undefined metric. If all are NaN, the model is broken and
        may work after a repair or on a different device, so nothing is stored.
        """
        scorer = judge.scorer(
            template,
            exact=settings.exact,
            batch_tokens=settings.batch_tokens,
            warn=self._warn,
            guard=self._context.gate.guard,
        )
        self._stores.put_frame(scorer.signature, scorer.frame.to_json())
        column = self._column_names.place(scorer.signature.column, scorer.signature)
        for notice in scorer.frame.notices:
            self._remarks.say(column, notice, shown=True)
        sources, hypotheses, _ = self._texts_of_rows(missing)
        if shown := self._shown_columns(template):
            sources = [
                join_columns(source, (str(texts[row]) for texts in shown))
                for source, row in zip(sources, missing.tolist(), strict=True)
            ]
        keys = self._keys_for(template.columns)
        self._meter.begin()
        works = len(missing) < len(self._pairs)
        broken: list[PairScore] = []
        began = time.monotonic()
        for scored in scorer.score(sources, hypotheses, self._request.seed):
            broken += [answer for answer in scored if answer.is_broken]
            works = works or any(math.isfinite(answer.score) for answer in scored)
            self._remarks.add_cut(column, [int(missing[answer.row]) for answer in scored if answer.evidence.cut > 0])
            self._store(scorer.signature, keys, missing, [answer for answer in scored if not answer.is_broken])
            self._send(scorer.signature, missing, scored)
            if not works and len(broken) >= EARLY:
                self._warn(
                    f"{judge.files.name} has answered NaN for every pair so far with the template {template.name}."
                )
        self._remarks.say_cut(column, template.name)
        place = getattr(judge, "device", None) or (judge.computation(judge.files) or "cpu").partition(",")[0]
        self._remarks.say_cost(column, time.monotonic() - began, len(missing), str(place))
        if works:
            self._store(scorer.signature, keys, missing, broken)
            if broken:
                self._warn(nan_notice(judge.files.name, template.name, len(broken), settings))
        return works or not broken

    def _shown_columns(self, template: Template) -> list[tuple[str | None, ...]]:
        """Return the texts of the further columns that a template shows."""
        return [texts for name in template.columns if (texts := self._pairs.column(name)) is not None]

    def _drop_incomplete(self, template: Template, signature: Signature, rows: Rows) -> Rows:
        """Return the rows whose cells in the template's columns are all filled; the other pairs get no score."""
        if not template.columns:
            return rows
        shown = self._shown_columns(template)
        is_complete = np.array([all(texts[row] for texts in shown) for row in rows.tolist()], dtype=np.bool_)
        incomplete = rows[~is_complete]
        column = self._column_names.place(signature.column, signature)
        columns = (column, *identify(column).evidence)
        if len(incomplete):
            self._warn(empty_cells_notice(template, len(incomplete)))
            self._deliver(incomplete, dict.fromkeys(columns, np.full(len(incomplete), np.nan)))
        return rows[is_complete]

    def _missing_columns(self, template: Template) -> list[str]:
        """Return the columns of a template that are missing or empty in these pairs."""
        return [name for name in template.columns if not any(self._pairs.column(name) or ())]

    def _keys_for(self, columns: tuple[str, ...]) -> Sequence[bytes]:
        """Return the pairs' keys with these columns, computed once."""
        if columns not in self._keys_with:
            self._keys_with[columns] = self._pairs.keys(columns)
        return self._keys_with[columns]

    def _store(self, signature: Signature, keys: Sequence[bytes], missing: Rows, scored: list[PairScore]) -> None:
        """Store ParaPLUIE scores of some of the missing rows."""
        if scored:
            scored_keys = [keys[missing[answer.row]] for answer in scored]
            evidence = [answer.evidence.to_json() for answer in scored]
            self._stores.put(signature, scored_keys, *_score_arrays(scored), evidence)

    def _send(self, signature: Signature, missing: Rows, scored: list[PairScore]) -> None:
        """Emit a batch of ParaPLUIE scores that has been stored."""
        column = self._column_names.place(signature.column, signature)
        columns = (column, *identify(column).evidence)
        evidence = tuple(answer.evidence for answer in scored) if self._context.urgent else ()
        rows = missing[[answer.row for answer in scored]]
        self._deliver(rows, dict(zip(columns, _score_arrays(scored), strict=True)), evidence=evidence)

    def _start_column(self, signature: Signature, keys: Sequence[bytes]) -> Rows:
        """Emit the start of a column and its stored scores, and return the missing rows."""
        column = self._column_names.declare(signature.column, signature)
        self._context.gate.guard(lambda: None)
        self._context.emit(ColumnStarted(self._context.job, column, signature))
        stored = self._stores.stored_scores(signature, keys)
        if identify(column).is_from_judge and not np.isfinite(stored.value[stored.known]).any():
            stored.known[:] = False  # NaN from a broken model, which earlier versions stored
        rows = np.flatnonzero(stored.known)
        if len(rows):
            values = {column: stored.value[rows]}
            if identify(column).is_from_judge:
                values |= zip(identify(column).evidence, (stored.p_yes[rows], stored.p_no[rows]), strict=True)
            evidence: tuple[AnswerEvidence | None, ...] = ()
            if self._context.urgent:
                texts = self._stores.evidence(signature, [keys[row] for row in rows.tolist()])
                evidence = tuple(map(parse_stored_evidence, texts))
            self._deliver(rows, values, fresh=False, evidence=evidence)
            self._add_stored_cut(signature, column, keys, rows)
        return np.flatnonzero(~stored.known)

    def _add_stored_cut(self, signature: Signature, column: str, keys: Sequence[bytes], rows: Rows) -> None:
        """Add the cut pairs among stored ones; only models cut, and only long pairs."""
        if self._context.urgent or "model" not in dict(signature.fields):
            return
        long = [row for row in rows.tolist() if sum(map(len, self._texts_of_row(row))) > SHORT]
        if long:
            self._remarks.add_stored_cut(column, long, self._stores.evidence(signature, [keys[row] for row in long]))

    def _deliver(
        self,
        rows: Rows,
        values: dict[str, Scores],
        *,
        fresh: bool = True,
        evidence: tuple[AnswerEvidence | None, ...] = (),
    ) -> None:
        self._context.emit(ScoreBatch(self._context.job, rows, values, fresh, evidence))
        progress = self._meter.count(self._context.job, len(rows), next(iter(values)), fresh=fresh)
        if progress:
            self._context.emit(replace(progress, spending=self._spending()))

    def _spending(self) -> TokenUsage | None:
        """Return the judge's requests and tokens since the job began, None if it does not count them."""
        if self._counting is None or (now := self._counting[0].spending()) is None:
            return None
        return now.subtract(self._counting[1])

    def _warn(self, text: str) -> None:
        if text not in self._warned:
            self._warned.add(text)
            self._context.notice(text)


def _score_arrays(scored: Sequence[PairScore]) -> tuple[Scores, Scores, Scores]:
    """Return n scores, with NaN for infinite ones, p(yes) and p(no)."""
    score = np.array([answer.score for answer in scored])
    score[~np.isfinite(score)] = np.nan
    p_yes = np.array([answer.evidence.p_yes for answer in scored])
    return score, p_yes, np.array([answer.evidence.p_no for answer in scored])
