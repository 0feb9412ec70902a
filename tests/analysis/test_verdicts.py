"""A column of verdicts (0 and 1) has one threshold and therefore one accuracy in all analyses of a report."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from parapluie_gui.analysis.base import analyse
from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.analysis.material import AnalysisMaterial, CorpusParts
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.pairs.corpus import Corpus

N = 300


@pytest.fixture
def material() -> AnalysisMaterial:
    """Return mostly paraphrases, with verdicts that are right less often than a constant yes."""
    random = np.random.default_rng(0)
    labels = (random.random(N) < 0.7).astype(np.int8)
    verdicts = np.where(random.random(N) < 0.55, labels, 1 - labels).astype(float)
    texts = [f"text {row}" for row in range(N)]
    corpus = Corpus("c", list(map(str, range(N))), texts, texts, label=labels)
    parts = CorpusParts.from_corpus(corpus)
    columns = score_column("gpt", verdicts), score_column("mine", random.normal(size=N))
    return AnalysisMaterial(parts, columns, labels, parts.parts)


def accuracies(material: AnalysisMaterial, name: str, **options: object) -> set[float]:
    """Return every accuracy over all pairs in the tables of an analysis of the verdicts."""
    chosen = analysis(name)
    values = set()
    for table in chosen.tables(analyse(chosen, material, chosen.options(**options))):
        for row in table.rows:
            cells = dict(zip(table.header, row, strict=True))
            if cells.get("score") == "gpt" and cells.get("% kept", 100) == 100:
                values |= {cells[head] for head in ("accuracy",) if head in cells}
            if cells.get("first") == "gpt":
                values.add(cells["accuracy 1"])
    return {round(getattr(value, "value", value), 6) for value in values}


@pytest.mark.parametrize("name", ["thresholds", "coverage", "comparison"])
def test_verdicts_have_a_single_accuracy(material, name):
    right = float(np.mean((material.score_columns[0].values == 1) == (material.labels == 1)))
    majority = max(np.mean(material.labels == 1), np.mean(material.labels == 0))
    assert right < majority, "the verdicts are worse than a constant"
    assert accuracies(material, name) == {round(right, 6)}


def test_verdicts_without_a_best_threshold_are_not_called_worse_than_one(material):
    chosen = analysis("thresholds")
    only = replace(material, score_columns=material.score_columns[:1])
    assert all("best threshold" not in table.note for table in chosen.tables(analyse(chosen, only, chosen.options())))


def test_thresholds_of_verdicts_lose_nothing_on_other_corpora(material):
    chosen = analysis("transfer")
    result = analyse(chosen, material, chosen.options(across="halves")).result
    (verdicts,) = (transfer for transfer in result.scores if transfer.score.name == "gpt")
    assert {threshold for threshold, _ in verdicts.own} == {0.5}
    assert all(verdicts.loss(row, at) == 0 for row in verdicts.rows for at in range(2))


def test_numbers_that_are_not_verdicts_keep_their_best_threshold(material):
    assert material.score_columns[0].holds_verdicts and not material.score_columns[1].holds_verdicts
    assert material.score_columns[1].threshold is None


@pytest.mark.parametrize(("given", "kinds"), [(0.5, ["natural"]), (0.4, ["natural", "chosen"])])
def test_a_chosen_threshold_that_is_the_natural_one_has_no_row_of_its_own(material, given, kinds):
    chosen = analysis("thresholds")
    table = chosen.tables(analyse(chosen, replace(material, given={"gpt": given}), chosen.options()))[0]
    score, kind = table.header.index("score"), table.header.index("threshold")
    assert [row[kind] for row in table.rows if row[score] == "gpt"] == kinds
