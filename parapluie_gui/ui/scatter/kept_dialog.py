"""The dialog of named thresholds: save the decision line under a name, move it to a saved threshold, or delete one."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QListWidget, QWidget

from parapluie_gui import places
from parapluie_gui.analysis.kept_threshold import (
    KeptThreshold,
    check_threshold_name,
    fitting_thresholds,
    forget_threshold,
    keep_thresholds,
    read_kept_thresholds,
)
from parapluie_gui.analysis.table import number
from parapluie_gui.analysis.threshold import best_threshold
from parapluie_gui.errors import ParapluieError
from parapluie_gui.scores.table import is_scored
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets.arrange import button, hbox, name_control, vbox
from parapluie_gui.ui.widgets.controls import caption, dialog_buttons, line
from parapluie_gui.ui.widgets.wrapped import WrappedText

#: Width of the dialog in average characters.
_LETTERS = 76


class KeptThresholdsDialog(QDialog):
    """A dialog with the named thresholds of the score on the y axis.

    Attributes:
        list: The thresholds with name, value and origin.
        name: The name for the current decision line.

    Signals:
        changed: The kept thresholds changed.
    """

    changed = Signal()

    def __init__(self, workspace: CorpusWorkspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "analysis")
        self.setWindowTitle(self.tr("Kept thresholds"))
        self._workspace = workspace
        self._thresholds: tuple[KeptThreshold, ...] = ()
        self._score = WrappedText(self)
        self.list = name_control(QListWidget(), self.tr("Kept thresholds of this score"), "")
        self.use = button(
            self.tr("Move the line there"), self._use, self.tr("Move the decision line to this threshold")
        )
        self.forget = button(self.tr("Delete"), self._forget, self.tr("Delete this kept threshold"))
        self.name = line(self.tr("Name for the threshold"), self.tr("MRPC best"))
        self.keep = button(self.tr("Keep the line"), self._keep, self.tr("Keep the current threshold under this name"))
        self.problem = WrappedText(self, bad=True)
        self.problem.setAccessibleName(self.tr("Problem to solve"))
        vbox(
            self._score,
            (self.list, 1),
            hbox(self.use, self.forget, 1),
            caption(self.tr("&Name"), self.name),
            hbox((self.name, 1), self.keep),
            self.problem,
            dialog_buttons(self),
            within=self,
        )
        self.resize(_LETTERS * self.fontMetrics().averageCharWidth(), self.sizeHint().height())
        self.list.currentRowChanged.connect(self._choose)
        self.name.returnPressed.connect(self._keep)
        for change in (workspace.axes_changed, workspace.threshold_changed, workspace.columns_changed):
            change.connect(self.refresh)

    def refresh(self) -> None:
        """List the thresholds and show the position of the line."""
        workspace = self._workspace
        title = workspace.title(workspace.y)
        words = self.tr("The line for {0} is at {1}: {2}.")
        self._score.say(words.format(title, number(workspace.threshold), self._origin()))
        thresholds = fitting_thresholds(
            read_kept_thresholds(places.thresholds()), [workspace.y], workspace.table.signatures
        )
        if thresholds != self._thresholds or self.list.count() != len(thresholds):
            self._thresholds = thresholds
            self.list.clear()
            self.list.addItems(
                [f"{threshold.name}:  {number(threshold.threshold)}   ({threshold.origin})" for threshold in thresholds]
            )
        self._choose()

    def open(self) -> None:
        """Open the dialog with the current thresholds."""
        self.refresh()
        super().open()
        self.name.setFocus()

    def _choose(self, *_: object) -> None:
        chosen = 0 <= self.list.currentRow() < len(self._thresholds)
        for control in (self.use, self.forget):
            control.setEnabled(chosen)

    def _origin(self) -> str:
        """Describe the pairs on which the current threshold was chosen."""
        workspace = self._workspace
        values, labels = workspace.values(workspace.y), workspace.labels()
        corpus = workspace.corpus
        if values is None or corpus is None:
            return self.tr("no pair has a score")
        best, right = best_threshold(values, labels, workspace.higher_is_closer(workspace.y))
        if best == workspace.threshold:
            return self.tr("best accuracy on {0}, {1} labelled pairs").format(corpus.name, f"{right.counted:,}")
        return self.tr("set by hand on {0}, {1} pairs").format(corpus.name, f"{int(is_scored(values).sum()):,}")

    def _use(self) -> None:
        self._workspace.move_threshold(self._thresholds[self.list.currentRow()].threshold)

    def _forget(self) -> None:
        self._change(partial(forget_threshold, places.thresholds(), self._thresholds[self.list.currentRow()]))

    def _keep(self) -> None:
        workspace, name = self._workspace, self.name.text().strip()
        try:
            check_threshold_name(name)
        except ParapluieError as error:
            self.problem.say(str(error))
            return
        signature = workspace.table.signatures.get(workspace.y)
        signed = "" if signature is None else str(signature)
        threshold = KeptThreshold(name, workspace.y, float(workspace.threshold), self._origin(), signed)
        self._change(partial(keep_thresholds, places.thresholds(), [threshold]))

    def _change(self, write: partial[None]) -> None:
        try:
            write()
        except OSError as error:
            words = self.tr("{0} cannot be written ({1}). Free disk space there, or check the folder.")
            self.problem.say(words.format(places.thresholds(), error.strerror or error))
            return
        self.problem.say("")
        self.refresh()
        self.changed.emit()
