"""Fetching without pip: from the index that pip's configuration names, by the pinned checksum and nothing else."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from http_server import QuietHandler, listening

from parapluie_gui.models import pip_download
from parapluie_gui.models.index_download import DownloadError, pip_settings

FILE = bytes(range(256)) * 2_000
PIN = hashlib.sha256(FILE).hexdigest()
WHEEL = "some_package-1.0-py3-none-any.whl"
PYPI_JSON = "application/vnd.pypi.simple.v1+json"


class Index:
    """A server with pages and files by path and content type, which records requests and their headers.

    Attributes:
        breaks: Number of answers with a file that are cut off in the middle.
    """

    def __init__(self) -> None:
        self.answers: dict[str, tuple[str, bytes]] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.breaks = 0
        self.address = ""

    def page(self, *links: str, path: str = "/simple/some-package/") -> None:
        self.answers[path] = "text/html", "".join(f'<a href="{link}">x</a>' for link in links).encode()


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    monkeypatch.setattr(pip_download.importlib.util, "find_spec", lambda name: None)
    for name in list(pip_settings()):
        monkeypatch.delenv(f"PIP_{name.upper().replace('-', '_')}", raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    result = Index()

    class Handler(QuietHandler):
        def do_GET(self) -> None:
            result.asked.append((self.path, dict(self.headers)))
            if self.path not in result.answers:
                self.send_error(404)
                return
            kind, data = result.answers[self.path]
            start = int(self.headers.get("Range", "bytes=0-")[6:-1])
            self.send_response(206 if start else 200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data) - start))
            self.end_headers()
            if result.breaks and kind == "application/octet-stream":
                result.breaks -= 1
                data = data[: start + 100_000]
            self.wfile.write(data[start:])

    with listening(Handler) as address:
        result.address = address
        result.answers[f"/files/{WHEEL}"] = "application/octet-stream", FILE
        monkeypatch.setenv("PIP_INDEX_URL", f"{address}/simple/")
        yield result


def fetch(folder: Path, **more: object) -> tuple[Path, list[tuple[int, int]]]:
    steps: list[tuple[int, int]] = []
    folder.mkdir(exist_ok=True)
    got = pip_download.download("Some.Package", "1.0", PIN, folder, lambda *step: steps.append(step), **more)
    return got, steps


def test_a_page_of_links_is_read(index, tmp_path):
    index.page("../../files/some_package-2.0-py3-none-any.whl", f"../../files/{WHEEL}#sha256={PIN}")
    got, steps = fetch(tmp_path)
    assert got == tmp_path / WHEEL and got.read_bytes() == FILE
    assert steps[-1] == (len(FILE), len(FILE)) and len(steps) > 2
    assert PYPI_JSON in index.asked[0][1]["Accept"]


def test_a_json_page_with_several_files_of_a_version_is_read(index, tmp_path):
    other = {"url": "/files/some_package-1.0-cp39-none-any.whl", "hashes": {"sha256": "0" * 64}}
    page = {"files": [other, {"url": f"/files/{WHEEL}", "hashes": {"sha256": PIN}}]}
    index.answers["/simple/some-package/"] = PYPI_JSON, json.dumps(page).encode()
    assert fetch(tmp_path)[0].name == WHEEL


def test_an_interrupted_download_is_continued(index, tmp_path, monkeypatch):
    monkeypatch.setattr("parapluie_gui.models.index_download._PAUSE", 0.0)
    index.page(f"/files/{WHEEL}")
    index.breaks = 2
    got, _ = fetch(tmp_path)
    assert got.read_bytes() == FILE
    ranges = [headers.get("Range") for path, headers in index.asked if path.endswith(".whl")]
    assert ranges == [None, "bytes=100000-", "bytes=200000-"]


def test_a_name_that_leaves_the_folder_is_ignored(index, tmp_path):
    index.page("/files/some_package-1.0-%2F..%2F..%2Fevil.whl", "/files/some_package-1.0-%5C..%5Cevil.whl")
    with pytest.raises(DownloadError, match=r"has no Some\.Package 1\.0"):
        fetch(tmp_path)


@pytest.mark.parametrize("page", [{}, [], {"files": [{}]}, {"files": {"url": 1}}])
def test_a_malformed_page_is_reported(index, tmp_path, page):
    index.answers["/simple/some-package/"] = PYPI_JSON, json.dumps(page).encode()
    with pytest.raises(DownloadError):
        fetch(tmp_path)


@pytest.mark.parametrize("listed", ["", "#sha256=" + "0" * 64])
def test_a_different_file_is_refused(index, tmp_path, listed):
    index.page(f"/files/{WHEEL}{listed}")
    index.answers[f"/files/{WHEEL}"] = "application/octet-stream", b"evil"
    with pytest.raises(DownloadError) as caught:
        fetch(tmp_path)
    assert caught.value.checksum and list(tmp_path.iterdir()) == []


def test_credentials_of_the_index_are_sent_only_to_its_host(index, tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_INDEX_URL", f"{index.address.replace('//', '//me:p%40ss@')}/simple")
    index.page(f"{index.address.replace('127.0.0.1', 'localhost')}/files/{WHEEL}#sha256={PIN}")
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")
    fetch(tmp_path)
    login = "Basic " + base64.b64encode(b"me:p@ss").decode()
    assert [headers.get("Authorization") for _, headers in index.asked] == [login, None]


def test_a_second_index_source_archives_and_pips_configuration_are_used(index, tmp_path, monkeypatch):
    monkeypatch.delenv("PIP_INDEX_URL")
    config = tmp_path / "pip.conf"
    config.write_text(f"[global]\nindex-url = {index.address}/empty\nextra_index_url =\n  {index.address}/more/\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(config))
    name = "some-package-1.0.tar.gz"
    index.page(f"/files/{WHEEL}", f"/files/{name}", path="/more/some-package/")
    index.answers[f"/files/{name}"] = "application/gzip", FILE
    assert fetch(tmp_path / "got", source=True)[0].name == name


def test_a_folder_of_files_is_tried_first(index, tmp_path, monkeypatch):
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels" / WHEEL).write_bytes(FILE)
    monkeypatch.setenv("PIP_FIND_LINKS", (tmp_path / "wheels").as_uri())
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    assert fetch(tmp_path / "got")[0].read_bytes() == FILE and index.asked == []


def test_unavailable_files_are_reported(index, tmp_path, monkeypatch):
    with pytest.raises(DownloadError, match="Not Found"):
        fetch(tmp_path)
    index.page("/files/some_package-2.0-py3-none-any.whl")
    with pytest.raises(DownloadError, match=r"the package index has no Some\.Package 1\.0"):
        fetch(tmp_path)
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")  # nothing listens there
    with pytest.raises(DownloadError, match="refused"):
        fetch(tmp_path)


def test_a_missing_file_differs_from_an_unreachable_index(index, tmp_path, monkeypatch):
    with pytest.raises(DownloadError) as caught:
        fetch(tmp_path)
    assert caught.value.missing
    for first, second in ((index.address, "http://127.0.0.1:9"), ("http://127.0.0.1:9", (tmp_path / "none").as_uri())):
        monkeypatch.setenv("PIP_INDEX_URL", first)
        monkeypatch.setenv("PIP_EXTRA_INDEX_URL", second)
        with pytest.raises(DownloadError, match="refused") as caught:
            fetch(tmp_path)
        assert not caught.value.missing
