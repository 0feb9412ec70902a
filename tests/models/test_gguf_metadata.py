"""The metadata of a GGUF file is parsed once per load, to the values that transformers' own way gives."""

from __future__ import annotations

import contextlib
from concurrent.futures import ThreadPoolExecutor

import gguf
import numpy as np
import pytest
import torch
from tiny_gguf import write_gguf

from parapluie_gui.models import loading
from parapluie_gui.models.catalogue import find_model
from parapluie_gui.models.gguf_metadata import parse_gguf_once
from parapluie_gui.models.loading import load_files


def test_a_load_parses_the_file_once_and_computes_the_same(tmp_path, tokenizers, monkeypatch):
    file = tmp_path / "tiny.gguf"
    write_gguf(file, tokenizers("qwen2"))
    parsed = []
    build = gguf.GGUFReader._build_fields
    monkeypatch.setattr(gguf.GGUFReader, "_build_fields", lambda *own: parsed.append(own[0]) or build(*own))
    model, tokenizer = load_files(find_model(str(file)), torch.device("cpu"), "float32")
    assert len(parsed) == 1
    original = gguf.GGUFReader
    with monkeypatch.context() as plain:
        plain.setattr(loading, "parse_gguf_once", contextlib.nullcontext)
        other, its_tokenizer = load_files(find_model(str(file)), torch.device("cpu"), "float32")
    assert len(parsed) > 2, "transformers parses the file once now: parse_gguf_once can go"
    assert gguf.GGUFReader is original
    assert tokenizer.get_vocab() == its_tokenizer.get_vocab()
    for (name, weight), (its_name, its_weight) in zip(model.named_parameters(), other.named_parameters(), strict=True):
        assert name == its_name and torch.equal(weight, its_weight)


def test_loads_in_threads_do_not_disturb_each_other(tmp_path, tokenizers):
    file = tmp_path / "tiny.gguf"
    write_gguf(file, tokenizers("qwen2"))
    files = find_model(str(file))
    with ThreadPoolExecutor(4) as pool:
        models = list(pool.map(lambda _: load_files(files, torch.device("cpu"), "float32")[0], range(4)))
    weights = [model.get_input_embeddings().weight for model in models]
    assert all(torch.equal(weight, weights[0]) for weight in weights)


def test_the_reader_is_restored_after_an_error(tmp_path):
    original = gguf.GGUFReader
    file = tmp_path / "damaged.gguf"
    file.write_bytes(b"GGUF")
    with pytest.raises((ValueError, IndexError)), parse_gguf_once():
        gguf.GGUFReader(file)
    assert gguf.GGUFReader is original


def test_slices_are_those_of_a_plain_array(tmp_path, tokenizers):
    file = tmp_path / "tiny.gguf"
    write_gguf(file, tokenizers("qwen2"))
    with parse_gguf_once():
        reader = gguf.GGUFReader(file)
    assert type(reader.data) is np.ndarray and isinstance(reader.data.base, np.memmap)
