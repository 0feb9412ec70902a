"""Finding models on this computer: error messages, fingerprints, GGUF files, and the hub's cache."""

from __future__ import annotations

import json
import math
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tiny_gguf import write_gguf

from parapluie_gui.commands.main import main
from parapluie_gui.errors import ModelError
from parapluie_gui.models import catalogue, manifest
from parapluie_gui.models.catalogue import CATALOGUE, MANIFEST, find_model, memory_estimate
from parapluie_gui.models.hub_cache import downloaded_hub_models
from parapluie_gui.pluie.causal import CausalJudge
from parapluie_gui.pluie.causal_scorer import CausalScorer


def refusal(model: str) -> str:
    with pytest.raises(ModelError) as caught:
        find_model(model)
    return str(caught.value)


def test_a_missing_catalogue_model_is_reported(home):
    sentence = (
        "smollm2-135m is not on this computer yet. Run `parapluie models get smollm2-135m` (89 MB), or choose it in"
    )
    assert refusal("smollm2-135m").startswith(sentence)
    # A folder without the manifest is an unfinished download.
    (home / "models" / "smollm2-135m").mkdir(parents=True)
    assert refusal("SmolLM2-135M").startswith(sentence)


def test_an_installed_catalogue_model_is_found(home):
    (home / "models" / "smollm2-135m").mkdir(parents=True)
    (home / "models" / "smollm2-135m" / MANIFEST).write_text("{}")
    files = find_model("smollm2-135m")
    assert (files.name, files.folder) == ("smollm2-135m", home / "models" / "smollm2-135m")
    assert files.revision == CATALOGUE[0].file_sha256[:12] and "weak judge" in files.note


def test_names_that_are_not_models_are_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    known = ", ".join(item.name for item in (catalogue.POCKET, *catalogue.CATALOGUE))
    assert refusal("nonsense") == (
        f"nonsense is neither a model of the catalogue ({known}), nor a folder, a GGUF file or a hub id (owner/name)."
    )
    assert refusal("some/where/else").startswith("some/where/else is neither a model of the catalogue")
    assert refusal("nobody/nothing-here") == (
        "nobody/nothing-here is not on this computer; `parapluie models get nobody/nothing-here` downloads it from the "
        "Hugging Face hub."
    )
    assert refusal(str(tmp_path / "x.gguf")) == f"There is no file {tmp_path / 'x.gguf'}. Check its name and folder."
    (tmp_path / "x.gguf").write_bytes(b"ZIPP")
    assert refusal(str(tmp_path / "x.gguf")) == "x.gguf is not a GGUF file despite its name. Choose another file."


def test_folders_that_are_not_models_are_refused(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    assert refusal(str(folder)).endswith(
        "contains no config.json, so it is not a model folder. Choose the folder that transformers saved."
    )
    (folder / "a.gguf").write_bytes(b"GGUF")
    assert refusal(str(folder)).endswith("Name the file itself (a.gguf).")
    (folder / "config.json").write_text("{}")
    (folder / "pytorch_model.bin").write_bytes(b"pickle")
    assert refusal(str(folder)).endswith(
        "contains no .safetensors file; pickled weights (.bin, .pt) are not read because they can run code."
    )


def test_the_fingerprint_follows_the_content(folders, tmp_path, monkeypatch):
    first = find_model(str(folders("llama")))
    assert first.name == "llama" and len(first.revision) == 12
    copy = shutil.copytree(folders("llama"), tmp_path / "other")
    assert find_model(str(copy)).revision == first.revision
    (copy / "README.md").write_text("hello")
    assert find_model(str(copy)).revision == first.revision
    template = copy / "chat_template.jinja"
    whole = template.read_text()
    template.write_text(whole + " ")
    assert find_model(str(copy)).revision != first.revision
    template.write_text(whole)


def test_every_byte_of_a_large_file_affects_the_revision(folders, tmp_path, monkeypatch):
    monkeypatch.setattr(catalogue, "_SMALL_FILE", 1000)
    monkeypatch.setattr(manifest, "_LARGE", 1000)
    copy = shutil.copytree(folders("llama"), tmp_path / "model")
    weights = copy / "model.safetensors"
    original = weights.read_bytes()
    revisions = {find_model(str(copy)).revision}
    places_changed = range(0, len(original), len(original) // 40)
    for place in places_changed:
        weights.write_bytes(original[:place] + bytes([original[place] ^ 1]) + original[place + 1 :])
        revisions.add(find_model(str(copy)).revision)
    assert len(revisions) == 1 + len(places_changed)


def test_a_large_file_is_read_once_until_it_changes(folders, tmp_path, monkeypatch, home):
    monkeypatch.setattr(catalogue, "_SMALL_FILE", 1000)
    monkeypatch.setattr(manifest, "_LARGE", 100_000)
    monkeypatch.setattr(manifest, "_SLOW", 100_000)
    monkeypatch.setattr(manifest, "_SETTLED", -1)
    copy = shutil.copytree(folders("llama"), tmp_path / "model")
    (home / "models").mkdir(parents=True, exist_ok=True)
    sentences: list[str] = []
    first = find_model(str(copy), sentences.append).revision
    assert len(sentences) == 1 and sentences[0].startswith("Reading model.safetensors once, to identify it (")
    assert find_model(str(copy), sentences.append).revision == first and len(sentences) == 1
    weights = copy / "model.safetensors"
    state = weights.stat()
    content = weights.read_bytes()
    weights.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    os.utime(weights, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert find_model(str(copy), sentences.append).revision != first and len(sentences) == 2


def test_the_checksum_of_a_file_just_changed_is_not_cached(folders, tmp_path, monkeypatch, home):
    monkeypatch.setattr(manifest, "_LARGE", 100_000)
    copy = shutil.copytree(folders("llama"), tmp_path / "model")
    (home / "models").mkdir(parents=True, exist_ok=True)
    (copy / "model.safetensors").touch()
    find_model(str(copy))
    assert not (home / "models" / "checked.json").exists()


def test_all_parts_of_a_gguf_file_affect_the_revision(tmp_path):
    parts = [tmp_path / f"big-0000{number}-of-00002.gguf" for number in (1, 2)]
    for part in parts:
        part.write_bytes(b"GGUF" + part.name.encode())
    first = find_model(str(parts[0])).revision
    parts[1].write_bytes(b"GGUFchanged")
    assert find_model(str(parts[0])).revision != first
    parts[1].unlink()
    assert refusal(str(parts[0])) == (
        "big-00001-of-00002.gguf is part of a model, but big-00002-of-00002.gguf is not in the same folder. "
        "Fetch that part, too."
    )


@pytest.fixture
def opened() -> Iterator[list[str]]:
    """Return a list of the files that Python opens during the test."""
    paths: list[str] = []
    active = [True]
    sys.addaudithook(lambda event, args: paths.append(str(args[0])) if active and event == "open" else None)
    yield paths
    active.clear()


def test_every_file_opened_in_loading_affects_the_revision(folders, tmp_path, opened):
    folder = shutil.copytree(folders("llama"), tmp_path / "model")
    opened.clear()
    CausalJudge.load(find_model(str(folder)), "cpu", "float32")
    files = {Path(path) for path in opened if path.startswith(str(folder)) and Path(path).is_file()}
    assert {path.name for path in files} >= {"config.json", "model.safetensors"}
    for file in files - {folder / MANIFEST}:
        before, content = find_model(str(folder)).revision, file.read_bytes()
        file.write_bytes(content + b" ")
        assert find_model(str(folder)).revision != before, f"{file.name} is read but does not affect the revision"
        file.write_bytes(content)


def test_further_chat_templates_affect_the_revision(folders, tmp_path):
    copy = shutil.copytree(folders("llama"), tmp_path / "model")
    first = find_model(str(copy)).revision
    (copy / "additional_chat_templates").mkdir()
    (copy / "additional_chat_templates" / "default.jinja").write_text("{{ messages }}")
    assert find_model(str(copy)).revision != first


def test_models_are_found_in_the_hubs_cache(tmp_path, monkeypatch, folders):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    assert list(downloaded_hub_models()) == []
    commit = "0123456789abcdef0123456789abcdef01234567"
    shutil.copytree(folders("llama"), tmp_path / "hub" / "models--me--my--model" / "snapshots" / commit)
    (tmp_path / "hub" / "models--me--pickled" / "snapshots" / commit).mkdir(parents=True)
    assert list(downloaded_hub_models()) == ["me/my--model"]


def test_memory_is_estimated_from_the_weights(folders, judges):
    files = find_model(str(folders("llama")))
    parameters = sum(weight.numel() for weight in judges("llama").plain.parameters())
    assert memory_estimate(files, "float32") == memory_estimate(files, "auto") == 4 * parameters
    assert memory_estimate(files, "bfloat16") == memory_estimate(files, "float16") == 2 * parameters


def _with_header(header: object, length: int | None = None) -> bytes:
    text = json.dumps(header).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\1\0\0",
        _with_header({}, 2**63),
        _with_header({"w": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}}, 20),
        _with_header({"w": {"dtype": "F32", "shape": [10**200, 10**200], "data_offsets": [0, 16]}}),
        _with_header({"w": {"shape": ["wide"]}}),
        _with_header({"w": {}}),
        _with_header([1, 2]),
        (100_000).to_bytes(8, "little") + b"[" * 100_000,
        (4).to_bytes(8, "little") + b"\xff\xfe\xfd\xfc",
    ],
    ids=["empty", "cut", "huge length", "cut header", "huge shape", "text", "no shape", "list", "nested", "bytes"],
)
def test_damaged_weights_are_reported(content, folders, tmp_path, capsys):
    folder = shutil.copytree(folders("llama"), tmp_path / "broken")
    (folder / "model.safetensors").write_bytes(content)
    with pytest.raises(ModelError, match=r"model\.safetensors is damaged or incomplete\. Fetch the model again\.$"):
        memory_estimate(find_model(str(folder)), "float32")
    assert main(["models", "info", str(folder)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    "config",
    [
        "",
        "null",
        "[1]",
        '{"architectures": 5}',
        '{"architectures": [null]}',
        '{"model_type": "llama", "hidden_size": -1}',
        '{"model_type": "llama", "hidden_size": 1e999, "num_hidden_layers": "x"}',
        "[" * 100_000,
        '{"hidden_size": ' + "9" * 5000 + "}",
    ],
    ids=lambda text: text[:40],
)
@pytest.mark.parametrize("name", ["config.json", "adapter_config.json"])
def test_damaged_configurations_are_reported_or_skipped(name, config, folders, tmp_path, capsys):
    folder = shutil.copytree(folders("llama"), tmp_path / "broken")
    if name == "adapter_config.json":
        (folder / "config.json").unlink()
    (folder / name).write_text(config)
    status = main(["models", "info", str(folder)])
    assert (status, capsys.readouterr().err.count("\n")) == ((2, 1) if name == "adapter_config.json" else (0, 0))


@pytest.mark.parametrize("tied", [False, True])
def test_a_gguf_file_can_be_loaded_as_a_judge(tied, tmp_path, tokenizers, templates):
    file = tmp_path / "tiny.gguf"
    write_gguf(file, tokenizers("qwen2"), tied=tied, file_type=15 if tied else None)
    files = find_model(str(file))
    assert (files.name, files.gguf, memory_estimate(files, "auto")) == ("tiny", "tiny.gguf", None)
    backend = CausalJudge.load(files, "cpu", "float32")
    scorer = CausalScorer(backend, templates["DIRECT"])
    assert ("weights:Q4_K_M" in str(scorer.signature), "Q4_K_M" in backend.describe()) == (tied, tied)
    scored = [one for batch in scorer.score(["The cat."], ["A dog."]) for one in batch]
    assert math.isfinite(scored[0].score)
    assert scorer.frame.text.endswith("<|im_start|>assistant\n")
    file.write_bytes(file.read_bytes()[:2000])
    with pytest.raises(ModelError, match="tiny cannot be loaded as a causal language model"):
        CausalJudge.load(find_model(str(file)), "cpu", "float32")
