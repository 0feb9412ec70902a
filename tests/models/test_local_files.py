"""GGUF files of llama.cpp, Ollama and LM Studio on this computer, in folders as those programs make them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from parapluie_gui.commands.main import main
from parapluie_gui.models.catalogue import find_kind, find_model
from parapluie_gui.models.local_files import find_ollama_name, list_local_files

BLOB = "sha256-" + "ab" * 32


@pytest.fixture
def home_folder(tmp_path, monkeypatch):
    """Return a home folder with models of all three programs."""
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setenv("LLAMA_CACHE", str(tmp_path / "llama"))
    monkeypatch.delenv("OLLAMA_MODELS", raising=False)

    def put(path, text="GGUF"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    put(tmp_path / "llama" / "qwen-Q4_K_M.gguf")
    put(tmp_path / "llama" / "mmproj-qwen.gguf")
    put(tmp_path / "llama" / "big-00001-of-00002.gguf")
    put(tmp_path / "llama" / "big-00002-of-00002.gguf")
    put(tmp_path / ".lmstudio" / "models" / "me" / "Some-GGUF" / "some.Q8_0.gguf")
    put(tmp_path / ".lmstudio" / "models" / "notes.txt")
    ollama = tmp_path / ".ollama" / "models"
    layers = [
        {"mediaType": "application/vnd.ollama.image.license", "digest": "sha256:" + "cd" * 32},
        {"mediaType": "application/vnd.ollama.image.model", "digest": BLOB.replace("-", ":")},
    ]
    put(ollama / "manifests" / "registry.ollama.ai" / "library" / "llama3.2" / "1b", json.dumps({"layers": layers}))
    put(ollama / "manifests" / "registry.ollama.ai" / "me" / "broken" / "latest", "{")
    strange = [{"mediaType": "application/vnd.ollama.image.model", "digest": "../../secret"}]
    put(ollama / "manifests" / "registry.ollama.ai" / "me" / "strange" / "latest", json.dumps({"layers": strange}))
    put(ollama / "blobs" / BLOB, "GGUF and the rest")
    return tmp_path


def test_models_of_other_programs_are_listed_under_their_original_names(home_folder):
    listed = [(file.program, file.name, file.size) for file in list_local_files()]
    assert listed == [
        ("LM Studio", "some.Q8_0", 4),
        ("Ollama", "llama3.2:1b", 17),
        ("llama.cpp", "big-00001-of-00002", 4),
        ("llama.cpp", "qwen-Q4_K_M", 4),
    ]


def test_a_file_of_ollama_has_ollamas_name_for_the_model(home_folder):
    blob = home_folder / ".ollama" / "models" / "blobs" / BLOB
    assert find_ollama_name(blob) == "llama3.2:1b" and find_kind(str(blob)) == "causal"
    files = find_model(str(blob))
    assert (files.name, files.gguf) == ("llama3.2-1b", BLOB)
    assert find_ollama_name(blob.with_name("sha256-none")) == find_ollama_name(home_folder / "llama" / "x.gguf") == ""


def test_without_those_programs_no_models_are_listed(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setenv("LLAMA_CACHE", str(tmp_path / "none"))
    assert list_local_files() == []


def test_the_command_lists_them_with_the_program(home_folder, capsys):
    assert main(["models"]) == 0
    out = capsys.readouterr().out
    assert "llama3.2:1b, found on this computer (Ollama, " in out
