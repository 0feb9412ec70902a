"""One pair explained by several scores side by side, as a drawing: the same words, and what each score blames; SVG."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from parapluie_gui.analysis.explain.explanation import Explanation
from parapluie_gui.metrics.changes.types import change_types
from parapluie_gui.report.explained import written
from parapluie_gui.report.svg import COLOURS, MUTED, box, drawing, words

#: Pixels: a column and the space between two, the type, and the height of a line of sentences and of a row of bars.
_WIDE, _GAP, _TYPE, _LINE, _ROW = 460, 40, 13, 22, 24
#: The type of sentences, the width of its letters, and about that of a letter of other words.
_MONO, _LETTER, _NARROW = 12, 7.225, 6.4
#: Where a row's bar begins and ends, where its value ends and where its kind begins.
_BAR, _VALUE, _KIND = (170, 290), 342, 352
_YES, _NO = COLOURS[0], COLOURS[1]
#: How strong the colour of the edit that did most is: dark type stays readable on it.
_STRONGEST = 0.72


@dataclass(frozen=True)
class ExplainedScore:
    """A score of the pair: how it is called, its verdict ("paraphrase", or ""), and what decided it.

    Attributes:
        kinds: The ids of the edits' kinds of change.
        higher_is_closer: False for distances.
    """

    title: str
    verdict: str
    found: Explanation
    kinds: tuple[str, ...]
    higher_is_closer: bool

    def colour(self, value: float) -> str:
        """Return the colour of the side that a value speaks for."""
        return _YES if (value > 0) == self.higher_is_closer else _NO

    def share(self, value: float) -> float:
        """Return how much a value is beside the largest, 0 to 1."""
        return abs(value) / max(map(abs, self.found.values), default=1.0) if value else 0.0


@dataclass(frozen=True)
class _Piece:
    """A stretch of a sentence without a space, or of space, and its edit's number, None for none."""

    text: str
    edit: int | None


def explanation_svg(source: str, hypothesis: str, scores: Sequence[ExplainedScore]) -> str:
    """Return a drawing of a pair, a column for each score."""
    columns = [_column(source, hypothesis, each) for each in scores]
    width = len(columns) * (_WIDE + _GAP) - _GAP + 2 * _GAP // 2
    height = max((bottom for _, bottom in columns), default=0) + 34
    title = f"Which words decided: {source} / {hypothesis}"
    parts = []
    for number, (column, _) in enumerate(columns):
        parts.append(f'<g transform="translate({_GAP // 2 + number * (_WIDE + _GAP)} 0)">{column}</g>')
    for x, colour, key in ((0, _YES, "towards “paraphrase”"), (170, _NO, "towards “not a paraphrase”")):
        at = _GAP // 2 + x
        parts += [box(at, height - 22, 11, 11, colour), words(at + 16, height - 12, key, MUTED)]
    return drawing(title, (width, height), parts, letters=_TYPE) + "\n"


def _column(source: str, hypothesis: str, score: ExplainedScore) -> tuple[str, float]:
    """Return what one score says, and where it ends."""
    found = score.found
    head = f"{score.title}: {written(found.score)}" + (f", {score.verdict}" if score.verdict else "")
    parts = [
        words(0, 24, head, more=' font-weight="bold"'),
        words(0, 42, f"the source with itself: {written(found.same)}", MUTED),
    ]
    y = 62.0
    sides = (
        ("Source", source, [edit.source_at for edit in found.edits]),
        ("Hypothesis", hypothesis, [edit.hypothesis_at for edit in found.edits]),
    )
    for caption, text, places in sides:
        parts.append(words(0, y, caption, MUTED))
        drawn, y = _sentence(list(_pieces(text, places)), score, y + _LINE - 2)
        parts += drawn
        y += _LINE - 2
    for number, edit in enumerate(found.edits):
        parts.append(_row(y, str(edit), number, score))
        y += _ROW
    return "".join(parts), y


def _row(y: float, title: str, number: int, score: ExplainedScore) -> str:
    """Return an edit with its bar, value and kind."""
    value, (left, right) = score.found.values[number], _BAR
    zero, reach = (left + right) / 2, score.share(value) * (right - left) / 2
    start = zero if value > 0 else zero - reach
    name = change_types()[score.kinds[number]].name
    return (
        words(0, y, _cut(title, left - 12))
        + box(start, y - 11, reach, 13, score.colour(value))
        + f'<path d="M{zero} {y - 14:.1f}v19" stroke="{MUTED}"/>'
        + words(_VALUE, y, written(value), anchor="end")
        + words(_KIND, y, name, MUTED)
    )


def _sentence(pieces: Sequence[_Piece], score: ExplainedScore, y: float) -> tuple[list[str], float]:
    """Return a sentence in lines, its edits in their colours, and where it ends."""
    parts: list[str] = []
    x = 0.0
    for word in _unbroken(pieces):
        wide = sum(_width(piece.text) for piece in word)
        if x and x + wide > _WIDE:
            x, y = 0.0, y + _LINE
            word = [piece for piece in word if not piece.text.isspace()]
        for piece in word:
            wide = _width(piece.text)
            if piece.edit is not None:
                value = score.found.values[piece.edit]
                strength = (0.08 + 0.92 * score.share(value)) * _STRONGEST
                opaque = f' fill-opacity="{strength:.2f}"'
                parts.append(box(x, y - 14, wide, 18, score.colour(value), opaque))
            if not piece.text.isspace():
                mono = f' font-family="monospace" font-size="{_MONO}" textLength="{wide:.1f}"'
                parts.append(words(x, y, piece.text, more=mono))
            x += wide
    return parts, y + 8


def _pieces(text: str, places: Sequence[tuple[int, int]]) -> Iterator[_Piece]:
    """Cut a sentence at spaces and where edits begin and end."""
    at = {place: number for number, (start, end) in enumerate(places) for place in range(start, end)}
    edges = sorted({0, len(text), *(edge for place in places if place[0] < place[1] for edge in place)})
    for start, end in pairwise(edges):
        for found in re.finditer(r"\s+|\S+", text[start:end]):
            yield _Piece(found[0], at.get(start))


def _unbroken(pieces: Sequence[_Piece]) -> Iterator[list[_Piece]]:
    """Yield what stands in one line: the space before a word, and the word."""
    word: list[_Piece] = []
    for piece in pieces:
        if piece.text.isspace() and word:
            yield word
            word = []
        word.append(piece)
    if word:
        yield word


def _width(text: str) -> float:
    """Return how wide a text of a sentence is, in pixels: all letters alike, so that colours fit their words."""
    return len(text) * _LETTER


def _cut(text: str, room: float) -> str:
    most = int(room / _NARROW)
    return text if len(text) <= most else text[: most - 1] + "…"
