"""Thoughts of models that think before they answer: how chat formats open and close them."""

from __future__ import annotations

import re

from parapluie_gui.models.catalogue import ModelFiles

#: How a thought is opened and closed, by the published chat formats (DeepSeek-R1, QwQ, Qwen3, Magistral, …).
_TAGS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("◁think▷", "◁/think▷"),
)
#: A chat format whose opening of an answer ends in an open thought: "…<think>\\n' }}".
_OPENING = re.compile(rf"(?:{'|'.join(re.escape(opening) for opening, _ in _TAGS)})(?:\\+n|\n)*\\?[\"']\s*-?\}}\}}")


def closing_of_open_thought(text: str) -> str | None:
    """Return what closes the thought that a text leaves open, None where it leaves none open."""
    for opening, closing in _TAGS:
        if text.rfind(opening) > text.rfind(closing):
            return closing
    return None


def opens_thought(token: str) -> bool:
    """Return whether the first token of an answer begins a thought."""
    return any(opening == token.strip() for opening, _ in _TAGS)


def format_opens_thought(files: ModelFiles) -> bool:
    """Return whether a model that is not loaded has a chat format that opens a thought, by the files in its folder."""
    for name in ("chat_template.jinja", "tokenizer_config.json"):
        try:
            text = (files.folder / name).read_text(encoding="utf-8")
        except (OSError, ValueError):
            continue
        if _OPENING.search(text):
            return True
    return False
