"""A tokenizer that asks llama.cpp, with the interface that `TemplateRenderer` needs and without loading PyTorch."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from parapluie_gui.errors import ModelError
from parapluie_gui.features.servers.llamacpp import LlamaCppEngine
from parapluie_gui.pluie.rendering import TemplateRenderer

#: Control tokens of common models; each is tested with the model.
_COMMON_CONTROLS = (
    "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|end|>", "<|eot_id|>", "<|start_header_id|>", "<|end_header_id|>",
    "<|begin_of_text|>", "<|end_of_text|>", "<start_of_turn>", "<end_of_turn>", "<s>", "</s>", "<unk>", "<pad>",
    "<bos>", "<eos>", "[INST]", "[/INST]", "<|system|>", "<|user|>", "<|assistant|>", "<think>", "</think>",
    "<tool_call>", "</tool_call>", "<|tool|>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>",
)  # fmt: skip
#: Number of texts tokenised at the same time.
_AT_ONCE = 8


@dataclass(frozen=True)
class _ControlToken:
    content: str
    special: bool = True


class ServerTokenizer:
    """The tokenizer of a llama.cpp server, with the methods of a transformers tokenizer that `TemplateRenderer` uses.

    Attributes:
        control_ids: Ids of the control tokens seen so far.
    """

    unk_token_id: int | None = None

    def __init__(self, server: LlamaCppEngine) -> None:
        self._server = server
        self.chat_template = server.chat_template
        self.bos_token, self.eos_token = server.bos, server.eos
        self.control_ids: set[int] = set()
        self._text_ids: set[int] = set()
        self._strings: dict[int, str] = {}
        self._pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="tokenize")
        for text in dict.fromkeys((self.bos_token, self.eos_token, *_COMMON_CONTROLS)):
            if not text:
                continue
            ids = server.tokens(text, special=True)
            if len(ids) == 1 and server.tokens(text, special=False) != ids:
                self.control_ids.add(ids[0])
                self._strings[ids[0]] = text

    @property
    def all_special_tokens(self) -> list[str]:
        return list(self._strings.values())

    @property
    def added_tokens_decoder(self) -> dict[int, _ControlToken]:
        return {id: _ControlToken(text) for id, text in self._strings.items()}

    @cached_property
    def bos_token_id(self) -> int | None:
        ids = self._server.tokens(self.bos_token, special=True) if self.bos_token else []
        return ids[0] if len(ids) == 1 else None

    def __call__(self, texts: str | Sequence[str], *, add_special_tokens: bool = True) -> dict[str, Any]:
        """Return the ids of one or several texts under "input_ids"; control tokens written in a text take effect."""
        if isinstance(texts, str):
            return {"input_ids": self._ids(texts, begin=add_special_tokens)}
        return {"input_ids": list(self._pool.map(lambda text: self._ids(text, begin=add_special_tokens), texts))}

    def _ids(self, text: str, *, begin: bool) -> list[int]:
        """Return the ids of a text, and record the control tokens among them."""
        ids = self._server.tokens(text, special=True, begin=begin)
        unknown = set(ids) - self.control_ids - self._text_ids
        if unknown:
            plain_ids = set(self._server.tokens(text, special=False))
            for id in unknown - plain_ids:
                piece = self._server.text([id])
                if id not in self._server.tokens(piece, special=False) and id in self._server.tokens(
                    piece, special=True
                ):
                    self.control_ids.add(id)
            self._text_ids |= unknown - self.control_ids
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        return self._server.text(ids)

    @property
    def special_tokens_map(self) -> dict[str, str]:
        return {"bos_token": self.bos_token, "eos_token": self.eos_token}


class ServerRenderer(TemplateRenderer):
    """The renderer of templates for a model in llama.cpp, which respects control tokens once they are seen."""

    def __init__(self, server: LlamaCppEngine) -> None:
        tokenizer: Any = ServerTokenizer(server)
        super().__init__(tokenizer)
        self.control_ids = tokenizer.control_ids
        if not self.encode(["a b"])[0]:
            raise ModelError(f"The tokenizer of {server.model} returns no tokens. Fetch the model again.")
