"""What was written so far of a corpus of paraphrases: a file beside the table, gone on with after an interruption."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from parapluie_gui.errors import ParapluieError
from parapluie_gui.files import atomic_write
from parapluie_gui.pluie.writing import Candidate
from parapluie_gui.scores.signature import Signature


class Part:
    """The candidates written so far, kept in `OUT.part`: a line that says of what, then one for each candidate.

    Attributes:
        path: The file.
        candidates: Those of each source so far, in the order of their numbers.
    """

    def __init__(self, path: Path, header: dict[str, object], sources: int) -> None:
        self.path = path
        self.candidates: list[list[Candidate]] = [[] for _ in range(sources)]
        self._header = header
        self._file: IO[str] | None = None

    @classmethod
    @contextlib.contextmanager
    def open(cls, output: Path, signature: Signature, sources: Sequence[str], count: int) -> Iterator[Part]:
        """Yield what was written for this table, by the same command.

        Raises:
            ParapluieError: The file was written with other settings or of other sentences, or is none of this program.
        """
        joined = json.dumps(list(sources)).encode()
        header: dict[str, object] = {
            "written with": str(signature),
            "sources": hashlib.sha256(joined).hexdigest(),
            "candidates": count,
        }
        part = cls(output.with_name(f"{output.name}.part"), header, len(sources))
        if part.path.exists():
            part._read()
        try:
            yield part
        finally:
            if part._file is not None:
                part._file.close()

    def whole(self, at_once: int) -> int:
        """Return how many sources are done, as a number of whole batches, and forget what is beyond them."""
        wanted = self._header["candidates"]
        done = next((at for at, each in enumerate(self.candidates) if len(each) != wanted), len(self.candidates))
        if done < len(self.candidates):
            done -= done % at_once
        for each in self.candidates[done:]:
            each.clear()
        return done

    def add(self, rows: Sequence[int], candidates: Sequence[Candidate]) -> None:
        """Keep a batch; it is on the disk when this returns."""
        if self._file is None:
            self._begin()
        assert self._file is not None
        for row, candidate in zip(rows, candidates, strict=True):
            self.candidates[row].append(candidate)
        self._file.write("".join(map(_line, rows, candidates)))
        self._file.flush()
        os.fsync(self._file.fileno())

    def remove(self) -> None:
        """Delete the file: the table is written."""
        if self._file is not None:
            self._file.close()
            self._file = None
        self.path.unlink(missing_ok=True)

    def _begin(self) -> None:
        """Rewrite the file with the complete lines only, and open it to append."""
        with atomic_write(self.path) as temporary, temporary.open("w", encoding="utf-8") as file:
            file.write(json.dumps(self._header) + "\n")
            for row, candidates in enumerate(self.candidates):
                file.write("".join(_line(row, each) for each in candidates))
        self._file = self.path.open("a", encoding="utf-8")

    def _read(self) -> None:
        first, *lines = self.path.read_text(encoding="utf-8", errors="replace").split("\n")
        if _parsed(first) != self._header:
            raise ParapluieError(
                f"{self.path} holds what was written of other sentences or with other settings. Use the same command "
                "as then, choose another name for the table, or delete that file."
            )
        for line in lines:
            match _parsed(line):
                case [int(row), int(number), str(text), bool(cut)] if 0 <= row < len(self.candidates):
                    if number == len(self.candidates[row]) + 1:
                        self.candidates[row].append(Candidate(number, text, cut))
                case _:
                    return  # the end of a process that was killed


def _line(row: int, candidate: Candidate) -> str:
    return json.dumps([row, candidate.number, candidate.text, candidate.cut]) + "\n"


def _parsed(line: str) -> object:
    try:
        return json.loads(line)
    except ValueError:
        return None
