"""A causal language model of a few kilobytes with random weights, saved by transformers."""

from __future__ import annotations

from pathlib import Path

CHAT = (
    "{% for message in messages %}{{ '<' + message['role'] + '>' + message['content'] + '</s>' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<assistant>' }}{% endif %}"
)
#: A format that allows at most four turns, including the answer, and so refuses few-shot templates.
FEW_TURNS = "{% if messages | length > 4 %}{{ raise_exception('too many turns') }}{% endif %}" + CHAT


def save_model(folder: Path, chat: str = CHAT) -> Path:
    """Write the model and return its folder."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    letters = {letter: number for number, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    merges = [("Y", "e"), ("Ye", "s"), ("N", "o"), ("Ġ", "Yes"), ("Ġ", "No")]
    vocabulary = letters | {one + two: len(letters) + number for number, (one, two) in enumerate(merges)}
    inner = Tokenizer(models.BPE(vocabulary, merges))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, eos_token="</s>", chat_template=chat)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=4096,
        initializer_range=0.5,
        eos_token_id=tokenizer.eos_token_id,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def spoil(folder: Path, weight: str, value: float, row: int | None = None) -> Path:
    """Overwrite one weight of a saved model, or one row of it, with a number; return the folder."""
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    weights[weight][slice(None) if row is None else row] = value
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    return folder
