"""Pairs per second of the metrics that run an encoder, beside the library one would otherwise call, on MRPC test.

    python tests/benchmarks/model_metrics.py [--pairs N] [--rounds R]

Needs the MiniLM (`parapluie models get all-minilm-l6-v2`), sentence-transformers and bert-score. The ways take turns,
so that a busy computer slows all of them alike; the ratio is the median over the rounds.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np
import torch

from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.base import Metric, Workbench, announce, prepare
from parapluie_gui.metrics.modelfiles import MINILM, find
from parapluie_gui.pairs import read

MRPC = Path(__file__).parents[2].parent / "shared" / "data" / "mrpc" / "msr_paraphrase_test.txt"

Way = Callable[[list[str], list[str]], np.ndarray]


def ours(*specs: str) -> Way:
    """Return a way that computes these metrics with one loaded encoder, and returns the last one's numbers."""
    bench = Workbench(device="cpu")
    metrics: list[Metric] = [catalogue.metric(spec) for spec in specs]
    for metric in metrics:
        announce(metric, bench)
    for metric in metrics:
        prepare(metric, bench)

    def score(sources: list[str], hypotheses: list[str]) -> np.ndarray:
        bench.shelf.forget()
        return [metric.score(sources, hypotheses) for metric in metrics][-1]

    return score


def sentence_transformers() -> Way:
    """Return SBERT by its own library."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(find(MINILM).folder), device="cpu")

    def score(sources: list[str], hypotheses: list[str]) -> np.ndarray:
        vectors = model.encode([*sources, *hypotheses], normalize_embeddings=True, show_progress_bar=False)
        return (vectors[: len(sources)] * vectors[len(sources) :]).sum(1)

    return score


def bert_score() -> Way:
    """Return BERTScore by its own library."""
    from bert_score import BERTScorer

    layer = int(dict(catalogue.metric("bertscore").signature().fields)["layer"])
    scorer = BERTScorer(model_type=str(find(MINILM).folder), num_layers=layer, device="cpu")
    return lambda sources, hypotheses: scorer.score(hypotheses, sources)[2].numpy()


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    corpus = read(MRPC).take(range(options.pairs))
    sources, hypotheses = list(corpus.source), list(corpus.hypothesis)
    both = ("sbert", "bertscore", "parascore_free", "bert_ibleu")
    st, bs = sentence_transformers(), bert_score()
    contests: list[tuple[str, Way, str, Way]] = [
        ("sbert", ours("sbert"), "sentence-transformers", st),
        ("bertscore", ours("bertscore"), "bert-score", bs),
        ("all four of one encoder", ours(*both), "both libraries", lambda s, h: (st(s, h), bs(s, h))[1]),
    ]
    print(f"{options.pairs} pairs of MRPC test, {options.rounds} rounds, {torch.get_num_threads()} threads")
    for name, way, library, other in contests:
        rates: list[tuple[float, float]] = []
        for _ in range(options.rounds):
            took = []
            for each in (way, other):
                started = time.perf_counter()
                values = each(sources, hypotheses)
                took.append(time.perf_counter() - started)
            rates.append((options.pairs / took[0], options.pairs / took[1]))
        mine, theirs = (statistics.median(column) for column in zip(*rates, strict=True))
        ratio = statistics.median(a / b for a, b in rates)
        print(f"{name}: {mine:.1f} pairs/s, {library} {theirs:.1f}, ratio {ratio:.2f}, mean {np.nanmean(values):.4f}")


if __name__ == "__main__":
    main()
