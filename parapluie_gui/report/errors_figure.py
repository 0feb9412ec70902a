"""What the errors of scores have in common as a drawing: the named groups, their shares and how many pairs; SVG."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

from parapluie_gui.analysis.errors.special import Group, Special
from parapluie_gui.report.errors import NOTHING_SPECIAL, shortened, trait_title
from parapluie_gui.report.svg import COLOURS

#: Pixels: the whole width, the margin, a line of words, and a group with its two bars.
_WIDE, _MARGIN, _LINE, _ROW = 760, 20, 26, 34
#: Where the bars begin and how long the longest is, and where the columns of numbers end.
_BARS, _LONGEST, _PAIRS, _TIMES, _P = 270, 190, 550, 660, 740
#: Letters of a group's name that fit before its bars.
_LETTERS = 36
_TEXT, _MUTED, _ERRORS, _RIGHT = "#1b1f27", "#5b6472", COLOURS[1], "#aab3c0"


@dataclass(frozen=True, eq=False)
class Grouped:
    """Errors of one kind of one score.

    Attributes:
        title: Whose and which errors: "CLOZE: false positives".
        pairs: How many they are.
        groups: What some of them have in common.
    """

    title: str
    pairs: int
    groups: Sequence[Group]


def groups_svg(found: Sequence[Grouped]) -> str:
    """Return a drawing of the groups of errors, a block for each kind of error."""
    largest = max((max(_shares(one.special)) for each in found for one in each.groups), default=1.0)
    parts = [
        *(_box(_MARGIN + x, 14, 11, colour) + _words(_MARGIN + x + 16, 24, words, _MUTED) for x, colour, words in _KEY),
        *(
            _words(x, 24, words, _MUTED, "end")
            for x, words in ((_PAIRS, "pairs"), (_TIMES, "times as often"), (_P, "p"))
        ),
    ]
    y = 24.0
    for each in found:
        y += _LINE + 8
        left = each.pairs - sum(len(one.rows) for one in each.groups)
        rest = f", {left:,} of them in no group" if each.groups else ""
        parts.append(_words(_MARGIN, y, f"{each.title} ({each.pairs:,}{rest})", _TEXT, more=' font-weight="bold"'))
        for one in each.groups:
            parts.append(_row(y + 8, one, largest))
            y += _ROW
        if not each.groups:
            y += _LINE - 4
            parts.append(_words(_MARGIN, y, NOTHING_SPECIAL, _MUTED))
    y += _LINE + 8
    parts.append(_words(_MARGIN, y, _NOTE, _MUTED, more=' font-size="11"'))
    title, height = "Groups of errors", f"{y + 16:g}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE} {height}" width="{_WIDE}" height="{height}" '
        f'role="img" aria-label="{title}" font-family="sans-serif" font-size="13" fill="{_TEXT}">'
        f'<title>{title}</title><rect width="{_WIDE}" height="{height}" fill="#ffffff"/>' + "".join(parts) + "</svg>\n"
    )


_NOTE = "The pairs of a group leave both sides before the next is looked for. p: Fisher's exact test, corrected."
_KEY = ((0, _ERRORS, "% of the errors"), (135, _RIGHT, "% of right answers with the same label"))


def _row(y: float, group: Group, largest: float) -> str:
    """Return a group: its name, the shares of errors and of right answers that have it, and its numbers."""
    found = group.special
    parts = [_words(_MARGIN, y + 18, shortened(trait_title(found), _LETTERS), _TEXT)]
    for number, (share, colour) in enumerate(zip(_shares(found), (_ERRORS, _RIGHT), strict=True)):
        top, long = y + 2 + 13 * number, share / largest * _LONGEST
        parts.append(_box(_BARS, top, 11, colour, long))
        parts.append(_words(_BARS + long + 6, top + 10, f"{100 * share:.1f}", _MUTED, more=' font-size="11"'))
    times = f"{2**found.ratio:.1f} ×" if found.other else "only here"
    p = "< 0.001" if found.p < 0.001 else f"{found.p:.3f}"
    for x, words in ((_PAIRS, f"{len(group.rows):,}"), (_TIMES, times), (_P, p)):
        parts.append(_words(x, y + 18, words, _TEXT, "end"))
    return "".join(parts)


def _shares(found: Special) -> tuple[float, float]:
    return found.count / found.size, found.other / found.others


def _box(x: float, y: float, high: float, colour: str, wide: float | None = None) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{high if wide is None else wide:.1f}" height="{high}" fill="{colour}"/>'
    )


def _words(x: float, y: float, text: str, colour: str, anchor: str = "start", more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}"{more}>{html.escape(text)}</text>'
