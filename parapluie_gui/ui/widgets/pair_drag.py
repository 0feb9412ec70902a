"""Pairs of sentences dragged from one view to another."""

from __future__ import annotations

import json
from collections.abc import Iterable

from PySide6.QtCore import QMimeData

from parapluie_gui.own_files import parse_json

_FORMAT = "application/x-parapluie-pairs"


def pairs_to_mime(pairs: Iterable[tuple[str, str]]) -> QMimeData:
    """Return pairs as MIME data; other programs get a line for each, with a tab between the sentences."""
    pairs = list(pairs)
    data = QMimeData()
    data.setData(_FORMAT, json.dumps(pairs).encode())
    data.setText("\n".join("\t".join(texts) for texts in pairs))
    return data


def pairs_from_mime(data: QMimeData) -> list[tuple[str, str]]:
    """Return the pairs in MIME data; empty if something else is dragged."""
    if not data.hasFormat(_FORMAT):
        return []
    try:
        content = parse_json(bytes(data.data(_FORMAT).data()))
        pairs = [(source, hypothesis) for source, hypothesis in content]
    except (ValueError, TypeError):
        return []
    return [texts for texts in pairs if all(isinstance(text, str) for text in texts)]
