"""A model of the hub, described in the dialog before it is downloaded; the real command, with a hub in this process."""

from __future__ import annotations

import pytest
from finding import actions, find_part, label_text
from hub import COMMIT, HubRepo, serving_hub
from PySide6.QtWidgets import QPushButton

from parapluie_gui.models import gpus
from parapluie_gui.pluie import needs
from parapluie_gui.ui.setup.hub_dialog import HubDialog
from parapluie_gui.ui.setup.model_list import ModelList
from parapluie_gui.ui.setup.setup import SetupView
from parapluie_gui.ui.state.workspace import CorpusWorkspace

FILES = {"config.json": b'{"architectures": ["LlamaForCausalLM"]}', "model.safetensors": bytes(2_000_000)}


@pytest.fixture
def served(home, monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    with serving_hub({"me/mine": HubRepo(FILES, parameters=7 * 10**9)}) as result:
        monkeypatch.setenv("HF_ENDPOINT", result.address)
        yield result


@pytest.fixture
def setup(qtbot, home, monkeypatch):
    monkeypatch.setattr(gpus, "driver_program", lambda: None)
    monkeypatch.setattr(needs, "memory", lambda: (16 * 10**9, 10**9))
    monkeypatch.setattr(needs, "cpu_has_fast_bfloat16", lambda: False)
    setup = SetupView(CorpusWorkspace())
    qtbot.addWidget(setup)
    shelf = ModelList(setup)
    setup.shelf = shelf
    yield setup
    shelf.close()


def test_a_model_is_looked_up_then_downloaded_and_becomes_the_judge(setup, served, qtbot):
    judge = setup.judge
    judge.set_model("me/mine")
    assert not judge.ready and "hub. Download shows its licence" in judge.note and judge.get_button.isEnabled()
    judge.get_button.click()
    dialog = setup.findChild(HubDialog)
    assert dialog.judges.isHidden() and not dialog.fetch_button.isEnabled()
    qtbot.waitUntil(dialog.fetch_button.isEnabled, timeout=60_000)
    lines = label_text(dialog, "description").splitlines()
    assert lines[0].startswith("me/mine on 127.0.0.1:") and lines[0].endswith(". Licence: apache-2.0.")
    assert lines[1] == f"2 MB in 2 files, revision {COMMIT[:12]}."
    assert lines[2] == "Memory: CPU, float32: 28.8 GB, too large; llama.cpp, Q4: 4.5 GB, fits."
    assert dialog.fetch_button.text() == "Download (2 MB)" and served.fetched == []
    with qtbot.waitSignal(setup.shelf.message, timeout=60_000) as ended:
        dialog.fetch_button.click()
        assert judge.bar.isVisibleTo(setup)
    assert ended.args == ["The model is ready."]
    assert judge.name == "me/mine" and judge.ready and not judge.get_button.isVisibleTo(setup)


def test_popular_judges_are_listed_with_their_memory(setup, qtbot):
    menu = actions(find_part(setup, QPushButton, "Another model…"))
    menu["Hugging Face hub…"].trigger()
    dialog = setup.findChild(HubDialog)
    rows = [[row.text(column) for column in range(4)] for row in map(dialog.judges.topLevelItem, range(14))]
    name = "mistralai/Mistral-7B-Instruct-v0.2"
    assert [name, "Apache-2.0", "30.5 GB, too large", "5.2 GB, fits"] in rows
    dialog.judges.setCurrentItem(dialog.judges.topLevelItem([row[0] for row in rows].index(name)))
    assert dialog.model.text() == name and dialog.look_button.isEnabled()
    dialog.model.setText("no name of the hub")
    assert not dialog.look_button.isEnabled()
    dialog.reject()


def test_errors_are_shown_in_the_dialog(setup, served, qtbot):
    dialog = HubDialog((), "me/other", setup)
    qtbot.addWidget(dialog)
    qtbot.waitUntil(lambda: label_text(dialog, "problem") != "", timeout=60_000)
    assert label_text(dialog, "problem").startswith("There is no model me/other on 127.0.0.1:")
    assert not dialog.fetch_button.isEnabled() and label_text(dialog, "description") == ""
    dialog.reject()
