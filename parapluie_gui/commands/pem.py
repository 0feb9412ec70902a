"""`parapluie pem train`: the command line of PEM's training."""

from __future__ import annotations

import argparse
import math
import sys
from typing import Any

from parapluie_gui.places import expand_user_path


def add_options(parser: argparse.ArgumentParser) -> None:
    """Describe the command to argparse."""
    parser.description = "PEM, the paraphrase metric with a second language as the pivot (Liu et al., EMNLP 2010)."
    actions = parser.add_subparsers(required=True, metavar="ACTION", help="what to do")
    train = actions.add_parser("train", help="train a model from a parallel text and human scores")
    train.description = "Train a PEM model; `parapluie score --metric pem:MODEL` then uses it."
    train.add_argument(
        "parallel", type=expand_user_path, metavar="PARALLEL.tsv", help="a sentence, TAB, its translation per line"
    )
    train.add_argument(
        "--human",
        action="append",
        required=True,
        type=expand_user_path,
        metavar="SCORED",
        help="pairs with human scores; repeat",
    )
    train.add_argument(
        "-o", "--output", required=True, type=expand_user_path, metavar="MODEL.npz", help="the model's file"
    )
    train.add_argument("--scale", nargs=2, type=_number, metavar=("WORST", "BEST"), help="of the human scores")
    train.add_argument("--aligner", default="auto", metavar="A", help="eflomal, systran-align or nltk (the best here)")
    train.add_argument("--stemmer", default="porter", metavar="S", help="of the scored language (porter); none: none")
    train.add_argument("--pivot-stemmer", default="none", metavar="S", help="of the other one, for alignment (none)")
    train.add_argument("--least", type=_count, default=20, metavar="N", help="leave out rarer phrases (20)")
    train.add_argument("--seed", type=int, default=0, metavar="N", help="of the cross-validation (0)")
    train.set_defaults(run=_train)


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"{text} is not a number")
    return number


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number of 1 or more")
    return int(text)


def _train(options: argparse.Namespace) -> int:
    from parapluie_gui.metrics.pem.training import Settings, train

    settings = Settings(
        aligner=options.aligner,
        stemmer=options.stemmer,
        pivot_stemmer=options.pivot_stemmer,
        least=options.least,
        scale=tuple(options.scale) if options.scale else None,
        seed=options.seed,
    )
    progress = _Progress()
    try:
        model, fit = train(options.parallel, options.human, options.output, settings, progress.tell)
    finally:
        progress.close()
    print(f"model\t{options.output}, {options.output.stat().st_size / 1e6:.1f} MB")
    print(f"phrases\t{len(model.table.keys):,} from {model.facts['sentences']:,} aligned sentences")
    print(f"aligner\t{model.facts['aligner']}")
    chosen = ", ".join(f"{name} {value:g}" for name, value in fit.chosen.items())
    print(f"regression\t{fit.pairs:,} human scores, {chosen}")
    print(f"Pearson in cross-validation\t{fit.pearson:.3f}")
    return 0


class _Progress:
    """Says how far a training is: a bar on a terminal, a line per step elsewhere."""

    def __init__(self) -> None:
        self._step = ""
        self._bar: Any = None

    def tell(self, step: str, done: int, total: int) -> None:
        """Show a step, and how much of it is done."""
        if not sys.stderr.isatty():
            if step != self._step:
                print(f"{step} …", file=sys.stderr, flush=True)
            self._step = step
            return
        from tqdm import tqdm

        if step != self._step:
            self.close()
            self._step = step
            self._bar = tqdm(total=total or None, desc=step, file=sys.stderr, bar_format=None if total else "{desc} …")
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        """End the bar that is shown."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
