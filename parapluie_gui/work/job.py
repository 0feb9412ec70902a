"""What goes to the worker: requests with their numbers, and orders about them."""

from __future__ import annotations

from dataclasses import dataclass

from parapluie_gui.work.request import PairTexts, Request


@dataclass(frozen=True)
class Job:
    """A request on its way.

    Attributes:
        id: A number that no other job of the same worker has.
        urgent: Whether it may cut in between two batches of a running job (a pair typed in the Bench); batches of
            scores carry their evidence then.
    """

    id: int
    request: Request
    urgent: bool = False


@dataclass(frozen=True)
class PairsChunk:
    """Some pairs of a large job that follows; with the last of them it comes itself, without any pairs."""

    job: int
    pairs: PairTexts


@dataclass(frozen=True)
class Cancel:
    """The job of this number is to end."""

    job: int


@dataclass(frozen=True)
class Pause:
    """Jobs that are not urgent are to rest, or to go on."""

    paused: bool


@dataclass(frozen=True)
class Preload:
    """PyTorch and transformers are to be loaded now, beside whatever is done: a job will want them."""


#: Whatever the worker is asked.
Order = Job | PairsChunk | Cancel | Pause | Preload
