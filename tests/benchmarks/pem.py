"""Figures of PEM: error rates of the aligners, and correlation with human scores compared with other metrics.

    python tests/benchmarks/pem.py align
    python tests/benchmarks/pem.py human [METRIC ...]

Needs ../shared/data, and for `align` the aligners. Prints to stdout; nothing is saved.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.pem.alignment import ALIGNERS, Links, align
from parapluie_gui.features.pem.words import Stemmer, words
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.base import MetricContext
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.reading.reader import read

DATA = Path(__file__).parents[2].parent / "shared" / "data"

#: The gold sentences are written without elisions and contractions ("le heure", "do not").
_WHOLE = {"n't": "not", "l'": "le", "d'": "de", "n'": "ne", "qu'": "que", "j'": "je", "c'": "ce", "s'": "se"}
_WHOLE |= {"m'": "me", "t'": "te", "lorsqu'": "lorsque", "jusqu'": "jusque", "puisqu'": "puisque"}


def gold() -> tuple[list[list[str]], list[list[str]], list[tuple[Links, Links]]]:
    """Return the 447 pairs of the Hansards with their sure and possible links."""
    folder = DATA / "parallel" / "enfr_gold_alignment"
    sides = [line.split("|||") for line in (folder / "enfr.src-tgt").read_text(encoding="utf-8").splitlines()]
    links = []
    for line in (folder / "enfr.gold").read_text(encoding="utf-8").splitlines():
        pairs = [(link.replace("p", "-").split("-"), "p" in link) for link in line.split()]
        possible = {(int(i) - 1, int(j) - 1) for (i, j), _ in pairs}
        links.append(({(int(i) - 1, int(j) - 1) for (i, j), maybe in pairs if not maybe}, possible))
    return [one.split() for one, _ in sides], [other.split() for _, other in sides], links


def error_rate(found: list[Links], known: list[tuple[Links, Links]]) -> float:
    """Return 1 - (|A and S| + |A and P|) / (|A| + |S|) (Och and Ney, 2003)."""
    right = sum(len(links & sure) + len(links & possible) for links, (sure, possible) in zip(found, known, strict=True))
    return 1 - right / sum(len(links) + len(sure) for links, (sure, _) in zip(found, known, strict=True))


def compare_aligners(most: int | None) -> None:
    """Print the error rate of every aligner, trained on Tatoeba and the gold sentences."""
    sources, pivots, known = gold()
    lines = (DATA / "parallel" / "tatoeba_en_fr" / "fra.txt").read_text(encoding="utf-8").splitlines()
    if most:
        lines = [lines[row] for row in np.random.default_rng(0).permutation(len(lines))[:most]]
    text = [line.split("\t")[:2] for line in lines]
    sources = [[_WHOLE.get(word, word) for word in words(one)] for one, _ in text] + sources
    pivots = [[_WHOLE.get(word, word) for word in words(other)] for _, other in text] + pivots
    sources = [Stemmer("porter").stems(source) for source in sources]
    for stemmer in ("none", "french"):
        told = [Stemmer(stemmer).stems(pivot) for pivot in pivots]
        for name in ALIGNERS:
            if name == "nltk" and not most:
                continue  # a quarter of an hour; `--most 40000` includes it
            started = time.perf_counter()
            result = align(sources, told, name)[-len(known) :]
            rate, took = error_rate(result, known), time.perf_counter() - started
            print(f"{name}\tpivot stemmer {stemmer}\tAER {rate:.4f}\t{took:.0f} s\t{len(sources):,} pairs", flush=True)


def held_out() -> dict[str, Corpus]:
    """Return pairs unseen by the English model: STS-B test and the last 90 % of Twitter-Para."""
    twitter = read(DATA / "parascore" / "twitter-para.csv")
    return {
        "STS-B test": read(DATA / "stsb" / "sts-test.csv"),
        "Twitter-Para, last 90 %": twitter.take(np.arange(len(twitter) // 10, len(twitter))),
    }


def first_tenth(file: Path) -> None:
    """Write the first 10 % of Twitter-Para, on which the English model was trained."""
    with (DATA / "parascore" / "twitter-para.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    with file.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows[: 1 + (len(rows) - 1) // 10])


def compare_metrics(specs: list[str]) -> None:
    """Print the correlation of every metric with the human scores, and its CPU time."""
    from scipy.stats import pearsonr, spearmanr

    for name, corpus in held_out().items():
        for spec in specs:
            try:
                metric = catalogue.metric(spec)
                if missing := metric.readiness().missing:
                    raise ParapluieError(missing)
                metric.prepare(MetricContext())
                metric.score(corpus.source[:1], corpus.hypothesis[:1])
                started = time.process_time()
                told = metric.score(corpus.source, corpus.hypothesis)
            except ParapluieError as error:
                print(f"{name}\t{spec}\t{error}", flush=True)
                continue
            speed = len(corpus) / (time.process_time() - started)
            rows = np.flatnonzero(np.isfinite(told) & np.isfinite(corpus.human))
            sign = 1 if metric.info.higher_is_closer else -1
            one, other = sign * told[rows], corpus.human[rows]
            figures = f"Pearson {pearsonr(one, other)[0]:.3f}\tSpearman {spearmanr(one, other)[0]:.3f}"
            print(f"{name}\t{spec}\t{figures}\t{len(rows):,} pairs\t{speed:,.0f} pairs/s (processor time)", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    actions = parser.add_subparsers(dest="action", required=True)
    aligners = actions.add_parser("align")
    aligners.add_argument("--most", type=int, help="lines of Tatoeba, drawn at random")
    human = actions.add_parser("human")
    human.add_argument("metrics", nargs="*", default=["pem", "bleu", "meteor_stem", "edit_distance"])
    tenth = actions.add_parser("first-tenth", help="write the part of Twitter-Para that the model is trained on")
    tenth.add_argument(
        "file", type=Path, nargs="?", default=Path(tempfile.gettempdir()) / "twitter-para-first-tenth.csv"
    )
    options = parser.parse_args()
    if options.action == "align":
        compare_aligners(options.most)
    elif options.action == "human":
        compare_metrics(options.metrics)
    else:
        first_tenth(options.file)
        print(options.file)


if __name__ == "__main__":
    sys.exit(main())
