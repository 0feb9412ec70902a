"""The tags with which chat formats open and close the thoughts of models that think before they answer."""

from __future__ import annotations

import re

from parapluie_gui.models.catalogue import ModelFiles

#: Tags that open and close a thought, from the published chat formats (DeepSeek-R1, QwQ, Qwen3, Magistral, …).
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
#: The end of a chat format that opens an answer with a thought: "…<think>\\n' }}".
_OPENING = re.compile(rf"(?:{'|'.join(re.escape(opening) for opening, _ in _TAGS)})(?:\\+n|\n)*\\?[\"']\s*-?\}}\}}")


def closing_of_open_thought(text: str) -> str | None:
    """Return the tag that closes the thought that a text leaves open, None if there is no open thought."""
    for opening, closing in _TAGS:
        if text.rfind(opening) > text.rfind(closing):
            return closing
    return None


def opens_thought(token: str) -> bool:
    """Return whether the first token of an answer begins a thought."""
    return any(opening == token.strip() for opening, _ in _TAGS)


def format_opens_thought(files: ModelFiles) -> bool:
    """Return whether a model's chat format opens a thought, according to the files in the model's folder."""
    for name in ("chat_template.jinja", "tokenizer_config.json"):
        try:
            text = (files.folder / name).read_text(encoding="utf-8")
        except (OSError, ValueError):
            continue
        if _OPENING.search(text):
            return True
    return False
