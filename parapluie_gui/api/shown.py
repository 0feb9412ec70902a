"""Tables and figures as Python has them: as text, data frame, LaTeX or SVG, and drawn by themselves in a notebook."""

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
    """A table of results; a notebook draws it, `print` writes it as text.

    Attributes:
        table: The rows behind it; for the program's own functions, and no public name.
        signatures: What the scores in it were computed with, a line each.
    """

    table: Table
    signatures: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """A word for it ("thresholds")."""
        return self.table.name

    @property
    def title(self) -> str:
        """What it shows."""
        return self.table.title

    def to_frame(self) -> pandas.DataFrame:
        """Return it as a pandas data frame in full precision; an interval takes three columns (x, x low, x high)."""
        require("pandas", what="A data frame")
        import pandas

        frame = pandas.read_csv(io.StringIO(self.csv()), keep_default_na=False, na_values=[""])
        frame.attrs["signatures"] = list(self.signatures)
        return frame

    def csv(self) -> str:
        """Return it as CSV in full precision."""
        return table_csv(self.table)

    def latex(self) -> str:
        """Return it as LaTeX (booktabs), the signatures as comments."""
        return booktabs(self.table, signatures=self.signatures)

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        return table_text(self.table)

    def _repr_html_(self) -> str:
        return str(grid_html(self.table))


@dataclass(frozen=True, eq=False, repr=False)
class ResultFigure:
    """A figure; a notebook draws it, and `svg` is what the window and the commands write.

    Attributes:
        figure: The values behind it; for the program's own functions, and no public name.
        signatures: What the scores in it were computed with, a line each.
    """

    figure: Figure
    signatures: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """A word for it ("roc")."""
        return self.figure.name

    @property
    def title(self) -> str:
        """What it shows."""
        return self.figure.title

    def svg(self, *, size: tuple[float, float] | None = None, dark: bool = False, signed: bool = False) -> str:
        """Return it as SVG.

        Args:
            size: Width and height; None: its own.
            dark: Whether it is for a dark page.
            signed: Whether the signatures are printed under it.
        """
        return figure_svg(self.figure, size=size, dark=dark, footer=self.signatures if signed else ())

    def __repr__(self) -> str:
        return f"<figure {self.name}: {self.title}>"

    def _repr_svg_(self) -> str:
        return self.svg()
