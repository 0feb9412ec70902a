"""`parapluie describe`: tables and numbers of corpora without scores."""

from __future__ import annotations

import json

import pytest

from parapluie_gui.commands.main import main


def test_tables_and_numbers(capsys, tmp_path):
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text("source,hypothesis,label\na cat,the cat,1\na cat,one dog,0\n", encoding="utf-8")
    two.write_text("source,hypothesis,language\nil pleut,il ne pleut pas,fr\nit rains,it rains,en\n", encoding="utf-8")
    assert main(["describe", str(one), str(two)]) == 0
    out, _ = capsys.readouterr()
    assert "Pairs and labels" in out and "WPD" in out and "Pairs by language" in out
    assert main(["describe", str(one), str(two), "--json"]) == 0
    found = {each["name"]: each for each in json.loads(capsys.readouterr()[0])["corpora"]}
    assert (found["one"]["pairs"], found["one"]["paraphrases"], found["one"]["sources"]) == (2, 1, 1)
    assert found["Global"]["unlabelled"] == 2
    assert found["one"]["measures"]["ld"]["paraphrase"]["mean"] == pytest.approx(2 / 3)
    assert main(["describe", str(tmp_path / "nothing.csv")]) == 2
