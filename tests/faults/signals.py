"""Ends the window by SIGINT, SIGTERM and SIGHUP at random moments during and after its start.

    python tests/faults/signals.py [TIMES] [SEED]

Each time the process must end by itself within 10 s, print no traceback, leave no worker and no scratch folder,
and, if the window was shown, write window.json and leave a session that opens with its corpus.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

from working_copy import holds_a_corpus

PAIRS = "source\thypothesis\tlabel\na cat\tone cat\t1\na cat\ta dog\t0\n"
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_trial(number: signal.Signals, delay: float) -> list[str]:
    """Start the window, send it a signal after some seconds, and return the problems."""
    place = Path(tempfile.mkdtemp(prefix="signals-"))
    home, temporary = place / "home", place / "tmp"
    temporary.mkdir()
    (place / "pairs.tsv").write_text(PAIRS)
    environment = {
        **os.environ,
        "PARAPLUIE_HOME": str(home),
        "QT_QPA_PLATFORM": "offscreen",
        "TMPDIR": str(temporary),
    }
    command = [sys.executable, "-m", "parapluie_gui", "gui", str(place / "pairs.tsv")]
    process = subprocess.Popen(command, env=environment, stdout=-1, stderr=-1, text=True, start_new_session=True)
    try:
        time.sleep(delay)
        there = holds_a_corpus(home)
        os.killpg(process.pid, number)  # as a terminal does: the worker receives it too
        began = time.monotonic()
        try:
            out, err = process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            return ["it does not end"]
        wrong = []
        if "Traceback" in err or out:
            wrong.append(f"it says: {(out + err)[-300:]}")
        if there and process.returncode:
            wrong.append(f"status {process.returncode}")
        if there and not (home / "window.json").exists():
            wrong.append("no window.json")
        if there and (seconds := time.monotonic() - began) > 3:
            wrong.append(f"it took {seconds:.1f} s")
        if list(temporary.glob("parapluie-*")):
            wrong.append("a scratch folder is left")
        if members := _group(process.pid):
            wrong.append(f"processes are left: {members}")
        return wrong
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        shutil.rmtree(place, ignore_errors=True)


def _group(leader: int) -> list[int]:
    """Return the processes of a group that are alive."""
    result = subprocess.run(["ps", "-eo", "pid=,pgid=,stat="], capture_output=True, text=True).stdout.split("\n")
    rows = [line.split() for line in result if line.strip()]
    return [int(pid) for pid, group, state in rows if int(group) == leader and not state.startswith("Z")]


def main() -> int:
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 45
    draw = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    failures = 0
    for each in range(times):
        number, delay = SIGNALS[each % len(SIGNALS)], draw.choice((draw.uniform(0.03, 1.5), draw.uniform(1.5, 6)))
        wrong = run_trial(number, delay)
        failures += bool(wrong)
        print(f"{number.name} after {delay:.2f} s: {'; '.join(wrong) or 'in order'}", flush=True)
    print(f"{times} times, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
