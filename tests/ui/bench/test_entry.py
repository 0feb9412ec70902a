"""Entries of the Bench's history as the session stores them: invalid ones are left out, the rest is restored."""

from __future__ import annotations

import json
import math

import pytest

from parapluie_gui.pluie.evidence import AnswerEvidence
from parapluie_gui.ui.bench.entry import BenchEntry, read_history

EVIDENCE = AnswerEvidence(0.8, 0.1, (("Yes", 0.8), ("No", 0.1)), tokens=40)
GOOD = BenchEntry("a cat", "one cat", {"bleu": 0.5}, {"pluie.direct": EVIDENCE}, {"pluie.direct": "prompt"})


def stored_entry(**changed):
    return json.loads(json.dumps({**GOOD.as_dict(), **changed}))


BAD = {
    "a list": [],
    "a text": "entry",
    "nothing": None,
    "a number": 3,
    "no sentences": {},
    "a list for a sentence": stored_entry(source=["a"]),
    "a list for scores": stored_entry(values=["bleu"]),
    "a text for scores": stored_entry(values="bleu"),
    "a text for a score": stored_entry(values={"bleu": "much"}),
    "null for a score": stored_entry(values={"bleu": None}),
    "a huge score": stored_entry(values={"bleu": 10**400}),
    "evidence that is none": stored_entry(evidence={"pluie.direct": "{}"}),
    "evidence that is a list": stored_entry(evidence={"pluie.direct": "[]"}),
    "evidence that is no JSON": stored_entry(evidence={"pluie.direct": "?"}),
    "evidence nested deep": stored_entry(evidence={"pluie.direct": "[" * 100_000}),
    "evidence that is not a text": stored_entry(evidence={"pluie.direct": 3}),
    "evidence with a text for a chance": stored_entry(
        evidence={"pluie.direct": EVIDENCE.to_json().replace("0.8", '"a"')}
    ),
    "evidence with more than it has": stored_entry(evidence={"pluie.direct": EVIDENCE.to_json()[:-1] + ',"more":1}'}),
    "prompts that are not texts": stored_entry(prompts={"pluie.direct": 3}),
    "a text for the original": stored_entry(original="first"),
    "a fraction for the original": stored_entry(original=0.5),
    "times that are not times": stored_entry(times={"verdict": "noon"}),
    "a time without time zone": stored_entry(times={"verdict": "2026-11-27T12:33:00"}),
    "numbers for times": stored_entry(times={"note": 3}),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_only_the_malformed_entry_is_left_out(bad):
    entries, places = read_history([GOOD.as_dict(), bad, GOOD.as_dict()])
    assert entries == [GOOD, GOOD]
    assert places == [1]


def test_a_copy_still_finds_its_original_when_an_entry_before_it_is_left_out():
    entries, places = read_history(
        [3, GOOD.as_dict(), stored_entry(source="edited", original=1), stored_entry(original=0)]
    )
    assert places == [0]
    assert [entry.original for entry in entries] == [None, 0, None]
    assert entries[1].source == "edited"


@pytest.mark.parametrize("original", [-1, 5, 10**30])
def test_a_missing_original_becomes_none(original):
    (entry,), _ = read_history([stored_entry(original=original)])
    assert entry.original is None


def test_a_missing_score_keeps_its_reason():
    (entry,), places = read_history([json.loads(json.dumps({**GOOD.as_dict(), "values": {"rouge": math.nan}}))])
    assert math.isnan(entry.values["rouge"]) and places == []
