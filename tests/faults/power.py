"""Power loss, as far as it can be simulated: `python tests/faults/power.py`.

While a session is written to, its files are copied at random moments, in random order, with the end of the last write
cut off: what a disk could hold after a power cut. Each copy is opened as after a crash. The session file, which is
written to a temporary file and renamed, must always be complete; the working copy must be complete or its damage
reported.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

from damage import fill

from parapluie_gui.errors import ParapluieError
from parapluie_gui.storage.session import Session
from parapluie_gui.storage.working_copies import WorkingCopies


def write_on(path: Path, told: list[int], over: threading.Event) -> None:
    """Write notes, one transaction each, and save the session every ten."""
    with Session.open(path) as session:
        number = 0
        while not over.is_set():
            session.set_note(1, number % 50, f"note {number}")
            if number % 10 == 9:
                session.save()
            told[0] = number
            number += 1


def snapshot(home: Path, path: Path, to: Path, rng: random.Random) -> None:
    """Copy the files as they are on disk, each at a different moment, some truncated."""
    (to / "home" / "sessions").mkdir(parents=True)
    files = [*(home / "sessions").glob("*"), path]
    rng.shuffle(files)
    for file in files:
        target = to / "home" / "sessions" / file.name if file != path else to / path.name
        try:
            shutil.copyfile(file, target)
        except FileNotFoundError:
            continue  # a journal whose transaction has ended
        if file != path and file.suffix == ".sqlite-journal" and rng.random() < 0.5:
            with target.open("rb+") as cut:
                cut.truncate(rng.randrange(target.stat().st_size + 1))


def check_copy(to: Path, name: str, told: int) -> str:
    """Open a copy as the next start does."""
    try:
        with Session.open(to / name, reading=True) as session:
            notes = session.notes(1)
            if session.notices:
                return "THE FILE IS DAMAGED"
            if told > 40 and len(notes) < 20:
                return "THE FILE LACKS NOTES"
    except ParapluieError as error:
        return f"THE FILE DOES NOT OPEN: {error}"
    copies = WorkingCopies(to / "home")
    try:
        for known in (to / "home" / "sessions").glob("*.sqlite"):
            result = copies._check_copy(copies._lock(known))
            with Session.connect(result.path) as session:
                session._database.check()
                list(session.notes(1))
            notices = result.notices
            result.release()
            return "whole" if not notices else "damage named"
    except ParapluieError:
        return "damage named"
    return "whole"


def main() -> int:
    """Run the trials; the exit status is 1 if a session file was incomplete."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    outcomes, rng = Counter[str](), random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        home, path = Path(folder, "home"), Path(folder, "s.pluie")
        os.environ["PARAPLUIE_HOME"] = str(home)
        with Session.open(path, create=True) as session:
            fill(session, 50)
        told, over = [0], threading.Event()
        writer = threading.Thread(target=write_on, args=(path, told, over))
        writer.start()
        try:
            while told[0] < 50:
                over.wait(0.01)
            for number in range(options.count):
                over.wait(rng.uniform(0, 0.02))
                to = Path(folder, f"copy{number}")
                snapshot(home, path, to, rng)
                outcomes[check_copy(to, path.name, told[0])] += 1
                shutil.rmtree(to)
        finally:
            over.set()
            writer.join()
    print(f"{options.count} moments: {dict(outcomes.most_common())}")
    return int(any(outcome.startswith("THE") for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
