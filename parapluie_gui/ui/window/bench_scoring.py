"""Between the Bench and the worker: a typed pair goes out, its scores, evidence and prompts come back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from PySide6.QtCore import QObject

from parapluie_gui import places
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.evidence import Evidence
from parapluie_gui.scores.identity import identify
from parapluie_gui.scores.signature import Signature
from parapluie_gui.ui.bench.entry import BenchEntry
from parapluie_gui.ui.bench.view import BenchView
from parapluie_gui.ui.setup.setup import Setup
from parapluie_gui.ui.state.evidence_reader import EvidenceReader
from parapluie_gui.ui.state.scoring import Scoring
from parapluie_gui.ui.state.session_settings import SessionSettings
from parapluie_gui.work.events import Batch, ColumnStarted, Event, Failed, Finished, StageChanged


class Taker(Protocol):
    """Takes what comes of a pair, by its own number for it; see `BenchView`."""

    def show_stage(self, request: int, text: str) -> None: ...

    def show_scores(
        self,
        request: int,
        values: Mapping[str, float],
        evidence: Mapping[str, Evidence] | None = None,
        prompts: Mapping[str, str] | None = None,
        model: str = "",
    ) -> None: ...

    def finish(self, request: int) -> None: ...

    def show_error(self, request: int, text: str) -> None: ...


@dataclass
class _Typed:
    """A pair on its way: who takes it, their number for it, and what each score that has begun is computed with."""

    taker: Taker
    request: int
    source: str
    hypothesis: str
    signatures: dict[str, Signature] = field(default_factory=dict)


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
        bench.score_requested.connect(partial(self.ask, bench))
        bench.history_changed.connect(self._keep)

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
        pair = _Typed(taker, request, source, hypothesis)
        self._scoring.score_beside(
            Corpus("", [""], [source], [hypothesis]),
            setup.metrics_for_one_pair() if metrics else (),
            setup.judge_settings(),
            setup.chosen_templates() if templates else (),
            # A session holds the scores of its corpora only.
            (places.score_cache(),),
            partial(self._hear, pair),
        )

    def _hear(self, pair: _Typed, event: Event) -> None:
        match event:
            case ColumnStarted():
                pair.signatures[event.column] = event.signature
            case Batch():
                self._show(pair, event)
            case StageChanged():
                pair.taker.show_stage(pair.request, event.text)
            case Failed():
                pair.taker.show_error(pair.request, event.text)
            case Finished():
                pair.taker.finish(pair.request)

    def _show(self, pair: _Typed, batch: Batch) -> None:
        column = next(iter(batch.values))
        evidence = batch.evidence[0] if batch.evidence else None
        prompt = None
        if evidence is not None:
            prompt = self._evidence.prompt_of(pair.signatures[column], pair.source, pair.hypothesis, evidence)
        pair.taker.show_scores(
            pair.request,
            {name: float(numbers[0]) for name, numbers in batch.values.items()},
            {} if evidence is None else {column: evidence},
            {} if prompt is None else {column: prompt},
            dict(pair.signatures[column].fields).get("model", "") if identify(column).judged else "",
        )

    def _keep(self, entries: list[BenchEntry]) -> None:
        self._settings.keep_bench([entry.as_dict() for entry in entries])
