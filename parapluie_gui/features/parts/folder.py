"""A folder of parts: what it should hold (`parts.json`), and which parts are there.

A part is a Parquet file with the scores of one block of the corpus. Its name says which block, and of which pairs:
`part-00012-<32 hexadecimal digits>.parquet`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from parapluie_gui.errors import OwnFileError, ParapluieError
from parapluie_gui.files import write_text
from parapluie_gui.own_files import UNEXPECTED_VALUE, read_json
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.signature import Signature, pair_key

MANIFEST = "parts.json"

#: Grows when a manifest or a part changes its meaning.
FORMAT = 1

#: Pairs of a part: enough to make the files few, few enough to do again.
PART_PAIRS = 10_000

_PART = re.compile(r"part-(\d{5,})-([0-9a-f]{32})\.parquet")


@dataclass(frozen=True)
class Manifest:
    """What a folder of parts is to hold.

    Attributes:
        pairs: Rows of the corpus that a part has at most.
        parts: How many parts the corpus has.
        files: The rows and the bytes of each of its files, by name.
        columns: The column of each role that has one.
        signatures: What each score is computed with: its fields, by column.
    """

    pairs: int
    parts: int
    files: Mapping[str, Sequence[int]]
    columns: Mapping[str, str]
    signatures: Mapping[str, Mapping[str, str]]

    @classmethod
    def of(
        cls,
        pairs: int,
        parts: int,
        files: Mapping[str, Sequence[int]],
        columns: Mapping[str, str],
        scores: Mapping[str, Signature],
    ) -> Manifest:
        """Return the manifest of a corpus that is to be scored with these signatures, by column."""
        return cls(pairs, parts, files, columns, {column: dict(each.fields) for column, each in scores.items()})

    @property
    def corpus(self) -> str:
        """32 hexadecimal digits that stand for the corpus and how it was cut."""
        facts = [self.pairs, dict(self.files), dict(self.columns)]
        return hashlib.blake2b(json.dumps(facts).encode(), digest_size=16).hexdigest()

    def rows_of(self, number: int) -> int:
        """Return how many rows of the corpus a part is of (numbered from 0); 0 where there is no such part."""
        for rows, _ in self.files.values():
            if number < (parts := -(-rows // self.pairs)):
                return min(self.pairs, rows - number * self.pairs)
            number -= parts
        return 0

    def check(self) -> None:
        """Raise a ValueError or TypeError if it is none."""
        of_files = [[int(number) for number in each] for each in self.files.values()]
        if self.pairs < 1 or any(len(each) != 2 or min(each) < 0 for each in of_files):
            raise ValueError("numbers that cannot be")
        if self.parts != sum(-(-rows // self.pairs) for rows, _ in of_files):
            raise ValueError("another number of parts than its files have")
        if not all(isinstance(each, str) for each in self.columns.values()):
            raise TypeError("a column that has no name")
        for fields in self.signatures.values():
            if not all(isinstance(value, str) for value in fields.values()):
                raise TypeError("a signature that is none")

    def differs(self, other: Manifest) -> str:
        """Return in a few words what is not as in another manifest; "" if all is."""
        if self.files != other.files:
            return "another corpus"
        if self.columns != other.columns:
            return "other columns of this corpus"
        if self.pairs != other.pairs:
            return f"parts of {other.pairs:,} pairs"
        if self.signatures != other.signatures:
            changed = [
                name
                for name in (*self.signatures, *other.signatures)
                if self.signatures.get(name) != other.signatures.get(name)
            ]
            return f"other scores or settings ({changed[0]})"
        return ""


def enter(folder: Path, manifest: Manifest) -> None:
    """Make a folder ready for parts: make it, write its manifest, or check that it has this one.

    Several processes may do so at a time: each writes the same.

    Raises:
        ParapluieError: The folder cannot be written, or it is for parts of something else.
    """
    path = folder / MANIFEST
    try:
        folder.mkdir(exist_ok=True)
        if not path.exists():
            if stranger := next((each for each in folder.iterdir() if not is_ours(each.name)), None):
                raise ParapluieError(
                    f"{folder} holds other files ({stranger.name}). Choose a new folder for the parts."
                )
            data = {"format": FORMAT, **asdict(manifest)}
            write_text(path, json.dumps(data, ensure_ascii=False, indent=1) + "\n")
    except OSError as error:
        raise ParapluieError(
            f"{folder}: no parts can be written there ({error.strerror or error}). Choose another folder."
        ) from error
    if difference := manifest.differs(read_manifest(folder)):
        raise ParapluieError(f"{folder} is for {difference}. Choose another folder, or the same corpus and settings.")


def read_manifest(folder: Path) -> Manifest:
    """Return what a folder is to hold.

    Raises:
        ParapluieError: It is no folder of parts, or of a later version of this program.
    """
    path = folder / MANIFEST
    try:
        data = read_json(path)
        if int(data["format"]) > FORMAT:
            raise ParapluieError(f"{path} was written by a later version of this program. Update it.")
        pairs, parts = int(data["pairs"]), int(data["parts"])
        signatures = {name: dict(fields) for name, fields in dict(data["signatures"]).items()}
        found = Manifest(pairs, parts, dict(data["files"]), dict(data["columns"]), signatures)
        found.check()
        return found
    except FileNotFoundError:
        raise ParapluieError(
            f"{folder} is no folder of parts: there is no {MANIFEST} in it. Name the one that shards were written to."
        ) from None
    except (OSError, OwnFileError, *UNEXPECTED_VALUE) as error:
        raise ParapluieError(
            f"{path} is damaged. Move it away and start a shard again: it writes a new one."
        ) from error


def is_parts(folder: Path) -> bool:
    """Return whether a path is a folder of parts."""
    return (folder / MANIFEST).is_file()


def parts_in(folder: Path) -> dict[int, list[Path]]:
    """Return the files of each part that is there, by number; what is being written has another name."""
    found: dict[int, list[Path]] = {}
    for path in sorted(folder.iterdir()):
        if name := _PART.fullmatch(path.name):
            found.setdefault(int(name[1]), []).append(path)
    return found


def part_path(folder: Path, number: int, key: str) -> Path:
    """Return the path of a part (numbered from 0) with these pairs."""
    return folder / f"part-{number:05d}-{key}.parquet"


def part_key(path: Path) -> str:
    """Return the key of the pairs that a part holds, from its name."""
    name = _PART.fullmatch(path.name)
    assert name is not None
    return name[2]


def part_number(path: Path) -> int:
    """Return the number of a part, from its name."""
    name = _PART.fullmatch(path.name)
    assert name is not None
    return int(name[1])


def pairs_key(corpus: Corpus | None) -> str:
    """Return 32 hexadecimal digits that stand for the pairs of a part, in their order."""
    digest = hashlib.blake2b(digest_size=16)
    if corpus is not None:
        references = corpus.reference or [None] * len(corpus)
        for three in zip(corpus.source, corpus.hypothesis, references, strict=True):
            digest.update(pair_key(*three))
    return digest.hexdigest()


def is_ours(name: str) -> bool:
    """Return whether a file of a folder of parts may be there, by its name; what is being written begins with a dot."""
    return name == MANIFEST or name.startswith(".") or _PART.fullmatch(name) is not None
