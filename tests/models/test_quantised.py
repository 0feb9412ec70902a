"""The int8 format: its error, complete models through ordinary loading, damage, and the checksum."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from masked_models import save_masked
from safetensors.torch import load_file, save_file
from transformers.models.auto.modeling_auto import AutoModelForCausalLM

from parapluie_gui import places
from parapluie_gui.errors import ModelError
from parapluie_gui.models import catalogue
from parapluie_gui.models.catalogue import (
    MANIFEST,
    POCKET,
    choose_default_judge,
    find_kind,
    find_model,
    is_ready,
    judges,
)
from parapluie_gui.models.gguf_header import weights_type
from parapluie_gui.models.kind import CAUSAL, MASKED
from parapluie_gui.models.loading import load_files, quiet
from parapluie_gui.models.manifest import checksums, list_checksum, sha256, write_manifest
from parapluie_gui.models.quantised import (
    WEIGHTS,
    average_int8,
    is_int8,
    quantisation_type,
    quantise,
    read_int8,
    save_int8,
)
from parapluie_gui.pluie.causal import CausalJudge
from parapluie_gui.pluie.masked import MaskedJudge


def gguf_with(tmp_path: Path, *entries: bytes, count: int | None = None) -> Path:
    file = tmp_path / "some.gguf"
    file.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, len(entries) if count is None else count) + b"".join(entries))
    return file


def entry(key: bytes, kind: int, value: bytes) -> bytes:
    return struct.pack("<Q", len(key)) + key + struct.pack("<I", kind) + value


def text(value: bytes) -> bytes:
    return struct.pack("<Q", len(value)) + value


def test_the_type_of_gguf_weights_is_read_after_other_entries(tmp_path):
    words = struct.pack("<IQ", 8, 2) + text(b"one") + text(b"two")
    numbers = struct.pack("<IQ", 5, 3) + struct.pack("<3i", 1, 2, 3)
    before = [entry(b"a", 8, text(b"llama")), entry(b"b", 9, words), entry(b"c", 9, numbers), entry(b"d", 7, b"\1")]
    file_type = entry(b"general.file_type", 4, struct.pack("<I", 15))
    assert quantisation_type(tmp_path, gguf_with(tmp_path, *before, file_type).name) == "Q4_K_M"
    assert weights_type(gguf_with(tmp_path, *before)) == ""
    assert weights_type(gguf_with(tmp_path, entry(b"general.file_type", 4, struct.pack("<I", 1024)))) == ""


@pytest.mark.parametrize(
    "damaged",
    [
        entry(b"a", 8, struct.pack("<Q", 2**62)),
        entry(b"a", 9, struct.pack("<IQ", 8, 2**62)),
        entry(b"a", 9, struct.pack("<IQ", 5, 2**62)),
        entry(b"a", 9, struct.pack("<IQ", 9, 2**62)),
        entry(b"a", 99, b"1234"),
        entry(b"general.file_type", 6, struct.pack("<f", float("inf"))),
        struct.pack("<Q", 2**62),
        b"",
    ],
)
def test_a_damaged_header_gives_no_type(damaged, tmp_path):
    assert weights_type(gguf_with(tmp_path, damaged, count=5)) == ""
    assert weights_type(gguf_with(tmp_path, damaged, count=2**62)) == ""


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> Path:
    return save_masked(tmp_path_factory.mktemp("int8") / "plain")


@pytest.fixture
def packed(plain, tmp_path) -> Path:
    return pack(plain, tmp_path / "packed")


def pack(plain: Path, folder: Path) -> Path:
    with quiet():
        save_int8(*load_files(find_model(str(plain)), torch.device("cpu"), "float32", MASKED), folder)
    return folder


def refusal(folder: Path) -> str:
    with pytest.raises(ModelError) as caught:
        MaskedJudge.load(find_model(str(folder)), "cpu", "float32")
    return str(caught.value)


def test_the_error_is_below_half_a_step_of_each_row():
    torch.manual_seed(0)
    matrix = torch.randn(50, 300) * torch.logspace(-4, 2, 50)[:, None]
    matrix[3] = 0
    matrix[4, 1:] = 0
    whole, scale = quantise(matrix)
    assert (whole.dtype, whole.shape, scale.dtype, scale.shape) == (torch.int8, matrix.shape, torch.float32, (50,))
    back = whole.float() * scale[:, None]
    # No worse than plain rounding to 127 steps on either side, whose error is at most half a step.
    step = matrix.abs().amax(1, keepdim=True) / 127
    rounded = torch.where(step > 0, (matrix / step).round() * step, matrix)
    assert ((back - matrix).square().sum(1) <= (rounded - matrix).square().sum(1) * 1.0001).all()
    assert torch.equal(back[3], matrix[3])


@pytest.mark.parametrize(("precision", "tolerance"), [("float32", 0.01), ("bfloat16", 0.02)])
def test_a_masked_model_survives_quantisation(plain, packed, precision, tolerance):
    assert is_int8(packed) and not is_int8(plain)
    assert (packed / WEIGHTS).stat().st_size < 0.6 * (plain / WEIGHTS).stat().st_size
    # Compared as loaded from the files, because a backend would rearrange the matrices.
    cpu = torch.device("cpu")
    with quiet():
        before = load_files(find_model(str(plain)), cpu, "float32", MASKED)[0].state_dict()
        model, tokenizer = load_files(find_model(str(packed)), cpu, precision, MASKED)
    after = model.state_dict()
    assert before.keys() == after.keys()
    assert sum(tensor.ndim == 2 for tensor in before.values()) > 10
    for name, tensor in before.items():
        assert float((after[name].float() - tensor).norm()) <= tolerance * float(tensor.norm()) + 1e-6, name
    # The output head is still tied to the input words.
    if precision == "float32":
        assert model.get_output_embeddings().weight is model.get_input_embeddings().weight
    assert tokenizer.mask_token == "[MASK]"


def test_a_causal_model_survives_quantisation(folders, tmp_path):
    first = CausalJudge.load(find_model(str(folders("qwen2"))), "cpu", "float32")
    with quiet():
        save_int8(AutoModelForCausalLM.from_pretrained(folders("qwen2")), first.tokenizer, tmp_path / "small")
    files = find_model(str(tmp_path / "small"))
    assert files.kind == CAUSAL
    second = CausalJudge.load(files, "cpu", "float32")
    one, two = (backend.answer_logits([[5, 6, 7]]) for backend in (first, second))
    assert torch.nn.functional.cosine_similarity(one, two, dim=-1).min() > 0.99


def test_damaged_files_are_refused_in_a_sentence(packed):
    weights = packed / WEIGHTS
    whole = weights.read_bytes()
    metadata = {"format": "pt", "parapluie": "parapluie-int8", "parapluie_version": "1"}
    tensors = load_file(weights)
    scale = next(name for name in tensors if name.endswith(".scale"))
    damaged = "The weights of packed are damaged. Install or fetch them again."
    for change in ("lost", "short", "nan"):
        broken = dict(tensors)
        if change == "lost":
            del broken[scale]
        else:
            broken[scale] = tensors[scale][1:].clone() if change == "short" else tensors[scale] * torch.nan
        save_file(broken, weights, metadata)
        assert refusal(packed) == damaged
    weights.write_bytes(whole[:-100])
    assert refusal(packed) == damaged
    save_file(tensors, weights, {**metadata, "parapluie_version": "2"})
    assert refusal(packed) == (
        "packed is written in version 2 of the int8 format, but this program reads 1. Update this program."
    )
    some = {name: tensor for name, tensor in tensors.items() if "layer.1.attention.self.query" not in name}
    save_file(some, weights, metadata)
    assert refusal(packed).startswith("packed lacks weights that a masked language model needs (bert.encoder.layer.1")


@pytest.mark.parametrize("share", [0.5, 0.2])
def test_two_judges_can_be_averaged(plain, packed, tmp_path, share):
    files = find_model(str(plain))
    model, tokenizer = load_files(files, torch.device("cpu"), "float32", MASKED)
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(torch.randn_like(weight) * 0.1)
    save_int8(model, tokenizer, tmp_path / "other")
    one, other = (read_int8(folder, torch.float32) for folder in (packed, tmp_path / "other"))
    average_int8(packed, tmp_path / "other", share)
    mean = read_int8(packed, torch.float32)
    assert mean.keys() == one.keys() and is_int8(packed)
    for name, result in mean.items():
        wanted = (1 - share) * one[name] + share * other[name]
        assert torch.allclose(result, wanted, atol=float(wanted.abs().max()) / 127), name
    MaskedJudge.load(find_model(str(packed)), "cpu", "float32")


def test_judges_of_different_shapes_cannot_be_averaged(plain, packed, tmp_path):
    with pytest.raises(ModelError, match="does not contain a judge trained by train-judge"):
        average_int8(packed, plain)
    another = pack(save_masked(tmp_path / "another", "roberta"), tmp_path / "packed-roberta")
    before = sha256(packed / WEIGHTS)
    with pytest.raises(ModelError, match="not have the same shape"):
        average_int8(packed, another)
    assert sha256(packed / WEIGHTS) == before


def test_the_checksum_is_compared_on_every_load(packed):
    write_manifest(packed, title="Mine", licence="CC0")
    manifest = json.loads((packed / MANIFEST).read_text(encoding="utf-8"))
    assert (manifest["title"], manifest["licence"]) == ("Mine", "CC0")
    assert manifest["files"] == {file.name: sha256(file) for file in packed.iterdir() if file.name != MANIFEST}
    MaskedJudge.load(find_model(str(packed)), "cpu", "float32")
    content = bytearray((packed / WEIGHTS).read_bytes())
    content[-1] ^= 1
    (packed / WEIGHTS).write_bytes(content)
    assert refusal(packed) == "The weights of packed are damaged. Install or fetch them again."


def test_the_shipped_judge_is_in_this_format(packed, tmp_path, monkeypatch):
    monkeypatch.setattr(places, "pocket", lambda: tmp_path / "none")
    assert not is_ready(POCKET)
    assert choose_default_judge() == choose_default_judge({CAUSAL}) == "smollm2-135m"
    assert POCKET not in judges()
    with pytest.raises(ModelError, match="The pocket judge is not part of this installation"):
        find_model("pocket")
    write_manifest(packed)
    monkeypatch.setattr(places, "pocket", lambda: packed)
    shipped = replace(POCKET, files_sha256=list_checksum(checksums(packed)))
    monkeypatch.setattr(catalogue, "POCKET", shipped)
    assert is_ready(shipped) and judges()[0] is shipped
    assert (choose_default_judge(), choose_default_judge({MASKED}), choose_default_judge({CAUSAL})) == (
        "pocket",
        "pocket",
        "smollm2-135m",
    )
    files = find_model("Pocket")
    assert (files.name, files.folder, files.kind, find_kind("pocket")) == ("pocket", packed, MASKED, MASKED)
    assert "not the paper's zero-shot LLM" in files.note
    assert MaskedJudge.load(files, "cpu").describe().startswith("pocket: 0.0 M parameters, ")


def test_the_installed_pocket_judge_is_complete():
    if not is_ready(POCKET):
        pytest.skip("no weights in resources/pocket")
    folder = places.pocket()
    assert sum(file.stat().st_size for file in folder.iterdir()) <= 30e6
    assert {"config.json", "tokenizer.json", WEIGHTS, MANIFEST, "MODEL_CARD.md"} <= {
        file.name for file in folder.iterdir()
    }
    assert json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["files"] == checksums(folder)
    backend = MaskedJudge.load(find_model("pocket"), "cpu", "float32")
    assert backend.tokenizer.mask_token is not None
