"""The pages of the Analysis tab, in the order of their list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.ui.analysis.analysis_page import AnalysisPage
from parapluie_gui.ui.analysis.certificate import CertificatePage
from parapluie_gui.ui.analysis.errors import ErrorsPage
from parapluie_gui.ui.analysis.form import translated
from parapluie_gui.ui.analysis.page import Links, Page
from parapluie_gui.ui.analysis.sweep import SweepPage
from parapluie_gui.ui.widgets.theme import Theme


@dataclass(frozen=True)
class Entry:
    """A page before it is made: its title, and how it is made."""

    title: str
    make: Callable[[Links, Theme], Page[Any]]

    @classmethod
    def of(cls, name: str, make: Callable[[Links, Theme], Page[Any]] | None = None) -> Entry:
        """Return the entry of an analysis by its name; `make` makes a page that has more than every page."""
        found = analysis(name)
        return cls(translated(found.title), make or (lambda links, theme: AnalysisPage(links, theme, found)))


PAGES = (
    *map(Entry.of, ("distributions", "thresholds", "curves", "independence", "compare", "comparison", "buckets")),
    Entry.of("errors", ErrorsPage),
    *map(Entry.of, ("balanced", "agreement", "human", "systems", "grades", "paraphrasus", "corpus")),
    Entry.of("certificate", CertificatePage),
    Entry.of("sweep", SweepPage),
)
