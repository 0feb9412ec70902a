"""Base classes of judges, language models that answer yes or no about a pair, and the choice of the class for a model.

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

from parapluie_gui.feature import collect_parts
from parapluie_gui.models.catalogue import ModelFiles
from parapluie_gui.models.device import half_precision_on
from parapluie_gui.models.kind import CAUSAL, MASKED
from parapluie_gui.models.quantised import quantisation_type
from parapluie_gui.pluie.cost import TokenUsage
from parapluie_gui.pluie.evidence import AnswerEvidence, AnswerTokens
from parapluie_gui.pluie.judge_settings import COMPUTED_BY, JudgeSettings
from parapluie_gui.pluie.positions import length_matters
from parapluie_gui.pluie.prompt import PromptFrame
from parapluie_gui.pluie.templates import Template
from parapluie_gui.pluie.thoughts import format_opens_thought
from parapluie_gui.pluie.writing import SamplingSettings, WrittenParaphrase, writing_error
from parapluie_gui.pluie.writing_templates import WritingTemplate
from parapluie_gui.scores.identity import quantisation
from parapluie_gui.scores.signature import Signature

#: Revision of the computation of scores; increase it with each change, so that older stored scores are not reused.
REVISION = 1
#: The revision for models whose positions depend on the length of the text; revision 1 computed long prompts wrongly.
LENGTH_REVISION = 2

#: A function that runs the work on a batch and returns its result.
BatchGuard = Callable[[Callable[[], Any]], Any]

#: The judge classes of each kind of model, imported when they are needed. The last class loads every judge of its kind,
#: the classes before it load some judges. Classes of features come before these.
_CLASSES = {
    CAUSAL: ("parapluie_gui.pluie.causal:CausalJudge",),
    MASKED: ("parapluie_gui.pluie.light:LightJudge", "parapluie_gui.pluie.masked:MaskedJudge"),
}


@dataclass(frozen=True)
class PairScore:
    """A pair's score and its evidence.

    Attributes:
        row: The pair's number among the pairs of the scorer.
        score: log p(yes) − log p(no), natural logarithm, unbounded; NaN if the prompt is too long for the model.
        evidence: The probabilities, and the likeliest tokens and the explanation if the judge returns them.
        asked: Whether the model was asked; False if the prompt is too long for it.
    """

    row: int
    score: float
    evidence: AnswerEvidence
    asked: bool = True

    @property
    def is_broken(self) -> bool:
        """Whether the score is not finite: the weights are damaged, or numbers are too large for their type."""
        return self.asked and not math.isfinite(self.score)


class ScorerOptions(TypedDict, total=False):
    """Options of a scorer.

    Attributes:
        exact: Whether to score one pair at a time and share nothing between pairs, for reproduction.
        batch_tokens: Maximum number of tokens of one forward pass; 0 = the device's default.
        warn: Called with a sentence for the user.
        guard: Runs the work on one batch; may repeat it after an interruption.
    """

    exact: bool
    batch_tokens: int
    warn: Callable[[str], None]
    guard: BatchGuard


class TemplateScorer(ABC):
    """A scorer of pairs under one template with one judge."""

    signature: Signature

    @property
    @abstractmethod
    def frame(self) -> PromptFrame:
        """The exact text that the judge reads, with placeholders for the sentences."""

    @property
    @abstractmethod
    def answer_tokens(self) -> AnswerTokens:
        """The tokens of yes and of no, by the judge's tokeniser."""

    @abstractmethod
    def score(self, sources: Sequence[str], hypotheses: Sequence[str], seed: int = 0) -> Iterator[list[PairScore]]:
        """Yield the scores of all pairs, batch by batch in random order.

        Raises:
            ModelError: The judge cannot continue, for example because one pair does not fit into memory.
        """


class ParaphraseWriter(Protocol):
    """A writer of paraphrases with one judge under one template."""

    def write(self, sources: Sequence[str], numbers: Sequence[int]) -> list[WrittenParaphrase]:
        """Return one candidate for each of n sentences, with the given `numbers`, written in one batch.

        Raises:
            ModelError: A sentence is too long for the model.
        """


class Judge(ABC):
    """A language model that is ready to judge."""

    files: ModelFiles
    #: Whether loading the judge loads PyTorch and transformers.
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
        """Load a model without downloading anything; device and precision are as in `JudgeSettings`.

        `check` is called often while the judge computes; an exception from it ends the computation. `say` is called
        with a sentence for the user.

        Raises:
            ModelError: The device is missing, or the model cannot be used as a judge of this kind.
        """

    @classmethod
    @abstractmethod
    def signature(cls, files: ModelFiles, template: Template, settings: JudgeSettings) -> Signature:
        """Return the signature of the scores without loading the model.

        Raises:
            ModelError: The device or the precision does not exist.
        """

    @classmethod
    def may_load(cls, files: ModelFiles, device: str = "auto", precision: str = "auto") -> bool:
        """Return whether this class can load these files with these settings, judged by the files."""
        return True

    @classmethod
    def computation(cls, files: ModelFiles) -> str | None:
        """Return the name of the program that would compute the scores; None if only loading the model will show it."""
        return None

    @abstractmethod
    def describe(self, *, exact: bool = False) -> str:
        """Return one line for the user: name, size, precision, device and pass."""

    @abstractmethod
    def scorer(self, template: Template, **options: Unpack[ScorerOptions]) -> TemplateScorer:
        """Return a scorer of pairs under a template of this judge's kind.

        Raises:
            TemplateError: The template does not work with this model.
        """

    def spending(self) -> TokenUsage | None:
        """Return the requests and tokens since the judge was loaded; None if the judge does not count them."""
        return None

    def writer(
        self, template: WritingTemplate, sampling: SamplingSettings, warn: Callable[[str], None]
    ) -> ParaphraseWriter:
        """Return a writer of paraphrases; `warn` is called with a sentence for the user.

        Raises:
            TemplateError: The template does not work with this model.
            ModelError: The model fills gaps and cannot write.
        """
        raise writing_error(self.files.name)


def judge_class(files: ModelFiles, device: str = "auto", precision: str = "auto") -> type[Judge]:
    """Return the class that loads a judge with these settings."""
    from_features = [part.load for part in collect_parts("judges") if part.name == files.kind]
    classes: list[type[Judge]] = []
    for load in [*from_features, *(partial(pkgutil.resolve_name, name) for name in _CLASSES[files.kind])]:
        classes.append(load())
        if classes[-1].may_load(files, device, precision):
            break
    return classes[-1]


def describe_judge(name: str, parameters: int, where: str, computed_by: object) -> str:
    """Return a description such as "pocket: 22.7 M parameters, float32 on cpu, computed by transformers"."""
    size = f"{parameters / 1e9:.1f} B" if parameters >= 1e9 else f"{parameters / 1e6:.1f} M"
    return f"{name}: {size} parameters, {where}{COMPUTED_BY}{computed_by}"


def pluie_signature(
    files: ModelFiles, template: Template, precision: str, *, exact: bool, device: str = "cpu", engine: str = ""
) -> Signature:
    """Return the signature of ParaPLUIE scores.

    `device` is the type of the device; `engine` the name and version of the program that computes, "" for this one.

    The signature names the quantisation of the weights if it is not the ending of the model's name, and the corpus
    columns in the template if they go beyond the reference. Scores with such columns have different keys.
    """
    weights = quantisation_type(files.folder, files.gguf)
    return Signature.from_fields(
        template.column,
        {
            "name": template.column,
            "model": files.name,
            "revision": files.revision,
            **dict(() if files.remote is None else files.remote.fields),
            "template": f"{template.name}@{template.digest}",
            "answers": "/".join("+".join(side) for side in template.spellings),
            "precision": precision,
            **({"engine": engine} if engine else {}),
            **half_precision_on(device, precision),
            "mode": "exact" if exact else "shared",
            **({"weights": weights} if weights not in ("", quantisation(files.name)[1]) else {}),
            **({"columns": json.dumps(shown)} if (shown := template.columns) not in ((), ("reference",)) else {}),
            **({"thought": "closed"} if format_opens_thought(files) else {}),
            "scorer": LENGTH_REVISION if length_matters(files) else REVISION,
        },
    )
