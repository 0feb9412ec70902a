"""PEM as a metric: the overall score, or one of its three components."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from parapluie_gui import places
from parapluie_gui.arrays import Scores
from parapluie_gui.errors import MetricError
from parapluie_gui.features.pem.evidence import PemEvidence
from parapluie_gui.features.pem.model import PemModel
from parapluie_gui.features.pem.scorer import COMPONENTS, PemScorer
from parapluie_gui.metrics.base import READY, Metric, MetricInfo, MetricReadiness, References, Texts
from parapluie_gui.metrics.lexical.characters import UNSPACED, is_unspaced, unspaced_pairs
from parapluie_gui.models.manifest import sha256
from parapluie_gui.options import choice, keys_as_titles

#: The values of `part`, with the range of each.
PARTS = {
    "overall": (-math.inf, math.inf),
    "adequacy": (0.0, 1.0),
    "fluency": (-math.inf, 0.0),
    "target": (0.0, 1.0),
}


def default_model() -> Path:
    """Return the English model that ships with the program."""
    return places.resources() / "pem" / "en.npz"


@dataclass(frozen=True)
class PemOptions:
    """Options of PEM."""

    part: str = choice("Part", keys_as_titles(list(PARTS)), "which of PEM's components is the score", default="overall")


class Pem(Metric):
    """PEM of Liu, Dahlmeier and Ng (EMNLP 2010), the hypothesis against the source.

    Overall is on the scale 1 to 5 of human scores (as a regression, it can exceed it slightly). Adequacy is the F1 of
    the bags of pivot language n-grams, fluency is log Pr(hypothesis) per word (natural logarithm), and target is the F1
    of the bags of the sentences' own n-grams, low for different wording. All words are stemmed (section 6.1 of the
    paper). With the English model, a pair at least half of whose letters are Chinese or Japanese has no score (NaN).

    Args:
        argument: A model's file; by default the English one that ships with the program.
        part: A name of `PARTS`.
    """

    info = MetricInfo(
        id="pem",
        title="PEM",
        family="pivot",
        low=-math.inf,
        high=math.inf,
        cost="fast",
        argument="file of a PEM model (parapluie pem train)",
        options=PemOptions,
        parallel=True,
        languages="en",
        usual_model=default_model().name,
        summary="How alike the translations of both sentences are, how fluent the hypothesis is and how differently it "
        "is worded, "
        "combined by a regression on human scores from 1 to 5.",
    )

    def __init__(self, argument: str = "", part: str = PemOptions.part) -> None:
        self.part = part
        self.file = places.expand_user_path(argument) if argument else default_model()
        self._english = not argument
        low, high = PARTS[part]
        self.info = dataclasses.replace(self.info, low=low, high=high)

    def readiness(self) -> MetricReadiness:
        """Check that the model's file exists."""
        if self.file.is_file():
            return READY
        return MetricReadiness(f"There is no PEM model {self.file}. Train one with `parapluie pem train`.")

    def fields(self) -> dict[str, object]:
        characters = {"cjk": "none"} if self._english else {}
        return {"part": self.part, "model": self.file.name, "sha256": _digest(*self._file_version()), **characters}

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        scorer = self._scorer()
        components = scorer.components(sources, hypotheses)
        if self.part == "overall":
            scores = scorer.overall(components)
        else:
            scores = components[:, COMPONENTS.index(self.part)].copy()
        if self._english:
            scores[unspaced_pairs(sources, hypotheses)] = np.nan
        return scores

    def explain(self, source: str, hypothesis: str) -> PemEvidence:
        """Return the evidence for the score of one pair.

        Raises:
            MetricError: The model is missing or unusable.
        """
        return self._scorer().explain(source, hypothesis)

    def why_missing(self, source: str, hypothesis: str, reference: str | None = None) -> str:
        for name, text in (("source", source), ("hypothesis", hypothesis)):
            if not text.strip():
                return f"the {name} is empty"
        return UNSPACED if self._english and is_unspaced(source, hypothesis) else ""

    def _scorer(self) -> PemScorer:
        return _load(*self._file_version())

    def _file_version(self) -> tuple[Path, int]:
        """Return the model's file and its time of modification.

        Raises:
            MetricError: The file is missing.
        """
        if missing := self.readiness().missing:
            raise MetricError(missing)
        return self.file, self.file.stat().st_mtime_ns


@lru_cache(maxsize=2)
def _load(file: Path, modified_ns: int) -> PemScorer:
    """Return the scorer of a model's file; shared, so that the parts of PEM read each sentence once."""
    return PemScorer(PemModel.load(file))


@lru_cache(maxsize=8)
def _digest(file: Path, modified_ns: int) -> str:
    return sha256(file)[:16]
