"""A folder of parts: its manifest (`parts.json`) and its part files.

A part is a Parquet file with the scores of one block of the corpus. Its name contains the block's number and a hash of
its pairs: `part-00012-<32 hexadecimal digits>.parquet`.
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

#: Version of manifests and parts; increase it when their meaning changes.
FORMAT = 1

#: Number of pairs in a part: enough to have few files, few enough to repeat a part.
PART_PAIRS = 10_000

_PART = re.compile(r"part-(\d{5,})-([0-9a-f]{32})\.parquet")


@dataclass(frozen=True)
class PartsManifest:
    """The complete contents of a folder of parts, which several processes write.

    Attributes:
        pairs: Maximum number of rows of the corpus in a part.
        parts: The number of parts of the corpus.
        files: Rows and bytes of each file of the corpus, by name.
        columns: The column of each role that has one.
        signatures: The fields of each score's signature, by column.
    """

    pairs: int
    parts: int
    files: Mapping[str, Sequence[int]]
    columns: Mapping[str, str]
    signatures: Mapping[str, Mapping[str, str]]

    @classmethod
    def for_corpus(
        cls,
        pairs: int,
        parts: int,
        files: Mapping[str, Sequence[int]],
        columns: Mapping[str, str],
        scores: Mapping[str, Signature],
    ) -> PartsManifest:
        """Return the manifest of a corpus to be scored with these signatures, by column."""
        fields = {column: dict(signature.fields) for column, signature in scores.items()}
        return cls(pairs, parts, files, columns, fields)

    @property
    def corpus_key(self) -> str:
        """A hash of the corpus and its division into parts, 32 hexadecimal digits."""
        identity = [self.pairs, dict(self.files), dict(self.columns)]
        return hashlib.blake2b(json.dumps(identity).encode(), digest_size=16).hexdigest()

    def rows_of(self, number: int) -> int:
        """Return the number of rows of a part (numbered from 0); 0 if there is no such part."""
        for rows, _ in self.files.values():
            if number < (parts := -(-rows // self.pairs)):
                return min(self.pairs, rows - number * self.pairs)
            number -= parts
        return 0

    def check(self) -> None:
        """Raise a ValueError or TypeError if its values are invalid."""
        sizes = [[int(number) for number in size] for size in self.files.values()]
        if self.pairs < 1 or any(len(size) != 2 or min(size) < 0 for size in sizes):
            raise ValueError("impossible sizes")
        if self.parts != sum(-(-rows // self.pairs) for rows, _ in sizes):
            raise ValueError("the number of parts does not match the files")
        if not all(isinstance(column, str) for column in self.columns.values()):
            raise TypeError("a column without a name")
        for fields in self.signatures.values():
            if not all(isinstance(value, str) for value in fields.values()):
                raise TypeError("an invalid signature")

    def describe_difference(self, other: PartsManifest) -> str:
        """Return a phrase for how `other` differs; "" if it does not."""
        if self.files != other.files:
            return "a different corpus"
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


def prepare_folder(folder: Path, manifest: PartsManifest) -> None:
    """Create a folder of parts with its manifest, or check that an existing one has the same manifest.

    Several processes may do so at the same time, since they write the same contents.

    Raises:
        ParapluieError: The folder cannot be written, or is for a different corpus or different scores.
    """
    path = folder / MANIFEST
    try:
        folder.mkdir(exist_ok=True)
        if not path.exists():
            if stray := next((path for path in folder.iterdir() if not belongs_in_folder(path.name)), None):
                raise ParapluieError(
                    f"{folder} contains other files ({stray.name}). Choose a new folder for the parts."
                )
            data = {"format": FORMAT, **asdict(manifest)}
            write_text(path, json.dumps(data, ensure_ascii=False, indent=1) + "\n")
    except OSError as error:
        raise ParapluieError(
            f"{folder}: parts cannot be written there ({error.strerror or error}). Choose another folder."
        ) from error
    if difference := manifest.describe_difference(read_manifest(folder)):
        raise ParapluieError(f"{folder} is for {difference}. Choose another folder, or the same corpus and settings.")


def read_manifest(folder: Path) -> PartsManifest:
    """Return the manifest of a folder of parts.

    Raises:
        ParapluieError: It is not a folder of parts, or from a later version of this program.
    """
    path = folder / MANIFEST
    try:
        data = read_json(path)
        if int(data["format"]) > FORMAT:
            raise ParapluieError(f"{path} was written by a later version of this program. Update this program.")
        pairs, parts = int(data["pairs"]), int(data["parts"])
        signatures = {name: dict(fields) for name, fields in dict(data["signatures"]).items()}
        manifest = PartsManifest(pairs, parts, dict(data["files"]), dict(data["columns"]), signatures)
        manifest.check()
        return manifest
    except FileNotFoundError:
        raise ParapluieError(
            f"{folder} is not a folder of parts: it has no {MANIFEST}. Choose the folder that the shards were written "
            "to."
        ) from None
    except (OSError, OwnFileError, *UNEXPECTED_VALUE) as error:
        raise ParapluieError(
            f"{path} is damaged. Move it elsewhere and run a shard again, which writes a new one."
        ) from error


def is_parts_folder(folder: Path) -> bool:
    """Return whether a path is a folder of parts."""
    return (folder / MANIFEST).is_file()


def list_part_files(folder: Path) -> dict[int, list[Path]]:
    """Return the files of each existing part by its number, without files that are still being written."""
    files: dict[int, list[Path]] = {}
    for path in sorted(folder.iterdir()):
        if name := _PART.fullmatch(path.name):
            files.setdefault(int(name[1]), []).append(path)
    return files


def part_path(folder: Path, number: int, key: str) -> Path:
    """Return the path of a part (numbered from 0) with this key of its pairs."""
    return folder / f"part-{number:05d}-{key}.parquet"


def part_key(path: Path) -> str:
    """Return the key of a part's pairs from its name."""
    name = _PART.fullmatch(path.name)
    assert name is not None
    return name[2]


def part_number(path: Path) -> int:
    """Return the number of a part from its name."""
    name = _PART.fullmatch(path.name)
    assert name is not None
    return int(name[1])


def pairs_key(corpus: Corpus | None) -> str:
    """Return a hash of the pairs of a part in their order, 32 hexadecimal digits."""
    digest = hashlib.blake2b(digest_size=16)
    if corpus is not None:
        references = [corpus.texts(name) or [None] * len(corpus) for name in corpus.reference_columns]
        for texts in zip(corpus.source, corpus.hypothesis, *references, strict=True):
            digest.update(pair_key(*texts))
    return digest.hexdigest()


def belongs_in_folder(name: str) -> bool:
    """Return whether a file name may occur in a folder of parts; files being written begin with a dot."""
    return name == MANIFEST or name.startswith(".") or _PART.fullmatch(name) is not None
