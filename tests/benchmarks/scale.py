"""The window at scale: times of frames, lasso, hover, table and live scores with a thousand to a million pairs.

    python tests/benchmarks/scale.py [--pairs 1000 10000 100000 1000000] [--json FILE] [--hour] [--short]

The real window, 1440 x 900, painted by Qt's offscreen platform, with a synthetic corpus of ten score columns made from
a seed. Times are wall-clock milliseconds, median / 99th percentile of the repetitions; "cpu" is the 99th percentile
of the CPU time of the window's thread, which a busy machine does not affect.

    pan, zoom   one movement of the view and everything the event loop did until it was painted
    lasso       from the closed line to all views showing the new set; hover: which pair is under the mouse
    sort, find  by a score, by the source sentence (the first time); a filter on a score, a word in both sentences
    select      from choosing a pair to its painted difference
    live        lateness of a 10 ms timer while a process sends 20,000 results a second through the driver
    hand over   the same while the corpus travels to the worker

--hour puts 72 million results (20,000 a second for an hour) into the window as fast as it takes them and reports the
memory. --short runs on small corpora and fails if fast and simple algorithms disagree; it never fails because of time.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import synthetic

AIMS = {
    "pan": 33.3,
    "zoom": 33.3,
    "lasso": 150,
    "hover": 2,
    "sort by score": 150,
    "sort by text": 150,
    "filter by score": 150,
    "find a word": 150,
    "select": 50,
    "live, late": 50,
    "hand over, late": 50,
}
#: Results per second, and the number that arrive together.
RATE, BATCH = 20_000, 1000
TICK_MS = 10


class Bench:
    """The window with a corpus of a given size, and its measurements."""

    def __init__(self, app, window, pairs: int) -> None:
        self.app, self.window, self.pairs = app, window, pairs
        self.canvas = window.scatter.canvas
        self.results: dict[str, dict[str, float]] = {}
        self.random = np.random.default_rng(0)
        table = synthetic.table(pairs)
        self.take("open", lambda: window.workspace.show(synthetic.corpus(pairs), table), settle=False)
        self.settle()
        assert self.canvas.points.visible or self.canvas.points.dense, "the scatter shows no point"

    def settle(self, seconds: float = 0.25) -> None:
        """Wait for timers to finish."""
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            self.app.processEvents()
            time.sleep(0.005)

    def take(self, name: str, act: Callable[[], object], times: int = 1, settle: bool = True) -> None:
        """Repeat an action, each time until the event loop is empty, and record the times."""
        wall, cpu = [], []
        for _ in range(times):
            if settle:
                self.settle()
            start, used = time.perf_counter(), time.thread_time()
            act()
            self.app.processEvents()
            wall.append((time.perf_counter() - start) * 1000)
            cpu.append((time.thread_time() - used) * 1000)
        self.keep(name, wall, cpu)

    def keep(self, name: str, wall: Sequence[float], cpu: Sequence[float] = ()) -> None:
        """Record times in milliseconds."""
        self.results[name] = {
            "median": float(np.median(wall)),
            "p99": float(np.percentile(wall, 99)),
            "max": float(np.max(wall)),
            "cpu": float(np.percentile(cpu, 99)) if len(cpu) else float("nan"),
        }

    def frames(self, times: int) -> None:
        """Pan back and forth, then zoom in until single points are drawn, and out again."""
        box = self.canvas.box
        steps = iter(np.tile(np.repeat([0.004, -0.004], 10), times).tolist())
        self.window.scatter.fit()
        self.settle()
        self.take("pan", lambda: box.translateBy(x=next(steps)), times, settle=False)
        self.window.scatter.fit()
        self.settle()
        dense = self.canvas.points.dense
        self.take("zoom", lambda: box.scaleBy((0.96, 0.96)), times, settle=False)
        self.settle()
        self.results["zoom"]["points at the end"] = float(self.canvas.points.visible)
        assert not dense or self.canvas.points.visible < self.pairs
        self.window.scatter.fit()
        self.settle()

    def picking(self, times: int) -> None:
        """Hover over points, draw a lasso, select pairs."""
        from PySide6.QtCore import QPointF

        canvas, scatter = self.canvas, self.window.scatter
        places = [canvas.box.mapViewToScene(QPointF(x, y)) for x, y in self.random.uniform((0, -8), (1, 8), (200, 2))]
        canvas.row_at(places[0])
        wall = []
        for place in places:
            start = time.perf_counter()
            canvas.row_at(place)
            wall.append((time.perf_counter() - start) * 1000)
        self.keep("hover", wall)
        line = heart()
        for _ in range(times):
            self.take("lasso", lambda: scatter._select_enclosed(line), times)
            self.window.filter.clear()
        rows = iter(self.random.integers(0, self.pairs, times * 4).tolist())
        self.take("select", lambda: self.window.workspace.selection.set_primary(next(rows)), times * 4)

    def table(self, times: int) -> None:
        """Sort and filter the table."""
        from PySide6.QtCore import Qt

        table, search = self.window.table, self.window.filter
        order = Qt.SortOrder.DescendingOrder
        columns = iter(["pluie.direct", "edit_distance", "bleu", "meteor", "rouge_l"] * times)
        self.take(
            "sort by score", lambda: table.sortByColumn(table.pairs.column_at(next(columns)), order), min(times, 5)
        )
        self.take("sort by text", lambda: table.sortByColumn(table.pairs.column_at("source"), order))
        table.sortByColumn(-1, order)
        limits = iter(np.linspace(0, 5, times * 2))
        self.take(
            "filter by score", lambda: search.set_filter(f"pluie.direct > {next(limits):.3f} and bleu < 0.5"), times
        )
        search.clear()
        words = iter(["river company", "zebra", "station music", "known", "war"] * times)
        self.take("find a word", lambda: search.set_filter(next(words)), min(times, 5))
        search.clear()
        self.settle()

    def live(self, seconds: float) -> None:
        """Send results from a process through the driver, and measure the event loop."""
        from PySide6.QtCore import Qt, QTimer

        from parapluie_gui.work.scoring_plan import ScoringPlan

        window, late, stage = self.window, {"hand over": [], "live": []}, "hand over"
        window.workspace.show(window.workspace.corpus)
        self.settle()
        timer = QTimer(window, interval=TICK_MS)
        timer.setTimerType(Qt.TimerType.PreciseTimer)
        last = time.perf_counter()
        got = 0

        def tick() -> None:
            nonlocal last
            now = time.perf_counter()
            late[stage].append(max((now - last) * 1000 - TICK_MS, 0.0))
            last = now

        def hear(event: object) -> None:
            nonlocal stage, got
            if hasattr(event, "rows"):
                stage = "live"
                got += len(event.rows)

        timer.timeout.connect(tick)
        window.driver.received.connect(hear)
        timer.start()
        window.scoring.start(window.workspace.corpus, ScoringPlan(("edit_distance",)), [])
        end = time.perf_counter() + seconds + 60
        begun = None
        while window.scoring.state != "idle" and time.perf_counter() < end:
            self.app.processEvents()
            if begun is None and stage == "live":
                begun = time.perf_counter()
            time.sleep(0.001)
        took = time.perf_counter() - (begun or end)
        timer.stop()
        for name, values in late.items():
            if values:
                self.keep(f"{name}, late", values)
        self.results["live, late"]["results a second"] = got / took

    def hour(self) -> None:
        """Add an hour's results and measure the memory."""
        workspace, count = self.window.workspace, RATE * 3600 // BATCH
        sizes = []
        start = time.perf_counter()
        for batch in range(count):
            rows = self.random.integers(0, self.pairs, BATCH)
            workspace.put(rows, {"pluie.direct": self.random.normal(0, 4, BATCH), "edit_distance": rows / self.pairs})
            if batch % 10 == 0:
                self.app.processEvents()
            if batch % (count // 60) == 0:
                sizes.append(memory_mb())
        sizes = sizes[5:]
        self.results["memory over an hour"] = {
            "first": sizes[0],
            "last": sizes[-1],
            "max": max(sizes),
            "seconds": time.perf_counter() - start,
        }


def heart() -> np.ndarray:
    """Return a lasso of 200 corners that contains half the points."""
    angle = np.linspace(0, 2 * np.pi, 200)
    return np.column_stack([0.5 + 0.3 * np.cos(angle) * (1 + 0.2 * np.sin(5 * angle)), 6 * np.sin(angle)])


def pour(connection) -> None:
    """The worker of `live`: receives a job and answers with random numbers at the given rate."""
    from parapluie_gui.work.events import ColumnStarted, JobFinished, ScoreBatch, WorkerReady
    from parapluie_gui.work.job import Job, PairsChunk

    connection.send(WorkerReady())
    pairs = 0
    while True:
        order = connection.recv()
        if isinstance(order, PairsChunk):
            pairs += len(order.pairs)
        if isinstance(order, Job):
            break
    random = np.random.default_rng(0)
    for name, signature in synthetic.signatures().items():
        if name in ("pluie.direct", "edit_distance"):
            connection.send(ColumnStarted(order.id, name, signature))
    seconds = float(os.environ["PARAPLUIE_BENCH_SECONDS"])
    start = time.perf_counter()
    rows = random.permutation(pairs)
    for batch in range(int(seconds * RATE / BATCH)):
        time.sleep(max(start + batch * BATCH / RATE - time.perf_counter(), 0))
        part = np.take(rows, range(batch * BATCH, (batch + 1) * BATCH), mode="wrap")
        values = {name: random.normal(0.5, 0.2, BATCH) for name in ("pluie.direct", "edit_distance")}
        connection.send(ScoreBatch(order.id, part, values))
    connection.send(JobFinished(order.id, seconds=seconds))
    time.sleep(5)


def memory_mb() -> float:
    """Return the resident memory of this process in MB; NaN where the system does not say."""
    path = Path("/proc/self/statm")
    if not path.exists():
        return float("nan")
    return int(path.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def check(bench: Bench) -> None:
    """Fail if a fast and a simple algorithm disagree."""
    from pyqtgraph import functions  # noqa: F401  (pyqtgraph is loaded: the window is)
    from PySide6.QtCore import QPointF, Qt
    from PySide6.QtGui import QPolygonF

    window, workspace = bench.window, bench.window.workspace
    corpus, selection = workspace.corpus, workspace.selection
    x, y = workspace.values(workspace.x), workspace.values(workspace.y)
    line = heart()
    window.scatter._select_enclosed(line)
    shape = QPolygonF([QPointF(*corner) for corner in line])
    some = bench.random.integers(0, len(x), 3000)
    plain = [shape.containsPoint(QPointF(x[row], y[row]), Qt.FillRule.OddEvenFill) for row in some]
    assert (selection.mask[some] == plain).all(), "the lasso selected different points"
    window.filter.set_filter("company")
    wanted = ["company" in s or "company" in h for s, h in zip(corpus.source, corpus.hypothesis, strict=True)]
    assert selection.mask.tolist() == wanted, "the filter selected different pairs"
    window.filter.set_filter("pluie.direct > 1.5 and label == 0")
    assert (selection.mask == ((workspace.table["pluie.direct"] > 1.5) & (corpus.label == 0))).all()
    window.filter.clear()
    table = window.table.pairs
    table.sort(table.column_at("bleu"), Qt.SortOrder.DescendingOrder)
    assert (table.rows == np.argsort(-workspace.table["bleu"], kind="stable")).all(), "the order differs"
    for at in bench.random.uniform((0, -8), (1, 8), (50, 2)):
        pixel = bench.canvas.box.viewPixelSize()
        far = np.hypot((x - at[0]) / pixel[0], (y - at[1]) / pixel[1])
        result = bench.canvas.points.cloud.nearest(*at, pixel, 12)
        nearest = int(np.argmin(far))
        assert result == (nearest if far[nearest] <= 12 else -1), "a different pair is nearest"
    (x0, x1), (y0, y1) = bench.canvas.box.viewRange()
    inside = (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)
    assert bench.canvas.points.visible == inside.sum()
    for axis in (0, 1):
        assert sum(bench.canvas.marginals.counts(axis)) == inside.sum(), "the histograms miss pairs"
    for name in ("torch", "transformers", "pandas", "scipy", "sklearn", "nltk"):
        assert name not in sys.modules, f"{name} is loaded in the window's process"
    print(f"{bench.pairs:,} pairs: lasso, filters, order, nearest pair and histograms agree with the plain ways")


def measure(pairs: int, options: argparse.Namespace, folder: Path) -> dict[str, dict[str, float]]:
    """Open the window on a corpus and run all measurements."""
    from parapluie_gui.storage.working_copies import WorkingCopies
    from parapluie_gui.ui.state.driver import WorkerDriver
    from parapluie_gui.ui.state.preferences import UserPreferences
    from parapluie_gui.ui.widgets import theme as themes
    from parapluie_gui.ui.window.main import MainWindow

    app = options.app
    driver = WorkerDriver(target=pour)
    driver.start()
    window = MainWindow(WorkingCopies(folder), UserPreferences(folder / "window.json"), driver, themes.LIGHT)
    window.resize(1440, 900)
    window.show()
    while window.state.queue.busy:  # the session is being opened
        app.processEvents()
    bench = Bench(app, window, pairs)
    if options.short:
        check(bench)
    else:
        bench.frames(120)
        bench.picking(5)
        bench.table(5)
        bench.results["memory, MB"] = {"now": memory_mb()}
        bench.live(options.seconds)
        if options.hour:
            bench.hour()
    window.close()
    return bench.results


def show(results: dict[int, dict[str, dict[str, float]]]) -> None:
    """Print a table: one line per measurement, one column per size."""
    sizes = list(results)
    print(f"{'ms, median / p99 (cpu)':24}" + "".join(f"{size:>26,}" for size in sizes) + f"{'aim':>8}")
    names = list(dict.fromkeys(name for size in sizes for name in results[size]))
    for name in names:
        cells = []
        for size in sizes:
            result = results[size].get(name, {})
            if "median" in result:
                cells.append(f"{result['median']:.1f} / {result['p99']:.1f} ({result['cpu']:.1f})")
            else:
                cells.append(", ".join(f"{key} {value:.0f}" for key, value in result.items()))
        print(f"{name:24}" + "".join(f"{cell:>26}" for cell in cells) + f"{AIMS.get(name, ''):>8}")
    for size in sizes:
        live = results[size].get("live, late", {})
        if live:
            print(
                f"{size:,} pairs: {live['results a second']:,.0f} results a second, at most {live['max']:.0f} ms late"
            )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, nargs="+", default=[1000, 10_000, 100_000, 1_000_000])
    parser.add_argument("--seconds", type=float, default=20, help="how long results pour in")
    parser.add_argument("--hour", action="store_true")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    if not os.environ.get("DISPLAY"):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtCore import QLoggingCategory

    from parapluie_gui.ui.app import make_application

    QLoggingCategory.setFilterRules("qt.qpa.*=false")
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["PARAPLUIE_HOME"] = str(Path(scratch) / "home")
        os.environ["PARAPLUIE_BENCH_SECONDS"] = str(options.seconds)
        options.app = make_application(sys.argv[:1])
        results = {}
        for pairs in [2000, 60_000] if options.short else options.pairs:
            folder = Path(scratch) / str(pairs)
            folder.mkdir()
            results[pairs] = measure(pairs, options, folder)
    if options.short:
        return 0
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores" if hasattr(os, "getloadavg") else ""
    print(f"{time.strftime('%Y-%m-%d')}, {platform.platform()}, Python {platform.python_version()}, {load}")
    show(results)
    if options.json:
        options.json.write_text(json.dumps({"aims": AIMS, "results": results}, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
