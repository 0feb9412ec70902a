"""Kills the program during its work: `python tests/faults/kills.py`, with --window and --command kills of each.

A window with a session file scores and writes notes; `parapluie score` scores a corpus. Each is killed at a random
moment by a random signal. Then: no acknowledged note and no announced score may be missing, no file damaged, no
process left, and the next start has everything.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROWS = 40_000
_TOO_LATE = "had ended by itself (not counted)"
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


def sentences() -> tuple[list[str], list[str]]:
    rng = random.Random(1)
    words = [f"word{number}" for number in range(40)]
    texts = [" ".join(rng.choices(words, k=12)) for _ in range(2 * ROWS)]
    return texts[:ROWS], texts[ROWS:]


def write_corpus(path: Path) -> None:
    rows = "\n".join("\t".join(pair) for pair in zip(*sentences(), strict=True))
    path.write_text(f"source\thypothesis\n{rows}\n", encoding="utf-8")


# The programs to be killed


def window(folder: Path) -> None:
    """Score and write notes, and print each note and batch once it is stored."""
    from PySide6.QtCore import QTimer

    from parapluie_gui.ui import app
    from parapluie_gui.ui.window.end_signals import EndSignals
    from parapluie_gui.work.events import ScoreBatch

    def begin(opened: object) -> None:
        opened.driver.received.connect(
            lambda event: isinstance(event, ScoreBatch) and print_line(f"scores {len(event.rows)}")
        )
        opened.setup.restore({"templates": {}})
        opened.setup.metrics.choice.replace(["bleu", "chrf"])
        opened.run()
        count = iter(range(1_000_000))

        def note() -> None:
            number = next(count)
            opened.state.notes.write(number % ROWS, f"note {number}", "")
            live = opened.state.session._live
            live.submit(lambda session: None).add_done_callback(lambda done: print_line(f"note {number}"))

        timer = QTimer(opened, interval=40)
        timer.timeout.connect(note)
        timer.start()
        print_line("ready")

    made = app._begin

    def begin_after(opened: object, launch: object) -> None:
        made(opened, launch)
        opened.workspace.corpus_changed.connect(lambda: opened.workspace.corpus is not None and begin(opened))

    app._begin = begin_after
    with EndSignals() as ending:
        app.run(app.LaunchOptions(corpus=folder / "s.pluie"), ending)


def print_line(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


# Killing the program and checking what remains


def kill_window(folder: Path, rng: random.Random) -> str:
    from parapluie_gui.pairs import open_corpus
    from parapluie_gui.storage.session import Session
    from parapluie_gui.storage.working_copies import WorkingCopies

    home = Path(os.environ["PARAPLUIE_HOME"])
    path = folder / "s.pluie"
    if not path.exists():
        write_corpus(folder / "pairs.tsv")
        with Session.open(path, create=True) as session:
            session.add_corpus(open_corpus(folder / "pairs.tsv").read())
    with Session.open(path) as session:
        for row in session.notes(1):
            session.set_note(1, row, "")
    child = subprocess.Popen(
        [sys.executable, __file__, "--child", str(folder)], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert child.stdout is not None
    lines = []
    end = None
    for line in child.stdout:
        lines.append(line.strip())
        if line.strip() == "ready":
            end = time.monotonic() + rng.uniform(0, 4)
        if end is not None and time.monotonic() > end:
            break
    how = rng.choice(SIGNALS)
    child.send_signal(how)
    lines += [line.strip() for line in child.stdout]
    child.wait(30)
    orphan = outlives(child.pid)
    # the next start adds what was not in the file yet
    copies = WorkingCopies(home)
    with Session.from_copy(copies, copies.last_unsaved()) as session:
        if session.notices:
            return f"SAID AT THE NEXT START: {session.notices[0]}"
    with Session.open(path) as session:
        session._database.check()
        notes = {note.text for note in session.notes(1).values()}
        stored = session.score_table(1)
        told = sum(int(line.split()[1]) for line in lines if line.startswith("scores"))
        have = sum(stored.count_scores(column) for column in stored)
    acknowledged = {line for line in lines if line.startswith("note")}
    if acknowledged - notes:
        return f"{len(acknowledged - notes)} NOTES LOST"
    if have < told:
        return f"{told - have} SCORES LOST"
    return "A PROCESS LEFT" if orphan else f"survived {how.name}"


def kill_command(folder: Path, rng: random.Random) -> str:
    from parapluie_gui.files import remove_leftovers
    from parapluie_gui.storage.store import ScoreStore

    home = Path(os.environ["PARAPLUIE_HOME"])
    if not (folder / "pairs.tsv").exists():
        write_corpus(folder / "pairs.tsv")
    (home / "scores.sqlite").unlink(missing_ok=True)
    command = [sys.executable, "-m", "parapluie_gui", "score", str(folder / "pairs.tsv"), "-o", str(folder / "o.csv")]
    child = subprocess.Popen(
        [*command, "--metric", "bleu", "--metric", "chrf"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    time.sleep(rng.uniform(0.5, 6))
    how = rng.choice(SIGNALS)
    ended = child.poll() is not None
    child.send_signal(how)
    error = child.communicate(timeout=30)[1]
    if "Traceback" in error:
        return "TRACEBACK"
    if outlives(child.pid):
        return "A PROCESS LEFT"
    if list(folder.glob(".parapluie-*")) and how != signal.SIGKILL:
        return "A TEMPORARY FILE LEFT"
    remove_leftovers(home)  # as the next start does
    if list(folder.glob(".parapluie-*")):
        return "A TEMPORARY FILE LEFT AFTER THE NEXT START"
    if (home / "scores.sqlite").exists():
        with ScoreStore(home / "scores.sqlite") as store:
            store._database.check()
    return _TOO_LATE if ended else f"survived {how.name}"


def outlives(group: int) -> bool:
    """Return whether a process of this group still exists after 3 s."""
    end = time.monotonic() + 3
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.05)
    os.killpg(group, signal.SIGKILL)
    return True


def main() -> int:
    """Run the trials; the exit status is 1 if anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--window", type=int, default=100, help="kills of the window")
    parser.add_argument("--command", type=int, default=50, help="kills of the command line")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    if options.child:
        window(options.child)
        return 0
    bad = 0
    for trial, count in ((kill_window, options.window), (kill_command, options.command)):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["PARAPLUIE_HOME"] = f"{folder}/home"
            Path(folder, "home").mkdir()
            rng, outcomes = random.Random(options.seed), Counter[str]()
            while outcomes.total() - outcomes[_TOO_LATE] < count:
                outcomes[trial(Path(folder), rng)] += 1
            print(f"{trial.__name__}: {count} kills: {dict(outcomes.most_common())}", flush=True)
            bad += sum(
                number for outcome, number in outcomes.items() if not outcome.startswith(("survived", _TOO_LATE))
            )
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
