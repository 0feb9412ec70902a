"""Masked language models of a few kilobytes with random weights and tokenisers of BERT's and RoBERTa's kind."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    AlbertConfig,
    BertConfig,
    BertTokenizer,
    DebertaV2Config,
    DistilBertConfig,
    ElectraConfig,
    ModernBertConfig,
    MPNetConfig,
    PreTrainedTokenizerFast,
    RobertaConfig,
)
from transformers.models.auto.modeling_auto import AutoModelForMaskedLM

from parapluie_gui.models.loading import quiet
from parapluie_gui.models.quantised import save_int8
from parapluie_gui.models.symmetric import add_terms

TEXT = ["same meaning : yes no", "The cat sat on the mat.", "Is the weather fine?", "Number one, two and three."] * 20
SIZE: dict[str, Any] = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2}
SIZE |= {"max_position_embeddings": 300, "initializer_range": 0.3}
FAMILIES: dict[str, tuple[type, dict[str, Any], str]] = {
    "bert": (BertConfig, SIZE, "bert"),
    "roberta": (RobertaConfig, {**SIZE, "type_vocab_size": 1}, "roberta"),
    "distilbert": (
        DistilBertConfig,
        {"dim": 32, "hidden_dim": 48, "n_layers": 2, "n_heads": 2, "initializer_range": 0.3},
        "bert",
    ),
    "electra": (ElectraConfig, {**SIZE, "embedding_size": 16}, "bert"),
    "albert": (AlbertConfig, {**SIZE, "embedding_size": 16}, "bert"),
    "mpnet": (MPNetConfig, SIZE, "bert"),
    "deberta-v2": (DebertaV2Config, {**SIZE, "relative_attention": True, "pos_att_type": ["c2p", "p2c"]}, "bert"),
    "modernbert": (ModernBertConfig, {**SIZE, "global_attn_every_n_layers": 2, "reference_compile": False}, "bert"),
}


def bert_tokenizer() -> PreTrainedTokenizerFast:
    """A WordPiece tokeniser with [CLS] A [SEP] B [SEP]."""
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    # Written out, because a trainer breaks ties at random, and ids would differ from run to run.
    words = sorted({word for text in TEXT for word in re.findall(r"\w+|[^\w\s]", text.lower())})
    letters = sorted({letter for word in words for letter in word})
    pieces = dict.fromkeys([*names, *letters, *(f"##{letter}" for letter in letters), *words])
    inner = Tokenizer(models.WordPiece({piece: at for at, piece in enumerate(pieces)}, unk_token="[UNK]"))
    inner.normalizer = normalizers.BertNormalizer(lowercase=True)
    inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    single, pair = "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1"
    inner.post_processor = processors.TemplateProcessing(single, pair, [("[CLS]", 2), ("[SEP]", 3)])
    inner.decoder = decoders.WordPiece()
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]"}
    return PreTrainedTokenizerFast(
        tokenizer_object=inner, sep_token="[SEP]", mask_token="[MASK]", model_max_length=512, **special
    )


def roberta_tokenizer() -> PreTrainedTokenizerFast:
    """A byte-level tokeniser with <s> A </s></s> B </s>, whose mask token takes in the space before it."""
    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    names = ["<s>", "<pad>", "</s>", "<unk>"]
    inner.train_from_iterator(
        TEXT, trainers.BpeTrainer(vocab_size=400, special_tokens=names, initial_alphabet=alphabet)
    )
    inner.add_special_tokens([AddedToken("<mask>", lstrip=True, special=True)])
    inner.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    special = {"pad_token": "<pad>", "unk_token": "<unk>", "cls_token": "<s>", "bos_token": "<s>"}
    mask = AddedToken("<mask>", lstrip=True, special=True)
    return PreTrainedTokenizerFast(
        tokenizer_object=inner, sep_token="</s>", eos_token="</s>", mask_token=mask, **special
    )


TOKENIZERS = {"bert": bert_tokenizer, "roberta": roberta_tokenizer}


def save_masked(folder: Path, family: str = "bert", seed: int = 0) -> Path:
    """Write a random model of a family and return its folder."""
    config_class, settings, whose = FAMILIES[family]
    tokenizer = TOKENIZERS[whose]()
    torch.manual_seed(seed)
    ids = {"pad_token_id": tokenizer.pad_token_id, "bos_token_id": None, "eos_token_id": None}
    config = config_class(vocab_size=len(tokenizer), **settings, **ids)
    with quiet():
        model = AutoModelForMaskedLM.from_config(config)
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    return folder


def save_symmetric(folder: Path, across: float | None = None) -> Path:
    """Write a random symmetric judge, as `train-judge` does; return its folder.

    `across` is the weight of its heads on the other sentence; None for random weights.
    """
    with quiet():
        model = AutoModelForMaskedLM.from_pretrained(save_masked(folder / "plain"), dtype=torch.float32).eval()
        tokenizer = BertTokenizer(vocab=PreTrainedTokenizerFast.from_pretrained(folder / "plain").get_vocab())
    add_terms(model)
    with torch.no_grad():
        if across is None:
            model.both.across.copy_(torch.randn(model.both.across.shape))
        else:
            model.both.across.fill_(across)
    save_int8(model, tokenizer, folder / "judge")
    return folder / "judge"
