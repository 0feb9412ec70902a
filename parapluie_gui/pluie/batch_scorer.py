"""Base classes of the judges and scorers that compute in this process, in batches of tokens."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Generic, TypeVar

import numpy as np

from parapluie_gui.arrays import Rows
from parapluie_gui.models.batches import PASS_SECONDS, WINDOW, BatchMemory, group_by_length
from parapluie_gui.models.quantised import quantisation_type
from parapluie_gui.pluie.fast.choice import PassChoice
from parapluie_gui.pluie.judge import BatchGuard, Judge, PairScore, TemplateScorer, describe_judge, pluie_signature
from parapluie_gui.pluie.templates import Template

Item = TypeVar("Item")


class BatchJudge(Judge):
    """A judge that computes in this process, in batches of tokens.

    Attributes:
        precision, device: Number type and device of the computation.
        parameters: Number of weights.
        computed_by: The implementation of the forward pass that computes the scores.
    """

    precision: str
    device: object
    parameters: int
    computed_by: PassChoice

    @property
    @abstractmethod
    def batch_tokens(self) -> int:
        """The default for the maximum number of tokens per forward pass."""

    def describe(self, *, exact: bool = False) -> str:
        """Return a line such as "bert: 110.1 M parameters, float32 on cpu, computed by transformers"."""
        computed_by = self.computed_by.in_exact_mode() if exact else self.computed_by
        weights = quantisation_type(self.files.folder, self.files.gguf)
        where = f"{f'{weights}, ' if weights else ''}{self.precision} on {self.device}"
        return describe_judge(self.files.name, self.parameters, where, computed_by)


class BatchScorer(TemplateScorer, Generic[Item]):
    """A scorer of pairs under one template, in batches of tokens; see `ScorerOptions` for the options."""

    def __init__(
        self,
        judge: BatchJudge,
        template: Template,
        *,
        exact: bool = False,
        batch_tokens: int = 0,
        warn: Callable[[str], None] = lambda text: None,
        guard: BatchGuard = lambda work: work(),
    ) -> None:
        self.template = template
        self.exact = exact
        self.signature = pluie_signature(
            judge.files, template, judge.precision, exact=exact, device=str(judge.device).split(":")[0]
        )
        self._warn = warn
        self._guard = guard
        most = batch_tokens or judge.batch_tokens
        # On a CPU the layers are computed one by one, so a pass can be stopped between two layers.
        seconds = None if str(judge.device) == "cpu" else PASS_SECONDS
        self._memory = BatchMemory(most, str(judge.device), warn, seconds)

    def score(self, sources: Sequence[str], hypotheses: Sequence[str], seed: int = 0) -> Iterator[list[PairScore]]:
        """Yield the scores of all pairs; see `TemplateScorer.score`."""
        # Random pairs are scored in windows. Within a window they are sorted by length, so that batches need little
        # padding; the first batches are still a fair sample of the corpus.
        random = np.random.default_rng(seed)
        order = self._choose_order(sources, random)
        for start in range(0, len(order), WINDOW):
            items = self._encode_pairs(order[start : start + WINDOW].tolist(), sources, hypotheses)
            batches = [[item] for item in items] if self.exact else self._group_batches(items)
            for number in random.permutation(len(batches)):
                yield self._guard(partial(self._score_batch, batches[number], sources, hypotheses))

    def _choose_order(self, sources: Sequence[str], random: np.random.Generator) -> Rows:
        """Return the numbers of all pairs in scoring order."""
        return random.permutation(len(sources))

    @abstractmethod
    def _encode_pairs(self, rows: list[int], sources: Sequence[str], hypotheses: Sequence[str]) -> list[Item]:
        """Return the encoded pairs of some rows."""

    @abstractmethod
    def _group_batches(self, items: list[Item]) -> list[list[Item]]:
        """Group encoded pairs into batches within the budget, with little padding and little repeated computation."""

    @abstractmethod
    def _score_batch(self, batch: list[Item], sources: Sequence[str], hypotheses: Sequence[str]) -> list[PairScore]:
        """Return the scores of a batch."""

    def _group_by_length(self, items: list[Item], lengths: Sequence[int]) -> list[list[Item]]:
        return [[items[number] for number in batch] for batch in group_by_length(lengths, self._memory.budget)]
