"""`parapluie pem train`: a parallel text and human scores in, a PEM model out."""

from __future__ import annotations

import sys

from tqdm import tqdm

from parapluie_gui.commands.options import TrainPem
from parapluie_gui.metrics.pem.training import Settings, train


def run(options: TrainPem) -> int:
    """Train a model and print what it is. Returns the exit status.

    Raises:
        ParapluieError: A file cannot be used, or the aligner is not installed.
    """
    settings = Settings(
        aligner=options.aligner,
        stemmer=options.stemmer,
        pivot_stemmer=options.pivot_stemmer,
        least=options.least,
        scale=options.scale,
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
    """Shows how far a training is: a bar on a terminal, a line per step elsewhere."""

    def __init__(self) -> None:
        self._step = ""
        self._bar: tqdm | None = None

    def tell(self, step: str, done: int, total: int) -> None:
        """Show a step, and how much of it is done."""
        if not sys.stderr.isatty():
            if step != self._step:
                print(f"{step} …", file=sys.stderr, flush=True)
            self._step = step
            return
        if step != self._step:
            self.close()
            self._step = step
            self._bar = tqdm(total=total or None, desc=step, file=sys.stderr, bar_format=None if total else "{desc} …")
        if self._bar is not None:
            self._bar.update(done - self._bar.n)

    def close(self) -> None:
        """End the bar that is shown."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
