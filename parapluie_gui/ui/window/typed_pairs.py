"""Scoring of a pair outside any corpus with the metrics and judges chosen in Setup."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import partial

from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.evidence import AnswerEvidence
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.scores.identity import identify, rename_column
from parapluie_gui.scores.signature import Signature
from parapluie_gui.ui.setup.setup import SetupView
from parapluie_gui.ui.state.chosen_scores import typed_scores
from parapluie_gui.ui.state.client import WorkerClient
from parapluie_gui.ui.state.evidence_reader import EvidenceReader
from parapluie_gui.work.events import ScoreBatch
from parapluie_gui.work.handle import RequestHandle
from parapluie_gui.work.scoring_plan import ScoringPlan

#: Receives scores of a pair: values, evidence and prompts by column, and the judge's model.
ShowScores = Callable[[Mapping[str, float], Mapping[str, AnswerEvidence], Mapping[str, str], str], None]


@dataclass
class _PendingPair:
    """A pair being scored.

    Attributes:
        show: Receives the scores.
        source, hypothesis: The sentences.
        names: Displayed column names, by the plan's columns.
        signatures: Signatures of the started columns.
    """

    show: ShowScores
    source: str
    hypothesis: str
    names: Mapping[str, str] = field(default_factory=dict)
    signatures: dict[str, Signature] = field(default_factory=dict)


class TypedPairs:
    """Scores typed pairs with the metrics, judges and templates chosen in Setup."""

    def __init__(self, setup: SetupView, client: WorkerClient, evidence: EvidenceReader) -> None:
        self._setup, self._client, self._evidence = setup, client, evidence

    def score(
        self, source: str, hypothesis: str, show: ShowScores, *, metrics: bool, judges: Collection[JudgeSettings]
    ) -> list[RequestHandle]:
        """Score a pair with the metrics, some of the judges, or both; `show` is called for each batch of scores."""
        requests = self._requests(metrics=metrics, judges=judges)
        return [self._ask(plan, _PendingPair(show, source, hypothesis, names)) for plan, names in requests]

    @property
    def judges(self) -> list[JudgeSettings]:
        """All judges chosen in Setup."""
        return [judging.judge for judging in self._setup.plan.judgings]

    def _ask(self, plan: ScoringPlan, pair: _PendingPair) -> RequestHandle:
        # These scores go to the score cache, as a session holds only those of its corpora.
        corpus = Corpus("", [""], [pair.source], [pair.hypothesis])
        handle = self._client.score(corpus, plan, urgent=True)
        handle.started.connect(lambda event: pair.signatures.update({event.column: event.signature}))
        handle.scored.connect(partial(self._show, pair))
        return handle

    def _requests(
        self, *, metrics: bool, judges: Collection[JudgeSettings]
    ) -> list[tuple[ScoringPlan, dict[str, str]]]:
        """Return a plan with displayed column names for each judge; the first includes the metrics."""
        chosen = self._setup.plan.for_typed_pairs()
        alone = [(name, plan.judgings[0]) for name, plan in typed_scores(chosen)[0].items() if plan.judgings]
        plans: list[tuple[ScoringPlan, dict[str, str]]] = []
        specs = chosen.metrics if metrics else ()
        for judge in dict.fromkeys(judging.judge for _, judging in alone):
            templates = {name: judging.templates[0] for name, judging in alone if judging.judge == judge}
            if judge in judges:
                plan = ScoringPlan.from_judge(judge, templates.values(), () if plans else specs)
                plans.append((plan, {template.column: name for name, template in templates.items()}))
        return plans or ([(ScoringPlan(specs, (), chosen.device), {})] if specs else [])

    def _show(self, pair: _PendingPair, batch: ScoreBatch) -> None:
        asked = next(iter(batch.values))
        signature, column = pair.signatures[asked], pair.names.get(asked, asked)
        evidence = batch.evidence[0] if batch.evidence else None
        prompt = None
        if evidence is not None:
            prompt = self._evidence.prompt_of(signature, pair.source, pair.hypothesis, evidence)
        pair.show(
            {rename_column(name, asked, column): float(numbers[0]) for name, numbers in batch.values.items()},
            {} if evidence is None else {column: evidence},
            {} if prompt is None else {column: prompt},
            dict(signature.fields).get("model", "") if identify(column).is_from_judge else "",
        )
