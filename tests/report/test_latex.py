"""Tables compile with pdfLaTeX, or name the engine that they need."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from parapluie_gui.analysis.table import Table
from parapluie_gui.report import latex
from parapluie_gui.report.latex import booktabs, escape

#: Names of columns, scores and corpora: their escaped form, and whether pdfLaTeX accepts it.
NAMES = {
    "plain": ("plain", True),
    "a\x00b\x01c\x1bd\x7fe\x9ff": ("abcdef", True),
    "left\u202eright\u2066 zero\u200bwidth\ufeff": ("leftright zerowidth", True),
    "line\nbreak\u2028tab\t": ("line break tab", True),
    "lone \ud800": ("lone ", True),
    "Krippendorff's α, κ, τ, χ, ρ, λ": (
        r"Krippendorff's $\alpha$, $\kappa$, $\tau$, $\chi$, $\rho$, $\lambda$",
        True,
    ),
    "été, Łódź, straße, naïve ½ €": ("été, Łódź, straße, naïve ½ €", True),
    "e\u0301": ("e\u0301", False),
    "日本": ("日本", False),
    "😀": ("😀", False),
    "русский": ("русский", False),
    r"\input{x} & 50 % $x_1$ #1 ~^": (
        r"\textbackslash{}input\{x\} \& 50 \% \$x\_1\$ \#1 \textasciitilde{}\textasciicircum{}",
        True,
    ),
}


@pytest.mark.parametrize("name", NAMES)
def test_names_are_escaped_or_named_in_a_comment(name):
    escaped, taken = NAMES[name]
    assert escape(name) == escaped
    text = booktabs(Table("t", name, (name, "value"), ((name, 0.5),)), signatures=(name,))
    first, second = text.splitlines()[:2]
    assert first.startswith("% Compile with LuaLaTeX or XeLaTeX") == (not taken)
    if not taken:
        assert name[-1] in first and second.startswith("% ")
    assert not any(sign in text for sign in "\x00\x01\x1b\x7f\u202e\u200b\ud800")


def test_the_comment_names_up_to_ten_characters():
    text = booktabs(Table("t", "T", ("a",), (("".join(map(chr, range(0x4E00, 0x4E20))),),)))
    assert text.splitlines()[0].count(",") == 10 and text.splitlines()[0].endswith("…")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="TeX is not installed")
def test_pdflatex_compiles_tables_without_such_a_comment(tmp_path: Path):
    names = [name for name, (_, taken) in NAMES.items() if taken] + sorted(latex._TAKEN)
    table = booktabs(Table("t", "T", ("name", "value"), tuple((name, 0.5) for name in names)), signatures=tuple(NAMES))
    plain = table.replace(r"\toprule", r"\hline").replace(r"\midrule", r"\hline").replace(r"\bottomrule", r"\hline")
    document = f"\\documentclass{{article}}\n\\begin{{document}}\n{plain}\\end{{document}}\n"
    (tmp_path / "t.tex").write_text(document, encoding="utf-8", errors="replace")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"], cwd=tmp_path, capture_output=True
    )
    assert done.returncode == 0, done.stdout.decode("latin-1")[-2000:]
