"""The program's own JSON and TOML files, damaged in every way: valid records are read, and non-files are refused at
once.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from parapluie_gui import places
from parapluie_gui.analysis.kept_threshold import KeptThreshold, keep_thresholds, read_kept_thresholds
from parapluie_gui.errors import OwnFileError
from parapluie_gui.files import remove_leftovers
from parapluie_gui.judgements.scheme import load_schemes
from parapluie_gui.metrics import consent
from parapluie_gui.own_files import NotJsonError, parse_json, read_json, read_json_or_none, read_records, read_text
from parapluie_gui.pluie.templates import load_templates
from parapluie_gui.pluie.writing_templates import load_writing_templates
from parapluie_gui.storage import copy_note
from parapluie_gui.ui.state.preferences import UserPreferences

#: Possible contents of a JSON or TOML file.
DAMAGES = {
    "empty": b"",
    "list": b"[[[]]]",
    "texts": b'["x"]',
    "text": b'"x"',
    "number": b"7",
    "null": b"null",
    "lists": b'{"a": [1], "version": 1, "allowed": 3}',
    "deep": b"[" * 100_000,
    "digits": b"[" + b"9" * 5_000 + b"]",
    "infinite": b'[{"threshold": NaN, "prices": [1e400, -Infinity]}]',
    "surrogates": b'{"document": "\\ud800", "saves": ["\\udfff"]}',
    "zeros": bytes(4_096),
    "latin": b"\xe9t\xe9",
}

#: The files by name, with their readers.
READERS: dict[str, Callable[[Path], object]] = {
    "thresholds.json": lambda home: read_kept_thresholds(home / "thresholds.json"),
    "allowed-metric-files.json": lambda home: consent.was_allowed("user:/x.py"),
    "window.json": lambda home: UserPreferences(home / "window.json").check(),
    "sessions/1.json": lambda home: copy_note.read(home / "sessions" / "1.db"),
    "templates/x.toml": lambda home: load_templates(home / "templates")[1][0].error,
    "schemes/x.toml": lambda home: load_schemes(home / "schemes")[1][0].error,
    "paraphrase/x.toml": lambda home: load_writing_templates(home)[1][0].error,
    "writing/1-0123456789abcdef": remove_leftovers,
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a data folder."""
    monkeypatch.setattr(places, "user_data", lambda: tmp_path)
    return tmp_path


@pytest.fixture
def interrupt_waiting() -> Iterator[None]:
    """Interrupt a test that waits for a pipe."""
    signal.alarm(20)
    yield
    signal.alarm(0)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_does_not_stop_readers(name, damage, home):
    (home / name).parent.mkdir(exist_ok=True)
    (home / name).write_bytes(DAMAGES[damage])
    READERS[name](home)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("kind", ["pipe", "folder", "huge"])
def test_non_files_are_refused_without_waiting(name, kind, home, interrupt_waiting):
    path = home / name
    path.parent.mkdir(exist_ok=True)
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "huge":
            with path.open("wb") as file:
                file.truncate(2**36)
    READERS[name](home)


def test_valid_thresholds_are_read_next_to_damaged_ones(home):
    threshold = KeptThreshold("mine", "bleu", 0.5, "pairs")
    keep_thresholds(home / "thresholds.json", [threshold])
    entries = json.loads((home / "thresholds.json").read_text("utf-8"))
    broken = [*entries, "x", [], {"name": "y"}, entries[0] | {"threshold": float("inf")}, entries[0] | {"score": 1}]
    (home / "thresholds.json").write_text(json.dumps(broken), encoding="utf-8")
    assert read_kept_thresholds(home / "thresholds.json") == (threshold,)


def test_error_messages_name_the_file(tmp_path):
    path = tmp_path / "a.json"
    assert read_json_or_none(path) is None
    path.write_bytes(b"\xef\xbb\xbf[1]")
    assert read_json(path) == [1]
    with pytest.raises(OwnFileError, match=r"a\.json is larger than 0 MB"):
        read_text(path, 2)
    for text, what in (("{", "is not valid JSON"), ("[" * 100_000, "is nested too deeply")):
        with pytest.raises(NotJsonError, match=f"a.json {what}"):
            parse_json(text, "a.json")
    assert read_records({"a": 1}, dict) == read_records([1, None], lambda entry: entry["a"]) == []
