"""The model card: what a trained judge is, how it was made, how well it does, and what it is not for."""

from __future__ import annotations

import platform
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

import numpy as np

from parapluie_gui import places
from parapluie_gui.analysis.statistics.curves import roc, threshold_curve
from parapluie_gui.arrays import Scores
from parapluie_gui.features.training.criterion import MOSTLY, Standing, criterion
from parapluie_gui.features.training.examples import Mixture
from parapluie_gui.features.training.memory import SAMPLE, MemoryGap
from parapluie_gui.pairs import UNLABELLED, Corpus
from parapluie_gui.version import __version__

#: Licences of corpora whose layout is recognised.
_LICENCES = {
    "MRPC": "Microsoft shared source licence, non-commercial use",
    "PAWS": "free use, Google asks to be acknowledged",
    "STS-B": "scores CC BY-SA 4.0, texts under the terms of their sources",
}
_UNKNOWN = "**not known to the program: write it here before you pass the judge on**"


@dataclass(frozen=True)
class Figure:
    """How a judge does on one corpus that it has not seen.

    Attributes:
        pairs: How many of its pairs have a label or a human score.
        accuracy: At threshold 0, or None without labels.
        area: Under the ROC curve, or None.
        correlation: Pearson's with the human scores, or None without.
    """

    name: str
    pairs: int
    accuracy: float | None = None
    area: float | None = None
    correlation: float | None = None

    def __str__(self) -> str:
        parts = [f"{self.name}: {self.pairs:,} pairs"]
        parts += [f"accuracy at 0 {self.accuracy:.3f}"] if self.accuracy is not None else []
        parts += [f"AUC {self.area:.3f}"] if self.area is not None else []
        parts += [f"Pearson {self.correlation:.3f}"] if self.correlation is not None else []
        return ", ".join(parts)


def figure(corpus: Corpus, scores: Scores) -> Figure:
    """Return how scores log p(yes) − log p(no) do on a corpus with labels, human scores, or both."""
    accuracy = area = correlation = None
    pairs = len(corpus)
    if corpus.labelled and corpus.label is not None:
        labelled = corpus.label != UNLABELLED
        pairs = int(labelled.sum())
        truth, given = corpus.label[labelled] == 1, scores[labelled]
        accuracy = float(((given >= 0) == truth).mean())
        if truth.any() and not truth.all():
            area = roc(threshold_curve(given, truth.astype(np.int8))).auc
    if corpus.human is not None and (graded := ~np.isnan(corpus.human)).sum() > 2:
        correlation = float(np.corrcoef(scores[graded], corpus.human[graded])[0, 1])
        pairs = max(pairs, int(graded.sum()))
    return Figure(corpus.name, pairs, accuracy, area, correlation)


def card(
    name: str,
    command: str,
    base: str,
    cloze: str,
    mixture: Mixture,
    graded: tuple[float, float],
    figures: Sequence[Figure],
    seconds: float,
    calibrated: Corpus | None = None,
    averaged: Path | None = None,
    standings: Sequence[Standing] = (),
    memory: Sequence[MemoryGap] = (),
    certificate: str = "",
) -> str:
    """Return the card as Markdown.

    `graded` are the human grades that count as "no" and as "yes". 0 was made the threshold of equal errors on the
    corpus `calibrated`, and the weights were averaged with those of the judge `averaged`, if there are such.
    `memory` says how it does on pairs that it was trained on; `certificate` is its table as Markdown.
    """
    zero = "" if averaged is None else f" The weights are the mean of the trained ones and those of {averaged.name}."
    if calibrated is not None:
        zero += (
            " Then both answers were shifted until as large a share of paraphrases was below 0 as of negatives above, "
            f"on {calibrated.name} (grades from {5 * MOSTLY:g} of 5 count as paraphrases)."
        )
    low, high = graded
    text = (places.resources() / "training/MODEL_CARD.md").read_text("utf-8")
    return Template(text).substitute(
        name=name,
        version=__version__,
        day=time.strftime("%Y-%m-%d"),
        base=base,
        cloze=cloze,
        command=command,
        minutes=f"{seconds / 60:.0f}",
        machine=_machine(),
        corpora="\n".join(
            f"| {part.corpus.name} | {len(part.examples):,} | {part.share:g} | "
            f"{_LICENCES.get(part.corpus.layout, _UNKNOWN)} |"
            for part in mixture.parts
        ),
        rules=f"{mixture.rules:g}",
        edits=f"{mixture.edits:g}",
        same=f"{mixture.same:g}",
        kept=_kept(standings, memory),
        certificate=certificate,
        easy=f"{mixture.easy:g}",
        low=f"{low:g}",
        high=f"{high:g}",
        zero=zero,
        figures="\n".join(
            f"| {each.name} | {each.pairs:,} | "
            f"{' | '.join(map(_number, (each.accuracy, each.area, each.correlation)))} |"
            for each in figures
        ),
    )


def _machine() -> str:
    import torch
    import transformers

    threads = torch.get_num_threads()
    return (
        f"{threads} thread{'s' if threads > 1 else ''} of {processor()}, Python {platform.python_version()}, "
        f"PyTorch {torch.__version__}, transformers {transformers.__version__}"
    )


def processor() -> str:
    """Return the processor's name, as far as the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _kept(standings: Sequence[Standing], memory: Sequence[MemoryGap]) -> str:
    """Return the table of what was kept back, and the criterion; nothing where nothing was."""
    if not standings:
        return ""
    seen = {each.name: each for each in memory}
    rows = []
    for each in standings:
        gap = seen.get(each.name)
        both = " | " if gap is None else f"{gap.seen:.3f} | {gap.kept:.3f}"
        rows.append(f"| {each.kind} | {each.name} | {each.pairs:,} | {each.area:.3f} | {each.balanced:.3f} | {both} |")
    head = [
        "Pairs of its own corpora that were kept back, and no sentence of which it has seen: the half of them by which",
        f"0 was made its threshold. Beside them {SAMPLE} pairs at most that it was trained on, and as many that it was "
        "not: the difference is what it has learnt by heart.",
        "",
        "| kind | corpus | pairs | AUC | balanced accuracy at 0 | AUC, trained on | AUC, not trained on |",
        "|---|---|---|---|---|---|---|",
    ]
    return "\n".join(
        [*head, *rows, "", f"The criterion, their mean over the kinds: **{criterion(standings):.4f}**.", ""]
    )
