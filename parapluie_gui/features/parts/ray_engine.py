"""Scores the parts of a corpus on a Ray cluster; each actor has the scorer of a shard and writes the same files.

The driver only handles the numbers of the parts and their results, never pairs.
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
from parapluie_gui.features.parts.shard import FinishedPart, PartScorer, PartsJob, prepare
from parapluie_gui.pairs.reading.blocks import RowBlock

#: Name of the engine for this computer (or the cluster of RAY_ADDRESS); ray://HOST:PORT is a cluster.
ENGINE = "ray"

#: Bytes of Ray's object store on this computer: only numbers of parts pass through it.
_STORE = 100_000_000


@dataclass(frozen=True)
class RayWorkers:
    """The scoring processes.

    Attributes:
        count: The number of processes; None for as many as fit on the cluster.
        cpus, gpus: The cores and GPUs of each process.
    """

    count: int | None = None
    cpus: float = 1.0
    gpus: float = 0.0


def score_on_ray(
    job: PartsJob,
    engine: str,
    workers: RayWorkers,
    tick: Callable[[FinishedPart, int], None] = lambda done, all: None,
) -> tuple[list[FinishedPart], float]:
    """Score all parts of a corpus on a Ray cluster; return them and the elapsed seconds.

    An actor that dies is restarted and repeats its part. `tick` is called with each finished part and the number of
    parts.

    Raises:
        ParapluieError: Ray is not installed, there is no such cluster, or as in `prepare` and `PartScorer.score_part`.
    """
    started, job = time.monotonic(), replace(job, plan=job.plan.by_name())
    with _connection(engine) as ray, _translate_ray_errors(ray):
        if engine == ENGINE:
            parts = list(_score_parts(job, workers, tick))
        # Ray Data cannot run in a client: it runs on the cluster instead, and returns the parts when all are done
        else:
            answer = ray.get(ray.remote(_score_on_cluster).options(num_cpus=0).remote(job, workers))
            if isinstance(answer, str):
                raise ParapluieError(answer)
            parts = answer
            for part in parts:
                tick(part, len(parts))
    return sorted(parts, key=lambda part: part.number), time.monotonic() - started


def _score_parts(
    job: PartsJob, workers: RayWorkers, tick: Callable[[FinishedPart, int], None]
) -> Iterator[FinishedPart]:
    """Yield the finished parts; runs in a process of a cluster."""
    import ray
    import ray.data

    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    resources = {"num_cpus": workers.cpus, "num_gpus": workers.gpus}
    # "auto" in the signatures is resolved where the scores are computed.
    blocks = ray.get(ray.remote(_prepare).options(**resources).remote(job))
    if isinstance(blocks, str):
        raise ParapluieError(blocks)
    if not blocks:
        return
    numbers = ray.data.from_items([asdict(block) for block in blocks], override_num_blocks=len(blocks))
    scored = numbers.map_batches(
        _ScoringActor,
        fn_constructor_args=(job,),
        batch_size=1,
        concurrency=min(workers.count or _count_workers(ray, workers), len(blocks)),
        **resources,
    )
    for row in scored.iter_rows():
        if error := row.pop("error"):
            raise ParapluieError(error)
        part = FinishedPart(**row)
        tick(part, len(blocks))
        yield part


def _score_on_cluster(job: PartsJob, workers: RayWorkers) -> list[FinishedPart] | str:
    """Score all parts from a process of the cluster; return them, or an error message."""
    try:
        return list(_score_parts(job, workers, lambda done, all: None))
    except ParapluieError as error:
        return str(error)


def _prepare(job: PartsJob) -> list[RowBlock] | str:
    """Prepare the folder on the cluster; return the blocks, or an error message."""
    try:
        return prepare(job)
    except ParapluieError as error:
        return str(error)


class _ScoringActor:
    """Scores parts in a Ray process, with its models loaded once.

    It returns error messages next to the parts, because Ray would wrap exceptions in its own.
    """

    def __init__(self, job: PartsJob) -> None:
        self._job = job
        self._scorer: PartScorer | None = None

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[Any]]:
        block = RowBlock(**{name: int(values[0]) for name, values in batch.items()})
        part, message = FinishedPart(block.number, 0, 0, False), ""
        try:
            self._scorer = self._scorer or PartScorer(self._job, quiet=True)
            part = self._scorer.score_part(block)
        except ParapluieError as error:
            message = str(error)
        return {"error": [message], **{name: [value] for name, value in asdict(part).items()}}


def _count_workers(ray: Any, workers: RayWorkers) -> int:
    """Return the number of workers that fit on the cluster now, at least 1."""
    resources = ray.cluster_resources()
    count = resources.get("CPU", 1) / workers.cpus
    if workers.gpus:
        count = min(count, resources.get("GPU", 0) / workers.gpus)
    return max(int(count), 1)


@contextmanager
def _connection(engine: str) -> Iterator[Any]:
    """Yield Ray, connected to a cluster or to a temporary one on this computer."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # prevents Ray from sending usage reports
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # errors that a user can fix are raised
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise ParapluieError(
            "Ray is not installed here. Install it on every computer of the cluster: pip install 'parapluie_gui[ray]'."
        ) from error
    if engine != ENGINE and not engine.startswith(f"{ENGINE}://"):
        raise ParapluieError(f'There is no engine "{engine}". Use ray for this computer, or ray://HOST:PORT.')
    handler = signal.getsignal(signal.SIGTERM)
    _connect(ray, engine)
    if threading.current_thread() is threading.main_thread():
        # Ray replaces the program's handler with its own, which crashes (SIGABRT in 2.60).
        signal.signal(signal.SIGTERM, handler)
    try:
        yield ray
    finally:
        ray.shutdown()


def _connect(ray: Any, engine: str) -> None:
    """Connect to a cluster, or start one on this computer, with a second try if that fails.

    Ray 2.60 gives a new cluster half a minute (`raylet_start_wait_time_s`), which is too little for a busy computer,
    and then raises a bare Exception. At the second try, Ray's files are already in memory.

    Raises:
        ParapluieError: Neither succeeds.
    """
    local = engine == ENGINE and "RAY_ADDRESS" not in os.environ
    settings: dict[str, Any] = {"object_store_memory": _STORE, "include_dashboard": False} if local else {}
    for may_retry in (True, False) if local else (False,):
        try:
            ray.init(
                None if engine == ENGINE else engine,
                logging_level=logging.ERROR,
                log_to_driver=False,
                runtime_env={"env_vars": {"HF_HUB_OFFLINE": "1"}},  # no downloads while scoring
                **settings,
            )
            return
        except Exception as error:
            ray.shutdown()
            if not may_retry:
                reason = first_line(error).rstrip(".")
                raise ParapluieError(
                    f"Ray could not be started on this computer ({reason}). Try again when it is less busy, or score "
                    "with --shard 1/1, which needs no Ray."
                    if local
                    else f"The Ray cluster {engine} cannot be used ({reason}). Check the address, and that the same "
                    "version of Ray runs there."
                ) from error


@contextmanager
def _translate_ray_errors(ray: Any) -> Iterator[None]:
    """Convert errors of Ray itself to a ParapluieError."""
    try:
        yield
    except ray.exceptions.RayError as error:
        raise ParapluieError(
            f"Ray stopped with an error ({first_line(error).rstrip('.')}). Run the command again: finished parts are "
            "kept."
        ) from error
