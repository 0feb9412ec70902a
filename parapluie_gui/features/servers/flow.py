"""Scoring by requests: several at a time, stopped within a moment, and none that is answered is sent again."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Generic, Protocol, TypeVar

import numpy as np

from parapluie_gui.models.batches import WINDOW
from parapluie_gui.pluie.judge import Guard, Scored, Scorer

#: Seconds between two looks whether the work is to stop.
_TICK = 0.05


class Numbered(Protocol):
    """What is asked about a pair: it knows the pair's number."""

    @property
    def row(self) -> int: ...


Item = TypeVar("Item", bound=Numbered)


class RequestScorer(Scorer, Generic[Item]):
    """Scores pairs by asking an engine about each.

    Args:
        check: Called often; what it raises ends or interrupts the work.
        at_once: How many requests the engine may have at a time.
        drop: Ends the waiting of all threads for what they asked.
        guard: As in `ScorerOptions`.
    """

    def __init__(self, check: Callable[[], None], at_once: int, drop: Callable[[], None], guard: Guard) -> None:
        self._check, self._at_once, self._drop, self._guard = check, at_once, drop, guard

    @abstractmethod
    def _items(self, rows: list[int], sources: Sequence[str], hypotheses: Sequence[str]) -> list[Item]:
        """Return what is to be asked about some of the pairs."""

    @abstractmethod
    def _ask(self, item: Item, source: str, hypothesis: str) -> Scored:
        """Return the score of one pair; called in several threads."""

    def score(self, sources: Sequence[str], hypotheses: Sequence[str], seed: int = 0) -> Iterator[list[Scored]]:
        """Yield the scores of all pairs, as they are answered; see `Scorer.score`."""
        order = np.random.default_rng(seed).permutation(len(sources))
        pool = ThreadPoolExecutor(self._at_once, thread_name_prefix="engine")
        flying: set[Future[Scored]] = set()
        waiting: list[Item] = []
        failed: list[Future[Scored]] = []

        def next_answers() -> list[Scored]:
            # Interrupted in here, what is under way goes on, and its answer is there when the work goes on. After an
            # error nothing more is asked, and it is raised once all that was asked is answered: none of it is lost.
            while not failed and len(flying) < self._at_once and waiting:
                item = waiting.pop()
                flying.add(pool.submit(self._ask, item, sources[item.row], hypotheses[item.row]))
            while flying:
                self._check()
                done, _ = wait(flying, _TICK, FIRST_COMPLETED)
                flying.difference_update(done)
                failed.extend(one for one in done if one.exception() is not None)
                if answered := [one.result() for one in done if one.exception() is None]:
                    return answered
            return [failed[0].result()]

        try:
            for start in range(0, len(order), WINDOW):
                waiting[:] = self._items(order[start : start + WINDOW].tolist(), sources, hypotheses)[::-1]
                while waiting or flying or failed:
                    yield self._guard(next_answers)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            self._drop()  # the program waits for these threads at its end
