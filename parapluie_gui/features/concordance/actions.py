"""The concordance's action in the window's menus."""

from __future__ import annotations

from parapluie_gui.ui.window.context import Helper


class ConcordanceActions(Helper):
    """Shows the tab."""

    def show(self) -> None:
        self._tabs.show_tab("concordance")
