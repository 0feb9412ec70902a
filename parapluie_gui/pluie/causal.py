"""The judge that writes text: a causal language model that answers a conversation about the pair."""

from __future__ import annotations

from collections.abc import Callable
from typing import Unpack

from parapluie_gui.models.kind import CAUSAL
from parapluie_gui.pluie.causal_model import CausalModel
from parapluie_gui.pluie.causal_scorer import CausalScorer
from parapluie_gui.pluie.judge import ScorerOptions
from parapluie_gui.pluie.templates import Template
from parapluie_gui.pluie.writer import CausalWriter
from parapluie_gui.pluie.writing import Sampling
from parapluie_gui.pluie.writing_templates import WritingTemplate


class CausalJudge(CausalModel):
    """A causal language model as a judge; see `Judge`."""

    kind = CAUSAL

    def scorer(self, template: Template, **options: Unpack[ScorerOptions]) -> CausalScorer:
        """Return what scores pairs under a conversation; see `Judge.scorer`."""
        return CausalScorer(self, template, **options)

    def writer(self, template: WritingTemplate, sampling: Sampling, warn: Callable[[str], None]) -> CausalWriter:
        """Return what writes paraphrases; see `Judge.writer`."""
        return CausalWriter(self, template, sampling, warn)
