"""The memory that judges need, from their configurations; the list of known judges is consistent."""

from __future__ import annotations

import re
import tomllib

import pytest

from parapluie_gui import places
from parapluie_gui.commands import models
from parapluie_gui.commands.main import main
from parapluie_gui.models import catalogue, gpus
from parapluie_gui.models.gpus import Gpu
from parapluie_gui.pluie import needs
from parapluie_gui.pluie.needs import CPU, GPU, LLAMACPP, JudgePlacement, JudgeSize

LISTED = tomllib.loads((places.resources() / "judges.toml").read_text("utf-8"))["judge"]


@pytest.mark.parametrize("judge", LISTED, ids=[each["name"] for each in LISTED])
def test_the_parameters_of_a_known_judge_follow_from_its_sizes(judge):
    hidden, inner, layers = judge["hidden_size"], judge["intermediate_size"], judge["num_hidden_layers"]
    heads, kept = judge["num_attention_heads"], judge["num_key_value_heads"]
    width = hidden // heads
    attention = 2 * hidden * hidden + 2 * hidden * kept * width
    if "Qwen2.5" in judge["name"]:  # biases of queries, keys and values
        attention += (heads + 2 * kept) * width
    words = judge["vocab_size"] * hidden * (1 if judge["tie_word_embeddings"] else 2)
    assert words + layers * (attention + 3 * hidden * inner + 2 * hidden) + hidden == judge["parameters"]


def test_the_memory_estimate_grows_with_precision_and_matches_known_sizes():
    mistral = next(size for size in needs.list_known_judges() if "Mistral-7B" in size.name)
    ways = [
        JudgePlacement(where, type, 24 * 10**9)
        for where, type in ((GPU, "bfloat16"), (CPU, "float32"), (LLAMACPP, "Q4"))
    ]
    gpu, cpu, quantised = (mistral.estimate_memory(way) / 1e9 for way in ways)
    # 14.5 and 29 GB of weights; "Q4 of a 7B in 5 GB".
    assert 15 < gpu < 17 and 29 < cpu < 33 and 4.7 < quantised < 5.5
    assert [way.fits(mistral.estimate_memory(way)) for way in ways] == [True, False, True]
    # If only the number of weights is known, the estimate is weights plus libraries.
    assert JudgeSize("x", 10**9).estimate_memory(ways[1]) == pytest.approx(4.8e9)
    assert JudgeSize.from_config("x", 5, {"hidden_size": "wide"}).shape is None


def test_recommend_lists_judges_for_this_computer(capsys, monkeypatch, home, tmp_path):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(gpus, "list_gpus", lambda: [Gpu("cuda:0", "H100", 70 * 10**9, 80 * 10**9)])
    for module in (needs, models):
        monkeypatch.setattr(module, "may_have_gpu", lambda: True)
        monkeypatch.setattr(module, "memory", lambda: (16 * 10**9, 8 * 10**9))
    monkeypatch.setattr(needs, "cpu_has_fast_bfloat16", lambda: False)
    assert main(["models", "recommend"]) == 0
    shown = capsys.readouterr().out
    lines = [re.split(r"\s{2,}", line) for line in shown.splitlines()]
    assert lines[:2] == [["memory: 16.0 GB, 8.0 GB free"], ["cuda:0: H100, 80.0 GB, 70.0 GB free"]]
    assert lines[2] == ["judge", "parameters", "licence", "GPU, bfloat16", "CPU, float32", "llama.cpp, Q4"]
    assert ["mistralai/Mistral-7B-Instruct-v0.2", "7.2 B", "Apache-2.0", "16.0 GB, fits"] in [
        each[:4] for each in lines
    ]
    assert "The largest judge that fits GPU, bfloat16: Qwen/Qwen2.5-14B-Instruct.\n" in shown
    assert "The largest judge that fits llama.cpp, Q4: Qwen/Qwen2.5-14B-Instruct.\n" in shown
    assert "on this computer" not in shown


def test_a_judge_on_this_computer_is_read_from_its_files(smollm2, monkeypatch, home):
    (home / "models").mkdir(parents=True)
    (home / "models" / "smollm2-135m").symlink_to(smollm2)
    (size,) = needs.list_local_judges()
    assert size.name == "smollm2-135m" and size.parameters == 134_515_008 and size.head == 49152 * 576
    assert catalogue.is_ready(catalogue.CATALOGUE[0])
