"""Tables of results as text, CSV and LaTeX."""

from __future__ import annotations

import csv
import io
import math

import pytest

from parapluie_gui.analysis.statistics.correlation import Estimate
from parapluie_gui.analysis.statistics.summary import ScoreSummary
from parapluie_gui.analysis.table import Table, cell_text, number, table_csv, table_text
from parapluie_gui.report.latex import booktabs, escape

GRID = Table(
    "a table",
    "What 50 % of_it shows",
    ("score", "mean", "r", "pairs", "at"),
    (
        ("A & B", ScoreSummary(scored=2, mean=0.3871, std=0.161), Estimate(-0.409, -0.44, -0.38), 5801, -0.25),
        ("[x]", ScoreSummary(), Estimate(), None, math.nan),
    ),
    "A note.",
)


def test_tables_are_formatted_as_text():
    assert table_text(GRID).splitlines() == [
        "What 50 % of_it shows",
        "score         mean                        r  pairs      at",
        "A & B  0.387±0.161  −0.409 [−0.440, −0.380]  5,801  −0.250",
        "[x]              –                        –      –       –",
        "A note.",
    ]


def test_csv_has_full_precision():
    rows = list(csv.reader(io.StringIO(table_csv(GRID), newline="")))
    assert rows[0] == ["score", "mean mean", "mean sd", "r", "r low", "r high", "pairs", "at"]
    assert rows[1] == ["A & B", "0.3871", "0.161", "-0.409", "-0.44", "-0.38", "5801", "-0.25"]
    assert rows[2] == ["[x]", "", "", "", "", "", "", ""]
    plain = Table("x", "x", ("r",), ((Estimate(1 / 3),),))
    assert table_csv(plain) == f"r\r\n{1 / 3!r}\r\n", "no columns for missing intervals"


def test_tables_are_formatted_as_latex():
    lines = booktabs(GRID, signatures=("bleu: name:bleu",)).splitlines()
    assert lines[0] == "% bleu: name:bleu"
    assert r"\caption{What 50 \% of\_it shows. A note.}" in lines
    assert r"\label{tab:a-table}" in lines
    assert r"\begin{tabular}{lrrrr}" in lines
    assert lines[lines.index(r"\toprule") + 1] == r"score & mean & r & pairs & at \\"
    body = lines[lines.index(r"\midrule") + 1 : lines.index(r"\bottomrule")]
    assert body == [
        r"A \& B & $0.387 \pm 0.161$ & $-0.409$ [$-0.440$, $-0.380$] & 5\,801 & $-0.250$ \\",
        # Without the braces LaTeX would read [x] as the argument of the preceding \\.
        r"{}[x] & -- & -- & -- & -- \\",
    ]
    assert lines[-1] == r"\end{table}"


def test_small_and_infinite_numbers_are_formatted():
    assert [number(value) for value in (0.0, 0.0004, 0.0005, -1.5e-12, math.inf, -math.inf)] == [
        "0.000",
        "4.0e−4",
        "0.001",
        "−1.5e−12",
        "∞",
        "−∞",
    ]
    small = booktabs(Table("x", "x", ("p", "q"), ((1.5e-12, -math.inf),)))
    assert r"$1.5 \cdot 10^{-12}$ & $-\infty$ \\" in small
    assert cell_text(0) == "0" and cell_text(12345) == "12,345" and cell_text(-4076) == "−4,076"


@pytest.mark.parametrize("cell", ["*", "*a", "[a]", "[", "*[a]"])
def test_a_row_cannot_become_an_argument_of_the_row_above(cell):
    r"""LaTeX parses \\* and \\[1ex] across the line's end: the star and the bracket would not be printed."""
    text = booktabs(Table("x", "x", ("n", "v"), (("a", 1), (cell, 2))))
    assert f"\\\\\n{{}}{cell} & 2" in text
    assert f"\\toprule\n{{}}{cell} & v" in booktabs(Table("x", "x", (cell, "v"), (("a", 1),)))


def test_latexs_special_characters_are_escaped():
    assert escape("\\ {} $ & # % _ ~ ^ < > | \n ±") == (
        r"\textbackslash{} \{\} \$ \& \# \% \_ \textasciitilde{} \textasciicircum{} "
        r"\textless{} \textgreater{} \textbar{} $\pm$"
    )
