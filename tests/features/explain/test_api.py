"""`pp.explain`: the same explanations as the command, as Python objects."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest
from two_judges import SECOND, judgings

import parapluie_gui as pp
from parapluie_gui.commands.main import main

PAIR = ("Shares rose on Friday.", "Shares fell on Friday.")


def test_an_explanation_matches_the_commands(tmp_path, capsys):
    explanations = pp.explain(*PAIR, metrics=["rouge1", "edit_distance"], thresholds={"rouge1": 0.9})
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("source\thypothesis\n" + "\t".join(PAIR) + "\n", encoding="utf-8")
    options = ["--metric", "rouge1", "--metric", "edit_distance", "--threshold", "rouge1=0.9"]
    out = tmp_path / "out.jsonl"
    assert main(["explain", str(pairs), *options, "-o", str(out)]) == 0
    theirs = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert explanations.records() == [{**each, "id": "1"} for each in theirs]
    capsys.readouterr()
    assert main(["explain", "--pair", *PAIR, *options]) == 0
    assert capsys.readouterr().out == f"{explanations}\n"
    first = explanations[0]
    assert (first.name, len(explanations)) == ("rouge1", 2) and first.values == {"rose → fell": first.score - 1}
    assert explanations.to_frame()["kind of change"].tolist() == ["antonym", "antonym"]
    assert ElementTree.fromstring(explanations.figure().svg()).tag.endswith("svg")


def test_errors_of_explain_are_readable():
    with pytest.raises(pp.ParapluieError, match=r'"blue" is not one of the scores\. Choose among bleu'):
        pp.explain(*PAIR, metrics="bleu", thresholds={"blue": 1})
    with pytest.raises(pp.ParapluieError, match="The figure shows one pair, but there are 2"):
        pp.explain([PAIR, PAIR[::-1]], metrics="bleu").figure()


def test_scores_of_several_judges_are_explained(tmp_path):
    names = [judging.judge.model for judging in judgings(tmp_path)]
    explanations = pp.explain([("The cat sleeps.", "The dog sleeps.")], judge=names)
    assert {explanation.name for explanation in explanations} == {"pluie.cloze@pocket", SECOND}
