"""The program can start itself as a child process when it is one executable, as PyInstaller builds it.

`packaging/smoke` tests the same with the portable application itself.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from crafted import ods, ods_row

from parapluie_gui import children, places
from parapluie_gui.models.catalogue import POCKET, is_ready

ROOT = Path(__file__).parents[1]

#: Imitates PyInstaller's bootloader and its hook for multiprocessing.
_LAUNCHER = """#!{python}
import sys
sys.frozen, sys.executable = True, __file__
import multiprocessing.spawn
sys.path.insert(0, {root!r})

def freeze_support():
    if "-c" in sys.argv and "resource_tracker" in sys.argv[-1]:
        exec(sys.argv[-1])
        sys.exit()
    multiprocessing.spawn.freeze_support()

multiprocessing.freeze_support = freeze_support
from parapluie_gui.__main__ import main
sys.exit(main())
"""


@pytest.fixture
def portable(tmp_path):
    """Return a function that runs the program as one executable and returns its output."""
    launcher = tmp_path / "parapluie"
    launcher.write_text(_LAUNCHER.format(python=sys.executable, root=str(ROOT)))
    launcher.chmod(0o755)

    def run(*arguments: str) -> str:
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": ""}
        done = subprocess.run(
            [launcher, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=280
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.mark.skipif(not is_ready(POCKET), reason="the pocket judge has no weights here")
def test_the_worker_and_isolated_readers_start(portable, tmp_path):
    portable("gui", "--demo", "--screenshot", "window.png")
    assert (tmp_path / "window.png").is_file(), "the worker scored"
    rows = [ods_row("source", "hypothesis"), ods_row("It rains.", "Rain falls.")]
    ods(tmp_path / "pairs.ods", "".join(rows))
    assert "1 pair" in portable("score", "pairs.ods", "-o", "out.csv", "--metric", "bleu")


@pytest.mark.needs("doctor")
def test_the_doctors_child_processes_start(portable):
    result = portable("doctor")
    assert "starts on offscreen" in result and "PyTorch   " in result
    assert sys.executable not in result, "the executable is the application"


def test_metrics_run_on_several_cores(portable, tmp_path, monkeypatch):
    """There are enough pairs for a pure Python metric to use several processes."""
    lines = "".join(f"It rained on day {at},Day {at} was wet\n" for at in range(20_000))
    (tmp_path / "pairs.csv").write_text(f"source,hypothesis\n{lines}")
    assert "20,000 pairs" in portable("score", "pairs.csv", "-o", "out.csv", "--metric", "wer")


def test_the_application_runs_only_its_own_functions_and_only_when_portable(monkeypatch):
    call = ["--call", "os:getcwd"]
    assert not children.run_requested_call(["--call", "parapluie_gui.children:interpreter"]), (
        "with a Python interpreter there is no such call"
    )
    monkeypatch.setattr("sys.frozen", True, raising=False)
    monkeypatch.setattr("sys.argv", ["parapluie"])
    assert (
        not children.run_requested_call(call)
        and not children.run_requested_call(["score"])
        and not children.run_requested_call(["--call"])
    )
    assert children.run_requested_call(["--call", "parapluie_gui.children:interpreter", "more"])
    assert sys.argv == ["parapluie_gui.children:interpreter", "more"]
    assert children.program("doctor") == [sys.executable, "doctor"]


def test_a_double_click_opens_the_window_with_the_data_folder_next_to_the_application(monkeypatch, tmp_path):
    monkeypatch.delenv("PARAPLUIE_HOME")
    monkeypatch.setattr("sys.argv", ["parapluie"])
    usual = places.data_folder()
    assert not children.run_requested_call([]) and sys.argv == ["parapluie"]
    monkeypatch.setattr("sys.frozen", True, raising=False)
    assert not children.run_requested_call([]) and sys.argv == ["parapluie", "gui"]
    for program in ("parapluie", "ParaPLUIE Inspector.app/Contents/MacOS/parapluie"):
        monkeypatch.setattr("sys.executable", str(tmp_path / program))
        children.run_requested_call([])
        assert places.data_folder() == usual, "there is no data folder next to it"
        (tmp_path / "parapluie-data").mkdir()
        children.run_requested_call([])
        assert places.data_folder() == tmp_path / "parapluie-data"
        (tmp_path / "parapluie-data").rmdir()
        monkeypatch.delenv("PARAPLUIE_HOME")


def test_threads_that_wait_for_each_other_sleep_soon_unless_the_user_chose_a_policy(monkeypatch):
    monkeypatch.setenv("OMP_WAIT_POLICY", "active")
    monkeypatch.setenv("GOMP_SPINCOUNT", "7")
    children.limit_spinning()
    assert os.environ["GOMP_SPINCOUNT"] == "7"
    monkeypatch.delenv("GOMP_SPINCOUNT")
    children.limit_spinning()
    assert "GOMP_SPINCOUNT" not in os.environ
    monkeypatch.delenv("OMP_WAIT_POLICY")
    children.limit_spinning()
    assert os.environ["GOMP_SPINCOUNT"] == "1000"
