"""What is asked of a judge that writes paraphrases, and what it answers: plain values, light to import."""

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

#: Raised when texts come about in another way, so that a part written before is not gone on with.
REVISION = 1


@dataclass(frozen=True)
class Sampling:
    """How a judge writes.

    Attributes:
        temperature: Divides the logits; 0 takes the likeliest token each time.
        top_p: Only the likeliest tokens that together have this probability are drawn from.
        seed: Another seed, other texts.
    """

    temperature: float = 0.7
    top_p: float = 0.95
    seed: int = 0

    def generator(self, source: str, number: int) -> np.random.Generator:
        """Return the random sequence of a sentence's candidate of this number, whatever else is written beside it."""
        text = f"{self.seed}|{number}|{source}".encode("utf-8", "surrogatepass")
        return np.random.default_rng(int.from_bytes(hashlib.blake2b(text, digest_size=16).digest()))


@dataclass(frozen=True)
class Candidate:
    """What a judge wrote after a sentence.

    Attributes:
        number: Which of the sentence's candidates it is, counted from 1.
        text: The paraphrase; "" if the judge wrote none.
        cut: Whether it ended at the limit of tokens and not by itself.
    """

    number: int
    text: str
    cut: bool = False


def check_can_write(files: ModelFiles) -> None:
    """Refuse a model that fills gaps.

    Raises:
        ModelError: It is one.
    """
    if files.kind != CAUSAL:
        raise refuse_writing(files.name)
    if files.remote is not None:
        raise ModelError(f"{files.name} runs on a server, and paraphrases are written by models on this computer only.")


def refuse_writing(name: str) -> ModelError:
    """Return the error for a model that fills gaps and is to write."""
    return ModelError(
        f"{name} fills gaps in texts and cannot write paraphrases. Choose a model that writes, such as smollm2-135m."
    )


def writing_signature(
    files: ModelFiles, template: WritingTemplate, sampling: Sampling, judge: JudgeSettings
) -> Signature:
    """Return what a candidate's text depends on; on another device it may be another."""
    device, precision = foresee(judge.device, judge.precision)
    return Signature.of(
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


def remark_on_candidates(source: str, candidates: Sequence[Candidate]) -> list[str]:
    """Return what is to be said of each of a sentence's candidates, "" for most.

    "empty", "same as the source", "repeats candidate 2" (but for capitals and white space), or "cut".
    """
    seen = {_folded(source): "same as the source"}
    found = []
    for candidate in candidates:
        words = _folded(candidate.text)
        remark = "empty" if not words else seen.get(words, "cut" if candidate.cut else "")
        found.append(remark)
        seen.setdefault(words, f"repeats candidate {candidate.number}")
    return found


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
