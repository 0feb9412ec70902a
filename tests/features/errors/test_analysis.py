"""The analysis of errors on MRPC, with true labels and with shuffled labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from parapluie_gui.analysis.base import Run
from parapluie_gui.api.material import build_material
from parapluie_gui.features.errors.analysis import (
    ERRORS,
    ErrorAnalysis,
    ErrorsOptions,
    ErrorsResult,
    _error_set,
    groups_table,
)
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs import read
from parapluie_gui.scores.table import ScoreTable


@pytest.fixture(scope="module")
def mrpc(shared_data):
    """Return the BLEU scores of the MRPC test set, and the traits of its pairs."""
    path = shared_data / "mrpc" / "msr_paraphrase_test.txt"
    if not path.is_file():
        pytest.skip(f"{path} is not here")
    corpus, bleu = read(path), catalogue.metric("bleu")
    table = ScoreTable(len(corpus))
    table.put(np.arange(len(corpus)), {"bleu": bleu.score(corpus.source, corpus.hypothesis)})
    material = build_material(corpus, table)
    return material, material.studies.traits(material, lambda done, total: None)


def test_with_shuffled_labels_errors_have_nothing_in_common(mrpc):
    """A comparison with correct answers of the same label would always show traits that correlate with the score."""
    material, traits = mrpc
    random, everywhere = np.random.default_rng(7), np.ones(len(material.corpus), dtype=bool)
    middle = float(np.median(material.score_column("bleu").values))
    named = 0
    for _ in range(5):
        shuffled = replace(material, labels=random.permutation(material.labels))
        named += sum(bool(_error_set(shuffled, everywhere, "bleu", kind, middle, traits).groups) for kind in ERRORS)
    assert named <= 1, "at most 1 in 10; the p-values are corrected to 5 %"


def test_every_group_has_the_error_rates_with_and_without_its_trait(mrpc):
    material, traits = mrpc
    everywhere = np.ones(len(material.corpus), dtype=bool)
    result = _error_set(material, everywhere, "bleu", "fp", 0.1712, traits)
    table = groups_table(result)
    assert table.header[-2:] == ("% wrong with it", "% wrong without") and len(table) > 1
    wrong = (material.score_column("bleu").values >= 0.1712) != (material.labels == 1)
    for group, row in zip(result.groups, table.rows, strict=True):
        having = group.key.trait.mask(len(wrong))
        assert row[-2:] == pytest.approx((100 * wrong[having].mean(), 100 * wrong[~having].mean()))


def test_columns_are_explained_once(mrpc):
    material, traits = mrpc
    everywhere = np.ones(len(material.corpus), dtype=bool)
    sets = tuple(_error_set(material, everywhere, "bleu", kind, 0.1712, traits) for kind in ERRORS)
    assert all(each.groups for each in sets)
    (part, *_) = material.parts
    suspects = (
        ErrorAnalysis().compute(material, ErrorsOptions(labels=True, part=part), lambda done, total: None).suspects
    )
    blocks = ErrorAnalysis().blocks(Run(material, ErrorsOptions(), ErrorsResult(sets, suspects, None)))
    notes = [block.note for block in blocks if block.name.startswith("groups-")]
    assert len(notes) == 2 and ["Log ratio" in note for note in notes] == [True, False]
    assert all(" pairs are in no group." in note for note in notes)
