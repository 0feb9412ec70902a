"""Between the Bench and the worker: a typed pair goes out, its scores, evidence and prompts come back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from PySide6.QtCore import QObject

from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.evidence import Evidence
from parapluie_gui.scores.identity import identify
from parapluie_gui.scores.signature import Signature
from parapluie_gui.ui.bench.entry import BenchEntry
from parapluie_gui.ui.bench.view import BenchView
from parapluie_gui.ui.setup.setup import Setup
from parapluie_gui.ui.state.client import Client
from parapluie_gui.ui.state.evidence_reader import EvidenceReader
from parapluie_gui.ui.state.session_settings import SessionSettings
from parapluie_gui.work.events import Batch
from parapluie_gui.work.handle import Handle
from parapluie_gui.work.scoring_plan import ScoringPlan

#: Takes some scores of a pair: their values, evidence and prompts by column, and the judge's model.
ShowScores = Callable[[Mapping[str, float], Mapping[str, Evidence], Mapping[str, str], str], None]


@dataclass
class _Typed:
    """A pair on its way: who takes its scores, and what each that has begun is computed with."""

    show: ShowScores
    source: str
    hypothesis: str
    signatures: dict[str, Signature] = field(default_factory=dict)


class BenchScoring(QObject):
    """Scores the pairs of the Bench with the metrics, judge and templates chosen in Setup."""

    def __init__(
        self,
        bench: BenchView,
        client: Client,
        setup: Setup,
        settings: SessionSettings,
        evidence: EvidenceReader,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._bench, self._client, self._setup = bench, client, setup
        self._settings, self._evidence = settings, evidence
        bench.score_requested.connect(self._score_typed)
        bench.history_changed.connect(self._keep)

    def score(
        self, source: str, hypothesis: str, show: ShowScores, *, metrics: bool = True, templates: bool = True
    ) -> Handle:
        """Score a pair, by the metrics alone, by the judge alone, or by both; `show` is called as scores come."""
        setup, typed = self._setup, _Typed(show, source, hypothesis)
        plan = ScoringPlan(
            tuple(setup.metrics_for_one_pair()) if metrics else (),
            setup.judge_settings(),
            tuple(setup.chosen_templates()) if templates else (),
        )
        # A session holds the scores of its corpora only: these go to the score cache.
        handle = self._client.score(Corpus("", [""], [source], [hypothesis]), plan, urgent=True)
        handle.started.connect(lambda event: typed.signatures.update({event.column: event.signature}))
        handle.scored.connect(partial(self._show, typed))
        return handle

    def _score_typed(self, request: int, source: str, hypothesis: str) -> None:
        bench = self._bench
        handle = self.score(source, hypothesis, partial(bench.show_scores, request))
        handle.staged.connect(lambda event: bench.show_stage(request, event.text))
        handle.failed.connect(lambda event: bench.show_error(request, event.text))
        handle.finished.connect(lambda event: bench.finish(request))

    def _show(self, pair: _Typed, batch: Batch) -> None:
        column = next(iter(batch.values))
        signature = pair.signatures[column]
        evidence = batch.evidence[0] if batch.evidence else None
        prompt = None
        if evidence is not None:
            prompt = self._evidence.prompt_of(signature, pair.source, pair.hypothesis, evidence)
        pair.show(
            {name: float(numbers[0]) for name, numbers in batch.values.items()},
            {} if evidence is None else {column: evidence},
            {} if prompt is None else {column: prompt},
            dict(signature.fields).get("model", "") if identify(column).judged else "",
        )

    def _keep(self, entries: list[BenchEntry]) -> None:
        self._settings.keep_bench([entry.as_dict() for entry in entries])
