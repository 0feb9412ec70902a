"""Tiny random networks for the neural metrics, and the real MiniLM if it was downloaded."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from parapluie_gui import pairs
from parapluie_gui.metrics.lexical import wordnet
from parapluie_gui.metrics.neural import model_files

WORDS = ["the", "a", "cat", "dog", "sat", "ran", "on", "in", "mat", "house", "old", "small", "black", "and", "not"]
WORDS += ["there", "is", ".", ",", "!", "?", "'", "猫", "在"]
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
SIZES = {"hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 24}


def save_tokenizer(folder: Path) -> int:
    """Save a WordPiece tokenizer and return the size of its vocabulary."""
    from transformers import BertTokenizer

    folder.mkdir(parents=True, exist_ok=True)
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, *LETTERS, *(f"##{letter}" for letter in LETTERS)]
    pieces = list(dict.fromkeys(pieces))
    (folder / "vocab.txt").write_text("\n".join(pieces), encoding="utf-8")
    tokenizer = BertTokenizer(vocab={piece: number for number, piece in enumerate(pieces)}, do_lower_case=True)
    tokenizer.save_pretrained(folder)
    return len(pieces)


def save_bert(folder: Path, kind: str = "BertModel", **settings) -> Path:
    """Save a random BERT of three layers and return its folder."""
    import torch
    import transformers

    size = save_tokenizer(folder)
    config = transformers.BertConfig(
        vocab_size=size, max_position_embeddings=512, initializer_range=0.5, **{**SIZES, **settings}
    )
    torch.manual_seed(1)
    getattr(transformers, kind)(config).save_pretrained(folder)
    return folder


def save_bart(folder: Path) -> Path:
    """Save a random BART with two encoder and two decoder layers, and return its folder."""
    import torch
    from transformers import BartConfig, BartForConditionalGeneration

    size = save_tokenizer(folder)
    config = BartConfig(
        vocab_size=size,
        d_model=16,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=24,
        decoder_ffn_dim=24,
        max_position_embeddings=512,
        init_std=0.5,
        pad_token_id=0,
        bos_token_id=2,
        eos_token_id=3,
        decoder_start_token_id=3,
        forced_eos_token_id=None,
    )
    torch.manual_seed(2)
    BartForConditionalGeneration(config).save_pretrained(folder)
    return folder


@pytest.fixture(autouse=True)
def bare(home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Hide all models of this computer except those that a test creates."""
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    monkeypatch.setattr(model_files, "_PACKAGE", "a_package_that_is_not_here")


@pytest.fixture(scope="session")
def bert(tmp_path_factory) -> Path:
    return save_bert(tmp_path_factory.mktemp("models") / "tiny-bert")


@pytest.fixture(scope="session")
def bart(tmp_path_factory) -> Path:
    return save_bart(tmp_path_factory.mktemp("models") / "tiny-bart")


@pytest.fixture(scope="session")
def make_classifier(tmp_path_factory) -> Callable[..., Path]:
    """Return a function that saves a random sequence classifier with the given labels."""

    def make(*labels: str) -> Path:
        folder = tmp_path_factory.mktemp("models") / "tiny-classifier"
        names = dict(enumerate(labels))
        back = {name: number for number, name in names.items()}
        return save_bert(folder, "BertForSequenceClassification", id2label=names, label2id=back)

    return make


@pytest.fixture(scope="session")
def minilm() -> str:
    """The folder of the real MiniLM, if it was downloaded or its package is installed."""
    import platformdirs

    folder = Path(platformdirs.user_data_path("parapluie", appauthor=False)) / "models" / model_files.MINILM
    if not (folder / "parapluie-model.json").is_file():
        pytest.skip("the MiniLM is not here: parapluie models get all-minilm-l6-v2")
    return str(folder)


@pytest.fixture(scope="session")
def real_wordnet() -> Path:
    """The folder of WordNet 3.0, if it was downloaded or is installed."""
    home = os.environ.pop("PARAPLUIE_HOME", None)
    path = wordnet.find_wordnet()
    if home is not None:
        os.environ["PARAPLUIE_HOME"] = home
    if path is None or path.is_file():
        pytest.skip("WordNet is not here as a folder: parapluie models get wordnet")
    return path


@pytest.fixture
def wordnet_folder(real_wordnet: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """WordNet 3.0, made available although every test has its own data folder."""
    monkeypatch.setenv("WNSEARCHDIR", str(real_wordnet))
    return real_wordnet


@pytest.fixture(scope="session")
def mrpc(shared_data: Path) -> SimpleNamespace:
    """MRPC as published, 5,801 pairs: lists `source` and `hypothesis`, array `label`."""
    parts = [pairs.read(shared_data / "mrpc" / f"msr_paraphrase_{part}.txt") for part in ("train", "test")]
    return SimpleNamespace(
        source=[text for part in parts for text in part.source],
        hypothesis=[text for part in parts for text in part.hypothesis],
        label=np.concatenate([part.label for part in parts]),
    )
