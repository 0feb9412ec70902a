"""The action that opens the named thresholds."""

from __future__ import annotations

from parapluie_gui.ui.scatter.kept_dialog import KeptThresholdsDialog
from parapluie_gui.ui.window.context import WindowContext, WindowController


class ThresholdActions(WindowController):
    """Opens the dialog of named thresholds, which the Analysis tab shows as rows."""

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._analysis = context.analysis
        self.dialog: KeptThresholdsDialog | None = None

    def open(self) -> None:
        """Show the named thresholds of the score on the y axis."""
        if self._workspace.values(self._workspace.y) is None:
            self.failed.emit(self.tr("There is no score yet, so there is no threshold. Score the pairs first (F5)."))
            return
        if self.dialog is None:
            self.dialog = KeptThresholdsDialog(self._workspace, self._window)
            self.dialog.changed.connect(self._analysis.renew)
        self.dialog.open()
