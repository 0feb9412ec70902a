"""What a judge is: a language model that says yes or no of a pair, and how its scores come; all kinds are listed here.

Lemesle et al. (COLING 2025): score = log p(yes | Tpl(S, H)) − log p(no | Tpl(S, H)). The paper computes it as a
difference of two losses, (T+1)·(loss(Tpl∘no) − loss(Tpl∘yes)); a judge reads both answers at the answer position.
"""

from __future__ import annotations

import json
import math
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Protocol, Self, TypedDict, Unpack

from parapluie_gui.feature import brought
from parapluie_gui.models.catalogue import ModelFiles
from parapluie_gui.models.device import half_precision_on
from parapluie_gui.models.kind import CAUSAL, MASKED
from parapluie_gui.models.quantised import quantisation_type
from parapluie_gui.pluie.cost import Spending
from parapluie_gui.pluie.evidence import AnswerTokens, Evidence
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.positions import length_matters
from parapluie_gui.pluie.prompt import PromptFrame
from parapluie_gui.pluie.templates import Template
from parapluie_gui.pluie.thoughts import format_opens_thought
from parapluie_gui.pluie.writing import Candidate, Sampling, refuse_writing
from parapluie_gui.pluie.writing_templates import WritingTemplate
from parapluie_gui.scores.identity import quantisation
from parapluie_gui.scores.signature import Signature

#: Raised when the way a score is computed changes, so that stored scores of the old way are not taken for new ones.
REVISION = 1
#: The same for models whose positions depend on the length of the text: until 1, long prompts were computed wrongly.
LENGTH_REVISION = 2

BatchGuard = Callable[[Callable[[], Any]], Any]

#: The classes of each kind's judges, imported when the first of them is wanted: the last loads every judge of its kind,
#: those before it load some of them. Those of features are asked first.
_CLASSES = {
    CAUSAL: ("parapluie_gui.pluie.causal:CausalJudge",),
    MASKED: ("parapluie_gui.pluie.light:LightJudge", "parapluie_gui.pluie.masked:MaskedJudge"),
}


@dataclass(frozen=True)
class PairScore:
    """A pair's score and where it comes from.

    Attributes:
        row: The pair's number in what was given to the scorer.
        score: log p(yes) − log p(no), natural logarithm, unbounded; NaN when the prompt is too long for the model.
        evidence: Probabilities, and where the judge gives them likeliest tokens and explanation.
        asked: Whether the model was asked; not if the prompt is too long for it.
    """

    row: int
    score: float
    evidence: Evidence
    asked: bool = True

    @property
    def broken(self) -> bool:
        """True if the model's answer is no number: its weights are damaged, or its numbers too large for their type."""
        return self.asked and not math.isfinite(self.score)


class ScorerOptions(TypedDict, total=False):
    """How pairs are scored.

    Attributes:
        exact: One pair at a time, nothing shared, for reproduction.
        batch_tokens: Most tokens of one forward pass; 0 = the device's default.
        warn: Takes a sentence that the user should know.
        guard: Runs the work on one batch; may do it again when it was interrupted on the way.
    """

    exact: bool
    batch_tokens: int
    warn: Callable[[str], None]
    guard: BatchGuard


class TemplateScorer(ABC):
    """Scores pairs under one template with one judge."""

    signature: Signature

    @property
    @abstractmethod
    def frame(self) -> PromptFrame:
        """The exact text that the judge reads, with marks where the sentences go."""

    @property
    @abstractmethod
    def answer_tokens(self) -> AnswerTokens:
        """The tokens that the judge's tokeniser makes of yes and of no."""

    @abstractmethod
    def score(self, sources: Sequence[str], hypotheses: Sequence[str], seed: int = 0) -> Iterator[list[PairScore]]:
        """Yield the scores of all pairs, batch by batch in random order.

        Raises:
            ModelError: The judge cannot go on; not even one pair fits into memory.
        """


class ParaphraseWriter(Protocol):
    """Writes paraphrases with one judge under one template."""

    def write(self, sources: Sequence[str], numbers: Sequence[int]) -> list[Candidate]:
        """Return the candidate of one number for each of n sentences, written side by side.

        Raises:
            ModelError: A sentence is too long for the model.
        """


class Judge(ABC):
    """A language model that is ready to judge."""

    files: ModelFiles
    #: Whether PyTorch and transformers are loaded for it.
    needs_pytorch: ClassVar[bool] = True

    @classmethod
    @abstractmethod
    def load(
        cls,
        files: ModelFiles,
        device: str = "auto",
        precision: str = "auto",
        check: Callable[[], None] = lambda: None,
        say: Callable[[str], None] = lambda text: None,
    ) -> Self:
        """Make a model ready; nothing is downloaded, and device and precision are as in `JudgeSettings`.

        `check` is called often while the judge computes; what it raises ends the computing. `say` takes a sentence that
        the user should know.

        Raises:
            ModelError: The device is not there, or the model is not one that can judge in this way.
        """

    @classmethod
    @abstractmethod
    def signature(cls, files: ModelFiles, template: Template, settings: JudgeSettings) -> Signature:
        """Return the signature that its scores will have; nothing is loaded for it.

        Raises:
            ModelError: There is no such device or precision.
        """

    @classmethod
    def may_load(cls, files: ModelFiles, device: str = "auto", precision: str = "auto") -> bool:
        """Return True if this class is one for these files and settings, as far as a look at the files tells."""
        return True

    @classmethod
    def computation(cls, files: ModelFiles) -> str | None:
        """Return what would compute its scores here, in words; None where that shows only once it is loaded."""
        return None

    @abstractmethod
    def describe(self, *, exact: bool = False) -> str:
        """Return one line for the user: name, size, precision, device, and what computes its scores."""

    @abstractmethod
    def scorer(self, template: Template, **options: Unpack[ScorerOptions]) -> TemplateScorer:
        """Return what scores pairs under a template of this judge's kind.

        Raises:
            TemplateError: The template cannot be put to this model.
        """

    def spending(self) -> Spending | None:
        """Return what was asked of it since it was loaded, for a judge that counts that; None for the others."""
        return None

    def writer(self, template: WritingTemplate, sampling: Sampling, warn: Callable[[str], None]) -> ParaphraseWriter:
        """Return what writes paraphrases; `warn` takes a sentence that the user should know.

        Raises:
            TemplateError: The template cannot be put to this model.
            ModelError: It fills gaps.
        """
        raise refuse_writing(self.files.name)


def judge_class(files: ModelFiles, device: str = "auto", precision: str = "auto") -> type[Judge]:
    """Return the class that loads a judge with these settings."""
    found: list[type[Judge]] = []
    brings = [part.load for part in brought("judges") if part.name == files.kind]
    for load in [*brings, *(partial(pkgutil.resolve_name, name) for name in _CLASSES[files.kind])]:
        found.append(load())
        if found[-1].may_load(files, device, precision):
            break
    return found[-1]


def describe_judge(name: str, parameters: int, where: str, computed_by: object) -> str:
    """Return a judge's line: "pocket: 22.7 M parameters, float32 on cpu, computed by transformers"."""
    size = f"{parameters / 1e9:.1f} B" if parameters >= 1e9 else f"{parameters / 1e6:.1f} M"
    return f"{name}: {size} parameters, {where}, computed by {computed_by}"


def pluie_signature(
    files: ModelFiles, template: Template, precision: str, *, exact: bool, device: str = "cpu"
) -> Signature:
    """Return what a ParaPLUIE score depends on; `device` is the type of it.

    How the weights are quantised is said where the model's own name does not end in it, and which columns of the corpus
    the template shows where it is not the reference alone: scores have a key of their own with these.
    """
    weights = quantisation_type(files.folder, files.gguf)
    return Signature.of(
        template.column,
        {
            "name": template.column,
            "model": files.name,
            "revision": files.revision,
            **dict(() if files.remote is None else files.remote.fields),
            "template": f"{template.name}@{template.digest}",
            "answers": "/".join("+".join(side) for side in template.spellings),
            "precision": precision,
            **half_precision_on(device, precision),
            "mode": "exact" if exact else "shared",
            **({"weights": weights} if weights not in ("", quantisation(files.name)[1]) else {}),
            **({"columns": json.dumps(shown)} if (shown := template.columns) not in ((), ("reference",)) else {}),
            **({"thought": "closed"} if format_opens_thought(files) else {}),
            "scorer": LENGTH_REVISION if length_matters(files) else REVISION,
        },
    )
