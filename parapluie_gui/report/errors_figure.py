"""What the errors of scores have in common as a drawing: the named groups, their shares and how many pairs; SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from parapluie_gui.analysis.errors.special import Group, Special
from parapluie_gui.report.errors import NOTHING_SPECIAL, shortened, trait_title
from parapluie_gui.report.svg import COLOURS, MUTED, TEXT, box, drawing, words

#: Pixels: the whole width, the margin, a line of words, and a group with its two bars.
_WIDE, _MARGIN, _LINE, _ROW = 760, 20, 26, 34
#: Where the bars begin and how long the longest is, and where the columns of numbers end.
_BARS, _LONGEST, _PAIRS, _TIMES, _P = 270, 190, 550, 660, 740
#: Letters of a group's name that fit before its bars.
_LETTERS = 36
_ERRORS, _RIGHT = COLOURS[1], "#aab3c0"


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
        *(box(_MARGIN + x, 14, 11, 11, colour) + words(_MARGIN + x + 16, 24, key, MUTED) for x, colour, key in _KEY),
        *(words(x, 24, head, MUTED, "end") for x, head in ((_PAIRS, "pairs"), (_TIMES, "times as often"), (_P, "p"))),
    ]
    y = 24.0
    for each in found:
        y += _LINE + 8
        left = each.pairs - sum(len(one.rows) for one in each.groups)
        rest = f", {left:,} of them in no group" if each.groups else ""
        parts.append(words(_MARGIN, y, f"{each.title} ({each.pairs:,}{rest})", TEXT, more=' font-weight="bold"'))
        for one in each.groups:
            parts.append(_row(y + 8, one, largest))
            y += _ROW
        if not each.groups:
            y += _LINE - 4
            parts.append(words(_MARGIN, y, NOTHING_SPECIAL, MUTED))
    y += _LINE + 8
    parts.append(words(_MARGIN, y, _NOTE, MUTED, more=' font-size="11"'))
    return drawing("Groups of errors", (_WIDE, y + 16), parts, letters=13) + "\n"


_NOTE = "The pairs of a group leave both sides before the next is looked for. p: Fisher's exact test, corrected."
_KEY = ((0, _ERRORS, "% of the errors"), (135, _RIGHT, "% of right answers with the same label"))


def _row(y: float, group: Group, largest: float) -> str:
    """Return a group: its name, the shares of errors and of right answers that have it, and its numbers."""
    found = group.special
    parts = [words(_MARGIN, y + 18, shortened(trait_title(found), _LETTERS))]
    for number, (share, colour) in enumerate(zip(_shares(found), (_ERRORS, _RIGHT), strict=True)):
        top, long = y + 2 + 13 * number, share / largest * _LONGEST
        parts.append(box(_BARS, top, long, 11, colour))
        parts.append(words(_BARS + long + 6, top + 10, f"{100 * share:.1f}", MUTED, more=' font-size="11"'))
    times = f"{2**found.ratio:.1f} ×" if found.other else "only here"
    p = "< 0.001" if found.p < 0.001 else f"{found.p:.3f}"
    for x, told in ((_PAIRS, f"{len(group.rows):,}"), (_TIMES, times), (_P, p)):
        parts.append(words(x, y + 18, told, anchor="end"))
    return "".join(parts)


def _shares(found: Special) -> tuple[float, float]:
    return found.count / found.size, found.other / found.others
