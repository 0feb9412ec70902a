"""The language of each pair, according to a column of the corpus."""

from __future__ import annotations

import re
from collections.abc import Sequence

from parapluie_gui.pairs.corpus import Corpus

#: Names for a column of languages.
_NAMES = ("language", "lang")
#: Language codes as in corpora: "fr", "zh-CN".
_CODE = re.compile(r"[a-z]{2,3}([-_]\w{2,8})?", re.IGNORECASE)
_MOST = 200


def languages(corpus: Corpus) -> list[str | None] | None:
    """Return the language of each pair (None if missing), or None without a column of languages.

    The languages are in a column "language" or "lang", or in groups that are language codes, as in PAWS-X.
    """
    by_name = {name.casefold(): column for name, column in corpus.extra.items()}
    cells: Sequence[object] | None = next((by_name[name].cells() for name in _NAMES if name in by_name), None)
    if cells is None and corpus.group is not None:
        values = {code for code in corpus.group if code}
        if values and len(values) <= _MOST and all(_CODE.fullmatch(code) for code in values):
            cells = corpus.group
    if cells is None:
        return None
    return [None if cell is None or not str(cell).strip() else str(cell).strip() for cell in cells]
