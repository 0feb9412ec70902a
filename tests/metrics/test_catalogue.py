"""The catalogue of metrics: descriptions, and metrics by name."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from parapluie_gui.commands.metrics import describe_metrics
from parapluie_gui.errors import MetricError
from parapluie_gui.metrics.base import COSTS, FAMILIES
from parapluie_gui.metrics.catalogue import metric, metrics, ready


def test_every_metric_is_available_by_name():
    assert len({info.id for info in metrics()}) == len(metrics())
    for info in metrics():
        assert info.title and info.summary and info.low < info.high
        assert info.family in FAMILIES and info.cost in COSTS
        if ready(info.id):
            instance = metric(info.id)
            assert instance.info == info
            assert instance.signature().column == info.id
            assert dict(instance.signature().fields)["version"]
        else:
            assert info.needs


def test_every_metric_of_the_papers_is_offered():
    wanted = "edit_distance wer bleu sacrebleu chrf rouge1 rouge2 rougeL meteor ibleu sbert bertscore parascore"
    wanted += " wpd ld parascore_free bert_ibleu simcse bartscore classifier nli external"
    assert not set(wanted.split()) - {info.id for info in metrics()}


def test_the_list_names_every_metric_and_what_it_needs():
    text = "\n".join(describe_metrics())
    for info in metrics():
        assert f"\n  {info.id}" in text and info.summary in text and info.range in text
    assert "not ready: An encoder is needed, but there is none on this computer. Run `parapluie models get" in text
    assert "classifier[.ref]:MODEL" in text and "external:COLUMN" in text


@pytest.mark.parametrize("name", ["edit_distance", "bleu"])
def test_no_pairs_give_no_scores(name):
    scores = metric(name).score([], [])
    assert scores.shape == (0,) and scores.dtype == np.float64


def test_an_unknown_name_lists_the_names():
    names = ", ".join(info.id for info in metrics())
    with pytest.raises(MetricError, match=rf'no metric "Bleu2"; the metrics are {names}.*mean "bleu"\?'):
        metric("Bleu2")


def test_the_catalogue_loads_nothing_heavy():
    heavy = "{'nltk', 'Levenshtein', 'pandas', 'torch', 'pyarrow', 'PySide6'}"
    code = f"import sys, parapluie_gui.metrics.catalogue as c; c.metrics(); print({heavy} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "set()"
