"""The window's thread imports nothing that takes seconds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from parapluie_gui.metrics import catalogue
from parapluie_gui.ui.state.zero_reasons import ZeroReasons


def test_the_windows_thread_imports_no_heavy_library(tmp_path):
    """Every pair, tab and page is shown; nltk, scipy and the like must be imported in a thread or the worker."""
    helper = Path(__file__).parents[2] / "helpers" / "heavy_imports.py"
    homes = dict.fromkeys(("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "TMPDIR"), str(tmp_path))
    done = subprocess.run(
        [sys.executable, str(helper)], capture_output=True, text=True, check=False, env={**os.environ, **homes}
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "", "import it in a thread"


def test_the_reason_of_a_zero_arrives_later_and_is_cached(qtbot):
    reasons = ZeroReasons()
    asked = "bleu", "The cat sleeps.", "He didn't go home."
    with qtbot.waitSignal(reasons.arrived, timeout=60_000):
        assert reasons.reason(*asked) == ""
    assert reasons.reason(*asked) == catalogue.why_zero(*asked) != ""
    assert reasons.reason("edit_distance", "a", "a") == "", "nothing to explain, and no thread"
    reasons.stop()
