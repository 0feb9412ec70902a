"""The list of judges shows the size of every judge, in memory or as a download."""

from __future__ import annotations

import re

import pytest
import torch
from finding import label_text
from safetensors.torch import save_file

from parapluie_gui.models import catalogue, gpus
from parapluie_gui.models.gpus import Gpu
from parapluie_gui.pluie import needs
from parapluie_gui.ui.setup import model_list
from parapluie_gui.ui.setup.model_list import ModelList
from parapluie_gui.ui.setup.setup import SetupView
from parapluie_gui.ui.state.workspace import CorpusWorkspace


@pytest.fixture
def judge(qtbot, home):
    setup = SetupView(CorpusWorkspace())
    qtbot.addWidget(setup)
    shelf = ModelList(setup)
    yield setup.judge
    shelf.close()


def size(judge):
    return label_text(judge, "size")


def test_an_installed_judge_shows_its_memory_at_every_precision(judge):
    judge.set_model("pocket")
    megabytes = int(re.fullmatch(r"Memory: up to (\d+) MB of weights", size(judge))[1])
    assert megabytes > 2 * catalogue.POCKET.disk_mb, "int8 in the file, a larger type in memory"
    judge.precision.setCurrentIndex(judge.precision.findData("bfloat16"))
    assert size(judge) == f"Memory: {round(megabytes / 2)} MB of weights"


def test_a_missing_judge_shows_its_download_size(judge):
    judge.set_model("smollm2-135m")
    item = catalogue.entry("smollm2-135m")
    assert size(judge) == f"{item.download_mb} MB to download, {item.disk_mb} MB on disk"


def test_a_folder_shows_its_memory(judge, tmp_path):
    (tmp_path / "config.json").write_text('{"architectures": ["LlamaForCausalLM"], "model_type": "llama"}')
    save_file({"weight": torch.zeros(1000, 3000, dtype=torch.bfloat16)}, tmp_path / "model.safetensors")
    judge.set_model(str(tmp_path))
    assert size(judge) == "Memory: up to 12 MB of weights"


def test_a_folder_too_large_for_the_computer_is_marked(judge, tmp_path, monkeypatch):
    monkeypatch.setattr(needs, "memory", lambda: (10**7, 10**6))
    monkeypatch.setattr(needs, "cpu_has_fast_bfloat16", lambda: False)
    (tmp_path / "config.json").write_text('{"architectures": ["LlamaForCausalLM"], "model_type": "llama"}')
    save_file({"weight": torch.zeros(1000, 3000, dtype=torch.bfloat16)}, tmp_path / "model.safetensors")
    judge.set_model(str(tmp_path))
    assert size(judge) == "Memory: up to 12 MB of weights. Too large for the 10 MB of this computer."


@pytest.mark.parametrize("name", ["no such model", "/no/such/folder", "~~"])
def test_an_unknown_model_shows_no_size(judge, name):
    judge.set_model(name)
    assert size(judge) == ""


H100 = Gpu("cuda:0", "H100", 70 * 10**9, 80 * 10**9)
OLD = Gpu("cuda:1", "GTX", 10**7, 8 * 10**9)


@pytest.fixture
def with_gpus(qtbot, home, monkeypatch, tmp_path):
    """Return a function that makes the list on a computer with these GPUs and a judge of 3 million parameters."""
    (tmp_path / "config.json").write_text('{"architectures": ["LlamaForCausalLM"], "model_type": "llama"}')
    save_file({"weight": torch.zeros(1000, 3000, dtype=torch.bfloat16)}, tmp_path / "model.safetensors")
    shelves = []

    def make(*found: Gpu, usable: bool = True):
        monkeypatch.setattr(gpus, "driver_program", lambda: "nvidia-smi")
        monkeypatch.setattr(gpus, "list_gpus", lambda: list(found))
        monkeypatch.setattr(model_list, "may_have_gpu", lambda: usable)
        setup = SetupView(CorpusWorkspace())
        qtbot.addWidget(setup)
        shelves.append(ModelList(setup))
        setup.judge.set_model(str(tmp_path))
        qtbot.waitUntil(lambda: shelves[-1]._gpus == list(found))
        return setup.judge

    yield make
    for shelf in shelves:
        shelf.close()


def test_the_free_gpu_memory_is_shown_next_to_the_weights(with_gpus):
    judge = with_gpus(H100, OLD)
    assert size(judge) == "Memory: 6 MB of weights; 70.0 GB of 80.0 GB free on H100"
    choose = judge.device.findData
    judge.device.setCurrentIndex(choose("cuda:1"))
    assert judge.device.currentText() == "cuda:1 · GTX" and judge.judge_settings().device == "cuda:1"
    judge.precision.setCurrentIndex(judge.precision.findData("float32"))
    assert (
        size(judge) == "Memory: 12 MB of weights; 10 MB of 8.0 GB free on GTX. It does not fit in the available memory."
    )
    judge.device.setCurrentIndex(choose("cuda:all"))
    assert size(judge).endswith("70.0 GB of 88.0 GB free on All GPUs together")
    judge.device.setCurrentIndex(choose("cuda:each"))
    assert judge.device.currentText() == "One copy of the model on each GPU"
    assert judge.judge_settings().device == "cuda:each"
    assert size(judge).endswith("10 MB of 8.0 GB free on GTX. It does not fit in the available memory.")
    judge.device.setCurrentIndex(choose("cpu"))
    assert size(judge) == "Memory: 12 MB of weights"


def test_one_gpu_needs_no_choice(with_gpus):
    judge = with_gpus(H100)
    assert all(judge.device.findData(device) < 0 for device in ("cuda:0", "cuda:all", "cuda:each"))


def test_a_cpu_only_pytorch_on_a_computer_with_a_gpu_is_reported(with_gpus):
    judge = with_gpus(H100, usable=False)
    assert size(judge) == (
        "Memory: up to 12 MB of weights. The GPU is not used because PyTorch is built for the CPU only. "
        "Press F1 to see how to change that."
    )
