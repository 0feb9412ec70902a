"""The longest time during which the window does not respond: processor time of its thread in single events, by step.

    python tests/benchmarks/blocks.py [--pairs 300000] [--json FILE]

The real window, 1440 x 900, painted by Qt's offscreen platform, with a synthetic corpus of ten score columns made from
a seed. Each step is an action of a user and its consequences until the window is idle. The action itself counts as
one event.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

import synthetic

LONG = 3000


def use(window, step: Callable[..., None]) -> None:
    """Use the window as a person would, each action a step."""
    import numpy as np
    from PySide6.QtCore import Qt

    table, search, scatter = window.table, window.filter, window.scatter
    workspace, selection = window.workspace, window.workspace.selection
    rising, falling = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
    column = table.pairs.column_at
    step("sort by a score", lambda: table.sortByColumn(column("pluie.direct"), falling))
    step("sort by sentence", lambda: table.sortByColumn(column("source"), rising))
    step("sort by sentence, back", lambda: table.sortByColumn(column("source"), falling))
    step("unsort", lambda: table.sortByColumn(-1, rising))
    step("find a word", lambda: search.set_filter("river company"))
    step("filter by scores", lambda: search.set_filter("pluie.direct > 1.5 and bleu < 0.5"))
    step("filter by outcome", lambda: search.set_filter("outcome == FP"))
    step("all pairs", search.clear)
    for at, threshold in enumerate(np.linspace(-2, 2, 20)):
        step("drag the threshold", lambda value=threshold: workspace.set_threshold(float(value)), again=at > 0)
    step("lasso", lambda: scatter._select_enclosed(np.array([[0.2, -5], [0.8, -5], [0.8, 5], [0.2, 5]], dtype=float)))
    step("all pairs", search.clear, again=True)
    for at in range(10):
        step("next pair", lambda: selection.step(1), again=at > 0)
    step("other axis", lambda: workspace.set_axes(y="bleu"))
    step("other axis", lambda: workspace.set_axes(y="pluie.direct"), again=True)
    step("zoom", lambda: scatter.canvas.box.scaleBy((0.5, 0.5)))
    step("fit", scatter.fit)
    step("pair of long sentences", lambda: selection.set_primary(0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=300_000)
    parser.add_argument("--json", type=Path, help="write the milliseconds by step, and the reference")
    options = parser.parse_args()
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        os.environ[name] = tempfile.mkdtemp()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from event_watch import EventTime, WatchedApplication, reference_time

    from parapluie_gui.feature import collect_parts
    from parapluie_gui.storage.working_copies import WorkingCopies
    from parapluie_gui.ui import app as application
    from parapluie_gui.ui.state.driver import WorkerDriver
    from parapluie_gui.ui.state.preferences import UserPreferences
    from parapluie_gui.ui.widgets import theme as themes
    from parapluie_gui.ui.window.main import MainWindow

    application.QApplication = WatchedApplication
    app = application.make_application(["parapluie"])
    driver = WorkerDriver()
    driver.start()
    home = Path(tempfile.mkdtemp())
    copies = WorkingCopies(home, content=collect_parts("content"))
    window = MainWindow(copies, UserPreferences(home / "window.json"), driver, themes.LIGHT)
    window.resize(1440, 900)
    window.show()
    times = app.times

    def rest(seconds: float = 1.2) -> None:
        """Wait until no event has taken long for a while."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            app.processEvents()
            time.sleep(0.002)
            if window.table.pairs._running or window.filter._search is not None:
                until = time.monotonic() + seconds

    def step(name: str, act: Callable[[], object], again: bool = False) -> None:
        times.step = name
        begun = time.thread_time()
        act()
        times.add((time.thread_time() - begun) * 1000, "the action")
        rest(0.15 if again else 1.2)

    rest()
    corpus, table = synthetic.corpus(options.pairs), synthetic.table(options.pairs)
    long = " ".join(["known", "river", "company", "war"] * (LONG // 4))
    corpus.source[0], corpus.hypothesis[0] = f"{long} one", f"The {long.replace('war', 'peace')} two"
    times.step = "before"
    times.longest.clear()
    step("open", lambda: window.workspace.show(corpus, table))
    use(window, step)
    found: dict[str, EventTime] = times.longest
    reference = reference_time()
    print(f"{options.pairs:,} pairs; the reference takes {reference:.1f} ms")
    for name, event in found.items():
        print(f"{name:<24}{event.milliseconds:>8.0f} ms  {event.what}")
    print(f"longest: {max(event.milliseconds for event in found.values()):.0f} ms")
    if options.json is not None:
        steps = {name: (event.milliseconds, event.what) for name, event in found.items()}
        options.json.write_text(json.dumps({"reference": reference, "steps": steps}), encoding="utf-8")
    window.close()
    driver.close()
    os._exit(0)


if __name__ == "__main__":
    main()
