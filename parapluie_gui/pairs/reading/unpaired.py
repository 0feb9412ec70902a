"""Recognises files whose rows are not pairs of sentences, and explains how to make pairs of them."""

from __future__ import annotations

import re

from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs.reading.content import sample_contents
from parapluie_gui.pairs.reading.mapping import normalise_name
from parapluie_gui.pairs.reading.quoting import BARS
from parapluie_gui.pairs.reading.raw_table import RawTable

_COLUMNS = "in two columns, a pair in each row"
#: Columns of the exports of Qualtrics, and of LimeSurvey with codes or with texts.
_SURVEYS = (
    frozenset(["responseid", "recordeddate"]),
    frozenset(["submitdate", "lastpage"]),
    frozenset(["date submitted", "last page"]),
)
#: Columns of chats, whose cells are lists of messages.
_CHATS = frozenset(["messages", "conversations", "conversation", "chat"])
#: Begins the names of columns with a request of a batch to a language model, or with its answer.
_BATCHES = ("response.", "body.", "result.")
#: The number of a sentence in the log of fairseq-generate, after a letter for source, target, output and scores.
_FAIRSEQ = re.compile(r"[STHDP]-\d+")
#: Minimum number of rows for deciding that a table has no sentences, and of words of a sentence, on average.
_FEWEST, _SENTENCE = 4, 3


def describe_unpaired(table: RawTable, certain: bool) -> CorpusError | None:
    """Return the error that names the kind of a table without pairs, or None if it may have pairs.

    `certain` is True if two columns nevertheless look like the sentences of pairs.
    """
    what, todo = _describe(table, certain)
    return CorpusError(what, todo, table.origin.path) if what else None


def _describe(table: RawTable, certain: bool) -> tuple[str, str]:
    contents = sample_contents(table)
    if not contents:
        return "its records are empty", "choose a file with two sentences in each record"
    first = next(iter(contents.values())).cells
    if len(contents) == 1 and next(iter(contents.values())).holds_numbers:
        return "it has only numbers", "open the file of the sentences, with these numbers as a further column"
    if first and all(map(_FAIRSEQ.fullmatch, first)):
        what = "this is a log of fairseq-generate, whose sentences are on the lines S-… (source) and H-… (output)"
        return what, f"write the two sentences of each number {_COLUMNS}"
    if certain:
        return "", ""
    # the first row may be a header that was not recognised
    words = {normalise_name(name) for name in (*contents, *(item.cells[0] for item in contents.values() if item.cells))}
    if any(names <= words for names in _SURVEYS):
        what = "these are answers to a survey (Qualtrics, LimeSurvey) with a row for each participant"
        return what, "write a row for each answer, with both sentences, the participant and the answer"
    if "custom_id" in contents and any(name.startswith(_BATCHES) for name in contents):
        what = "these are requests to a language model, or its answers, in a batch"
        return what, f"write the sentence of each request and its answer, which have the same custom_id, {_COLUMNS}"
    chats = [item.cells for name, item in contents.items() if normalise_name(name) in _CHATS]
    if any(cells and cells[0].startswith("[{") for cells in chats):
        what = "these are chats, lists of messages with a role and a text"
        return what, f"write the sentence and the answer of each chat {_COLUMNS}"
    if table.origin.delimiter == BARS and first and all(map(str.isdecimal, first)):
        what = "this is an n-best list, which numbers its sources and does not contain them"
        return what, f"write each output next to its source, {_COLUMNS}"
    if len(contents) > 1 and len(table) >= _FEWEST and all(item.words < _SENTENCE for item in contents.values()):
        return "no column contains sentences among " + ", ".join(f'"{name}"' for name in table.names[:30]), (
            "if these are answers about pairs, write both sentences next to each answer; if words or phrases are the "
            "pairs, choose their columns (--source, --hypothesis)"
        )
    return "", ""
