"""`parapluie concordance`: lines, counts, collocates and errors."""

from __future__ import annotations

import csv
import json

import pytest

from parapluie_gui.commands.main import main

ROWS = """id,source,hypothesis,label,bleu
a,"No, the dog did not bark.",The dog barked.,0,0.7
b,A cat sat.,A cat did not sit.,0,0.2
c,He was not late.,"Late, he was not.",1,0.9
d,Birds sing.,Birds are singing.,1,0.1
"""


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


def test_lines_counts_and_collocates_are_printed(corpus, capsys):
    assert main(["concordance", str(corpus), "not", "--sort", "left", "--span", "2"]) == 0
    out, _ = capsys.readouterr()
    lines = out.splitlines()
    assert len({line.index("[not]") for line in lines[:4]}) == 1, "the hits are aligned"
    assert "4 hits in 3 of 4 pairs" in out
    assert "not by label" in out and "Collocates of not" in out
    assert next(line for line in lines if line.startswith("not a paraphrase")).split()[3:7] == ["2", "2", "100.00", "1"]


def test_sides_outcomes_filter_and_json_are_supported(corpus, capsys):
    arguments = ["concordance", str(corpus), "/\\bnot?\\b/i", "--side", "one", "--score", "bleu=0.5", "--json"]
    assert main(arguments) == 0
    lines, counts = json.loads(capsys.readouterr()[0])["analyses"]
    assert [counts["details"][name] for name in ("hits", "pairs")] == [3, 2]
    assert [row[0] for row in lines["tables"]["concordance"]["rows"]] == ["a", "a", "b"]
    rows = counts["tables"]["hits by outcome"]["rows"]
    assert [row[:2] for row in rows] == [["TP", 1], ["FP", 1], ["FN", 1], ["TN", 1]]
    assert main([*arguments, "--filter", "bleu < 0.5"]) == 0
    assert json.loads(capsys.readouterr()[0])["analyses"][1]["details"]["pairs"] == 1


def test_all_lines_are_written_as_csv(corpus, tmp_path, capsys):
    out = tmp_path / "tables"
    assert main(["concordance", str(corpus), "not", "--csv", str(out), "--limit", "0", "--latex"]) == 0
    with (out / "concordance.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3
    assert (rows[0]["source left"], rows[0]["source hit"], rows[0]["hypothesis left"]) == (
        "No, the dog did ",
        "not",
        "The dog barked.",
    )
    assert "\\toprule" in capsys.readouterr()[0]


def test_searches_without_hits_and_invalid_options_give_messages(corpus, capsys):
    assert main(["concordance", str(corpus), "tsunami"]) == 0
    assert "0 hits in 0 of 4 pairs" in capsys.readouterr()[0]
    assert main(["concordance", str(corpus), "/(/"]) == 2
    assert "is invalid" in capsys.readouterr()[1]
    assert main(["concordance", str(corpus), "cat", "--score", "rouge"]) == 2
