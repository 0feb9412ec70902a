"""Speed of the metrics compared with the libraries that a user would otherwise call, in one run.

    python tests/benchmarks/metrics.py [--only meteor bleu] [--pairs 5801] [--rounds 3] [--most 1000000] [--json FILE]
    python tests/benchmarks/metrics.py --short

The pairs are MRPC's 5,801 if ../shared/data is available, else those of the demo corpus. Our metric and the library run
in turn, each time with empty caches (libraries and WordNet are loaded before); the library gets only the first pairs.
Pairs per second are from the best round by wall-clock time; `ratio` is the library's seconds per pair over ours, in the
best rounds by CPU time, which other programs affect less; `all cores` is the speed of all cores together once their
processes run; `apart` is the difference of our numbers from the library's. Then the cost of edit distance, BLEU and
METEOR from 1,000 to 1,000,000 synthetic pairs, as in a job: in several processes where that is faster. The scores must
agree with the library's; --short checks that in seconds, and times are only printed.
"""

from __future__ import annotations

import argparse
import atexit
import json
import os
import platform
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import synthetic

from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.lexical import wordnet
from parapluie_gui.pairs import read
from parapluie_gui.work import process_pool
from parapluie_gui.work.process_pool import ProcessPool

SHARED = Path(__file__).parents[2].parent / "shared" / "data" / "mrpc"
#: Number of pairs on which a library is timed.
LIBRARY_PAIRS = 600
GROWTH = ("edit_distance", "bleu", "meteor")
NEAR = 1e-9

#: A library's score of one pair.
Rule = Callable[[str, str], float]


def levenshtein() -> Rule:
    from Levenshtein import distance

    return lambda source, hypothesis: distance(source, hypothesis) / (max(len(source), len(hypothesis)) or 1)


def jiwer() -> Rule:
    from jiwer import wer

    return lambda source, hypothesis: float(wer(source, hypothesis))


def nltk_bleu() -> Rule:
    from nltk.tokenize import word_tokenize
    from nltk.translate.bleu_score import sentence_bleu

    warnings.filterwarnings("ignore", module="nltk")

    def bleu(source: str, hypothesis: str) -> float:
        return float(
            sentence_bleu([word_tokenize(source, preserve_line=True)], word_tokenize(hypothesis, preserve_line=True))
        )

    return bleu


def sacrebleu() -> Rule:
    from sacrebleu.metrics import BLEU

    metric = BLEU(effective_order=True)
    return lambda source, hypothesis: metric.sentence_score(hypothesis, [source]).score


def chrf() -> Rule:
    from sacrebleu.metrics import CHRF

    metric = CHRF()
    return lambda source, hypothesis: metric.sentence_score(hypothesis, [source]).score


def rouge(name: str) -> Callable[[], Rule]:
    def make() -> Rule:
        from rouge_score.rouge_scorer import RougeScorer

        scorer = RougeScorer([name])
        return lambda source, hypothesis: scorer.score(source, hypothesis)[name].fmeasure

    return make


class NoSynonyms:
    """A stand-in for WordNet in METEOR (exact+stem)."""

    def synsets(self, word: str) -> list[Any]:
        return []


@lru_cache(maxsize=1)
def nltk_wordnet() -> Any:
    """nltk's own reader of the available WordNet, with the table that Debian's packages lack."""
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    path = wordnet.find_wordnet()
    assert path is not None
    root = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, root)
    folder = root / "corpora" / "wordnet"
    shutil.copytree(path, folder, ignore=shutil.ignore_patterns("bin", "wnres", "pixmaps"))
    (folder / "index.sense").touch()
    (folder / "lexnames").write_text("".join(f"{number:02}\tfile.{number}\t1\n" for number in range(45)))
    nltk.data.path.insert(0, str(root))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return WordNetCorpusReader(str(folder), None)


def meteor(synonyms: bool) -> Callable[[], Rule]:
    def make() -> Rule:
        from nltk.tokenize import word_tokenize
        from nltk.translate.meteor_score import single_meteor_score

        reader = nltk_wordnet() if synonyms else NoSynonyms()

        def score(source: str, hypothesis: str) -> float:
            words = [word_tokenize(text, preserve_line=True) for text in (source, hypothesis)]
            return single_meteor_score(*words, wordnet=reader)

        return score

    return make


@dataclass(frozen=True)
class Rival:
    """A metric and the library that a user would otherwise call.

    Attributes:
        spec: The metric.
        library: Name, beginning with the distribution.
        rule: Creates the library's function; None if there is none.
        comparable: Whether the numbers should be equal.
    """

    spec: str
    library: str
    rule: Callable[[], Rule] | None
    comparable: bool = True


RIVALS = (
    Rival("edit_distance", "Levenshtein", levenshtein),
    Rival("wer", "jiwer", jiwer),
    Rival("bleu", "nltk", nltk_bleu, comparable=False),  # its smoothing of orders without a match differs
    Rival("sacrebleu", "sacrebleu", sacrebleu),
    Rival("chrf", "sacrebleu", chrf),
    Rival("rouge1", "rouge-score", rouge("rouge1")),
    Rival("rouge2", "rouge-score", rouge("rouge2")),
    Rival("rougeL", "rouge-score", rouge("rougeL")),
    Rival("meteor", "nltk", meteor(synonyms=True)),
    Rival("meteor_stem", "nltk", meteor(synonyms=False)),
    Rival("ibleu", "nltk", nltk_bleu, comparable=False),  # its BLEU; no library has iBLEU
)


def mrpc(most: int) -> tuple[list[str], list[str], str]:
    """Return sources, hypotheses and their origin."""
    if SHARED.is_dir():
        parts = [read(SHARED / f"msr_paraphrase_{part}.txt") for part in ("train", "test")]
        name = "MRPC"
    else:
        from parapluie_gui.ui.state.opening import read_demo

        parts, name = [read_demo()], "the demo corpus"
    sources = [text for part in parts for text in part.source]
    hypotheses = [text for part in parts for text in part.hypothesis]
    return sources[:most], hypotheses[:most], name


@dataclass(frozen=True)
class Took:
    """Wall-clock and CPU seconds."""

    clock: float
    processor: float

    def over(self, pairs: int) -> Took:
        """Return the seconds per pair."""
        return Took(self.clock / pairs, self.processor / pairs)


def timed(work: Callable[[], Any]) -> tuple[Any, Took]:
    clock, processor = time.perf_counter(), time.process_time()
    result = work()
    return result, Took(time.perf_counter() - clock, time.process_time() - processor)


def measure(rival: Rival, sources: list[str], hypotheses: list[str], rounds: int, share: bool) -> dict[str, Any]:
    """Time ours and the library's in turn; return a row of the table."""
    catalogue.metric(rival.spec).score(["a dog ran"], ["a hound runs"])  # loads the libraries and WordNet
    few = min(LIBRARY_PAIRS, len(sources))
    ours: list[Took] = []
    theirs: list[Took] = []
    apart = 0.0
    for _ in range(rounds):
        scores, took = timed(lambda: catalogue.metric(rival.spec).score(sources, hypotheses))
        ours.append(took.over(len(sources)))
        if rival.rule is None:
            continue
        rule = rival.rule()
        rule("a dog ran", "a hound runs")
        result, library = timed(
            lambda rule=rule: [rule(*pair) for pair in zip(sources[:few], hypotheses, strict=False)]
        )
        theirs.append(library.over(few))
        if rival.comparable:
            apart = max(apart, float(np.abs(scores[:few] - result).max()))
    row: dict[str, Any] = {"metric": rival.spec, "pairs": len(sources), "ours": 1 / min(took.clock for took in ours)}
    if theirs:
        row |= {"library": f"{rival.library} {version(rival.library)}", "library_pairs": few}
        row["theirs"] = 1 / min(took.clock for took in theirs)
        row["ratio"] = min(took.processor for took in theirs) / min(took.processor for took in ours)
        row["apart"] = apart if rival.comparable else None
    if share and process_pool.pays(catalogue.metric(rival.spec), process_pool.WORTH):
        with ProcessPool(rival.spec) as helpers:
            while not helpers.ready():
                time.sleep(0.05)
            times = -(-process_pool.WORTH // len(sources))
            _, took = timed(lambda: spread_over(helpers, sources * times, hypotheses * times))
        row["all_cores"] = len(sources) * times / took.clock
    return row


def spread_over(helpers: ProcessPool, sources: list[str], hypotheses: list[str], part: int = 2000) -> np.ndarray:
    """Score in several processes, as a job does."""
    result: list[np.ndarray] = []
    starts = list(range(0, len(sources), part))
    sent = 0
    while len(result) < len(starts):
        while sent < len(starts) and helpers.hungry:
            rows = slice(starts[sent], starts[sent] + part)
            helpers.send(sources[rows], hypotheses[rows])
            sent += 1
        result.append(helpers.receive())
    return np.concatenate(result)


def as_a_job(spec: str, sources: list[str], hypotheses: list[str]) -> np.ndarray:
    """Score all pairs, in several processes where that is faster."""
    metric = catalogue.metric(spec)
    if not process_pool.pays(metric, len(sources)):
        return metric.score(sources, hypotheses)
    with ProcessPool(spec) as helpers:
        return spread_over(helpers, sources, hypotheses)


def growth(specs: Sequence[str], most: int) -> list[dict[str, Any]]:
    """Time every metric on increasing numbers of synthetic pairs, from its creation to its last number."""
    rows = []
    for size in (size for size in (1_000, 10_000, 100_000, 1_000_000) if size <= most):
        corpus = synthetic.corpus(size)
        sources, hypotheses = list(corpus.source), list(corpus.hypothesis)
        for spec in specs:
            if not catalogue.ready(spec):
                continue

            scores, took = timed(partial(as_a_job, spec, sources, hypotheses))
            assert len(scores) == size and np.isfinite(scores).all()
            rows.append({"metric": spec, "pairs": size, "seconds": took.clock, "per_second": size / took.clock})
    return rows


def machine() -> dict[str, str]:
    names = [line.partition(":")[2].strip() for line in _cpuinfo() if line.startswith("model name")]
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    libraries = ("numpy", "rapidfuzz", "nltk", "sacrebleu")
    return {
        "processor": names[0] if names else platform.processor() or platform.machine(),
        "cores": str(process_pool.count_cores()),
        "load": load,
        "python": platform.python_version(),
        **{name: version(name) for name in libraries},
    }


def _cpuinfo() -> list[str]:
    path = Path("/proc/cpuinfo")
    return path.read_text().splitlines() if path.is_file() else []


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; the scores must agree, the times are only printed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="METRIC", help="ids of metrics")
    parser.add_argument("--pairs", type=int, default=5801)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--most", type=int, default=1_000_000, help="made-up pairs of the growth table; 0 for none")
    parser.add_argument("--short", action="store_true", help="a few pairs, to check that the scores agree")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    if options.short:
        options.pairs, options.rounds, options.most = 100, 1, 0
    sources, hypotheses, name = mrpc(options.pairs)
    told: dict[str, Any] = {"machine": machine(), "corpus": name, "rows": []}
    print(", ".join(f"{key} {value}" for key, value in told["machine"].items()))
    print(f"\n{len(sources):,} pairs of {name}, pairs per second\n")
    print(f"{'metric':14} {'ours':>10} {'library':>10} {'ratio':>7} {'all cores':>10} {'apart':>8}  library")
    for rival in RIVALS:
        if options.only and rival.spec not in options.only:
            continue
        if not (ready := catalogue.ready(rival.spec)):
            print(f"{rival.spec:14} did not run: {ready.missing}")
            continue
        row = measure(rival, sources, hypotheses, options.rounds, share=not options.short)
        told["rows"].append(row)
        cells = [f"{row['ours']:>10,.0f}"]
        cells += [
            f"{row[key]:>{width}{form}}" if row.get(key) is not None else " " * (width - 1) + "-"
            for key, width, form in COLUMNS
        ]
        print(f"{rival.spec:14} {' '.join(cells)}  {row.get('library', '')}", flush=True)
    told["growth"] = growth([spec for spec in GROWTH if not options.only or spec in options.only], options.most)
    if told["growth"]:
        print(f"\n{'metric':14} {'pairs':>10} {'seconds':>9} {'pairs/s':>10}")
    for row in told["growth"]:
        print(f"{row['metric']:14} {row['pairs']:>10,} {row['seconds']:>9.2f} {row['per_second']:>10,.0f}")
    if options.json:
        options.json.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    return 1 if any((row.get("apart") or 0) > NEAR for row in told["rows"]) else 0


#: Columns after the first: key, width and format.
COLUMNS = (("theirs", 10, ",.0f"), ("ratio", 7, ".1f"), ("all_cores", 10, ",.0f"), ("apart", 8, ".0e"))


if __name__ == "__main__":
    sys.exit(main())
