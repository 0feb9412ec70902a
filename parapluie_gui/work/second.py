"""The second judge of a request: how it is asked about what the first is not sure of, in columns of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from parapluie_gui.arrays import Rows, Scores
from parapluie_gui.scores.identity import identify
from parapluie_gui.scores.signature import Signature
from parapluie_gui.storage.store import KnownScores
from parapluie_gui.work.cascade import then_signature
from parapluie_gui.work.events import Batch, ColumnStarted, Event, Progress
from parapluie_gui.work.handle import Handle
from parapluie_gui.work.keeper import Keeper


class Relay:
    """Passes on the events of the second judge's part as those of the whole: with its rows, in columns of its own.

    Args:
        emit: Takes the events.
        sent: (k,) The rows of the second judge's pairs.
        count: All pairs.
        step: The place of the second judge's column among all.

    Attributes:
        hear: Takes what is said of the second judge's part.
        scores: (n,) The second judge's scores, NaN where it has none.
        signature: What they are computed with; None before it is known.
    """

    def __init__(self, emit: Callable[[Event], None], sent: Rows, count: int, step: int) -> None:
        self.scores: Scores = np.full(count, np.nan)
        self.signature: Signature | None = None
        self._emit, self._sent, self._step = emit, sent, step
        self._names: dict[str, str] = {}
        handle = Handle(otherwise=emit)
        handle.started.connect(self._begin)
        handle.scored.connect(self._put)
        handle.progressed.connect(self._advance)
        self.hear = handle.hear

    def _begin(self, event: ColumnStarted) -> None:
        self.signature = then = then_signature(event.signature)
        ours = (event.column, *identify(event.column).evidence)
        self._names = dict(zip(ours, (then.column, *identify(then.column).evidence), strict=True))
        self._emit(ColumnStarted(event.job, then.column, then))

    def _put(self, batch: Batch) -> None:
        named = {self._names[name]: numbers for name, numbers in batch.values.items()}
        rows = self._sent[batch.rows]
        self.scores[rows] = next(iter(named.values()))
        self._emit(replace(batch, rows=rows, values=named))

    def _advance(self, event: Progress) -> None:
        self._emit(replace(event, column=self._names[event.column], step=self._step, steps=self._step))


class SecondKeeper(Keeper):
    """Keeps the second judge's scores in the user's score cache as those of any judge, and everywhere as a second's.

    A session does not get the former: they would be a column that most pairs have no score in.

    Args:
        paths: The stores of the request, the score cache first.
        warn: As `Keeper`.
        first: Keeps what belongs to all pairs.
    """

    def __init__(self, paths: Sequence[Path], warn: Callable[[str], None], first: Keeper) -> None:
        super().__init__(paths[:1], warn)
        self._first = first

    def stored_scores(self, signature: Signature, keys: Sequence[bytes]) -> KnownScores:
        """Return the scores that the second judge, or the same as a first, has given before."""
        then = then_signature(signature)
        found, alone = self._first.stored_scores(then, keys), super().stored_scores(signature, keys)
        rows = np.flatnonzero(alone.known & ~found.known)
        if len(rows):
            known = [keys[row] for row in rows.tolist()]
            numbers = (alone.value[rows], alone.p_yes[rows], alone.p_no[rows])
            self._first.put(then, known, *numbers, super().evidence(signature, known))
        return found.completed(alone)

    def put(
        self,
        signature: Signature,
        keys: Sequence[bytes],
        values: Scores,
        p_yes: Scores | None = None,
        p_no: Scores | None = None,
        evidence: Sequence[str | None] | None = None,
    ) -> None:
        """Keep a batch of scores under both signatures."""
        super().put(signature, keys, values, p_yes, p_no, evidence)
        self._first.put(then_signature(signature), keys, values, p_yes, p_no, evidence)

    def put_frame(self, signature: Signature, frame: str) -> None:
        """Keep the prompt around the sentences beside both signatures."""
        super().put_frame(signature, frame)
        self._first.put_frame(then_signature(signature), frame)

    def evidence(self, signature: Signature, keys: Sequence[bytes]) -> list[str | None]:
        """Return the evidence of these pairs."""
        return self._first.evidence(then_signature(signature), keys)
