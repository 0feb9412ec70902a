"""The command `parapluie pem train`, which trains a PEM model from a parallel text and human scores."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tqdm import tqdm

from parapluie_gui.features.pem.options import TrainPem
from parapluie_gui.features.pem.training import PemSettings, train


def run(options: TrainPem) -> int:
    """Train a model and print a summary; return the exit status.

    Raises:
        ParapluieError: A file is unusable, or the aligner is not installed.
    """
    settings = PemSettings(
        aligner=options.aligner,
        stemmer=options.stemmer,
        pivot_stemmer=options.pivot_stemmer,
        least=options.least,
        scale=options.scale,
        seed=options.seed,
    )
    with _progress() as report:
        model, fit = train(options.parallel, options.human, options.output, settings, report)
    print(f"model\t{options.output}, {options.output.stat().st_size / 1e6:.1f} MB")
    print(f"phrases\t{len(model.table.keys):,} from {model.facts['sentences']:,} aligned sentences")
    print(f"aligner\t{model.facts['aligner']}")
    chosen = ", ".join(f"{name} {value:g}" for name, value in fit.chosen.items())
    print(f"regression\t{fit.pairs:,} human scores, {chosen}")
    print(f"Pearson in cross-validation\t{fit.pearson:.3f}")
    return 0


@contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None]]:
    """Show the progress of training: a bar per step on a terminal, otherwise a line per step."""
    current, bar = "", None

    def report(step: str, done: int, total: int) -> None:
        nonlocal current, bar
        if step != current:
            current = step
            if not sys.stderr.isatty():
                print(f"{step} …", file=sys.stderr, flush=True)
                return
            if bar is not None:
                bar.close()
            bar = tqdm(total=total or None, desc=step, file=sys.stderr, bar_format=None if total else "{desc} …")
        if bar is not None:
            bar.update(done - bar.n)

    try:
        yield report
    finally:
        if bar is not None:
            bar.close()
