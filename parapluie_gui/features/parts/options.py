"""Options of `parapluie score` for corpora in parts."""

# Each call describes one argument of the command.

from __future__ import annotations

import argparse
from dataclasses import dataclass

from parapluie_gui.commands.arguments import integer, number_reader, option
from parapluie_gui.commands.extension import CommandExtension


def parse_shard(text: str) -> tuple[int, int]:
    """Return the number of a shard, from 1, and the number of shards, from a text such as 3/16."""
    number, slash, count = text.partition("/")
    if not (slash and number.isdecimal() and count.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text} does not have the form 3/16")
    if not 1 <= int(number) <= int(count):
        raise argparse.ArgumentTypeError(f"there is no shard {number} of {count}: they are numbered from 1")
    return int(number), int(count)


@dataclass(frozen=True, kw_only=True)
class ShardingOptions(CommandExtension):
    """A corpus too large for one process, scored in parts."""

    title = "corpus in parts"

    shard: tuple[int, int] | None = option(
        "score the parts of shard I of N into the folder -o", "I/N", type=parse_shard
    )
    engine: str | None = option("score all parts on a Ray cluster: ray (this computer) or ray://HOST:PORT", "ENGINE")
    part: int | None = integer("pairs per part (10000)", "PAIRS")
    workers: int | None = integer("Ray: number of scoring processes (as many as fit)")
    worker_cpus: float | None = option("Ray: cores per process (1)", "N", type=number_reader(0))
    worker_gpus: float | None = option("Ray: GPUs per process (0)", "N", type=number_reader(0))
