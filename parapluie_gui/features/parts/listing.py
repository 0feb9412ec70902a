"""A folder of parts as it is now, which may be before all are there: its files, and the pairs of some of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from parapluie_gui.errors import CorpusError, ParapluieError, one_line
from parapluie_gui.features.parts.folder import is_ours, parts_in, read_manifest
from parapluie_gui.features.parts.merge import concatenated
from parapluie_gui.features.parts.part_file import check_end, read_part
from parapluie_gui.pairs.corpus import ROLES, Corpus
from parapluie_gui.pairs.reading.dispatch import Reading
from parapluie_gui.pairs.reading.large import SampledCorpus, read_sample
from parapluie_gui.pairs.reading.mapping import ColumnMapping
from parapluie_gui.pairs.reading.parquet import decode_cells
from parapluie_gui.pairs.reading.raw_table import Origin, RawTable, Tick
from parapluie_gui.pairs.reading.reader import to_corpus
from parapluie_gui.scores.identity import without_judge
from parapluie_gui.scores.signature import Signature

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True)
class Listing:
    """What is in a folder of parts.

    Attributes:
        parts: How many parts it is to have.
        pairs: Pairs of a part, at most.
        files: The file of each part that is there, in the order of the corpus.
        strange: The names of files that are none of its parts, or a part once more.
    """

    parts: int
    pairs: int
    files: tuple[Path, ...]
    strange: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """What to say of the strange files; "" without any."""
        if not self.strange:
            return ""
        more = len(self.strange) - 1
        others = f" and {more:,} more" if more else ""
        return f"{self.strange[0]}{others} in the folder of parts: no part of this corpus, and left out."


def list_parts(folder: Path) -> Listing:
    """Return what is in a folder of parts; the files are not opened.

    Raises:
        ParapluieError: It is no folder of parts, or cannot be read.
    """
    manifest = read_manifest(folder)
    try:
        found = parts_in(folder)
        strange = [path.name for path in folder.iterdir() if not is_ours(path.name)]
    except OSError as error:
        raise ParapluieError(f"{folder} cannot be read ({error.strerror or error}). Open it again later.") from error
    for number, paths in found.items():
        strange += [path.name for path in (paths[1:] if number < manifest.parts else paths)]
    files = tuple(found[number][0] for number in sorted(found) if number < manifest.parts)
    return Listing(manifest.parts, manifest.pairs, files, tuple(map(one_line, sorted(strange))))


@dataclass
class NewParts:
    """What was read of some parts.

    Attributes:
        corpus: Their pairs, one part after the other; None without any.
        ends: How many pairs there are up to the end of each part that was read, by its file's name.
        wrong: Why a part cannot be used, by its file's name.
    """

    corpus: Corpus | None = None
    ends: dict[str, int] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)


def signatures_of(folder: Path) -> dict[str, Signature]:
    """Return what the scores of a folder's parts are computed with, by column."""
    return {
        name: Signature.of(without_judge(name), fields) for name, fields in read_manifest(folder).signatures.items()
    }


def read_parts(folder: Path, files: Sequence[Path], tick: Tick = lambda rows: None) -> NewParts:
    """Read some parts of a folder; one that cannot be used is left out.

    Raises:
        ParapluieError: It is no folder of parts any more.
    """
    found = NewParts()
    tables, rows = [], 0
    for path, table in _usable(folder, files, found.wrong):
        rows += table.num_rows
        found.ends[path.name] = rows
        tables.append(table)
        tick(rows)
    if rows:
        found.corpus = _corpus(folder, [table for table in tables if table.num_rows])
    return found


def sample_parts(
    folder: Path, files: Sequence[Path], tick: Tick = lambda rows: None
) -> tuple[SampledCorpus | None, dict[str, str]]:
    """Return a sample of the pairs of some parts, None without any; one that cannot be used is left out.

    Of each part its end is looked at, and the check sums of what is read; its seal would take all of it.

    Returns:
        The sample, and why a part cannot be used, by its file's name.

    Raises:
        ParapluieError: It is no folder of parts any more, or its columns are not recognised.
    """
    wrong: dict[str, str] = {}
    usable = with_right_ends(folder, files, wrong)
    while usable:
        try:
            return read_sample(folder, usable, tick=tick), wrong
        except CorpusError as error:
            bad = next((path for path in usable if path == error.path), None)
            if bad is None:
                raise
            usable.remove(bad)
            wrong[bad.name] = f"{bad} is damaged. Delete it and run its shard again."
    return None, wrong


def with_right_ends(folder: Path, files: Sequence[Path], wrong: dict[str, str]) -> list[Path]:
    """Return the parts whose files' ends are right; puts why the others cannot be used under their names."""
    manifest, right = read_manifest(folder), []
    for path in files:
        try:
            check_end(path, manifest)
        except ParapluieError as error:
            wrong[path.name] = str(error)
        else:
            right.append(path)
    return right


def _usable(folder: Path, files: Sequence[Path], wrong: dict[str, str]) -> Iterator[tuple[Path, pyarrow.Table]]:
    manifest = read_manifest(folder)
    for path in files:
        try:
            table = read_part(path, manifest)
        except ParapluieError as error:
            wrong[path.name] = str(error)
        else:
            yield path, table


def _corpus(folder: Path, tables: Sequence[pyarrow.Table]) -> Corpus:
    whole = concatenated(tables)
    names: list[str] = whole.column_names
    columns = [decode_cells(name, column, folder) for name, column in zip(names, whole.columns, strict=True)]
    table = RawTable(names, columns, range(1, whole.num_rows + 1), Origin(kind="parquet", path=folder))
    roles: Mapping[str, str] = {role: role for role in ROLES if role in names}
    return to_corpus(Reading(table, None, ColumnMapping(**roles), certain=True), one_line(folder.name))
