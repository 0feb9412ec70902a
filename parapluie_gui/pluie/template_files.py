"""What all files of templates have: a name, a conversation, and a folder of the user's where more of them are."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from parapluie_gui.errors import TemplateError

BUILT_IN = "built-in"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_TURN_KEYS = {"role", "text", "generate", "max_new_tokens"}

#: Bytes; the longest of those that ship has some thousands.
_LARGEST = 2**20


#: Makes the error of a template file from what is wrong with it.
Refuse = Callable[[str], TemplateError]


class _Named(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def origin(self) -> str: ...


Named = TypeVar("Named", bound=_Named)


@dataclass(frozen=True)
class Turn:
    """One turn of the conversation.

    Attributes:
        role: "system", "user" or "assistant".
        text: With {source} and {hypothesis} where the sentences go; empty for a generated turn.
        generate: Whether the judge writes this turn itself (greedy decoding).
    """

    role: str
    text: str
    generate: bool = False
    max_new_tokens: int = 128


#: What an error of a template names, and the beginning of the line that it stands in; the first that fits counts.
_PLACES = (
    (r"\[examples\]", r"\[examples\]"),
    (r"the cloze\b|\"cloze\"", r"cloze\s*="),
    (r'^(?:unknown entry |)"(\w+)"', r"{0}\s*="),
    (r'"yes" and "no"', r"(?:yes|no)\s*="),
    (r"^the name\b|^give it a name", r"name\s*="),
)


@dataclass(frozen=True)
class BrokenTemplate:
    """A template file that cannot be used, and the sentence that says why."""

    file: str
    error: str


def refusal(text: str, file: str) -> Refuse:
    """Return what makes the error of a file that holds this text, with the line that is wrong where it can be told."""

    def refuse(what: str) -> TemplateError:
        line = _line_of(text, what)
        place = file if line is None else f"{file}, line {line}"
        return TemplateError(f"{place}: {re.sub(r' [(]at line .*?[)]', '', what)}.", line)

    return refuse


def _line_of(text: str, what: str) -> int | None:
    """Return the line, from 1, of what is named as wrong; None where no line begins with that name."""
    if found := re.search(r"at line (\d+)", what):
        return int(found[1])
    turns = [number for number, line in enumerate(text.splitlines(), 1) if re.match(r"\s*\[\[\s*turn\s*\]\]", line)]
    if found := re.search(r"\bturn (\d+)\b", what):
        return turns[int(found[1]) - 1] if int(found[1]) <= len(turns) else None
    if what.startswith("the last turn"):
        return turns[-1] if turns else None
    for named, begins in _PLACES:
        if found := re.search(named, what):
            wanted = re.compile(r"\s*" + begins.format(*map(re.escape, found.groups())))
            for number, line in enumerate(text.splitlines(), 1):
                if wanted.match(line):
                    return number
    return None


def read_toml(text: str, refuse: Refuse, keys: Collection[str]) -> dict[str, Any]:
    """Return what a template file holds: a name, and texts as title and provenance if there are any.

    Raises:
        TemplateError: It is not TOML, has no name, or an entry beside these `keys`.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise refuse(f"not valid TOML ({error})") from error
    except (ValueError, RecursionError) as error:
        # Python's own limits: the digits of a whole number, brackets within brackets.
        raise refuse("it holds a number of thousands of digits, or thousands of brackets within brackets") from error
    if unknown := sorted(set(data) - set(keys)):
        raise refuse(f'unknown entry "{unknown[0]}"; a template has {", ".join(sorted(keys))}')
    name = data.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise refuse('give it a name of letters, digits, ".", "_" and "-" (name = "MY-TEMPLATE")')
    for key in ("title", "provenance"):
        if not isinstance(data.get(key, ""), str):
            raise refuse(f'"{key}" must be text in quotes')
    return data


def read_turns(data: dict[str, Any], refuse: Refuse, missing: str = "it has no [[turn]] sections") -> tuple[Turn, ...]:
    """Return the turns of a template file.

    Raises:
        TemplateError: There are none (`missing`), or one cannot be understood.
    """
    entries = data.get("turn")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise refuse(missing)
    return tuple(_turn(entry, number, refuse) for number, entry in enumerate(entries, start=1))


def _turn(entry: dict[str, Any], number: int, refuse: Refuse) -> Turn:
    if unknown := sorted(set(entry) - _TURN_KEYS):
        raise refuse(f'turn {number} has an unknown entry "{unknown[0]}"; a turn has {", ".join(sorted(_TURN_KEYS))}')
    role, text, generate = entry.get("role"), entry.get("text", ""), entry.get("generate", False)
    limit = entry.get("max_new_tokens", 128)
    if role not in ("system", "user", "assistant"):
        raise refuse(f'turn {number} needs role = "system", "user" or "assistant"')
    if not isinstance(text, str) or not isinstance(generate, bool) or type(limit) is not int or limit < 1:
        raise refuse(f"turn {number}: text is text in quotes, generate true or false, max_new_tokens a whole number")
    if generate and (text or role != "assistant"):
        raise refuse(f"turn {number} is generated, so it must be an assistant turn without text")
    if not generate and not text.strip():
        raise refuse(f"turn {number} says nothing. Give it a text")
    return Turn(role, text, generate, limit)


def check_turns(turns: tuple[Turn, ...], refuse: Refuse) -> None:
    """Refuse a conversation in which it is not the judge's turn next."""
    if not turns or turns[-1].role != "user":
        raise refuse("the last turn must be the user's, so that the judge answers next")
    spoken = turns[1:] if turns[0].role == "system" else turns
    for number, turn in enumerate(spoken):
        if turn.role != ("user", "assistant")[number % 2]:
            raise refuse("after an optional system turn, user and assistant turns must alternate, the user first")


def read_user_files(
    user_folder: Path | None, parse: Callable[[str, str, str], Named], good: list[Named]
) -> list[BrokenTemplate]:
    """Append the templates of the user's folder, if it is there, to the good ones; returns the files that are broken.

    `parse` reads a template from a file's text, its name, and its path as the origin.
    """
    broken: list[BrokenTemplate] = []
    origins = {template.name.lower(): template.origin for template in good}
    for file in sorted(user_folder.glob("*.toml")) if user_folder is not None else ():
        try:
            if not file.is_file() or file.stat().st_size > _LARGEST:
                raise OSError(f"it is no file, or larger than {_LARGEST // 2**20} MB")
            # Windows editors begin files with a byte order mark.
            template = parse(file.read_text(encoding="utf-8-sig"), file.name, str(file))
            if origin := origins.get(template.name.lower()):
                raise TemplateError(f"{file.name}: the name {template.name} is taken by {origin}. Choose another.")
        except TemplateError as error:
            broken.append(BrokenTemplate(file.name, str(error)))
        except (OSError, UnicodeDecodeError) as error:
            broken.append(BrokenTemplate(file.name, f"{file.name}: cannot be read as UTF-8 text ({error})."))
        else:
            origins[template.name.lower()] = file.name
            good.append(template)
    return broken
