"""`parapluie errors`, run in this process."""

from __future__ import annotations

import csv
import json
from xml.etree import ElementTree

import pytest

from parapluie_gui.commands.main import main

NAMES = ("Anna", "Bert", "Clara", "Dora", "Emil", "Frida")


@pytest.fixture
def scored(tmp_path):
    """Return a file of pairs whose score is wrong only for negations and for two wrong labels."""
    path = tmp_path / "scored.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "source", "hypothesis", "label", "one", "two"])
        for row in range(90):
            name, negated, label = NAMES[row % 6], row % 3 == 0, int(row % 3 == 2)
            texts = (
                f"{name} sold {row + 3} cars.",
                f"{name} {'never ' if negated else ''}sold {row + 3 + row % 3} cars.",
            )
            right = 0.9 if label or negated else 0.1
            other = 1 - label if row in (20, 43) else label
            writer.writerow([f"p{row}", *texts, other, right + row / 1000, label + row / 1000])
    return path


def test_false_positives_are_grouped_by_common_traits(scored, capsys):
    options = ["errors", str(scored), "--score", "one", "--threshold", "one=0.5"]
    assert main(options) == 0
    out, err = capsys.readouterr()
    assert "pairs: False positives of one" in out and "negation" in out
    assert "False negatives of one. Nothing sets these pairs apart" in err, "there are too few false negatives"
    assert main([*options, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    (result,) = data["analyses"]
    (first, *_) = result["tables"]["groups-one-false-positives"]["rows"]
    (ids, *_) = result["details"]["one-false-positives"]
    assert len(ids) == first[2] >= 28 and first[7] < 0.001
    assert first[8] > 90 and first[9] < 10, "wrong on all negations, and almost never without a negation"
    assert "labels" not in result["tables"], "a single score raises no doubt about labels"


def test_errors_can_be_grouped_by_the_cosine_of_vectors(scored, capsys):
    with scored.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    near = scored.with_name("near.csv")
    with near.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "source", "hypothesis", "label", "one", "sbert"])
        for number, (id, _, _, _, *_) in enumerate(rows[1:]):
            wrong = number % 2
            writer.writerow([id, "Anna sold cars.", "Anna sold cars.", wrong, 0.1, wrong / 2 + number / 900])
    options = ["--score", "one", "--score", "sbert", "--threshold", "one=0.5", "--json"]
    assert main(["errors", str(near), *options]) == 0
    tables = json.loads(capsys.readouterr().out)["analyses"][0]["tables"]
    assert "SBERT cosine between 0." in str(tables.pop("groups-one-false-negatives")["rows"])
    assert "SBERT cosine between" not in str(tables)


def test_groups_and_kinds_of_change_are_drawn(scored, tmp_path, capsys):
    groups, kinds, picture = tmp_path / "groups.svg", tmp_path / "kinds.svg", tmp_path / "kinds.png"
    options = ["errors", str(scored), "--score", "one", "--threshold", "one=0.5"]
    assert main([*options, "--figure", str(groups), "--heat-map", str(kinds)]) == 0
    words = list(ElementTree.parse(groups).getroot().itertext())
    assert "change negation" in words and any(word.startswith("False positives of one (") for word in words)
    assert any("Nothing sets these pairs apart" in word for word in words)
    words = list(ElementTree.parse(kinds).getroot().itertext())
    assert {"one", "all pairs (90)", "negation (30)", "100 %"} <= set(words)
    assert main([*options, "--heat-map", str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--figure", "groups.jpg"], 'groups.jpg: a figure cannot be written as ".jpg"'),
        (["--heat-map", "kinds"], "kinds: a figure cannot be written as"),
        (["--figure", "groups.svg", "--score", "one", "--labels"], "There is nothing to draw in groups.svg"),
    ],
)
def test_unavailable_figures_are_refused(options, sentence, scored, capsys):
    assert main(["errors", str(scored), *options]) != 0
    assert sentence in capsys.readouterr().err


def test_any_set_is_compared_with_the_rest_without_labels(scored, capsys):
    assert main(["errors", str(scored), "--set", 'hypothesis contains "never"', "--most", "3", "--score", "one"]) == 0
    text = capsys.readouterr().out
    assert "Groups among 30 pairs: Selected pairs" in text and "change negation" in text
    starts = "change ", "word ", "Length ", "Edit distance "
    assert len([line for line in text.splitlines() if line.startswith(starts)]) == 3


def test_labels_contradicted_by_two_scores_are_listed(scored, capsys):
    options = ["errors", str(scored), "--score", "one", "--score", "two", "--threshold", "one=0.5", "--labels"]
    assert main(options) == 0
    text = capsys.readouterr().out
    assert "groups" not in text
    assert {line.split()[0] for line in text.splitlines() if line.startswith("p")} >= {"p20", "p43"}


def test_without_labels_or_scores_the_command_says_what_to_do(tmp_path, capsys):
    path = tmp_path / "plain.csv"
    path.write_text("source,hypothesis,label\na b,a c,1\nd e,d f,0\n", encoding="utf-8")
    assert main(["errors", str(path)]) != 0
    assert "parapluie score" in capsys.readouterr().err
    path.write_text("source,hypothesis\na b,a c\n", encoding="utf-8")
    assert main(["errors", str(path)]) != 0
    assert "--label" in capsys.readouterr().err
