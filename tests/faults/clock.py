"""A clock that is wrong or runs fast: `python tests/faults/clock.py` (needs the program `faketime`).

Scores are computed, a session file and an unsaved session are written and read again with the clock at the beginning of
its time, before it, far in the future, and at 3,600 times its speed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

CLOCKS = ("@1969-12-31 10:00:00", "@1970-01-01 00:00:01", "@2199-01-01 00:00:00", "@2026-01-01 00:00:00 x3600")

SESSIONS = """
import sys
from parapluie_gui import places
from parapluie_gui.storage.session import Session
from parapluie_gui.storage.working_copies import WorkingCopies
with Session.open(sys.argv[1], create=True) as session:
    session.set_bench([{"source": "s"}])
with Session.open(sys.argv[1]) as session:
    assert session.bench() == [{"source": "s"}] and not session.notices
for _ in range(2):
    copies = WorkingCopies(places.user_data())
    with Session.from_copy(copies, copies.last_unsaved()) as session:
        session.set_bench([*session.bench(), {"source": "s"}])
        assert not session.notices
"""


def main() -> int:
    """Run the trials; the exit status is 1 if one fails."""
    bad = 0
    for clock in CLOCKS:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            environment = {**os.environ, "PARAPLUIE_HOME": f"{name}/home", "QT_QPA_PLATFORM": "offscreen"}
            (folder / "s.tsv").write_text("source\thypothesis\na b c\ta b d\n", encoding="utf-8")
            program = [sys.executable, "-m", "parapluie_gui"]
            trials = {
                "score": [*program, "score", "s.tsv", "-o", "o.csv", "--metric", "bleu"],
                "sessions": [sys.executable, "-c", SESSIONS, "s.pluie"],
                "window": [*program, "gui", "s.tsv", "--run", "--when", "scored", "--screenshot", "w.png"],
            }
            for what, command in trials.items():
                done = subprocess.run(
                    ["faketime", "-f", clock, *command],
                    cwd=folder,
                    env=environment,
                    capture_output=True,
                    text=True,
                    timeout=100,
                )
                words = "survived" if done.returncode == 0 else f"FAILED: {done.stderr[-300:]}"
                print(f"{clock}: {what}: {words}")
                bad += done.returncode != 0
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
