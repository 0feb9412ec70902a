"""A request under way: the window, a command or a script connects to its events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, Protocol, TypeVar

from parapluie_gui.arrays import Rows, Scores
from parapluie_gui.scores.identity import identify, rename_column
from parapluie_gui.scores.signature import Signature
from parapluie_gui.work.events import (
    Batch,
    CandidatesWritten,
    ColumnStarted,
    Event,
    Failed,
    Finished,
    JudgeLoaded,
    Notice,
    Progress,
    PromptShown,
    StageChanged,
)

Said = TypeVar("Said", bound=Event)


class Fillable(Protocol):
    """Takes columns of scores, as a `ScoreTable` does."""

    def declare(self, name: str, signature: Signature | None = None, /) -> str: ...

    def put(self, rows: Rows, values: Any, /) -> None: ...


class Filling:
    """Puts the scores of a request into a table, which has its own names for the columns of several judges."""

    def __init__(self, table: Fillable) -> None:
        self._table = table
        self._names: dict[str, str] = {}

    def declare(self, event: ColumnStarted) -> None:
        """Take a column that is about to fill."""
        self._names[event.column] = self._table.declare(event.column, event.signature)

    def called(self, column: str) -> str:
        """Return what a column of the request is called in the table."""
        return self._names.get(column, column)

    def put(self, rows: Rows, values: Mapping[str, Scores]) -> None:
        """Take scores of these rows (k,) of the table."""
        scores = {name: identify(name).score for name in values}
        self._table.put(
            rows, {rename_column(name, one, self._names.get(one, one)): values[name] for name, one in scores.items()}
        )


class Hook(Generic[Said]):
    """One kind of event; every connected function receives each."""

    def __init__(self) -> None:
        self.takers: list[Callable[[Said], object]] = []

    def connect(self, take: Callable[[Said], object]) -> None:
        """Call this with each event from now on."""
        self.takers.append(take)


class Handle:
    """One request.

    Attributes:
        staged, judged, started, scored, written, shown, progressed, noticed: What is said on the way.
        failed, finished: The end, one of the two.
        over: Whether it has come.

    Args:
        cancel: Ends the request.
        otherwise: Takes what nobody is connected to.
    """

    def __init__(
        self, cancel: Callable[[], None] = lambda: None, otherwise: Callable[[Event], None] = lambda event: None
    ) -> None:
        self.staged: Hook[StageChanged] = Hook()
        self.judged: Hook[JudgeLoaded] = Hook()
        self.started: Hook[ColumnStarted] = Hook()
        self.scored: Hook[Batch] = Hook()
        self.written: Hook[CandidatesWritten] = Hook()
        self.shown: Hook[PromptShown] = Hook()
        self.progressed: Hook[Progress] = Hook()
        self.noticed: Hook[Notice] = Hook()
        self.failed: Hook[Failed] = Hook()
        self.finished: Hook[Finished] = Hook()
        self.over = False
        self._cancel, self._otherwise = cancel, otherwise
        self._ignored = False
        self._hooks: dict[type[Event], Hook[Any]] = {
            StageChanged: self.staged,
            JudgeLoaded: self.judged,
            ColumnStarted: self.started,
            Batch: self.scored,
            CandidatesWritten: self.written,
            PromptShown: self.shown,
            Progress: self.progressed,
            Notice: self.noticed,
            Failed: self.failed,
            Finished: self.finished,
        }

    def on(self, kind: type[Said]) -> Hook[Said]:
        """Return what takes functions for a kind of event, also one that only some requests emit."""
        hook: Hook[Said] = self._hooks.setdefault(kind, Hook())
        return hook

    def hear(self, event: Event) -> None:
        """Hand an event to those that are connected."""
        self.over = self.over or isinstance(event, Failed | Finished)
        if self._ignored:
            return
        for take in list(self.on(type(event)).takers) or [self._otherwise]:
            take(event)

    def cancel(self) -> None:
        """End the request; `finished` comes when it has ended."""
        if not self.over:
            self._cancel()

    def ignore(self) -> None:
        """Tell nothing more of the request; it goes on, and what it computes is kept."""
        self._ignored = True

    def give_up(self) -> None:
        """End the request, and tell nothing more of it."""
        self.ignore()
        self.cancel()

    def fill(self, table: Fillable, rows: Rows | None = None) -> None:
        """Put the scores into a table as they come; with `rows` (k,), the request is about these rows of it."""
        filling = Filling(table)
        self.started.connect(filling.declare)
        self.scored.connect(lambda event: filling.put(event.rows if rows is None else rows[event.rows], event.values))
