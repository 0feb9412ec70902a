"""PEM's section of the Pair panel, below the scores."""

from __future__ import annotations

from collections.abc import Callable

from parapluie_gui.features.pem.view import WorkspacePemView
from parapluie_gui.ui.pair_panel.view import PairView
from parapluie_gui.ui.window.context import WindowContext, WindowController


def add_section(view: PairView, find_spec: Callable[[str], str]) -> WorkspacePemView:
    """Add the section with the evidence for the pair's PEM score to the Pair panel, and return it."""
    section = WorkspacePemView(view.workspace, find_spec)
    view.details.add(section)
    view.rested.connect(section.show_row)
    view.read()
    return section


class PemSection(WindowController):
    """The window's section for the PEM score of the primary pair.

    Attributes:
        section: The section of the Pair panel.
    """

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self.section = add_section(context.pair, context.setup.metrics.choice.filling)

    def close(self) -> None:
        self.section.stop()
