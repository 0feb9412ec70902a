"""Sentence pairs: reading them from files and pasted text, and showing how two sentences differ."""

from __future__ import annotations

from parapluie_gui.pairs.corpus import ROLES, UNLABELLED, Corpus, Pair, SetAside
from parapluie_gui.pairs.reading.encoding import ENCODINGS
from parapluie_gui.pairs.reading.layouts import LAYOUT_NAMES, LAYOUTS, Layout
from parapluie_gui.pairs.reading.mapping import ColumnMapping, guess_mapping
from parapluie_gui.pairs.reading.preview import Preview
from parapluie_gui.pairs.reading.raw_table import Quoting, Tick
from parapluie_gui.pairs.reading.reader import (
    OpenedCorpus,
    inspect,
    open_corpus,
    open_text,
    read,
    read_parallel,
    read_text,
)

__all__ = [
    "ENCODINGS",
    "LAYOUTS",
    "LAYOUT_NAMES",
    "ROLES",
    "UNLABELLED",
    "ColumnMapping",
    "Corpus",
    "Layout",
    "OpenedCorpus",
    "Pair",
    "Preview",
    "Quoting",
    "SetAside",
    "Tick",
    "guess_mapping",
    "inspect",
    "open_corpus",
    "open_text",
    "read",
    "read_parallel",
    "read_text",
]
