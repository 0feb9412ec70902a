"""Corpora in parts: CPU seconds and bytes per pair for scoring, writing and merging; memory of the Ray driver."""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import synthetic


def make(path: Path, pairs: int) -> None:
    """Write a corpus of synthetic pairs of about 20 words."""
    from parapluie_gui.report.table import write_table
    from parapluie_gui.scores.table import ScoreTable

    corpus = synthetic.corpus(pairs)
    write_table(path, corpus, ScoreTable(len(corpus)))


def timed(*command: str) -> tuple[float, float, float]:
    """Run a command of the program; return its CPU and wall-clock seconds and its peak memory in MB."""
    started, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen([sys.executable, "-m", "parapluie_gui", *command], env=environment)
    most = [0.0]
    watch = threading.Thread(target=_watch, args=(process, most), daemon=True)
    watch.start()
    if process.wait():
        sys.exit(f"parapluie {' '.join(command)} ended with status {process.returncode}")
    watch.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - started, most[0]


def _watch(process: subprocess.Popen[bytes], most: list[float]) -> None:
    """Record the memory of one process, without that of its children."""
    status = Path(f"/proc/{process.pid}/status")
    while process.poll() is None:
        try:
            lines = status.read_text(encoding="utf-8").splitlines()
        except OSError:
            return
        used = [int(line.split()[1]) / 1000 for line in lines if line.startswith("VmRSS")]
        most[0] = max([most[0], *used])
        time.sleep(0.05)


def measure(pairs: int, what: list[str], part: int) -> dict[str, float]:
    """Score a corpus in one shard and merge it."""
    with tempfile.TemporaryDirectory() as folder:
        corpus, parts, merged = (Path(folder) / name for name in ("pairs.parquet", "parts", "merged.parquet"))
        make(corpus, pairs)
        scored = timed("score", str(corpus), "-o", str(parts), "--part", str(part), *what)
        merging = timed("merge", str(parts), "-o", str(merged))
        size = sum(path.stat().st_size for path in parts.iterdir())
        return {
            "pairs": pairs,
            "scoring, processor seconds": scored[0],
            "scoring, pairs a processor second": pairs / scored[0],
            "scoring, clock seconds": scored[1],
            "scoring, memory of this process in MB": scored[2],
            "merge, pairs a processor second": pairs / merging[0],
            "merge, memory in MB": merging[2],
            "bytes a pair, corpus": corpus.stat().st_size / pairs,
            "bytes a pair, parts": size / pairs,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, nargs="+", default=[20_000])
    parser.add_argument("--part", type=int, default=10_000)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--short", action="store_true", help="a few pairs")
    parser.add_argument("what", nargs="*", help="options of `parapluie score`, after --")
    options = parser.parse_args()
    what = options.what or ["--shard", "1/1", "--metric", "edit_distance"]
    result = [measure(200 if options.short else pairs, what, options.part) for pairs in options.pairs]
    for each in result:
        print(" ".join(what))
        for name, value in each.items():
            print(f"  {name:<40} {value:,.1f}")
    if options.json:
        options.json.write_text(json.dumps(result, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
