"""Parts written by the previous version."""

from __future__ import annotations

import shutil
from pathlib import Path

from parapluie_gui.features.parts.merge import merge
from parapluie_gui.report.signatures import read_signatures


def test_parts_of_the_previous_version_are_merged(tmp_path):
    shutil.copytree(Path(__file__).parents[2] / "storage" / "written", tmp_path / "written")
    merged = merge(tmp_path / "written" / "parts", tmp_path / "merged.parquet")
    assert (merged.parts, merged.pairs) == (1, 2)
    assert read_signatures(tmp_path / "merged.parquet") == read_signatures(tmp_path / "written" / "scored.csv")
