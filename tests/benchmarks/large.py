"""Parquet files with more pairs than a table can show: seconds and memory for the sample, the count and the density."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

#: Rows per row group of the file.
GROUP = 200_000


def make(path: Path, rows: int) -> None:
    """Write rows with two sentences of 12 to 21 words, a label and three scores."""
    import pyarrow
    import pyarrow.parquet

    random = np.random.default_rng(0)
    words = np.array([f"word{place}" for place in range(40)])
    sentences = np.array([" ".join(random.choice(words, random.integers(12, 22))) for _ in range(20_000)])
    names = ("source", "hypothesis", "label", "edit_distance", "bleu", "pluie.cloze")
    writer = None
    for start in range(0, rows, GROUP):
        count = min(GROUP, rows - start)
        label = random.integers(0, 2, count)
        scores = (random.normal(mean + step * label, wide) for mean, step, wide in ((0.6, -0.3, 0.1), (0.2, 0.3, 0.2)))
        texts = (random.choice(sentences, count) for _ in range(2))
        columns = (*texts, label.astype(np.int8), *scores, random.normal(4 * label - 2, 2))
        table = pyarrow.table(dict(zip(names, columns, strict=True)))
        writer = writer or pyarrow.parquet.ParquetWriter(path, table.schema)
        writer.write_table(table, row_group_size=GROUP)
    assert writer is not None
    writer.close()


def measure(path: Path) -> dict[str, float]:
    """Read a sample of a file and count all its rows, in this process."""
    from parapluie_gui.pairs.reading.large import read_sample
    from parapluie_gui.ui.scatter.whole_density import count_all

    def memory() -> float:
        """Return the peak memory of this process; Python's figure includes the parent's."""
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        return next(int(line.split()[1]) / 1000 for line in lines if line.startswith("VmHWM"))

    before, started = memory(), time.process_time()
    sampled = read_sample(path)
    read, between = time.process_time() - started, memory()
    density = count_all([path], "bleu", "pluie.cloze", "label", lambda rows: None)
    return {
        "pairs": sampled.whole.pairs,
        "pairs of the sample": len(sampled.corpus),
        "sample and count, processor seconds": read,
        "density, processor seconds": time.process_time() - started - read,
        "pairs of the density": density.pairs,
        "memory before in MB": before,
        "memory of the sample in MB": between,
        "memory with the density in MB": memory(),
        "bytes a pair": path.stat().st_size / sampled.whole.pairs,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, nargs="+", default=[3_000_000])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--short", action="store_true", help="a few pairs")
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.file:
        print(json.dumps(measure(options.file)))
        return
    result = []
    for pairs in [2000] if options.short else options.pairs:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "large.parquet"
            make(path, pairs)  # measured in its own process: creating takes memory too
            command = [sys.executable, __file__, "--file", str(path)]
            result.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
        for name, value in result[-1].items():
            print(f"  {name:<40} {value:,.1f}")
    if options.json:
        options.json.write_text(json.dumps(result, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
