"""How scores are named and written for a person: titles of columns, signed scores, probabilities."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QCoreApplication

from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.base import FOREIGN
from parapluie_gui.models.catalogue import POCKET
from parapluie_gui.models.catalogue import entry as catalogue_entry
from parapluie_gui.models.server import host_of, is_address
from parapluie_gui.scores.column_kind import evidence_of, is_evidence, is_gap, is_judge_score, template_title
from parapluie_gui.scores.table import ScoreTable

translate = QCoreApplication.translate

_CONTEXT = "Columns"
_POCKET_TEMPLATE = "CLOZE"
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def judge_title(model: str) -> str:
    """Return a judge's name in those of its scores: "SmolLM2" for smollm2-135m, the last part of a path or hub id."""
    if is_address(model):
        return model.partition("#")[2].rpartition("/")[2] or host_of(model)
    known = catalogue_entry(model)
    return model.replace("\\", "/").rstrip("/").rpartition("/")[2] if known is None else known.short or known.title


def template_words(name: str) -> str:
    """Return a template's name for a person: "P1, four examples" for P1-ICL_K4, the others as they are."""
    return name.replace("-ICL_K4", translate(_CONTEXT, ", four examples"))


def title(column: str, model: str = "") -> str:
    """Return a column's name for a person: "SmolLM2 · DIRECT" for pluie.direct, "Edit distance" for edit_distance.

    Args:
        column: Any column of numbers.
        model: The judge of the score, "" where it is not known.
    """
    if is_evidence(column):
        score, yes = evidence_of(column)
        text = translate(_CONTEXT, "{column}, p(yes)") if yes else translate(_CONTEXT, "{column}, p(no)")
        return text.format(column=title(score, model))
    if is_judge_score(column) or is_gap(column):
        template = template_words(template_title(column))
        if model == POCKET.name and template.startswith(_POCKET_TEMPLATE):
            return judge_title(model) + template.removeprefix(_POCKET_TEMPLATE)  # it was taught this one alone
        return f"{judge_title(model)} · {template}" if model else template
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


def full_title(column: str, model: str = "") -> str:
    """Return the name for use out of context: a template's without a judge is "ParaPLUIE FS-DIRECT"."""
    judged = is_judge_score(evidence_of(column)[0]) or is_gap(column)
    return f"ParaPLUIE {title(column)}" if judged and not model else title(column, model)


def bounded(text: str, table: ScoreTable, column: str, row: int) -> str:
    """Return a judge's score as text with the sign of a bound before it, where it is one."""
    sign = ("", "≥ ", "≤ ")[int(table.bounds(column, np.array([row]))[0])]
    return sign + text


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


def with_verdict(value: float, scores: ScoreColumn) -> str:
    """Return a value of a score and what it says at its threshold ("+3.41 yes"); the value alone without one."""
    number = signed(value) if is_judge_score(scores.name) else plain(value)
    verdict = scores.verdict(value)
    words = {None: "{0}", True: translate(_CONTEXT, "{0} yes"), False: translate(_CONTEXT, "{0} no")}
    return words[verdict].format(number)


def label_words(label: int) -> str:
    """Return "paraphrase" or "not a paraphrase", "" where there is no label."""
    words = {1: translate(_CONTEXT, "paraphrase"), 0: translate(_CONTEXT, "not a paraphrase")}
    return words.get(label, "")


def odds(yes: float, no: float) -> str:
    """Return in words how much likelier one answer is than the other ("19 to 1 for yes", "even")."""
    if math.isnan(yes) or math.isnan(no):  # one was not told
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
