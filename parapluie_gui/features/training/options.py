"""Options of the command `train-judge`."""

# Each call describes one argument of the command.
# ruff: noqa: RUF009

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from parapluie_gui.commands.arguments import argument, file, integer, number_reader, option, seed, switch


@dataclass(frozen=True, kw_only=True)
class TrainJudge:
    """Train a small masked language model as a judge, on labelled or graded corpora."""

    base: str = argument("model to start from: a catalogue name or a folder", "BASE")
    corpus: tuple[str, ...] = argument(
        "corpus to learn from; @0.5 = half of it per epoch; or a mixture file (.toml)", "FILE[@X]", nargs="+"
    )
    data: Path | None = file("folder of the corpora that a mixture file names (its own)", "FOLDER")
    leave_out: tuple[str, ...] = option("kind of corpora in the mixture to leave out", "KIND", action="append")
    output: Path = file("folder of the trained judge", "FOLDER", short="-o", required=True)
    held_out: tuple[Path, ...] = file("corpus to evaluate on; may be repeated", "FILE", action="append")
    calibrate: Path | None = file("held-out corpus on which 0 becomes the threshold of equal errors", "FILE")
    average: Path | None = file("folder of a judge of the same base; the mean of both is saved", "JUDGE")
    template: str = option("cloze to fill (CLOZE)", "NAME", default="CLOZE")
    easy: float = option("share of easy negatives (0.1)", "X", type=number_reader(0, or_equal=True), default=0.1)
    rules: float = option("share of pairs made by rule (0.4)", "X", type=number_reader(0, or_equal=True), default=0.4)
    edits: float = option(
        "share of changed corpus sentences (0)", "X", type=number_reader(0, or_equal=True), default=0.0
    )
    same: float = option(
        "share of pairs of identical sentences (0.02)", "X", type=number_reader(0, or_equal=True), default=0.02
    )
    graded: tuple[float, float] = option(
        "grades up to NO are negatives, from YES on positives (3 4.8; of 0 to 5)",
        ("NO", "YES"),
        type=float,
        nargs=2,
        default=(3.0, 4.8),
    )
    epochs: float = option("passes over the corpora (3)", "N", type=number_reader(0), default=3.0)
    rate: float = option("highest learning rate (1e-4)", "R", type=number_reader(0, 1), default=1e-4)
    dropout: float = option(
        "dropout of the trained layers (0)",
        "X",
        type=number_reader(0, 0.9, or_equal=True),
        default=0.0,
    )
    mask: float = option(
        "share of the common word pieces hidden in both sentences (0)",
        "X",
        type=number_reader(0, 0.9, or_equal=True),
        default=0.0,
    )
    decay: float = option("weight decay (0.01)", "X", type=number_reader(0, 1, or_equal=True), default=0.01)
    mean: float = option(
        "save the running mean of the weights, which keeps this share of itself at each step (0)",
        "X",
        type=number_reader(0, 0.99999, or_equal=True),
        default=0.0,
    )
    balance: float = option(
        "balance of the kinds of a mixture file in the loss; 1 = equal weights (0)",
        "X",
        type=number_reader(0, 2, or_equal=True),
        default=0.0,
    )
    controls: bool = switch("add to each changed sentence an edit of the same kind that keeps the meaning")
    order: float = option(
        "weight of the loss that orders the pairs of a family (0)",
        "X",
        type=number_reader(0, or_equal=True),
        default=0.0,
    )
    anchor: float = option(
        "share of the base's answer in the target answer, except for families and identical sentences (0)",
        "X",
        type=number_reader(0, 1, or_equal=True),
        default=0.0,
    )
    teacher: str | None = option("judge of the same base whose answers --anchor uses (BASE)", "JUDGE")
    all_layers: bool = switch("train the first layers too, which read each sentence alone")
    batch: int = integer("pairs per step", default=32)
    seed: int = seed("random seed")
    threads: int | None = integer("processor threads (default: all)")
    device: str = option("device: auto, cpu, cuda, cuda:1, mps (cpu)", "D", default="cpu")
    precision: Literal["auto", "float32", "bfloat16"] = option(
        "precision of the passes (auto)", choices=("auto", "float32", "bfloat16"), default="auto"
    )
    resume: bool = switch("continue the unfinished run in FOLDER")
