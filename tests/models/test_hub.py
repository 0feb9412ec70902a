"""Models of the hub: information before a fetch, resuming, checksums, the pinned revision, and readable errors."""

from __future__ import annotations

import errno
import io
import json
import sys
from types import SimpleNamespace

import pytest
from hub import COMMIT, OLDER, HubRepo, serving_hub

from parapluie_gui.commands.main import main
from parapluie_gui.errors import ModelError
from parapluie_gui.models import catalogue, hub, hub_cache
from parapluie_gui.models.catalogue import find_model
from parapluie_gui.models.manifest import MANIFEST, check_files

WEIGHTS = bytes(range(256)) * 1000
MODEL = {
    "config.json": b'{"architectures": ["LlamaForCausalLM"]}',
    "tokenizer.json": b"{}",
    "model.safetensors": WEIGHTS,
}
#: Files that are not needed besides the model.
MORE = {
    "README.md": b"hello",
    "consolidated.safetensors": WEIGHTS,
    "pytorch_model.bin": WEIGHTS,
    "pytorch_model.bin.index.json": b"{}",
    "onnx/model.onnx": WEIGHTS,
    "onnx/config.json": b"{}",
    "model.Q4_0.gguf": b"GGUF four bits",
}


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Return the library's download folder, empty; the library may use the network."""
    for name in ("HF_TOKEN", "HF_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(tmp_path / "token"))
    monkeypatch.setattr("huggingface_hub.file_download.time.sleep", lambda seconds: None)
    return tmp_path / "hub"


@pytest.fixture
def served(cache, monkeypatch):
    with serving_hub({"me/mine": HubRepo({**MODEL, **MORE}, parameters=64_000)}) as result:
        monkeypatch.setenv("HF_ENDPOINT", result.address)
        yield result


def refusal(name: str, **options) -> str:
    with pytest.raises(ModelError) as caught:
        hub.fetch(hub.look_up(name, **options))
    return str(caught.value)


def test_needed_files_are_fetched_once_verified_and_pinned(served, cache):
    model = hub.look_up("me/mine")
    assert (model.commit, model.licence, model.parameters) == (COMMIT, "apache-2.0", 64_000)
    assert [file.name for file in model.files] == list(MODEL) and model.downloaded_size == 0
    assert model.size == sum(map(len, MODEL.values()))
    told: list[tuple[float, str]] = []
    folder = hub.fetch(model, lambda *step: told.append(step))
    assert [share for share, _ in told] == sorted(share for share, _ in told)
    assert told[-1] == (1.0, f"me/mine is ready: {folder}")
    assert {each.name for each in folder.iterdir()} == {*MODEL, MANIFEST}
    assert (folder / "model.safetensors").read_bytes() == WEIGHTS
    facts = json.loads((folder / MANIFEST).read_text())
    assert (facts["name"], facts["licence"], facts["revision"]) == ("me/mine", "apache-2.0", COMMIT)
    files = find_model("me/mine")
    assert (files.folder, files.revision) == (folder, COMMIT[:12])
    assert list(hub_cache.downloaded_hub_models()) == ["me/mine"] and catalogue.find_kind("me/mine") == "causal"
    # Another program fetches a newer revision, and more files of this one.
    (cache / "models--me--mine" / "refs" / "main").write_text(OLDER)
    (cache / "models--me--mine" / "snapshots" / OLDER).mkdir()
    (folder / "more.json").write_text("{}")
    assert find_model("me/mine").folder == folder
    check_files(folder)
    fetched = len(served.fetched)
    assert hub.fetch(model) == folder and len(served.fetched) == fetched and model.downloaded_size == model.size
    (folder / "config.json").resolve().write_text("{}")
    with pytest.raises(ModelError, match=r"config\.json of mine is damaged or was changed"):
        check_files(folder)


def test_an_interrupted_fetch_is_continued(served, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.DOWNLOAD_CHUNK_SIZE", 100_000)

    def stop(share: float, text: str) -> None:
        if share > 0.4:
            raise KeyboardInterrupt

    model = hub.look_up("me/mine")
    with pytest.raises(KeyboardInterrupt):
        hub.fetch(model, stop)
    with pytest.raises(ModelError, match="me/mine is not on this computer"):
        find_model("me/mine")
    assert list(hub_cache.downloaded_hub_models()) == []
    assert 100_000 <= model.downloaded_size < model.size
    served.breaks_after = 50_000  # and the connection is lost once
    folder = hub.fetch(model)
    weights = [start for name, start in served.fetched if name == "model.safetensors"]
    assert len(weights) == 3 and weights[0] == 0 < weights[1] <= weights[2]
    assert (folder / "model.safetensors").read_bytes() == WEIGHTS


def test_files_that_differ_from_the_published_ones_are_deleted(served, cache):
    served.repos["me/mine"].claims["model.safetensors"] = "a" * 64
    assert refusal("me/mine") == (
        "model.safetensors of me/mine arrived damaged and was deleted. Fetch the model again."
    )
    assert not (cache / "models--me--mine" / "blobs" / ("a" * 64)).exists()
    assert list(hub_cache.downloaded_hub_models()) == []


def test_a_gguf_file_is_fetched(served):
    assert refusal("me/mine:q8.gguf") == (
        "me/mine:q8.gguf is not among the files of this model. It has model.Q4_0.gguf."
    )
    name = "me/mine:model.Q4_0.gguf"
    model = hub.look_up(name)
    assert model.size == len(MORE["model.Q4_0.gguf"]) and model.parameters is None
    folder = hub.fetch(model)
    files = find_model(name)
    assert (files.name, files.folder, files.gguf, files.revision) == (name, folder, "model.Q4_0.gguf", COMMIT[:12])
    assert list(hub_cache.downloaded_hub_models()) == [name] and catalogue.find_kind(name) == "causal"


def test_only_needed_files_are_chosen():
    parts = [f"q4-0000{part}-of-00003.gguf" for part in (1, 2, 3)]
    assert hub.choose_files("a/b", parts, parts[0]) == parts
    shards = [f"model-0000{part}-of-00002.safetensors" for part in (1, 2)]
    beside = ["1_Pooling/config.json", "LICENSE", "model.safetensors.index.json", "vocab.txt"]
    others = [
        "model.fp16.safetensors",
        "original/params.json",
        "..\\evil.json",
        "../evil.json",
        "tf_model.h5",
        MANIFEST,
    ]
    assert hub.choose_files("a/b", [*shards, *others, *beside], "") == [*beside, *shards]
    assert hub.choose_files("a/b", ["odd.safetensors", "adapter_config.json"], "") == [
        "adapter_config.json",
        "odd.safetensors",
    ]
    with pytest.raises(ModelError, match=r"a/b consists of GGUF files\. It has q4-.*; write a/b:FILE\.gguf\.$"):
        hub.choose_files("a/b", parts, "")
    with pytest.raises(ModelError, match="a/b has no safetensors weights, and pickled weights are not read"):
        hub.choose_files("a/b", ["pytorch_model.bin"], "")


def test_reasons_why_a_model_cannot_be_fetched_are_reported(served, monkeypatch, tmp_path):
    host = served.address.removeprefix("http://")
    assert refusal("me/none") == (
        f"There is no model me/none on {host}, or it is private. Check the name. Log in with `hf auth login`, or set "
        "HF_TOKEN for a private one."
    )
    assert refusal("me/mine", revision="v9") == (
        "me/mine has no revision v9. Name one of its branches, tags or commits."
    )
    served.status = 503
    assert refusal("me/mine").startswith(f"{host} refused to send me/mine (")
    served.status = 0
    monkeypatch.setattr(hub.shutil, "disk_usage", lambda folder: SimpleNamespace(free=1000))
    assert refusal("me/mine").startswith("me/mine needs another 0 MB in ") and "Free disk space" in refusal("me/mine")
    monkeypatch.undo()


def test_a_gated_model_needs_permission(served, monkeypatch):
    served.repos["me/mine"].gated, served.repos["me/mine"].token = "manual", "right"
    about = f"me/mine is gated: its authors have to grant access. Ask for it on {served.address}/me/mine."
    assert refusal("me/mine") == f"{about} Log in with `hf auth login`, or set HF_TOKEN; then try again."
    monkeypatch.setenv("HF_TOKEN", "wrong")
    assert refusal("me/mine") == f"{about} Your token does not have access yet; then try again."
    monkeypatch.setenv("HF_TOKEN", "right")
    assert hub.fetch(hub.look_up("me/mine")).is_dir()


def test_no_network_and_a_full_disk_are_reported(served, monkeypatch):
    model = hub.look_up("me/mine")

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("huggingface_hub.file_download.http_get", full)
    with pytest.raises(
        ModelError, match=r"^The disk filled up while me/mine was being fetched\. Free disk space and try again;"
    ):
        hub.fetch(model)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert refusal("me/mine").startswith("me/mine could not be fetched from 127.0.0.1:9 (")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert refusal("me/mine") == "HF_HUB_OFFLINE is set, so nothing is fetched. Unset it and try again."


def test_the_command_shows_licence_and_size_and_asks(served, capsys, monkeypatch):
    assert main(["models", "get", "me/mine", "--look"]) == 0
    shown = capsys.readouterr().out
    assert "licence\tapache-2.0\n" in shown and "size\t0 MB in 3 files\n" in shown and f"revision\t{COMMIT}" in shown
    assert "llama.cpp, Q4" in shown and served.fetched == []
    assert main(["models", "get", "me/mine", "--look", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["size"] == sum(map(len, MODEL.values()))
    assert main(["models", "get", "me/mine"]) == 2
    assert "me/mine was not fetched, because nobody could be asked. Add --yes" in capsys.readouterr().err

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for answer, done in (("\n", 0), ("y\n", 3)):
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdin", Terminal(answer))
            patched.setattr(sys.stderr, "isatty", lambda: True)
            assert main(["models", "get", "me/mine"]) == 0
        assert len(served.fetched) == done
    assert "95% Downloading me/mine (" in capsys.readouterr().err
    assert main(["models", "get", "me/mine:model.Q4_0.gguf", "--look"]) == 0
    assert "memory\t200 MB (llama.cpp, as in the file)" in capsys.readouterr().out
    assert main(["models", "get", "me/mine", "--revision", COMMIT, "--json", "--yes"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["share"] == 1.0
