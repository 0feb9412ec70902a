"""Tiny random models of each family with their real conversation formats, and a direct form of the paper's score."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mistral_common
import pytest
import sentencepiece
import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import (
    Gemma2Config,
    GemmaConfig,
    GPT2Config,
    LlamaConfig,
    MambaConfig,
    MistralConfig,
    PreTrainedTokenizerFast,
    Qwen2Config,
)
from transformers.models.auto.modeling_auto import AutoModelForCausalLM

from parapluie_gui.models.catalogue import ModelFiles, find_model
from parapluie_gui.models.loading import quiet
from parapluie_gui.pluie.causal import CausalJudge
from parapluie_gui.pluie.templates import HYPOTHESIS, SOURCE, Template, load_templates

# The formats below are published by the models' authors with the weights.
LLAMA3 = (
    "{% for message in messages %}{% set content = '<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n' + "
    "message['content'] | trim + '<|eot_id|>' %}{% if loop.index0 == 0 %}{% set content = bos_token + content %}"
    "{% endif %}{{ content }}{% endfor %}{% if add_generation_prompt %}"
    "{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}"
)
CHATML = (
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}"
    "{{ '<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n' }}{% endif %}"
    "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
GEMMA = (
    "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not known') }}{% endif %}"
    "{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate') }}{% endif %}{% if message['role'] == 'assistant' %}"
    "{% set role = 'model' %}{% else %}{% set role = message['role'] %}{% endif %}"
    "{{ '<start_of_turn>' + role + '\n' + message['content'] | trim + '<end_of_turn>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}"
)
LLAMA2 = (
    "{% for message in messages %}{% if message['role'] == 'user' %}"
    "{{ bos_token + '[INST] ' + message['content'] | trim + ' [/INST]' }}{% elif message['role'] == 'assistant' %}"
    "{{ ' ' + message['content'] | trim + ' ' + eos_token }}{% else %}{{ raise_exception('No system') }}{% endif %}"
    "{% endfor %}"
)
# Mistral-7B-Instruct-v0.2: the current format, and the first one published.
MISTRAL = (
    "{{ bos_token }}{% for message in messages %}{% if message['role'] == 'user' %}"
    "{{ ' [INST] ' + message['content'] + ' [/INST]' }}{% elif message['role'] == 'assistant' %}"
    "{{ ' ' + message['content'] + eos_token }}{% else %}{{ raise_exception('Only user, assistant') }}{% endif %}"
    "{% endfor %}"
)
MISTRAL_FIRST = MISTRAL.replace("' [INST] '", "'[INST] '").replace("{{ ' ' + message", "{{ message")

SPECIAL = {
    "llama": ("<|begin_of_text|>", "<|eot_id|>", "<|start_header_id|>", "<|end_header_id|>", "<|end_of_text|>"),
    "llama2": ("<s>", "</s>", "<unk>"),
    "qwen2": ("<|endoftext|>", "<|im_end|>", "<|im_start|>"),
    "gemma": ("<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>", "<pad>"),
    "mamba": ("<|endoftext|>", "<|endoftext|>", "<|padding|>"),
}
CHAT = {"llama": LLAMA3, "llama2": LLAMA2, "qwen2": CHATML, "gemma": GEMMA, "mamba": None}
#: Families of the scoring tests: configuration class, settings and the family of the tokeniser.
SMALL = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2}
SMALL |= {"num_key_value_heads": 1, "max_position_embeddings": 2048, "initializer_range": 0.3}
FAMILIES: dict[str, tuple[type, dict[str, Any], str]] = {
    "llama": (LlamaConfig, {**SMALL, "tie_word_embeddings": False}, "llama"),
    "llama2": (LlamaConfig, {**SMALL, "tie_word_embeddings": False}, "llama2"),
    "mistral": (MistralConfig, {**SMALL, "sliding_window": None}, "mistral"),
    "mistral-sliding": (MistralConfig, {**SMALL, "sliding_window": 24}, "mistral"),
    "qwen2": (Qwen2Config, {**SMALL, "tie_word_embeddings": True}, "qwen2"),
    "gemma": (GemmaConfig, {**SMALL, "head_dim": 16}, "gemma"),
    "gemma2": (Gemma2Config, {**SMALL, "head_dim": 16, "sliding_window": 24, "final_logit_softcapping": 3.0}, "gemma"),
    "mamba": (MambaConfig, {"hidden_size": 32, "num_hidden_layers": 2, "initializer_range": 0.3}, "mamba"),
    "gpt2": (GPT2Config, {"n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": 1024}, "mamba"),
}


@dataclass
class TinyJudge:
    """A tiny model loaded by our code, and by transformers alone."""

    files: ModelFiles
    backend: CausalJudge
    plain: Any

    @property
    def tokenizer(self) -> Any:
        return self.backend.tokenizer


def _byte_level(family: str) -> PreTrainedTokenizerFast:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    words = [turn.text for template in load_templates()[0] for turn in template.turns]
    trainer = trainers.BpeTrainer(
        vocab_size=900,
        special_tokens=list(dict.fromkeys(SPECIAL[family])),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([*words, *(" Yes No Absolutely yes never" for _ in range(40))], trainer)
    if family == "gemma":  # as in the real tokeniser, HTML tags are pieces of text
        tokenizer.add_tokens([AddedToken(tag, normalized=False) for tag in ("<b>", "</b>", "<table>")])
    if family == "mamba":  # GPT-NeoX: runs of spaces
        tokenizer.add_tokens([AddedToken(" " * width, normalized=True) for width in (4, 3, 2)])
    bos, eos = SPECIAL[family][:2]
    wrapped = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token=bos, eos_token=eos)
    if CHAT[family]:
        wrapped.chat_template = CHAT[family]
    return wrapped


def mistral_tokenizer(chat_template: str = MISTRAL) -> PreTrainedTokenizerFast:
    """Convert the sentencepiece file of Mistral's package, as transformers' converter does."""
    file = Path(mistral_common.__file__).parent / "data" / "tokenizer.model.v1"
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(file))
    vocabulary = {pieces.id_to_piece(number): number for number in range(pieces.get_piece_size())}
    merges = []
    for piece, number in vocabulary.items():
        halves = [(piece[:cut], piece[cut:]) for cut in range(1, len(piece))]
        known = [(a, b) for a, b in halves if a in vocabulary and b in vocabulary]
        known.sort(key=lambda two: (vocabulary[two[0]], vocabulary[two[1]]))
        merges += [(pieces.get_score(number), pair) for pair in known]
    merges.sort(key=lambda scored: scored[0], reverse=True)
    model = models.BPE(vocabulary, [pair for _, pair in merges], unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    tokenizer = Tokenizer(model)
    if chat_template == MISTRAL:
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="first", split=False)
    else:
        tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    tokenizer.decoder = decoders.Sequence(steps)
    names = {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"}
    wrapped = PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names)
    wrapped.chat_template = chat_template
    return wrapped


@functools.cache
def tokenizer_of(family: str) -> PreTrainedTokenizerFast:
    """Return a family's tokeniser, created once."""
    if family == "mistral-first":
        return mistral_tokenizer(MISTRAL_FIRST)
    return mistral_tokenizer() if family == "mistral" else _byte_level(family)


@pytest.fixture(scope="session")
def tokenizers() -> Callable[[str], PreTrainedTokenizerFast]:
    """Return a function from a family's name to its tokeniser."""
    return tokenizer_of


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function from a family's name to the folder of its saved model."""
    root = tmp_path_factory.mktemp("models")

    @functools.cache
    def make(family: str) -> Path:
        config_class, settings, whose = FAMILIES[family]
        tokenizer = tokenizer_of(whose)
        ids = {"bos_token_id": tokenizer.bos_token_id, "eos_token_id": tokenizer.eos_token_id, "pad_token_id": None}
        torch.manual_seed(len(family))
        with quiet():
            model = AutoModelForCausalLM.from_config(config_class(vocab_size=len(tokenizer), **ids, **settings))
            model.save_pretrained(root / family)
            tokenizer.save_pretrained(root / family)
        return root / family

    return make


@pytest.fixture(scope="session")
def judges(folders: Callable[[str], Path]) -> Callable[[str], TinyJudge]:
    """Return a function from a family's name to its loaded judge, float32 on the CPU."""

    @functools.cache
    def load(family: str) -> TinyJudge:
        return load_judge(folders(family))

    return load


def load_judge(folder: Path, precision: str = "float32") -> TinyJudge:
    files = find_model(str(folder))
    backend = CausalJudge.load(files, "cpu", precision)
    with quiet():
        plain = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    return TinyJudge(files, backend, plain)


@pytest.fixture(scope="session")
def small(smollm2: Path) -> TinyJudge:
    """SmolLM2-135M-Instruct in float32."""
    return load_judge(smollm2)


@pytest.fixture(scope="session")
def templates() -> dict[str, Template]:
    """The built-in templates by name."""
    return {template.name: template for template in load_templates()[0]}


def build_messages(template: Template, source: str, hypothesis: str) -> list[dict[str, str]]:
    """Return a pair's conversation by simple replacement, as in the paper."""
    halves = [(turn.role, turn.text.split(SOURCE)) for turn in template.turns]
    return [
        {"role": role, "content": source.join(part.replace(HYPOTHESIS, hypothesis) for part in parts)}
        for role, parts in halves
    ]


@pytest.fixture(scope="session")
def messages() -> Callable[[Template, str, str], list[dict[str, str]]]:
    """Return a function that builds the messages of a pair without our rendering."""
    return build_messages


@pytest.fixture(scope="session")
def two_losses() -> Callable[..., float]:
    """Return the paper's score: (T + 1)·(loss(Tpl∘no) − loss(Tpl∘yes)), on the model's own conversation format."""

    def compute(judge: TinyJudge, template: Template, source: str, hypothesis: str) -> float:
        spoken = build_messages(template, source, hypothesis)
        if CHAT.get(judge.files.name, "") is None or judge.tokenizer.chat_template is None:
            lines = "".join(f"{turn['role'].capitalize()}: {turn['content']}\n" for turn in spoken)
            ids = [
                judge.tokenizer(f"{lines}Assistant: {answer}", add_special_tokens=False)["input_ids"]
                for answer in (template.yes, template.no)
            ]
        else:
            if spoken[0]["role"] == "system" and "raise_exception('" in judge.tokenizer.chat_template:
                first = f"{spoken[0]['content']}\n\n{spoken[1]['content']}"
                spoken = [{"role": "user", "content": first}, *spoken[2:]]
            ids = [
                judge.tokenizer.apply_chat_template([*spoken, {"role": "assistant", "content": answer}])["input_ids"]
                for answer in (template.yes, template.no)
            ]
            # The conversations end with their answers: anything the format adds after them is removed.
            while ids[0][-1] == ids[1][-1]:
                ids = [one[:-1] for one in ids]
        totals = []
        for one in ids:
            tokens = torch.tensor([one])
            with torch.inference_mode():
                logits = judge.plain(input_ids=tokens).logits[0]
            # The loss times T + 1, summed in double precision: a mean of hundreds of tokens loses digits in single.
            losses = torch.nn.functional.cross_entropy(logits[:-1], tokens[0, 1:], reduction="none")
            totals.append(float(losses.double().sum()))
        return totals[1] - totals[0]

    return compute
