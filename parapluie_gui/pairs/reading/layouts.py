"""Layouts of published corpora: their columns, the columns' roles, and how files are recognised."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from parapluie_gui import places
from parapluie_gui.errors import CorpusError
from parapluie_gui.own_files import read_toml
from parapluie_gui.pairs.reading.mapping import ColumnMapping, normalise_name
from parapluie_gui.pairs.reading.raw_table import RawTable

#: Patterns of the cells of a column.
CELLS = {
    "integer": re.compile(r"\A-?\d+\Z"),
    "binary": re.compile(r"\A[01]\Z"),
    "score 0-5": re.compile(r"\A([0-4](\.\d+)?|5(\.0+)?)\Z"),
    "sentence": re.compile(r"[^\W\d_]"),
    "main-genre": re.compile(r"\Amain-\w+\Z"),
    "year": re.compile(r"\A(19|20)\d\d"),
    "votes": re.compile(r"\A[(\[]\d+, ?\d+[)\]]\Z"),
    "relation": re.compile(r"\A[ab]\d-[ab]\d\Z"),
    "digit 0-5": re.compile(r"\A[0-5]\Z"),
    "category": re.compile(r"\A\[[\w$.,:/\\-]+\]\Z"),
    "any": re.compile(""),
}


@dataclass(frozen=True)
class LayoutForm:
    """One form in which a corpus is published.

    Attributes:
        columns: The required header names; for a file without header, the names to give to its columns.
        roles: Names of columns by role; the first that exists plays the role.
        joined_id: Columns that together identify a pair, used if there is no column for "id".
        cells: Patterns of cells (keys of CELLS) by column, checked on the first rows.
        header: Whether the file has a header.
        exact: Whether further columns are excluded.
        other: A pattern that the name of at least one other column matches.
        optional: For a file without header, how many of the last columns rows may lack.
        path: A pattern of the file's last folder and name; only distinguishes corpora with equal columns.
        keyed: Whether it is a JSON object whose keys are the ids.
        convention: The convention of the labels, if it does not follow from their values (`conventions.PIT_DIGITS`).
    """

    columns: tuple[str, ...]
    roles: Mapping[str, tuple[str, ...]]
    joined_id: tuple[str, ...] = ()
    cells: Mapping[str, str] = field(default_factory=dict)
    header: bool = True
    exact: bool = False
    other: str = ""
    optional: int = 0
    path: str = ""
    keyed: bool = False
    convention: str = ""


@dataclass(frozen=True)
class CorpusLayout:
    """The layout of a published corpus: `key` is for options, `name` for display."""

    key: str
    name: str
    forms: tuple[LayoutForm, ...]
    #: Whether the file's folder or name gives the language of all its pairs.
    languages: bool = False


def _form(data: dict[str, Any]) -> LayoutForm:
    lists = {name: tuple(data[name]) for name in ("columns", "joined_id") if name in data}
    roles = {role: (names,) if isinstance(names, str) else tuple(names) for role, names in data["roles"].items()}
    return LayoutForm(**data | lists | {"roles": roles})


def _layouts() -> tuple[CorpusLayout, ...]:
    return tuple(
        CorpusLayout(entry["key"], entry["name"], tuple(map(_form, entry["form"])), entry.get("languages", False))
        for entry in read_toml(places.resources() / "layouts.toml")["layout"]
    )


LAYOUTS = _layouts()
_BY_KEY = {layout.key: layout for layout in LAYOUTS}
LAYOUT_NAMES = tuple(_BY_KEY)


def find_layout(name: str, path: Path | None = None) -> CorpusLayout:
    """Return the layout with a name, ignoring case.

    Raises:
        CorpusError: There is no such layout; the message lists the names.
    """
    key = re.sub(r"[\s_\-]", "", name).casefold()
    if key not in _BY_KEY:
        todo = f"choose one of {', '.join(LAYOUT_NAMES)}"
        raise CorpusError(f'there is no layout called "{name}"', todo, path)
    return _BY_KEY[key]


def header_form(
    names: Sequence[str],
    sample: Mapping[str, Sequence[str]],
    table: RawTable,
    layout: CorpusLayout,
    forced: bool = False,
) -> LayoutForm | None:
    """Return the form of a layout that matches named columns, or None.

    Args:
        names: The columns' names.
        sample: The first cells of each column, as text.
        table: The table with these columns; its kind and path are compared too.
        layout: The layout to compare with.
        forced: Whether the user chose the layout, so that the file's name need not match.
    """
    actual = {normalise_name(name): name for name in names}
    for form in layout.forms:
        if not form.header or form.keyed != (table.origin.kind == "json object"):
            continue
        needed = {normalise_name(name) for name in form.columns}
        if not needed <= set(actual) or (form.exact and len(names) != len(needed)):
            continue
        if form.other and not any(re.search(form.other, name) for name in names):
            continue
        if form.path and not forced and not re.search(form.path, _place(table.origin.path)):
            continue
        if all(_looks_like(sample[actual[normalise_name(name)]], kind) for name, kind in form.cells.items()):
            return form
    return None


def headerless_names(rows: Sequence[Sequence[object]], layout: CorpusLayout) -> tuple[str, ...] | None:
    """Return a layout's column names for rows without header, or None if the cells do not fit."""
    for form in layout.forms:
        widths = range(len(form.columns) - form.optional, len(form.columns) + 1)
        if form.header or not rows:
            continue
        fitting = [row for row in rows if len(row) in widths]
        if len(fitting) < 0.9 * len(rows):
            continue
        sample = {
            name: [str(row[number]) for row in fitting if number < len(row)] for number, name in enumerate(form.columns)
        }
        # rows further down may be broken, but a first row that does not fit is a header
        first = dict(zip(form.columns, map(str, rows[0]), strict=False))
        if not all(CELLS[kind].search(first.get(name, "").strip()) for name, kind in form.cells.items()):
            continue
        if all(_looks_like(sample[name], kind) for name, kind in form.cells.items()):
            return form.columns
    return None


def recognise(table: RawTable) -> CorpusLayout | None:
    """Return the layout of a table of named columns, or None."""
    sample = table.sample()
    return next((layout for layout in LAYOUTS if header_form(table.names, sample, table, layout)), None)


def layout_mapping(layout: CorpusLayout, table: RawTable) -> ColumnMapping:
    """Return the roles that a layout gives to a table's columns; incomplete if columns are missing."""
    actual = {normalise_name(name): name for name in reversed(table.names)}
    form = _matching_form(layout, table)
    roles: dict[str, str | None] = {
        role: next((actual[normalise_name(name)] for name in names if normalise_name(name) in actual), None)
        for role, names in form.roles.items()
    }
    identity: str | tuple[str, ...] | None = roles.pop("id", None)
    if identity is None and form.joined_id and all(normalise_name(name) in actual for name in form.joined_id):
        identity = tuple(actual[normalise_name(name)] for name in form.joined_id)
    return ColumnMapping(id=identity, **roles)


def layout_convention(layout: CorpusLayout, table: RawTable) -> str:
    """Return the convention of the labels of a table of this layout, or ""."""
    return _matching_form(layout, table).convention


def _matching_form(layout: CorpusLayout, table: RawTable) -> LayoutForm:
    """Return the form of a layout that a table has; if none fits, the first one whose columns exist."""
    form = header_form(table.names, table.sample(), table, layout)
    if form is not None:
        return form
    actual = {normalise_name(name) for name in table.names}

    def present(form: LayoutForm) -> bool:
        return all(normalise_name(name) in actual for name in form.columns[: len(form.columns) - form.optional])

    return next((form for form in layout.forms if present(form)), layout.forms[0])


def language_of(path: Path | None) -> str | None:
    """Return the language in the folder or name of a PAWS-X file, such as "fr"."""
    codes = re.findall(r"(?:^|[/_.-])(en|de|es|fr|ja|ko|zh)(?=[/_.-]|$)", _place(path))
    return codes[-1] if codes else None


def _place(path: Path | None) -> str:
    """Return the file's last folder and its name without ending."""
    return "" if path is None else f"{path.parent.name}/{path.stem}"


def _looks_like(cells: Sequence[str], kind: str) -> bool:
    """Return whether nearly all cells are of a kind, tolerating a few broken rows."""
    fits = CELLS[kind].search
    return bool(cells) and sum(fits(cell.strip()) is not None for cell in cells) >= 0.9 * len(cells)
