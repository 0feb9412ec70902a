"""What an analysis is about, as a recipe and as a report, without a window."""

from __future__ import annotations

import csv
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from parapluie_gui.analysis.material import Facts, Material
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.judgements.columns import People
from parapluie_gui.judgements.record import Judgement
from parapluie_gui.judgements.scheme import load_schemes
from parapluie_gui.pairs import Corpus, read
from parapluie_gui.report.html import report_html
from parapluie_gui.report.recipe import recipe_of, report_of
from parapluie_gui.report.script import Judge
from parapluie_gui.scores.signature import Signature

BARS = "C:/models|template:FS-DIRECT@x"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    random = np.random.default_rng(0)
    with (tmp_path / "pairs.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("source", "hypothesis", "label", "human", "a|b:c"))
        for row in range(40):
            words = random.choice(["cat", "dog", "sun", "rain"], 6)
            writer.writerow((" ".join(words[:3]), " ".join(words[3:]), row % 2, row % 5, row / 8))
    return tmp_path / "pairs.csv"


def inputs(corpus: Corpus) -> Material:
    facts = Facts.of(corpus)
    names = ("edit_distance", "pluie.direct", "pluie.fs-direct", "sbert", "a|b:c")
    values = np.random.default_rng(1).normal(size=(len(names), len(corpus)))
    return Material(
        facts=facts,
        score_columns=tuple(score_column(name, column) for name, column in zip(names, values, strict=True)),
        versions={},
        labels=corpus.label,
        parts=facts.parts,
        where=None,
        scope=0,
        draws=0,
        y="pluie.direct",
        given={"pluie.direct": 0.5},
        distance=None,
        signatures={
            "edit_distance": Signature.of("edit_distance", {"name": "edit_distance"}),
            "pluie.direct": Signature.of(
                "pluie.direct", {"name": "pluie", "model": BARS, "template": "DIRECT@1", "precision": "float32"}
            ),
            "pluie.fs-direct": Signature.of(
                "pluie.fs-direct",
                {"name": "pluie", "template": "FS-DIRECT@2", "precision": "float32", "mode": "exact"},
            ),
            "sbert": Signature.of("sbert", {"name": "sbert", "model": BARS}),
        },
    )


def recipe(about: Material, files: tuple[Path, ...], only: np.ndarray | None = None):
    return recipe_of(about, (Path("work.pluie"), 3), "smollm2-135m", files, (45, 100, 0), "a set", only)


def test_each_score_is_recomputed_as_its_signature_says(path, monkeypatch):
    monkeypatch.setattr("parapluie_gui.report.recipe._computable", lambda name: name == "edit_distance")
    found = recipe(inputs(read(path)), (path,), np.arange(40) < 3)
    assert found.files == (path,) and found.session == (Path("work.pluie"), 3)
    assert (found.metrics, found.stored, found.columns) == (("edit_distance",), ("sbert",), ("a|b:c",))
    # A bar in the model's path does not make another template of it. Without a judge it is the one that is chosen.
    assert found.judges == (
        Judge(BARS, "float32", False, ("DIRECT",)),
        Judge("smollm2-135m", "float32", True, ("FS-DIRECT",)),
    )
    assert found.given == {"pluie.direct": 0.5} and found.rows == [0, 1, 2] and found.human
    assert found.balanced is None, "one corpus cannot be mixed"


def test_files_that_changed_are_not_read(path):
    about = inputs(read(path))
    assert recipe(about, (path,)).files == (path,)
    path.write_text(path.read_text(encoding="utf-8").replace("cat", "cow"), encoding="utf-8")
    assert recipe(about, (path,)).files == ()
    path.unlink()
    assert recipe(about, (path,)).files == ()
    assert recipe(about, ()).files == ()


def test_distances_are_named_unless_their_name_says_so(path):
    about = inputs(read(path))
    turned = tuple(replace(each, higher_is_closer=False) for each in about.score_columns)
    found = recipe(replace(about, score_columns=turned), ())
    assert "a|b:c" in found.distances and "edit_distance" not in found.distances


def test_a_report_has_every_table_and_every_signature(path):
    steps = []
    about = inputs(read(path))
    found = report_of(about, lambda done, total: steps.append(total), made="today", note="only a set")
    assert steps and found.material is about
    runs = [(analysis.name, run.options) for analysis, run in found.done]
    assert [options.by for name, options in runs if name == "buckets"] == ["edit_distance", "length"]
    assert "human" in dict(runs) and "balanced" not in dict(runs), "one corpus is not mixed"
    text = report_html(found)
    assert "today · only a set" in text and f"model:{BARS}" in text and "Correlation with the human scores" in text


def test_what_people_said_is_in_the_report_and_in_the_recipe(path):
    corpus = read(path)
    when = datetime(2026, 5, 1, tzinfo=UTC)
    answers = ("very_different", "same_meaning")
    records = [
        Judgement(row, name, "parapluie", "verdict", answers[row % step == 0], when)
        for name, step in (("Anna", 2), ("Ben", 3))
        for row in range(40)
    ]
    said = People.of(corpus, records, load_schemes()[0])
    about = replace(inputs(corpus), people=said)
    about = replace(about, score_columns=(*about.score_columns, score_column("verdict.mean", np.ones(40))))
    found = recipe(about, (path,))
    assert found.judged and found.files == () and "verdict.mean" in found.columns
    text = report_html(report_of(about, lambda done, total: None, made="", note=""))
    assert "Agreement of the annotators on “verdict”" in text and "Anna" in text
    assert not recipe(inputs(corpus), (path,)).judged
