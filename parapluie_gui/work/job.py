"""Orders to the worker: numbered requests, and orders that end or pause them."""

from __future__ import annotations

from dataclasses import dataclass

from parapluie_gui.work.request import PairTexts, Request


@dataclass(frozen=True)
class Job:
    """A numbered request.

    Attributes:
        id: A number unique among the jobs of a worker.
        urgent: Whether it may run between two batches of another job (a pair typed in the Bench); its batches of
            scores carry their evidence.
    """

    id: int
    request: Request
    urgent: bool = False


@dataclass(frozen=True)
class PairsChunk:
    """Some pairs of a large job, sent before the job itself, which then has no pairs."""

    job: int
    pairs: PairTexts


@dataclass(frozen=True)
class CancelJob:
    """The order to end a job."""

    job: int


@dataclass(frozen=True)
class PauseJobs:
    """The order to pause jobs that are not urgent, or to resume them."""

    paused: bool


@dataclass(frozen=True)
class PreloadLibraries:
    """The order to load PyTorch and transformers in the background."""


#: An order to the worker.
Order = Job | PairsChunk | CancelJob | PauseJobs | PreloadLibraries
