"""Every file read from a model's folder is compared with its recorded or published checksum."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from parapluie_gui import places
from parapluie_gui.errors import ModelError
from parapluie_gui.models import catalogue, manifest
from parapluie_gui.models.catalogue import POCKET, find_model
from parapluie_gui.models.manifest import MANIFEST, check_files, checksums, list_checksum, sha256, write_manifest
from parapluie_gui.pluie.masked import MaskedJudge


@pytest.fixture
def model(tmp_path) -> Path:
    folder = tmp_path / "model"
    (folder / "1_Pooling").mkdir(parents=True)
    for name in ("model.safetensors", "config.json", "tokenizer.json", "1_Pooling/config.json", "MODEL_CARD.md"):
        (folder / name).write_text(f"of {name}")
    write_manifest(folder, title="Mine")
    return folder


def refusal(folder: Path, known: str = "") -> str:
    with pytest.raises(ModelError) as caught:
        check_files(folder, known)
    return str(caught.value)


def test_the_manifest_lists_every_file_that_is_read(model):
    said = json.loads((model / MANIFEST).read_text(encoding="utf-8"))
    assert said["title"] == "Mine"
    assert list(said["files"]) == ["1_Pooling/config.json", "config.json", "model.safetensors", "tokenizer.json"]
    assert said["files"]["config.json"] == sha256(model / "config.json")
    assert said["files_sha256"] == list_checksum(said["files"])
    check_files(model)
    check_files(model, said["files_sha256"])


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("tokenizer.json", "tokenizer.json of model is damaged or was changed. Install or fetch the model again."),
        ("1_Pooling/config.json", "1_Pooling/config.json of model is damaged or was changed. Install or fetch the"),
        ("model.safetensors", "The weights of model are damaged. Install or fetch them again."),
        (MANIFEST, f"{MANIFEST} of model is damaged or was changed. Install or fetch the model again."),
    ],
)
def test_one_changed_bit_is_noticed(model, name, sentence):
    content = (model / name).read_bytes()
    # In the manifest, a digit of the last checksum: it stays valid JSON.
    at = len(content) - 10
    (model / name).write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
    assert refusal(model).startswith(sentence)


def test_missing_and_added_files_are_noticed(model):
    (model / "tokenizer.json").rename(model / "chat_template.jinja")
    assert refusal(model) == "chat_template.jinja was added to the model model. Remove it, or fetch the model again."
    (model / "chat_template.jinja").unlink()
    assert refusal(model) == "tokenizer.json of model is missing. Install or fetch the model again."
    (model / "tokenizer.json").write_text("of tokenizer.json")
    (model / "MODEL_CARD.md").write_text("nothing reads it")
    check_files(model)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"files": 3}', '{"files": {"a": "b"}}', "[" * 100_000])
def test_a_broken_manifest_is_refused(model, content):
    (model / MANIFEST).write_text(content)
    assert refusal(model).startswith(f"{MANIFEST} of model is damaged or was changed.")


def test_a_new_manifest_does_not_match_the_published_checksum(model):
    known = list_checksum(checksums(model))
    (model / "tokenizer.json").write_text("another")
    write_manifest(model)
    check_files(model)
    (model / MANIFEST).unlink()
    for _ in range(2):
        assert "are not those of the published model" in refusal(model, known)
        write_manifest(model)


def test_foreign_folders_and_older_manifests_are_accepted(model):
    (model / MANIFEST).unlink()
    check_files(model)
    (model / MANIFEST).write_text(json.dumps({"weights_sha256": sha256(model / "model.safetensors")}))
    check_files(model)
    (model / "model.safetensors").write_text("other")
    assert refusal(model) == "The weights of model are damaged. Install or fetch them again."


def test_a_large_file_is_hashed_again_after_a_change(model, home, monkeypatch):
    monkeypatch.setattr(manifest, "_LARGE", 10)
    monkeypatch.setattr(manifest, "_SETTLED", -1)
    (home / "models").mkdir(parents=True)
    write_manifest(model)
    read: list[str] = []
    real = manifest.sha256
    monkeypatch.setattr(manifest, "sha256", lambda file: read.append(file.name) or real(file))
    check_files(model)
    assert read == []
    weights = model / "model.safetensors"
    state = weights.stat()
    content = weights.read_bytes()
    weights.write_bytes(content[:-1] + b"?")
    os.utime(weights, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert weights.stat().st_size == state.st_size and weights.stat().st_mtime_ns == state.st_mtime_ns
    assert refusal(model) == "The weights of model are damaged. Install or fetch them again."
    assert read == ["model.safetensors"]
    (home / "models" / "checked.json").write_text("[" * 100_000)
    weights.write_bytes(content)
    check_files(model)


def pocket(tmp_path, monkeypatch) -> Path:
    if not catalogue.is_ready(POCKET):
        pytest.skip("no weights in resources/pocket")
    folder = tmp_path / "pocket"
    shutil.copytree(places.pocket(), folder)
    monkeypatch.setattr(places, "pocket", lambda: folder)
    return folder


@pytest.mark.parametrize("name", ["tokenizer.json", "tokenizer_config.json", "config.json", "model.safetensors"])
def test_each_file_of_the_pocket_judge_is_verified(tmp_path, monkeypatch, name):
    folder = pocket(tmp_path, monkeypatch)
    content = bytearray((folder / name).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / name).write_bytes(content)
    with pytest.raises(ModelError, match=r"damaged.* Install or fetch"):
        MaskedJudge.load(find_model("pocket"), "cpu", "float32")
    # Writing a different manifest does not help either.
    write_manifest(folder)
    with pytest.raises(ModelError, match="are not those of the published model"):
        MaskedJudge.load(find_model("pocket"), "cpu", "float32")


def test_the_pocket_judge_without_its_manifest_is_refused(tmp_path, monkeypatch):
    folder = pocket(tmp_path, monkeypatch)
    (folder / MANIFEST).unlink()
    with pytest.raises(ModelError, match=rf"{MANIFEST} of the pocket judge is missing. Reinstall the program."):
        find_model("pocket")


def test_a_file_added_to_the_pocket_judge_is_refused(tmp_path, monkeypatch):
    folder = pocket(tmp_path, monkeypatch)
    (folder / "added_tokens.json").write_text("{}")
    with pytest.raises(ModelError, match=r"added_tokens.json was added to the model pocket"):
        MaskedJudge.load(find_model("pocket"), "cpu", "float32")


def test_the_catalogue_knows_the_shipped_pocket_judge():
    if not catalogue.is_ready(POCKET):
        pytest.skip("no weights in resources/pocket")
    said = json.loads((places.pocket() / MANIFEST).read_text(encoding="utf-8"))["files_sha256"]
    assert POCKET.files_sha256 == said, f'put files_sha256 = "{said}" into the entry "pocket" of resources/models.toml'
    check_files(places.pocket(), POCKET.files_sha256)


def test_the_published_checksum_reaches_the_loader(home, monkeypatch):
    item = next(item for item in catalogue.CATALOGUE if item.files_sha256)
    (home / "models" / item.name).mkdir(parents=True)
    (home / "models" / item.name / MANIFEST).write_text("{}")
    assert find_model(item.name).known == item.files_sha256 != ""
