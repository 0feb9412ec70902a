"""The pandas frame has the same contents as the exported table."""

from __future__ import annotations

import numpy as np
import pandas

from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.report.table import to_frame, write_table
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable


def example() -> tuple[Corpus, ScoreTable]:
    corpus = Corpus(
        name="c",
        id=["a", "b", "c"],
        source=["One.", 'Two, "2".', "Three\n."],
        hypothesis=["1", "2", "3"],
        label=np.array([1, 0, -1], dtype=np.int8),
        human=np.array([4.5, np.nan, 1.0]),
        extra={"number": ["007", "8", ""], "judged": [True, False, None]},
    )
    table = ScoreTable(3)
    table.declare("bleu", Signature.from_fields("bleu", {"name": "bleu"}))
    table.put(np.array([0, 2]), {"bleu": np.array([0.25, 1.0])})
    return corpus, table


def test_a_frame_has_the_columns_of_the_export(tmp_path):
    corpus, table = example()
    frame = to_frame(corpus, table)
    written = write_table(tmp_path / "o.parquet", corpus, table)
    assert list(frame.columns) == list(written.columns)
    assert frame["label"].tolist()[:2] == [1, 0] and frame["label"].isna().tolist() == [False, False, True]
    assert frame["bleu"].isna().tolist() == [False, True, False]
    assert frame["source"].tolist() == list(corpus.source)
    assert "name:bleu" in frame.attrs["signatures"][0]
    read = pandas.read_parquet(tmp_path / "o.parquet")
    assert read["judged"].tolist()[:2] == frame["judged"].tolist()[:2] == [True, False]
    assert read["judged"].isna().tolist() == frame["judged"].isna().tolist() == [False, False, True]


def test_a_frame_of_some_rows_keeps_their_order():
    corpus, table = example()
    assert to_frame(corpus, table, [2, 0])["id"].tolist() == ["c", "a"]
