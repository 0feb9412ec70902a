"""BLEU and iBLEU: how many runs of one to four words the hypothesis shares with the source."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version

import numpy as np

from parapluie_gui import __version__
from parapluie_gui.errors import MetricError
from parapluie_gui.metrics.base import MetricInfo
from parapluie_gui.metrics.lexical.ngrams import shared_runs, totals
from parapluie_gui.metrics.lexical.tokens import Words, flat
from parapluie_gui.scores.signature import Signature

INFO = MetricInfo(
    id="bleu",
    title="BLEU",
    family="lexical",
    low=0.0,
    high=1.0,
    summary="Runs of one to four words of the hypothesis that are in the source too; 0 when any length has none.",
    default=True,
    options=(("tok", "treebank (nltk's words, the default) or whitespace"),),
    parallel=True,
)

ALPHA = 0.2

IBLEU = MetricInfo(
    id="ibleu",
    title="iBLEU",
    family="lexical",
    low=-ALPHA,
    high=1.0,
    summary=f"BLEU with the reference minus {ALPHA} BLEU with the source; without a reference the source stands for "
    f"it, which leaves {1 - ALPHA} BLEU.",
    uses_reference=True,
    reference_form=False,
    parallel=True,
)

ORDERS = 4

_TOKENISERS = ("treebank", "whitespace")


class Bleu:
    """Sentence BLEU of the hypothesis against the source, by the rule of torchtext's `bleu_score`.

    Papineni et al. (ACL 2002) with n = 1..4, equal weights and the brevity penalty, without smoothing: a pair that
    shares no run of some length scores exactly 0, so a hypothesis under four tokens always does. In [0, 1].
    The ParaPLUIE paper uses torchtext (in single precision; here double) and does not name its tokeniser. Its table 1
    has 0.40±0.21 / 0.28±0.18 for MRPC; NLTKWordTokenizer gives 0.396±0.212 / 0.267±0.187, the older
    TreebankWordTokenizer the same to three decimals, white space 0.353±0.221 / 0.223±0.187.

    Args:
        tok: "treebank", nltk's NLTKWordTokenizer with the whole text taken as one sentence, or "whitespace".

    Raises:
        MetricError: There is no such tokeniser.
    """

    def __init__(self, tok: str = "treebank") -> None:
        if tok not in _TOKENISERS:
            raise MetricError(f'BLEU has no tokeniser "{tok}"; choose {" or ".join(_TOKENISERS)}.')
        self._words = Words(tok)

    @property
    def info(self) -> MetricInfo:
        """Return what its numbers mean."""
        return INFO

    def signature(self) -> Signature:
        """Return what its numbers depend on."""
        return Signature.of(INFO.id, {"name": INFO.id, **self.rule()})

    def rule(self) -> dict[str, object]:
        """Return the signature's fields but for the name."""
        fields: dict[str, object] = {
            "rule": "torchtext",
            "order": ORDERS,
            "smooth": "none",
            "case": "kept",
            "tok": self._words.tokeniser,
            "version": __version__,
        }
        return {**fields, "nltk": version("nltk")} if self._words.tokeniser == "treebank" else fields

    def score(
        self, sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str | None] | None = None
    ) -> np.ndarray:
        """Return the BLEU of each pair, float64 of shape (n,) in [0, 1]; references are not used."""
        if len(sources) != len(hypotheses):
            raise ValueError(f"{len(sources)} sources but {len(hypotheses)} hypotheses")
        rows = self._words.number([*hypotheses, *sources])
        candidate, length = flat(rows[: len(hypotheses)])
        reference, reference_length = flat(rows[len(hypotheses) :])
        return bleu(shared_runs(candidate, length, reference, reference_length, ORDERS), length, reference_length)


def bleu(shared: np.ndarray, length: np.ndarray, reference_length: np.ndarray) -> np.ndarray:
    """Return BLEU from counts, float64 of shape (n,) in [0, 1].

    `shared` says how many runs of 1 to 4 words candidate and reference share, shape (4, n); the lengths are their
    words, shape (n,).
    """
    matched = (shared > 0).all(axis=0)
    precision = np.where(matched, shared, 1) / np.maximum(totals(length, ORDERS), 1)
    brevity = np.exp(np.minimum(1.0 - reference_length / np.maximum(length, 1), 0.0))
    return np.where(matched, brevity * np.exp(np.log(precision).sum(axis=0) / ORDERS), 0.0)


class IBleu:
    """BLEU(H, R) - α BLEU(H, S), α = 0.2: near the reference, and not a copy of the source.

    Sun and Zhou (ACL 2012) in the form of the ParaScore paper (Shen et al., EMNLP 2022, section 4). A pair without a
    reference has its source stand for it, so that its number is 0.8 BLEU(H, S). In [-0.2, 1].
    """

    def __init__(self) -> None:
        self._bleu = Bleu()

    @property
    def info(self) -> MetricInfo:
        """Return what its numbers mean."""
        return IBLEU

    def signature(self) -> Signature:
        """Return what its numbers depend on."""
        fields = {"name": IBLEU.id, "alpha": ALPHA, "no_reference": "source", **self._bleu.rule()}
        return Signature.of(IBLEU.id, fields)

    def score(
        self, sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str | None] | None = None
    ) -> np.ndarray:
        """Return iBLEU of each pair, float64 of shape (n,) in [-0.2, 1]."""
        copied = self._bleu.score(sources, hypotheses)
        close = copied.copy()
        if references is not None:
            given = [(row, text) for row, text in enumerate(references) if text is not None]
            rows = [row for row, _ in given]
            close[rows] = self._bleu.score([text for _, text in given], [hypotheses[row] for row in rows])
        return close - ALPHA * copied
