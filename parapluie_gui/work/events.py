"""What is said of a request while it is computed: plain values that cross a process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from parapluie_gui.arrays import Rows, Scores
from parapluie_gui.pluie.cost import Spending
from parapluie_gui.pluie.evidence import AnswerTokens, Evidence
from parapluie_gui.pluie.writing import Candidate
from parapluie_gui.scores.signature import Signature


@dataclass(frozen=True)
class Event:
    """Anything the worker says about a job, which is a request by its number."""

    job: int


@dataclass(frozen=True)
class Ready(Event):
    """The worker takes in orders (job 0); a job that was not sent before that can be cancelled without killing it."""

    job: int = 0


@dataclass(frozen=True)
class Beat(Event):
    """The worker is alive (job 0), even in the middle of a long batch or while a model loads."""

    job: int = 0


@dataclass(frozen=True)
class Ending(Event):
    """A cancelled job ends after the current pass, which may still take this many seconds."""

    seconds: float


@dataclass(frozen=True)
class StageChanged(Event):
    """Current step before numbers can come, in words for the user ("Loading smollm2-135m")."""

    text: str


@dataclass(frozen=True)
class JudgeLoaded(Event):
    """The model is loaded: one line with its name, parameters, device and precision, and sentences for the user."""

    description: str
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class ColumnStarted(Event):
    """A score column is about to fill."""

    column: str
    signature: Signature


@dataclass(frozen=True)
class Batch(Event):
    """Scores of some pairs.

    Attributes:
        rows: (k,) pair numbers within the job.
        values: Column name to float64 array (k,): the score and, for ParaPLUIE, its `.p_yes` and `.p_no`.
        fresh: Whether they were computed now rather than found in a store.
        evidence: For each row, what is stored beside the score; only for urgent jobs, others read it from the store.
    """

    rows: Rows
    values: Mapping[str, Scores] = field(default_factory=dict)
    fresh: bool = True
    evidence: tuple[Evidence | None, ...] = ()


@dataclass(frozen=True)
class CandidatesWritten(Event):
    """Candidates that were written side by side.

    Attributes:
        rows: The number of each one's source within the request.
        written_with: The signature of what they depend on.
    """

    rows: tuple[int, ...]
    candidates: tuple[Candidate, ...]
    written_with: str


@dataclass(frozen=True)
class PromptShown(Event):
    """What a judge reads for one pair under a template: the exact prompt, and its answer.

    Attributes:
        tokens: The tokens of each spelling of yes, and of no.
    """

    prompt: str
    score: float
    evidence: Evidence
    tokens: AnswerTokens


@dataclass(frozen=True)
class Progress(Event):
    """How far the job is.

    Attributes:
        done, total: Scores (pairs times columns).
        rate: Freshly computed scores per second over the last seconds.
        remaining: Seconds left at that rate, or None while unknown.
        column: The column under way.
        column_done: Its pairs that have their score.
        pairs: All pairs; 0 where only the scores are counted.
        step, steps: One more than the other columns that are complete, and the number of columns.
        spending: What was asked of the judge since the job began; None where it does not count that.
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
    spending: Spending | None = None


@dataclass(frozen=True)
class Notice(Event):
    """Something the user should know that does not stop the job (batch halved after out of memory ...)."""

    text: str


@dataclass(frozen=True)
class Finished(Event):
    """The job is over, `cancelled` by the user or done, after some seconds."""

    cancelled: bool = False
    seconds: float = 0.0


@dataclass(frozen=True)
class Failed(Event):
    """The job ended with an error; `text` is a sentence for the user, `detail` the traceback if there is one."""

    text: str
    detail: str = ""
