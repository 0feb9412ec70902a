"""The menu action that shows the Concordance tab."""

from __future__ import annotations

from parapluie_gui.ui.window.context import WindowController


class ConcordanceActions(WindowController):
    """The action of the Concordance tab."""

    def show(self) -> None:
        self._tabs.show_tab("concordance")
