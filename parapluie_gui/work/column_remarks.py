"""Attaches remarks to columns of scores, computed or stored: cut pairs, a folded turn, their cost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from parapluie_gui.own_files import parse_json
from parapluie_gui.pluie.prompt import PromptFrame

#: Number of characters of a pair up to which no model cuts it: every model reads more tokens, of a character or more.
SHORT = 100
#: Evidence of a pair that a metric's network cut.
CUT = '{"cut":1}'


class ColumnRemarks:
    """The remarks on the columns of one request.

    Args:
        warn: Shows a sentence to the user.
        emit: Sends a column's remark, its cost, and the rows of cut pairs, to whoever keeps the scores.
    """

    def __init__(self, warn: Callable[[str], None], emit: Callable[[str, str, str, tuple[int, ...]], None]) -> None:
        self._warn, self._emit = warn, emit
        self._cut: defaultdict[str, list[int]] = defaultdict(list)
        self._stored_cut: defaultdict[str, list[int]] = defaultdict(list)

    def say(self, column: str, sentence: str, *, shown: bool = False, cut: Sequence[int] = ()) -> None:
        """Attach a sentence and rows of pairs not fully read to a column; show it unless it was shown already."""
        if sentence:
            if not shown:
                self._warn(sentence)
            self._emit(column, sentence, "", tuple(cut))

    def take_frame(self, column: str, frame: str | None) -> None:
        """Attach the notices of a stored prompt."""
        try:
            notices = PromptFrame.from_json(frame).notices if frame else ()
        except (ValueError, KeyError, TypeError, AttributeError):  # another program's
            return
        for notice in notices:
            self.say(column, notice)

    def add_cut(self, column: str, rows: Iterable[int]) -> None:
        """Add the rows of pairs that are cut now."""
        self._cut[column] += rows

    def add_stored_cut(self, column: str, rows: Sequence[int], evidence: Iterable[str | None]) -> None:
        """Add those of some rows with stored scores whose pairs were cut, from their evidence."""
        self._stored_cut[column] += [row for row, text in zip(rows, evidence, strict=True) if _was_cut(text)]

    def say_cut(self, column: str, title: str) -> None:
        """Attach the number of cut pairs to a column; show it if some are stored (the model reports new ones)."""
        cut = self._cut[column] + self._stored_cut[column]
        if count := len(cut):
            pairs = "1 pair is" if count == 1 else f"{count:,} pairs are"
            sentence = f"{title}: {pairs} longer than the model reads; the end was left out."
            self.say(column, sentence, shown=not self._stored_cut[column], cut=cut)

    def say_cost(self, column: str, seconds: float, pairs: int, device: str) -> None:
        """Attach the seconds per pair and the device to a column whose pairs were computed now."""
        if pairs:
            pace = seconds / pairs
            self._emit(column, "", f"{pace:.2g} s per pair on {device} ({pairs:,} pairs)", ())


def _was_cut(text: str | None) -> bool:
    if text is None or '"cut":' not in text or '"cut":0' in text:
        return False
    try:
        data: Any = parse_json(text)
    except ValueError:
        return False
    return isinstance(data, dict) and bool(data.get("cut"))


def cut_evidence(cut: Sequence[bool]) -> list[str | None] | None:
    """Return the evidence to store for the pairs of a metric's batch; None if no pair was cut."""
    return [CUT if one else None for one in cut] if any(cut) else None
