"""Formats scores as text: signed scores, verdicts and probabilities."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QCoreApplication

from parapluie_gui.analysis.names import judge_title
from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.models.catalogue import POCKET
from parapluie_gui.scores.identity import identify
from parapluie_gui.scores.table import ScoreTable

translate = QCoreApplication.translate

_CONTEXT = "Columns"
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def format_bound(text: str, table: ScoreTable, column: str, row: int) -> str:
    """Return a judge's score as text, with "≥" or "≤" before it if it is a bound."""
    sign = ("", "≥ ", "≤ ")[int(table.bounds(column, np.array([row]))[0])]
    return sign + text


def format_signed(value: float) -> str:
    """Return a score with its sign and two decimals ("+3.41", "−0.20"); zero has no sign."""
    if math.isinf(value):
        return "+∞" if value > 0 else "−∞"
    text = f"{value:+.2f}"
    return "0.00" if text in ("+0.00", "-0.00") else text.replace("-", "−")


def format_plain(value: float) -> str:
    """Return a metric's score with three decimals, or one decimal from 10 on ("0.643", "24.1")."""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    decimals = 3 if abs(value) < 10 else 1
    return f"{value:.{decimals}f}".replace("-", "−")


def format_score(column: str, value: float) -> str:
    """Return a score as text: a judge's with its sign, since above 0 means yes."""
    return format_signed(value) if identify(column).is_from_judge else format_plain(value)


def format_with_verdict(value: float, scores: ScoreColumn) -> str:
    """Return a score with its verdict at the threshold ("+3.41 yes"), or alone without a threshold."""
    number = format_score(scores.name, value)
    verdict = scores.verdict(value)
    words = {None: "{0}", True: translate(_CONTEXT, "{0} yes"), False: translate(_CONTEXT, "{0} no")}
    return words[verdict].format(number)


def audience_name(model: str) -> str:
    """Return a judge's name for people who do not know its scores: "Pocket judge", otherwise its short name."""
    return translate(_CONTEXT, "Pocket judge") if model == POCKET.name else judge_title(model)


def label_words(label: int) -> str:
    """Return "paraphrase" or "not a paraphrase", "" for a pair without a label."""
    words = {1: translate(_CONTEXT, "paraphrase"), 0: translate(_CONTEXT, "not a paraphrase")}
    return words.get(label, "")


def odds(yes: float, no: float) -> str:
    """Return the odds of one answer against the other in words ("19 to 1 for yes", "even"), "" if unknown."""
    if math.isnan(yes) or math.isnan(no):  # one of the probabilities is unknown
        return ""
    high, low = max(yes, no), min(yes, no)
    if not high > 0:  # neither has a probability
        return ""
    ratio = high / low if low > 0 else math.inf
    if ratio < 1.05:
        return translate(_CONTEXT, "even")
    if ratio > 1000:
        text = translate(_CONTEXT, "over 1,000 to 1")
    else:
        # Two or three digits: 1.2, 3.5, 19, 240.
        rounded = round(ratio, 1) if ratio < 10 else round(ratio) if ratio < 100 else round(ratio, -1)
        text = translate(_CONTEXT, "{0} to 1").format(f"{rounded:,.4g}")
    whose = translate(_CONTEXT, "{0} for yes") if yes > no else translate(_CONTEXT, "{0} for no")
    return whose.format(text)


def probability(value: float) -> str:
    """Return a probability as text; a small one keeps two digits ("0.8731", "4.0×10⁻⁸").

    No model is certain: what would be rounded to 1 is "> 0.9999".
    """
    if math.isnan(value):
        return "?"
    if value >= 0.99995:
        return "> 0.9999"
    if value == 0 or value >= 0.0005:
        return f"{value:.4f}"
    digits, exponent = f"{value:.1e}".split("e")
    return f"{digits}×10{str(int(exponent)).translate(_SUPERSCRIPT)}"
