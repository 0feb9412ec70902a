"""Full disks: `python tests/faults/disk.py` (as root, with a small file system mounted for the purpose).

The data folder, then the folder of the session file, is on a disk of 6 MB that is filled after the session is opened.
Every note must be stored or reported as not stored; once space is freed, all notes are stored.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

from damage import fill

from parapluie_gui.errors import UnwritableError
from parapluie_gui.storage.session import Session
from parapluie_gui.storage.working_copies import WorkingCopies


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def fill_up(folder: Path) -> Path:
    """Fill a disk completely; return the file to delete."""
    ballast = folder / "ballast"
    with contextlib.suppress(OSError), ballast.open("wb") as file:
        while True:
            file.write(bytes(4096))
            file.flush()
    return ballast


def trial(full: Path, home: Path, documents: Path) -> str:
    """Write notes into a session while one of the folders is on a full disk."""
    os.environ["PARAPLUIE_HOME"] = str(home)
    path = documents / "s.pluie"
    with Session.open(path, create=True) as session:
        fill(session, 20)
    refused = 0
    with Session.open(path) as session:
        session.set_note(1, 0, "before")
        session.save()
        before = path.read_bytes()
        ballast = fill_up(full)
        stored = {}
        for row in range(1, 20):
            try:
                session.set_note(1, row, "x" * 3000)
                stored[row] = "x" * 3000
            except UnwritableError:
                refused += 1
        try:
            session.save()
        except UnwritableError:
            refused += 1
            if path.read_bytes() != before:
                return "THE SESSION FILE CHANGED"
        now = {row: note.text for row, note in session.notes(1).items()}
        if any(now.get(row) != text for row, text in stored.items()):
            return "A NOTE THAT WAS KEPT IS GONE"
        if not refused:
            return "NOTHING WAS REFUSED"
        ballast.unlink()
        session.set_note(1, 0, "after")
        session.save()
    with Session.open(path) as session:
        if session.notes(1)[0].text != "after" or session.notices:
            return "NOT MENDED"
    return f"survived, {refused} refused in a sentence"


def start_on_a_full_disk(home: Path) -> str:
    """Open an unsaved session where nothing can be written."""
    fill_up(home)
    copies = WorkingCopies(home)
    with Session.from_copy(copies, copies.last_unsaved()) as session:
        session.set_setting("x", 1)
        said = " ".join(session.notices)
    copies.close()
    return "survived, said" if "cannot be written" in said else f"NOT SAID: {said}"


def main() -> int:
    """Run the trials; the exit status is 1 if anything was lost."""
    outcomes = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with small_disk(folder / "one") as disk:
            (folder / "documents").mkdir()
            outcomes["the data folder's disk is full"] = trial(disk, disk / "home", folder / "documents")
        with small_disk(folder / "two") as disk:
            outcomes["the session file's disk is full"] = trial(disk, folder / "home", disk)
        with small_disk(folder / "three") as disk:
            outcomes["a start on a full disk"] = start_on_a_full_disk(disk)
    for what, outcome in outcomes.items():
        print(f"{what}: {outcome}")
    return int(not all(outcome.startswith("survived") for outcome in outcomes.values()))


if __name__ == "__main__":
    sys.exit(main())
