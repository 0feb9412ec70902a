"""`parapluie merge`: the parts of a large corpus as one table."""

# Each call describes one argument of the command.
# ruff: noqa: RUF009

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from parapluie_gui.api.notices import count, progress
from parapluie_gui.commands.arguments import argument, output_file
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.parts.merge import merge
from parapluie_gui.pairs.reading.blocks import ENDING
from parapluie_gui.places import expand_user_path


@dataclass(frozen=True, kw_only=True)
class MergeOptions:
    """Merge the parts of a folder into one table, once all of them exist."""

    folder: Path = argument("folder that `parapluie score --shard` wrote", "FOLDER", type=expand_user_path)
    output: Path = output_file("table to write: .parquet", "OUT.parquet", short="-o", required=True)


def run(options: MergeOptions) -> int:
    """Write the table, print its size, and return the exit status.

    Raises:
        ParapluieError: A part is missing, present twice or damaged, or the table cannot be written.
    """
    if options.output.suffix.lower() != ENDING:
        raise ParapluieError(
            f'The merged table is a Parquet file, not "{options.output.name}". End its name in {ENDING}.'
        )
    if not options.output.parent.is_dir():
        raise ParapluieError(
            f"There is no folder {options.output.parent}. Create it first, or choose a different folder."
        )
    if options.output.resolve().parent == options.folder.resolve():
        raise ParapluieError(f"{options.output} would be among the parts. Choose another folder for the table.")
    with progress() as tick:
        merged = merge(options.folder, options.output, tick)
    print(f"{count(merged.parts, 'part', 'parts')}, {count(merged.pairs, 'pair', 'pairs')} → {options.output}")
    return 0
