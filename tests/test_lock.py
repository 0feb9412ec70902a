"""The lock file (.ci/lock.txt) is complete: hashes for each package, and every requirement of program and tests."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


@pytest.fixture(scope="module")
def locked() -> dict[str, tuple[str, list[str]]]:
    """Return versions and hashes by package."""
    result = {}
    text = (ROOT / ".ci" / "lock.txt").read_text("utf-8").replace("\\\n", " ")
    for line in (line for line in text.splitlines() if line and not line.startswith("#")):
        head, *hashes = line.split()
        name, version = head.split("==")
        result[canonicalize_name(name)] = (version, hashes)
    return result


def test_every_package_has_hashes(locked):
    assert len(locked) > 100
    for name, (_, hashes) in locked.items():
        assert hashes and all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", each) for each in hashes), name


@pytest.mark.parametrize("group", ["program", "test", "build"])
def test_every_requirement_is_locked(locked, group):
    asked = {
        "program": PROJECT["project"]["dependencies"],
        "test": PROJECT["project"]["optional-dependencies"]["test"],
        "build": PROJECT["build-system"]["requires"],
    }[group]
    for each in map(Requirement, asked):
        version, _ = locked.get(canonicalize_name(each.name), ("nothing", ()))
        assert each.specifier.contains(version), f"{each} required, {version} locked: run .ci/lock"
