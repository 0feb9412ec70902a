"""The model card of a trained judge: its training, its quality, and its limits."""

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
from parapluie_gui.features.training.criterion import MOSTLY, KeptResult, criterion
from parapluie_gui.features.training.examples import TrainingMixture
from parapluie_gui.features.training.memory import SAMPLE, MemoryGap
from parapluie_gui.pairs import UNLABELLED, Corpus
from parapluie_gui.version import __version__

#: Licences of corpora, by their layout.
_LICENCES = {
    "MRPC": "Microsoft shared source licence, non-commercial use",
    "PAWS": "free use; Google asks for acknowledgement",
    "STS-B": "scores CC BY-SA 4.0, texts under the terms of their sources",
}
_UNKNOWN = "**not known to the program: write it here before you share the judge**"


@dataclass(frozen=True)
class HeldOutResult:
    """The quality of a judge on a held-out corpus.

    Attributes:
        pairs: Number of pairs with a label or a human score.
        accuracy: Accuracy at threshold 0; None without labels.
        area: Area under the ROC curve; None without both labels.
        correlation: Pearson's correlation with the human scores; None without human scores.
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


def held_out_result(corpus: Corpus, scores: Scores) -> HeldOutResult:
    """Compare scores log p(yes) − log p(no) with the labels and human scores of a corpus."""
    accuracy = area = correlation = None
    pairs = len(corpus)
    if corpus.has_labels and corpus.label is not None:
        labelled = corpus.label != UNLABELLED
        pairs = int(labelled.sum())
        is_paraphrase, labelled_scores = corpus.label[labelled] == 1, scores[labelled]
        accuracy = float(((labelled_scores >= 0) == is_paraphrase).mean())
        if is_paraphrase.any() and not is_paraphrase.all():
            area = roc(threshold_curve(labelled_scores, is_paraphrase.astype(np.int8))).auc
    if corpus.human is not None and (is_graded := ~np.isnan(corpus.human)).sum() > 2:
        correlation = float(np.corrcoef(scores[is_graded], corpus.human[is_graded])[0, 1])
        pairs = max(pairs, int(is_graded.sum()))
    return HeldOutResult(corpus.name, pairs, accuracy, area, correlation)


def card(
    name: str,
    command: str,
    base: str,
    cloze: str,
    mixture: TrainingMixture,
    graded: tuple[float, float],
    figures: Sequence[HeldOutResult],
    seconds: float,
    calibrated: Corpus | None = None,
    averaged: Path | None = None,
    standings: Sequence[KeptResult] = (),
    memory: Sequence[MemoryGap] = (),
    certificate: str = "",
) -> str:
    """Write the card as Markdown.

    Args:
        name: The judge.
        command: The command line of the training.
        base: The base model.
        cloze: The cloze of the template.
        mixture: The training data.
        graded: The human grades that count as "no" and as "yes".
        figures: Results on held-out corpora.
        seconds: Duration of the training.
        calibrated: The corpus on which the threshold of equal errors was shifted to 0, if any.
        averaged: The folder of the judge whose weights were averaged with the trained ones, if any.
        standings: Results on the kept-back pairs.
        memory: Results on pairs seen in training, next to kept-back pairs.
        certificate: The table of the certificate as Markdown.
    """
    zero = "" if averaged is None else f" The weights are the mean of the trained weights and those of {averaged.name}."
    if calibrated is not None:
        zero += (
            " Then both answers were shifted until the share of paraphrases below 0 equalled the share of "
            f"negatives above it, on {calibrated.name} (grades from {5 * MOSTLY:g} of 5 count as paraphrases)."
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
        kept=_kept_table(standings, memory),
        certificate=certificate,
        easy=f"{mixture.easy:g}",
        low=f"{low:g}",
        high=f"{high:g}",
        zero=zero,
        figures="\n".join(
            f"| {result.name} | {result.pairs:,} | "
            f"{' | '.join(map(_number, (result.accuracy, result.area, result.correlation)))} |"
            for result in figures
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
    """Return the processor's name, or the machine's type if the system has no name for it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _kept_table(standings: Sequence[KeptResult], memory: Sequence[MemoryGap]) -> str:
    """Write the table of the kept-back pairs and the criterion as Markdown; "" without kept-back pairs."""
    if not standings:
        return ""
    gaps = {gap.name: gap for gap in memory}
    rows = []
    for result in standings:
        gap = gaps.get(result.name)
        areas = " | " if gap is None else f"{gap.seen:.3f} | {gap.kept:.3f}"
        quality = f"{result.area:.3f} | {result.balanced:.3f}"
        rows.append(f"| {result.kind} | {result.name} | {result.pairs:,} | {quality} | {areas} |")
    head = [
        "Held-out pairs of its own corpora, with no sentence seen in training: the half on which 0 became",
        f"its threshold. The last two columns compare up to {SAMPLE} pairs that it was trained on with as many that it "
        "was not: the difference shows how much it has memorised.",
        "",
        "| kind | corpus | pairs | AUC | balanced accuracy at 0 | AUC, trained on | AUC, not trained on |",
        "|---|---|---|---|---|---|---|",
    ]
    return "\n".join(
        [*head, *rows, "", f"The criterion, their mean over the kinds: **{criterion(standings):.4f}**.", ""]
    )
