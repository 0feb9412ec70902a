"""`pp.certify`: the same certificates as the command, as Python objects."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest
from two_judges import SECOND, judgings

import parapluie_gui as pp
from parapluie_gui.analysis.table import table_text
from parapluie_gui.commands.main import main


def test_a_certificate_matches_the_commands(capsys):
    result = pp.certify(["bleu"], pairs=200, seed=3, thresholds={"bleu": 0.4})
    assert main(["certify", "bleu", "--pairs", "200", "--seed", "3", "--threshold", "bleu=0.4", "--json"]) == 0
    printed, record = json.loads(capsys.readouterr().out), json.loads(json.dumps(result.record()))
    for entry in (printed, record):
        entry["scores"]["bleu"].pop("cost")  # the time differs
    assert printed == record
    assert main(["certify", "bleu", "--pairs", "200", "--seed", "3", "--threshold", "bleu=0.4"]) == 0
    finding, _, printed = capsys.readouterr().out.partition("\n\n")
    assert finding.endswith(".") and printed.startswith(table_text(result.tables["bleu"].table, plain=True))
    assert result.worst("bleu") and ElementTree.fromstring(result.figure().svg()).tag.endswith("svg")
    assert "share of failures" in repr(result.comparison_table("failed"))


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        ((), {}, "There is nothing to certify"),
        (("bleu",), {"pairs": 5}, "5 pairs are too few"),
        (("bleu.ref",), {}, "compares with a reference"),
        (("bleu",), {"thresholds": {"blue": 1.0}, "pairs": 100}, '"blue" is not one of the scores'),
    ],
)
def test_errors_of_certify_are_readable(arguments, options, words):
    with pytest.raises(pp.ParapluieError, match=words):
        pp.certify(*arguments, **options)


def test_several_judges_are_certified(tmp_path):
    names = [judging.judge.model for judging in judgings(tmp_path)]
    assert set(pp.certify(judge=names, templates="CLOZE", pairs=100).certificates) == {"pluie.cloze@pocket", SECOND}
