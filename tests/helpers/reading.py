"""Short results of reading a file: its pairs, or the error."""

from __future__ import annotations

from pathlib import Path

import pytest

from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs import open_corpus


def refusal(path: Path) -> str:
    with pytest.raises(CorpusError) as error:
        open_corpus(path).read()
    return str(error.value)


def pairs(path: Path) -> list[tuple[str, str]]:
    corpus = open_corpus(path).read()
    return list(zip(corpus.source, corpus.hypothesis, strict=True))
