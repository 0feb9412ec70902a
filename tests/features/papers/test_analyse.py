"""The papers' analyses in `parapluie analyse`: human scores, mixed balanced datasets, grades."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats
from scored_tables import analyse, analysed, columns, names, rows, table_of, write, write_two

import parapluie_gui as pp
from parapluie_gui.commands.main import main


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_two(tmp_path)
    return tmp_path


def test_human_scores_are_analysed_by_file_and_together(folder, capsys):
    result = analysed(capsys, "one.csv", "two.csv", "--draws", 0)
    pooled = rows(80, 1) + rows(60, 2)
    for name, table in (("one", pooled[:80]), ("two", pooled[80:]), ("Global", pooled)):
        human, direct = columns(table, "human", "pluie.direct")
        judged = ~np.isnan(direct) & ~np.isnan(human)
        (people,) = table_of(result, "human", corpus=name, score=result["scores"]["pluie.direct"]["title"])
        assert people["pairs"] == judged.sum()
        assert people["Kendall"]["value"] == pytest.approx(stats.kendalltau(direct[judged], human[judged])[0])
    analyse(capsys, "one.csv", "two.csv", "--draws", 10, "--out", folder / "out")
    assert (folder / "out" / "meta-groups.csv").is_file()


def test_any_score_can_serve_as_the_human_score(folder, capsys):
    table = [{**row, "score": row["mine"]} for row in rows(40, 3)]
    for row in table:
        del row["human"]
    write(folder / "three.csv", table)
    assert "human" not in names(analysed(capsys, "three.csv", "--score", "score", "--draws", 0))
    other = analysed(capsys, "three.csv", "--human", "score", "--score", "mine", "--draws", 0)
    assert table_of(other, "human")[0]["Pearson"]["value"] == pytest.approx(1.0)


def test_pairs_are_mixed_on_request(capsys):
    everything = names(analysed(capsys, "one.csv", "--draws", 0))
    assert "balanced" not in everything
    assert set(names(analysed(capsys, "one.csv", "--draws", 0, "--balanced", 3))) == {*everything, "balanced"}


def test_the_mixed_balanced_dataset_is_analysed(folder, capsys):
    result = analysed(capsys, "one.csv", "two.csv", "--only", "balanced", "--balanced", 7)
    (balanced,) = result["analyses"]
    assert balanced["options"] == {"per_label": 7, "times": 100, "seed": 0}
    direct = result["scores"]["pluie.direct"]["title"]
    (best,) = table_of(result, "balanced", score=direct, threshold="best accuracy")
    assert best["accuracy"]["low"] < best["accuracy"]["value"] < best["accuracy"]["high"]
    assert "one, two" in balanced["tables"]["balanced"]["title"]


def test_grades_work_with_and_without_labels(capsys, tmp_path):
    table = tmp_path / "graded.csv"
    lines = ["source,hypothesis,human,pluie.direct,bleu"]
    lines += [f"a {row},b {row},{row},{row - 2},0.{row}" for row in range(6)]
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert main(["analyse", str(table), "--only", "grades", "--json"]) == 0
    result = table_of(json.loads(capsys.readouterr().out), "grades")
    assert {row["score"] for row in result} == {"ParaPLUIE DIRECT"}, (
        "the remaining scores have no threshold without labels"
    )
    assert [(row["pairs"], row["% paraphrase"]) for row in result] == [(1, 0), (1, 0), *[(1, 100)] * 4]
    assert main(["analyse", str(table), "--grades", "2.5", "--threshold", "bleu=0.4"]) == 0
    out, _ = capsys.readouterr()
    assert "Pairs called a paraphrase, by human score" in out and "[2.5, 5)" in out
    table.write_text("source,hypothesis,label,bleu\na,b,1,0.5\n", encoding="utf-8")
    assert main(["analyse", str(table), "--only", "grades"]) == 2
    assert "no column contains human scores. Name it with --human" in capsys.readouterr().err


def test_without_human_scores_there_are_no_grades():
    scores = pp.score(["a b", "c d"], ["a c", "c d"], metrics="bleu")
    with pytest.raises(pp.ParapluieError, match="no human scores"):
        pp.analyse(scores, "grades")
