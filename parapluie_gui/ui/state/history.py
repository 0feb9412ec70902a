"""The undo history: notes, verdicts, thresholds, saved selections, labels and pairs; stored in the session."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from parapluie_gui.ui.state.session_settings import SessionSettings

#: Maximum length of the history, in steps.
MOST_STEPS = 100

#: Seconds within which further typing in the same note joins the same step.
TYPING_SECONDS = 60.0

#: The setting with the range of steps; each step has its own setting, with its number after a point.
_KEY = "undo"


@dataclass(frozen=True)
class HistoryStep:
    """A change that can be undone, with the values before and after it.

    Attributes:
        kind: Kind of the value, as in `SessionHistory.handle`.
        text: The change in words, without "undo".
        corpus: The number of its corpus in the session; None if it belongs to no corpus.
        where: The place of the value, as JSON values.
        before, after: The values, which JSON can represent.
        typed: True if further typing in the same place joins this step.
    """

    kind: str
    text: str
    corpus: int | None
    where: Any
    before: Any
    after: Any
    typed: bool = False


#: Writes a value to its place; called with the corpus's number, the place and the value.
Handler = Callable[[int | None, Any, Any], None]


class SessionHistory(QObject):
    """The steps of the session, and how many of them are done.

    Attributes:
        undo_text: The change that `undo` would undo, "" for none.
        redo_text: The change that `redo` would redo, "" for none.

    Signals:
        changed: One of the texts changed.
        message: (str) The change that was undone or redone.

    Args:
        settings: The session settings, in which the steps are stored.
        present: The function that returns the numbers of the session's corpora.
    """

    changed = Signal()
    message = Signal(str)

    def __init__(
        self, settings: SessionSettings, present: Callable[[], Sequence[int]], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._settings, self._present = settings, present
        self._handlers: dict[str, Handler] = {}
        self._steps: list[HistoryStep] = []
        self._first = self._done = 0
        self._typed_at = 0.0
        settings.opened.connect(self._load)

    @property
    def undo_text(self) -> str:
        return self._steps[self._done - 1].text if self._done else ""

    @property
    def redo_text(self) -> str:
        return self._steps[self._done].text if self._done < len(self._steps) else ""

    def handle(self, kind: str, handler: Handler) -> None:
        """Register the function that writes values of a kind to their place."""
        self._handlers[kind] = handler

    def record(self, step: HistoryStep) -> None:
        """Add a change that was just made; undone steps can no longer be redone."""
        if step.before == step.after:
            return
        for number in range(self._done, len(self._steps)):
            self._settings.drop(f"{_KEY}.{self._first + number}")
        del self._steps[self._done :]
        last = self._steps[-1] if self._steps else None
        if last is not None and self._goes_on(last, step):
            self._steps[-1] = replace(last, after=step.after, text=step.text)
        else:
            self._steps.append(step)
        if len(self._steps) > MOST_STEPS:
            self._settings.drop(f"{_KEY}.{self._first}")
            del self._steps[0]
            self._first += 1
        self._done = len(self._steps)
        self._typed_at = time.monotonic()
        self._settings.keep(f"{_KEY}.{self._first + self._done - 1}", asdict(self._steps[-1]))
        self._tell()

    def steps(self, kind: str) -> list[HistoryStep]:
        """Return the stored steps of a kind, done or undone."""
        return [step for step in self._steps if step.kind == kind]

    def undo(self) -> None:
        """Undo the last change."""
        if (step := self._next(back=True)) is not None:
            self._write_value(step, step.before, self.tr("Undone: {0}."))

    def redo(self) -> None:
        """Redo the change that was undone last."""
        if (step := self._next(back=False)) is not None:
            self._write_value(step, step.after, self.tr("Redone: {0}."))

    def _next(self, *, back: bool) -> HistoryStep | None:
        """Move to the next possible step, skipping steps of closed corpora."""
        self._typed_at = 0.0
        possible = None
        while possible is None and (self._done if back else self._done < len(self._steps)):
            self._done -= back
            step = self._steps[self._done]
            self._done += not back
            if step.kind in self._handlers and (step.corpus is None or step.corpus in self._present()):
                possible = step
        self._tell()
        return possible

    def _write_value(self, step: HistoryStep, value: Any, words: str) -> None:
        try:
            self._handlers[step.kind](step.corpus, step.where, value)
        except (TypeError, ValueError, LookupError):  # the settings of the session may be damaged
            self.message.emit(
                self.tr("This step cannot be undone or redone because its record is damaged: {0}.").format(step.text)
            )
        else:
            self.message.emit(words.format(step.text))

    def _goes_on(self, last: HistoryStep, step: HistoryStep) -> bool:
        same = (last.kind, last.corpus, last.where) == (step.kind, step.corpus, step.where)
        return same and last.typed and step.typed and time.monotonic() - self._typed_at < TYPING_SECONDS

    def _tell(self) -> None:
        self._settings.keep(_KEY, [self._first, self._done, len(self._steps)])
        self.changed.emit()

    def _load(self) -> None:
        """Read the steps of the session that was opened; an unreadable step is dropped with all steps before it."""
        self._first, self._done, count = _head(self._settings.values.get(_KEY))
        self._steps, self._typed_at = [], 0.0
        for number in range(self._first, self._first + count):
            step = _step(self._settings.values.get(f"{_KEY}.{number}"))
            if step is None:
                self._steps.clear()
                self._done = max(self._first + self._done - number - 1, 0)
                self._first = number + 1
            else:
                self._steps.append(step)
        self._done = min(self._done, len(self._steps))
        self.changed.emit()


def _head(value: object) -> tuple[int, int, int]:
    """Return the first step's number, the number of done steps and of all steps; zeros if the value is damaged."""
    if (
        not isinstance(value, list)
        or len(value) != 3
        or not all(type(number) is int and number >= 0 for number in value)
    ):
        return 0, 0, 0
    first, done, count = value
    return (first, done, count) if done <= count <= MOST_STEPS else (0, 0, 0)


def _step(value: object) -> HistoryStep | None:
    """Return a step as `record` stored it, None for anything else."""
    if not isinstance(value, Mapping):
        return None
    try:
        step = HistoryStep(**value)
    except TypeError:
        return None
    right = isinstance(step.text, str) and isinstance(step.kind, str) and type(step.corpus) in (int, type(None))
    return step if right else None
