"""A loaded model does not depend on its files: overwriting or truncating them changes no score and kills no process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from masked_models import save_masked
from tiny import save_model

from parapluie_gui.errors import ModelError
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.base import MetricContext
from parapluie_gui.models.catalogue import find_model
from parapluie_gui.pluie.judge import judge_class
from parapluie_gui.pluie.templates import find_templates, load_templates

SOURCES, HYPOTHESES = ["The cat sleeps.", "It rains."], ["The cat is asleep.", "A dog barks."]


def overwrite(folder: Path) -> None:
    """Overwrite the weights in place, as a copying program does, which a mapped file shows at once.

    Truncating a mapped file would kill this process instead of failing the test.
    """
    weights = folder / "model.safetensors"
    with weights.open("r+b") as file:
        file.write(b"\x7f" * weights.stat().st_size)
    maps = Path("/proc/self/maps")
    assert not maps.exists() or str(weights) not in maps.read_text(), "the file is still mapped"


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
@pytest.mark.parametrize(
    ("kind", "template", "packed"), [("causal", "DIRECT", "1"), ("causal", "DIRECT", "0"), ("masked", "CLOZE", "0")]
)
def test_a_judge_keeps_its_weights(tmp_path, monkeypatch, kind, template, packed, precision):
    monkeypatch.setenv("PARAPLUIE_PACKED", packed)
    folder = (save_model if kind == "causal" else save_masked)(tmp_path / "model")
    files = find_model(str(folder))
    judge = judge_class(files).load(files, "cpu", precision)
    templates = find_templates([template], load_templates(tmp_path / "none")[0])

    def scores() -> dict[int, float]:
        scorer = judge.scorer(templates[0])
        return {one.row: one.score for batch in scorer.score(SOURCES, HYPOTHESES) for one in batch}

    before = scores()
    overwrite(folder)
    assert scores() == before


def test_truncated_weights_are_refused(tmp_path):
    folder = save_masked(tmp_path / "model")
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1000])
    files = find_model(str(folder))
    words = r"model cannot be loaded as .*: its weights are damaged or incomplete\. Fetch or copy them again\.$"
    with pytest.raises(ModelError, match=words):
        judge_class(files).load(files, "cpu", "float32")
    with pytest.raises(ModelError, match=words):
        catalogue.metric(f"sbert:{folder}").prepare(MetricContext())


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"num_hidden_layers": 1_000_000}, "has fewer weights than its config.json says"),
        ({"hidden_size": 2**31}, "(has fewer weights|its weights have other sizes) than its config.json says"),
        ({"intermediate_size": 40}, "its weights do not have the sizes in its config.json"),
    ],
)
@pytest.mark.parametrize("save", [save_model, save_masked])
def test_weights_that_do_not_fit_the_configuration_are_refused_at_once(tmp_path, save, changed, words):
    folder = save(tmp_path / "model")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | changed))
    files = find_model(str(folder))
    with pytest.raises(ModelError, match=rf"^model .*{words}\. Fetch or copy it again\.$"):
        judge_class(files).load(files, "cpu", "float32")
    with pytest.raises(ModelError, match=rf"^model .*{words}\. Fetch or copy it again\.$"):
        catalogue.metric(f"sbert:{folder}").prepare(MetricContext())


def test_a_metrics_network_keeps_its_weights(tmp_path):
    folder = save_masked(tmp_path / "model")
    one, two = catalogue.metric(f"sbert:{folder}"), catalogue.metric(f"sbert:{folder}")
    for metric in (one, two):  # two pairs, because results are cached
        metric.prepare(MetricContext())
    before = one.score(SOURCES, HYPOTHESES).tolist()
    overwrite(folder)
    assert two.score(SOURCES, HYPOTHESES).tolist() == before
