"""The parts of a corpus scored on a Ray cluster: the same scorer in each actor, and the same files as shards write.

The driver holds the numbers of the parts and what became of them, never a pair.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any

from parapluie_gui.errors import ParapluieError, first_line
from parapluie_gui.features.parts.shard import PartDone, PartScorer, PartsJob, begin
from parapluie_gui.pairs.reading.blocks import Block

#: How the engine is named: alone for this computer (or the cluster of RAY_ADDRESS), with an address for another one.
ENGINE = "ray"

#: Bytes of Ray's store of objects on a computer of one's own: what goes through it are numbers of parts.
_STORE = 100_000_000


@dataclass(frozen=True)
class RayWorkers:
    """The processes that score.

    Attributes:
        count: How many there are; None for as many as the cluster has room for.
        cpus, gpus: Cores and GPUs of each.
    """

    count: int | None = None
    cpus: float = 1.0
    gpus: float = 0.0


def score_on_ray(
    job: PartsJob,
    engine: str,
    workers: RayWorkers,
    tick: Callable[[PartDone, int], None] = lambda done, all: None,
) -> tuple[list[PartDone], float]:
    """Score all parts of a corpus on a Ray cluster; return them and the seconds that it took.

    An actor that dies is started again and does its part anew. `tick` is called with each part that is done and how
    many there are.

    Raises:
        ParapluieError: Ray is not installed, there is no such cluster, or as `begin` and `PartScorer.part`.
    """
    started, job = time.monotonic(), replace(job, plan=job.plan.by_name())
    with _connected(engine) as ray, _sentences(ray):
        if engine == ENGINE:
            found = list(_scored(job, workers, tick))
        else:  # Ray Data does not run in a client: it runs on the cluster, and its parts come when all are done
            answer = ray.get(ray.remote(_score_there).options(num_cpus=0).remote(job, workers))
            if isinstance(answer, str):
                raise ParapluieError(answer)
            found = answer
            for each in found:
                tick(each, len(found))
    return sorted(found, key=lambda each: each.number), time.monotonic() - started


def _scored(job: PartsJob, workers: RayWorkers, tick: Callable[[PartDone, int], None]) -> Iterator[PartDone]:
    """Yield the parts as they are done, in a process that is part of a cluster."""
    import ray
    import ray.data

    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    resources = {"num_cpus": workers.cpus, "num_gpus": workers.gpus}
    # What "auto" is in the signatures is decided where the scores are computed.
    blocks = ray.get(ray.remote(_begin).options(**resources).remote(job))
    if isinstance(blocks, str):
        raise ParapluieError(blocks)
    if not blocks:
        return
    numbers = ray.data.from_items([asdict(block) for block in blocks], override_num_blocks=len(blocks))
    scored = numbers.map_batches(
        _Actor,
        fn_constructor_args=(job,),
        batch_size=1,
        concurrency=min(workers.count or _room(ray, workers), len(blocks)),
        **resources,
    )
    for row in scored.iter_rows():
        if sentence := row.pop("sentence"):
            raise ParapluieError(sentence)
        done = PartDone(**row)
        tick(done, len(blocks))
        yield done


def _score_there(job: PartsJob, workers: RayWorkers) -> list[PartDone] | str:
    """Score all parts from a process of the cluster; return them, or a sentence for the user."""
    try:
        return list(_scored(job, workers, lambda done, all: None))
    except ParapluieError as error:
        return str(error)


def _begin(job: PartsJob) -> list[Block] | str:
    """Make the folder ready on the cluster; return the blocks, or a sentence for the user."""
    try:
        return begin(job)
    except ParapluieError as error:
        return str(error)


class _Actor:
    """Scores part after part in a process of Ray's; its models stay loaded.

    What is wrong comes back as a sentence in place of the part: exceptions would come wrapped in Ray's own words.
    """

    def __init__(self, job: PartsJob) -> None:
        self._job = job
        self._scorer: PartScorer | None = None

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[Any]]:
        block = Block(**{name: int(values[0]) for name, values in batch.items()})
        done, sentence = PartDone(block.number, 0, 0, False), ""
        try:
            self._scorer = self._scorer or PartScorer(self._job, quiet=True)
            done = self._scorer.part(block)
        except ParapluieError as error:
            sentence = str(error)
        return {"sentence": [sentence], **{name: [value] for name, value in asdict(done).items()}}


def _room(ray: Any, workers: RayWorkers) -> int:
    """Return how many workers the cluster has room for now."""
    there = ray.cluster_resources()
    room = [there.get("CPU", 1) / workers.cpus]
    if workers.gpus:
        room.append(there.get("GPU", 0) / workers.gpus)
    return max(int(min(room)), 1)


@contextmanager
def _connected(engine: str) -> Iterator[Any]:
    """Yield Ray, connected to a cluster, or to one of this computer that ends afterwards."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # otherwise Ray tells its makers how it is used
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # what a user can do something about comes as a sentence
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise ParapluieError(
            "Ray is not installed here. Install it on every computer of the cluster: pip install 'parapluie_gui[ray]'."
        ) from error
    if engine != ENGINE and not engine.startswith(f"{ENGINE}://"):
        raise ParapluieError(f'There is no engine "{engine}". Name ray for this computer, or ray://HOST:PORT.')
    ending = signal.getsignal(signal.SIGTERM)
    _join(ray, engine)
    if threading.current_thread() is threading.main_thread():
        # Ray puts a handler of its own in the place of the program's, with which it crashes (SIGABRT in 2.60).
        signal.signal(signal.SIGTERM, ending)
    try:
        yield ray
    finally:
        ray.shutdown()


def _join(ray: Any, engine: str) -> None:
    """Connect to a cluster, or begin one of this computer: where that fails, a second time.

    Ray 2.60 gives a new cluster half a minute (`raylet_start_wait_time_s`), too little for a busy computer, and then
    raises a bare Exception. By the second time its files are in memory.

    Raises:
        ParapluieError: Neither was possible.
    """
    local = engine == ENGINE and "RAY_ADDRESS" not in os.environ
    settings: dict[str, Any] = {"object_store_memory": _STORE, "include_dashboard": False} if local else {}
    for again in (True, False) if local else (False,):
        try:
            ray.init(
                None if engine == ENGINE else engine,
                logging_level=logging.ERROR,
                log_to_driver=False,
                runtime_env={"env_vars": {"HF_HUB_OFFLINE": "1"}},  # nothing is fetched while scoring
                **settings,
            )
            return
        except Exception as error:
            ray.shutdown()
            if not again:
                why = first_line(error).rstrip(".")
                raise ParapluieError(
                    f"Ray could not be started on this computer ({why}). Try again when it is less busy, or score with "
                    "--shard 1/1, which needs no Ray."
                    if local
                    else f"The Ray cluster {engine} cannot be used ({why}). Check the address, and that the same "
                    "version of Ray runs there."
                ) from error


@contextmanager
def _sentences(ray: Any) -> Iterator[None]:
    """Say in a sentence that Ray itself could not go on."""
    try:
        yield
    except ray.exceptions.RayError as error:
        raise ParapluieError(
            f"Ray could not go on ({first_line(error).rstrip('.')}). Run it again: parts that are done are kept."
        ) from error
