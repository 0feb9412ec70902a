"""From the scores and pairs of an analysis to its report, without a window."""

from __future__ import annotations

import csv
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from parapluie_gui.analysis.material import AnalysisMaterial, CorpusParts
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.judgements.columns import CorpusJudgements
from parapluie_gui.judgements.record import Judgement
from parapluie_gui.judgements.scheme import load_schemes
from parapluie_gui.pairs import Corpus, read
from parapluie_gui.report.html import compute_report, report_html
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


def inputs(corpus: Corpus) -> AnalysisMaterial:
    corpus_parts = CorpusParts.from_corpus(corpus)
    names = ("edit_distance", "pluie.direct", "pluie.fs-direct", "sbert", "a|b:c")
    values = np.random.default_rng(1).normal(size=(len(names), len(corpus)))
    return AnalysisMaterial(
        corpus_parts=corpus_parts,
        score_columns=tuple(score_column(name, column) for name, column in zip(names, values, strict=True)),
        versions={},
        labels=corpus.label,
        parts=corpus_parts.parts,
        where=None,
        scope=0,
        draws=0,
        y="pluie.direct",
        given={"pluie.direct": 0.5},
        distance=None,
        signatures={
            "edit_distance": Signature.from_fields("edit_distance", {"name": "edit_distance"}),
            "pluie.direct": Signature.from_fields(
                "pluie.direct", {"name": "pluie", "model": BARS, "template": "DIRECT@1", "precision": "float32"}
            ),
            "pluie.fs-direct": Signature.from_fields(
                "pluie.fs-direct",
                {"name": "pluie", "template": "FS-DIRECT@2", "precision": "float32", "mode": "exact"},
            ),
            "sbert": Signature.from_fields("sbert", {"name": "sbert", "model": BARS}),
        },
    )


def test_a_report_has_every_table_and_every_signature(path):
    steps = []
    about = inputs(read(path))
    result = compute_report(about, lambda done, total: steps.append(total), date="today", note="only a set")
    assert steps and result.material is about
    runs = [(analysis.name, run.options) for analysis, run in result.done]
    assert [options.by for name, options in runs if name == "buckets"] == ["edit_distance", "length"]
    text = report_html(result)
    assert "today · only a set" in text and f"model:{BARS}" in text


@pytest.mark.needs("papers")
def test_a_report_has_human_scores_and_no_mixture_of_one_corpus(path):
    result = compute_report(inputs(read(path)), lambda done, total: None, date="today", note="")
    names = {analysis.name for analysis, _ in result.done}
    assert "human" in names and "balanced" not in names
    assert "Correlation with the human scores" in report_html(result)


@pytest.mark.needs("people")
def test_peoples_answers_are_in_the_report(path):
    corpus = read(path)
    when = datetime(2026, 5, 1, tzinfo=UTC)
    answers = ("very_different", "same_meaning")
    records = [
        Judgement(row, name, "parapluie", "verdict", answers[row % step == 0], when)
        for name, step in (("Anna", 2), ("Ben", 3))
        for row in range(40)
    ]
    judgements = CorpusJudgements.from_records(corpus, records, load_schemes()[0])
    about = replace(inputs(corpus), people=judgements)
    about = replace(about, score_columns=(*about.score_columns, score_column("verdict.mean", np.ones(40))))
    text = report_html(compute_report(about, lambda done, total: None, date="", note=""))
    assert "Agreement of the annotators on “verdict”" in text and "Anna" in text
