"""Sentence pairs: reading them from files and pasted text, and showing how two sentences differ."""

from __future__ import annotations

from parapluie_gui.pairs.corpus import ROLES, UNLABELLED, Corpus
from parapluie_gui.pairs.reading.encoding import ENCODINGS
from parapluie_gui.pairs.reading.layouts import LAYOUT_NAMES
from parapluie_gui.pairs.reading.mapping import ColumnMapping
from parapluie_gui.pairs.reading.raw_table import Tick
from parapluie_gui.pairs.reading.reader import OpenedCorpus, open_corpus, open_text, read, read_parallel

__all__ = [
    "ENCODINGS",
    "LAYOUT_NAMES",
    "ROLES",
    "UNLABELLED",
    "ColumnMapping",
    "Corpus",
    "OpenedCorpus",
    "Tick",
    "open_corpus",
    "open_text",
    "read",
    "read_parallel",
]
