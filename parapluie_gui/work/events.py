"""Events of a request while it is computed: plain values that can be sent between processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from parapluie_gui.arrays import Rows, Scores
from parapluie_gui.pluie.cost import TokenUsage
from parapluie_gui.pluie.evidence import AnswerEvidence, AnswerTokens
from parapluie_gui.pluie.writing import WrittenParaphrase
from parapluie_gui.scores.signature import Signature


@dataclass(frozen=True)
class Event:
    """An event of a job, that is, of a numbered request."""

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
    """The scores of a column will follow."""

    column: str
    signature: Signature


@dataclass(frozen=True)
class ScoreBatch(Event):
    """Scores of some pairs.

    Attributes:
        rows: (k,) pair numbers within the job.
        values: By column name, a float64 array (k,): the score and, for ParaPLUIE, its `.p_yes` and `.p_no`.
        fresh: Whether the scores were computed now rather than read from a store.
        evidence: The evidence of each row, for urgent jobs only; for other jobs it is read from the store.
    """

    rows: Rows
    values: Mapping[str, Scores] = field(default_factory=dict)
    fresh: bool = True
    evidence: tuple[AnswerEvidence | None, ...] = ()


@dataclass(frozen=True)
class CandidatesWritten(Event):
    """A batch of candidates.

    Attributes:
        rows: For each candidate, the number of its source within the request.
        written_with: The signature of the candidates.
    """

    rows: tuple[int, ...]
    candidates: tuple[WrittenParaphrase, ...]
    written_with: str


@dataclass(frozen=True)
class PromptShown(Event):
    """The exact prompt of a pair under a template, and the judge's answer.

    Attributes:
        tokens: The tokens of each spelling of yes, and of no.
    """

    prompt: str
    score: float
    evidence: AnswerEvidence
    tokens: AnswerTokens


@dataclass(frozen=True)
class JobProgress(Event):
    """The progress of a job.

    Attributes:
        done, total: Numbers of scores (pairs times columns).
        rate: Computed scores per second, averaged over the last few seconds.
        remaining: Seconds left at that rate, or None while unknown.
        column: The current column.
        column_done: Number of pairs with a score in the current column.
        pairs: Number of pairs; 0 if only scores are counted.
        step, steps: Number of the current column (counting completed columns), and the number of columns.
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
class ColumnRemarked(Event):
    """A sentence on the scores of a column, such as how many pairs were cut, or their cost; "" for none.

    `cut` has the rows of pairs that were scored without their end, or without the characters in which they differ.
    """

    column: str
    sentence: str = ""
    cost: str = ""
    cut: tuple[int, ...] = ()


@dataclass(frozen=True)
class JobNotice(Event):
    """A sentence for the user that does not stop the job (batch halved after out of memory …)."""

    text: str


@dataclass(frozen=True)
class JobFinished(Event):
    """The job ended without an error, complete or `cancelled` by the user, after this many seconds."""

    cancelled: bool = False
    seconds: float = 0.0


@dataclass(frozen=True)
class JobFailed(Event):
    """The job ended with an error; `text` is a sentence for the user, `detail` a traceback or ""."""

    text: str
    detail: str = ""
