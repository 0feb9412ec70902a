"""Result tables and figures for Python: as text, data frame, LaTeX or SVG, and displayed in notebooks."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parapluie_gui.analysis.figure import Figure
from parapluie_gui.analysis.table import Table, table_csv, table_text
from parapluie_gui.packages import require
from parapluie_gui.report.html import grid_html
from parapluie_gui.report.latex import booktabs
from parapluie_gui.report.svg import figure_svg

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, repr=False)
class ResultTable:
    """A table of results, which a notebook displays and `print` writes as text.

    Attributes:
        table: The underlying table, for the program's own functions; it is not public.
        signatures: The signatures of its scores, one per line.
    """

    table: Table
    signatures: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the table ("thresholds")."""
        return self.table.name

    @property
    def title(self) -> str:
        """The title of the table."""
        return self.table.title

    def to_frame(self) -> pandas.DataFrame:
        """Return the table as a pandas data frame in full precision; intervals have columns x, x low and x high."""
        require("pandas", what="A data frame")
        import pandas

        frame = pandas.read_csv(io.StringIO(self.csv()), keep_default_na=False, na_values=[""])
        frame.attrs["signatures"] = list(self.signatures)
        return frame

    def csv(self) -> str:
        """Return the table as CSV in full precision."""
        return table_csv(self.table)

    def latex(self) -> str:
        """Return the table as LaTeX (booktabs), with the signatures as comments."""
        return booktabs(self.table, signatures=self.signatures)

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        return table_text(self.table)

    def _repr_html_(self) -> str:
        return str(grid_html(self.table))


@dataclass(frozen=True, eq=False, repr=False)
class ResultFigure:
    """A figure, which a notebook displays and `svg` draws as the window and the commands do.

    Attributes:
        figure: The underlying figure, for the program's own functions; it is not public.
        signatures: The signatures of its scores, one per line.
    """

    figure: Figure
    signatures: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the figure ("roc")."""
        return self.figure.name

    @property
    def title(self) -> str:
        """The title of the figure."""
        return self.figure.title

    def svg(self, *, size: tuple[float, float] | None = None, dark: bool = False, signed: bool = False) -> str:
        """Return the figure as SVG.

        Args:
            size: Width and height in pixels; None for its default size.
            dark: Whether to draw it for a dark page.
            signed: Whether to print the signatures below it.
        """
        return figure_svg(self.figure, size=size, dark=dark, footer=self.signatures if signed else ())

    def __repr__(self) -> str:
        return f"<figure {self.name}: {self.title}>"

    def _repr_svg_(self) -> str:
        return self.svg()
