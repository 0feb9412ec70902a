"""`parapluie passport` and `pp.passport`, with a judge of a few kilobytes."""

from __future__ import annotations

import json

import pytest
from masked_models import save_masked

import parapluie_gui as pp
from parapluie_gui.commands.main import main
from parapluie_gui.work import bars

FEW = ("--pairs", "24", "--draws", "20", "--device", "cpu")


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    return str(save_masked(tmp_path_factory.mktemp("judge") / "small"))


def run(capsys, *arguments):
    status = main(["passport", *map(str, arguments)])
    out, err = capsys.readouterr()
    return status, out, err


def test_a_passport_of_the_demo_has_facts_only_the_judge_can_give(capsys, judge):
    status, out, err = run(capsys, judge, *FEW, "--json")
    assert status == 0, err
    (record,) = json.loads(out)["analyses"]
    facts = {fact["key"]: fact for fact in record["details"]["passports"]["pluie.cloze"]["facts"]}
    assert facts["accuracy"]["pairs"] == 24 and facts["copies"]["pairs"] == 16 and facts["seconds"]["pairs"] == 32
    assert facts["order-verdicts"]["pairs"] == 24 and facts["repetition"]["value"]["value"] < 1e-4
    assert facts["seconds"]["value"]["value"] > 0


def test_a_passport_is_saved_compared_and_printed_on_one_page(capsys, judge, tmp_path):
    kept, sheet = tmp_path / "p.json", tmp_path / "p.html"
    status, out, err = run(capsys, judge, "demo", *FEW, "--save", kept, "--no-order")
    assert status == 0 and "Passport of CLOZE · small on demo, 24 pairs" in out and "swapped" not in out
    assert "is right on" in err
    status, out, err = run(capsys, judge, "demo", *FEW, "--compare", kept, "--page", sheet)
    assert status == 0 and "0 of 24 common pairs have a different verdict" in out
    html = sheet.read_text(encoding="utf-8")
    assert "<h1>Passport of CLOZE · small</h1>" in html and "area under the ROC curve" in html
    assert "before and after" in html


def test_two_judges_are_shown_side_by_side(capsys, judge, tmp_path):
    other = save_masked(tmp_path / "other")
    status, out, err = run(capsys, judge, "--beside", other, *FEW, "--no-order", "--json")
    assert status == 0, err
    (record,) = json.loads(out)["analyses"]
    assert record["tables"]["passports"]["header"][2:] == ["CLOZE · small", "CLOZE · other"]
    passports = record["details"]["passports"]
    assert [any(fact["key"] == "copies" for fact in one["facts"]) for one in passports.values()] == [True, True]


def test_python_returns_the_commands_passport(judge, tmp_path):
    result = pp.passport(judge, pairs=24, order=False, draws=20, device="cpu", progress=False)
    assert list(result.passports) == ["pluie.cloze"] and "accuracy" in repr(result) and "<table" in result._repr_html_()
    result.save(tmp_path / "p.json")
    (drift,) = result.compare(tmp_path / "p.json")
    assert drift.pairs == 24 and not drift.changes and drift.largest == 0 and result.summary


def test_the_probes_show_their_progress(judge, monkeypatch):
    shown = []
    monkeypatch.setattr(
        bars,
        "open_bar",
        lambda total, unit, show=None, open_bar=bars.open_bar: shown.append(show) or open_bar(0, "", False),
    )
    pp.passport(judge, pairs=24, order=False, draws=20, device="cpu", progress=True)
    assert len(shown) > 4 and set(shown) <= {True, None}


def test_pairs_without_labels_have_a_passport_too(capsys, judge, tmp_path):
    (tmp_path / "plain.csv").write_text(
        "source,hypothesis\n" + "".join(f"The cat {n} sat.,A cat {n} sat.\n" for n in range(24)), encoding="utf-8"
    )
    status, out, err = run(capsys, judge, tmp_path / "plain.csv", *FEW, "--no-order")
    assert status == 0 and "no pair has a label" in err and "accuracy" not in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere"], "nowhere"),
        (["pocket", "nowhere.csv"], "nowhere.csv"),
        (["pocket", "--template", "P1"], "Use CLOZE or a different judge"),
    ],
)
def test_mistakes_give_one_sentence(capsys, arguments, words):
    status, _, err = run(capsys, *arguments)
    assert status == 2 and words in err and err.startswith("parapluie: ")
