"""Draws lists of named bars as SVG, such as groups of errors, or the values of several scores for one pair."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from parapluie_gui.analysis.figure import BarBlock, BarList, ShadedSpan, ShadedText, SignedBar
from parapluie_gui.report.elements import SvgDrawing, cut_end, draw_box, draw_text, estimate_width
from parapluie_gui.report.palette import Theme, resolve_colour

#: Font sizes of the layout, of numbers and notes, and of sentences; and the letter width of sentences, which are
#: monospaced so that colours fit their words.
TYPE, _SMALL, _MONO, _LETTER = 13, 11, 12, 7.225

#: Layout in pixels: the margin, the gap between blocks, the height of a line of words, and of a line of a sentence.
_MARGIN, _GAP, _LINE, _TEXT_LINE = 20, 40, 26, 22
#: The height of a bar, and of its row, in pixels.
_BAR, _ROW = 11, 24
#: Maximum opacity of the colour behind dark words and behind light words, which must stay readable.
_STRONGEST = {"light": 0.72, "dark": 0.5}


class _ColumnPositions:
    """The positions of a list's columns, from the left edge of a block."""

    def __init__(self, figure: BarList) -> None:
        bars = [bar for block in figure.blocks for bar in block.bars]
        self.signed = figure.beside or any(value < 0 for bar in bars for value in bar.values)
        self.title = 158.0 if figure.beside else 238.0
        self.bar = self.title + 12
        self.length = 120.0 if figure.beside else 190.0
        texts = [text for bar in bars for text in _texts(bar)]
        self.after = self.bar + self.length + 12 + max((estimate_width(text, TYPE) for text in texts), default=0.0)
        self.cells: list[float] = []
        at = self.after
        columns = zip(*(bar.cells for bar in bars), strict=True) if bars else iter(())
        contents = list(columns) or [()] * len(figure.heads)
        for number, column in enumerate(contents):
            head = figure.heads[number : number + 1]
            wide = max((estimate_width(text, TYPE) for text in [*column, *head]), default=0.0)
            self.cells.append(at + 18 + wide if figure.heads else at + 10)
            at += 18 + wide
        self.width = max(at, 460.0 if figure.beside else 720.0)


def draw_bars(figure: BarList, theme: Theme) -> SvgDrawing:
    places = _ColumnPositions(figure)
    parts, x = [], float(_MARGIN)
    for name, colour in figure.keys:
        parts += [draw_box(x, 14, 11, 11, resolve_colour(colour, theme)), draw_text(x + 16, 24, name, theme.muted)]
        x += 36 + estimate_width(name, TYPE)
    parts += [
        draw_text(_MARGIN + at, 24, head, theme.muted, "end")
        for head, at in zip(figure.heads, places.cells, strict=False)
    ]
    y = 32.0 if figure.keys or figure.heads else 8.0
    all_bars = [bar for block in figure.blocks for bar in block.bars]
    bottom, left = y, float(_MARGIN)
    for block in figure.blocks:
        largest = _largest(block.bars if figure.beside else all_bars)
        drawn = _BlockDrawer(figure, theme, places, largest).draw(block)
        parts.append(f'<g transform="translate({left:g} {y:g})">{"".join(drawn.parts)}</g>')
        bottom = max(bottom, y + drawn.height)
        if figure.beside:
            left += places.width + _GAP
        else:
            y += drawn.height + 8
    if figure.note:
        bottom += _LINE
        parts.append(draw_text(_MARGIN, bottom, figure.note, theme.muted, size=_SMALL))
    across = len(figure.blocks) if figure.beside else 1
    return SvgDrawing(2 * _MARGIN + across * (places.width + _GAP) - _GAP, bottom + 16, parts)


class _BlockDrawer:
    """Draws the blocks of a list."""

    def __init__(self, figure: BarList, theme: Theme, places: _ColumnPositions, largest: float) -> None:
        self._figure, self._theme, self._places, self._largest = figure, theme, places, largest

    def draw(self, block: BarBlock) -> SvgDrawing:
        """Draw a block, starting at 0."""
        width, muted = self._places.width, self._theme.muted
        y = float(_LINE)
        parts = [draw_text(0, y, cut_end(block.title, width, TYPE), bold=True)]
        if block.about:
            y += 18
            parts.append(draw_text(0, y, cut_end(block.about, width, TYPE), muted))
        for text in block.texts:
            y += 20
            parts.append(draw_text(0, y, text.caption, muted))
            lines, y = self._sentence(text, y + 20)
            parts += lines
        y += 12 if block.texts else 8
        for bar in block.bars:
            drawn = self._row(bar, y)
            parts += drawn.parts
            y += drawn.height
        if not block.bars and block.note:
            y += _LINE - 12
            parts.append(draw_text(0, y, block.note, muted))
        return SvgDrawing(width, y, parts)

    def _row(self, bar: SignedBar, top: float) -> SvgDrawing:
        """Draw a row: the title, the bars and the cells after them."""
        places, theme = self._places, self._theme
        pitch = _BAR + 2
        height = max(_ROW, 8 + pitch * len(bar.values))
        middle = top + height / 2 + 5
        parts = [draw_text(0, middle, cut_end(bar.title, places.title, TYPE))]
        zero = places.bar + (places.length / 2 if places.signed else 0)
        reach = places.length / 2 if places.signed else places.length
        colours = bar.colours or tuple(colour for _, colour in self._figure.keys)
        y = top + (height - pitch * len(bar.values)) / 2 + 1
        for value, text, colour in zip(bar.values, _texts(bar), colours, strict=False):
            long = abs(value) / self._largest * reach if value == value else 0.0
            start = zero - long if value < 0 else zero
            parts.append(draw_box(start, y, long, _BAR, resolve_colour(colour, theme)))
            if places.signed:
                parts.append(draw_text(places.after, y + 10, text, anchor="end"))
            else:
                parts.append(draw_text(zero + long + 6, y + 10, text, theme.muted, size=_SMALL))
            y += pitch
        if places.signed:
            parts.append(f'<path d="M{zero:.1f} {top + 2:.1f}v{height - 4:.1f}" stroke="{theme.muted}"/>')
        for cell, at in zip(bar.cells, places.cells, strict=False):
            flush = self._figure.heads
            parts.append(draw_text(at, middle, cell, "" if flush else theme.muted, "end" if flush else "start"))
        return SvgDrawing(places.width, height, parts)

    def _sentence(self, text: ShadedText, y: float) -> tuple[list[str], float]:
        """Draw a sentence in lines on its background colours; also return the position below it."""
        parts: list[str] = []
        shaded: list[_ShadedStretch] = []
        x = 0.0
        for word in _group_words(_split_sentence(text.text, text.shades)):
            wide = sum(_width(piece) for piece, _ in word)
            if x and x + wide > self._places.width:
                x, y = 0.0, y + _TEXT_LINE
                word = [(piece, shade) for piece, shade in word if not piece.isspace()]
            for piece, shade in word:
                wide = _width(piece)
                if shaded and shaded[-1].continues_with(x, y, shade):
                    shaded[-1].end = x + wide
                elif shade is not None:
                    shaded.append(_ShadedStretch(shade, x, x + wide, y))
                if not piece.isspace():
                    mono = f' font-family="monospace" textLength="{wide:.1f}"'
                    parts.append(draw_text(x, y, piece, size=_MONO, more=mono))
                x += wide
        return [*map(self._shade, shaded), *parts], y + 8

    def _shade(self, run: _ShadedStretch) -> str:
        strength = (0.08 + 0.92 * run.shade.strength) * _STRONGEST[self._theme.name]
        colour = resolve_colour(run.shade.colour, self._theme)
        return draw_box(run.start, run.y - 14, run.end - run.start, 18, colour, f' fill-opacity="{strength:.2f}"')


@dataclass
class _ShadedStretch:
    """A stretch of a line with one colour."""

    shade: ShadedSpan
    start: float
    end: float
    y: float

    def continues_with(self, x: float, y: float, shade: ShadedSpan | None) -> bool:
        return shade is self.shade and y == self.y and x == self.end


def _texts(bar: SignedBar) -> Sequence[str]:
    return bar.texts or [f"{value:.1f}".replace("-", "−") for value in bar.values]


def _largest(bars: Sequence[SignedBar]) -> float:
    """Return the largest absolute value that is not NaN, or 1 if all are 0."""
    return max((abs(value) for bar in bars for value in bar.values if value == value), default=1.0) or 1.0


#: A word or space of a sentence, and its colour.
_Piece = tuple[str, ShadedSpan | None]


def _split_sentence(text: str, shades: Sequence[ShadedSpan]) -> Iterator[_Piece]:
    """Split a sentence at spaces and at the ends of colours."""
    at = {place: shade for shade in shades for place in range(shade.start, shade.end)}
    ends = (edge for shade in shades if shade.start < shade.end for edge in (shade.start, shade.end))
    edges = sorted({0, len(text), *ends})
    for start, end in pairwise(edges):
        for match in re.finditer(r"\s+|\S+", text[start:end]):
            yield match[0], at.get(start)


def _group_words(pieces: Iterator[_Piece]) -> Iterator[list[_Piece]]:
    """Yield pieces that must not be separated: the space before a word, and the word."""
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
