"""The file of servers: damaged records hide no other records, and special files block nothing."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from parapluie_gui.commands.main import main
from parapluie_gui.features.servers.record import ServerRecord, load_servers, records_file, store_server

GOOD = {"address": "http://127.0.0.1:2", "engine": "chat", "model": "good", "revision": "r"}
DAMAGED = (
    *(b"", b"[[[]]]", b'["x"]', b'"x"', b"7", b"null", b'{"a": [1]}', b"[" * 100_000, bytes(4_096), b"\xe9"),
    b"[" + b"9" * 5_000 + b"]",
    b'[{"prices": [1e400, -Infinity]}]',
    b'[{"address": "http://a:1", "engine": "chat", "model": ["m"], "revision": "r"}]',
)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder."""
    monkeypatch.setenv("PARAPLUIE_HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_file_contains_no_servers(content, capsys):
    records_file().write_bytes(content)
    assert load_servers() == []
    assert main(["models", "list"]) == 0
    store_server(ServerRecord("http://127.0.0.1:3", "chat", "new", "r"))
    assert [server.model for server in load_servers()] == ["new"]


@pytest.mark.parametrize("kind", ["pipe", "folder", "huge"])
def test_a_special_file_is_skipped_without_waiting(kind, home):
    path = home / "servers.json"
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "huge":
            with path.open("wb") as file:
                file.truncate(2**36)
    signal.alarm(20)
    assert load_servers() == []
    signal.alarm(0)


def test_a_damaged_record_hides_no_other_record_and_is_kept(home):
    records = [
        GOOD | {"address": "http://127.0.0.1:1", "prices": [10**400, 1]},
        {"address": "http://127.0.0.1:1"},
        GOOD | {"model": ["x"]},
        GOOD | {"address": "ftp://nothing"},
        "x",
        GOOD,
    ]
    text = json.dumps(records)
    records_file().write_text(text, encoding="utf-8")
    assert [server.model for server in load_servers()] == ["good"]
    store_server(ServerRecord("http://127.0.0.1:3", "chat", "new", "r"))
    assert [server.model for server in load_servers()] == ["new", "good"]
    assert (home / "servers.json.damaged-1").read_text("utf-8") == text
    store_server(ServerRecord("http://127.0.0.1:4", "chat", "newer", "r"))
    assert not (home / "servers.json.damaged-2").exists()
