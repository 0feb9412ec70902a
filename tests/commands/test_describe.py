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
    result = json.loads(capsys.readouterr()[0])
    assert result["corpora"]["Global"] == {"pairs": 4, "paraphrases": 1, "others": 1}
    described = next(record for record in result["analyses"] if record["name"] == "corpus")
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


def test_describe_says_how_a_file_was_read(capsys, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("source,hypothesis,label\na cat,the cat,1\na cat,one dog,\n", encoding="utf-8")
    assert main(["describe", str(path)]) == 0
    line = "x: source = source, hypothesis = hypothesis, label = label (1 yes, 0 no, 1 without), human score: none."
    assert line in capsys.readouterr().err
    assert main(["analyse", str(path), "--only", "corpus"]) == 0
    assert line not in capsys.readouterr().err, "nothing was guessed"


def test_pairs_of_several_files_that_are_the_same_are_counted(capsys, tmp_path):
    import parapluie_gui as pp

    for name in ("one", "two"):
        (tmp_path / f"{name}.csv").write_text("source,hypothesis\na cat,the cat\na cat,one dog\n", encoding="utf-8")
    with pytest.warns(pp.ParapluieWarning, match="2 pairs have the same two sentences as a pair in an earlier file"):
        pp.read(tmp_path / "one.csv", tmp_path / "two.csv")
