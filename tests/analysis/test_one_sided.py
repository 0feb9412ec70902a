"""Judges that give nearly all pairs the same answer: their detection, and where they are named."""

from __future__ import annotations

import numpy as np
import pytest
from analysing import corpus_of

from parapluie_gui.analysis.base import analyse
from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.analysis.one_sided import FEWEST, describe_one_sided, find_one_sided
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.api.material import build_material
from parapluie_gui.report.html import compute_report, report_html
from parapluie_gui.scores.table import ScoreTable

N = 100


def judged(yes: int, total: int = N):
    """Return a judge's scores, the first `yes` of them above 0."""
    return score_column("pluie.direct", np.where(np.arange(total) < yes, 0.5, -3.0))


def labels(positive: int, total: int = N):
    return np.where(np.arange(total) < positive, 1, 0).astype(np.int8)


def test_a_judge_that_says_no_to_nearly_all_pairs_is_named_with_its_counts():
    judge = find_one_sided(judged(1), labels(68))
    assert judge is not None and (judge.yes, judge.alike, judge.scored, judge.labelled) == (False, 99, 100, True)
    assert judge.sentence == (
        "ParaPLUIE DIRECT says No to 99 of 100 pairs: 0 is not a usable threshold for it here. Compare its scores with "
        "each other, or choose a threshold on labelled pairs."
    )


def test_a_judge_that_says_yes_to_nearly_all_pairs_is_named():
    judge = find_one_sided(judged(97), labels(50))
    assert judge is not None and judge.yes and "says Yes to 97 of 100 pairs" in judge.sentence


@pytest.mark.parametrize(
    ("yes", "positive"),
    [
        pytest.param(60, 50, id="both answers"),
        pytest.param(2, 3, id="pairs that are nearly all alike"),
        pytest.param(94, 50, id="not quite nearly all"),
    ],
)
def test_balanced_judges_are_not_named(yes, positive):
    assert find_one_sided(judged(yes), labels(positive)) is None


def test_without_labels_the_sentence_is_conditional():
    judge = find_one_sided(judged(0), np.full(N, -1, dtype=np.int8))
    assert judge is not None and not judge.labelled
    assert "Unless nearly all of them differ in meaning, 0 is not a usable threshold for it." in judge.sentence


def test_judges_that_are_alike_share_a_sentence_and_all_share_the_remedy():
    columns = [judged(1), score_column("pluie.p1", np.full(N, -1.0)), score_column("pluie.p2", np.full(N, 1.0))]
    assert describe_one_sided(columns, labels(50)) == (
        "ParaPLUIE DIRECT says No to 99 of 100 and ParaPLUIE P1 to 100 of 100 pairs: 0 is not a usable threshold for "
        "them here. ParaPLUIE P2 says Yes to 100 of 100 pairs: 0 is not a usable threshold for it here. Compare their "
        "scores with each other, or choose a threshold on labelled pairs."
    )


def test_few_pairs_and_metrics_give_no_warning():
    few = judged(0, FEWEST - 1)
    assert find_one_sided(few, labels(9, FEWEST - 1)) is None
    metric = score_column("sbert", np.full(N, 0.99))
    assert describe_one_sided([metric], labels(50)) == ""
    where = np.arange(N) < FEWEST - 1
    assert find_one_sided(judged(0), labels(50), where) is None


def test_the_thresholds_page_and_the_report_name_one_sided_judges():
    corpus = corpus_of(N)
    table = ScoreTable(N)
    table.put(np.arange(N), {"pluie.direct": np.full(N, -2.0) - np.arange(N) / N})
    material = build_material(corpus, table)
    run = analyse(analysis("thresholds"), material, analysis("thresholds").options())
    sentence = "DIRECT says No to 100 of 100 pairs: 0 is not a usable threshold for it here."
    assert sentence in analysis("thresholds").finding(run)
    assert sentence in analysis("thresholds").tables(run)[0].note
    html = report_html(compute_report(material, lambda done, total: None, date="", note=""))
    assert html.split("<table")[0].count(sentence) == 1
