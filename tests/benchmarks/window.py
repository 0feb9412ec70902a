"""Time to the window's first frame, and lateness of its event loop while SmolLM2 scores.

    python tests/benchmarks/window.py [--starts 7] [--pairs 150] [--json FILE]

First frame: seconds from the start of a new process to the end of the window's first painting (the disk is warm after
the first start, which is not counted). Lateness: a timer of 10 ms runs in the window's thread while the corpus is
scored and its points arrive; the lateness of its ticks is printed as median, 99th percentile and maximum.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

MRPC = Path(__file__).parents[2].parent / "shared" / "data" / "mrpc" / "msr_paraphrase_test.txt"
TICK_MS = 10


def open_window(folder: Path):
    """Return the application, the real window with an empty session, and its driver."""
    from parapluie_gui.storage.working_copies import WorkingCopies
    from parapluie_gui.ui.app import make_application
    from parapluie_gui.ui.state.driver import WorkerDriver
    from parapluie_gui.ui.state.preferences import UserPreferences
    from parapluie_gui.ui.widgets import theme as themes
    from parapluie_gui.ui.window.main import MainWindow

    app = make_application(sys.argv[:1])
    driver = WorkerDriver()
    driver.start()
    window = MainWindow(WorkingCopies(folder), UserPreferences(folder / "window.json"), driver, themes.LIGHT)
    return app, window


def first_frame(since: float) -> None:
    """Print the seconds from `since` (time.time) to the end of the first painting, and exit."""
    from PySide6.QtCore import QTimer

    with tempfile.TemporaryDirectory() as folder:
        app, window = open_window(Path(folder))
        window.show()

        def painted() -> None:
            window.repaint()
            print(time.time() - since)
            window.close()

        QTimer.singleShot(0, window, painted)
        app.exec()


def lateness(pairs: int) -> dict[str, float]:
    """Score pairs of MRPC test (or the demo) in the window and return the lateness of its timer in milliseconds."""
    from PySide6.QtCore import Qt, QTimer

    from parapluie_gui.pairs import read
    from parapluie_gui.report.table import write_table
    from parapluie_gui.scores.table import ScoreTable
    from parapluie_gui.ui.state.opening import read_demo

    corpus = read(MRPC) if MRPC.is_file() else read_demo()
    late: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        chosen = corpus.take(range(min(pairs, len(corpus))))
        path = Path(folder) / "pairs.csv"
        write_table(path, chosen, ScoreTable(len(chosen)))
        # Stored scores would leave no work.
        home = Path(folder) / "home"
        link_models(home)
        os.environ["PARAPLUIE_HOME"] = str(home)
        app, window = open_window(Path(folder))
        window.resize(1440, 900)
        window.show()
        timer = QTimer(window, interval=TICK_MS)
        timer.setTimerType(Qt.TimerType.PreciseTimer)
        last = time.perf_counter()

        def tick() -> None:
            nonlocal last
            now = time.perf_counter()
            if window.scoring.state == "running":
                late.append(max((now - last) * 1000 - TICK_MS, 0.0))
            last = now

        timer.timeout.connect(tick)
        timer.start()
        window.workspace.corpus_changed.connect(window.run)
        window.scoring.ended.connect(window.close)
        window.scoring.failed.connect(lambda text: (print(text, file=sys.stderr), window.close()))
        start = time.perf_counter()
        window.files.open_paths([path])
        app.exec()
        seconds = time.perf_counter() - start
    result = np.array(late)
    return {
        "pairs": len(chosen),
        "seconds": seconds,
        "ticks": len(result),
        "median_ms": float(np.median(result)),
        "p99_ms": float(np.percentile(result, 99)),
        "max_ms": float(result.max()),
    }


def link_models(home: Path) -> None:
    """Link the user's models into a new data folder."""
    from parapluie_gui import places

    home.mkdir()
    (home / "models").symlink_to(places.models(), target_is_directory=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--starts", type=int, default=7)
    parser.add_argument("--pairs", type=int, default=150)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--first-frame", type=float, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if not os.environ.get("DISPLAY"):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    if options.first_frame:
        first_frame(options.first_frame)
        return 0
    starts = []
    for _ in range(options.starts + 1):
        # Compiled modules are kept, as after an installation.
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        command = [sys.executable, __file__, "--first-frame", repr(time.time())]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        starts.append(float(done.stdout))
    starts = starts[1:]
    print(f"first frame: median {statistics.median(starts):.2f} s, slowest {max(starts):.2f} s of {len(starts)} starts")
    loop = lateness(options.pairs)
    print(
        f"event loop while {loop['pairs']} pairs are scored ({loop['seconds']:.0f} s, {loop['ticks']} ticks): "
        f"late by {loop['median_ms']:.1f} ms in the median, {loop['p99_ms']:.1f} ms at p99, "
        f"{loop['max_ms']:.1f} ms at most"
    )
    if options.json:
        options.json.write_text(
            json.dumps({"first_frame_s": starts, "event_loop": loop}, indent=2) + "\n", encoding="utf-8"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
