"""The list of metrics says of each what it is, and gives it by name."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from parapluie_gui.errors import MetricError
from parapluie_gui.metrics.catalogue import metric, metrics


def test_every_metric_can_be_had_by_name():
    assert [info.id for info in metrics()][:2] == ["edit_distance", "bleu"]
    assert len({info.id for info in metrics()}) == len(metrics())
    for info in metrics():
        made = metric(info.id)
        assert made.info == info
        assert made.signature().column == info.id
        assert dict(made.signature().fields)["version"]
        assert info.title and info.summary and info.low < info.high


@pytest.mark.parametrize("name", ["edit_distance", "bleu"])
def test_no_pairs_give_no_scores(name):
    scores = metric(name).score([], [])
    assert scores.shape == (0,) and scores.dtype == np.float64


def test_an_unknown_name_lists_the_names():
    with pytest.raises(MetricError, match=r'no metric "Bleu2"; the metrics are edit_distance, bleu.*mean "bleu"\?'):
        metric("Bleu2")


def test_the_catalogue_loads_nothing_heavy():
    heavy = "{'nltk', 'Levenshtein', 'pandas', 'torch', 'pyarrow', 'PySide6'}"
    code = f"import sys, parapluie_gui.metrics.catalogue as c; c.metrics(); print({heavy} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "set()"
