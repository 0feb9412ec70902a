"""Reproducible dropout, and word pieces hidden from both sentences."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from masked_models import save_masked

from parapluie_gui.features.training.examples import TrainingMixture, read_training_corpus
from parapluie_gui.features.training.loosening import StepGenerator, hide_shared
from parapluie_gui.features.training.trainer import Trainer, TrainingSchedule
from parapluie_gui.pluie.cloze import CLOZE, FIRST, SECOND, ClozeRow
from parapluie_gui.pluie.templates import find_templates, load_templates

TEMPLATE = find_templates(["CLOZE"], load_templates(None)[0])[0]
PAIR = (["The cat sat on the mat."], ["The cat sat."])


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    rows = [f"The cat sat on the mat.\t{'The cat sat.' if row % 2 else 'Number two.'}\t{row % 2}" for row in range(16)]
    path = tmp_path / "cats.tsv"
    path.write_text("source\thypothesis\tlabel\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def trainer(corpus: Path, work: Path, schedule: TrainingSchedule, family: str = "bert") -> Trainer:
    base = save_masked(work / "base", family)
    return Trainer(
        base, TEMPLATE, TrainingMixture((read_training_corpus(str(corpus)),), 0.0, 0.0, 0), schedule, work / "work"
    )


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_dropout_changes_a_training_step_and_no_score(corpus: Path, tmp_path: Path, family: str) -> None:
    loose = trainer(corpus, tmp_path / "loose", TrainingSchedule(1, batch=8, dropout=0.3), family)
    plain = trainer(corpus, tmp_path / "plain", TrainingSchedule(1, batch=8), family)
    assert loose.score(*PAIR) == pytest.approx(plain.score(*PAIR))
    rows = loose.encoder.encode(*PAIR)
    with torch.no_grad():
        alone = loose._logits(rows)
        drawn = []
        for seed in (1, 1, 2):
            with loose._generator.drawn_from(seed):
                drawn.append(loose._logits(rows))
    assert torch.equal(drawn[0], drawn[1])
    assert not torch.equal(drawn[0], drawn[2])
    assert not torch.allclose(drawn[0], alone)


def test_dropout_keeps_the_mean() -> None:
    from types import SimpleNamespace

    from parapluie_gui.features.training.loosening import replace_dropout

    layer = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout(0.5))
    chance = StepGenerator()
    replace_dropout(SimpleNamespace(base_model=SimpleNamespace(encoder=SimpleNamespace(layer=[layer]))), 0.25, chance)
    ones = torch.ones(200, 200)
    with chance.drawn_from(0):
        result = layer[1](ones)
    assert float((result == 0).float().mean()) == pytest.approx(0.25, abs=0.01)
    assert float(result.mean()) == pytest.approx(1.0, abs=0.02)
    assert torch.equal(layer[1](ones), ones)


def test_frozen_layers_have_no_dropout(corpus: Path, tmp_path: Path) -> None:
    loose = trainer(corpus, tmp_path, TrainingSchedule(1, batch=8, dropout=0.3))
    ours = [any(type(module).__module__.endswith("loosening") for module in layer.modules()) for layer in layers(loose)]
    learnt = [any(parameter.requires_grad for parameter in layer.parameters()) for layer in layers(loose)]
    assert ours == learnt
    assert any(ours)


def test_all_layers_are_trained_on_request(corpus: Path, tmp_path: Path) -> None:
    whole = trainer(corpus, tmp_path / "whole", TrainingSchedule(1, batch=8, first_layers=True))
    assert all(parameter.requires_grad for layer in layers(whole) for parameter in layer.parameters())
    assert not whole.model.get_input_embeddings().weight.requires_grad


def layers(trained: Trainer) -> list[torch.nn.Module]:
    return list(trained.model.base_model.encoder.layer)


def test_words_common_to_both_sentences_are_hidden_in_both() -> None:
    types = [FIRST] * 5 + [SECOND] * 4 + [CLOZE] * 3
    row = ClozeRow([1, 10, 11, 12, 2, 1, 10, 13, 2, 10, 99, 7], types, gap=10)
    (hidden,) = hide_shared([row], 1.0, 99, {1, 2, 99}, np.random.default_rng(0))
    assert hidden.ids == [1, 99, 11, 12, 2, 1, 99, 13, 2, 10, 99, 7]
    assert (hidden.types, hidden.gap) == (row.types, row.gap)
    (same,) = hide_shared([row], 0.0, 99, {1, 2, 99}, np.random.default_rng(0))
    assert same == row


def test_about_the_requested_share_is_hidden() -> None:
    ids = list(range(100, 1100))
    row = ClozeRow([*ids, *ids, 99], [FIRST] * 1000 + [SECOND] * 1000 + [CLOZE], gap=2000)
    (hidden,) = hide_shared([row], 0.2, 99, {99}, np.random.default_rng(0))
    assert 150 < hidden.ids[:1000].count(99) < 250
    assert hidden.ids[:1000] == hidden.ids[1000:2000]


def test_a_stopped_run_with_dropout_resumes_with_the_same_numbers(corpus: Path, tmp_path: Path) -> None:
    how = TrainingSchedule(4, rate=5e-3, batch=4, dropout=0.2, mask=0.3, decay=0.1, mean=0.9)
    whole = trainer(corpus, tmp_path / "whole", how)
    losses = list(whole.train(every=5))
    stopped = trainer(corpus, tmp_path / "stopped", how)
    steps = stopped.train(every=5)
    first = [next(steps) for _ in range(7)]
    steps.close()
    again = trainer(corpus, tmp_path / "stopped", how)
    assert again.resume()
    assert first[:5] + list(again.train(every=5)) == losses
    for each in (whole, again):
        each.use_mean_weights()
    for one, other in zip(whole.model.parameters(), again.model.parameters(), strict=True):
        assert torch.equal(one, other)


def test_weights_are_averaged_at_the_end(corpus: Path, tmp_path: Path) -> None:
    trained = trainer(corpus, tmp_path, TrainingSchedule(2, rate=5e-3, batch=8, mean=0.5))
    first = [parameter.detach().clone() for parameter in trained._parameters]
    expected, weights = first, []
    for step, _ in enumerate(trained.train()):
        weights = [parameter.detach().clone() for parameter in trained._parameters]
        kept = min(0.5, (1 + step) / (10 + step))
        expected = [kept * mean + (1 - kept) * each for mean, each in zip(expected, weights, strict=True)]
    trained.use_mean_weights()
    for mean, other, last in zip(trained._parameters, expected, weights, strict=True):
        torch.testing.assert_close(mean.detach(), other)
        assert mean.numel() < 10 or not torch.equal(mean.detach(), last)
