"""The pocket judge's training, and the tables of its card.

    python tests/benchmarks/judge.py train FOLDER [--epochs 0.7] [--resume]
    python tests/benchmarks/judge.py table [--judge FOLDER ...] [--half report] [--quick] [--metrics]
        [--json FILE]
    python tests/benchmarks/judge.py mix FOLDER --judge FOLDER --judge FOLDER [--share 0.5] [--cosine 1]
    python tests/benchmarks/judge.py left-out FOLDER [--epochs 0.1]

`train` repeats the trainings of the judge that is shipped, by `parapluie train-judge`: FOLDER/first, then FOLDER/second
and FOLDER/third, each of which continues from the previous one and is averaged with it, then two runs with
different seeds that learn families from it, their mean FOLDER/seventh, and FOLDER/pocket, a mixture of that and a
little of FOLDER/third. `table` prints, for each corpus of the mixture, how judges and metrics (with --metrics:
SBERT, METEOR, BLEU, edit distance) perform on the held-out pairs: AUC, for judges the balanced accuracy at 0, the
criterion of PROTOCOL.md, the advantage on training pairs, how many sentences are rejected as paraphrases of
themselves and how many answers change when the sentences are swapped. It uses the half of the held-out pairs for
model selection or, for a chosen judge, the half for figures; --quick leaves the last three out. `mix` averages the
weights of two judges, with a share for the second, and scales the weight of the cosine of the two sentences. `left-
out` trains one short judge per list in LEFT_OUT, without the kinds of this list, and prints the AUC on their
corpora.

The data are in --data (../shared/data). Trainings are slow on a busy machine.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np

from parapluie_gui.analysis.statistics.curves import roc, threshold_curve
from parapluie_gui.commands.main import main as parapluie
from parapluie_gui.features.training.criterion import balanced_threshold, binary_truth, criterion, kept_result
from parapluie_gui.features.training.examples import TrainingCorpus
from parapluie_gui.features.training.memory import format_gaps, memory_gaps
from parapluie_gui.features.training.mixture_file import KeptCorpus, read_mixture
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.base import Metric, MetricContext
from parapluie_gui.models.catalogue import find_model
from parapluie_gui.models.manifest import write_manifest
from parapluie_gui.models.quantised import average_int8, edit_tensors
from parapluie_gui.models.symmetric import TERMS
from parapluie_gui.pluie.judge import judge_class
from parapluie_gui.pluie.templates import find_templates, load_templates

ROOT = Path(__file__).parents[2]
MIXTURE = ROOT / "resources" / "training" / "mixture.toml"
#: The seventh round's mixture, on which judges have been compared since: the same held-out pairs, plus families.
SEVENTH = ROOT / "resources" / "training" / "seventh.toml"
DATA = ROOT.parent / "shared" / "data"
BASE = "all-minilm-l6-v2"
#: The recipe: the options of train-judge besides the mixture.
RECIPE = ("--rules", "0.12", "--easy", "0.05", "--threads", "2")
#: Shares of sentences with one change and of identical sentences: for two trainings, and for the third.
FEW_EDITS = ("--edits", "0.06", "--same", "0.03")
MANY_EDITS = ("--edits", "0.25", "--same", "0.06")
#: Shares of the first training that have since doubled in the mixture.
FIRST_SHARES = {"mrpc/msr_paraphrase_train.txt": 1.5, "training/ap_human.tsv": 0.5, "stsb/sts-train.csv": 0.7}
#: Kinds left out together: the fewest trainings that leave out every kind once, with related kinds of the mixture.
LEFT_OUT = (("questions", "definitions"), ("tweets", "idioms", "simplification"), ("news", "adversarial", "negation"))
#: The kind that was not part of the criterion until the seventh round.
FAMILIES = ("meanings",)
METRICS = ("sbert", "meteor", "bleu", "edit_distance")
#: Sentences that are paired with themselves.
SENTENCES = 5000


def train(base: str, folder: Path, mixture: Path, data: Path, epochs: float, rate: str, *rest: str) -> None:
    """Train a judge by the recipe."""
    how = ["--rate", rate, "--epochs", f"{epochs:g}", *rest, "-o", str(folder)]
    learn(base, mixture, data, "--held-out", str(data / "stsb" / "sts-dev.csv"), *RECIPE, *how)


def learn(base: str, mixture: Path, data: Path, *options: str) -> None:
    """Run `train-judge`; exit with its status if it fails."""
    if status := parapluie(["train-judge", base, str(mixture), "--data", str(data), *options]):
        sys.exit(status)


@dataclass(frozen=True)
class Training:
    """Run one training of the shipped judge; all but the first continue from the previous mean."""

    name: str
    epochs: float
    rate: str
    edits: tuple[str, ...]
    shares: Mapping[str, float]


TRAININGS = (
    Training("first", 0.9, "1.5e-4", FEW_EDITS, FIRST_SHARES),
    Training("second", 0.72, "1e-4", FEW_EDITS, {}),
    Training("third", 0.5, "1e-4", MANY_EDITS, {}),
)
#: Options for families: complete ones in a batch, ordered pairs, and the previous judge's answers for other pairs.
LEARN_FAMILIES = (
    *("--all-layers", "--order", "1", "--anchor", "0.7", "--controls", "--dropout", "0.1", "--mask", "0.08"),
    *("--decay", "0.05", "--mean", "0.998", "--balance", "0.5", "--rules", "0.12", "--edits", "0.25"),
    *("--same", "0.12", "--easy", "0.03", "--rate", "1e-4", "--threads", "1"),
)
SEEDS = (0, 1)
#: The share of the previous judge in the mean, and the factor for the weight of the cosine.
BEFORE, COSINE = 0.1, 1.25


def train_all(folder: Path, data: Path, epochs: float | None, *rest: str) -> None:
    """Repeat the training of the shipped judge: a first run, and others that each continue from the previous mean."""
    folder.mkdir(parents=True, exist_ok=True)
    text = MIXTURE.read_text(encoding="utf-8")
    base = BASE
    for seed, one in enumerate(TRAININGS):
        mixture = folder / f"{one.name}.toml"
        older = text
        for name, share in one.shares.items():
            older = re.sub(rf'(file = "{re.escape(name)}"\nshare = )\S+', rf"\g<1>{share}", older)
        mixture.write_text(older, encoding="utf-8")
        if not is_whole(folder / one.name):
            average = ["--average", base] if seed else []
            more = [*one.edits, "--seed", str(seed), *average, *rest]
            train(base, folder / one.name, mixture, data, epochs or one.epochs, one.rate, *more)
        base = str(folder / one.name)
    seeds = [folder / f"seventh-{seed}" for seed in SEEDS]
    for seed, place in zip(SEEDS, seeds, strict=True):
        if not is_whole(place):
            how = [*LEARN_FAMILIES, "--epochs", f"{epochs or 1:g}", "--seed", str(seed), *rest, "-o", str(place)]
            learn(base, SEVENTH, data, *how)
    both = folder / "seventh"
    if not is_whole(both):
        mix(both, *map(str, seeds), 0.5)
    if not is_whole(folder / "pocket"):
        mix(folder / "pocket", str(both), base, BEFORE, COSINE)


def is_whole(folder: Path) -> bool:
    """Return True if a training was completed in this folder."""
    return (folder / "parapluie-model.json").is_file()


def mix(folder: Path, one: str, other: str, share: float, cosine: float = 1.0) -> None:
    """Average the weights of two judges, with a share for the second; the threshold is not calibrated.

    The weight of the cosine of the two sentences' mean states (1 for equal sentences) is multiplied by `cosine`.
    """
    first = find_model(one)
    shutil.copytree(first.folder, folder)
    average_int8(folder, find_model(other).folder, share)
    if cosine != 1.0:
        with edit_tensors(folder) as weights:
            weights[f"{TERMS}.cosine"][0] *= cosine
    write_manifest(folder, base=first.name, base_revision=first.revision)


class Judged:
    """A judge and its scores of pairs."""

    def __init__(self, name: str) -> None:
        files, template = find_model(name), find_templates(["CLOZE"], load_templates(None)[0])[0]
        self.name = name
        self._scorer = judge_class(files, "cpu").load(files, "cpu").scorer(template)

    def scores(self, sources: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        """Return the scores of n pairs, float64 of shape (n,)."""
        result = np.empty(len(sources))
        for batch in self._scorer.score(sources, hypotheses):
            for one in batch:
                result[one.row] = one.score
        return result


def judge_rows(
    judge: Judged, held_out: Sequence[KeptCorpus], parts: Sequence[TrainingCorpus], *, quick: bool
) -> dict[str, object]:
    """Return all columns of the table for a judge; with `quick`, without the slowest."""
    started = time.monotonic()
    given = [judge.scores(each.corpus.source, each.corpus.hypothesis) for each in held_out]
    seconds = time.monotonic() - started
    standings = [kept_result(each, scores) for each, scores in zip(held_out, given, strict=True)]
    zero = balanced_threshold(held_out, given)
    anew = [kept_result(each, scores - zero) for each, scores in zip(held_out, given, strict=True)]
    for one in standings:
        print(f"  {one}")
    kinds = {"eight": criterion(standings, FAMILIES), "nine": criterion(standings)}
    shifted = {"eight": criterion(anew, FAMILIES), "nine": criterion(anew)}
    print(f"  eight kinds {kinds['eight']:.4f}, nine {kinds['nine']:.4f}")
    print(f"  with {zero:+.3f} as threshold, made anew: eight kinds {shifted['eight']:.4f}, nine {shifted['nine']:.4f}")
    traps = trap_rate(held_out, given)
    print(f"  trap rate {traps:.3f}")
    print(f"  {sum(map(len, given)) / seconds:.0f} pairs a second")
    areas = {one.name: round(one.area, 4) for one in standings}
    balanced = {one.name: round(one.balanced, 4) for one in standings}
    result = {"auc": areas, "balanced": balanced, "criterion": kinds, "anew": shifted, "threshold": zero}
    if quick:
        return result | {"traps": traps}
    print(f"  {format_gaps(memory_gaps(parts, held_out, judge.scores))}")
    return result | {"traps": traps} | unmoved(judge, held_out, given)


def unmoved(judge: Judged, held_out: Sequence[KeptCorpus], given: Sequence[np.ndarray]) -> dict[str, object]:
    """Return how many sentences are rejected as paraphrases of themselves, and how many answers change when sentences
    swap.
    """
    flipped = 0
    for each, scores in zip(held_out, given, strict=True):
        turned = judge.scores(each.corpus.hypothesis, each.corpus.source)
        flipped += int(((scores >= 0) != (turned >= 0)).sum())
    texts = sorted({text for each in held_out for text in (*each.corpus.source, *each.corpus.hypothesis)})
    chosen = [texts[number] for number in np.random.default_rng(0).permutation(len(texts))[:SENTENCES]]
    refused = int((judge.scores(chosen, chosen) <= 0).sum())
    pairs = sum(map(len, given))
    print(f"  refused beside themselves: {refused} of {len(chosen)}; other answer when swapped: {flipped} of {pairs}")
    return {"same": refused, "swap": flipped}


def trap_rate(held_out: Sequence[KeptCorpus], given: Sequence[np.ndarray]) -> float:
    """Return the proportion of families whose distant paraphrase scores above their near trap; NaN without families."""
    families: dict[str, dict[str, float]] = defaultdict(dict)
    for each, scores in zip(held_out, given, strict=True):
        if each.kind in FAMILIES and each.corpus.group is not None:
            relations = each.corpus.extra["relation"].cells()
            for group, relation, score in zip(each.corpus.group, relations, scores, strict=True):
                families[str(group)][str(relation)] = score
    return float(np.mean([family["a1-a3"] > family["a1-b1"] for family in families.values()])) if families else np.nan


def areas(specs: Sequence[str], held_out: Sequence[KeptCorpus]) -> dict[str, dict[str, float]]:
    """Return the AUC of metrics on each corpus."""
    bench = MetricContext(device="cpu")
    result: dict[str, dict[str, float]] = {}
    for spec in specs:
        metric: Metric = catalogue.metric(spec)
        metric.announce(bench)
        metric.prepare(bench)
        result[spec] = {}
        for each in held_out:
            truth = binary_truth(each.corpus)
            values = metric.score(each.corpus.source, each.corpus.hypothesis)
            known = ~np.isnan(truth) & ~np.isnan(values)
            sign = 1.0 if metric.info.higher_is_closer else -1.0
            area = roc(threshold_curve(sign * values[known], (truth[known] == 1).astype(np.int8))).auc
            result[spec][each.corpus.name] = round(area, 4)
    return result


def show(rows: dict[str, dict[str, float]], held_out: Sequence[KeptCorpus]) -> None:
    """Print the AUCs as a Markdown table."""
    print("\n| kind | corpus | " + " | ".join(rows) + " |")
    print("|---|---|" + "---|" * len(rows))
    for each in held_out:
        values = [rows[name].get(each.corpus.name) for name in rows]
        cells = ["" if value is None else f"{value:.3f}" for value in values]
        print(f"| {each.kind} | {each.corpus.name} | {' | '.join(cells)} |")


def left_out(folder: Path, data: Path, epochs: float) -> dict[str, float]:
    """Train short judges without some kinds; return the AUC on each corpus of the judge that never saw its kind."""
    result: dict[str, float] = {}
    for number, kinds in enumerate(LEFT_OUT):
        place = folder / str(number)
        if not is_whole(place):
            options = [text for kind in kinds for text in ("--leave-out", kind)]
            train(BASE, place, MIXTURE, data, epochs, "1.5e-4", *FEW_EDITS, "--resume", *options)
        judge = Judged(str(place))
        found_here = read_mixture(MIXTURE, data, kinds)
        for each in (*found_here.kept, *found_here.report):
            if each.kind in kinds:
                scores = judge.scores(each.corpus.source, each.corpus.hypothesis)
                result[each.corpus.name] = round(kept_result(each, scores).area, 4)
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("train", "table", "mix", "left-out"))
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--epochs", type=float)
    parser.add_argument("--judge", action="append", default=[])
    parser.add_argument("--half", choices=("choose", "report"), default="choose")
    parser.add_argument("--share", type=float, default=0.5)
    parser.add_argument("--cosine", type=float, default=1.0)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--metrics", action="store_true")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    if given.what != "table" and given.folder is None:
        parser.error(f"{given.what} needs a folder")
    if given.what == "train":
        train_all(given.folder, given.data, given.epochs, *(["--resume"] if given.resume else []))
        return 0
    if given.what == "mix":
        if len(given.judge) != 2:
            parser.error("mix needs two judges")
        one, other = given.judge
        mix(given.folder, one, other, given.share, given.cosine)
        return 0
    halves = read_mixture(SEVENTH, given.data)
    held_out = halves.kept if given.half == "choose" else halves.report
    numbers: dict[str, object] = {}
    rows: dict[str, dict[str, float]] = {}
    if given.what == "left-out":
        rows["left out"] = left_out(given.folder, given.data, given.epochs or 0.1)
    for name in given.judge:
        print(name)
        result = judge_rows(Judged(name), held_out, halves.parts, quick=given.quick)
        numbers[name] = result
        rows[name] = result["auc"]  # type: ignore[assignment]
    if given.metrics:
        rows |= areas(METRICS, held_out)
    show(rows, held_out)
    if given.json:
        given.json.write_text(json.dumps({"judges": numbers, "auc": rows}, indent=2), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
