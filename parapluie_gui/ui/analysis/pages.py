"""The pages of the Analysis tab: one for each analysis, in the order of the catalogue."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from parapluie_gui.analysis.catalogue import analyses
from parapluie_gui.ui.analysis.certificate import CertificatePage
from parapluie_gui.ui.analysis.errors import ErrorsPage
from parapluie_gui.ui.analysis.form import translated
from parapluie_gui.ui.analysis.links import Links
from parapluie_gui.ui.analysis.page import AnalysisPage
from parapluie_gui.ui.analysis.sweep import SweepPage
from parapluie_gui.ui.widgets.theme import Theme

#: The pages that have more than every page, by the name of their analysis.
_MORE: dict[str, Callable[[Links, Theme], AnalysisPage]] = {
    "errors": ErrorsPage,
    "certificate": CertificatePage,
    "sweep": SweepPage,
}


@dataclass(frozen=True)
class Entry:
    """A page before it is made: its title, and how it is made."""

    title: str
    make: Callable[[Links, Theme], AnalysisPage]


PAGES = tuple(
    Entry(translated(each.title), _MORE.get(each.name, partial(AnalysisPage, analysis=each)))
    for each in analyses()
    if each.in_window
)
