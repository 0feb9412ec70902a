"""The scores of a pair that is in no corpus, by what is chosen in Setup."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import partial

from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.evidence import Evidence
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.scores.identity import identify, rename_column
from parapluie_gui.scores.signature import Signature
from parapluie_gui.ui.setup.setup import Setup
from parapluie_gui.ui.state.chosen_scores import typed_scores
from parapluie_gui.ui.state.client import Client
from parapluie_gui.ui.state.evidence_reader import EvidenceReader
from parapluie_gui.work.events import Batch
from parapluie_gui.work.handle import Handle
from parapluie_gui.work.scoring_plan import ScoringPlan

#: Takes some scores of a pair: their values, evidence and prompts by column, and the judge's model.
ShowScores = Callable[[Mapping[str, float], Mapping[str, Evidence], Mapping[str, str], str], None]


@dataclass
class _Typed:
    """A pair on its way: who takes its scores, what these are called, and what each that has begun is computed with."""

    show: ShowScores
    source: str
    hypothesis: str
    names: Mapping[str, str] = field(default_factory=dict)
    signatures: dict[str, Signature] = field(default_factory=dict)


class TypedPairs:
    """Scores typed pairs with the metrics, judges and templates chosen in Setup."""

    def __init__(self, setup: Setup, client: Client, evidence: EvidenceReader) -> None:
        self._setup, self._client, self._evidence = setup, client, evidence

    def score(
        self, source: str, hypothesis: str, show: ShowScores, *, metrics: bool, judges: Collection[JudgeSettings]
    ) -> list[Handle]:
        """Score a pair by the metrics, by some of the judges, or by both; `show` is called as scores come."""
        requests = self._requests(metrics=metrics, judges=judges)
        return [self._ask(plan, _Typed(show, source, hypothesis, names)) for plan, names in requests]

    @property
    def judges(self) -> list[JudgeSettings]:
        """All judges that are asked."""
        return [each.judge for each in self._setup.plan.judgings]

    def _ask(self, plan: ScoringPlan, typed: _Typed) -> Handle:
        # A session holds the scores of its corpora only: these go to the score cache.
        corpus = Corpus("", [""], [typed.source], [typed.hypothesis])
        handle = self._client.score(corpus, plan, urgent=True)
        handle.started.connect(lambda event: typed.signatures.update({event.column: event.signature}))
        handle.scored.connect(partial(self._show, typed))
        return handle

    def _requests(
        self, *, metrics: bool, judges: Collection[JudgeSettings]
    ) -> list[tuple[ScoringPlan, dict[str, str]]]:
        """Return a plan for each of some judges, the metrics with the first, and what the columns are called here."""
        chosen = self._setup.plan.for_typed_pairs()
        alone = [(name, each.judgings[0]) for name, each in typed_scores(chosen)[0].items() if each.judgings]
        found: list[tuple[ScoringPlan, dict[str, str]]] = []
        specs = chosen.metrics if metrics else ()
        for judge in dict.fromkeys(judging.judge for _, judging in alone):
            templates = {name: judging.templates[0] for name, judging in alone if judging.judge == judge}
            if judge in judges:
                plan = ScoringPlan.of_judge(judge, templates.values(), () if found else specs)
                found.append((plan, {template.column: name for name, template in templates.items()}))
        return found or ([(ScoringPlan(specs, (), chosen.device), {})] if specs else [])

    def _show(self, pair: _Typed, batch: Batch) -> None:
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
            dict(signature.fields).get("model", "") if identify(column).judged else "",
        )
