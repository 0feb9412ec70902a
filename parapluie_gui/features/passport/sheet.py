"""Renders passports as one HTML sheet to print, with the report's components."""

from __future__ import annotations

from collections.abc import Sequence

from parapluie_gui.analysis.base import Run
from parapluie_gui.analysis.table import Table
from parapluie_gui.features.passport.analysis import PassportAnalysis, PassportOptions
from parapluie_gui.features.passport.passport import Passport
from parapluie_gui.report.html import citation_html, grid_html, signatures_html
from parapluie_gui.report.template import fill_template
from parapluie_gui.version import __version__


def sheet_html(
    run: Run[PassportOptions, tuple[Passport, ...]], drift: Sequence[Table] = (), *, date: str = "", command: str = ""
) -> str:
    """Return passports as a self-contained HTML document."""
    tables = [*PassportAnalysis().tables(run), *drift]
    chapters = {table.title: grid_html(table) for table in tables}
    chapters |= {"Settings": signatures_html(run.material), "How to cite": citation_html(run.material)}
    titles = ", ".join(passport.title for passport in run.result)
    return fill_template(
        "report/report.html",
        title=f"Passport of {titles}",
        words=(f"Written by ParaPLUIE Inspector {__version__}", date, PassportAnalysis().finding(run)),
        links=(),
        command=command,
        chapters={name: text for name, text in chapters.items() if text},
    )
