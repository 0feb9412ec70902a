"""Metrics based on BERTScore that reward different wording: ParaScore, ParaScore.Free and BERT-iBLEU."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from parapluie_gui.arrays import Scores
from parapluie_gui.errors import MetricError
from parapluie_gui.metrics.base import NO_REFERENCE, References, Texts
from parapluie_gui.metrics.lexical.bleu import Bleu
from parapluie_gui.metrics.lexical.edit_distance import EditDistance
from parapluie_gui.metrics.neural.bertscore import DEFAULT_ENCODERS, BertScore, TokenMetric, layer
from parapluie_gui.metrics.neural.model_files import MINILM
from parapluie_gui.options import choice, decimal, switch

#: The published toolkit's settings of equations 7 and 8 (Shen et al., EMNLP 2022).
GAMMA = 0.35
OMEGA = 0.05
#: β of BERT-iBLEU (Niu et al., EMNLP 2021), as in equation 10, appendix D of the ParaScore paper.
BETA = 4.0

_CHINESE = ("bert-base-chinese", MINILM)


def diversity(distance: Scores, gamma: float = GAMMA) -> Scores:
    """Return DS, ParaScore's reward for different wording, of edit distances d in [0, 1].

    DS is γ for d > γ, otherwise d·(γ+1)/γ − 1 (−1 for the same text).
    """
    return np.where(distance > gamma, gamma, distance * (gamma + 1) / gamma - 1)


def bert_ibleu(similarity: Scores, self_bleu: Scores, beta: float = BETA) -> Scores:
    """Return (β+1) / (β/BERTScore + 1/(1 − SelfBLEU)); 0 for a copy, or if BERTScore is not positive."""
    with np.errstate(divide="ignore"):
        value = (beta + 1) / (beta / similarity + 1 / (1 - self_bleu))
    return np.where(np.isnan(similarity), np.nan, np.where(similarity > 0, value, 0.0))


@dataclass(frozen=True)
class ParaScoreOptions:
    """Options of ParaScore and ParaScore.Free."""

    omega: float = decimal("Omega", -100, 100, OMEGA, "weight of the bonus", decimals=3)
    gamma: float = decimal("Gamma", 0.001, 1, GAMMA, "distance beyond which the bonus no longer grows", decimals=3)
    threshold: bool = switch(
        "Threshold",
        "keep the bonus constant beyond gamma (off: the bonus is the edit distance)",
        default=True,
    )
    layer: int = layer()
    lang: str = choice(
        "Language",
        {"en": "any", "zh": "Chinese"},
        "language (zh: bert-base-chinese, and spaces do not count in the edit distance)",
        default="en",
    )


class ParaScoreFree(TokenMetric):
    """ParaScore.Free = Sim(S, H) + ω·DS(S, H), where Sim is the F1 of BERTScore (Shen et al., EMNLP 2022).

    Args:
        lang: "zh" for Chinese: bert-base-chinese, and d ignores spaces.
        argument, layer: As for BERTScore.
        omega, gamma, threshold: See `ParaScoreOptions`.
    """

    info = replace(
        BertScore.info,
        id="parascore_free",
        title="ParaScore.Free",
        low=-1.0 - OMEGA,
        high=1.0 + OMEGA * GAMMA,
        reference_form=False,
        summary="BERTScore with the source, plus a bonus for different wording.",
        options=ParaScoreOptions,
    )

    def __init__(
        self,
        argument: str = "",
        layer: int = ParaScoreOptions.layer,
        omega: float = ParaScoreOptions.omega,
        lang: str = ParaScoreOptions.lang,
        gamma: float = ParaScoreOptions.gamma,
        threshold: bool = ParaScoreOptions.threshold,
    ) -> None:
        super().__init__(argument, layer, _CHINESE if lang == "zh" else DEFAULT_ENCODERS)
        self._omega, self._gamma = omega, gamma
        if not threshold and gamma != GAMMA:
            raise MetricError(
                "ParaScore's gamma sets the threshold, but the threshold is off. Write parascore,gamma=0.5 or "
                "parascore,threshold=off."
            )
        self._cut = threshold
        self._spaces = lang != "zh"

    def fields(self) -> dict[str, object]:
        spaces = "kept" if self._spaces else "removed"
        gamma = f"{self._gamma:g}" if self._cut else "none"
        return {"gamma": gamma, "omega": self._omega, "spaces": spaces, **super().fields()}

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        return self.match(sources, hypotheses)[:, 2] + self._bonus(sources, hypotheses)

    def _bonus(self, sources: Texts, hypotheses: Texts) -> Scores:
        if not self._spaces:
            sources, hypotheses = ([text.replace(" ", "") for text in texts] for texts in (sources, hypotheses))
        distance = EditDistance().score(sources, hypotheses)
        return self._omega * (diversity(distance, self._gamma) if self._cut else distance)


class ParaScore(ParaScoreFree):
    """ParaScore = max(Sim(S, H), Sim(R, H)) + ω·DS(S, H). NaN without a reference."""

    info = replace(
        ParaScoreFree.info,
        id="parascore",
        title="ParaScore",
        uses_reference=True,
        needs_reference=True,
        needs=f"a reference for each pair, and {BertScore.info.needs}",
        summary="BERTScore with the source or the reference, whichever is higher, plus a bonus for different wording.",
    )

    def why_missing(self, source: str, hypothesis: str, reference: str | None = None) -> str:
        if reference is None or not reference.strip():
            return NO_REFERENCE
        return super().why_missing(source, hypothesis)

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        with_reference = self.match([text or "" for text in references or ()], hypotheses)[:, 2]
        with_source = self.match(sources, hypotheses)[:, 2]
        return np.maximum(with_source, with_reference) + self._bonus(sources, hypotheses)


@dataclass(frozen=True)
class BertIbleuOptions:
    """Options of BERT-iBLEU."""

    layer: int = layer()
    beta: float = decimal("Beta", 0, 1000, BETA, "weight of BERTScore")


class BertIbleu(TokenMetric):
    """BERT-iBLEU of the hypothesis and the source, in [0, 1] (Niu et al., EMNLP 2021); β is the weight of BERTScore.

    SelfBLEU is this program's BLEU of the hypothesis against the source.
    """

    info = replace(
        BertScore.info,
        id="bert_ibleu",
        title="BERT-iBLEU",
        low=0.0,
        high=1.0,
        reference_form=False,
        summary="Weighted harmonic mean of BERTScore and of 1 − BLEU, which rewards different wording.",
        options=BertIbleuOptions,
    )

    def __init__(
        self, argument: str = "", layer: int = BertIbleuOptions.layer, beta: float = BertIbleuOptions.beta
    ) -> None:
        super().__init__(argument, layer)
        self._beta = beta
        self._bleu = Bleu()

    def fields(self) -> dict[str, object]:
        own = dict(self._bleu.signature().fields)
        bleu = {f"bleu_{name}": own[name] for name in ("rule", "tok", "cjk", "nltk", "sacrebleu")}
        return {"beta": f"{self._beta:g}", **bleu, **super().fields()}

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        similarity = self.match(sources, hypotheses)[:, 2]
        return bert_ibleu(similarity, self._bleu.score(sources, hypotheses), self._beta)
