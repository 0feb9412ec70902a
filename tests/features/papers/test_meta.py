"""`parapluie meta`: ParaScore's evaluation from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from masked_models import save_masked

from parapluie_gui.commands.main import main
from parapluie_gui.pairs import read
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.report.table import write_table
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.work.runner import JobRunner

PAIRS = 120


def run(capsys, *arguments: str | Path) -> tuple[int, str, str]:
    status = main(["meta", *map(str, arguments)])
    out, err = capsys.readouterr()
    return status, out, err


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    """A scored corpus of ten candidates for each of twelve sources."""
    rng = np.random.default_rng(0)
    words = ["one", "two", "three", "four", "five", "six"]
    sentences = [" ".join(rng.choice(words, 5)) for _ in range(12)]
    corpus = Corpus(
        name="judged",
        id=[str(row) for row in range(PAIRS)],
        source=[sentences[row // 10] for row in range(PAIRS)],
        hypothesis=[" ".join(rng.choice(words, 5)) for _ in range(PAIRS)],
        reference=[" ".join(rng.choice(words, 5)) for _ in range(PAIRS)],
        human=np.round(rng.random(PAIRS), 1),
    )
    table = ScoreTable(PAIRS)
    values = {name: np.round(rng.random(PAIRS), 2) for name in ("sbert", "sbert.ref", "pluie.direct", "other")}
    table.put(np.arange(PAIRS), values)
    write_table(tmp_path / "judged.csv", corpus, table)
    return tmp_path / "judged.csv"


def test_stored_scores_of_a_table_are_evaluated(capsys, judged):
    status, out, _ = run(capsys, judged, "--json")
    assert status == 0
    result = json.loads(out)
    assert list(result["scores"]) == ["sbert", "sbert.ref", "pluie.direct"]
    (human,) = result["analyses"]
    assert human["options"] == {"similarity": "sbert"}
    held_out = human["tables"]["meta-human"]
    assert held_out["note"].startswith("On the last 108 of 120 pairs; the first 12 are for tuning.")
    assert {row[0] for row in human["tables"]["meta-omega"]["rows"]} == {"sbert", "max(sbert, sbert.ref)"}
    assert [row[0] for row in human["tables"]["meta-forms"]["rows"]] == ["sbert"]
    corpus = read(judged)
    values = corpus.numbers("sbert")
    expected = np.corrcoef(values[12:], corpus.human[12:])[0, 1]
    pearson = held_out["rows"][0][held_out["header"].index("Pearson")]
    assert pearson == {"value": pytest.approx(expected), "low": None, "high": None}
    everything = dict(zip(human["tables"]["human"]["header"], human["tables"]["human"]["rows"][0], strict=True))
    assert everything["Pearson"]["value"] == pytest.approx(np.corrcoef(values, corpus.human)[0, 1])


def test_computed_scores_extended_corpus_and_intervals_are_evaluated(capsys, judged):
    status, out, _ = run(
        capsys, judged, "--score", "other", "--metric", "edit_distance", "--extend", "--draws", "20", "--json"
    )
    assert status == 0
    result = json.loads(out)
    assert list(result["scores"]) == ["other", "edit_distance"]
    assert result["scores"]["edit_distance"]["signature"]["name"] == "edit_distance"
    (human,) = result["analyses"]
    table = human["tables"]["meta-human"]
    assert "Extended: with 3 sources as candidates, scored 0." in table["note"]  # of twelve sources
    # the new pairs have no number in the file, but they have a distance
    of_all = {row[0]: row[-1] for row in human["tables"]["human"]["rows"]}
    assert of_all == {"other": 120, "Edit distance": 123}
    distance = dict(zip(table["header"], table["rows"][1], strict=True))
    assert distance["Pearson"]["low"] < distance["Pearson"]["high"]
    assert distance["Pearson, extended"]["value"] != distance["Pearson"]["value"]


def test_tables_are_written_for_reading_and_for_papers(capsys, judged):
    _, out, _ = run(capsys, judged)
    for title in (
        "Correlation with the human scores of judged",
        "Reference-free against reference-based on judged",
        "by edit distance of source and hypothesis",
        "by edit distance of hypothesis and reference",
        "tuned, no threshold",
        "Two candidates of one source",
        "ParaScore with its weight tuned on the first 12 pairs of judged",
    ):
        assert title in out
    _, out, _ = run(capsys, judged, "--latex")
    assert out.count(r"\begin{table}") == 7 and r"\label{tab:meta-omega}" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--score", "nobody"], 'there is no column "nobody"'),
        (["--score", "source"], "source"),
        (["--human", "nobody"], 'there is no column "nobody"'),
        (
            ["--similarity", "bleu"],
            'There is no "bleu" for --similarity. Choose among "none", "sbert", "sbert.ref", "pluie.direct".',
        ),
        (["--metric", "bluu"], 'There is no metric "bluu"'),
    ],
)
def test_mistakes_give_one_sentence(capsys, judged, arguments, words):
    status, out, err = run(capsys, judged, *arguments)
    assert (status, out) == (2, "") and words in err and len(err.strip().splitlines()) == 1


def test_a_corpus_without_human_scores_or_without_scores_is_refused(capsys, tmp_path):
    (tmp_path / "plain.csv").write_text("source,hypothesis\na,b\nc,d\n", encoding="utf-8")
    status, _, err = run(capsys, tmp_path / "plain.csv")
    assert status == 2 and "no column contains human scores. Name it with --human" in err
    (tmp_path / "human.csv").write_text("source,hypothesis,human\na,b,1\nc,d,0\n", encoding="utf-8")
    status, _, err = run(capsys, tmp_path / "human.csv")
    assert status == 2 and "no column is a known score" in err


def test_a_corpus_is_scored_on_the_named_device(judged, monkeypatch, capsys):
    """Even without a judge: a metric's own model must run there too."""
    devices = []
    monkeypatch.setattr(JobRunner, "run", lambda self, job: devices.append(job.request.plan.device))
    (judged.parent / "TRUE.csv").write_text("source,hypothesis\na,b\n", encoding="utf-8")
    for command in (
        ["meta", judged, "--metric", "bleu"],
        ["paraphrasus", judged.parent / "TRUE.csv", "--metric", "bleu@0.5"],
    ):
        main([*map(str, command), "--device", "cuda:99"])
    assert devices == ["cuda:99", "cuda:99"]


def test_an_unavailable_device_gives_one_sentence(capsys, judged, tmp_path):
    encoder = save_masked(tmp_path / "encoder")
    status, out, err = run(capsys, judged, "--metric", f"sbert:{encoder}", "--device", "cuda:99")
    assert (status, out) == (2, "") and "cuda:99" in err
