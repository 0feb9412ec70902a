"""Threshold transfer: thresholds learnt on one corpus, their accuracy on others, and the changed verdicts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from analysing import corpus_of, table_of

from parapluie_gui.analysis.base import AnalysisRemark, Run, analyse
from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.analysis.figure import HeatMap
from parapluie_gui.analysis.link import OptionsLink, ThresholdLink
from parapluie_gui.analysis.material import AnalysisMaterial, StudyCache
from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.analysis.table import Table
from parapluie_gui.api.material import build_material
from parapluie_gui.pairs.column import TextColumn
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.pool import pool
from parapluie_gui.scores.table import ScoreTable

transfer = analysis("transfer")


def material(corpus: Corpus) -> AnalysisMaterial:
    return build_material(corpus, table_of(corpus))


def tables(run: Run) -> dict[str, Table]:
    return {table.name: table for table in transfer.tables(run)}


def accuracy(values: np.ndarray, labels: np.ndarray, threshold: float, higher: bool) -> float:
    return float(np.mean(((values >= threshold) if higher else (values <= threshold)) == (labels == 1)))


def best(values: np.ndarray, labels: np.ndarray, higher: bool) -> float:
    return max(accuracy(values, labels, threshold, higher) for threshold in values)


def test_every_corpus_tries_the_thresholds_of_the_others():
    about = material(pool([corpus_of(80, 1, "one"), corpus_of(60, 2, "two")]))
    run = analyse(transfer, about, transfer.options())
    result = tables(run)
    accuracies = result["transfer-accuracy"]
    assert accuracies.header == ("score", "threshold", "at", "one", "two"), "the pooled corpora are not a test corpus"
    assert [row[1] for row in accuracies.rows if row[0] == "Edit distance"] == ["one", "two", "all together"]
    assert "natural" in [row[1] for row in accuracies.rows], "ParaPLUIE's own threshold is a row"
    for score in about.score_columns:
        higher, rows = score.higher_is_closer, [row for row in accuracies.rows if row[0] == score.title]
        for place, name in enumerate(("one", "two"), start=3):
            there = about.parts[name]
            values, labels = score.values[there], about.labels[there]
            for row in rows:
                assert row[place] == pytest.approx(accuracy(values, labels, row[2], higher))
            (own,) = [row for row in rows if row[1] == name]
            assert own[place] == pytest.approx(best(values, labels, higher)), "its own threshold is the best"
    (summary,) = [row for row in result["transfer"].rows if row[0] == "BLEU"]
    one, two, _ = [row for row in accuracies.rows if row[0] == "BLEU"]
    assert summary[1:4] == pytest.approx(
        ((one[3] + two[4]) / 2, (one[4] + two[3]) / 2, (one[3] - two[3] + two[4] - one[4]) / 2)
    )
    assert summary[5:] == (None, None), "BLEU has no natural threshold"


def test_clicks_select_the_pairs_whose_verdict_changes():
    about = material(pool([corpus_of(80, 1, "one"), corpus_of(60, 2, "two")]))
    run = analyse(transfer, about, replace(transfer.options(), map="bleu"))
    result = tables(run)
    rows = result["transfer-accuracy"].rows
    at = {row[1]: row[2] for row in rows if row[0] == "BLEU"}
    values = about.score_column("bleu").values
    turned = about.parts["two"] & ((values >= at["one"]) != (values >= at["two"]))
    place = next(place for place, row in enumerate(rows) if row[:2] == ("BLEU", "one"))
    link = result["transfer-accuracy"].link
    assert link is not None and link(place, 1) == ThresholdLink("bleu", at["one"])
    assert np.array_equal(link(place, 4).mask(about), turned) and turned.any()
    (heat,) = transfer.figures(run)
    assert isinstance(heat, HeatMap) and heat.link is not None and heat.scores == ("bleu",)
    assert np.array_equal(heat.link("two", "bleu\none").mask(about), turned)
    assert not heat.link("two", "bleu\ntwo").mask(about).any() and heat.texts["two", "bleu\ntwo"].endswith("best")
    counted = next(row for row in result["transfer-pairs"].rows if row[1:3] == ("one", "two"))
    assert counted[-1] == turned.sum() and counted[5] == pytest.approx(heat.values["two", "bleu\none"])
    assert result["transfer"].link(1, 0) == OptionsLink({"map": "bleu"})


def test_a_threshold_above_all_scores_of_a_corpus_may_be_better_than_its_own_best():
    about = build_material(pool([corpus_of(2, 1, "one"), corpus_of(3, 2, "two")]), ScoreTable(5))
    score = ScoreColumn("bleu", "BLEU", np.array([0.9, 0.1, 0.5, 0.4, 0.3]), True, None)
    about = replace(about, labels=np.array([1, 0, 0, 0, 1], np.int8), score_columns=(score,), studies=StudyCache())
    (heat,) = transfer.figures(analyse(transfer, about, replace(transfer.options(), map="bleu")))
    # The corpus "two" has three scores; each of its own thresholds gives a wrong yes, while 0.9 says no to all and is
    # right twice.
    assert heat.texts["two", "bleu\none"] == "0.667 (+0.333)" and heat.texts["one", "bleu\ntwo"] == "1.000 best"


def test_halves_and_columns_can_divide_the_pairs():
    corpus = corpus_of()
    halves = analyse(transfer, material(corpus), transfer.options()).result.corpora
    one, two = halves.values()
    assert (one ^ two).all() and abs(int(one.sum()) - int(two.sum())) <= 1
    other = analyse(transfer, material(corpus), transfer.options(seed=1)).result.corpora
    assert not np.array_equal(other["first half"], one)
    extra = {"kind": TextColumn(["news", "web", "fiction"] * 40), "many": TextColumn(map(str, range(120)))}
    about = material(replace(corpus, extra=extra))
    assert set(analyse(transfer, about, transfer.options(across="kind")).result.corpora) == {"news", "web", "fiction"}
    many = analyse(transfer, about, transfer.options(across="many"))
    assert len(many.result.corpora) == 12 and not transfer.tables(many), "nothing can be learnt from single pairs"
    (note,) = transfer.blocks(many)
    assert isinstance(note, AnalysisRemark) and "both labels" in note.text
