"""A judge without PyTorch, as for a server: it only returns scores and two probabilities."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Self, Unpack

from parapluie_gui.models.catalogue import ModelFiles
from parapluie_gui.pluie.evidence import AnswerEvidence, AnswerTokens
from parapluie_gui.pluie.judge import Judge, PairScore, ScorerOptions, TemplateScorer, pluie_signature
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.prompt import PromptFrame
from parapluie_gui.pluie.templates import Template
from parapluie_gui.scores.signature import Signature


class PlainJudge(Judge):
    def __init__(self, files: ModelFiles) -> None:
        self.files = files

    @classmethod
    def load(
        cls,
        files: ModelFiles,
        device: str = "auto",
        precision: str = "auto",
        check: Callable[[], None] = lambda: None,
        say: Callable[[str], None] = lambda text: None,
    ) -> Self:
        return cls(files)

    @classmethod
    def signature(cls, files: ModelFiles, template: Template, settings: JudgeSettings) -> Signature:
        return pluie_signature(files, template, "as served", exact=settings.exact)

    def describe(self, *, exact: bool = False) -> str:
        return f"{self.files.name} on a server"

    def scorer(self, template: Template, **options: Unpack[ScorerOptions]) -> TemplateScorer:
        return PlainScorer(self, template)


class PlainScorer(TemplateScorer):
    def __init__(self, judge: PlainJudge, template: Template) -> None:
        self.signature = pluie_signature(judge.files, template, "as served", exact=False)

    @property
    def frame(self) -> PromptFrame:
        return PromptFrame("\ue000 \ue001?")

    @property
    def answer_tokens(self) -> AnswerTokens:
        return ((("Yes", ("Yes",)),), (("No", ("No",)),))

    def score(self, sources: Sequence[str], hypotheses: Sequence[str], seed: int = 0) -> Iterator[list[PairScore]]:
        yield [PairScore(row, math.log(3), AnswerEvidence(0.75, 0.25)) for row in range(len(sources))]
