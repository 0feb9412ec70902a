"""Remarks on the scores of a column are shown at each run, and stored with the scores in files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import parapluie_gui as pp
from parapluie_gui.commands.main import main
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.prompt import PromptFrame
from parapluie_gui.report.signatures import read_signatures
from parapluie_gui.report.table import write_table
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.work.column_remarks import CUT, ColumnRemarks, cut_evidence


class Recorder:
    def __init__(self) -> None:
        self.shown: list[str] = []
        self.emitted: list[tuple[object, ...]] = []
        self.remarks = ColumnRemarks(self.shown.append, lambda *event: self.emitted.append(event))


@pytest.mark.parametrize(
    ("evidence", "rows"),
    [
        ([CUT, None], (7,)),
        (['{"p_yes":0.5,"cut":0}', '{"p_yes":0.5,"cut":12}'], (8,)),
        (['{"cut":', "[1]"], ()),
        ([], ()),
    ],
)
def test_stored_pairs_that_were_cut_are_named_again(evidence, rows):
    recorder = Recorder()
    recorder.remarks.add_stored_cut("sbert", range(7, 7 + len(evidence)), evidence)
    recorder.remarks.say_cut("sbert", "SBERT")
    sentence = "SBERT: 1 pair is longer than the model reads; the end was left out."
    assert recorder.shown == [sentence] * len(rows)
    assert recorder.emitted == [("sbert", sentence, "", rows)] * len(rows)


def test_new_and_stored_cut_pairs_are_added_up():
    recorder = Recorder()
    recorder.remarks.add_cut("sbert", [0, 2])
    recorder.remarks.say_cut("sbert", "SBERT")
    assert recorder.shown == [], "the network says so while it scores"
    recorder.remarks.add_stored_cut("sbert", [5], [CUT])
    recorder.remarks.say_cut("sbert", "SBERT")
    assert recorder.shown == ["SBERT: 3 pairs are longer than the model reads; the end was left out."]
    assert recorder.emitted[-1][3] == (0, 2, 5)
    assert cut_evidence([False, True]) == [None, CUT] and cut_evidence([False]) is None


def test_the_notices_of_a_stored_prompt_are_repeated():
    recorder = Recorder()
    frame = PromptFrame("text", notices=("This model has no system turn.",))
    assert PromptFrame.from_json(frame.to_json()) == frame
    recorder.remarks.take_frame("pluie.direct", frame.to_json())
    for damaged in (None, "[]", "{", '{"text": 1}'):
        recorder.remarks.take_frame("pluie.direct", damaged)
    assert recorder.shown == ["This model has no system turn."]


def test_seconds_and_device_belong_to_pairs_computed_now():
    recorder = Recorder()
    recorder.remarks.say_cost("bleu", 3.0, 0, "cpu")
    recorder.remarks.say_cost("bleu", 3.0, 1500, "cuda:0")
    assert recorder.emitted == [("bleu", "", "0.002 s per pair on cuda:0 (1,500 pairs)", ())]


@pytest.mark.parametrize("ending", ["csv", "parquet", "xlsx"])
def test_remarks_are_kept_in_a_table(tmp_path: Path, ending: str):
    corpus = Corpus("made", ["1", "2"], ["a", "b"], ["c", "d"])
    table = ScoreTable(2)
    table.declare("bleu", Signature.from_fields("bleu", {"name": "bleu"}))
    table.put(np.arange(2), {"bleu": np.array([0.1, 0.2])})
    table.remark("bleu", "One pair was cut.", "0.1 s per pair on cpu (2 pairs)")
    table.remark("bleu", "Another sentence.")
    table.remark("other", "No such column.")
    path = tmp_path / f"scores.{ending}"
    write_table(path, corpus, table)
    signature = read_signatures(path)["bleu"]
    assert signature.remarks == ("One pair was cut.", "Another sentence.")
    assert signature.cost == "0.1 s per pair on cpu (2 pairs)"
    assert signature == Signature.from_fields("bleu", {"name": "bleu"}), "remarks are no part of the identity"
    assert signature.key == Signature.from_fields("bleu", {"name": "bleu"}).key


def test_remarks_and_cut_pairs_are_restored_from_a_session():
    table, again = ScoreTable(9), ScoreTable(9)
    signature = Signature.from_fields("sbert", {"name": "sbert"})
    for one in (table, again):
        one.declare("sbert", signature)
    table.remark("sbert", "Two pairs were cut.", "0.1 s per pair", [2, 8])
    stored = json.loads(json.dumps(table.remarks_to_json()))
    for damaged in (None, [], {signature.key: None}, {signature.key: ["{", [1]]}, {signature.key: ["[]", [1]]}):
        again.take_remarks(damaged)
    assert again.signatures["sbert"].remarks == () and not again.remarks_to_json()
    stored[signature.key][1] += [9, -1, "2", True]
    again.take_remarks(stored)
    assert again.remarks_to_json() == table.remarks_to_json() and again.cut == {"sbert": {2, 8}}
    assert again.take(np.array([8, 0, 2])).cut == {"sbert": {0, 2}}
    again.declare("sbert", signature)
    assert again.signatures["sbert"].cost == "0.1 s per pair", "the scores are still those that took this time"
    again.declare("sbert", Signature.from_fields("sbert", {"name": "other"}))
    assert not again.cut and not again.signatures["sbert"].cost


def test_the_rows_of_unreadable_pairs_are_marked(home):
    rows = [("A cat sat.", "The cat sat."), ("It is 5 ℃.", "It is 5 ℉.")]
    assert pp.score(rows, judge="pocket").table.cut == {"pluie.cloze": {1}}


def test_cut_and_unreadable_pairs_are_named_at_each_run_and_by_analyse(tmp_path: Path, capsys):
    long = " ".join(["word"] * 400)
    rows = [f"{long} one.,{long} two.,1", "It is 5 ℃.,It is 5 ℉.,0", "A cat sat.,The cat sat.,1"]
    corpus = tmp_path / "pairs.csv"
    corpus.write_text("source,hypothesis,label\n" + "\n".join(rows), encoding="utf-8")
    cut = "CLOZE: 1 pair is longer than the model reads; the end was left out."
    unread = "differ only in characters that are not in its vocabulary"
    command = ["score", str(corpus), "--judge", "pocket", "-o"]
    assert main([*command, str(tmp_path / "first.csv")]) == 0
    assert unread in capsys.readouterr().err
    assert main([*command, str(tmp_path / "second.csv")]) == 0
    err = capsys.readouterr().err
    assert cut in err and unread in err
    for name in ("first", "second"):
        remarks = read_signatures(tmp_path / f"{name}.csv")["pluie.cloze"].remarks
        assert cut in remarks and any(unread in remark for remark in remarks)
    assert "s per pair on cpu (3 pairs)" in read_signatures(tmp_path / "first.csv")["pluie.cloze"].cost
    assert main(["analyse", str(tmp_path / "first.csv"), "--only", "thresholds", "--draws", "0", "--json"]) == 0
    out, err = capsys.readouterr()
    assert cut in err and unread in err
    score = json.loads(out)["scores"]["pluie.cloze"]
    assert cut in score["remarks"] and "s per pair on cpu (3 pairs)" in score["cost"]
    assert main(["analyse", str(tmp_path / "first.csv"), "--only", "thresholds", "--draws", "0"]) == 0
    assert "s per pair on cpu (3 pairs)" in capsys.readouterr().out


def test_unsplit_pairs_are_named_once_a_run_and_by_analyse(tmp_path: Path, capsys):
    corpus, scored = tmp_path / "pairs.csv", tmp_path / "scored.csv"
    corpus.write_text("source,hypothesis,label\nเขาวิ่งเร็ว,เขานั่ง,0\nฝนตก,ฝนกำลังตก,1\n", encoding="utf-8")
    command = ["score", str(corpus), "--metric", "bleu", "--metric", "wer", "--metric", "chrf", "-o", str(scored)]
    for _ in range(2):
        assert main(command) == 0
        assert capsys.readouterr().err.count("2 pairs have no spaces between words") == 1
    signatures = read_signatures(scored)
    assert [len(signatures[name].remarks) for name in ("bleu", "wer", "chrf")] == [1, 1, 0]
    assert main(["analyse", str(scored), "--only", "thresholds", "--draws", "0"]) == 0
    assert "no spaces between words" in capsys.readouterr().err
