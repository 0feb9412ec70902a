"""Listing and reading a folder of parts, even while parts are still being written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from parapluie_gui.errors import CorpusError, ParapluieError, one_line
from parapluie_gui.features.parts.folder import belongs_in_folder, list_part_files, read_manifest
from parapluie_gui.features.parts.merge import concatenate
from parapluie_gui.features.parts.part_file import check_footer, read_part
from parapluie_gui.pairs.corpus import ROLES, Corpus
from parapluie_gui.pairs.reading.dispatch import RecognisedTable
from parapluie_gui.pairs.reading.large import SampledCorpus, read_sample
from parapluie_gui.pairs.reading.mapping import ColumnMapping
from parapluie_gui.pairs.reading.parquet import decode_cells
from parapluie_gui.pairs.reading.raw_table import FileOrigin, RawTable, Tick
from parapluie_gui.pairs.reading.reader import to_corpus
from parapluie_gui.scores.identity import without_judge
from parapluie_gui.scores.signature import Signature

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True)
class FolderListing:
    """The files in a folder of parts.

    Attributes:
        parts: The number of parts once it is complete.
        pairs: Maximum number of pairs in a part.
        files: The file of each existing part, in the order of the corpus.
        stray: The names of files that are not parts of this corpus, or duplicates.
    """

    parts: int
    pairs: int
    files: tuple[Path, ...]
    stray: tuple[str, ...]

    @property
    def warning(self) -> str:
        """A sentence about the stray files; "" without any."""
        if not self.stray:
            return ""
        if len(self.stray) == 1:
            return f"{self.stray[0]} in the folder of parts is not a part of this corpus and was left out."
        more = len(self.stray) - 1
        return (
            f"{self.stray[0]} and {more:,} more in the folder of parts are not parts of this corpus and were left out."
        )


def list_parts(folder: Path) -> FolderListing:
    """Return the files in a folder of parts, without opening them.

    Raises:
        ParapluieError: It is not a folder of parts, or cannot be read.
    """
    manifest = read_manifest(folder)
    try:
        paths_by_number = list_part_files(folder)
        stray = [path.name for path in folder.iterdir() if not belongs_in_folder(path.name)]
    except OSError as error:
        raise ParapluieError(f"{folder} cannot be read ({error.strerror or error}). Open it again later.") from error
    for number, paths in paths_by_number.items():
        stray += [path.name for path in (paths[1:] if number < manifest.parts else paths)]
    files = tuple(paths_by_number[number][0] for number in sorted(paths_by_number) if number < manifest.parts)
    return FolderListing(manifest.parts, manifest.pairs, files, tuple(map(one_line, sorted(stray))))


@dataclass
class PartsContents:
    """The contents of some parts.

    Attributes:
        corpus: Their pairs, part by part; None if there are none.
        ends: By the name of each file that was read, the number of pairs up to its end.
        problems: By the name of each file that cannot be used, the reason.
    """

    corpus: Corpus | None = None
    ends: dict[str, int] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)


def manifest_signatures(folder: Path) -> dict[str, Signature]:
    """Return the signatures of the scores in a folder of parts, by column."""
    return {
        name: Signature.from_fields(without_judge(name), fields)
        for name, fields in read_manifest(folder).signatures.items()
    }


def read_parts(folder: Path, files: Sequence[Path], tick: Tick = lambda rows: None) -> PartsContents:
    """Read some parts of a folder, except those that cannot be used.

    Raises:
        ParapluieError: It is no longer a folder of parts.
    """
    contents = PartsContents()
    tables, rows = [], 0
    for path, table in _read_usable(folder, files, contents.problems):
        rows += table.num_rows
        contents.ends[path.name] = rows
        tables.append(table)
        tick(rows)
    if rows:
        contents.corpus = _to_corpus(folder, [table for table in tables if table.num_rows])
    return contents


def sample_parts(
    folder: Path, files: Sequence[Path], tick: Tick = lambda rows: None
) -> tuple[SampledCorpus | None, dict[str, str]]:
    """Draw a sample of the pairs of some parts, except those that cannot be used.

    Only the footer of each part and the checksums of the pages read are verified: verifying the seal would require
    reading everything.

    Returns:
        The sample (None without any pairs), and the reason for each file that cannot be used, by name.

    Raises:
        ParapluieError: It is no longer a folder of parts, or its columns are not recognised.
    """
    problems: dict[str, str] = {}
    usable = select_usable(folder, files, problems)
    while usable:
        try:
            return read_sample(folder, usable, tick=tick), problems
        except CorpusError as error:
            damaged = next((path for path in usable if path == error.path), None)
            if damaged is None:
                raise
            usable.remove(damaged)
            problems[damaged.name] = f"{damaged} is damaged. Delete it and run its shard again."
    return None, problems


def select_usable(folder: Path, files: Sequence[Path], problems: dict[str, str]) -> list[Path]:
    """Return the parts with a valid footer; add the reasons why others cannot be used to `problems`, by file name."""
    manifest = read_manifest(folder)
    usable = []
    for path in files:
        try:
            check_footer(path, manifest)
        except ParapluieError as error:
            problems[path.name] = str(error)
        else:
            usable.append(path)
    return usable


def _read_usable(folder: Path, files: Sequence[Path], problems: dict[str, str]) -> Iterator[tuple[Path, pyarrow.Table]]:
    manifest = read_manifest(folder)
    for path in files:
        try:
            table = read_part(path, manifest)
        except ParapluieError as error:
            problems[path.name] = str(error)
        else:
            yield path, table


def _to_corpus(folder: Path, tables: Sequence[pyarrow.Table]) -> Corpus:
    combined = concatenate(tables)
    names: list[str] = combined.column_names
    columns = [decode_cells(name, column, folder) for name, column in zip(names, combined.columns, strict=True)]
    table = RawTable(names, columns, range(1, combined.num_rows + 1), FileOrigin(kind="parquet", path=folder))
    roles: Mapping[str, str] = {role: role for role in ROLES if role in names}
    return to_corpus(RecognisedTable(table, None, ColumnMapping(**roles), certain=True), one_line(folder.name))
