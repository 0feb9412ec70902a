"""What `parapluie score` and `merge` can be given for a second judge and for corpora that are scored in parts."""

# As in `options.py`: each call describes one argument.
# ruff: noqa: RUF009

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from parapluie_gui.commands.arguments import argument, at_least, file, number, option, shard, share
from parapluie_gui.places import expand_user_path


@dataclass(frozen=True, kw_only=True)
class Cascading:
    """A second judge for the pairs that the first is not sure of."""

    then: str | None = option("second judge, as --judge, for the pairs in the band", "MODEL")
    then_template: str | None = option("its template", "NAME[,reverse]")
    band: tuple[float, float] | None = option(
        "scores of the first judge that are sent on", ("LOW", "HIGH"), nargs=2, type=number()
    )
    send: float | None = option("share of the pairs that is sent on, those nearest to 0", "SHARE", type=share)


@dataclass(frozen=True, kw_only=True)
class Sharding:
    """A corpus too large for one process, scored in parts."""

    shard: tuple[int, int] | None = option("score the parts of shard I of N into the folder -o", "I/N", type=shard)
    engine: str | None = option("score all parts on a Ray cluster: ray (this computer) or ray://HOST:PORT", "ENGINE")
    part: int | None = option("pairs of a part (10000)", "PAIRS", type=at_least(1))
    workers: int | None = option("Ray: processes that score (as many as there is room for)", "N", type=at_least(1))
    worker_cpus: float | None = option("Ray: cores of each of them (1)", "N", type=number(0))
    worker_gpus: float | None = option("Ray: GPUs of each of them (0)", "N", type=number(0))


@dataclass(frozen=True, kw_only=True)
class Merge:
    """Put the parts of a folder together as one table, once they are all there."""

    folder: Path = argument("folder that `parapluie score --shard` wrote", "FOLDER", type=expand_user_path)
    output: Path = file("table to write: .parquet", "OUT.parquet", short="-o", required=True)
