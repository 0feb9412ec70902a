#!/usr/bin/env python3
"""Tries an installed program, the portable application above all, and compares its numbers with the source's.

    python3 packaging/smoke.py --source PYTHON PROGRAM

PROGRAM is dist/parapluie/parapluie, or the `parapluie` of any environment; PYTHON has the program from its source and
the same versions of its libraries (the environment that built it). An application is tested in a folder whose
name has a space and accents. The program gets an empty environment, a separate home folder and, on Linux where
possible, no network. Prints the tests with their figures and exits with 0, or reports the first failure.
"""

from __future__ import annotations

import argparse
import filecmp
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

OWN_METRIC = (
    "def score(sources, hypotheses):\n    return [float(len(a) - len(b)) for a, b in zip(sources, hypotheses)]\n"
)
#: Seconds for one command, on a busy computer.
PATIENCE = 900
#: The variables that a program needs to start.
NEEDED = ("SYSTEMROOT", "WINDIR", "TEMP", "TMP", "USERPROFILE", "LOCALAPPDATA", "APPDATA", "PATHEXT", "COMSPEC")


class Trial:
    """A program with its environment and its working folder."""

    def __init__(self, program: Path, work: Path) -> None:
        self.program, self.work = program, work
        self.home = work / "home"
        self.home.mkdir()
        self.environment = {name: os.environ[name] for name in NEEDED if name in os.environ}
        self.environment["HOME"] = str(self.home)
        self.prefix = no_network()

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        command = [*self.prefix, str(self.program), *arguments]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, cwd=self.work, env=self.environment, stdout=pipe, stderr=pipe)

    def run(self, *arguments: str, status: int = 0) -> str:
        """Run a command, and return its output."""
        process = self.start(*arguments)
        out, err = (text.decode("utf-8", "replace") for text in process.communicate(timeout=PATIENCE))
        expect(process.returncode == status, f"{' '.join(arguments)} ended with {process.returncode}: {err or out}")
        return out + err

    def seconds(self, *arguments: str) -> float:
        """Run a command, and return the seconds of processor time that it and its children took (0 on Windows)."""
        before = os.times()
        self.run(*arguments)
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=Path, required=True, help="Python that has the program from its source")
    parser.add_argument("program", type=Path, help="the program that is tried")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="smoke ") as scratch:
        work = Path(scratch, "Été à Łódź")
        work.mkdir()
        program = options.program.absolute()
        moved = elsewhere(program, work)
        trial = Trial(moved or program, work)
        network = "without a network" if trial.prefix else "with the network of this computer"
        note(f"{trial.program}, {platform.platform()}, {network}")
        window(trial)
        tables(trial, options.source.absolute())
        commands(trial)
        killed_worker(trial)
        if moved:
            beside(trial)
    note("all is well")
    return 0


def elsewhere(program: Path, work: Path) -> Path | None:
    """Copy an application into the folder with accents (by hard links where that can be); None for other programs."""
    whole = next((folder for folder in program.parents if folder.suffix == ".app"), program.parent)
    if whole == program.parent and not (whole / "_internal").is_dir():
        return None

    def link(source: str, target: str) -> None:
        try:
            os.link(source, target, follow_symlinks=False)
        except OSError:
            shutil.copy2(source, target, follow_symlinks=False)

    shutil.copytree(whole, work / whole.name, symlinks=True, copy_function=link)
    return work / whole.name / program.relative_to(whole)


def window(trial: Trial) -> None:
    """Test the version, the first window, the demo with its scores, and a second start with stored scores."""
    note(trial.run("--version").strip())
    first = trial.seconds("gui", "--screenshot", "empty.png")
    again = trial.seconds("gui", "--screenshot", "empty.png")
    scored = trial.seconds("gui", "--demo", "--screenshot", "demo.png")
    known = trial.seconds("gui", "--demo", "--screenshot", "again.png")
    for name in ("empty.png", "demo.png", "again.png"):
        picture = (trial.work / name).read_bytes()
        expect(picture.startswith(b"\x89PNG") and len(picture) > 20_000, f"{name} is no picture of the window")
    note(f"window {first:.1f} s of processor time at the first start, {again:.1f} s at the second")
    note(f"demo with its scores {scored:.1f} s, again {known:.1f} s")


def lexical(source: Path) -> list[str]:
    """Return the source's lexical metrics that need nothing else."""
    command = [str(source), "-m", "parapluie_gui", "metrics", "--json"]
    done = subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
    return [each["id"] for each in json.loads(done.stdout) if each["family"] == "lexical" and not each["needs"]]


def tables(trial: Trial, source: Path) -> None:
    """The same corpus as CSV, Excel and Parquet, scored by the program and by the source: equal to the last digit."""
    theirs = trial.work / "source"
    theirs.mkdir()
    environment = {**os.environ, "PARAPLUIE_HOME": str(theirs / "home")}

    def by_source(*arguments: str) -> None:
        command = [str(source), "-m", "parapluie_gui", *arguments]
        subprocess.run(command, cwd=theirs, env=environment, check=True, capture_output=True, timeout=PATIENCE)

    metrics = lexical(source)
    trial.run("demo", "pairs.csv")
    shutil.copy(trial.work / "pairs.csv", theirs / "pairs.csv")
    for ending in ("xlsx", "parquet"):
        by_source("score", "pairs.csv", "-o", f"pairs.{ending}")
        shutil.copy(theirs / f"pairs.{ending}", trial.work / f"pairs.{ending}")
    for ending in ("csv", "xlsx", "parquet"):
        specs = [part for metric in (*metrics, "sacrebleu,tok=char") for part in ("--metric", metric)]
        command = ["score", f"pairs.{ending}", "-o", f"{ending}.csv", *specs, "--judge", "pocket"]
        trial.run(*command)
        by_source(*command)
        for name in (f"{ending}.csv", f"{ending}.csv.signatures.json"):
            same = filecmp.cmp(trial.work / name, theirs / name, shallow=False)
            expect(same, f"{name} is not what the source writes of pairs.{ending}")
    for ending in ("xlsx", "parquet", "jsonl", "tsv"):
        command = ["score", "csv.csv", "-o", f"written.{ending}"]
        trial.run(*command)
        by_source(*command)
        one, two = (read(folder / f"written.{ending}") for folder in (trial.work, theirs))
        expect(one == two, f"written.{ending} is not what the source writes")
    note(f"{len(metrics)} metrics and the pocket judge on CSV, Excel, Parquet: equal to the source's to the last digit")


def read(path: Path) -> list[bytes]:
    """Return a file's content; of a workbook the sheets, without the time at which it was written."""
    if path.suffix != ".xlsx":
        return [path.read_bytes()]
    with zipfile.ZipFile(path) as book:
        return [book.read(name) for name in sorted(book.namelist()) if name.startswith("xl/")]


def commands(trial: Trial) -> None:
    """Test analyses, explanations, certificates, a user's metric, several processes, and the doctor."""
    trial.run("analyse", "csv.csv", "--draws", "20", "--out", "analysis")
    expect((trial.work / "analysis").is_dir(), "analyse wrote nothing")
    trial.run("explain", "--pair", "It rose.", "It fell.", "--judge", "pocket", "--figure", "why.svg")
    trial.run("certify", "bleu", "--judge", "pocket", "--pairs", "100")
    trial.run("errors", "csv.csv")
    trial.run("meta", "--help")
    (trial.work / "own.py").write_text(OWN_METRIC)
    trial.run("score", "pairs.csv", "-o", "own.csv", "--metric", "user:own.py")
    lines = "".join(f"It rained on day {at},Day {at} was wet\n" for at in range(20_000))
    (trial.work / "many.csv").write_text(f"source,hypothesis\n{lines}")
    trial.run("score", "many.csv", "-o", "many-scored.csv", "--metric", "wer")
    said = trial.run("doctor")
    expect("No problems found" in said and "Qt " in said, f"doctor: {said}")
    refused = trial.run("models", "get", "smollm2-135m", status=2)
    expect("PyTorch" in refused or "already" in refused, f"models get: {refused}")
    note("analyse, explain, certify, errors, a user's metric, several processes, doctor")
    note(f"without PyTorch: {refused.strip()}")


def killed_worker(trial: Trial) -> None:
    """Kill the scoring process: the program reports it, and the next start continues."""
    if not sys.platform.startswith("linux"):
        note("a killed worker: tried on Linux only")
        return
    process = trial.start(
        "gui", "many.csv", "--run", "--judge", "pocket", "--when", "scored", "--screenshot", "killed.png"
    )
    end = time.monotonic() + PATIENCE
    while not (workers := descendants(process.pid, b"--multiprocessing-fork", b"spawn_main")):
        expect(process.poll() is None and time.monotonic() < end, "no worker was started")
        time.sleep(0.05)
    time.sleep(2.0)
    for worker in workers:
        os.kill(worker, signal.SIGKILL)
    try:
        _, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    expect(
        process.returncode not in (0, -6, -11),
        f"after its worker was killed the program ended with {process.returncode}",
    )
    note(f"a killed worker: {err.decode().strip().splitlines()[-1]}")
    trial.run("gui", "--demo", "--screenshot", "after.png")


def descendants(pid: int, *marks: bytes) -> list[int]:
    """Return the processes below one whose command has one of the marks."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found, below = [], [pid]
    while below:
        one = below.pop()
        below += [child for child, parent in parents.items() if parent == one]
        try:
            command = Path(f"/proc/{one}/cmdline").read_bytes()
        except OSError:
            continue
        if any(mark in command for mark in marks) and b"resource_tracker" not in command:
            found.append(one)
    return found


def beside(trial: Trial) -> None:
    """Test that the user's data is only in the folder for it next to the program, if there is one."""
    folder = next((each for each in trial.program.parents if each.suffix == ".app"), trial.program).parent
    data = folder / "parapluie-data"
    data.mkdir()
    shutil.rmtree(trial.home)
    trial.home.mkdir()
    trial.run("score", "pairs.csv", "-o", "beside.csv", "--metric", "bleu")
    expect((data / "scores.sqlite").is_file(), "the folder next to the program was not used")
    left = [path for path in trial.home.rglob("*") if path.is_file()]
    expect(not left, f"something was written elsewhere: {left}")
    note("data next to the program")


def no_network() -> list[str]:
    """Return the command that starts a program without network; [] if this computer does not allow it."""
    for prefix in (["unshare", "-n"], ["unshare", "-rn"]):
        if shutil.which("unshare") and subprocess.run([*prefix, "true"], capture_output=True).returncode == 0:
            return [str(shutil.which("unshare")), *prefix[1:]]
    return []


def expect(fine: bool, complaint: str) -> None:
    if not fine:
        sys.exit(f"smoke: {complaint}")


def note(text: str) -> None:
    print(f"  {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
