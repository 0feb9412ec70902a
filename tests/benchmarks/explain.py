"""Time until a pair is explained in the window: its first colours, and all its edits.

    python tests/benchmarks/explain.py [--pairs 12] [--beside] [--json FILE]

Pairs of MRPC test with two to six edits, not scored before, become the primary pair in turn while "Which words decided"
is unfolded. It prints the seconds until the first edit has its colour and until all edits have their values by the
pocket judge: in clock time from the choice of the pair (with the 80 ms that a pair has to stay), and in the worker's
processor time, which other programs change less. With `--beside` the window keeps one core busy meanwhile, as if it
were drawing. A variant should cost no more than a plain pair (`scoring.py --only-masked`).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from window import MRPC, link_models, open_window

from parapluie_gui.features.explain.explanation import ExplanationPlan
from parapluie_gui.pairs import read
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.ui.state.opening import read_demo

MOST_EDITS = 6


def fitting(corpus: Corpus, count: int) -> Corpus:
    """Return pairs with two to six edits, as far as possible equally many of each number."""
    result: dict[int, list[int]] = {edits: [] for edits in range(2, MOST_EDITS + 1)}
    for row in range(len(corpus)):
        edits = len(ExplanationPlan(corpus.source[row], corpus.hypothesis[row]).edits)
        if edits in result:
            result[edits].append(row)
    rows = [rows[place] for place in range(count) for rows in result.values() if place < len(rows)]
    return corpus.take(rows[:count])


def processor_seconds() -> float:
    """Return the CPU time of this process's children so far (Linux)."""
    total = 0
    for children in Path("/proc/self/task").glob("*/children"):
        for process in children.read_text(encoding="ascii").split():
            fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
            total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def wait(until: Callable[[], bool], seconds: float = 120.0, *, beside: bool = False) -> None:
    """Run the window's event loop until a condition holds; with `beside` it occupies one core."""
    from PySide6.QtCore import QCoreApplication, QEventLoop

    end = time.perf_counter() + seconds
    while not until():
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 5)
        if not beside:
            time.sleep(0.002)
        if time.perf_counter() > end:
            raise TimeoutError(f"nothing happened for {seconds:.0f} s")


def measure(pairs: Corpus, *, beside: bool = False) -> list[dict[str, float]]:
    """Explain every pair in a window; return a record for each."""
    result = []
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        link_models(home)
        os.environ["PARAPLUIE_HOME"] = str(home)
        _, window = open_window(Path(folder))
        window.resize(1440, 900)
        window.show()
        path = Path(folder) / "pairs.tsv"
        lines = (f"{source}\t{hypothesis}\n" for source, hypothesis in zip(pairs.source, pairs.hypothesis, strict=True))
        path.write_text("source\thypothesis\n" + "".join(lines), encoding="utf-8")
        window.files.open_paths([path])
        wait(lambda: window.workspace.corpus is not None)
        window.run()  # loads the judge
        wait(lambda: window.scoring.state != "idle")
        wait(lambda: window.scoring.state == "idle", 600)
        why = window.features["explain"].in_pair
        why.fold.click()
        for row in range(1, len(pairs)):
            before, start = processor_seconds(), time.perf_counter()
            window.workspace.selection.set_primary(row)
            wait(lambda: any(effect.value is not None for effect in why.bars.rows), beside=beside)
            first, early = time.perf_counter() - start, processor_seconds() - before
            wait(lambda: why._plan is not None and not why._waiting, beside=beside)
            seconds, plan = time.perf_counter() - start, why._plan
            used = processor_seconds() - before
            sizes = {"edits": len(plan.edits), "variants": len(plan.variants)}
            result.append({**sizes, "first": first, "early": early, "all": seconds, "used": used})
        window.close()
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=12)
    parser.add_argument("--beside", action="store_true", help="the window is busy all the while")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    if not os.environ.get("DISPLAY"):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    corpus = read(MRPC) if MRPC.is_file() else read_demo()
    # The first pair is already chosen when its corpus is opened.
    result = measure(fitting(corpus, options.pairs + 1), beside=options.beside)
    for edits in sorted({int(each["edits"]) for each in result}):
        of_kind = [each for each in result if each["edits"] == edits]
        names = ("first", "early", "all", "used")
        first, early, seconds, used = (statistics.median(each[name] for each in of_kind) for name in names)
        print(
            f"{edits} edits, {int(of_kind[0]['variants'])} variants, {len(of_kind)} pairs: first colours after "
            f"{first:.2f} s ({early:.2f} s of processor), all after {seconds:.2f} s ({used:.2f} s); medians"
        )
    for name, words in (("first", "first colours"), ("all", "all edits")):
        times = [each[name] for each in result]
        print(f"{words}: median {statistics.median(times):.2f} s, slowest {max(times):.2f} s of {len(times)} pairs")
    variants = sum(each["used"] for each in result) / sum(each["variants"] for each in result)
    print(f"a variant takes {1000 * variants:.0f} ms of processor time")
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
