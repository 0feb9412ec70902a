"""Named bars as SVG, such as groups of errors, and a pair as several scores see it, side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from parapluie_gui.analysis.figure import BarBlock, BarList, Shade, ShadedText, SignedBar
from parapluie_gui.report.elements import Drawn, box, cut, width_of, words
from parapluie_gui.report.palette import Theme, colour_of

#: The type that everything is laid out for, that of numbers at bars and notes, and that of sentences: fixed-width, its
#: letters so wide that colours fit their words.
TYPE, _SMALL, _MONO, _LETTER = 13, 11, 12, 7.225

#: Pixels: the margin, the space between blocks, a line of words, and a line of a sentence.
_MARGIN, _GAP, _LINE, _TEXT_LINE = 20, 40, 26, 22
#: The height of a bar, and of its row.
_BAR, _ROW = 11, 24
#: How strong the strongest colour behind words is, dark or light words: they stay readable on it.
_STRONGEST = {"light": 0.72, "dark": 0.5}


class _Places:
    """Where the columns of a list are, from the left edge of a block."""

    def __init__(self, figure: BarList) -> None:
        bars = [bar for block in figure.blocks for bar in block.bars]
        self.signed = figure.beside or any(value < 0 for bar in bars for value in bar.values)
        self.title = 158.0 if figure.beside else 238.0
        self.bar = self.title + 12
        self.length = 120.0 if figure.beside else 190.0
        texts = [text for bar in bars for text in _texts(bar)]
        self.after = self.bar + self.length + 12 + max((width_of(text, TYPE) for text in texts), default=0.0)
        self.cells: list[float] = []
        at = self.after
        columns = zip(*(bar.cells for bar in bars), strict=True) if bars else iter(())
        contents = list(columns) or [()] * len(figure.heads)
        for number, column in enumerate(contents):
            head = figure.heads[number : number + 1]
            wide = max((width_of(text, TYPE) for text in [*column, *head]), default=0.0)
            self.cells.append(at + 18 + wide if figure.heads else at + 10)
            at += 18 + wide
        self.width = max(at, 460.0 if figure.beside else 720.0)


def draw_bars(figure: BarList, theme: Theme) -> Drawn:
    """Return a list of bars."""
    places = _Places(figure)
    parts, x = [], float(_MARGIN)
    for name, colour in figure.keys:
        parts += [box(x, 14, 11, 11, colour_of(colour, theme)), words(x + 16, 24, name, theme.muted)]
        x += 36 + width_of(name, TYPE)
    parts += [
        words(_MARGIN + at, 24, head, theme.muted, "end") for head, at in zip(figure.heads, places.cells, strict=False)
    ]
    y = 32.0 if figure.keys or figure.heads else 8.0
    everything = [bar for block in figure.blocks for bar in block.bars]
    bottom, left = y, float(_MARGIN)
    for block in figure.blocks:
        largest = _largest(block.bars if figure.beside else everything)
        drawn = _Block(figure, theme, places, largest).draw(block)
        parts.append(f'<g transform="translate({left:g} {y:g})">{"".join(drawn.parts)}</g>')
        bottom = max(bottom, y + drawn.height)
        if figure.beside:
            left += places.width + _GAP
        else:
            y += drawn.height + 8
    if figure.note:
        bottom += _LINE
        parts.append(words(_MARGIN, bottom, figure.note, theme.muted, size=_SMALL))
    across = len(figure.blocks) if figure.beside else 1
    return Drawn(2 * _MARGIN + across * (places.width + _GAP) - _GAP, bottom + 16, parts)


class _Block:
    """Draws a block of bars."""

    def __init__(self, figure: BarList, theme: Theme, places: _Places, largest: float) -> None:
        self._figure, self._theme, self._places, self._largest = figure, theme, places, largest

    def draw(self, block: BarBlock) -> Drawn:
        """Return a block, from its own top."""
        width, muted = self._places.width, self._theme.muted
        y = float(_LINE)
        parts = [words(0, y, cut(block.title, width, TYPE), bold=True)]
        if block.about:
            y += 18
            parts.append(words(0, y, cut(block.about, width, TYPE), muted))
        for text in block.texts:
            y += 20
            parts.append(words(0, y, text.caption, muted))
            lines, y = self._sentence(text, y + 20)
            parts += lines
        y += 12 if block.texts else 8
        for bar in block.bars:
            drawn = self._row(bar, y)
            parts += drawn.parts
            y += drawn.height
        if not block.bars and block.note:
            y += _LINE - 12
            parts.append(words(0, y, block.note, muted))
        return Drawn(width, y, parts)

    def _row(self, bar: SignedBar, top: float) -> Drawn:
        """Return a bar with what stands before and after it."""
        places, theme = self._places, self._theme
        pitch = _BAR + 2
        height = max(_ROW, 8 + pitch * len(bar.values))
        middle = top + height / 2 + 5
        parts = [words(0, middle, cut(bar.title, places.title, TYPE))]
        zero = places.bar + (places.length / 2 if places.signed else 0)
        reach = places.length / 2 if places.signed else places.length
        colours = bar.colours or tuple(colour for _, colour in self._figure.keys)
        y = top + (height - pitch * len(bar.values)) / 2 + 1
        for value, text, colour in zip(bar.values, _texts(bar), colours, strict=False):
            long = abs(value) / self._largest * reach if value == value else 0.0
            start = zero - long if value < 0 else zero
            parts.append(box(start, y, long, _BAR, colour_of(colour, theme)))
            if places.signed:
                parts.append(words(places.after, y + 10, text, anchor="end"))
            else:
                parts.append(words(zero + long + 6, y + 10, text, theme.muted, size=_SMALL))
            y += pitch
        if places.signed:
            parts.append(f'<path d="M{zero:.1f} {top + 2:.1f}v{height - 4:.1f}" stroke="{theme.muted}"/>')
        for cell, at in zip(bar.cells, places.cells, strict=False):
            flush = self._figure.heads
            parts.append(words(at, middle, cell, "" if flush else theme.muted, "end" if flush else "start"))
        return Drawn(places.width, height, parts)

    def _sentence(self, text: ShadedText, y: float) -> tuple[list[str], float]:
        """Return a sentence in lines, on its colours, and where the last line is."""
        parts: list[str] = []
        shaded: list[_Run] = []
        x = 0.0
        for word in _unbroken(_pieces(text.text, text.shades)):
            wide = sum(_width(piece) for piece, _ in word)
            if x and x + wide > self._places.width:
                x, y = 0.0, y + _TEXT_LINE
                word = [(piece, shade) for piece, shade in word if not piece.isspace()]
            for piece, shade in word:
                wide = _width(piece)
                if shaded and shaded[-1].goes_on(x, y, shade):
                    shaded[-1].end = x + wide
                elif shade is not None:
                    shaded.append(_Run(shade, x, x + wide, y))
                if not piece.isspace():
                    mono = f' font-family="monospace" textLength="{wide:.1f}"'
                    parts.append(words(x, y, piece, size=_MONO, more=mono))
                x += wide
        return [*map(self._shade, shaded), *parts], y + 8

    def _shade(self, run: _Run) -> str:
        strength = (0.08 + 0.92 * run.shade.strength) * _STRONGEST[self._theme.name]
        colour = colour_of(run.shade.colour, self._theme)
        return box(run.start, run.y - 14, run.end - run.start, 18, colour, f' fill-opacity="{strength:.2f}"')


@dataclass
class _Run:
    """A piece of a line on one colour."""

    shade: Shade
    start: float
    end: float
    y: float

    def goes_on(self, x: float, y: float, shade: Shade | None) -> bool:
        return shade is self.shade and y == self.y and x == self.end


def _texts(bar: SignedBar) -> Sequence[str]:
    return bar.texts or [f"{value:.1f}".replace("-", "−") for value in bar.values]


def _largest(bars: Sequence[SignedBar]) -> float:
    """Return how large the largest value is that is a number; 1 where all are 0."""
    return max((abs(value) for bar in bars for value in bar.values if value == value), default=1.0) or 1.0


#: A stretch of a sentence without a space, or of space, and its colour.
_Piece = tuple[str, Shade | None]


def _pieces(text: str, shades: Sequence[Shade]) -> Iterator[_Piece]:
    """Cut a sentence at spaces and where colours begin and end."""
    at = {place: each for each in shades for place in range(each.start, each.end)}
    ends = (edge for each in shades if each.start < each.end for edge in (each.start, each.end))
    edges = sorted({0, len(text), *ends})
    for start, end in pairwise(edges):
        for found in re.finditer(r"\s+|\S+", text[start:end]):
            yield found[0], at.get(start)


def _unbroken(pieces: Iterator[_Piece]) -> Iterator[list[_Piece]]:
    """Yield what stands in one line: the space before a word, and the word."""
    word: list[_Piece] = []
    for piece in pieces:
        if piece[0].isspace() and word:
            yield word
            word = []
        word.append(piece)
    if word:
        yield word


def _width(text: str) -> float:
    return len(text) * _LETTER
