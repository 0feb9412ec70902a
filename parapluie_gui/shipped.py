"""The corpora that ship with the program, its own and those that features bring: each has a name for its path."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from parapluie_gui.feature import ShippedCorpus, collect_parts
from parapluie_gui.places import expand_user_path, resources


@cache
def shipped_corpora() -> dict[str, ShippedCorpus]:
    """Return the corpora that ship by their names, the demo first."""
    demo = ShippedCorpus("demo", resources() / "demo" / "demo.tsv", "Demo")
    return {corpus.name: corpus for corpus in (demo, *collect_parts("corpora"))}


def shipped_corpus(path: Path) -> Path:
    """Return where the corpus of a name that ships is; any other path, and one that is there, stays as it is."""
    known = shipped_corpora().get(str(path))
    return path if known is None or path.exists() else known.path


def corpus_path(path: str | Path) -> Path:
    """Return the path of a corpus that a user typed: `expand_user_path`, or the name of one that ships."""
    return shipped_corpus(expand_user_path(path))
