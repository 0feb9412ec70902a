"""The handle of a running request, to whose events the window, a command or a script connects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, Protocol, TypeVar

from parapluie_gui.arrays import Rows, Scores
from parapluie_gui.scores.identity import identify, rename_column
from parapluie_gui.scores.signature import Signature
from parapluie_gui.work.events import (
    CandidatesWritten,
    ColumnRemarked,
    ColumnStarted,
    Event,
    JobFailed,
    JobFinished,
    JobNotice,
    JobProgress,
    JudgeLoaded,
    PromptShown,
    ScoreBatch,
    StageChanged,
)

EventT = TypeVar("EventT", bound=Event)


class FillableTable(Protocol):
    """A table that accepts columns of scores, such as a `ScoreTable`."""

    def declare(self, name: str, signature: Signature | None = None, /) -> str: ...

    def put(self, rows: Rows, values: Any, /) -> None: ...

    def remark(self, name: str, sentence: str, cost: str, cut: Iterable[int], /) -> None: ...


class TableFiller:
    """Writes the scores of a request into a table, whose column names may differ when several judges share it."""

    def __init__(self, table: FillableTable) -> None:
        self._table = table
        self._names: dict[str, str] = {}

    def declare(self, event: ColumnStarted) -> None:
        """Declare a column of the request in the table."""
        self._names[event.column] = self._table.declare(event.column, event.signature)

    def remark(self, event: ColumnRemarked, rows: Rows | None = None) -> None:
        """Add a remark on a column of the request, whose pairs are the `rows` (k,) of the table if these are given."""
        cut = event.cut if rows is None else rows[list(event.cut)].tolist()
        self._table.remark(self.table_column(event.column), event.sentence, event.cost, cut)

    def table_column(self, column: str) -> str:
        """Return the name in the table of a column of the request."""
        return self._names.get(column, column)

    def put(self, rows: Rows, values: Mapping[str, Scores]) -> None:
        """Write scores into these rows (k,) of the table."""
        scores = {name: identify(name).score for name in values}
        self._table.put(
            rows,
            {rename_column(name, score, self._names.get(score, score)): values[name] for name, score in scores.items()},
        )


class EventHook(Generic[EventT]):
    """A kind of event, delivered to every connected function."""

    def __init__(self) -> None:
        self.listeners: list[Callable[[EventT], object]] = []

    def connect(self, listener: Callable[[EventT], object]) -> None:
        """Call a function with each event from now on."""
        self.listeners.append(listener)


class RequestHandle:
    """A request and its events.

    Attributes:
        staged, judged, started, scored, remarked, written, shown, progressed, noticed: Events during the computation.
        failed, finished: The last event, in case of an error and otherwise.
        over: Whether the last event has arrived.

    Args:
        cancel: The function that ends the request.
    """

    def __init__(self, cancel: Callable[[], None] = lambda: None) -> None:
        self.staged: EventHook[StageChanged] = EventHook()
        self.judged: EventHook[JudgeLoaded] = EventHook()
        self.started: EventHook[ColumnStarted] = EventHook()
        self.scored: EventHook[ScoreBatch] = EventHook()
        self.remarked: EventHook[ColumnRemarked] = EventHook()
        self.written: EventHook[CandidatesWritten] = EventHook()
        self.shown: EventHook[PromptShown] = EventHook()
        self.progressed: EventHook[JobProgress] = EventHook()
        self.noticed: EventHook[JobNotice] = EventHook()
        self.failed: EventHook[JobFailed] = EventHook()
        self.finished: EventHook[JobFinished] = EventHook()
        self.over = False
        self._cancel = cancel
        self._ignored = False
        self._hooks: dict[type[Event], EventHook[Any]] = {
            StageChanged: self.staged,
            JudgeLoaded: self.judged,
            ColumnStarted: self.started,
            ScoreBatch: self.scored,
            ColumnRemarked: self.remarked,
            CandidatesWritten: self.written,
            PromptShown: self.shown,
            JobProgress: self.progressed,
            JobNotice: self.noticed,
            JobFailed: self.failed,
            JobFinished: self.finished,
        }

    def on(self, kind: type[EventT]) -> EventHook[EventT]:
        """Return the hook of a kind of event; features may define further kinds."""
        hook: EventHook[EventT] = self._hooks.setdefault(kind, EventHook())
        return hook

    def deliver(self, event: Event) -> None:
        """Call the functions that are connected to the event's kind."""
        self.over = self.over or isinstance(event, JobFailed | JobFinished)
        if self._ignored:
            return
        for listener in list(self.on(type(event)).listeners):
            listener(event)

    def cancel(self) -> None:
        """End the request; `finished` follows."""
        if not self.over:
            self._cancel()

    def ignore(self) -> None:
        """Deliver no further events; the request continues, and its scores are stored."""
        self._ignored = True

    def give_up(self) -> None:
        """End the request and deliver no further events."""
        self.ignore()
        self.cancel()

    def fill(self, table: FillableTable, rows: Rows | None = None) -> None:
        """Write the scores into a table as they arrive, into its `rows` (k,) if only some pairs were requested."""
        filler = TableFiller(table)
        self.started.connect(filler.declare)
        self.remarked.connect(lambda event: filler.remark(event, rows))
        self.scored.connect(lambda event: filler.put(event.rows if rows is None else rows[event.rows], event.values))
