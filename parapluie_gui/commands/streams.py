"""Standard input and output as files, for "-" in the options of a command."""

from __future__ import annotations

import contextlib
import io
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from parapluie_gui.errors import ParapluieError

_DASH = Path("-")

#: First bytes of binary files and their endings; text files are recognised by their first line.
_BEGINNINGS = ((b"PAR1", ".parquet"), (b"PK", ".xlsx"))


@contextlib.contextmanager
def redirect_dashes(options: Any) -> Iterator[Any]:
    """Yield options in which each "-" is replaced by a file.

    For standard input the file is a copy of it; the file for standard output is copied to it at the end.

    If a table goes to standard output, everything else that is printed goes to stderr.

    Raises:
        ParapluieError: Standard input is named twice, or is empty.
    """
    read, written = _find_dashes(options)
    if not read and not written:
        yield options
        return
    with tempfile.TemporaryDirectory(prefix="parapluie-") as folder, contextlib.ExitStack() as stack:
        paths: dict[str, Path] = {}
        if len(read) > 1:
            raise ParapluieError("Standard input (-) can be read only once. Use it once, and use files for the rest.")
        for name in read:
            paths[name] = _save_standard_input(Path(folder))
        for name in written:
            paths[name] = Path(folder, "stdout.csv")
            stack.enter_context(contextlib.redirect_stdout(_StderrWriter(paths[name])))
        yield _replace_dashes(options, lambda name, path: paths[name] if path == _DASH else path)
        stack.close()
        for name in written:
            if paths[name].exists():
                sys.stdout.flush()
                with paths[name].open("rb") as file:
                    shutil.copyfileobj(file, sys.stdout.buffer)
                sys.stdout.flush()


def _find_dashes(options: Any) -> tuple[list[str], list[str]]:
    """Return the fields that name standard input (once per mention) and the fields that name standard output."""
    read, written = [], []
    for field in fields(options):
        value = getattr(options, field.name)
        if value == _DASH and field.name == "output":
            written.append(field.name)
        elif value == _DASH or (isinstance(value, tuple) and _DASH in value):
            read += [field.name] * (value.count(_DASH) if isinstance(value, tuple) else 1)
    return read, written


def _replace_dashes(options: Any, change: Callable[[str, Any], Any]) -> Any:
    read, written = _find_dashes(options)
    changed = {}
    for name in {*read, *written}:
        value = getattr(options, name)
        several = isinstance(value, tuple)
        changed[name] = tuple(change(name, item) for item in value) if several else change(name, value)
    return replace(options, **changed)


class _StderrWriter(io.TextIOBase):
    """A stream to stderr that calls the temporary output file "standard output"."""

    def __init__(self, path: Path) -> None:
        self._path = str(path)

    def write(self, text: str) -> int:
        return sys.stderr.write(text.replace(self._path, "standard output"))

    def flush(self) -> None:
        sys.stderr.flush()


def _save_standard_input(folder: Path) -> Path:
    """Save standard input to a file, with an ending guessed from its first bytes."""
    path = folder / "stdin"
    with path.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    with path.open("rb") as file:
        head = file.read(1 << 16)
    if not head.strip():
        raise ParapluieError("Standard input is empty. Pipe a table of pairs into it.")
    return path.rename(path.with_suffix(_guess_ending(head)))


def _guess_ending(head: bytes) -> str:
    for beginning, ending in _BEGINNINGS:
        if head.startswith(beginning):
            return ending
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text[:1] in (b"{", b"["):
        return ".jsonl" if text[:1] == b"{" else ".json"
    line = text.partition(b"\n")[0]
    return ".tsv" if b"\t" in line else ".csv" if b"," in line or b";" in line else ".txt"
