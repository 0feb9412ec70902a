"""Passports as files, their comparison, and their tables in the analysis."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from analysing import corpus_of, two_templates

import parapluie_gui as pp
from parapluie_gui.analysis.base import analyse
from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.api.material import build_material
from parapluie_gui.features.passport.analysis import drift_tables, word_overlap
from parapluie_gui.features.passport.passport import (
    compare_passports,
    match_passports,
    read_passports,
    write_passports,
)
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.signature import Signature

PASSPORT = analysis("passport")


def run_of(corpus, table):
    return analyse(PASSPORT, build_material(corpus, table, draws=50), PASSPORT.options())


@pytest.fixture
def corpus():
    return corpus_of()


@pytest.fixture
def run(corpus):
    return run_of(corpus, two_templates(corpus))


def test_every_judge_has_a_table_and_all_are_compared(run):
    tables = {table.name: table for table in PASSPORT.tables(run)}
    assert list(tables) == ["passport-pluie.direct", "passport-pluie.fs-direct", "passports"], (
        "metrics have no passport"
    )
    assert tables["passport-pluie.direct"].header == ("", "measure", "value", "pairs", "how to read it")
    assert tables["passports"].header[2:] == tuple(passport.title for passport in run.result)
    assert "the same answer to all of them would be right on" in PASSPORT.finding(run)
    details = PASSPORT.details(run)["passports"]["pluie.direct"]
    assert "scores" not in details and details["facts"][0]["key"] == "accuracy"


def test_a_one_sided_judge_is_named_first(corpus):
    table = two_templates(corpus)
    table.put(np.arange(len(corpus)), {"pluie.direct": np.linspace(-9, -1, len(corpus))})
    run = run_of(corpus, table)
    assert "says No to 120 of 120 pairs" in run.result[0].warning and run.result[0].warning in PASSPORT.finding(run)
    assert PASSPORT.tables(run)[0].note.startswith(run.result[0].warning)


def test_passports_are_unchanged_after_a_round_trip(run, tmp_path):
    write_passports(tmp_path / "p.json", run.result, "2026-11-28")
    again = read_passports(tmp_path / "p.json")
    assert [one.scores for one in again] == [one.scores for one in run.result]
    assert repr([one.facts for one in again]) == repr([one.facts for one in run.result])
    assert again[0].signature == run.result[0].signature == {"name": "pluie.direct", "version": "test"}


@pytest.mark.parametrize("text", ["", "[]", '{"passports": [{"name": "x"}]}', '{"passports": []}', '{"passports": 3}'])
def test_other_files_are_refused_in_one_sentence(tmp_path, text):
    (tmp_path / "p.json").write_text(text, encoding="utf-8")
    with pytest.raises(pp.ParapluieError, match="has no passports"):
        read_passports(tmp_path / "p.json")
    with pytest.raises(pp.ParapluieError, match="cannot be read"):
        read_passports(tmp_path / "none.json")


def test_drift_names_changed_verdicts(corpus, run):
    table = two_templates(corpus)
    values = table["pluie.direct"].copy()
    flipped = np.flatnonzero(np.abs(values) > 0.05)[:3]
    values[flipped] *= -1
    table.put(np.arange(len(corpus)), {"pluie.direct": values})
    later = run_of(corpus, table).result
    later = (replace(later[0], signature={**later[0].signature, "version": "next"}), *later[1:])
    drift = compare_passports(*match_passports(run.result, later)[0], corpus)
    assert drift.pairs == len(set(run.result[0].scores)) and drift.largest == pytest.approx(
        2 * np.abs(values[flipped]).max()
    )
    assert {change.row for change in drift.changes} >= set(flipped.tolist())
    assert drift.settings == (("version", "test", "next"),)
    facts, settings, verdicts = drift_tables(drift, corpus)
    assert "have a different verdict" in facts.note and len(settings) == 1 and len(verdicts) == len(drift.changes)
    assert verdicts.rows[0][2] == corpus.source[drift.changes[0].row]


def test_passports_of_different_judges_are_not_compared(run):
    with pytest.raises(pp.ParapluieError, match="has no passport of these judges"):
        match_passports(run.result, [replace(run.result[0], name="pluie.p1")])
    assert match_passports(run.result[:1], [replace(run.result[0], name="pluie.p1")]), (
        "the judge is unambiguous: there is one passport on each side"
    )


def test_overlap_is_the_proportion_of_shared_words():
    corpus = Corpus("x", ["1", "2", "3"], ["The cat sat.", "a b", "!"], ["the CAT ran", "a b", "?"])
    assert word_overlap(corpus).tolist() == [0.5, 1.0, 1.0]


def test_wordings_belong_to_the_same_judge(corpus):
    table = two_templates(corpus)
    for name in ("pluie.direct", "pluie.fs-direct"):
        table.signatures[name] = Signature.from_fields(name, {"model": "small", "precision": "float32"})
    (direct, _) = run_of(corpus, table).result
    assert direct.fact("wording-pluie.fs-direct") is not None


def test_a_passport_needs_scores_of_a_judge(corpus):
    table = two_templates(corpus)
    material = build_material(corpus, table, only=["bleu"])
    with pytest.raises(pp.ParapluieError, match="A passport needs the scores of a judge"):
        analyse(PASSPORT, material, PASSPORT.options())
