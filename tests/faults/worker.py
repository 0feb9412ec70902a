"""Kills the worker during scoring: `python tests/faults/worker.py [--kills 100] [--short]`.

SIGKILL, SIGTERM, SIGSEGV and SIGSTOP in turn, at random moments, every second time while helper processes are computing
too. Counts announced scores that are missing from the store, leftover processes, and the seconds until an error is
reported (a stopped worker is reported after one second here, ten in the window). After each kill, the same pairs are
scored again; a stopped worker is first restarted, stopped by the user or continued. The exit status is 1 if anything is
lost, left over or not reported. Works on Linux and macOS; helper processes are counted on Linux.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import signal
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

import fake_workers
import numpy as np
from listening import scoring_job
from PySide6.QtCore import QCoreApplication

from parapluie_gui.scores.signature import Signature
from parapluie_gui.storage.store import ScoreStore
from parapluie_gui.ui.state.driver import WorkerDriver
from parapluie_gui.work.events import ColumnStarted, Event, JobFailed, JobFinished, ScoreBatch
from parapluie_gui.work.job import Job
from parapluie_gui.work.process_pool import WORTH

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGSTOP)
PATIENCE = 1.0
#: Seconds after which an event counts as missing, even on a busy computer.
LIMIT = 60.0


@dataclass
class Outcome:
    """Outcomes of the kills by one signal."""

    kills: int = 0
    processes: int = 0
    announced: int = 0
    lost: int = 0
    left: int = 0
    unsaid: int = 0
    again: int = 0
    seconds: list[float] = field(default_factory=list)

    @property
    def bad(self) -> int:
        return self.lost + self.left + self.unsaid + self.again


class Trial:
    """A driver whose worker is killed repeatedly."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._app = QCoreApplication.instance() or QCoreApplication([])
        self._store = folder / "scores.sqlite"
        self._random = random.Random(seed)
        self._events: dict[int, list[Event]] = defaultdict(list)
        self._silent = False
        self._jobs = 0
        self._driver = WorkerDriver(target=fake_workers.main, patience=PATIENCE)
        self._driver.received.connect(lambda event: self._events[event.job].append(event))
        self._driver.silent.connect(self._hear_silence)
        self._driver.start()

    def close(self) -> None:
        self._driver.close()

    def kill(self, number: int, how: signal.Signals, outcome: Outcome) -> None:
        """Kill the worker during a job, and score some of its pairs again."""
        spread = number % 2 == 0
        job = self._submit(number, "bleu" if spread else "slow", WORTH + 30_000 if spread else 3000)
        self._wait(lambda: len(self._of(job, ScoreBatch)) >= 3)
        until = time.monotonic() + self._random.uniform(0, 1.0)
        self._wait(lambda: time.monotonic() >= until)
        (worker,) = (process.pid for process in multiprocessing.active_children())
        processes = [worker, *_children(worker)]
        over = self._of(job, JobFinished | JobFailed)
        killed = time.monotonic()
        os.kill(worker, how)
        outcome.kills += 1
        outcome.processes += len(processes)
        said = self._wait(lambda: self._silent if how == signal.SIGSTOP else self._of(job, JobFinished | JobFailed))
        outcome.unsaid += not said
        if not over:
            outcome.seconds.append(time.monotonic() - killed)
        if how == signal.SIGSTOP:
            self._go_on(number, job, worker)
        announced, lost = self._lost(job)
        outcome.announced += announced
        outcome.lost += lost
        again = self._submit(number, job.request.plan.metrics[0], 20)
        self._wait(lambda: self._of(again, JobFinished | JobFailed))
        outcome.again += not self._of(again, JobFinished) or self._rows(again) != list(range(20))
        gone = [each for each in processes if each not in {child.pid for child in multiprocessing.active_children()}]
        self._wait(lambda: not any(map(_alive, gone)), 5)
        outcome.left += sum(map(_alive, gone))

    def _go_on(self, number: int, job: Job, worker: int) -> None:
        """Handle a hanging worker as a user could, and end the job."""
        way = number // len(SIGNALS) % 3
        before = len(self._of(job, ScoreBatch))
        if way == 0:
            self._driver.restart()
        elif way == 1:
            os.kill(worker, signal.SIGCONT)
        if way < 2:
            self._wait(lambda: len(self._of(job, ScoreBatch)) > before or bool(self._of(job, JobFinished | JobFailed)))
        self._driver.cancel(job.id)
        self._wait(lambda: bool(self._of(job, JobFinished | JobFailed)))

    def _submit(self, number: int, metric: str, pairs: int) -> Job:
        self._jobs += 1
        sources = tuple(f"Kill {number} finds the cat number {row} on the mat." for row in range(pairs))
        hypotheses = tuple(f"Kill {number} finds a dog number {row} in the house." for row in range(pairs))
        job = scoring_job(sources, hypotheses, metrics=(metric,), stores=(self._store,), id=self._jobs)
        self._driver.submit(job)
        return job

    def _lost(self, job: Job) -> tuple[int, int]:
        """Return how many scores of a job were announced, and how many of them are missing from the store."""
        announced = np.full(len(job.request.pairs), np.nan)
        for batch in self._of(job, ScoreBatch):
            announced[batch.rows] = batch.values[job.request.plan.metrics[0]]
        (signature,) = {each.signature for each in self._of(job, ColumnStarted)}
        rows = np.flatnonzero(~np.isnan(announced))
        return len(rows), int((self._stored(job, signature)[rows] != announced[rows]).sum())

    def _stored(self, job: Job, signature: Signature) -> np.ndarray:
        keys = job.request.pairs.keys()
        with ScoreStore(self._store, reading=True) as store:
            return store.known(signature, keys).value

    def _of(self, job: Job, kind: type) -> list:
        return [event for event in self._events[job.id] if isinstance(event, kind)]

    def _rows(self, job: Job) -> list[int]:
        return sorted(row for batch in self._of(job, ScoreBatch) for row in batch.rows.tolist())

    def _hear_silence(self, silent: bool) -> None:
        self._silent = silent

    def _wait(self, condition: Callable[[], object], seconds: float = LIMIT) -> bool:
        """Wait for a condition; return whether it became true."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                return False
            self._app.processEvents()
            time.sleep(0.002)
        return True


def _children(parent: int) -> list[int]:
    """Return the child processes of a process; none if the system does not provide them."""
    result = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            _, _, rest = stat.read_text().rpartition(")")
        except OSError:  # it has ended
            continue
        if int(rest.split()[1]) == parent:
            result.append(int(stat.parent.name))
    return result


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    # Zombies do not count as processes.
    return not (stat.is_file() and stat.read_text().rpartition(")")[2].split()[0] == "Z")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the trials and print the counts; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--short", action="store_true", help="one kill by each signal")
    options = parser.parse_args(arguments)
    kills = len(SIGNALS) if options.short else options.kills
    outcomes = {how: Outcome() for how in SIGNALS}
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(Path(folder), options.seed)
        for number in range(kills):
            # The order changes each time, so that every signal comes with helper processes and without.
            how = SIGNALS[(number + number // len(SIGNALS)) % len(SIGNALS)]
            trial.kill(number, how, outcomes[how])
        trial.close()
        left = len(_children(os.getpid()))
    print("signal   kills  processes  left  announced  lost  unsaid  next Run failed  seconds until said: median, most")
    for how, each in outcomes.items():
        seconds = f"{statistics.median(each.seconds):.3f}, {max(each.seconds):.3f}" if each.seconds else "–"
        print(
            f"{how.name:<8} {each.kills:>5} {each.processes:>10} {each.left:>5} {each.announced:>10,} {each.lost:>5} "
            f"{each.unsaid:>7} {each.again:>16}  {seconds}"
        )
    # multiprocessing keeps a helper process as long as this process lives
    print(f"processes left after closing: {max(left - 1, 0)}")
    return int(left > 1 or any(outcome.bad for outcome in outcomes.values()))


if __name__ == "__main__":
    sys.exit(main())
