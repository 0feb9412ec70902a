"""Running time of the analyses: all of them on ten scores, by number of pairs.

    python tests/benchmarks/analysis.py [--pairs 1000 10000 100000 1000000] [--scores 10] [--rounds 3] [--json FILE]

The scores are random, half of them rounded so that many pairs tie; with labels, human scores and edit distances.
Bootstraps are left out (`draws=0`) and measured separately, per resample. It prints medians over the rounds
of the CPU time, which other work on the machine hardly affects, and, for all analyses together, of the wall-clock time.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np

from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.analysis.statistics.calibration import calibration, probability
from parapluie_gui.analysis.statistics.comparison import compare, flips_and_movers
from parapluie_gui.analysis.statistics.correlation import correlation
from parapluie_gui.analysis.statistics.curves import equal_error, precision_recall, roc, threshold_curve
from parapluie_gui.analysis.statistics.decision import thresholds
from parapluie_gui.analysis.statistics.disagreement import disagreement
from parapluie_gui.analysis.statistics.distribution import distribution, histogram_edges
from parapluie_gui.analysis.study import StudyInput, independence, study

#: Above this many pairs there is only one round.
LARGE = 500_000


def material(pairs: int, scores: int) -> list[StudyInput]:
    """Return random scores of some pairs, the first of them ParaPLUIE's."""
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, pairs).astype(np.int8)
    distance = np.round(random.random(pairs), 4)
    score_columns = []
    for number in range(scores):
        values = random.normal(labels - distance, 1.0 + number / scores)
        name = "pluie.direct" if number == 0 else f"score {number}"
        score_columns.append(score_column(name, np.round(values, 3) if number % 2 else values))
    parts, human = {"all": np.ones(pairs, dtype=bool)}, random.normal(labels, 1.0)
    return [StudyInput(column, labels, parts, human, distance) for column in score_columns]


def all_steps(studied: list[StudyInput]) -> None:
    """Study every score, compare every two of them, and compare all together."""
    for each in studied:
        study(each, draws=0)
    for one, two in combinations(studied, 2):
        first, second = one.score_column, two.score_column
        compare(first, second, one.labels, first_threshold=0.0, second_threshold=0.0, human=one.human, draws=0)
        flips_and_movers(first, second, 0.0, 0.0)
    disagreement([each.score_column for each in studied])


def steps(studied: list[StudyInput]) -> dict[str, Callable[[], object]]:
    """Return the analyses one by one, each on the first score (or the first two)."""
    data, first, second = studied[0], studied[0].score_column, studied[1].score_column
    values, labels, distance = first.values, data.labels, data.distance
    assert distance is not None and data.human is not None
    curve = threshold_curve(values, labels)
    return {
        "distribution": lambda: distribution(values, labels, histogram_edges(values)),
        "thresholds": lambda: thresholds(values, labels, natural=0.0),
        "curves": lambda: (threshold_curve(values, labels), roc(curve), precision_recall(curve), equal_error(curve)),
        "calibration": lambda: calibration(probability(values), labels),
        "independence": lambda: independence(values, distance, labels),
        "human": lambda: correlation(values, data.human),
        "comparison": lambda: compare(
            first, second, labels, first_threshold=0.0, second_threshold=0.0, human=data.human, draws=0
        ),
        "movers and flips": lambda: flips_and_movers(first, second, 0.0, 0.0),
        "disagreement": lambda: disagreement([each.score_column for each in studied]),
        "one resample": lambda: correlation(values, distance, draws=10),
    }


def timed(work: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Return the median seconds of some rounds, wall-clock and CPU time."""
    result = []
    for _ in range(rounds):
        clock, processor = time.perf_counter(), time.process_time()
        work()
        result.append((time.perf_counter() - clock, time.process_time() - processor))
    one, two = zip(*result, strict=True)
    return statistics.median(one), statistics.median(two)


def measured(pairs: int, scores: int, rounds: int) -> dict[str, float]:
    """Return CPU seconds by analysis, and for all analyses on all scores."""
    data = material(pairs, scores)
    rounds = 1 if pairs >= LARGE else rounds
    result = {name: timed(work, rounds)[1] for name, work in steps(data).items()}
    # Ten resamples and the correlation itself; the difference is the cost of the resamples.
    result["one resample"] = max(result["one resample"] - result["human"], 0.0) / 10
    clock, processor = timed(lambda: all_steps(data), rounds)
    return {**result, f"all, {scores} scores": processor, "  by the clock": clock}


def main() -> int:
    """Measure and print; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, nargs="+", default=[1_000, 10_000, 100_000, 1_000_000])
    parser.add_argument("--scores", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    timed(lambda: study(material(100, 2)[0], draws=2), 1)  # scipy is loaded once and not measured
    results = {}
    for pairs in options.pairs:
        results[pairs] = measured(pairs, options.scores, options.rounds)
        print(f"{pairs:,} pairs: {results[pairs]['  by the clock']:.1f} s", file=sys.stderr)
    print("milliseconds".ljust(20) + "".join(f"{pairs:>14,}" for pairs in results))
    for name in next(iter(results.values())):
        print(name.ljust(20) + "".join(f"{1000 * row[name]:>14,.1f}" for row in results.values()))
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
