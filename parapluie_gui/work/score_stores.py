"""Stores scores as they arrive, and looks up stored scores, in one or more SQLite files."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from parapluie_gui.arrays import Mask, Scores
from parapluie_gui.errors import DamagedError, SessionError
from parapluie_gui.files import put_aside
from parapluie_gui.scores.signature import Signature
from parapluie_gui.storage.store import KnownScores, ScoreStore


class ScoreStores:
    """The score stores of one job, the user's score cache first.

    A store that fails is reported once to `warn` and closed; scoring continues without it. A damaged score cache is
    moved aside and replaced by an empty one.
    """

    def __init__(self, paths: Sequence[Path], warn: Callable[[str], None]) -> None:
        self._warn = warn
        self._stores: list[ScoreStore] = []
        self._cache = next(iter(paths), None)
        for path in paths:
            try:
                self._stores.append(ScoreStore(path))
            except DamagedError as error:
                self._renew(path, error)
            except (SessionError, sqlite3.Error, OSError) as error:
                warn(f"Scores are not stored in {path.name}: {error}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for store in list(self._stores):
            self._try(store, store.close)

    def stored_scores(self, signature: Signature, keys: Sequence[bytes]) -> KnownScores:
        """Return the scores of these pairs that any store has, and copy them into the stores that lack them."""
        scores = KnownScores(np.zeros(len(keys), dtype=bool), *(np.full(len(keys), np.nan) for _ in range(3)))
        lacking: list[tuple[ScoreStore, Mask]] = []

        def look(store: ScoreStore) -> None:
            stored = store.known(signature, keys)
            new = stored.known & ~scores.known
            for name in ("value", "p_yes", "p_no"):
                getattr(scores, name)[new] = getattr(stored, name)[new]
            scores.known[new] = True
            lacking.append((store, ~stored.known))

        def complete(store: ScoreStore, absent: Mask) -> None:
            store.touch(signature)
            rows = np.flatnonzero(scores.known & absent)
            if len(rows):
                missing_keys = [keys[row] for row in rows.tolist()]
                evidence = self.evidence(signature, missing_keys)
                store.put(signature, missing_keys, scores.value[rows], scores.p_yes[rows], scores.p_no[rows], evidence)

        for store in list(self._stores):
            self._try(store, partial(look, store))
        for store, absent in lacking:
            self._try(store, partial(complete, store, absent))
        return scores

    def put(
        self,
        signature: Signature,
        keys: Sequence[bytes],
        values: Scores,
        p_yes: Scores | None = None,
        p_no: Scores | None = None,
        evidence: Sequence[str | None] | None = None,
    ) -> None:
        """Store a batch of scores in every store."""
        for store in list(self._stores):
            self._try(store, partial(store.put, signature, keys, values, p_yes, p_no, evidence))

    def put_frame(self, signature: Signature, frame: str) -> None:
        """Store the frame of the prompt with the signature."""
        for store in list(self._stores):
            self._try(store, partial(store.put_frame, signature, frame))

    def frame(self, signature: Signature) -> str | None:
        """Return the frame of the prompt that is stored with the signature; None if no store has one."""
        frames: list[str | None] = []
        for store in list(self._stores):
            self._try(store, lambda store=store: frames.append(store.frame(signature)))  # type: ignore[misc]
        return next(filter(None, frames), None)

    def evidence(self, signature: Signature, keys: Sequence[bytes]) -> list[str | None]:
        """Return the evidence of these pairs from the first store that has any, None where no store has any."""
        evidence: list[str | None] = [None] * len(keys)

        def look(store: ScoreStore) -> None:
            for place, text in enumerate(store.evidence(signature, keys)):
                evidence[place] = evidence[place] or text

        for store in list(self._stores):
            self._try(store, partial(look, store))
        return evidence

    def _try(self, store: ScoreStore, action: Callable[[], None]) -> None:
        if store not in self._stores:
            return
        try:
            action()
        except (SessionError, sqlite3.Error, OSError) as error:
            if store not in self._stores:
                return  # a nested call has already reported it
            self._stores.remove(store)
            with contextlib.suppress(SessionError, sqlite3.Error):
                store.close()
            if isinstance(error, DamagedError):
                self._renew(store.path, error)
            else:
                self._warn(f"Scores are no longer stored in {store.path.name}: {error}")

    def _renew(self, path: Path, error: DamagedError) -> None:
        """Move a damaged score cache aside and create a new one; sessions are repaired by the window instead."""
        if path != self._cache:
            self._warn(f"Scores are no longer stored in {path.name}: {error}")
            return
        try:
            aside = put_aside(path)
            self._stores.insert(0, ScoreStore(path))
        except (SessionError, sqlite3.Error, OSError) as second:
            self._warn(f"Scores are not stored in {path.name}: {second}")
        else:
            self._warn(
                f"The stored scores are damaged. They are now in {aside.name}, and scores will be computed again when "
                "needed."
            )
