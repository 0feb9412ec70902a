"""How scores are named and written for a person: titles of columns, signed scores, probabilities."""

from __future__ import annotations

import math

from PySide6.QtCore import QCoreApplication

from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.base import FOREIGN
from parapluie_gui.scores.column_kind import evidence_of, is_evidence, is_gap, is_judge_score, template_title

translate = QCoreApplication.translate

_CONTEXT = "Columns"
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def title(column: str) -> str:
    """Return a column's name for a person: "FS-DIRECT" for pluie.fs-direct, "Edit distance" for edit_distance."""
    if is_evidence(column):
        score, yes = evidence_of(column)
        text = translate(_CONTEXT, "{column}, p(yes)") if yes else translate(_CONTEXT, "{column}, p(no)")
        return text.format(column=title(score))
    if is_judge_score(column) or is_gap(column):
        return template_title(column)
    own = {
        "human": translate(_CONTEXT, "Human score"),
        "label": translate(_CONTEXT, "Label"),
        "length": translate(_CONTEXT, "Length"),
    }
    info = catalogue.info(column)
    if info is not None and info.family in FOREIGN and "." in column:
        # Columns of the corpus and the user's own metrics are known by their own names.
        name = column.partition(".")[2].removeprefix("closer_lower.")
        against = name.removeprefix("ref.")
        return name if against == name else translate(_CONTEXT, "{column} vs reference").format(column=against)
    return own.get(column) or (column if info is None else info.title)


def full_title(column: str) -> str:
    """Return the name with "ParaPLUIE" before a template's ("ParaPLUIE FS-DIRECT"), for use out of context."""
    judged = is_judge_score(evidence_of(column)[0]) or is_gap(column)
    return f"ParaPLUIE {title(column)}" if judged else title(column)


def signed(value: float) -> str:
    """Return a score with its sign and two decimals ("+3.41", "−0.20"); zero has no sign."""
    if math.isinf(value):
        return "+∞" if value > 0 else "−∞"
    text = f"{value:+.2f}"
    return "0.00" if text in ("+0.00", "-0.00") else text.replace("-", "−")


def plain(value: float) -> str:
    """Return a baseline's number with three decimals, fewer for large ones ("0.643", "24.1")."""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    decimals = 3 if abs(value) < 10 else 1
    return f"{value:.{decimals}f}".replace("-", "−")


def odds(yes: float, no: float) -> str:
    """Return in words how much likelier one answer is than the other ("19 to 1 for yes", "even")."""
    high, low = max(yes, no), min(yes, no)
    if not high > 0:  # neither has a probability
        return ""
    ratio = high / low if low > 0 else math.inf
    if ratio < 1.05:
        return translate(_CONTEXT, "even")
    if ratio > 1000:
        text = translate(_CONTEXT, "over 1,000 to 1")
    else:
        # As many figures as a person takes in: 1.2, 3.5, 19, 240.
        rounded = round(ratio, 1) if ratio < 10 else round(ratio) if ratio < 100 else round(ratio, -1)
        text = translate(_CONTEXT, "{0} to 1").format(f"{rounded:,.4g}")
    whose = translate(_CONTEXT, "{0} for yes") if yes > no else translate(_CONTEXT, "{0} for no")
    return whose.format(text)


def probability(value: float) -> str:
    """Return a probability so that small ones stay readable ("0.8731", "4.0×10⁻⁸")."""
    if math.isnan(value):
        return "?"
    if value == 0 or value >= 0.0005:
        return f"{value:.4f}"
    digits, exponent = f"{value:.1e}".split("e")
    return f"{digits}×10{str(int(exponent)).translate(_SUPERSCRIPT)}"
