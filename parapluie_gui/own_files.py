"""Reads JSON and TOML files of the program and its user, which may be damaged, huge, or not files at all.

Unusable records and the broken files of a folder are skipped; problems in TOML are reported with their line.
"""

from __future__ import annotations

import contextlib
import json
import re
import tomllib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from parapluie_gui.errors import OwnFileError, ParapluieError, first_line
from parapluie_gui.files import NotAFileError, check_is_file

#: The origin of entries that ship with the program.
BUILT_IN = "built-in"

#: Maximum size in bytes of a user's TOML file (the longest one that ships has a few thousand), and of another file.
_LARGEST, MOST_BYTES = 2**20, 2**24

#: Exceptions raised by code that reads a value of parsed JSON or TOML as a type that it does not have.
UNEXPECTED_VALUE = (AttributeError, LookupError, TypeError, ValueError, ArithmeticError, RecursionError)

#: Maximum number of parts of a dotted name; Python's parser takes a minute for 50,000 of them. The pattern skips texts
#: and comments and runs in linear time for any file.
_DEEPEST = 20
_PART = r"""(?:[\w-]++|"(?:[^"\\\n]|\\[^\n])*+(?:"|$)|'[^'\n]*+(?:'|$))"""
_NAME = re.compile(
    r'''"""(?:[^"\\]|\\[\s\S]|"(?!""))*+(?:"""|\Z)'''
    r"""|'''(?:[^']|'(?!''))*+(?:'''|\Z)|\#.*"""
    rf"|({_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{_DEEPEST}}})|{_PART}(?:[ \t]*+\.[ \t]*+{_PART})*+",
    re.MULTILINE,
)

#: A section of a file as a path from the outermost section: the header of each section, and its index among sections
#: with that header.
Where = tuple[tuple[str, int], ...]


class _OwnFile(Protocol):
    @property
    def origin(self) -> str: ...


Own = TypeVar("Own", bound=_OwnFile)
Record = TypeVar("Record")


@dataclass(frozen=True)
class BrokenFile:
    """A user's file that cannot be used, and the error message."""

    file: str
    error: str


class NotJsonError(OwnFileError, ValueError):
    """A text that is not JSON, or is nested too deeply."""


def read_text(path: Path, most: int = MOST_BYTES, errors: str = "strict") -> str:
    """Return the text of a file in UTF-8, without a byte order mark, with line feeds only.

    Args:
        path: The file. A pipe is refused without waiting for it.
        most: Maximum number of bytes to read.
        errors: The error handling, as in `bytes.decode`.

    Raises:
        OwnFileError: It is not a file, is larger than that, or is not UTF-8.
        OSError: It does not exist or cannot be read.
    """
    try:
        check_is_file(path)
    except NotAFileError as error:
        raise OwnFileError(f"{path.name} is {error.strerror}. Move it elsewhere.") from error
    if path.is_dir():
        raise OwnFileError(f"{path.name} is a folder, not a file. Move it elsewhere.")
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OwnFileError(f"{path.name} is larger than {most / 2**20:,.0f} MB. Correct it, or move it elsewhere.")
    try:
        return data.decode("utf-8-sig", errors).replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise OwnFileError(f"{path.name} is not UTF-8 text. Correct it, or move it elsewhere.") from error


def parse_json(text: str | bytes, name: str = "The text") -> Any:
    """Parse JSON; `name` begins the error's sentence.

    Raises:
        NotJsonError: The text is not JSON, or is nested too deeply.
    """
    try:
        return json.loads(text)
    except RecursionError as error:
        raise NotJsonError(f"{name} is nested too deeply. Correct it, or move it elsewhere.") from error
    except ValueError as error:
        raise NotJsonError(
            f"{name} is not valid JSON ({first_line(error)}). Correct it, or move it elsewhere."
        ) from error


def read_json(path: Path, most: int = MOST_BYTES, errors: str = "strict") -> Any:
    """Parse a file of JSON; arguments and errors as for `read_text` and `parse_json`."""
    return parse_json(read_text(path, most, errors), path.name)


def read_json_or_none(path: Path, most: int = MOST_BYTES, errors: str = "strict") -> Any:
    """Parse a file of JSON; None if it does not exist or cannot be used."""
    with contextlib.suppress(OwnFileError, OSError):
        return read_json(path, most, errors)
    return None


def read_toml(path: Path) -> dict[str, Any]:
    """Parse a TOML file that ships with the program."""
    return tomllib.loads(path.read_text("utf-8"))


@contextlib.contextmanager
def skipping_damage() -> Iterator[None]:
    """Skip the rest of the block if a value of parsed JSON or TOML has an unexpected type."""
    with contextlib.suppress(ParapluieError, *UNEXPECTED_VALUE):
        yield


def read_records(entries: object, read: Callable[[dict[str, Any]], Record]) -> list[Record]:
    """Read the records of a parsed list; those that cannot be used are left out."""
    records: list[Record] = []
    for entry in entries if isinstance(entries, list) else ():
        with skipping_damage():
            records.append(read(entry))
    return records


class TomlFile:
    """The content of a TOML file, with functions that check it and name the line of an error.

    Args:
        text: The TOML text.
        file: The file's name in messages.
        error: The class of its errors.

    Raises:
        OwnFileError: It is not TOML.
    """

    def __init__(self, text: str, file: str, error: type[OwnFileError]) -> None:
        self._lines, self._file, self._error = text.splitlines(), file, error
        if deep := next((name for name in _NAME.finditer(text) if name[1]), None):
            line = text.count("\n", 0, deep.start()) + 1
            raise self._locate_error(f"a name of more than {_DEEPEST} parts. Correct it there", line)
        try:
            self.data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as broken:
            why, _, place = str(broken).partition(" (at line ")
            number = re.match(r"\d+", place)
            raise self._locate_error(
                f"not valid TOML ({why}). Correct it there", int(number[0]) if number else None
            ) from broken
        except (ValueError, RecursionError) as broken:
            # raised at Python's limits on the digits of an integer and on nested brackets
            what = "it contains a number with thousands of digits, or thousands of nested brackets"
            raise self._locate_error(what, None) from broken

    def wrong(self, what: str, key: str | None = None, where: Where = ()) -> OwnFileError:
        """Return an error that names the line of a key or section, or no line if neither is given."""
        return self._locate_error(what, None if key is None and not where else self._line(key or "", where))

    def check_keys(self, table: dict[str, Any], known: Collection[str], what: str, where: Where = ()) -> None:
        """Refuse unknown entries; `what`, such as "a scheme", names the section in the error."""
        if unknown := [key for key in table if key not in known]:
            has = ", ".join(sorted(known))
            raise self.wrong(f'unknown entry "{unknown[0]}"; {what} has {has}', unknown[0], where)

    def tables(self, table: dict[str, Any], key: str, where: Where = ()) -> list[dict[str, Any]]:
        """Return the sections with a name; [] if there are none."""
        entries = table.get(key, [])
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise self.wrong(f'"{key}" is not written as [[{key}]] sections', key, where)
        return entries

    def text(self, table: dict[str, Any], key: str, where: Where = (), needed: bool = False) -> str:
        """Return the text of a key, "" if it is missing."""
        value = table.get(key, "")
        if not isinstance(value, str):
            raise self.wrong(f'"{key}" is not a text in quotes', key, where)
        if needed and not value.strip():
            raise self.wrong(f'"{key}" is missing. Add {key} = "…"', key, where)
        return value

    def _locate_error(self, what: str, line: int | None) -> OwnFileError:
        place = self._file if line is None else f"{self._file}, line {line}"
        return self._error(f"{place}: {what}.", line)

    def _line(self, key: str, where: Where) -> int:
        """Return the 1-based line of a key in a section, or of the section if the key is missing."""
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
            # A key at the top level may also be a section: [[question]].
            named = rf'"?{re.escape(key)}"?\s*=' if inside else rf"\[\[?\s*{re.escape(key)}\s*\]"
            if key and re.match(named, line):
                return at + 1
        return begin + 1


def read_folder(
    folder: Path | None, parse: Callable[[str, str, str], Own], good: list[Own], key: str = "name"
) -> list[BrokenFile]:
    """Parse the files of a folder, append the results to `good`, and return the broken files.

    Args:
        folder: The user's folder, which may be missing.
        parse: The function that parses a file's text, given its name and its path as the origin, or raises an
            `OwnFileError`.
        good: The entries that ship with the program.
        key: The attribute that has to be unique, ignoring case.
    """
    broken: list[BrokenFile] = []
    origins = {getattr(entry, key).lower(): entry.origin for entry in good}
    for file in sorted(folder.glob("*.toml")) if folder is not None else ():
        try:
            own = parse(read_text(file, _LARGEST), file.name, str(file))
            name = getattr(own, key)
            if origin := origins.get(name.lower()):
                raise OwnFileError(
                    f"{file.name}: the {key} {name} is already used by {origin}. Choose a different one."
                )
        except OwnFileError as error:
            broken.append(BrokenFile(file.name, str(error)))
        except OSError as error:
            broken.append(
                BrokenFile(file.name, f"{file.name} cannot be read ({error.strerror}). Check its permissions.")
            )
        else:
            origins[name.lower()] = file.name
            good.append(own)
    return broken
