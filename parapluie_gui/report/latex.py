"""Writes result tables as LaTeX with the booktabs package, ready to paste into a paper."""

from __future__ import annotations

import math
import re

from parapluie_gui.analysis.statistics.correlation import Estimate
from parapluie_gui.analysis.statistics.summary import ScoreSummary
from parapluie_gui.analysis.table import DIGITS, Cell, Table, cell_text, number, numeric_columns

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "–": "--",
    "−": "$-$",
    "±": r"$\pm$",
    "∞": r"$\infty$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "δ": r"$\delta$",
    "κ": r"$\kappa$",
    "λ": r"$\lambda$",
    "π": r"$\pi$",
    "ρ": r"$\rho$",
    "σ": r"$\sigma$",
    "τ": r"$\tau$",
    "φ": r"$\phi$",
    "χ": r"$\chi$",
    "²": r"$^2$",
    "·": r"$\cdot$",
    "…": r"\ldots{}",
}
_SPECIAL = re.compile("[" + re.escape("".join(_ESCAPES)) + "]")

#: Characters beyond ASCII that pdfLaTeX accepts without further packages (found by compiling each, TeX Live 2022).
_TAKEN = frozenset(
    " ¡¢£¤¥¦§¨©ª¬®¯°±²³´µ¶·¸¹º¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖ×ØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõ"
    "ö÷øùúûüýÿĀāĂăĆćĈĉĊċČčĎďĒēĔĕĖėĚěĜĝĞğĠġĢģĤĥĨĩĪīĬĭİıĲĳĴĵĶķĹĺĻļĽľŁłŃńŅņŇňŌōŎŏŐőŒœŔŕŖ"
    "ŗŘřŚśŜŝŞşŠšŢţŤťŨũŪūŬŭŮůŰűŴŵŶŷŸŹźŻżŽžƒǄǅǆǇǈǉǊǋǌǍǎǏǐǑǒǓǔǢǣǦǧǨǩǰǴǵȘșȚțȲȳȷˆˇ˘˙˜˝ḂḃḍḞ"
    "ḟḠḡḥḰḱḷṃṅṇṛṣṭẎẏẐẑẞỲỳ‐‑‒–—―‖‘’“”†‡•…‰‱※‽⁄⁎⁒₡₤₦₩₫€₱℃№℗℞℠™Ω℧℮←↑→↓〈〉␢␣◦◯♪〈〉ﬀﬁﬂﬃﬄﬅﬆ"
)

#: Control characters, and invisible characters without a visible effect: no engine prints them.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff0-\uffff\ud800-\udfff]"
)

#: Maximum number of characters that a comment names.
_NAMED = 10


def booktabs(grid: Table, digits: int = DIGITS, signatures: tuple[str, ...] = ()) -> str:
    r"""Return a LaTeX `table` with \toprule, \midrule and \bottomrule; it needs \usepackage{booktabs}.

    If the table has characters that pdfLaTeX does not accept, a comment in the first line warns of them.

    Args:
        grid: The table of results.
        digits: Decimals of numbers.
        signatures: Signature lines, written as comments above the table.
    """
    numeric = numeric_columns(grid)
    lines = [
        *(f"% {_INVISIBLE.sub('', ' '.join(line.split()))}" for line in signatures),
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape(grid.title)}.{' ' + escape(grid.note) if grid.note else ''}}}",
        rf"\label{{tab:{re.sub(r'[^a-z0-9-]', '-', grid.name.lower())}}}",
        rf"\begin{{tabular}}{{{''.join('r' if right else 'l' for right in numeric)}}}",
        r"\toprule",
        _row([escape(name) for name in grid.header]),
        r"\midrule",
        *(_row([_cell(cell, digits) for cell in row]) for row in grid.rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join([*_engine_comment(lines[len(signatures) :]), *lines]) + "\n"


def _engine_comment(lines: list[str]) -> list[str]:
    """Return a comment that names the LaTeX engines that can typeset a table's lines, "" if pdfLaTeX can."""
    others = dict.fromkeys(sign for line in lines for sign in line if not sign.isascii() and sign not in _TAKEN)
    if not others:
        return []
    named = ", ".join([*list(others)[:_NAMED], *(["…"] if len(others) > _NAMED else [])])
    return [f"% Compile with LuaLaTeX or XeLaTeX and a font that has these characters (pdfLaTeX lacks them): {named}"]


def escape(text: str) -> str:
    r"""Escape LaTeX's special characters in a text, remove invisible ones, and replace line breaks by spaces."""
    return _SPECIAL.sub(lambda match: _ESCAPES[match[0]], _INVISIBLE.sub("", " ".join(text.split())))


def _row(cells: list[str]) -> str:
    # At the beginning of a row, LaTeX would read a bracket or a star as part of the \\ before it.
    if cells and cells[0].startswith(("[", "*")):
        cells = ["{}" + cells[0], *cells[1:]]
    return " & ".join(cells) + r" \\"


def _cell(cell: Cell, digits: int) -> str:
    if cell is None or isinstance(cell, str):
        return escape(cell_text(cell, digits))
    if isinstance(cell, int):
        return f"{cell:,}".replace(",", r"\,")
    if isinstance(cell, ScoreSummary):
        return rf"${_math(cell.mean, digits)} \pm {_math(cell.std, digits)}$" if cell.scored else "--"
    if isinstance(cell, Estimate):
        if math.isnan(cell.low):
            return _number(cell.value, digits)
        low, high = _math(cell.low, digits), _math(cell.high, digits)
        return f"{_number(cell.value, digits)} [${low}$, ${high}$]"
    return _number(cell, digits)


def _number(value: float, digits: int) -> str:
    return "--" if math.isnan(value) else f"${_math(value, digits)}$"


def _math(value: float, digits: int) -> str:
    if math.isnan(value):
        return r"\mbox{--}"
    text = number(value, digits).replace("−", "-").replace("∞", r"\infty")
    return re.sub(r"e(-?\d+)", r" \\cdot 10^{\1}", text)
