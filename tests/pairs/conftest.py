"""Fixtures for the tests of pairs: files written for a test, and the published corpora if available."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

DATA = Path(__file__).parents[2].parent / "shared" / "data"


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a file of text or bytes and return its path."""

    def _write(name: str, content: str | bytes, encoding: str = "utf-8") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return path

    return _write


@pytest.fixture
def data() -> Path:
    """Return the folder of published corpora; skip the test if it is missing."""
    if not DATA.is_dir():
        pytest.skip("the published corpora are not available")
    return DATA


@pytest.fixture
def limit(monkeypatch):
    return lambda size: monkeypatch.setenv("PARAPLUIE_LIMIT_GB", str(size))


@pytest.fixture
def no_process(monkeypatch):
    def forbidden(*arguments, **options):
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "Popen", forbidden)
