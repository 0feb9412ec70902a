"""Tests of training, on a random BERT of a few kilobytes, and of its command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from masked_models import save_masked

from parapluie_gui.commands.main import main
from parapluie_gui.errors import ModelError
from parapluie_gui.features.training import command as train_judge
from parapluie_gui.features.training.examples import (
    TrainingMixture,
    TrainingPair,
    is_same_sentence,
    read_training_corpus,
)
from parapluie_gui.features.training.trainer import Trainer, TrainingSchedule
from parapluie_gui.models.catalogue import find_model
from parapluie_gui.models.quantised import read_int8_arrays, save_int8
from parapluie_gui.models.symmetric import is_symmetric
from parapluie_gui.pluie.masked import MaskedJudge
from parapluie_gui.pluie.masked_scorer import MaskedScorer
from parapluie_gui.pluie.templates import find_templates, load_templates

CLOZE = find_templates(["CLOZE"], load_templates(None)[0])[0]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_masked(tmp_path_factory.mktemp("base") / "tiny")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Clearly separable pairs: hypotheses of paraphrases are about cats, the rest about numbers."""
    rows = [
        f"The cat sat on the mat.\t{'The cat sat.' if row % 2 else 'Number one, two.'}\t{row % 2}" for row in range(64)
    ]
    path = tmp_path_factory.mktemp("corpus") / "cats.tsv"
    path.write_text("source\thypothesis\tlabel\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def _trainer(base: Path, corpus: Path, work: Path, epochs: float = 6.0, rules: float = 0.0) -> Trainer:
    mixture = TrainingMixture((read_training_corpus(str(corpus)),), easy=0.0, rules=rules, seed=0)
    return Trainer(base, CLOZE, mixture, TrainingSchedule(epochs, rate=5e-3, batch=8), work)


def test_training_reduces_the_loss(base: Path, corpus: Path, tmp_path: Path) -> None:
    trainer = _trainer(base, corpus, tmp_path / "work", epochs=12.0)
    losses = list(trainer.train())
    assert len(losses) == trainer.steps == 96
    assert np.mean(losses[-5:]) < 0.2 < np.mean(losses[:5])
    scores = trainer.score(["The cat sat on the mat."] * 2, ["The cat sat.", "Number one, two."])
    assert scores[0] > 1 > -1 > scores[1]


def test_answers_of_the_base_replace_labels_except_for_families_and_identities(base: Path, tmp_path: Path) -> None:
    """With an anchor of 1, loss and gradients follow the base's answers, whatever the label."""
    trainer = Trainer(
        base, CLOZE, TrainingMixture((), 0.0, 0.0, 0), TrainingSchedule(anchor=1.0, rate=5e-3), tmp_path / "work"
    )
    trainer._parameters[0].data.add_(0.1)  # the model differs from the base now
    texts = "The cat sat on the mat.", "Number one, two."

    def loss(answer: float, family: str = "") -> float:
        return trainer._gradients([TrainingPair(*texts, answer, 1.0, family)], 1, 0)[1]

    assert loss(0.0) == loss(1.0)
    assert loss(0.0, "m0") != loss(1.0, "m0")
    assert is_same_sentence("The cat sat.", "THE CAT SAT") and not is_same_sentence(*texts)
    alike = [
        trainer._gradients([TrainingPair(texts[0], texts[0].lower(), answer, 1.0)], 1, 0)[1] for answer in (0.0, 1.0)
    ]
    assert alike[0] != alike[1], "the base need not be run"
    plain = Trainer(base, CLOZE, TrainingMixture((), 0.0, 0.0, 0), TrainingSchedule(rate=5e-3), tmp_path / "plain")
    [score] = plain.score([texts[0]], [texts[1]])
    plain._parameters[0].data.add_(0.1)
    known = 1 / (1 + np.exp(-score))
    assert loss(0.0) == pytest.approx(plain._gradients([TrainingPair(*texts, known, 1.0)], 1, 0)[1], rel=1e-5)


def test_a_teacher_replaces_the_base_and_must_have_the_same_tokenizer(base: Path, tmp_path: Path) -> None:
    nothing = TrainingMixture((), 0.0, 0.0, 0)
    other = Trainer(base, CLOZE, nothing, TrainingSchedule(rate=5e-3), tmp_path / "other")
    other._parameters[0].data.add_(0.1)
    save_int8(other.model, other.tokenizer, tmp_path / "teacher")
    teacher = Trainer(tmp_path / "teacher", CLOZE, nothing, TrainingSchedule(rate=5e-3), tmp_path / "teaching")
    texts = "The cat sat on the mat.", "Number one, two."
    [score] = teacher.score([texts[0]], [texts[1]])

    def loss(answer: float, anchor: float) -> float:
        schedule = TrainingSchedule(anchor=anchor, rate=5e-3)
        trainer = Trainer(base, CLOZE, nothing, schedule, tmp_path / "work", teacher=tmp_path / "teacher")
        return trainer._gradients([TrainingPair(*texts, answer, 1.0)], 1, 0)[1]

    assert loss(0.0, 1.0) == loss(1.0, 1.0) == pytest.approx(loss(1 / (1 + np.exp(-score)), 0.0), rel=1e-5)
    with pytest.raises(ModelError, match="does not tokenise sentences as the base does"):
        Trainer(base, CLOZE, nothing, TrainingSchedule(anchor=1.0), tmp_path / "work", teacher=base)


def test_a_stopped_run_resumes_with_the_same_numbers(base: Path, corpus: Path, tmp_path: Path) -> None:
    whole = _trainer(base, corpus, tmp_path / "whole", epochs=2, rules=0.5)
    losses = list(whole.train(every=5))
    stopped = _trainer(base, corpus, tmp_path / "stopped", epochs=2, rules=0.5)
    steps = stopped.train(every=5)
    first = [next(steps) for _ in range(13)]  # in the second epoch; the last checkpoint is at step 10
    steps.close()
    again = _trainer(base, corpus, tmp_path / "stopped", epochs=2, rules=0.5)
    assert again.resume()
    assert again.step == 10
    assert first[:10] + list(again.train(every=5)) == losses
    for one, other in zip(whole.model.parameters(), again.model.parameters(), strict=True):
        assert torch.equal(one, other)


def test_a_run_with_different_settings_is_not_resumed(base: Path, corpus: Path, tmp_path: Path) -> None:
    list(_trainer(base, corpus, tmp_path, epochs=0.5).train())
    with pytest.raises(ModelError, match="different settings"):
        _trainer(base, corpus, tmp_path, epochs=1).resume()
    assert not _trainer(base, corpus, tmp_path / "elsewhere").resume()


def test_long_and_short_runs_are_the_same_until_the_rate_falls(base: Path, corpus: Path, tmp_path: Path) -> None:
    short = list(_trainer(base, corpus, tmp_path / "short", epochs=4).train())
    stopped = _trainer(base, corpus, tmp_path / "stopped", epochs=4.125).train(every=20)
    first = [next(stopped) for _ in range(22)]
    stopped.close()
    again = _trainer(base, corpus, tmp_path / "stopped", epochs=4)
    assert again.resume()
    assert first[:20] + list(again.train()) == short
    # In the falling part the number of steps affects the weights.
    with pytest.raises(ModelError, match="different settings"):
        _trainer(base, corpus, tmp_path / "stopped", epochs=4.125).resume()


def test_words_keep_their_positions(base: Path, corpus: Path, tmp_path: Path) -> None:
    trainer = _trainer(base, corpus, tmp_path, epochs=1)
    before = trainer.model.get_input_embeddings().weight.clone()
    list(trainer.train())
    assert torch.equal(before, trainer.model.get_input_embeddings().weight)


def test_an_encoder_without_a_head_gets_a_head_that_predicts_the_hidden_word(
    tmp_path: Path, base: Path, corpus: Path
) -> None:
    from safetensors.torch import load_file, save_file

    folder = tmp_path / "headless"
    folder.mkdir()
    for file in base.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    weights = {name: tensor for name, tensor in load_file(base / "model.safetensors").items() if "cls." not in name}
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    trainer = _trainer(folder, corpus, tmp_path / "work")
    dense = trainer.model.get_submodule("cls.predictions.transform.dense").weight.detach()
    assert float((dense - torch.eye(len(dense))).abs().max()) < 0.2


def test_a_model_that_cannot_fill_gaps_is_refused(tmp_path: Path, corpus: Path) -> None:
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=32, hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2
    )
    LlamaForCausalLM(config).save_pretrained(tmp_path / "llama")
    with pytest.raises(ModelError, match="masked language model"):
        _trainer(tmp_path / "llama", corpus, tmp_path / "work")


def test_the_command_writes_a_judge_with_a_card(base: Path, corpus: Path, tmp_path: Path, capfd) -> None:
    judge = tmp_path / "judge"
    command = ["train-judge", str(base), str(corpus), "-o", str(judge), "--held-out", str(corpus), "--epochs", "6"]
    assert main([*command, "--rate", "5e-3", "--batch", "8", "--rules", "0.1", "--easy", "0"]) == 0
    stderr = capfd.readouterr().err
    assert "after epoch 6: cats: 64 pairs, accuracy at 0 1.000" in stderr
    assert not (judge / "checkpoint").exists()
    card = (judge / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert "| cats | 64 | 1.000 | 1.000 |  |" in card
    assert "not known to the program" in card
    assert "certificate: " in stderr and " failures in " in stderr
    assert "\n| sentence with itself | " in card and "\n| negation | " in card and "Wilson" in card
    manifest = json.loads((judge / "parapluie-model.json").read_text(encoding="utf-8"))
    assert manifest["base"] == "tiny"
    files = find_model(str(judge))
    scorer = MaskedScorer(MaskedJudge.load(files, "cpu", "float32"), CLOZE)
    (batch,) = scorer.score(["The cat sat on the mat."], ["The cat sat."])
    assert batch[0].score > 1


def test_two_judges_can_be_averaged(base: Path, corpus: Path, tmp_path: Path, capfd) -> None:
    common = [str(base), str(corpus), "--epochs", "0.2", "--rules", "0", "--easy", "0"]
    assert main(["train-judge", *common, "-o", str(tmp_path / "first")]) == 0
    assert main(["train-judge", *common, "-o", str(tmp_path / "both"), "--average", str(tmp_path / "first")]) == 0
    assert "the mean of the trained weights and those of first" in (tmp_path / "both" / "MODEL_CARD.md").read_text(
        "utf-8"
    )
    assert main(["train-judge", *common, "-o", str(tmp_path / "no"), "--average", str(base)]) == 2
    assert "is not a judge trained by `parapluie train-judge`" in capfd.readouterr().err
    assert main(["train-judge", *common, "-o", str(tmp_path / "no"), "--teacher", str(tmp_path / "first")]) == 2
    assert "--teacher has no effect without --anchor." in capfd.readouterr().err


def test_a_run_stopped_during_evaluation_is_evaluated_again(
    base: Path, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = tmp_path / "judge"
    command = ["train-judge", str(base), str(corpus), "-o", str(judge), "--epochs", "1", "--rules", "0", "--easy", "0"]

    def stop(*given: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(train_judge, "_certificate", stop)
        assert main(command) not in (0, 2)
    assert not (judge / "MODEL_CARD.md").exists()
    weights = read_int8_arrays(judge)
    assert main([*command, "--resume"]) == 0
    assert (judge / "MODEL_CARD.md").is_file()
    again = read_int8_arrays(judge)
    assert weights.keys() == again.keys()
    assert all(np.array_equal(again[name], each) for name, each in weights.items())
    assert not (judge / "checkpoint").exists()


def test_an_unfinished_run_is_not_overwritten(base: Path, corpus: Path, tmp_path: Path, capfd) -> None:
    (tmp_path / "judge" / "checkpoint").mkdir(parents=True)
    (tmp_path / "judge" / "checkpoint" / "training.json").write_text("{}", encoding="utf-8")
    assert main(["train-judge", str(base), str(corpus), "-o", str(tmp_path / "judge")]) == 2
    assert "Add --resume to continue it" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--epochs", "0"),
        ("--easy", "-1"),
        ("--batch", "0"),
        ("--rate", "1"),
        ("--graded", "4 3"),
        ("--template", "DIRECT"),
        ("--template", "CLOZE,reverse"),
    ],
)
def test_contradictory_options_are_refused(
    base: Path, corpus: Path, tmp_path: Path, option: str, value: str, capfd
) -> None:
    command = ["train-judge", str(base), str(corpus), "-o", str(tmp_path / "judge"), option, *value.split()]
    try:
        status: object = main(command)
    except SystemExit as end:
        status = end.code
    assert status == 2
    assert capfd.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(("family", "symmetric"), [("bert", True), ("roberta", False)])
def test_all_tensors_are_created_on_the_device(
    corpus: Path, tmp_path: Path, family: str, symmetric: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On `meta` nothing is computed, but a tensor left on the CPU is refused as on a GPU."""
    base = save_masked(tmp_path / family, family)
    mixture = TrainingMixture((read_training_corpus(str(corpus)),), easy=0.0, rules=0.0, seed=0)
    trainer = Trainer(
        base, CLOZE, mixture, TrainingSchedule(1, batch=8), tmp_path / "work", device=torch.device("meta")
    )
    assert is_symmetric(trainer.model) == symmetric
    rows = trainer.encoder.encode(["The cat sat."] * 3, ["The cat."] * 3)
    monkeypatch.setattr(torch.Tensor, "__bool__", lambda tensor: True)  # transformers checks whether anything is masked
    assert trainer._logits(rows).device.type == "meta"
    with pytest.raises(RuntimeError, match=r"item\(\) cannot be called on meta tensors"):  # of the loss, at the end
        trainer._gradients([TrainingPair("The cat sat.", "The cat.", 1.0, 1.0)], 1, 0)
