"""Pairs scored in batches of tokens: what the scorers of all judges in this process have in common."""

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
        precision, device: How and where it computes.
        parameters: How many numbers it has.
        computed_by: What computes its scores.
    """

    precision: str
    device: object
    parameters: int
    computed_by: PassChoice

    @property
    @abstractmethod
    def batch_tokens(self) -> int:
        """Most tokens of one forward pass where nobody names another number."""

    def describe(self, *, exact: bool = False) -> str:
        """Return a line such as "bert: 110.1 M parameters, float32 on cpu, computed by transformers"."""
        computed_by = self.computed_by.in_exact_mode() if exact else self.computed_by
        weights = quantisation_type(self.files.folder, self.files.gguf)
        where = f"{f'{weights}, ' if weights else ''}{self.precision} on {self.device}"
        return describe_judge(self.files.name, self.parameters, where, computed_by)


class BatchScorer(TemplateScorer, Generic[Item]):
    """Scores the pairs of one template in batches of tokens; options as `ScorerOptions`."""

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
        # On a CPU the layers are computed one by one, and a pass is ended between two of them.
        seconds = None if str(judge.device) == "cpu" else PASS_SECONDS
        self._memory = BatchMemory(most, str(judge.device), warn, seconds)

    def score(self, sources: Sequence[str], hypotheses: Sequence[str], seed: int = 0) -> Iterator[list[PairScore]]:
        """Yield the scores of all pairs; see `TemplateScorer.score`."""
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
    def _judged(self, batch: list[Item], sources: Sequence[str], hypotheses: Sequence[str]) -> list[PairScore]:
        """Return the scores of a batch."""

    def _by_length(self, items: list[Item], lengths: Sequence[int]) -> list[list[Item]]:
        return [[items[number] for number in batch] for batch in group_by_length(lengths, self._memory.budget)]
