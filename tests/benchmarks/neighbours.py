"""Dependence of a GGUF file's scores in llama.cpp on the remaining pairs: order, halves, single pairs, exact mode.

    python tests/benchmarks/neighbours.py FILE.gguf|MODEL [--pairs 12] [--template DIRECT]

The pairs are the first of the demo. Four columns are compared: the pairs in their order, in reverse, the even before
the odd ones, and exact mode, which computes each prompt from its first token on. Prints the largest difference and
wall-clock seconds per pair.
"""

from __future__ import annotations

import argparse
import os
import time

import numpy as np

from parapluie_gui import places
from parapluie_gui.features.servers.local import LlamaCppJudge
from parapluie_gui.models.catalogue import find_model
from parapluie_gui.pairs import read
from parapluie_gui.pluie.templates import find_templates, load_templates


def main() -> None:
    """Score the pairs in each way and print a line for each."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("model")
    options.add_argument("--pairs", type=int, default=12)
    options.add_argument("--template", default="DIRECT")
    given = options.parse_args()
    data = read(places.resources() / "demo" / "demo.tsv").take(range(given.pairs))
    judge = LlamaCppJudge.load(find_model(given.model), "cpu")
    (template,) = find_templates([given.template], load_templates(None)[0])
    every = np.arange(given.pairs)
    ways = {
        "in order": (every, False),
        "in reverse": (every[::-1], False),
        "even before odd": (np.concatenate([every[::2], every[1::2]]), False),
        "exact mode": (every, True),
    }
    first = np.array([])
    print("way\tlargest difference\tseconds a pair")
    for name, (order, exact) in ways.items():
        scorer, scores = judge.scorer(template, exact=exact), np.zeros(given.pairs)
        started = time.perf_counter()
        for row in order.tolist():  # one call each, since a scorer shuffles the pairs of a call
            scores[row] = next(scorer.score([data.source[row]], [data.hypothesis[row]]))[0].score
        seconds = (time.perf_counter() - started) / given.pairs
        first = first if len(first) else scores
        print(f"{name}\t{np.abs(scores - first).max():.4f}\t{seconds:.2f}", flush=True)
    os._exit(0)  # do not wait for llama.cpp's threads


if __name__ == "__main__":
    main()
