"""What causal and masked judges have in common: a Hugging Face model in this process, and pairs scored in batches."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Generic, Protocol, Self, TypeVar

import numpy as np

from parapluie_gui.arrays import Rows
from parapluie_gui.models.batches import PASS_SECONDS, WINDOW, BatchMemory, grouped
from parapluie_gui.models.device import ALL_GPUS, choose_device, choose_precision, foresee
from parapluie_gui.models.loading import check_before_layers, fitting, hold_weights, load_files
from parapluie_gui.models.quantised import meant_precision
from parapluie_gui.pluie.budget import usual_tokens
from parapluie_gui.pluie.fast.choice import Pass
from parapluie_gui.pluie.judge import Guard, Judge, Scored, Scorer, description, pluie_signature

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from parapluie_gui.models.catalogue import ModelFiles
    from parapluie_gui.pluie.judge_settings import JudgeSettings
    from parapluie_gui.pluie.templates import Template
    from parapluie_gui.scores.signature import Signature

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
        return usual_tokens(self)

    @property
    def size(self) -> int:
        """Bytes of a number in its layers."""
        return int(self.model.dtype.itemsize)

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
        how = choose_precision(meant_precision(files.folder, precision), where)
        with fitting(files.name, where):  # the float32 copy of its output head, too
            model, tokenizer = load_files(files, where, how, cls.kind, spread=device == ALL_GPUS)
            return cls(files, model, tokenizer, where, how, check)

    @classmethod
    def signature(cls, files: ModelFiles, template: Template, settings: JudgeSettings) -> Signature:
        """Return the signature that its scores will have; see `Judge.signature`."""
        device, precision = foresee(settings.device, meant_precision(files.folder, settings.precision))
        return pluie_signature(files, template, precision, exact=settings.exact, device=device)

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
        self.signature = pluie_signature(
            judge.files, template, judge.precision, exact=exact, device=str(judge.device).split(":")[0]
        )
        self._warn = warn
        self._guard = guard
        most = batch_tokens or judge.batch_tokens
        # On a CPU the layers are computed one by one, and a pass is ended between two of them.
        seconds = None if str(judge.device) == "cpu" else PASS_SECONDS
        self._memory = BatchMemory(most, str(judge.device), warn, seconds)

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
