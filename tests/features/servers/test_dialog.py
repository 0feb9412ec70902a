"""Connect to a server…: the real command in the background, against a server in this process."""

from __future__ import annotations

from threading import Event

import pytest
from finding import label_text
from model_servers import chatting, serving
from PySide6.QtWidgets import QPushButton
from shiboken6 import Shiboken

from parapluie_gui.features.servers import dialog as server_dialog
from parapluie_gui.features.servers import nearby
from parapluie_gui.features.servers.dialog import ServerDialog
from parapluie_gui.features.servers.feature import FEATURE
from parapluie_gui.features.servers.record import load_servers
from parapluie_gui.ui.setup.model_list import ModelList
from parapluie_gui.ui.setup.setup import SetupView
from parapluie_gui.ui.state.workspace import CorpusWorkspace


def answers(text):
    return {"Yes": 0.9, "No": 0.05} if "is: Yes" in text else {"No": 0.9, "Yes": 0.05}


@pytest.fixture
def dialog(qtbot, home):
    made = ServerDialog()
    qtbot.addWidget(made)
    return made


def test_the_destination_of_sentences_is_shown_before_any_is_sent(dialog):
    assert not dialog.connect_button.isEnabled()
    dialog.address.setText("http://127.0.0.1:8080")
    assert label_text(dialog, "where sentences are sent") == "Sentences stay on this computer."
    dialog.address.setText("https://api.example.org/v1")
    assert "are sent to api.example.org, which is not this computer" in label_text(dialog, "where sentences are sent")


def test_the_dialog_may_be_deleted_while_it_looks_for_programs(qtbot, home, monkeypatch):
    """Regression: the program crashed."""
    may_end = Event()
    monkeypatch.setattr(server_dialog, "list_nearby_servers", lambda: may_end.wait(60) and [])
    made = ServerDialog()
    Shiboken.delete(made)
    may_end.set()


def test_a_connected_server_becomes_the_judge(qtbot, home, monkeypatch):
    setup = SetupView(CorpusWorkspace())
    qtbot.addWidget(setup)
    shelf = ModelList(setup)
    with serving(chatting(answers)) as (address, _):
        setup.judge.source_requested.emit(FEATURE.model_sources[0])
        dialog = setup.findChild(ServerDialog)
        dialog.address.setText(f"{address}/v1")
        dialog.model.setText("llama3")
        dialog.price_read.setValue(0.15)
        with qtbot.waitSignal(dialog.connected, timeout=60_000):
            dialog.connect_button.click()
    assert setup.judge.name == f"{address}#llama3" and setup.judge.choice.title == "llama3 (chat)"
    assert "renders the prompt itself" in setup.judge.note and setup.judge.ready
    assert [(server.address, server.prices) for server in load_servers()] == [(f"{address}#llama3", (0.15, 0.0))]
    shelf.close()


def test_a_program_on_a_usual_port_is_offered_and_gets_no_request(qtbot, home, monkeypatch):
    with serving(chatting(answers)) as (address, asked):
        port = int(address.rpartition(":")[2])
        monkeypatch.setattr(nearby, "USUAL_PORTS", {"Ollama": port, "vLLM": 9})
        dialog = ServerDialog()
        qtbot.addWidget(dialog)
        dialog.show()
        qtbot.waitUntil(lambda: bool(dialog._nearby.findChildren(QPushButton)), timeout=10_000)
        (offered,) = dialog._nearby.findChildren(QPushButton)
        assert offered.text() == f"Ollama · 127.0.0.1:{port}" and not dialog.address.text()
        offered.click()
        assert dialog.address.text() == address and not asked
        dialog.reject()


def test_errors_are_shown_and_can_be_corrected(dialog, qtbot):
    dialog.address.setText("htp://nowhere")
    dialog.connect_button.click()
    assert "is not a server's address" in label_text(dialog, "problem")
    silent = chatting(answers)
    del silent["/v1/chat/completions"]
    with serving(silent) as (address, _):
        dialog.address.setText(address)
        with qtbot.waitSignal(dialog._process.ended, timeout=60_000):
            dialog.connect_button.click()
    assert "refuses the request /v1/chat/completions" in label_text(dialog, "problem")
    assert dialog.address.isEnabled() and load_servers() == []
