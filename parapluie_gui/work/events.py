"""Events of a request while it is computed: plain values that cross processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from parapluie_gui.arrays import Rows, Scores
from parapluie_gui.pluie.cost import TokenUsage
from parapluie_gui.pluie.evidence import AnswerTokens, Evidence
from parapluie_gui.pluie.writing import Candidate
from parapluie_gui.scores.signature import Signature


@dataclass(frozen=True)
class Event:
    """An event of a job, which is a request known by its number."""

    job: int


@dataclass(frozen=True)
class WorkerReady(Event):
    """The worker accepts orders (job 0); from then on a job can be cancelled without killing the process."""

    job: int = 0


@dataclass(frozen=True)
class Heartbeat(Event):
    """A sign that the worker is alive (job 0), sent also during a long batch or while a model loads."""

    job: int = 0


@dataclass(frozen=True)
class JobEnding(Event):
    """A cancelled job will end after the current pass, in up to this many seconds."""

    seconds: float


@dataclass(frozen=True)
class StageChanged(Event):
    """The current step before the first scores, worded for the user ("Loading smollm2-135m")."""

    text: str


@dataclass(frozen=True)
class JudgeLoaded(Event):
    """A judge is loaded: a line with its name, parameters, device and precision, and sentences for the user."""

    description: str
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class ColumnStarted(Event):
    """A score column is about to fill."""

    column: str
    signature: Signature


@dataclass(frozen=True)
class ScoreBatch(Event):
    """Scores of some pairs.

    Attributes:
        rows: (k,) pair numbers within the job.
        values: Column name to float64 array (k,): the score and, for ParaPLUIE, its `.p_yes` and `.p_no`.
        fresh: Whether they were computed now, not read from a store.
        evidence: The evidence of each row, for urgent jobs only; it is read from the store for others.
    """

    rows: Rows
    values: Mapping[str, Scores] = field(default_factory=dict)
    fresh: bool = True
    evidence: tuple[Evidence | None, ...] = ()


@dataclass(frozen=True)
class CandidatesWritten(Event):
    """A batch of candidates.

    Attributes:
        rows: For each candidate, the number of its source within the request.
        written_with: The signature of the candidates.
    """

    rows: tuple[int, ...]
    candidates: tuple[Candidate, ...]
    written_with: str


@dataclass(frozen=True)
class PromptShown(Event):
    """The exact prompt of a pair under a template, and the judge's answer.

    Attributes:
        tokens: The tokens of each spelling of yes, and of no.
    """

    prompt: str
    score: float
    evidence: Evidence
    tokens: AnswerTokens


@dataclass(frozen=True)
class JobProgress(Event):
    """The progress of a job.

    Attributes:
        done, total: Scores (pairs times columns).
        rate: Computed scores per second, over the last seconds.
        remaining: Seconds left at that rate, or None while unknown.
        column: The current column.
        column_done: Number of pairs with a score in it.
        pairs: Number of pairs; 0 if only scores are counted.
        step, steps: Number of the current column, after the completed ones, and the number of columns.
        spending: Requests and tokens of the judge since the job began; None if it does not count them.
    """

    done: int
    total: int
    rate: float
    remaining: float | None
    column: str
    column_done: int = 0
    pairs: int = 0
    step: int = 1
    steps: int = 1
    spending: TokenUsage | None = None


@dataclass(frozen=True)
class JobNotice(Event):
    """A sentence for the user that does not stop the job (batch halved after out of memory …)."""

    text: str


@dataclass(frozen=True)
class JobFinished(Event):
    """The job ended without an error after some seconds, `cancelled` by the user or complete."""

    cancelled: bool = False
    seconds: float = 0.0


@dataclass(frozen=True)
class JobFailed(Event):
    """The job ended with an error; `text` is a sentence for the user, `detail` a traceback or ""."""

    text: str
    detail: str = ""
