"""What causal and masked judges have in common: a Hugging Face model in this process, and pairs scored in batches."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Generic, Protocol, Self, TypeVar

import numpy as np

from parapluie_gui.arrays import Rows
from parapluie_gui.models.device import choose_device, choose_precision, foresee
from parapluie_gui.models.loading import check_before_layers, hold_weights, load_files
from parapluie_gui.pluie.batches import WINDOW, BatchMemory, grouped
from parapluie_gui.pluie.fast.choice import Pass
from parapluie_gui.pluie.judge import Guard, Judge, Scored, Scorer, description, pluie_signature

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from parapluie_gui.models.catalogue import ModelFiles
    from parapluie_gui.pluie.judge_settings import JudgeSettings
    from parapluie_gui.pluie.templates import Template
    from parapluie_gui.scores.signature import Signature

#: Most tokens (padding included, shared prefix not) of one forward pass. On a CPU larger batches gain nothing and
#: make the scatter fill in jerks; a GPU needs them to be busy.
BATCH_TOKENS = {"cpu": 1024, "mps": 4096, "cuda": 16384}

Item = TypeVar("Item")


def summed(logs: torch.Tensor) -> torch.Tensor:
    """Return the logarithms (n,) of the sums of n rows of numbers that are given by their logarithms."""
    return logs[:, 0] if logs.shape[1] == 1 else logs.logsumexp(1)


class PytorchJudge(Judge):
    """A loaded Hugging Face model."""

    kind: ClassVar[str]

    def __init__(
        self,
        files: ModelFiles,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        device: torch.device,
        precision: str,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self.files = files
        self.model = model.eval()
        self.tokenizer = tokenizer
        self.device = device
        self.precision = precision
        # Tied weights are one tensor here; some are taken apart and packed below.
        self._parameters = sum(weight.numel() for weight in model.parameters())
        self.computed_by = self._prepare(check)
        if not files.gguf:
            hold_weights(self.model)  # only now: what was packed is a copy already
        check_before_layers(self.model, check)

    @property
    def batch_tokens(self) -> int:
        """Most tokens of one forward pass where nobody names another number."""
        return BATCH_TOKENS[self.device.type]

    @abstractmethod
    def _prepare(self, check: Callable[[], None]) -> Pass:
        """Make the model answer at few positions only, and choose what computes it."""

    @classmethod
    def load(
        cls,
        files: ModelFiles,
        device: str = "auto",
        precision: str = "auto",
        check: Callable[[], None] = lambda: None,
    ) -> Self:
        """Load a model from its local files; see `Judge.load`."""
        where = choose_device(device)
        how = choose_precision(precision, where)
        model, tokenizer = load_files(files, where, how, cls.kind)
        return cls(files, model, tokenizer, where, how, check)

    @classmethod
    def signature(cls, files: ModelFiles, template: Template, settings: JudgeSettings) -> Signature:
        """Return the signature that its scores will have; see `Judge.signature`."""
        precision = foresee(settings.device, settings.precision)[1]
        return pluie_signature(files, template, precision, exact=settings.exact)

    def describe(self, *, exact: bool = False) -> str:
        """Return a line such as "bert: 110.1 M parameters, float32 on cpu, computed by transformers"."""
        computed_by = self.computed_by.in_exact_mode() if exact else self.computed_by
        return description(self.files.name, self._parameters, f"{self.precision} on {self.device}", computed_by)


class BatchJudge(Protocol):
    """What scoring in batches must know of a judge: its files, where it computes, and most tokens of one pass."""

    files: ModelFiles
    precision: str

    @property
    def device(self) -> object: ...
    @property
    def batch_tokens(self) -> int: ...


class BatchScorer(Scorer, Generic[Item]):
    """Scores the pairs of one template in batches of tokens; options as `ScorerOptions`."""

    def __init__(
        self,
        judge: BatchJudge,
        template: Template,
        *,
        exact: bool = False,
        batch_tokens: int = 0,
        warn: Callable[[str], None] = lambda text: None,
        guard: Guard = lambda work: work(),
    ) -> None:
        self.template = template
        self.exact = exact
        self.signature = pluie_signature(judge.files, template, judge.precision, exact=exact)
        self._warn = warn
        self._guard = guard
        self._memory = BatchMemory(batch_tokens or judge.batch_tokens, str(judge.device), warn)

    def score(self, sources: Sequence[str], hypotheses: Sequence[str], seed: int = 0) -> Iterator[list[Scored]]:
        """Yield the scores of all pairs; see `Scorer.score`."""
        # A window of random pairs at a time: sorted by length inside, so that a batch wastes little on padding, while
        # the first batches are already a fair sample of the corpus.
        random = np.random.default_rng(seed)
        order = self._order(sources, random)
        for start in range(0, len(order), WINDOW):
            items = self._encoded(order[start : start + WINDOW].tolist(), sources, hypotheses)
            batches = [[item] for item in items] if self.exact else self._batches(items)
            for number in random.permutation(len(batches)):
                yield self._guard(partial(self._judged, batches[number], sources, hypotheses))

    def _order(self, sources: Sequence[str], random: np.random.Generator) -> Rows:
        """Return the numbers of all pairs in the order in which they are scored."""
        return random.permutation(len(sources))

    @abstractmethod
    def _encoded(self, rows: list[int], sources: Sequence[str], hypotheses: Sequence[str]) -> list[Item]:
        """Return the token ids of some of the pairs."""

    @abstractmethod
    def _batches(self, items: list[Item]) -> list[list[Item]]:
        """Group what was encoded within the budget, so that little is computed twice or for nothing."""

    @abstractmethod
    def _judged(self, batch: list[Item], sources: Sequence[str], hypotheses: Sequence[str]) -> list[Scored]:
        """Return the scores of a batch."""

    def _by_length(self, items: list[Item], lengths: Sequence[int]) -> list[list[Item]]:
        return [[items[number] for number in batch] for batch in grouped(lengths, self._memory.budget)]
