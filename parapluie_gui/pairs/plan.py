"""The plan by which a file was read: everything that was decided about it, in one value and in one line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

#: Roles in the order of the line.
_SHOWN = ("source", "hypothesis", "reference", "label", "human", "group", "id")
#: Names of roles in the line.
_NAMES = {"human": "human score"}
#: Names of the rows of each shape.
SHAPE_NAMES = {
    "pairs": "one row per pair",
    "judgements": "one row per judgement",
    "errors": "one row per marked error",
    "outputs": "several outputs for each source",
    "candidates": "a pair for each candidate",
    "sets": "pairs of each set's first sentence with the other sentences",
    "families": "families of five sentences",
}


@dataclass(frozen=True)
class ReadingPlan:
    """How a file was read. `str(plan)` is one line about it, `plan.options()` repeats it without guessing.

    Attributes:
        path: The file, or None for pasted text or a data frame.
        layout: The name of the recognised layout ("MRPC"), or "custom".
        layout_key: The name of the layout as an option, or "".
        shape: The kind of the file's rows.
        roles: The column of each role that has one, or several that are joined.
        encoding, delimiter, quoting, sheet: How its text or workbook was read; None where that does not apply.
        header: The line of the column names; 0 if there are none, None where that does not apply.
        positive: The labels that the user chose as those of a paraphrase.
        missing: The values that the user chose as missing.
        labels: The numbers of paraphrases, of others, and of pairs without a label; None without labels.
        scores: The lowest and the highest human score, and the number of pairs without one; None without scores.
        others: The columns without a role.
        skipped: The number of rows that were left out.
        remarks: Sentences for the user about uncertain decisions.
        by_content: Whether the sentences were recognised by the contents of the columns, not by their names.
        columns: The column names of the file itself; () without a header.
        chosen: The decisions that the user made, by the option's name; the roles are in a nested mapping.
        saved: The name of the saved plan that the user's decisions come from, or "".
    """

    path: Path | None
    layout: str
    layout_key: str
    shape: str
    roles: Mapping[str, str | tuple[str, ...]]
    encoding: str | None = None
    delimiter: str | None = None
    quoting: str | None = None
    sheet: str | None = None
    header: int | None = None
    positive: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    labels: tuple[int, int, int] | None = None
    scores: tuple[float, float, int] | None = None
    others: tuple[str, ...] = ()
    skipped: int = 0
    remarks: tuple[str, ...] = ()
    by_content: bool = False
    columns: tuple[str, ...] = ()
    chosen: Mapping[str, Any] = field(default_factory=dict)
    saved: str = ""

    def __str__(self) -> str:
        return ", ".join(
            filter(None, (*self._describe_file(), *map(self._describe_role, _SHOWN), self._describe_others()))
        )

    @property
    def is_plain(self) -> bool:
        """Whether nothing had to be guessed: a known layout, or columns with the names of their roles."""
        named = all(self.roles.get(role, role) == role for role in _SHOWN)
        return self.shape == "pairs" and not (self.remarks or self.saved) and (self.layout != "custom" or named)

    @property
    def is_guess(self) -> bool:
        """Whether more was guessed than the roles of columns with usual names."""
        return self.by_content or self.shape != "pairs" or bool(self.remarks or self.saved)

    def options(self) -> dict[str, Any]:
        """Return the arguments with which `parapluie_gui.read` reads the file in the same way, without guessing."""
        chosen = {name: value for name, value in self.chosen.items() if name != "roles"}
        named = {role: column or "none" for role, column in self.chosen.get("roles", {}).items()}
        named_roles = {role: column for role, column in named.items() if role in _SHOWN}
        further = {role: column for role, column in named.items() if role not in _SHOWN}
        if further:
            chosen["role"] = further
        if self.layout != "custom":
            layout = {"layout": self.layout_key} if self.layout_key else {}
            return {**layout, **chosen, **named_roles}
        values: dict[str, Any] = {
            "encoding": self.encoding,
            "delimiter": self.delimiter,
            "quoting": self.quoting,
            "sheet": self.sheet,
            "header": self.header,
            "shape": self.shape,
            **{role: self.roles.get(role, "none") for role in _SHOWN},
            "positive": self.positive,
            "missing": self.missing,
            **chosen,
        }
        return {name: value for name, value in values.items() if value not in (None, ())}

    def _describe_file(self) -> tuple[str, ...]:
        return (
            f'saved plan "{self.saved}"' if self.saved else "",
            self.layout if self.layout != "custom" else "",
            f'sheet "{self.sheet}"' if self.sheet else "",
            "no header" if self.header == 0 else f"header in line {self.header}" if (self.header or 1) > 1 else "",
            SHAPE_NAMES[self.shape] if self.shape != "pairs" else "",
        )

    def _describe_role(self, role: str) -> str:
        column, name = self.roles.get(role), _NAMES.get(role, role)
        if column is None and role == "human" and self.scores is not None:  # of votes or grades in the label
            column = self.roles.get("label")
        if column is None:
            return f"{name}: none" if role in ("label", "human") else ""
        joint = " and " if role == "reference" else " + "
        shown = column if isinstance(column, str) else joint.join(column)
        return f"{name} = {shown}{self._counts(role)}"

    def _counts(self, role: str) -> str:
        if role == "label":
            if self.labels is None:
                return " (all missing)"
            yes, no, without = self.labels
            return f" ({yes:,} yes, {no:,} no{_format_missing(without)})"
        if role == "human":
            if self.scores is None:
                return " (all missing)"
            low, high, without = self.scores
            return f" ({low:.4g} to {high:.4g}{_format_missing(without)})"
        return ""

    def _describe_others(self) -> str:
        more = len(self.others)
        return "" if not more else "1 more column" if more == 1 else f"{more:,} more columns"


def _format_missing(number: int) -> str:
    return f", {number:,} without" if number else ""


def count_labels(labels: Any) -> tuple[int, int, int] | None:
    """Return the numbers of paraphrases, of others and of pairs without a label; None without labels."""
    if labels is None:
        return None
    yes, no = int(np.count_nonzero(labels == 1)), int(np.count_nonzero(labels == 0))
    return yes, no, len(labels) - yes - no


def find_range(scores: Any) -> tuple[float, float, int] | None:
    """Return the lowest and highest score, and the number of missing ones; None without scores."""
    if scores is None:
        return None
    return float(np.nanmin(scores)), float(np.nanmax(scores)), int(np.isnan(scores).sum())
