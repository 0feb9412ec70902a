"""The columns of the pairs table for a corpus and its scores, and how their values are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from PySide6.QtCore import QCoreApplication

from parapluie_gui.analysis.columns import column_names
from parapluie_gui.arrays import Floats
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs.column import NumberColumn
from parapluie_gui.scores.identity import Kind, identify
from parapluie_gui.ui.state.workspace import LIKENESS, Workspace
from parapluie_gui.ui.widgets.text import QT_TRANSLATE_NOOP

#: Kinds of columns that hold numbers.
NUMBERS = frozenset({"score", "evidence", "number"})

#: Key of the column that is not of the corpus; a file may well have a column called "outcome".
OUTCOME = "#outcome"

_DISAGREEMENT = QT_TRANSLATE_NOOP(
    "Pairs",
    "Disagreement of the scores: standard deviation of the pair's rank (as a share of the corpus) over all scores. "
    "0: all give it the same rank. 0.5: half rank it the closest pair, half the furthest apart. Computed from {}",
)
#: With more pairs than this the disagreement is hidden by default.
_MANY = 100_000
#: Scores named in a tip.
_NAMED = 8


@dataclass(frozen=True)
class Column:
    """One column of the table.

    Attributes:
        key: Its name in filters and in the workspace ("pluie.direct"), unique in the table.
        kind: "text", "label", "outcome", "score", "evidence" or "number".
        title: The words in the header.
        tip: What it holds, in words; plain text.
        hidden: True if it is hidden until the user shows it.
        decimals: Digits after the point.
        signed: True if positive numbers carry a plus sign.
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
        """Its name in a copy of the table: that in filters, or its title if filters do not know it."""
        return self.title if self.key in (OUTCOME, LIKENESS) else self.key

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


def columns_of(workspace: Workspace) -> list[Column]:
    """Return the columns of the table for what the workspace shows; none without a corpus."""
    corpus = workspace.judged
    if corpus is None:
        return []

    columns = [
        Column("id", "text", tr("Id"), tr("Identifier of the pair")),
        Column("source", "text", tr("Source"), tr("Source sentence")),
        Column("hypothesis", "text", tr("Hypothesis"), tr("Hypothesis: the possible paraphrase")),
    ]
    if corpus.reference is not None:
        tip = tr("Reference: a paraphrase written by a person")
        columns.append(Column("reference", "text", tr("Reference"), tip))
    if corpus.label is not None:
        columns.append(Column("label", "label", tr("Label"), tr("Label given by the corpus")))
    if corpus.label is not None and workspace.values(workspace.y) is not None:
        tip = tr("Does the score on the vertical axis, at the threshold, agree with the label?")
        columns.append(Column(OUTCOME, "outcome", tr("Outcome"), tip))
    scores = workspace.table.scores
    # The judge's scores come next to the sentences; further columns of the corpus come after the scores.
    columns += [_score_column(workspace, name) for name in sorted(scores, key=lambda name: not identify(name).judged)]
    if workspace.likeness is not None:
        tip = tr("How like the pair is to the chosen one: 1 the same, 0 no more than any pairs of this corpus")
        columns.insert(1, Column(LIKENESS, "number", tr("Likeness"), tip, decimals=2))
    names = column_names(corpus, workspace.table)
    for name, sources in names.derived.items():
        # It takes room from the sentences, and a second for a million pairs: hidden by default when there are many.
        usual = all(identify(source).judged for source in sources) and len(corpus) <= _MANY
        behind = max(at for at, column in enumerate(columns) if column.key in sources) + 1
        tip = tr(_DISAGREEMENT).format(_listed(sources))
        columns.insert(behind, Column(name, "number", name, tip, hidden=not usual))
    tip = tr('Kinds of change between the two sentences, found by rule. Filter with: {} has "negation"').format(
        names.kinds
    )
    columns.append(Column(names.kinds, "text", tr("Type"), tip, hidden=True))
    if corpus.human is not None:
        decimals = workspace.once("decimals human", partial(decimals_for, corpus.human))
        columns.append(Column("human", "number", tr("Human"), tr("Score given by people"), decimals=decimals))
    if corpus.group is not None:
        columns.append(Column("group", "text", tr("Group"), tr("The group of the pair in its corpus")))
    columns += [_people_column(workspace, name) for name in workspace.people]
    for name in workspace.table:
        if identify(name).kind is Kind.GAP:
            behind = max(at for at, column in enumerate(columns) if column.key in identify(name).orders) + 1
            tip = tr("Gap between the two directions: the score with the source first, minus that with it second")
            columns.insert(behind, Column(name, "number", workspace.title(name), tip, decimals=2, signed=True))
        elif name not in scores:
            identity = identify(name)
            words = tr("Probability of yes: {}") if identity.yes else tr("Probability of no: {}")
            columns.append(Column(name, "evidence", workspace.title(name), words.format(identity.score), hidden=True))
    for shown, name in names.extra.items():
        if name in workspace.people:
            continue
        tip = tr("Column “{}” of the file").format(name)
        digits = workspace.once(f"decimals {shown}", partial(_decimals, workspace, name))
        kind = "text" if digits is None else "number"
        columns.append(Column(shown, kind, shown, tip, hidden=True, decimals=digits or 0))
    return columns


def _score_column(workspace: Workspace, name: str) -> Column:
    in_filters = tr(" In filters it is called {}").format(name)
    identity, maker = identify(name), identify(name).maker
    if maker is not None:
        tip = tr("ParaPLUIE with the template {}: above 0 the judge leans to yes, below 0 to no")
        if identity.reverse:
            tip = tr("ParaPLUIE with the template {}, hypothesis first: above 0 the judge leans to yes, below 0 to no")
        tip = tip.format(maker.template) + "." + in_filters
        return Column(name, "score", workspace.title(name), tip, decimals=2, signed=True)
    info, title = catalogue.info(name), workspace.title(name)
    if info is None:
        return Column(name, "score", title, name)
    tip = (f"{info.title}: {info.summary}" if info.summary else f"{info.title}.") + in_filters
    return Column(name, "score", title, tip, decimals=3 if info.low >= -1 and info.high <= 1 else 2)


def _people_column(workspace: Workspace, name: str) -> Column:
    """Return a column of what people said; those of single annotators are hidden."""
    own, plain = workspace.people[name], name.removesuffix(" (people)")
    if plain == "note":
        return Column(name, "text", tr("Note"), tr("Notes on the pair"))
    decimals = decimals_for(own.values) if isinstance(own, NumberColumn) else 0
    kind = "number" if isinstance(own, NumberColumn) else "text"
    if "." not in plain:
        tip = tr("What people answered: most of them, or the mean of a scale; nothing where that is a draw")
        return Column(name, kind, name, tip, decimals=decimals)
    if plain.endswith(".mean") and kind == "number":
        return Column(name, kind, name, tr("Mean place of people's answers on their scale"), True, decimals)
    time = plain.endswith(".time")
    tip = tr("When this annotator answered") if time else tr("What this annotator said")
    return Column(name, kind, name, tip, True, decimals)


def decimals_for(values: Floats) -> int:
    """Return the digits after the point to show of these numbers: none for whole ones, at most three."""
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
    """Return the digits to show of a column of the file; None for texts and words for truth values."""
    assert workspace.corpus is not None
    own = workspace.corpus.extra[key]
    if not isinstance(own, NumberColumn) or (own.words is not None and isinstance(own.words[0], str)):
        return None
    return decimals_for(own.values)


def outcome_words(code: int) -> str:
    """Return a sentence for an outcome code, "" for 0."""
    return (
        "",
        tr("True positive: judged a paraphrase, and labelled one"),
        tr("False positive: judged a paraphrase, but labelled not a paraphrase"),
        tr("False negative: judged not a paraphrase, but labelled one"),
        tr("True negative: judged not a paraphrase, and labelled so"),
    )[code]
