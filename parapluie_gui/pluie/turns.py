"""Reads the parts that all template files have: a name and a conversation in turns."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from parapluie_gui.errors import TemplateError
from parapluie_gui.own_files import TomlFile

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_TURN_KEYS = {"role", "text", "generate", "max_new_tokens"}


@dataclass(frozen=True)
class ChatTurn:
    """One turn of the conversation.

    Attributes:
        role: "system", "user" or "assistant".
        text: The text, with {source} and {hypothesis} in place of the sentences; "" for a generated turn.
        generate: Whether the judge writes this turn itself (greedy decoding).
        max_new_tokens: Maximum number of tokens of a generated turn.
    """

    role: str
    text: str
    generate: bool = False
    max_new_tokens: int = 128


def open_template(text: str, file: str, keys: Collection[str]) -> TomlFile:
    """Parse a template file and check its name, title and provenance.

    Raises:
        TemplateError: The text is not TOML, has no name, or has an entry that is not in `keys`.
    """
    toml = TomlFile(text, file, TemplateError)
    toml.check_keys(toml.data, keys, "a template")
    name = toml.data.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        what = 'give it a name of letters, digits, ".", "_" and "-" (name = "MY-TEMPLATE")'
        raise toml.wrong(what, "name" if "name" in toml.data else None)
    for key in ("title", "provenance"):
        if not isinstance(toml.data.get(key, ""), str):
            raise toml.wrong(f'"{key}" must be text in quotes', key)
    return toml


def read_turns(toml: TomlFile, missing: str = "it has no [[turn]] sections") -> tuple[ChatTurn, ...]:
    """Return the turns of a template file.

    Raises:
        TemplateError: There are no turns (`missing` is the message), a turn is invalid, or the last turn is not the
            user's.
    """
    entries = toml.data.get("turn")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise toml.wrong(missing)
    turns = tuple(_read_turn(toml, entry, number) for number, entry in enumerate(entries, start=1))
    if not turns or turns[-1].role != "user":
        what = "the last turn must be the user's, so that the judge answers next"
        raise toml.wrong(what, where=(("turn", len(turns) - 1),) if turns else ())
    spoken = turns[1:] if turns[0].role == "system" else turns
    for number, turn in enumerate(spoken):
        if turn.role != ("user", "assistant")[number % 2]:
            raise toml.wrong("after an optional system turn, user and assistant turns must alternate, the user first")
    return turns


def _read_turn(toml: TomlFile, entry: dict[str, Any], number: int) -> ChatTurn:
    where = (("turn", number - 1),)
    if unknown := sorted(set(entry) - _TURN_KEYS):
        has = ", ".join(sorted(_TURN_KEYS))
        raise toml.wrong(f'turn {number} has an unknown entry "{unknown[0]}"; a turn has {has}', where=where)
    role, text, generate = entry.get("role"), entry.get("text", ""), entry.get("generate", False)
    limit = entry.get("max_new_tokens", 128)
    if role not in ("system", "user", "assistant"):
        raise toml.wrong(f'turn {number} needs role = "system", "user" or "assistant"', where=where)
    if not isinstance(text, str) or not isinstance(generate, bool) or type(limit) is not int or limit < 1:
        what = (
            f"turn {number}: text must be text in quotes, generate must be true or false, and max_new_tokens a "
            "whole number"
        )
        raise toml.wrong(what, where=where)
    if generate and (text or role != "assistant"):
        raise toml.wrong(f"turn {number} is generated, so it must be an assistant turn without text", where=where)
    if not generate and not text.strip():
        raise toml.wrong(f"turn {number} is empty. Give it a text", where=where)
    return ChatTurn(role, text, generate, limit)


#: The earlier name, which other packages may import.
Turn = ChatTurn
