"""The corpora that ship with the program and its features, and the names by which a user can give them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from parapluie_gui.feature import ShippedCorpus, collect_parts
from parapluie_gui.places import expand_user_path, resources


@cache
def shipped_corpora() -> dict[str, ShippedCorpus]:
    """Return the corpora that ship with the program, by name, the demo first."""
    demo = ShippedCorpus("demo", resources() / "demo" / "demo.tsv", "Demo")
    return {corpus.name: corpus for corpus in (demo, *collect_parts("corpora"))}


def shipped_corpus(path: Path) -> Path:
    """Return the path of a shipped corpus by its name; return existing files and any other path unchanged."""
    known = shipped_corpora().get(str(path))
    return path if known is None or path.exists() else known.path


def corpus_path(path: str | Path) -> Path:
    """Return the path of a corpus that a user typed: a path with ~ expanded, or the name of a shipped corpus."""
    return shipped_corpus(expand_user_path(path))
