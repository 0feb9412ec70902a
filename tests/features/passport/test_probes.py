"""Probes of a judge: reworded copies, sentences to complete, spellings of the answers, and the energy counters."""

from __future__ import annotations

import numpy as np
import pytest
from tiny import save_model

import parapluie_gui as pp
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.features.passport.analysis import describe_contamination
from parapluie_gui.features.passport.energy import joules_between, read_energy
from parapluie_gui.features.passport.facts import JudgeMeasurements, JudgeScores, collect_facts, paired_difference
from parapluie_gui.features.passport.passport import Passport
from parapluie_gui.features.passport.probes import ProbeAnswers, cut_sentence, is_completed, with_more_spellings
from parapluie_gui.features.passport.rewording import reword_pair
from parapluie_gui.pluie.templates import built_in_templates, find_templates

N = 200


def test_the_same_words_are_replaced_in_both_sentences():
    assert reword_pair("Desmond said the film began on Monday.", "On Monday, said Desmond, the film ended.") == (
        "Eleni stated the movie started on Tuesday.",
        "On Tuesday, stated Eleni, the movie ended.",
    )


def test_different_words_stay_different():
    assert reword_pair("The firm fell.", "The company fell.") is None
    assert reword_pair("It rained on Monday.", "It rained on Tuesday.") == (
        "It rained on Monday.",
        "It rained on Wednesday.",
    )
    assert reword_pair("Nothing to replace here.", "Nothing at all.") is None


def test_a_sentence_is_cut_where_the_first_one_does_not_give_the_rest_away():
    source = "The old bridge was closed for a week."
    assert cut_sentence(source, "For seven days nobody could cross the old stone bridge.") == (
        "For seven days nobody could",
        "cross the old stone bridge.",
    )
    assert cut_sentence(source, "In March the town bridge was closed for a week.") is None
    assert cut_sentence(source, "It was closed.") is None


@pytest.mark.parametrize(
    ("written", "completed"),
    [
        ("cross the old stone bridge.", True),
        ("Cross the old stone bridge, which was closed.", True),
        ("For seven days nobody could cross the old stone bridge", True),
        ("cross the old bridge.", False),
        ("cross the old stone bridges", False),
        ("", False),
    ],
)
def test_a_completion_counts_word_for_word(written, completed):
    assert is_completed("For seven days nobody could", "cross the old stone bridge.", written) is completed


def test_more_spellings_are_the_other_cases_of_the_answers():
    direct, cloze = find_templates(["DIRECT", "CLOZE"], built_in_templates())
    spelled = with_more_spellings(direct)
    assert spelled.spellings == (("Yes", "YES", "yes"), ("No", "NO", "no")) and spelled.digest != direct.digest
    assert with_more_spellings(cloze) is None


def facts_of(values, labels, reverse, **probes):
    n = len(labels)
    missing = np.full(n, np.nan)
    answers = ProbeAnswers(**{"hidden": missing, "reworded": missing, "spelled": missing, **probes})
    scores = JudgeScores(
        score_column("pluie.direct", values),
        labels,
        np.arange(n, dtype=float),
        np.linspace(0, 1, n),
        np.ones(n, dtype=bool),
        reverse=score_column("pluie.direct,reverse", reverse),
        measured=JudgeMeasurements(missing[:1], missing[:1], missing[:1], 0.5, 32, "small", probes=answers),
    )
    return {fact.key: fact for fact in collect_facts(scores, 100, 0, lambda done, total: None)}


@pytest.fixture
def drawn():
    random = np.random.default_rng(7)
    labels = random.integers(0, 2, N).astype(np.int8)
    return labels, random.normal(0, 1, N), random.normal(2.0 * labels - 1, 1.0)


def test_a_judge_that_knows_the_pairs_is_recognised_by_every_fact(drawn):
    labels, noise, _ = drawn
    known = np.where(labels == 1, 5.0, -5.0)
    facts = facts_of(known, labels, noise, hidden=known, reworded=noise, spelled=-known, completed=12, begun=16)
    assert facts["hidden"].value.value == 1 and facts["hidden"].pairs == N
    assert facts["completed"].value.value == 0.75 and facts["completed"].pairs == 16
    for key in ("published-order", "reworded"):
        assert facts[key].value.low > 0.3, key
    assert facts["spellings"].value.value == 1
    assert "may know these pairs from its training: accuracy gained" in sentence(facts)


def test_a_judge_of_meaning_shows_no_sign(drawn):
    labels, noise, meaning = drawn
    facts = facts_of(meaning, labels, meaning + 1e-9, hidden=noise, reworded=meaning, spelled=meaning, begun=16)
    assert facts["hidden"].value.low < 0.5 < facts["hidden"].value.high
    assert facts["completed"].value.value == facts["published-order"].value.value == facts["reworded"].value.value == 0
    assert sentence(facts) == "No sign was seen that DIRECT knows these pairs from its training."


def sentence(facts):
    return describe_contamination(Passport("pluie.direct", "DIRECT", "x", N, 0.0, "", tuple(facts.values()), {}, {}))


def test_the_interval_of_a_paired_difference_is_never_empty():
    none = paired_difference(0, 0, 48)
    assert none.value == 0 and none.low == pytest.approx(-0.0554, abs=1e-3) and none.high == -none.low
    some = paired_difference(12, 2, 100)
    assert some.value == pytest.approx(0.1) and 0 < some.low < 0.1 < some.high < 0.2
    assert np.isnan(paired_difference(0, 0, 0).value)


def test_a_passport_without_probes_does_not_mention_contamination(drawn):
    labels, noise, meaning = drawn
    facts = facts_of(meaning, labels, noise)
    assert sentence({key: facts[key] for key in ("accuracy", "published-order")}) == ""


def counters(folder, **readings):
    for name, reading in readings.items():
        place = folder / name.replace("_", ":").replace("rapl", "intel-rapl")
        place.mkdir(parents=True, exist_ok=True)
        (place / "energy_uj").write_text(f"{reading}\n", encoding="ascii")
        (place / "max_energy_range_uj").write_text("9000000\n", encoding="ascii")
    return read_energy(folder)


def test_energy_is_the_difference_of_the_processors_counters(tmp_path):
    before = counters(tmp_path, rapl_0=1_000_000, rapl_1=8_000_000, rapl_0_0=5)
    assert list(before) == ["intel-rapl:0", "intel-rapl:1"], "parts of a processor are in its own counter"
    after = counters(tmp_path, rapl_0=3_500_000, rapl_1=1_000_000)
    assert joules_between(before, after) == pytest.approx(2.5 + 2.0), "a counter that ran over begins again at 0"


def test_a_system_without_counters_reports_no_energy(tmp_path, drawn):
    assert read_energy(tmp_path / "none") == {} and joules_between({}, {}) is None
    (tmp_path / "intel-rapl:0").mkdir()
    assert read_energy(tmp_path) == {}, "the counter cannot be read"
    labels, noise, meaning = drawn
    facts = facts_of(meaning, labels, noise)
    assert "energy" not in facts and facts["seconds"].note == "small; this system does not report the energy"


def test_a_judge_that_writes_is_asked_to_complete_sentences(tmp_path):
    judge = save_model(tmp_path / "small")
    demo = pp.read("demo").take(range(30))
    result = pp.passport(f"{judge}=DIRECT", demo, pairs=30, draws=20, device="cpu", progress=False)
    facts = {fact.key: fact for fact in next(iter(result.passports.values())).facts}
    assert facts["completed"].pairs >= 2 and facts["completed"].value.value == 0, "random weights know nothing"
    assert facts["hidden"].pairs == 30 and facts["spellings"].pairs == 30 and facts["reworded"].pairs >= 3
    assert facts["published-order"].pairs == 30


def test_probes_can_be_left_out(tmp_path):
    judge = save_model(tmp_path / "small")
    demo = pp.read("demo").take(range(12))
    result = pp.passport(f"{judge}=DIRECT", demo, order=False, probes=False, draws=0, device="cpu", progress=False)
    keys = {fact.key for fact in next(iter(result.passports.values())).facts}
    assert not keys & {"hidden", "completed", "reworded", "spellings", "published-order"} and "seconds" in keys
