"""The options of `parapluie pem train`."""

# Each call describes one argument of the command.
# ruff: noqa: RUF009

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from parapluie_gui.commands.arguments import argument, file, integer, number_reader, option, output_file, seed
from parapluie_gui.places import expand_user_path


@dataclass(frozen=True, kw_only=True)
class TrainPem:
    """Train a PEM model; `parapluie score --metric pem:MODEL` then uses it."""

    parallel: Path = argument(
        "file with a sentence, TAB and its translation on each line", "PARALLEL.tsv", type=expand_user_path
    )
    human: tuple[Path, ...] = file("pairs with human scores; may be repeated", "SCORED", action="append", required=True)
    output: Path = output_file("file to write the model to", "MODEL.npz", short="-o", required=True)
    scale: tuple[float, float] | None = option(
        "range of the human scores (default: lowest and highest score in each file)",
        ("WORST", "BEST"),
        nargs=2,
        type=number_reader(),
    )
    aligner: str = option("eflomal, systran-align or nltk (the best installed)", "A", default="auto")
    stemmer: str = option("stemmer for the scored language (porter); none: no stemming", "S", default="porter")
    pivot_stemmer: str = option("stemmer for the other language, used in alignment (none)", "S", default="none")
    least: int = integer("leave out phrases that occur less often than this", default=20)
    seed: int = seed("random seed for the cross-validation")
