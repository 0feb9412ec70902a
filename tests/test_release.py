"""Published metadata agrees with the program: the citation, the package description, and the documents."""

from __future__ import annotations

import tomllib
from pathlib import Path

import yaml

from parapluie_gui.version import __version__

ROOT = Path(__file__).parents[1]


def test_the_citation_names_this_version_and_the_papers_of_the_manual():
    result = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    package = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert result["cff-version"] == "1.2.0" and result["type"] == "software" and result["version"] == __version__
    assert result["license"] == package["license"] and result["keywords"] == package["keywords"]
    assert [each["name"] for each in result["authors"]] == [each["name"] for each in package["authors"]]
    manual = " ".join((ROOT / "resources/manual/references.md").read_text(encoding="utf-8").split())
    assert len(result["references"]) == 4
    for paper in result["references"]:
        assert f"*{paper['title']}*" in manual and str(paper["year"]) in manual
        assert all(author["family-names"] for author in paper["authors"])


def test_files_for_the_source_archive_exist():
    lines = (ROOT / "MANIFEST.in").read_text(encoding="utf-8").splitlines()
    named = [name for line in lines if line.startswith("include ") for name in line.split()[1:]]
    assert {"CITATION.cff", "SECURITY.md", "packaging/light.txt"} <= set(named)
    assert [name for name in named if not (ROOT / name).is_file()] == []
