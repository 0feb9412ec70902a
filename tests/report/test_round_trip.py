"""A table that this program writes is read as the same corpus, whatever the shape of the file was."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from parapluie_gui.pairs import Corpus, open_text, read
from parapluie_gui.report.table import write_table
from parapluie_gui.scores.table import ScoreTable

TEXTS = [
    ("The lamp stands on the desk.", "A lamp is standing on the table."),
    ("Two boys throw a ball.", "A ball is thrown by two boys."),
    ("She never drinks tea.", "She drinks tea every day."),
    ("The train left at noon.", "At noon the train departed."),
    ("He lost his keys again.", "His keys were found."),
    ("Rain fell all night long.", "It rained through the night."),
]


def table(head: str, *columns: list[object]) -> Corpus:
    """Return the corpus of a file of the pairs with further columns."""
    rows = zip(*zip(*TEXTS, strict=True), *columns, strict=True)
    return open_text("\n".join([head.replace(",", "\t"), *("\t".join(map(str, row)) for row in rows)]) + "\n").read()


def outputs() -> Corpus:
    rows = "".join(f"{one}\t{two}\tOr: {two}\t{at % 2}\n" for at, (one, two) in enumerate(TEXTS))
    return open_text("text\trewrite_a\trewrite_b\tlabel\n" + rows).read()


def judgements() -> Corpus:
    rows = [f"{one}\t{two}\tW{w}\t{q}\t{at + w}\n" for at, (one, two) in enumerate(TEXTS) for w in (0, 1) for q in "mf"]
    return open_text("original\tsimplification\tworker_id\taspect\trating\n" + "".join(rows)).read()


def nested() -> Corpus:
    records = [
        {"doc": {"sentence1": a, "sentence2": b, "label": 1}, "references": [b, a], "acc": 0.5} for a, b in TEXTS
    ]
    return open_text(json.dumps(records)).read()


CORPORA = {
    "labels": lambda: table(
        "sentence1,sentence2,label,score,genre", [1, 0, "", 1, 0, 1], [0.5, "", 3, 4, 5, 1], list("aabbcc")
    ),
    "grades": lambda: table("sentence1,sentence2,label", [4.2, 1, 0.3, 5, 2, 3]),
    "votes": lambda: table("sentence1,sentence2,label", ["(4, 1)", "(1, 4)", "(2, 3)", "(5, 0)", "(0, 5)", "(3, 2)"]),
    "turku": lambda: table("txt1,txt2,label", ["4", "4<", "1", "x", "2", "3i"]),
    "classes": lambda: table("sentence1,sentence2,gold_label", ["entailment", "neutral", "contradiction"] * 2),
    "references": lambda: table("src,mt,ref,system,year", [one for one, _ in TEXTS], ["A", "B"] * 3, [2001] * 6),
    "annotators": lambda: table("sentence1,sentence2,judge A,judge B", [1, 0, 1, 1, 0, ""], [1, 1, "", 0, 0, 1]),
    "other scores": lambda: table(
        "source,hypothesis,rating,score", ["good words here", "no"] * 3, [0.5, 1, 2, 3, 4, 5]
    ),
    "outputs": outputs,
    "judgements": judgements,
    "nested": nested,
    "unlabelled": lambda: table("sentence1,sentence2,label", [-1] * 6),
}


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet", ".xlsx"])
@pytest.mark.parametrize("name", CORPORA)
def test_a_corpus_survives_writing_and_reading(name, ending, tmp_path: Path):
    corpus = CORPORA[name]()
    path = tmp_path / f"written{ending}"
    write_table(path, corpus, ScoreTable(len(corpus)))
    again = read(path)
    for role in ("id", "source", "hypothesis", "reference", "group"):
        assert getattr(again, role) == getattr(corpus, role), role
    np.testing.assert_array_equal(again.labels, corpus.labels)
    assert (again.human is None) == (corpus.human is None)
    if corpus.human is not None:
        np.testing.assert_array_equal(again.human, corpus.human)
    assert list(again.annotators) == list(corpus.annotators)
    # a column that is called like a role without having it is written under another name
    assert {name.removesuffix(" (corpus)"): cells for name, cells in contents(again).items()} == contents(corpus)


def contents(corpus: Corpus) -> dict[str, list[str]]:
    return {name: [str(cell or "") for cell in column.cells()] for name, column in corpus.extra.items()}
