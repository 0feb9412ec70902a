"""Metrics built on BERTScore that reward other words: ParaScore, ParaScore.Free and BERT-iBLEU."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parapluie_gui.errors import MetricError
from parapluie_gui.metrics.base import NO_REFERENCE, MetricInfo, without_references
from parapluie_gui.metrics.lexical.bleu import Bleu
from parapluie_gui.metrics.lexical.edit_distance import EditDistance
from parapluie_gui.metrics.neural.bertscore import CHUNK, TokenMatcher, empty
from parapluie_gui.metrics.neural.bertscore import INFO as BERTSCORE
from parapluie_gui.metrics.neural.model_files import MINILM
from parapluie_gui.scores.signature import Signature

#: The published toolkit's settings (Shen et al., EMNLP 2022, equations 4 to 6).
GAMMA = 0.35
OMEGA = 0.05
#: Niu et al. (EMNLP 2021), equation 2.
BETA = 4.0

_CHINESE = ("bert-base-chinese", MINILM)

PARASCORE = MetricInfo(
    id="parascore",
    title="ParaScore",
    family="embedding",
    low=-1.0 - OMEGA,
    high=1.0 + OMEGA * GAMMA,
    uses_reference=True,
    needs_reference=True,
    reference_form=False,
    needs=f"a reference for each pair, and {BERTSCORE.needs}",
    summary="BERTScore with the source or the reference, whichever is higher, and a bonus for other words.",
    cost="model",
    argument=BERTSCORE.argument,
    takes_model=True,
    options=(
        ("omega", f"weight of the bonus ({OMEGA})"),
        ("layer", "layer of the encoder"),
        ("lang", '"zh": bert-base-chinese, and spaces do not count in the edit distance'),
    ),
)

FREE = MetricInfo(
    id="parascore_free",
    title="ParaScore.Free",
    family="embedding",
    low=-1.0 - OMEGA,
    high=1.0 + OMEGA * GAMMA,
    reference_form=False,
    needs=BERTSCORE.needs,
    summary="BERTScore with the source, and a bonus for other words.",
    cost="model",
    argument=BERTSCORE.argument,
    takes_model=True,
    options=PARASCORE.options,
)

BERT_IBLEU = MetricInfo(
    id="bert_ibleu",
    title="BERT-iBLEU",
    family="embedding",
    low=0.0,
    high=1.0,
    reference_form=False,
    needs=BERTSCORE.needs,
    summary="Weighted harmonic mean of BERTScore and of what BLEU does not find to be copied.",
    cost="model",
    argument=BERTSCORE.argument,
    takes_model=True,
    options=(("layer", "layer of the encoder"), ("beta", f"weight of BERTScore ({BETA:g})")),
)


def diversity(distance: np.ndarray, gamma: float = GAMMA) -> np.ndarray:
    """Return DS, ParaScore's reward for other words: γ beyond the distance γ, else d·(γ+1)/γ − 1 (the same text: −1).

    Args:
        distance: Normalised edit distances d, in [0, 1].
        gamma: γ, in (0, 1].
    """
    return np.where(distance > gamma, gamma, distance * (gamma + 1) / gamma - 1)


def bert_ibleu(similarity: np.ndarray, self_bleu: np.ndarray, beta: float = BETA) -> np.ndarray:
    """Return (β+1) / (β/BERTScore + 1/(1 − SelfBLEU)): 0 for a copy, and where BERTScore is 0 or less."""
    with np.errstate(divide="ignore"):
        value = (beta + 1) / (beta / similarity + 1 / (1 - self_bleu))
    return np.where(np.isnan(similarity), np.nan, np.where(similarity > 0, value, 0.0))


class _OnBertScore:
    """What the three have in common: the encoder."""

    chunk = CHUNK

    def __init__(self, info: MetricInfo, matcher: TokenMatcher) -> None:
        self.info = info
        self._matcher = matcher
        self.announce = matcher.announce
        self.prepare = matcher.prepare
        self.readiness = matcher.choice.readiness

    def why_missing(self, source: str, hypothesis: str, reference: str | None = None) -> str:
        """Return why that pair has no number."""
        return empty(source, hypothesis)


class ParaScoreFree(_OnBertScore):
    """ParaScore.Free = Sim(S, H) + ω·DS(S, H), Sim the F1 of BERTScore (Shen et al., EMNLP 2022).

    Args:
        argument: Folder or hub id of an encoder; by default bert-base-uncased where it is at hand, else the MiniLM.
        layer: Its layer.
        omega: ω.
        lang: "zh" for Chinese: bert-base-chinese, and d counts no spaces.
    """

    def __init__(self, argument: str = "", layer: str = "", omega: str = "", lang: str = "") -> None:
        if lang not in ("", "zh", "en"):
            raise MetricError(f'ParaScore\'s lang is "en" or "zh", not "{lang}".')
        self._omega = _number("omega", omega, OMEGA)
        self._spaces = lang != "zh"
        matcher = TokenMatcher(argument, layer, _CHINESE) if lang == "zh" else TokenMatcher(argument, layer)
        super().__init__(FREE, matcher)

    def signature(self) -> Signature:
        """Return what its numbers depend on."""
        own = {
            "name": self.info.id,
            "gamma": GAMMA,
            "omega": self._omega,
            "spaces": "kept" if self._spaces else "removed",
        }
        return Signature.of(self.info.id, {**own, **self._matcher.fields()})

    def score(
        self, sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str | None] | None = None
    ) -> np.ndarray:
        """Return the score of each pair, float64 of shape (n,); NaN where a sentence is empty."""
        return np.asarray(self._matcher.match(sources, hypotheses)[:, 2] + self._bonus(sources, hypotheses))

    def _bonus(self, sources: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        if not self._spaces:
            sources, hypotheses = ([text.replace(" ", "") for text in texts] for texts in (sources, hypotheses))
        return self._omega * diversity(EditDistance().score(sources, hypotheses))


class ParaScore(ParaScoreFree):
    """ParaScore = max(Sim(S, H), Sim(R, H)) + ω·DS(S, H); takes the same arguments. NaN without a reference."""

    def __init__(self, argument: str = "", layer: str = "", omega: str = "", lang: str = "") -> None:
        super().__init__(argument, layer, omega, lang)
        self.info = PARASCORE

    def why_missing(self, source: str, hypothesis: str, reference: str | None = None) -> str:
        """Return why that pair has no number."""
        if reference is None or not reference.strip():
            return NO_REFERENCE
        return empty(source, hypothesis)

    def score(
        self, sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str | None] | None = None
    ) -> np.ndarray:
        """Return the score of each pair, float64 of shape (n,); NaN where a sentence or the reference is missing."""
        if references is None:
            raise without_references(self.info)
        with_reference = self._matcher.match([text or "" for text in references], hypotheses)[:, 2]
        with_source = self._matcher.match(sources, hypotheses)[:, 2]
        return np.asarray(np.maximum(with_source, with_reference) + self._bonus(sources, hypotheses))


class BertIbleu(_OnBertScore):
    """BERT-iBLEU of the hypothesis and the source, in [0, 1] (Niu et al., EMNLP 2021).

    SelfBLEU is this program's BLEU of the hypothesis against the source, under the rule that `bleu` names.

    Args:
        argument: Folder or hub id of an encoder; by default bert-base-uncased where it is at hand, else the MiniLM.
        layer: Its layer.
        beta: β, the weight of BERTScore.
    """

    def __init__(self, argument: str = "", layer: str = "", beta: str = "") -> None:
        super().__init__(BERT_IBLEU, TokenMatcher(argument, layer))
        self._beta = _number("beta", beta, BETA)
        self._bleu = Bleu()

    def signature(self) -> Signature:
        """Return what its numbers depend on."""
        bleu = {
            f"bleu_{name}": value for name, value in self._bleu.signature().fields if name in ("rule", "tok", "nltk")
        }
        return Signature.of(
            BERT_IBLEU.id, {"name": BERT_IBLEU.id, "beta": f"{self._beta:g}", **bleu, **self._matcher.fields()}
        )

    def score(
        self, sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str | None] | None = None
    ) -> np.ndarray:
        """Return the score of each pair, float64 of shape (n,) in [0, 1]; NaN where a sentence is empty."""
        similarity = self._matcher.match(sources, hypotheses)[:, 2]
        return bert_ibleu(similarity, self._bleu.score(sources, hypotheses), self._beta)


def _number(name: str, text: str, usual: float) -> float:
    try:
        return float(text) if text else usual
    except ValueError:
        raise MetricError(f"{name} is a number such as {usual:g}, not {text}.") from None
