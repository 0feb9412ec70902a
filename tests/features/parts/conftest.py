"""Corpora of Parquet files, small enough to be scored quickly, and divided into many parts."""

from __future__ import annotations

from pathlib import Path

import pandas
import pytest


@pytest.fixture
def work_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a corpus of 60 rows, ten of them without a pair (the second of six parts)."""
    folder = tmp_path / "there"
    folder.mkdir()
    frame = pandas.DataFrame(
        {
            "source": [f"The cat number {row} sleeps on mat {row * 7 % 13}." for row in range(60)],
            "hypothesis": [f"Cat {row} is asleep on the mat {row * 5 % 11}." for row in range(60)],
            "label": [row % 2 for row in range(60)],
            "year": [str(2000 + row) if row < 40 else "unknown year" for row in range(60)],
        }
    )
    frame.loc[10:19, "hypothesis"] = ""
    frame.to_parquet(folder / "pairs.parquet", row_group_size=25)
    monkeypatch.chdir(folder)
    return folder
