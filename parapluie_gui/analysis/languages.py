"""The language of each pair, where a corpus tells it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from parapluie_gui.pairs.corpus import Corpus

#: Columns that name it.
_NAMES = ("language", "lang")
#: A code as corpora write them: "fr", "zh-CN".
_CODE = re.compile(r"[a-z]{2,3}([-_]\w{2,8})?", re.IGNORECASE)
_MOST = 200


def languages(corpus: Corpus) -> list[str | None] | None:
    """Return the language of each pair (None where there is none), or None where the corpus tells none.

    A column "language" or "lang" does, and a group of nothing but codes, such as PAWS-X has.
    """
    by_name = {name.casefold(): column for name, column in corpus.extra.items()}
    cells: Sequence[object] | None = next((by_name[name].cells() for name in _NAMES if name in by_name), None)
    if cells is None and corpus.group is not None:
        values = {each for each in corpus.group if each}
        if values and len(values) <= _MOST and all(_CODE.fullmatch(each) for each in values):
            cells = corpus.group
    if cells is None:
        return None
    return [None if cell is None or not str(cell).strip() else str(cell).strip() for cell in cells]
