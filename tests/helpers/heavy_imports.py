"""A program that uses a window and prints what its own thread imports of the heavy libraries, each with its cause.

A first import of nltk, scipy or sklearn takes up to ten seconds, in which the window answers nothing. They belong to
the worker process and to threads. Run in a separate process, as other tests have imported them already.
"""

from __future__ import annotations

import importlib.abc
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

#: Packages that take longer than a frame to import.
HEAVY = frozenset(
    {"nltk", "scipy", "sklearn", "pandas", "torch", "transformers", "onnxruntime", "matplotlib", "joblib"}
)

#: Pairs with a BLEU of 0, words that only NLTK's tokeniser splits, and missing scores.
CORPUS = """source,hypothesis,label,human,group,bleu,meteor,edit_distance,pluie.direct
The cat sleeps.,He didn't go home.,0,0.1,a,0,0,0.9,-4.5
Shares rose.,Shares can't've risen.,1,0.9,b,0.0,,0.4,2.5
Dogs bark loudly.,Dogs bark.,1,0.8,a,0.5,0.6,0.3,3.5
It isn't here.,It is not here.,1,0.9,b,0,0.4,0.2,1.5
No rain fell.,It rained all day.,0,0.2,a,0,0.1,0.8,-2.0
"""


class _ImportWatch(importlib.abc.MetaPathFinder):
    """Finder that records first imports of heavy packages in the main thread, and finds nothing itself."""

    def __init__(self) -> None:
        self.causes: dict[str, str] = {}

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        package = name.partition(".")[0]
        if package in HEAVY and package not in self.causes and threading.current_thread() is threading.main_thread():
            stack = traceback.extract_stack()
            if any(frame.filename.endswith(("importlib/util.py", "importlib.util>")) for frame in stack):
                return  # only asked whether it is installed
            frames = [frame for frame in stack if "parapluie_gui" in frame.filename]
            self.causes[package] = " < ".join(
                f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames[-4:][::-1]
            )


def _use(window, spin: Callable[[float], None], pages: Sequence[str]) -> None:
    """Show every pair and every page, filter, sort, copy and type a pair."""
    import numpy as np

    workspace, selection = window.workspace, window.workspace.selection
    for row in range(workspace.table.rows):
        selection.set_primary(row)
        spin(0.1)
    window.filter.set_filter("label == 1 and edit_distance < 0.5")
    window.filter.set_filter("didn't")
    window.filter.clear()
    window.scatter.bar.best()
    window.scatter.bar.choose("fp")
    selection.set_rows("some", np.arange(3))
    selection.set_rule(None)
    window.scatter.set_grid(True)
    spin(0.2)
    window.scatter.set_grid(False)
    window.table.sortByColumn(2, window.table.horizontalHeader().sortIndicatorOrder())
    window.table.selectRow(0)
    window.table.copy()
    window.tabs.show_bench()
    window.bench.fields.set_texts("The cat sleeps.", "He didn't go home.")
    spin(0.3)
    window.tabs.show_analysis()
    for number in range(len(pages)):
        window.analysis.list.show_page(number)
        until = time.monotonic() + 20
        spin(0.1)
        while window.analysis.busy and time.monotonic() < until:
            spin(0.05)
    for at in range(window.tabs.count()):
        window.tabs.setCurrentIndex(at)
        spin(0.3)


def main() -> None:
    watch = _ImportWatch()
    sys.meta_path.insert(0, watch)
    from parapluie_gui.feature import collect_parts
    from parapluie_gui.storage.working_copies import WorkingCopies
    from parapluie_gui.ui.analysis.pages import pages
    from parapluie_gui.ui.app import make_application
    from parapluie_gui.ui.state.driver import WorkerDriver
    from parapluie_gui.ui.state.preferences import UserPreferences
    from parapluie_gui.ui.widgets import theme as themes
    from parapluie_gui.ui.window.main import MainWindow

    app = make_application(["parapluie"])

    def spin(seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            app.processEvents()
            time.sleep(0.005)

    home = Path(tempfile.mkdtemp())
    (home / "pairs.csv").write_text(CORPUS, encoding="utf-8")
    driver = WorkerDriver()
    driver.start()
    copies = WorkingCopies(home, content=collect_parts("content"))
    window = MainWindow(copies, UserPreferences(home / "window.json"), driver, themes.LIGHT)
    window.resize(1440, 900)
    window.show()
    spin(0.5)
    window.files.open_paths([home / "pairs.csv"])
    until = time.monotonic() + 20
    while window.workspace.corpus is None and time.monotonic() < until:
        spin(0.05)
    assert window.workspace.corpus is not None, "the corpus did not open"
    _use(window, spin, pages())
    window.close()
    driver.close()
    for package, cause in watch.causes.items():
        print(f"{package}: {cause}")


if __name__ == "__main__":
    main()
