"""Settings and results of a judge that writes paraphrases, importable without PyTorch."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from parapluie_gui.errors import ModelError
from parapluie_gui.models.catalogue import ModelFiles
from parapluie_gui.models.device import foresee, half_precision_on
from parapluie_gui.models.kind import CAUSAL
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.writing_templates import WritingTemplate
from parapluie_gui.scores.signature import Signature

#: Revision of the writing of texts; increase it with each change, so that an older run is not continued.
REVISION = 1


@dataclass(frozen=True)
class SamplingSettings:
    """The sampling of tokens when a judge writes.

    Attributes:
        temperature: Divisor of the logits; 0 always chooses the likeliest token.
        top_p: Total probability of the likeliest tokens, from which a token is drawn.
        seed: Random seed.
    """

    temperature: float = 0.7
    top_p: float = 0.95
    seed: int = 0

    def generator(self, source: str, number: int) -> np.random.Generator:
        """Return the random sequence for one numbered candidate of a sentence, independent of other texts."""
        text = f"{self.seed}|{number}|{source}".encode("utf-8", "surrogatepass")
        return np.random.default_rng(int.from_bytes(hashlib.blake2b(text, digest_size=16).digest()))


@dataclass(frozen=True)
class WrittenParaphrase:
    """A paraphrase of a sentence that a judge wrote.

    Attributes:
        number: The number among the sentence's candidates, from 1.
        text: The paraphrase; "" if the judge wrote none.
        cut: Whether the text was cut at the limit of tokens.
    """

    number: int
    text: str
    cut: bool = False


def check_can_write(files: ModelFiles) -> None:
    """Check that a model can write paraphrases.

    Raises:
        ModelError: The model fills gaps, or runs on a server.
    """
    if files.kind != CAUSAL:
        raise writing_error(files.name)
    if files.remote is not None:
        raise ModelError(
            f"{files.name} runs on a server, but only models on this computer can write paraphrases. Choose a model on "
            "this computer."
        )


def writing_error(name: str) -> ModelError:
    """Return the error for a model that fills gaps and cannot write."""
    return ModelError(
        f"{name} fills gaps in texts and cannot write paraphrases. Choose a model that writes, such as smollm2-135m."
    )


def writing_signature(
    files: ModelFiles, template: WritingTemplate, sampling: SamplingSettings, judge: JudgeSettings
) -> Signature:
    """Return the signature of candidates; their texts may differ between devices."""
    device, precision = foresee(judge.device, judge.precision)
    return Signature.from_fields(
        "paraphrase",
        {
            "model": files.name,
            "revision": files.revision,
            "template": f"{template.name}@{template.digest}",
            "temperature": f"{sampling.temperature:g}",
            "top_p": f"{sampling.top_p:g}",
            "seed": sampling.seed,
            "tokens": template.max_new_tokens,
            "precision": precision,
            **half_precision_on(device, precision),
            "writer": REVISION,
        },
    )


def remark_on_candidates(source: str, candidates: Sequence[WrittenParaphrase]) -> list[str]:
    """Return a remark on each of a sentence's candidates.

    The remark is "empty", "same as the source" or "repeats candidate 2" (both regardless of case and white space),
    "cut", or "" for most candidates.
    """
    seen = {_fold_text(source): "same as the source"}
    remarks = []
    for candidate in candidates:
        words = _fold_text(candidate.text)
        remark = "empty" if not words else seen.get(words, "cut" if candidate.cut else "")
        remarks.append(remark)
        seen.setdefault(words, f"repeats candidate {candidate.number}")
    return remarks


def _fold_text(text: str) -> str:
    return " ".join(text.casefold().split())
