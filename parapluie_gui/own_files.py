"""A user's own TOML files: each is read with the line that is wrong, and a folder of them without the broken ones."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from parapluie_gui.errors import OwnFileError

#: The origin of what is no user's file.
BUILT_IN = "built-in"

#: Bytes; the longest file that ships has some thousands.
_LARGEST = 2**20

#: A name in a name in a name …: Python's reader takes a minute over 50,000 of them. Texts and comments are passed over,
#: and nothing is looked at more than twice, whatever the file holds.
_DEEPEST = 20
_PART = r"""(?:[\w-]++|"(?:[^"\\\n]|\\[^\n])*+(?:"|$)|'[^'\n]*+(?:'|$))"""
_NAME = re.compile(
    r'''"""(?:[^"\\]|\\[\s\S]|"(?!""))*+(?:"""|\Z)'''
    r"""|'''(?:[^']|'(?!''))*+(?:'''|\Z)|\#.*"""
    rf"|({_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{_DEEPEST}}})|{_PART}(?:[ \t]*+\.[ \t]*+{_PART})*+",
    re.MULTILINE,
)

#: A place in a file: sections from the outside in, each with its header and its number among those of that header.
Where = tuple[tuple[str, int], ...]


class _Own(Protocol):
    @property
    def origin(self) -> str: ...


Own = TypeVar("Own", bound=_Own)


@dataclass(frozen=True)
class BrokenFile:
    """A file of the user's that cannot be used, and the sentence that says why."""

    file: str
    error: str


class TomlFile:
    """One file: what it holds, and what is wrong with it as sentences that name the line.

    Args:
        text: What it holds.
        file: Its name in sentences.
        error: Of what class its errors are.

    Raises:
        OwnFileError: It is not TOML.
    """

    def __init__(self, text: str, file: str, error: type[OwnFileError]) -> None:
        self._lines, self._file, self._error = text.splitlines(), file, error
        if deep := next((found for found in _NAME.finditer(text) if found[1]), None):
            line = text.count("\n", 0, deep.start()) + 1
            raise self._at(f"a name of more than {_DEEPEST} parts. Correct it there", line)
        try:
            self.data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as broken:
            why, _, place = str(broken).partition(" (at line ")
            number = re.match(r"\d+", place)
            raise self._at(f"not valid TOML ({why}). Correct it there", int(number[0]) if number else None) from broken
        except (ValueError, RecursionError) as broken:
            # Python's own limits: the digits of a whole number, brackets within brackets.
            what = "it holds a number of thousands of digits, or thousands of brackets within brackets"
            raise self._at(what, None) from broken

    def wrong(self, what: str, key: str | None = None, where: Where = ()) -> OwnFileError:
        """Return the error of an entry, in the line of its key or of its section; of the whole file without either."""
        return self._at(what, None if key is None and not where else self._line(key or "", where))

    def check_keys(self, table: dict[str, Any], known: Collection[str], what: str, where: Where = ()) -> None:
        """Refuse entries that nothing is known of in what is called, say, "a scheme"."""
        if unknown := [key for key in table if key not in known]:
            has = ", ".join(sorted(known))
            raise self.wrong(f'unknown entry "{unknown[0]}"; {what} has {has}', unknown[0], where)

    def tables(self, table: dict[str, Any], key: str, where: Where = ()) -> list[dict[str, Any]]:
        """Return the sections of a name, [] where there are none."""
        entries = table.get(key, [])
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise self.wrong(f'"{key}" is not written as [[{key}]] sections', key, where)
        return entries

    def text(self, table: dict[str, Any], key: str, where: Where = (), needed: bool = False) -> str:
        """Return a text, "" where there is none."""
        value = table.get(key, "")
        if not isinstance(value, str):
            raise self.wrong(f'"{key}" is not a text in quotes', key, where)
        if needed and not value.strip():
            raise self.wrong(f'"{key}" is missing. Add {key} = "…"', key, where)
        return value

    def _at(self, what: str, line: int | None) -> OwnFileError:
        place = self._file if line is None else f"{self._file}, line {line}"
        return self._error(f"{place}: {what}.", line)

    def _line(self, key: str, where: Where) -> int:
        """Return the 1-based line of a key within a section, of the section where it lacks the key."""
        begin = 0
        for header, nth in where:
            pattern = re.compile(rf"\s*\[\[?\s*{re.escape(header)}\s*\]")
            starts = [at for at, line in enumerate(self._lines) if pattern.match(line)]
            begin = starts[nth] if nth < len(starts) else begin
        inside = True
        for at in range(begin + bool(where), len(self._lines)):
            line = self._lines[at].strip()
            if line.startswith("["):
                inside = False
                if where:
                    break
            # A key of the file itself may also be a section: [[question]].
            named = rf'"?{re.escape(key)}"?\s*=' if inside else rf"\[\[?\s*{re.escape(key)}\s*\]"
            if key and re.match(named, line):
                return at + 1
        return begin + 1


def read_folder(
    folder: Path | None, parse: Callable[[str, str, str], Own], good: list[Own], key: str = "name"
) -> list[BrokenFile]:
    """Append what a folder's files hold, if it is there, to the good ones; returns the files that are broken.

    Args:
        folder: Of the user.
        parse: Reads a file's text, given its name and its path as the origin; raises an `OwnFileError`.
        good: What ships.
        key: The attribute that no two of them may share, whatever its letters' case.
    """
    broken: list[BrokenFile] = []
    origins = {getattr(each, key).lower(): each.origin for each in good}
    for file in sorted(folder.glob("*.toml")) if folder is not None else ():
        try:
            if not file.is_file() or file.stat().st_size > _LARGEST:
                raise OSError(f"it is no file, or larger than {_LARGEST // 2**20} MB")
            # Windows editors begin files with a byte order mark.
            own = parse(file.read_text(encoding="utf-8-sig"), file.name, str(file))
            name = getattr(own, key)
            if origin := origins.get(name.lower()):
                raise OwnFileError(f"{file.name}: the {key} {name} is taken by {origin}. Choose another.")
        except OwnFileError as error:
            broken.append(BrokenFile(file.name, str(error)))
        except (OSError, UnicodeDecodeError) as error:
            broken.append(BrokenFile(file.name, f"{file.name}: cannot be read as UTF-8 text ({error})."))
        else:
            origins[name.lower()] = file.name
            good.append(own)
    return broken
