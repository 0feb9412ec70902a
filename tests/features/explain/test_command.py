"""`parapluie explain`: JSON, text, figures, and error messages."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from parapluie_gui.commands.main import main

PAIRS = (
    "source\thypothesis\tlabel\tbleu\n"
    "Shares rose on Friday.\tShares fell on Friday.\t0\t0.5\n"
    "It rains.\tIt rains.\t1\t1.0\n"
)


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text(PAIRS, encoding="utf-8")
    return path


def test_every_pair_and_score_is_one_json_object(pairs, tmp_path, capsys):
    out = tmp_path / "out.jsonl"
    arguments = ["--metric", "edit_distance", "--metric", "rouge1", "--threshold", "rouge1=0.9", "-o", str(out)]
    assert main(["explain", str(pairs), *arguments]) == 0
    assert "2 pairs, 2 scores, 3 variants" in capsys.readouterr().out
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [(line["source"], line["column"]) for line in lines] == [
        ("Shares rose on Friday.", "edit_distance"),
        ("Shares rose on Friday.", "rouge1"),
        ("It rains.", "edit_distance"),
        ("It rains.", "rouge1"),
    ]
    first, second, third, _ = lines
    assert first["edits"][0]["source"] == "rose" and first["edits"][0]["hypothesis"] == "fell"
    assert first["edits"][0]["type"] == "antonym"
    assert first["same"] == 0.0 and first["edits"][0]["value"] == pytest.approx(first["score"])
    assert first["flip"] is None and second["flip"] == [0]
    assert first["exact"] and first["evaluations"] == 2
    assert third["edits"] == [] and third["evaluations"] == 1


def test_a_pair_is_printed_as_readable_text(capsys):
    assert main(["explain", "--pair", "Shares rose.", "Shares fell.", "--metric", "rouge1"]) == 0
    printed = capsys.readouterr().out
    assert "rose → fell" in printed and "antonym" in printed and "2 variants scored" in printed


def test_a_filter_and_a_limit_choose_pairs(pairs, capsys):
    assert main(["explain", str(pairs), "--metric", "edit_distance", "--filter", "bleu > 0.7", "--limit", "5"]) == 0
    printed = capsys.readouterr().out
    assert "It rains." in printed and "Shares" not in printed


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "Name either a corpus, or two sentences with --pair"),
        (["CORPUS", "--pair", "a", "b"], "Name either a corpus, or two sentences"),
        (["CORPUS", "--metric", "edit_distance", "-o", "CORPUS"], "would be overwritten"),
        (["CORPUS", "--metric", "edit_distance", "--filter", "label > 5"], "No pair matches"),
        (["--pair", "a", "b", "--metric", "edit_distance", "--threshold", "bleu=1"], "is not one of the scores"),
        (["--pair", "a", "b", "--metric", "nothing"], "nothing"),
    ],
)
def test_wrong_arguments_are_refused_in_one_sentence(pairs, capsys, arguments, sentence):
    arguments = [str(pairs) if word == "CORPUS" else word for word in arguments]
    assert main(["explain", *arguments]) == 2
    error = capsys.readouterr().err
    assert sentence in error and error.count("\n") == 1
    assert pairs.read_text(encoding="utf-8") == PAIRS


def test_a_figure_shows_one_pair_under_two_scores(pairs, tmp_path, capsys):
    figure = tmp_path / "why.svg"
    wanted = ["--metric", "edit_distance", "--metric", "rouge1", "--figure", str(figure)]
    assert main(["explain", str(pairs), *wanted, "--filter", "bleu < 0.7"]) == 0
    drawing = ElementTree.parse(figure).getroot()
    words = [each.text for each in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert [word for word in words if word in ("rose", "fell")] == ["rose", "fell"] * 2, "a column for every score"
    assert words.count("rose → fell") == 2 and words.count("antonym") == 2
    assert any(word.startswith("Edit distance: +") for word in words)
    shades = {each.get("fill") for each in drawing.iter("{http://www.w3.org/2000/svg}rect")}
    assert "#d16d09" in shades, "both are evidence against a paraphrase"
    for arguments, sentence in (
        ([str(pairs), *wanted], "there are 2"),
        (["--pair", "a", "b", "--figure", "why.jpg"], "a figure cannot be written as"),
    ):
        assert main(["explain", *arguments]) == 2
        assert sentence in capsys.readouterr().err
