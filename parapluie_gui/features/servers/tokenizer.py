"""A tokenizer that llama.cpp has, with what rendering a prompt needs of transformers' own; PyTorch is not loaded."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from parapluie_gui.errors import ModelError
from parapluie_gui.features.servers.llamacpp import LlamaCpp
from parapluie_gui.pluie.rendering import Renderer

#: Control tokens of many models, tried whether this one has them.
_USUAL = (
    "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|end|>", "<|eot_id|>", "<|start_header_id|>", "<|end_header_id|>",
    "<|begin_of_text|>", "<|end_of_text|>", "<start_of_turn>", "<end_of_turn>", "<s>", "</s>", "<unk>", "<pad>",
    "<bos>", "<eos>", "[INST]", "[/INST]", "<|system|>", "<|user|>", "<|assistant|>", "<think>", "</think>",
    "<tool_call>", "</tool_call>", "<|tool|>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>",
)  # fmt: skip
#: Texts that are tokenised at a time.
_AT_ONCE = 8


@dataclass(frozen=True)
class _Token:
    content: str
    special: bool = True


class ServerTokenizer:
    """A tokenizer with the names and results of transformers' own, as far as `Renderer` uses them.

    Attributes:
        control_ids: The tokens that are more than text, as far as they are known by now.
    """

    unk_token_id: int | None = None

    def __init__(self, server: LlamaCpp) -> None:
        self._server = server
        self.chat_template = server.chat_template
        self.bos_token, self.eos_token = server.bos, server.eos
        self.control_ids: set[int] = set()
        self._text_ids: set[int] = set()
        self._strings: dict[int, str] = {}
        self._pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="tokenize")
        for text in dict.fromkeys((self.bos_token, self.eos_token, *_USUAL)):
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
    def added_tokens_decoder(self) -> dict[int, _Token]:
        return {id: _Token(text) for id, text in self._strings.items()}

    @cached_property
    def bos_token_id(self) -> int | None:
        ids = self._server.tokens(self.bos_token, special=True) if self.bos_token else []
        return ids[0] if len(ids) == 1 else None

    def __call__(self, texts: str | Sequence[str], *, add_special_tokens: bool = True) -> dict[str, Any]:
        """Return the ids of a text, or of several, under "input_ids"; control tokens written out in them act."""
        if isinstance(texts, str):
            return {"input_ids": self._ids(texts, begin=add_special_tokens)}
        return {"input_ids": list(self._pool.map(lambda text: self._ids(text, begin=add_special_tokens), texts))}

    def _ids(self, text: str, *, begin: bool) -> list[int]:
        """Return the ids of a text, having noted which of them are control tokens that were not known before."""
        ids = self._server.tokens(text, special=True, begin=begin)
        unknown = set(ids) - self.control_ids - self._text_ids
        if unknown:
            as_text = set(self._server.tokens(text, special=False))
            for id in unknown - as_text:
                piece = self._server.text([id])
                if id not in self._server.tokens(piece, special=False) and id in self._server.tokens(
                    piece, special=True
                ):
                    self.control_ids.add(id)
            self._text_ids |= unknown - self.control_ids
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        return self._server.text(ids)

    def apply_chat_template(
        self,
        messages: Sequence[dict[str, str]],
        *,
        chat_template: str,
        add_generation_prompt: bool,
        **more: Any,
    ) -> str:
        """Render a conversation as transformers does (`_compile_jinja_template` in transformers 5)."""
        import jinja2
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        def refuse(words: str) -> None:
            raise jinja2.exceptions.TemplateError(words)

        world = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
        )
        world.filters["tojson"] = lambda value, **_: json.dumps(value, ensure_ascii=False)
        world.globals["raise_exception"] = refuse
        return world.from_string(chat_template).render(
            messages=messages,
            add_generation_prompt=add_generation_prompt,
            bos_token=self.bos_token,
            eos_token=self.eos_token,
            enable_thinking=more.get("enable_thinking", False),
        )


class ServerRenderer(Renderer):
    """Renders templates for a model of llama.cpp; control tokens that are found on the way count from then on."""

    def __init__(self, server: LlamaCpp) -> None:
        tokenizer: Any = ServerTokenizer(server)
        super().__init__(tokenizer)
        self.control_ids = tokenizer.control_ids
        if not self.encode(["a b"])[0]:
            raise ModelError(f"The tokenizer of {server.model} gives no tokens. Fetch the model anew.")
