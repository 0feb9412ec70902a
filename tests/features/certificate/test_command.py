"""`parapluie certify`: certificates from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from masked_models import save_masked

from parapluie_gui.commands.main import main
from parapluie_gui.metrics.lexical import wordnet


def run(capsys, *arguments: str | Path) -> tuple[int, str, str]:
    status = main(["certify", *map(str, arguments)])
    out, err = capsys.readouterr()
    return status, out, err


def certificates(out: str) -> dict[str, Any]:
    """Return the certificates in the JSON output."""
    (analysis,) = json.loads(out)["analyses"]
    result: dict[str, Any] = analysis["details"]["certificates"]
    return result


def test_two_metrics_and_their_heat_map_are_written(capsys, tmp_path):
    status, out, err = run(capsys, "edit_distance", "bleu", "--pairs", "300", "--figure", tmp_path / "map.svg")
    assert (status, err) == (0, "")
    assert "Certificate of Edit distance, no threshold" in out and "Certificate of BLEU, no threshold" in out
    assert "Certificates side by side: share of pairs ranked wrong" in out
    assert "bleu: name:bleu|" in out
    assert (tmp_path / "map.svg").read_text(encoding="utf-8").startswith("<svg ")


def test_json_has_every_row_with_its_worst_pairs(capsys):
    status, out, _ = run(capsys, "bleu", "--pairs", "300", "--seed", "2", "--json")
    result = json.loads(out)
    (analysis,) = result["analyses"]
    assert (status, result["format"], analysis["options"]["seed"], analysis["options"]["pairs"]) == (0, 2, 2, 300)
    assert 200 < sum(corpus["pairs"] for corpus in result["corpora"].values()) <= 300
    assert result["scores"]["bleu"]["signature"]["name"] == "bleu"
    bleu = certificates(out)["bleu"]
    assert bleu["threshold"] is None
    table = analysis["tables"]["certificate-bleu"]
    assert [cells[2] for cells in table["rows"]] == [row["cases"] for row in bleu["rows"]]
    row = next(row for row in bleu["rows"] if row["behaviour"] == "negation")
    assert row["ranked_wrong"]["value"] == row["misranked"] / row["compared"] > 0.8
    assert row["ranked_wrong"]["low"] < row["ranked_wrong"]["value"] and len(row["worst"]) == 10
    assert {"source", "hypothesis", "score", "change", "failed"} == set(row["worst"][0])


def test_a_threshold_option_defines_failures(capsys):
    _, out, _ = run(capsys, "edit_distance", "--pairs", "300", "--threshold", "edit_distance=0.2", "--json")
    result = certificates(out)["edit_distance"]
    assert (result["threshold"], result["given"]) == (0.2, True)
    rows = {row["behaviour"]: row for row in result["rows"]}
    assert rows["identity"]["failures"] == 0 and rows["unrelated"]["failures"] == 0
    assert rows["reworded"]["failures"] > 0 and rows["negation"]["failures"] > 0


def test_latex_and_the_worst_pairs_are_printed(capsys):
    status, out, _ = run(capsys, "bleu", "--pairs", "150", "--latex", "--worst")
    assert status == 0 and r"\toprule" in out and "Worst pairs of BLEU: negation" in out


def test_every_table_of_every_score_is_written_to_a_folder(capsys, tmp_path):
    status, _, err = run(capsys, "bleu", "edit_distance", "--pairs", "150", "--worst", "--out", tmp_path / "out")
    assert status == 0 and "files → " in err
    tables = ("certificate-bleu", "certificate-edit_distance", "certificate-bleu-worst-negation", "certificates-ranked")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {f"{table}.csv" for table in tables} | {"analysis.json", "certificates.svg"} <= names
    written = json.loads((tmp_path / "out" / "analysis.json").read_text(encoding="utf-8"))
    assert set(tables) <= set(written["analyses"][0]["tables"])


def test_markdown_for_model_cards_is_printed(capsys):
    status, out, _ = run(capsys, "edit_distance", "bleu", "--pairs", "150", "--markdown")
    assert status == 0 and out.count("| behaviour | cases | failures |") == 2 and out.count("Ranked wrong") == 2


def test_a_judge_is_tested_at_threshold_0(capsys, tmp_path):
    judge = save_masked(tmp_path / "judge")
    status, out, err = run(capsys, "--judge", judge, "--pairs", "120", "--device", "cpu", "--json")
    assert status == 0, err
    result = certificates(out)["pluie.cloze"]
    assert (result["threshold"], result["given"], result["title"]) == (0.0, False, "CLOZE · judge")
    assert all(row["failures"] is not None for row in result["rows"])


def test_two_judges_with_the_same_template_have_different_names(capsys, tmp_path):
    judges = [save_masked(tmp_path / name) for name in ("one", "two")]
    arguments = [word for judge in judges for word in ("--judge", judge)]
    status, out, err = run(capsys, *arguments, "--pairs", "100", "--device", "cpu", "--json")
    assert status == 0, err
    assert list(certificates(out)) == ["pluie.cloze@one", "pluie.cloze@two"]


def test_sentences_of_a_corpus_are_used(capsys, tmp_path):
    corpus = tmp_path / "mine.csv"
    corpus.write_text("source,hypothesis,label\nThe mayor was warned by 12 firms.,12 firms warned the mayor.,1\n")
    status, out, _ = run(capsys, "bleu", "--corpus", corpus, "--pairs", "100", "--json")
    (analysis,) = json.loads(out)["analyses"]
    assert status == 0 and analysis["details"]["cases"].endswith("with sentences from mine")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "There is nothing to certify. Name a metric (bleu), or a judge with --judge."),
        (["external:gpt4"], 'The column "gpt4" has numbers only for its corpus'),
        (["bleu.ref"], "compares with a reference"),
        (["blue"], 'Did you mean "bleu"?'),
        (["bleu", "--threshold", "bleu"], "--threshold has to be SCORE=X, such as sbert=0.7, not bleu."),
        (["bleu", "--threshold", "blue=1"], '--threshold names "blue", which is not one of the scores: bleu.'),
        (["bleu", "--figure", "map.jpg"], "use a name that ends in .png, .svg, .pdf."),
        (["pairs.csv"], "pairs.csv is a file, not a score."),
        (["bleu", "--pairs", "100", "--figure", "no/where.svg"], r"There is no folder"),
    ],
)
def test_wrong_arguments_are_refused_in_one_sentence(capsys, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    Path("pairs.csv").write_text("source,hypothesis\nA b.,C d.\n")
    status, _, err = run(capsys, *arguments)
    assert status == 2 and words in err and err.startswith("parapluie: ") and err.count("\n") == 1


def test_a_metric_with_missing_requirements_is_left_out_and_named(capsys, monkeypatch):
    monkeypatch.setattr(wordnet, "find_wordnet", lambda: None)
    status, out, err = run(capsys, "meteor", "bleu", "--pairs", "100", "--json")
    assert status == 2 and "WordNet" in err
    assert list(certificates(out)) == ["bleu"]
