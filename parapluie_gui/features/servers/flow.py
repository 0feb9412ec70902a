"""Scoring by concurrent requests that stop within a moment; no answered request is sent again."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Generic, Protocol, TypeVar

import numpy as np

from parapluie_gui.models.batches import WINDOW
from parapluie_gui.pluie.judge import BatchGuard, PairScore, TemplateScorer

#: Seconds between checks for cancellation.
_TICK = 0.05


class HasRow(Protocol):
    """A request about a pair, with the pair's number."""

    @property
    def row(self) -> int: ...


Item = TypeVar("Item", bound=HasRow)


class RequestScorer(TemplateScorer, Generic[Item]):
    """A scorer that sends one or more requests for each pair.

    Args:
        check: Called often; an exception from it ends or interrupts the work.
        at_once: Maximum number of concurrent requests.
        drop: Cancels the requests of all threads.
        guard: As in `ScorerOptions`.
    """

    def __init__(self, check: Callable[[], None], at_once: int, drop: Callable[[], None], guard: BatchGuard) -> None:
        self._check, self._at_once, self._drop, self._guard = check, at_once, drop, guard

    @abstractmethod
    def _items(self, rows: list[int], sources: Sequence[str], hypotheses: Sequence[str]) -> list[Item]:
        """Return the items to ask about, one for each of `rows`."""

    @abstractmethod
    def _ask(self, item: Item, source: str, hypothesis: str) -> PairScore:
        """Return the score of one pair; called from several threads."""

    def score(self, sources: Sequence[str], hypotheses: Sequence[str], seed: int = 0) -> Iterator[list[PairScore]]:
        """Yield the scores of all pairs as answers arrive; see `TemplateScorer.score`."""
        order = np.random.default_rng(seed).permutation(len(sources))
        pool = ThreadPoolExecutor(self._at_once, thread_name_prefix="engine")
        running: set[Future[PairScore]] = set()
        waiting: list[Item] = []
        failed: list[Future[PairScore]] = []

        def next_answers() -> list[PairScore]:
            # An interruption leaves running requests alone; their answers are available when the work continues. After
            # an error no more requests are sent, and the error is raised once all running requests are answered, so
            # that none is lost.
            while not failed and len(running) < self._at_once and waiting:
                item = waiting.pop()
                running.add(pool.submit(self._ask, item, sources[item.row], hypotheses[item.row]))
            while running:
                self._check()
                done, _ = wait(running, _TICK, FIRST_COMPLETED)
                running.difference_update(done)
                failed.extend(future for future in done if future.exception() is not None)
                if answers := [future.result() for future in done if future.exception() is None]:
                    return answers
            return [failed[0].result()]

        try:
            for start in range(0, len(order), WINDOW):
                waiting[:] = self._items(order[start : start + WINDOW].tolist(), sources, hypotheses)[::-1]
                while waiting or running or failed:
                    yield self._guard(next_answers)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            self._drop()  # the interpreter waits for these threads when it exits
