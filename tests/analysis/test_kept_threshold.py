"""Named thresholds: their file, the scores that they belong to, and their use by the command."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from parapluie_gui import places
from parapluie_gui.analysis.evaluations.transfer import random_halves
from parapluie_gui.analysis.kept_threshold import (
    KeptThreshold,
    fitting_thresholds,
    forget_threshold,
    keep_thresholds,
    read_kept_thresholds,
)
from parapluie_gui.analysis.threshold import best_threshold
from parapluie_gui.commands.main import main
from parapluie_gui.scores.signature import Signature


def test_a_file_has_one_threshold_per_name_and_score(tmp_path):
    path = tmp_path / "thresholds.json"
    one, two = KeptThreshold("best", "bleu", 0.25, "on one"), KeptThreshold("best", "chrf", 0.5, "on one")
    keep_thresholds(path, [one, two])
    keep_thresholds(path, [KeptThreshold("best", "bleu", 0.75, "on two")])
    assert [(threshold.score, threshold.threshold) for threshold in read_kept_thresholds(path)] == [
        ("chrf", 0.5),
        ("bleu", 0.75),
    ]
    forget_threshold(path, two)
    assert [threshold.score for threshold in read_kept_thresholds(path)] == ["bleu"]
    path.write_text('[{"name": "x"}, 3, {"name": "y", "score": "b", "threshold": "z", "origin": "", "signature": ""}]')
    assert read_kept_thresholds(path) == () and read_kept_thresholds(tmp_path / "none") == ()


def test_a_different_judges_threshold_is_not_offered():
    signature = Signature.from_fields("bleu", {"name": "bleu", "version": "2"})
    mine = KeptThreshold("a", "bleu", 0.25, "", str(signature))
    other = KeptThreshold("b", "bleu", 0.25, "", "name:bleu|version:1")
    unknown = KeptThreshold("c", "bleu", 0.25, "")
    assert fitting_thresholds([mine, other, unknown], ["bleu"], {"bleu": signature}) == (mine, unknown)
    assert fitting_thresholds([mine], ["chrf"], {}) == ()


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = {}
    for seed, name in enumerate(("one", "two")):
        random = np.random.default_rng(seed)
        labels, scores = random.integers(0, 2, 40), random.random(40).round(2)
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("source", "hypothesis", "label", "bleu"))
            writer.writerows(("a", f"b {row}", labels[row], scores[row]) for row in range(40))
        result[name] = (scores, labels.astype(np.int8))
    return result


def test_a_threshold_learnt_on_one_file_is_applied_to_another(files, capsys):
    assert main(["analyse", "one.csv", "--only", "thresholds", "--keep-threshold", "first"]) == 0
    value, _ = best_threshold(*files["one"])
    assert "kept as first: bleu" in capsys.readouterr().err
    assert read_kept_thresholds(places.thresholds())[0].origin == "best accuracy on one, 40 labelled pairs"
    assert main(["analyse", "two.csv", "--only", "thresholds", "--threshold", "bleu=first"]) == 0
    out = capsys.readouterr().out
    scores, labels = files["two"]
    accuracy = f"{np.mean((scores >= value) == (labels == 1)):.3f}"
    rows = [line.split() for line in out.splitlines() if "“first”" in line and line.startswith("BLEU")]
    assert rows[0][2:5] == [f"{value:.3f}", "40", accuracy] and any("chosen" in line for line in out.splitlines())
    assert "“first” of BLEU: best accuracy on one, 40 labelled pairs." in out, "the pairs on which it was chosen"
    assert main(["analyse", "two.csv", "--only", "thresholds", "--forget-threshold", "first"]) == 0
    assert "forgotten: first, bleu from" in capsys.readouterr().err and read_kept_thresholds(places.thresholds()) == ()
    refused = (
        *(["--threshold", "bleu=second"], ["--keep-threshold", "0.5"], ["--forget-threshold", "first"]),
        *(["--keep-from", "half"], ["--keep-threshold", "x", "--keep-from", "one"]),
        *(["--keep-threshold", "x", "--keep-from", "half=x"],),
    )
    for arguments in refused:
        assert main(["analyse", "two.csv", "--only", "thresholds", *arguments]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_a_threshold_can_be_learnt_on_a_half_or_one_of_two_files(files, capsys):
    both = np.concatenate([files[name][0] for name in files]), np.concatenate([files[name][1] for name in files])
    keeping = ["analyse", "one.csv", "two.csv", "--only", "thresholds", "--keep-threshold", "kept", "--keep-from"]
    result = {}
    for part in ("half", "half=7", "two"):
        assert main([*keeping, part]) == 0
        (result[part],) = read_kept_thresholds(places.thresholds())
    assert result["two"].threshold == best_threshold(*files["two"])[0]
    assert result["two"].origin == "best accuracy on two, 40 labelled pairs"
    for part, seed in (("half", 0), ("half=7", 7)):
        half = random_halves(np.ones(80, dtype=bool), seed)["first half"]
        assert result[part].threshold == best_threshold(both[0][half], both[1][half])[0]
        assert result[part].origin == f"best accuracy on a random half (seed {seed}) of one + two, 40 labelled pairs"
