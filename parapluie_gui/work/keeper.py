"""Keeping scores as they arrive, and finding those that are known already, in one or more SQLite files."""

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


class Keeper:
    """The stores of one job, the user's score cache first.

    A store that fails is reported once, in a sentence to `warn`, and left out: scoring goes on without it. A score
    cache that is damaged is put aside, and a new one takes its place.
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
                warn(f"Scores are not kept in {path.name}: {error}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for store in list(self._stores):
            self._try(store, store.close)

    def stored_scores(self, signature: Signature, keys: Sequence[bytes]) -> KnownScores:
        """Return the scores of these pairs that any store has; stores that lack some of it are completed."""
        found = KnownScores(np.zeros(len(keys), dtype=bool), *(np.full(len(keys), np.nan) for _ in range(3)))
        lacking: list[tuple[ScoreStore, Mask]] = []

        def look(store: ScoreStore) -> None:
            here = store.known(signature, keys)
            new = here.known & ~found.known
            for target, numbers in ((found.value, here.value), (found.p_yes, here.p_yes), (found.p_no, here.p_no)):
                target[new] = numbers[new]
            found.known[new] = True
            lacking.append((store, ~here.known))

        def complete(store: ScoreStore, absent: Mask) -> None:
            store.touch(signature)
            rows = np.flatnonzero(found.known & absent)
            if len(rows):
                wanted = [keys[row] for row in rows.tolist()]
                evidence = self.evidence(signature, wanted)
                store.put(signature, wanted, found.value[rows], found.p_yes[rows], found.p_no[rows], evidence)

        for store in list(self._stores):
            self._try(store, partial(look, store))
        for store, absent in lacking:
            self._try(store, partial(complete, store, absent))
        return found

    def put(
        self,
        signature: Signature,
        keys: Sequence[bytes],
        values: Scores,
        p_yes: Scores | None = None,
        p_no: Scores | None = None,
        evidence: Sequence[str | None] | None = None,
    ) -> None:
        """Keep a batch of scores in every store."""
        for store in list(self._stores):
            self._try(store, partial(store.put, signature, keys, values, p_yes, p_no, evidence))

    def put_frame(self, signature: Signature, frame: str) -> None:
        """Keep the prompt around the sentences beside the signature."""
        for store in list(self._stores):
            self._try(store, partial(store.put_frame, signature, frame))

    def evidence(self, signature: Signature, keys: Sequence[bytes]) -> list[str | None]:
        """Return the evidence of these pairs from whichever store has it."""
        found: list[str | None] = [None] * len(keys)

        def look(store: ScoreStore) -> None:
            for place, text in enumerate(store.evidence(signature, keys)):
                found[place] = found[place] or text

        for store in list(self._stores):
            self._try(store, partial(look, store))
        return found

    def _try(self, store: ScoreStore, act: Callable[[], None]) -> None:
        if store not in self._stores:
            return
        try:
            act()
        except (SessionError, sqlite3.Error, OSError) as error:
            if store not in self._stores:
                return  # reported already, from within
            self._stores.remove(store)
            with contextlib.suppress(SessionError, sqlite3.Error):
                store.close()
            if isinstance(error, DamagedError):
                self._renew(store.path, error)
            else:
                self._warn(f"Scores are no longer kept in {store.path.name}: {error}")

    def _renew(self, path: Path, error: DamagedError) -> None:
        """Put a damaged score cache aside and begin a new one; a session is its window's to mend."""
        if path != self._cache:
            self._warn(f"Scores are no longer kept in {path.name}: {error}")
            return
        try:
            aside = put_aside(path)
            self._stores.insert(0, ScoreStore(path))
        except (SessionError, sqlite3.Error, OSError) as second:
            self._warn(f"Scores are not kept in {path.name}: {second}")
        else:
            self._warn(
                f"The scores that were known are damaged. They are now in {aside.name}, and are computed again where "
                "they are needed."
            )
