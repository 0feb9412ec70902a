"""The columns of the pairs table: which there are for a corpus and its scores, and how a value of each reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from PySide6.QtCore import QCoreApplication

from parapluie_gui.analysis.columns import column_names
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs.column import NumberColumn
from parapluie_gui.scores.column_kind import evidence_of, is_judge_score, template_title
from parapluie_gui.ui.state.workspace import Workspace
from parapluie_gui.ui.widgets.text import QT_TRANSLATE_NOOP

#: Kinds of columns that hold numbers.
NUMBERS = frozenset({"score", "evidence", "number"})

#: Keys of the columns that are not of the corpus; a file may well have a column called "outcome" or "note".
OUTCOME, NOTE = "#outcome", "#note"

_OUTCOME_WORDS = (
    "",
    QT_TRANSLATE_NOOP("Pairs", "True positive: judged a paraphrase, and labelled one"),
    QT_TRANSLATE_NOOP("Pairs", "False positive: judged a paraphrase, but labelled not a paraphrase"),
    QT_TRANSLATE_NOOP("Pairs", "False negative: judged not a paraphrase, but labelled one"),
    QT_TRANSLATE_NOOP("Pairs", "True negative: judged not a paraphrase, and labelled so"),
)

_TITLES = {
    "id": QT_TRANSLATE_NOOP("Pairs", "Id"),
    "source": QT_TRANSLATE_NOOP("Pairs", "Source"),
    "hypothesis": QT_TRANSLATE_NOOP("Pairs", "Hypothesis"),
    "reference": QT_TRANSLATE_NOOP("Pairs", "Reference"),
    "label": QT_TRANSLATE_NOOP("Pairs", "Label"),
    "human": QT_TRANSLATE_NOOP("Pairs", "Human"),
    "group": QT_TRANSLATE_NOOP("Pairs", "Group"),
    OUTCOME: QT_TRANSLATE_NOOP("Pairs", "Outcome"),
    NOTE: QT_TRANSLATE_NOOP("Pairs", "Note"),
}

_TIPS = {
    "id": QT_TRANSLATE_NOOP("Pairs", "Identifier of the pair"),
    "source": QT_TRANSLATE_NOOP("Pairs", "Source sentence"),
    "hypothesis": QT_TRANSLATE_NOOP("Pairs", "Hypothesis: the possible paraphrase"),
    "reference": QT_TRANSLATE_NOOP("Pairs", "Reference: a paraphrase written by a person"),
    "label": QT_TRANSLATE_NOOP("Pairs", "Label given by the corpus"),
    "human": QT_TRANSLATE_NOOP("Pairs", "Score given by people"),
    "group": QT_TRANSLATE_NOOP("Pairs", "The group of the pair in its corpus"),
    OUTCOME: QT_TRANSLATE_NOOP("Pairs", "Does the score on the vertical axis, at the threshold, agree with the label?"),
    NOTE: QT_TRANSLATE_NOOP("Pairs", "Your note on the pair"),
}

_DISAGREEMENT = QT_TRANSLATE_NOOP(
    "Pairs",
    "Disagreement of the scores: standard deviation of the pair's rank (as a share of the corpus) over all scores. "
    "0: all give it the same rank. 0.5: half rank it the closest pair, half the furthest apart. Computed from {}",
)
#: Of more pairs than this the disagreement is not shown unasked.
_MANY = 100_000
#: So many scores are named in a tip.
_NAMED = 8


@dataclass(frozen=True)
class Column:
    """One column of the table.

    Attributes:
        key: Its name in filters and in the workspace ("pluie.direct"), unique in the table.
        kind: "text", "label", "outcome", "score", "evidence", "number" or "note".
        title: The words in the header.
        tip: What it holds, in words; plain text.
        hidden: Whether it is hidden until the user asks for it.
        decimals: Digits after the point.
        signed: Whether positive numbers carry a plus sign.
    """

    key: str
    kind: str
    title: str
    tip: str
    hidden: bool = False
    decimals: int = 3
    signed: bool = False

    @property
    def name(self) -> str:
        """What the column is called in a copy: its name in filters, or its title if filters do not know it."""
        return self.title if self.key in (OUTCOME, NOTE) else self.key

    def format(self, value: float) -> str:
        """Return a number as text, "" for NaN."""
        if np.isnan(value):
            return ""
        if np.isinf(value):
            return "+∞" if value > 0 else "−∞"
        text = f"{value:{'+' if self.signed else ''}.{self.decimals}f}"
        if not float(text):
            text = text.lstrip("+-")  # what rounds to zero has no sign
        return text.replace("-", "−")


def tr(text: str) -> str:
    """Translate a text of the pairs table."""
    return QCoreApplication.translate("Pairs", text)


def columns_of(workspace: Workspace, notes: bool = False) -> list[Column]:
    """Return the columns of the table for what the workspace shows; none without a corpus."""
    corpus = workspace.corpus
    if corpus is None:
        return []

    def plain(key: str, kind: str, **more: object) -> Column:
        return Column(key, kind, tr(_TITLES[key]), tr(_TIPS[key]), **more)  # type: ignore[arg-type]

    columns = [plain("id", "text"), plain("source", "text"), plain("hypothesis", "text")]
    if corpus.reference is not None:
        columns.append(plain("reference", "text"))
    if corpus.label is not None:
        columns.append(plain("label", "label"))
    if corpus.label is not None and workspace.values(workspace.y) is not None:
        columns.append(plain(OUTCOME, "outcome"))
    scores = workspace.table.scores
    # What the judge says stands next to the sentences; what the corpus says besides comes after the numbers.
    for name in sorted(scores, key=lambda name: not is_judge_score(name)):
        info = catalogue.info(name)
        if is_judge_score(name):
            tip = tr("ParaPLUIE with the template {}: above 0 the judge leans to yes, below 0 to no")
            columns.append(Column(name, "score", name, tip.format(template_title(name)), decimals=2, signed=True))
        elif info is not None:
            tip = f"{info.title}: {info.summary}" if info.summary else info.title
            bounded = info.low >= -1 and info.high <= 1
            columns.append(Column(name, "score", name, tip, decimals=3 if bounded else 2))
        else:
            columns.append(Column(name, "score", name, name, decimals=3))
    names = column_names(corpus, workspace.table)
    for name, sources in names.derived.items():
        # It takes room from the sentences, and a second for a million pairs: of many it is there for who wants it.
        usual = all(map(is_judge_score, sources)) and len(corpus) <= _MANY
        behind = max(at for at, column in enumerate(columns) if column.key in sources) + 1
        tip = tr(_DISAGREEMENT).format(_listed(sources))
        columns.insert(behind, Column(name, "number", name, tip, hidden=not usual))
    if corpus.human is not None:
        decimals = workspace.once("decimals human", partial(decimals_for, corpus.human))
        columns.append(plain("human", "number", decimals=decimals))
    if corpus.group is not None:
        columns.append(plain("group", "text"))
    if notes:
        columns.append(plain(NOTE, "note"))
    for name in workspace.table:
        if name not in scores:
            score, yes = evidence_of(name)
            words = tr("Probability of yes: {}") if yes else tr("Probability of no: {}")
            columns.append(Column(name, "evidence", name, words.format(score), hidden=True))
    for shown, name in names.extra.items():
        tip = tr("Column “{}” of the file").format(name)
        digits = workspace.once(f"decimals {shown}", partial(_decimals, workspace, name))
        if digits is None:
            columns.append(Column(shown, "text", shown, tip, hidden=True))
        else:
            columns.append(Column(shown, "number", shown, tip, hidden=True, decimals=digits))
    return columns


def decimals_for(values: np.ndarray) -> int:
    """Return how many digits after the point these numbers deserve: none for whole ones, at most three."""
    finite = values[np.isfinite(values)]
    if not len(finite) or np.array_equal(finite, np.round(finite)):
        return 0
    for digits in (1, 2):
        if np.allclose(finite, np.round(finite, digits), atol=1e-9):
            return digits
    return 3 if np.abs(finite).max() < 100 else 2


def _listed(names: Sequence[str]) -> str:
    more = [tr("{} more").format(len(names) - _NAMED)] if len(names) > _NAMED else []
    return ", ".join([*names[:_NAMED], *more])


def _decimals(workspace: Workspace, key: str) -> int | None:
    """Return how many digits one of the corpus's own columns deserves; None for texts and words for truth values."""
    assert workspace.corpus is not None
    own = workspace.corpus.extra[key]
    if not isinstance(own, NumberColumn) or (own.words is not None and isinstance(own.words[0], str)):
        return None
    return decimals_for(own.values)


def outcome_words(code: int) -> str:
    """Return a sentence for an outcome code."""
    return tr(_OUTCOME_WORDS[code]) if code else ""


def label_words(label: int) -> str:
    """Return the word for a label: "paraphrase", "not", or "" where there is none."""
    return {1: tr("paraphrase"), 0: tr("not a paraphrase")}.get(label, "")
