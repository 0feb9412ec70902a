"""Every GPU of the computer with a whole model of its own: a process for each, which takes its share of the pairs."""

from __future__ import annotations

import contextlib
import multiprocessing
import queue
import time
import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from parapluie_gui.arrays import Rows
from parapluie_gui.errors import ParapluieError, WorkerError
from parapluie_gui.models.device import gpu_devices
from parapluie_gui.work import worker
from parapluie_gui.work.context import Unforeseen
from parapluie_gui.work.events import Event, Failed, Finished
from parapluie_gui.work.gate import Cancelled, Interrupted
from parapluie_gui.work.job import Cancel, Job
from parapluie_gui.work.request import Request
from parapluie_gui.work.worker_process import Target, WorkerProcess

#: Seconds between two looks whether the work is to stop.
_TICK = 0.1
#: Seconds without a sign of life, which a process gives each second, after which it is taken for lost.
PATIENCE = 30.0

_Heard = queue.SimpleQueue[tuple[int, Event | None]]


@dataclass(frozen=True)
class Portion:
    """What one GPU is asked: a request about these pairs (k,) of a larger one."""

    rows: Rows
    request: Request


class EachGpu:
    """The processes, one for each GPU; between requests their models stay loaded. They end when nothing holds this.

    Attributes:
        devices: The GPUs by their names.
        lost: Whether the processes are gone.

    Args:
        devices: As the attribute; None: all there are.
        target: What each process runs, replaced in tests.
        patience: Seconds, as PATIENCE.

    Raises:
        ModelError: There is no GPU.
    """

    def __init__(
        self, devices: Sequence[str] | None = None, target: Target = worker.main, patience: float = PATIENCE
    ) -> None:
        self.devices = tuple(devices or gpu_devices())
        self._job = 0
        self._target, self._patience = target, patience
        self._workers: list[WorkerProcess] = []
        self.lost = True
        self._start()

    def shares(self, rows: Rows, ask: Callable[[Rows, str], Request]) -> list[Portion]:
        """Deal pairs (k,) out to the GPUs; `ask` returns the request about some of them on the device of that name."""
        dealt = [(rows[place :: len(self.devices)], device) for place, device in self._each()]
        return [Portion(some, ask(some, device)) for some, device in dealt if len(some)]

    def run(
        self, shares: Iterable[Portion], hear: Callable[[Rows, Event], None], check: Callable[[], None], *, urgent: bool
    ) -> None:
        """Compute the shares, a process each; `hear` takes the events of one with its pairs, `check` ends all.

        Where a process is lost the others finish their shares, and the next call starts all anew. Shares that are given
        up leave the models loaded.

        Raises:
            ParapluieError: The first that one of the processes ended with.
            Unforeseen: The same, of an error that nobody foresaw.
        """
        if self.lost or self._ended():
            self.end()
            self._start()
        self._job += 1
        waiting = dict(enumerate(shares))
        for place, share in waiting.items():
            self._workers[place].send(Job(self._job, share.request, urgent))
        asked, failures = list(waiting), list[Exception]()
        quiet, self._looked = dict.fromkeys(waiting, 0.0), time.monotonic()
        try:
            while waiting:
                check()
                for place in self._silent(quiet).intersection(waiting):
                    failures.append(self._lose(place, "does not answer any more"))
                    del waiting[place]
                try:
                    place, event = self._heard.get(timeout=_TICK)
                except queue.Empty:
                    continue
                quiet[place] = 0.0
                self._said.add(place)
                if event is None:
                    self.lost = True
                    if waiting.pop(place, None) is not None:
                        failures.append(self._lose(place, "ended"))
                elif event.job != self._job or place not in waiting:  # a sign of life, or of what was given up
                    continue
                elif isinstance(event, Failed):
                    failures.append(_error(event))
                    del waiting[place]
                elif isinstance(event, Finished):
                    del waiting[place]
                else:
                    hear(waiting[place].rows, event)
        except (Cancelled, Interrupted):
            for place in asked:
                self._workers[place].send(Cancel(self._job))
            raise
        except BaseException:
            self.end()
            raise
        if self.lost:
            self.end()
        if failures:
            raise failures[0]

    def _ended(self) -> bool:
        """Return whether a process has ended since the last request; its other events are discarded."""
        ended = False
        with contextlib.suppress(queue.Empty):
            while True:
                ended = self._heard.get_nowait()[1] is None or ended
        return ended

    def _silent(self, quiet: dict[int, float]) -> set[int]:
        """Return which processes have given no sign of life for too long, by the seconds that each is `quiet`."""
        # The computer may have slept between two looks. What starts is loading until its first word.
        before, self._looked = self._looked, time.monotonic()
        for place in self._said.intersection(quiet):
            quiet[place] += min(self._looked - before, 2 * _TICK)
        return {place for place, seconds in quiet.items() if seconds > self._patience}

    def _lose(self, place: int, what: str) -> WorkerError:
        self.lost = True
        return WorkerError(f"The process of {self.devices[place]} {what}. What was scored is kept; score again.")

    def end(self) -> None:
        """Kill the processes."""
        self.lost = True
        self._end()

    def _start(self) -> None:
        # A daemon, which the window's worker is, may not start processes; these are daemons again, and end with it.
        multiprocessing.current_process().daemon = False
        self.lost = False
        self._heard: _Heard = queue.SimpleQueue()
        self._said: set[int] = set()
        self._looked = time.monotonic()
        self._workers = [WorkerProcess(self._target, partial(_hear, self._heard, place)) for place, _ in self._each()]
        self._end = weakref.finalize(self, _end_all, self._workers)

    def _each(self) -> Iterable[tuple[int, str]]:
        return enumerate(self.devices)


def _hear(heard: _Heard, place: int, process: WorkerProcess, event: Event | None) -> None:
    """Called from the processes' threads, which are not to hold what ends them."""
    heard.put((place, event))


def _end_all(workers: Sequence[WorkerProcess]) -> None:
    for process in workers:
        process.end()


def _error(event: Failed) -> Exception:
    """Return the error that a process ended with; its traceback is worth reading where nobody foresaw it."""
    if not event.detail:
        return ParapluieError(event.text)
    error = Unforeseen(event.text)
    error.add_note(event.detail)
    return error
