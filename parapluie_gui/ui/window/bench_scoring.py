"""Between the Bench and the worker: a typed pair goes out, its scores, evidence and prompts come back."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Protocol

from PySide6.QtCore import QObject

from parapluie_gui import places
from parapluie_gui.pluie.evidence import Evidence
from parapluie_gui.ui.bench.entry import BenchEntry
from parapluie_gui.ui.bench.view import BenchView
from parapluie_gui.ui.setup.setup import Setup
from parapluie_gui.ui.state.evidence_reader import EvidenceReader
from parapluie_gui.ui.state.scoring import BenchPair, Scoring
from parapluie_gui.ui.state.session_settings import SessionSettings
from parapluie_gui.work.job import Batch


class Taker(Protocol):
    """Takes what comes of a pair, by its own number for it; see `BenchView`."""

    def show_stage(self, request: int, text: str) -> None: ...

    def show_scores(
        self,
        request: int,
        values: Mapping[str, float],
        evidence: Mapping[str, Evidence] | None = None,
        prompts: Mapping[str, str] | None = None,
    ) -> None: ...

    def finish(self, request: int) -> None: ...

    def show_error(self, request: int, text: str) -> None: ...


class BenchScoring(QObject):
    """Scores the pairs of the Bench with the metrics, judge and templates chosen in Setup."""

    def __init__(
        self,
        bench: BenchView,
        scoring: Scoring,
        setup: Setup,
        settings: SessionSettings,
        evidence: EvidenceReader,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._scoring, self._setup = scoring, setup
        self._settings, self._evidence = settings, evidence
        self._last = 0
        self._asked: dict[int, tuple[Taker, int]] = {}
        bench.score_requested.connect(partial(self.ask, bench))
        bench.history_changed.connect(self._keep)
        scoring.bench_scored.connect(self._show)
        scoring.typed_staged.connect(self._show_stage)
        scoring.typed_ended.connect(self._end)

    def ask(
        self,
        taker: Taker,
        request: int,
        source: str,
        hypothesis: str,
        *,
        metrics: bool = True,
        templates: bool = True,
    ) -> None:
        """Score a pair, by the metrics alone, by the judge alone, or by both; the taker hears of it."""
        setup = self._setup
        self._last += 1
        self._asked[self._last] = taker, request
        self._scoring.score_pair(
            self._last,
            source,
            hypothesis,
            setup.metrics_for_one_pair() if metrics else (),
            setup.judge_settings(),
            setup.chosen_templates() if templates else (),
            # A session holds the scores of its corpora only.
            (places.score_cache(),),
        )

    def _show(self, pair: BenchPair, batch: Batch) -> None:
        column = next(iter(batch.values))
        evidence = batch.evidence[0] if batch.evidence else None
        prompt = None
        if evidence is not None:
            prompt = self._evidence.prompt_of(pair.signatures[column], pair.source, pair.hypothesis, evidence)
        taker, request = self._asked[pair.request]
        taker.show_scores(
            request,
            {name: float(numbers[0]) for name, numbers in batch.values.items()},
            {} if evidence is None else {column: evidence},
            {} if prompt is None else {column: prompt},
        )

    def _show_stage(self, number: int, text: str) -> None:
        taker, request = self._asked[number]
        taker.show_stage(request, text)

    def _end(self, number: int, error: str) -> None:
        taker, request = self._asked.pop(number)
        if error:
            taker.show_error(request, error)
        else:
            taker.finish(request)

    def _keep(self, entries: list[BenchEntry]) -> None:
        self._settings.keep_bench([entry.as_dict() for entry in entries])
