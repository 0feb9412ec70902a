"""Strictness: the choice on one half, compared with brute force, and its report on the other half."""

from __future__ import annotations

import json

import numpy as np
import pytest
from analysing import corpus_of, two_templates

from parapluie_gui.analysis.base import analyse
from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.analysis.evaluations.transfer import random_halves
from parapluie_gui.api.material import build_material
from parapluie_gui.commands.main import main
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.strictness.analysis import StrictnessOptions

STRICTNESS = analysis("strictness")


@pytest.fixture(scope="module")
def corpus():
    return corpus_of(400)


def run_of(corpus, table=None, **options):
    material = build_material(corpus, table or two_templates(corpus))
    return analyse(STRICTNESS, material, StrictnessOptions(**options))


@pytest.mark.parametrize("rate", [0.0, 0.05, 0.3])
def test_the_threshold_is_the_most_lenient_within_the_rate_on_the_first_half(corpus, rate):
    run = run_of(corpus, rate=rate, seed=3)
    one, _ = random_halves(corpus.labels >= 0, 3).values()
    labels = corpus.labels[one]
    for result in run.result:
        sign = 1 if result.score.higher_is_closer else -1
        values, threshold = sign * result.score.values[one], sign * result.threshold
        rates = {each: (values[labels == 0] >= each).mean() for each in np.unique(values)}
        allowed = [each for each, matches in rates.items() if matches <= rate]
        assert threshold == (min(allowed) if allowed else np.inf)
        assert result.chosen_on.counted == one.sum() and result.reported_on.counted == (~one).sum()


def test_the_score_that_finds_the_most_paraphrases_is_first_and_is_reported_on_the_second_half(corpus):
    run = run_of(corpus, rate=0.1)
    assert run.result[0].score.name == "pluie.direct", "the only score that knows the labels"
    _, other = random_halves(corpus.labels >= 0, 0).values()
    best = run.result[0]
    yes = best.score.values[other] >= best.threshold
    assert best.recall.value == yes[corpus.labels[other] == 1].mean()
    assert best.false_positive_rate.value == yes[corpus.labels[other] == 0].mean()
    finding = STRICTNESS.finding(run)
    assert finding.startswith("ParaPLUIE DIRECT from ") and ", for at most 10 % false positives, finds " in finding
    (table,) = STRICTNESS.tables(run)
    assert len(table) == 4 and [figure.name for figure in STRICTNESS.figures(run)] == ["strictness"]


def test_a_score_whose_strictest_pair_is_wrong_finds_nothing(corpus):
    table = two_templates(corpus)
    table.put(np.arange(len(corpus)), {"pluie.direct": np.where(corpus.labels == 1, -1.0, 1.0)})
    result = next(one for one in run_of(corpus, table, rate=0.0).result if one.score.name == "pluie.direct")
    assert result.threshold == np.inf and result.recall.value == 0


def test_pairs_of_one_label_are_refused(corpus):
    alike = corpus.take(np.flatnonzero(corpus.labels == 1))
    with pytest.raises(ParapluieError, match="needs at least two paraphrases and two other pairs"):
        run_of(alike)


def test_the_command_accepts_the_rate(capsys, tmp_path):
    rows = "".join(f"a {n} cat,one {n} cat,{n % 2},{n % 7}\n" for n in range(60))
    (tmp_path / "pairs.csv").write_text(f"source,hypothesis,label,bleu\n{rows}", encoding="utf-8")
    status = main(["analyse", str(tmp_path / "pairs.csv"), "--only", "strictness", "--rate", "0.2", "--json"])
    (record,) = json.loads(capsys.readouterr().out)["analyses"]
    assert status == 0 and record["options"]["rate"] == 0.2 and record["tables"]["strictness"]["rows"]
