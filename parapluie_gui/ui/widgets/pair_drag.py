"""Pairs of sentences on their way from one view to another by the mouse."""

from __future__ import annotations

import json
from collections.abc import Iterable

from PySide6.QtCore import QMimeData

_FORMAT = "application/x-parapluie-pairs"


def dragged(pairs: Iterable[tuple[str, str]]) -> QMimeData:
    """Return pairs as what is dragged; other programs get them as lines with a tab between."""
    pairs = list(pairs)
    data = QMimeData()
    data.setData(_FORMAT, json.dumps(pairs).encode())
    data.setText("\n".join("\t".join(texts) for texts in pairs))
    return data


def pairs_in(data: QMimeData) -> list[tuple[str, str]]:
    """Return the dragged pairs; none where something other than pairs is dragged."""
    if not data.hasFormat(_FORMAT):
        return []
    try:
        found = json.loads(bytes(data.data(_FORMAT).data()))
        pairs = [(source, hypothesis) for source, hypothesis in found]
    except (ValueError, TypeError):
        return []
    return [texts for texts in pairs if all(isinstance(text, str) for text in texts)]
