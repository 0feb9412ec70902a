"""Columns of texts and other values are packed as bytes and unpacked."""

from __future__ import annotations

import pytest

from parapluie_gui.storage import corpora as pieces


@pytest.mark.parametrize(
    "values",
    [
        [],
        ["only one"],
        [""],
        ["", "", ""],
        [f"text {row}" for row in range(11)],
        [f"text {row}" if row != 5 else "nul \0 within" for row in range(11)],
        [None if row == 9 else f"r{row}" for row in range(11)],
        ["half \ud83d", "and \ude00", "\ud83d\ude00", "é", "中", "😀"],
        [None, "\ud83d\ude00", 1.5, True, 3],
    ],
    ids=["none", "one", "empty", "empties", "texts", "nul", "missing", "halves", "mixed"],
)
def test_packed_columns_are_unpacked_unchanged(values, monkeypatch):
    monkeypatch.setattr(pieces, "PIECE", 4)
    packed = list(pieces.pack(values))
    assert len(packed) == -(-len(values) // 4)
    back = pieces.unpack(len(values), packed.__getitem__)
    assert back == values
    assert [type(value) for value in back] == [type(value) for value in values]
