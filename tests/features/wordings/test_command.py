"""`parapluie sweep` with the pocket judge: tables, JSON, the heat map, and error messages."""

from __future__ import annotations

import json

import numpy as np
import pytest

from parapluie_gui.commands.main import main
from parapluie_gui.features.wordings.analysis import WordingTestOptions

PAIRS = "source\thypothesis\tlabel\nA cat sat.\tA cat sat.\t1\nA cat sat.\tRain fell on Rome.\t0\n"


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text(PAIRS)
    return str(path)


def test_forms_are_scored_and_drawn_and_stored_scores_are_reused(corpus, tmp_path, capsys):
    figure = tmp_path / "forms.svg"
    arguments = ["sweep", corpus, "--answers", "yes/no", "--answers", "true/false", "--order", "both"]
    assert main([*arguments, "--judge", "pocket", "--figure", str(figure), "--measure", "flips"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("4 forms of one question, 2 pairs\n")
    assert "pairs × answers" in out and "0 of 2 pairs do not have the same verdict in every form" in out
    assert out.count("model:pocket") == 4
    assert ">true/false<" in figure.read_text() and ">0.0 %<" in figure.read_text()
    assert main([*arguments, "--judge", "pocket", "--json"]) == 0
    streams = capsys.readouterr()
    assert "computed by" not in streams.err, "the judge was loaded again although every score is stored"
    record = json.loads(streams.out)
    (analysis,) = record["analyses"]
    forms = analysis["tables"]["sweep"]
    assert forms["header"] == ["wording", "answers", "order", "examples", "accuracy", "mean score", "flips"]
    assert [row[1:3] for row in forms["rows"]] == [
        ["yes/no", "source first"],
        ["yes/no", "hypothesis first"],
        ["true/false", "source first"],
        ["true/false", "hypothesis first"],
    ]
    assert [row[4] for row in forms["rows"]] == [1, 1, 1, 1]
    signatures = [score["signature"] for score in record["scores"].values()]
    assert len(signatures) == 4 and signatures[0]["name"] == "pluie.cloze"
    assert (record["format"], analysis["options"]["pairs"]) == (2, 2)
    assert analysis["details"]["levels"]["order"] == ["source first", "hypothesis first"]
    assert analysis["details"]["hinges"] == []


def test_tables_and_the_heat_map_are_written_to_a_folder(corpus, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["sweep", corpus, "--judge", "pocket", "--order", "both", "--out", str(out)]) == 0
    names = {"analysis.json", "sweep.csv", "sweep.tex", "sweep-variance.csv", "forms.svg"}
    assert names <= {path.name for path in out.iterdir()}
    (tmp_path / "file").write_text("")
    assert main(["sweep", corpus, "--judge", "pocket", "--csv", str(tmp_path / "file")]) == 2
    assert "file is a file. Choose a folder." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--answers", "Yes"], "“Yes” is not a pair of answers. Write two different words such as Yes/No."),
        (
            ["--judge", "model.gguf"],
            "The wording test uses one judge. Name one judge, and repeat the command for each of the others.",
        ),
        (["--examples", "2"], "Solved examples are drawn from a file. Name a corpus with labels."),
        (["--template", "CLOZE,reverse"], "CLOZE,reverse is an order, not a wording. Use --order both."),
        (
            ["--figure", "forms.jpg"],
            'forms.jpg: a figure cannot be written as ".jpg"; use a name that ends in .png, .svg, .pdf.',
        ),
    ],
)
def test_wrong_arguments_are_refused_in_one_sentence(corpus, capsys, arguments, sentence):
    assert main(["sweep", corpus, "--judge", "pocket", *arguments]) == 2
    assert capsys.readouterr().err.strip() == f"parapluie: {sentence}"


@pytest.mark.parametrize(
    ("arguments", "pairs"),
    [((), 3), (("--pairs", "2"), 2), (("--limit", "1"), 1), (("--limit", "9", "--pairs", "1"), 3)],
)
def test_pairs_are_drawn_at_random_or_taken_from_the_beginning(tmp_path, capsys, arguments, pairs):
    path = tmp_path / "pairs.tsv"
    path.write_text(PAIRS + "Snow fell.\tIt snowed.\t1\n")
    assert main(["sweep", str(path), "--judge", "pocket", "--order", "both", *arguments]) == 0
    assert capsys.readouterr().out.startswith(f"2 forms of one question, {pairs} pair")


def test_the_same_seed_draws_the_same_pairs():
    rows = np.arange(100, 200)
    drawn = WordingTestOptions(pairs=10, seed=1).draw(rows)
    assert len(drawn) == 10 and np.isin(drawn, rows).all() and (np.diff(drawn) > 0).all()
    np.testing.assert_array_equal(drawn, WordingTestOptions(pairs=10, seed=1).draw(rows))
    assert (drawn != WordingTestOptions(pairs=10, seed=2).draw(rows)).any()
    np.testing.assert_array_equal(WordingTestOptions().draw(rows), rows)
