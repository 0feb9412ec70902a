"""Files and memory at scale: opening a table, storing scores, reopening a session, from a thousand pairs to a million.

    python tests/benchmarks/files.py [--pairs 1000 10000 100000 1000000] [--rows 400000] [--json FILE] [--short]

Wall-clock seconds, with CPU seconds in brackets, which a busy machine does not affect. Each step runs in its own
process, with a warm disk cache.

    preview, read, into session   a TSV with that many rows: the preview, the corpus, the corpus stored in a session
    write       ten columns of scores into a session, 2,000 pairs at a time as the worker does
    put         microseconds per pair and score for the last quarter of the pairs
    known       looking up all pairs in a store
    reopen      reading the session's corpus and its ten columns; memory: of that process, MB
    window      the window showing it; memory: of the window's process, MB

--short uses small files and fails if the data read differ from the data written; it never fails because of time.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import synthetic

AIMS = {"preview": 0.5, "opened": 3.0, "reopen": 3.0, "memory of the window, MB": 1500}
ROWS = 400_000


class Clock:
    """Measures wall-clock and CPU time of steps."""

    def __init__(self) -> None:
        self.found: dict[str, float] = {}

    def take(self, name: str, act: Callable[[], object]) -> object:
        """Run a step and record its time."""
        wall, used = time.perf_counter(), time.process_time()
        result = act()
        self.found[name] = time.perf_counter() - wall
        self.found[f"{name} (cpu)"] = time.process_time() - used
        return result


def opening(path: Path) -> dict[str, float]:
    """Preview a TSV, read it and store it in a session."""
    from parapluie_gui.pairs import open_corpus, read
    from parapluie_gui.storage.session import Session

    clock = Clock()
    clock.take("preview", lambda: open_corpus(path).preview)
    corpus = clock.take("read", lambda: read(path))
    with Session.open(path.with_suffix(".pluie"), create=True) as session:
        clock.take("into session", lambda: session.add_corpus(corpus))
    clock.found["opened"] = sum(clock.found[name] for name in ("read", "into session"))
    clock.found["opened (cpu)"] = sum(clock.found[f"{name} (cpu)"] for name in ("read", "into session"))
    clock.found["file, MB"] = path.stat().st_size / 1e6
    return clock.found


def keeping(path: Path, pairs: int) -> dict[str, float]:
    """Write a session as scoring does, and query its stored scores."""
    from parapluie_gui.scores.signature import pair_key
    from parapluie_gui.storage.session import Session

    clock = Clock()
    corpus, columns = synthetic.corpus(pairs), synthetic.scores(pairs)
    keys = clock.take("keys", lambda: [pair_key(*pair) for pair in zip(corpus.source, corpus.hypothesis, strict=True)])
    order = np.random.default_rng(0).permutation(pairs)
    took: list[tuple[float, float]] = []
    with Session.open(path, create=True) as session:
        session.add_corpus(corpus)

        def write() -> None:
            for name, signature in synthetic.signatures().items():
                both = [columns.get(name + ending) for ending in (".p_yes", ".p_no")]
                for start in range(0, pairs, 2000):
                    rows = order[start : start + 2000]
                    chosen = [keys[row] for row in rows.tolist()]
                    cut = [None if numbers is None else numbers[rows] for numbers in both]
                    wall, used = time.perf_counter(), time.process_time()
                    session.store.put(signature, chosen, columns[name][rows], *cut)
                    took.append(((time.perf_counter() - wall) / len(rows), (time.process_time() - used) / len(rows)))

        clock.take("write", write)
        signature = synthetic.signatures()["bleu"]
        result = clock.take("known", lambda: session.store.known(signature, keys))
        np.testing.assert_array_equal(result.value, columns["bleu"])
    last = np.array(took)[-max(len(took) // 4, 1) :].mean(axis=0) * 1e6
    clock.found |= {
        "put, µs": float(last[0]),
        "put, µs (cpu)": float(last[1]),
        "session, MB": path.stat().st_size / 1e6,
    }
    return clock.found


def reopening(path: Path, pairs: int) -> dict[str, float]:
    """Open a session as the window does."""
    from parapluie_gui.storage.session import Session
    from parapluie_gui.ui.state.opening import read_from_session

    clock = Clock()
    with Session.open(path) as session:
        number = session.corpora()[0].id
    loaded = clock.take("reopen", lambda: read_from_session(path, number, lambda rows: None))
    clock.found["memory, MB"] = memory_mb()
    columns, corpus = synthetic.scores(pairs), synthetic.corpus(pairs)
    assert loaded.corpus.source == corpus.source
    assert loaded.corpus.hypothesis == corpus.hypothesis
    np.testing.assert_array_equal(loaded.corpus.label, corpus.label)
    for name in columns:
        np.testing.assert_array_equal(loaded.table[name], columns[name])
    return clock.found


def showing(path: Path) -> dict[str, float]:
    """Open a session in the window and measure the memory."""
    from window import open_window

    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app, window = open_window(path.parent)
    window.show()
    app.processEvents()
    start = time.perf_counter()
    clock = Clock()

    def show() -> None:
        window.files.open_paths([path])
        while window.workspace.corpus is None and time.perf_counter() < start + 120:
            app.processEvents()
            time.sleep(0.001)
        window.repaint()

    clock.take("window", show)
    for _ in range(50):
        app.processEvents()
        time.sleep(0.01)
    clock.found["memory of the window, MB"] = memory_mb()
    heavy = [name for name in ("torch", "transformers", "pandas", "scipy", "sklearn", "nltk") if name in sys.modules]
    assert not heavy, f"in the window's process: {heavy}"
    window.close()
    return clock.found


def memory_mb() -> float:
    """Return the resident memory of this process in MB; NaN where the system does not say."""
    path = Path("/proc/self/statm")
    if not path.exists():
        return float("nan")
    return int(path.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


STEPS = {"opening": opening, "keeping": keeping, "reopening": reopening, "showing": showing}


def in_process(step: str, *arguments: object) -> dict[str, float]:
    """Run a step in its own process and return its result."""
    command = [sys.executable, __file__, "--step", step, *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, nargs="+", default=[1000, 10_000, 100_000, 1_000_000])
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--step", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.step:
        step, path, *rest = options.step
        print(json.dumps(STEPS[step](Path(path), *map(int, rest))))
        return 0
    results: dict[int, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["PARAPLUIE_HOME"] = str(Path(scratch) / "home")
        table = Path(scratch) / "pairs.tsv"
        rows = 3000 if options.short else options.rows
        synthetic.write_tsv(table, rows)
        results[rows] = in_process("opening", table)
        for pairs in [1000, 30_000] if options.short else options.pairs:
            session = Path(scratch) / f"{pairs}.pluie"
            found = results.setdefault(pairs, {})
            found |= in_process("keeping", session, pairs)
            found |= in_process("reopening", session, pairs)
            found |= in_process("showing", session)
            session.unlink()
    if options.short:
        print("what was written comes back")
        return 0
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores" if hasattr(os, "getloadavg") else ""
    print(f"{time.strftime('%Y-%m-%d')}, {platform.platform()}, Python {platform.python_version()}, {load}")
    names = list(dict.fromkeys(name for found in results.values() for name in found if not name.endswith("(cpu)")))
    print(f"{'':26}" + "".join(f"{size:>18,}" for size in results) + f"{'aim':>8}")
    for name in names:
        cells = []
        for found in results.values():
            cpu = f" ({found[f'{name} (cpu)']:.2f})" if f"{name} (cpu)" in found else ""
            cells.append(f"{found[name]:.2f}{cpu}" if name in found else "")
        print(f"{name:26}" + "".join(f"{cell:>18}" for cell in cells) + f"{AIMS.get(name, ''):>8}")
    if options.json:
        options.json.write_text(json.dumps({"aims": AIMS, "results": results}, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
