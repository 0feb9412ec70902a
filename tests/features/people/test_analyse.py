"""Agreement in `parapluie analyse`."""

from __future__ import annotations

import pytest
from scored_tables import refused, write_two


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_two(tmp_path)
    return tmp_path


def test_missing_annotations_are_reported(capsys):
    assert "Nobody" in refused(capsys, "one.csv", "--only", "agreement", "--score", "mine")
