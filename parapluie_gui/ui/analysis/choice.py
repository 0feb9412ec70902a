"""The left side of the Analysis tab: the choice of scores, corpora, pairs and resamples."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QWidget

from parapluie_gui import places
from parapluie_gui.analysis.kept_threshold import fitting_thresholds, read_kept_thresholds
from parapluie_gui.analysis.material import AnalysisMaterial, CorpusParts
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.analysis.study import DISTANCE
from parapluie_gui.arrays import Mask
from parapluie_gui.metrics import catalogue
from parapluie_gui.scores.identity import identify
from parapluie_gui.scores.signature import Signature
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets.arrange import button, flow, vbox
from parapluie_gui.ui.widgets.checklist import CheckItem, Checklist
from parapluie_gui.ui.widgets.controls import bold, caption, make_spin_box, plain, tick
from parapluie_gui.ui.widgets.wrapped import WrappedText

#: Maximum number of scores chosen by default, to keep plots readable.
_FIRST = 8

#: Number of characters of a name that fit; names that shortening would make equal are shown in full.
_LETTERS = 26

#: Default number of resamples; fewer than on the command line, for speed.
_DRAWS = 200


class AnalysisChoice(QWidget):
    """Controls for scores, corpora, pairs (all or the selection) and resamples; each emits `changed`."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.scores = Checklist(self.tr("Scores"), self)
        self.no_scores = WrappedText(self, muted=True)
        self.no_scores.say(self.tr("No score yet. Press Run (F5)."))
        self.corpora = Checklist(self.tr("Corpora"), self)
        self._corpora_title = self._heading(self.tr("Corpora"))
        tip = self.tr(
            "Analyse only the pairs selected by a filter or the lasso. Selections made by clicks in this tab do not "
            "count"
        )
        self.only_set = tick(self.tr("Only the selected pairs"), tip)
        self.set_name = WrappedText(self, muted=True)
        self.set_name.say("")
        tip = self.tr("Number of bootstrap resamples for confidence intervals and tests. More take longer")
        self.draws = make_spin_box(self.tr("Bootstrap resamples"), (0, 100_000), _DRAWS, tip)
        self.draws.setSingleStep(100)
        self.draws.setKeyboardTracking(False)
        self.draws.setSpecialValueText(self.tr("none"))
        self._usual: tuple[str, ...] = ()
        self._colours: dict[str, int] = {}
        self.extent = WrappedText(self, muted=True)
        tip = self.tr("Analyse all scores of the corpus")
        self.all_button = button(self.tr("Tick all scores"), self._tick_all, tip)
        vbox(
            self._heading(self.tr("Scores")),
            self.no_scores,
            self.scores,
            self.extent,
            flow(self.all_button),
            self._corpora_title,
            self.corpora,
            self._heading(self.tr("Pairs")),
            self.only_set,
            self.set_name,
            caption(self.tr("Bootstrap &resamples"), self.draws),
            self.draws,
            1,
            within=self,
            margins=(8, 6, 6, 8),
            spacing=4,
        )
        policy = self.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # the controls above it keep their places
        self.setSizePolicy(policy)
        self._corpora_title.hide()
        self.scores.changed.connect(self._count)
        self.scores.changed.connect(self.changed)
        self._count()
        self.corpora.changed.connect(self.changed)
        self.only_set.toggled.connect(self.changed)
        self.draws.valueChanged.connect(self.changed)

    def offer_scores(
        self, names: Sequence[str], usual: Iterable[str], title: Callable[[str], str], shown: Iterable[str] = ()
    ) -> None:
        """List the scores by title; unless the user has chosen, tick the default scores, first those `shown`."""
        self._usual = tuple(usual)
        self.keep_colours([*self._colours, *names])
        first = list(dict.fromkeys([*(name for name in shown if name in self._usual), *self._usual]))[:_FIRST]
        titles = [title(name) for name in names]
        lines = zip(names, titles, _short(titles), strict=True)
        tips = (CheckItem(name, short, f"{full_title}\n{name}") for name, full_title, short in lines)
        self.scores.set_items(tips, first)
        self.no_scores.setVisible(not names)
        self._count()

    def keep_colours(self, names: Iterable[str]) -> None:
        """Number the colours of scores in the order in which they were first seen."""
        self._colours = {name: place for place, name in enumerate(dict.fromkeys(names))}

    @property
    def colours(self) -> dict[str, int]:
        """The number of each score's colour, which stays when other scores come or are unticked."""
        return dict(self._colours)

    def left_out(self) -> list[str]:
        """Return the scores of the corpus that are not ticked."""
        ticked = set(self.scores.checked_keys())
        return [name for name in self._usual if name not in ticked]

    def _count(self) -> None:
        """Show how many of the scores are analysed, unless all are."""
        out = len(self.left_out())
        words = self.tr("{0} of {1} scores are analysed.").format(len(self._usual) - out, len(self._usual))
        self.extent.say(words if out else "")
        self.all_button.setVisible(bool(out))

    def _tick_all(self) -> None:
        self.scores.choose(dict.fromkeys(self._usual, True))

    def offer_corpora(self, names: Sequence[str]) -> None:
        """List the pooled corpora and "all"; hide the list for a single corpus."""
        several = len(names) > 1
        shown = zip(names, _short(names), strict=True)
        self.corpora.set_items([CheckItem(name, short, name) for name, short in shown] if several else [], names)
        self.corpora.setVisible(several)
        self._corpora_title.setVisible(several)

    def _heading(self, text: str) -> QLabel:
        label = bold(plain(text))
        label.setContentsMargins(0, 6, 0, 0)
        return label


def _short(names: Sequence[str]) -> list[str]:
    """Return names short enough for their boxes, cut only as long as they stay distinct.

    Names with the same beginning and end are cut around the difference.
    """
    cut = [name if len(name) <= _LETTERS else f"{name[: _LETTERS - 11]}…{name[-10:]}" for name in names]
    groups: dict[str, list[str]] = {}
    for name, text in zip(names, cut, strict=True):
        groups.setdefault(text, []).append(name)
    for place, name in enumerate(names):
        if len(group := groups[cut[place]]) > 1:
            differ = next((at for at, letters in enumerate(zip(*group, strict=False)) if len(set(letters)) > 1), 0)
            cut[place] = f"{name[:8]}…{name[max(differ - 7, 0) :][: _LETTERS - 9]}"
    alike = {text for text, count in Counter(cut).items() if count > 1}
    return [name if text in alike else text for name, text in zip(names, cut, strict=True)]


#: Columns of numbers that are certainly not scores: ids and line numbers.
_NO_SCORE = re.compile(r"(?i)\bid\b|_id$|^(index|line|row|unnamed.*)$")
_ROLES = ("label", "human")


def offered_scores(workspace: CorpusWorkspace) -> tuple[list[str], list[str]]:
    """Return the columns that may be scores, and those that certainly are."""
    if workspace.corpus is None:
        return [], []
    scores = list(workspace.table.scores)
    more = [name for name in workspace.numeric_columns() if name not in scores and name not in _ROLES]
    more = [
        name for name in more if workspace.predicts(name) and identify(name).is_score and not _NO_SCORE.search(name)
    ]
    certain = [name for name in more if identify(name).is_from_judge or catalogue.info(name) is not None]
    certain += [name for name in _signatures(workspace) if name in more and name not in certain]
    return [*scores, *more], [*scores, *certain]


def _signatures(workspace: CorpusWorkspace) -> dict[str, Signature]:
    """Return the signatures of columns, by name."""
    return {key: column.signature for key, column in workspace.columns.items() if column.signature is not None}


def collect(
    workspace: CorpusWorkspace,
    corpus_parts: CorpusParts,
    choice: AnalysisChoice,
    only: Mask | None,
    scope: int,
    title: Callable[[str], str],
) -> AnalysisMaterial:
    """Return a copy of the material for an analysis of the pairs in `only` (None: all); see `AnalysisMaterial`.

    `title` returns the title of a score.
    """
    columns = {name: workspace.values(name) for name in choice.scores.checked_keys()}
    score_columns = []
    for name, values in columns.items():
        if values is None:
            continue
        is_distance = None if identify(name).is_from_judge else not workspace.higher_is_closer(name)
        column = score_column(name, values.copy(), is_distance)
        known, bounds = workspace.meaning(name).threshold, workspace.table.all_bounds(name)
        threshold = known if known is not None else column.threshold if column.holds_verdicts else None
        score_columns.append(replace(column, title=title(name), threshold=threshold, bounds=bounds))
    corpora = choice.corpora.checked_keys() if len(corpus_parts.parts) > 1 else []
    parts = {name: mask for name, mask in corpus_parts.parts.items() if not corpora or name in corpora}
    where = np.any(list(parts.values()), axis=0) if len(parts) < len(corpus_parts.parts) else None
    if only is not None:
        parts = {name: mask & only for name, mask in parts.items()}
        where = only if where is None else where & only
    signatures = {**workspace.table.signatures, **_signatures(workspace)}
    distance, kinds = workspace.values(DISTANCE), workspace.kinds.numbers
    return AnalysisMaterial(
        corpus_parts=corpus_parts,
        score_columns=tuple(column for column in score_columns if not np.isnan(column.values).all()),
        versions={name: workspace.version(name) for name in (DISTANCE, *choice.scores.checked_keys())},
        labels=workspace.labels(),
        parts=parts,
        where=where,
        scope=scope,
        draws=choice.draws.value(),
        y=workspace.y,
        x=workspace.x,
        left_out=tuple(map(title, choice.left_out())),
        colours=choice.colours,
        given={workspace.y: workspace.threshold} if workspace.y in columns else {},
        distance=None if distance is None or np.isnan(distance).any() else distance.copy(),
        kinds=None if np.isnan(kinds).any() else kinds.copy(),
        corrected=workspace.kinds.corrected,
        kept=fitting_thresholds(read_kept_thresholds(places.thresholds()), columns, signatures),
        signatures=signatures,
        own=frozenset(workspace.table.own),
        people=workspace.judgements,
    )
