"""The shelf of judges says how large each one is, in memory or yet to be fetched."""

from __future__ import annotations

import re

import pytest
import torch
from finding import said
from safetensors.torch import save_file

from parapluie_gui.models import catalogue
from parapluie_gui.ui.setup.model_list import ModelList
from parapluie_gui.ui.setup.setup import Setup
from parapluie_gui.ui.state.workspace import Workspace
from parapluie_gui.ui.widgets import theme


@pytest.fixture
def judge(qtbot, home):
    setup = Setup(Workspace(), theme.LIGHT)
    qtbot.addWidget(setup)
    shelf = ModelList(setup)
    yield setup.judge
    shelf.close()


def size(judge):
    return said(judge, "size")


def test_a_judge_that_is_here_says_its_memory_at_each_precision(judge):
    judge.set_model("pocket")
    megabytes = int(re.fullmatch(r"Memory: up to (\d+) MB of weights", size(judge))[1])
    assert megabytes > 2 * catalogue.POCKET.disk_mb, "the file holds int8, the memory does not"
    judge.precision.setCurrentIndex(judge.precision.findData("bfloat16"))
    assert size(judge) == f"Memory: {round(megabytes / 2)} MB of weights"


def test_a_judge_that_is_not_here_says_what_is_to_be_fetched(judge):
    judge.set_model("smollm2-135m")
    item = catalogue.entry("smollm2-135m")
    assert size(judge) == f"{item.download_mb} MB to download, {item.disk_mb} MB on disk"


def test_a_folder_says_its_memory(judge, tmp_path):
    (tmp_path / "config.json").write_text('{"architectures": ["LlamaForCausalLM"], "model_type": "llama"}')
    save_file({"weight": torch.zeros(1000, 3000, dtype=torch.bfloat16)}, tmp_path / "model.safetensors")
    judge.set_model(str(tmp_path))
    assert size(judge) == "Memory: up to 12 MB of weights"


@pytest.mark.parametrize("name", ["no such model", "/no/such/folder", "~~"])
def test_what_cannot_be_found_says_nothing(judge, name):
    judge.set_model(name)
    assert size(judge) == ""
