"""`parapluie describe`: tables and numbers of corpora without scores."""

from __future__ import annotations

import json

import pytest

from parapluie_gui.commands.main import main


def test_describe_prints_tables_and_numbers(capsys, tmp_path):
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text("source,hypothesis,label\na cat,the cat,1\na cat,one dog,0\n", encoding="utf-8")
    two.write_text("source,hypothesis,language\nil pleut,il ne pleut pas,fr\nit rains,it rains,en\n", encoding="utf-8")
    assert main(["describe", str(one), str(two)]) == 0
    out, _ = capsys.readouterr()
    assert "Pairs and labels" in out and "WPD" in out and "Pairs by language" in out
    assert main(["describe", str(one), str(two), "--json"]) == 0
    found = json.loads(capsys.readouterr()[0])
    assert found["corpora"]["Global"] == {"pairs": 4, "paraphrases": 1, "others": 1}
    described = next(record for record in found["analyses"] if record["name"] == "corpus")
    tables = {
        name: [dict(zip(each["header"], row, strict=True)) for row in each["rows"]]
        for name, each in described["tables"].items()
    }
    assert [row["distinct sources"] for row in tables["balance"]] == [1, 2, 3]
    assert tables["balance"][1]["% paraphrases"] is None
    of_one = {row["of"]: row for row in tables["wording"] if row["corpus"] == "one"}
    assert of_one["paraphrases"]["LD"]["mean"] == pytest.approx(2 / 3)
    assert tables["languages"][-1] == {"corpus": "Global", "fr": 1, "en": 1}
    assert main(["describe", str(tmp_path / "nothing.csv")]) == 2
