"""What is asked of the worker and what it answers: plain values that cross a process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from parapluie_gui.arrays import Rows, Scores
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.evidence import AnswerTokens, Evidence
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.spending import Spending
from parapluie_gui.pluie.templates import Template
from parapluie_gui.pluie.writing import Candidate, Sampling
from parapluie_gui.pluie.writing_templates import WritingTemplate
from parapluie_gui.scores.signature import Signature
from parapluie_gui.work.cascade import Cascade


@dataclass(frozen=True)
class Writing:
    """What is to be written after each source of a job, instead of scoring pairs.

    Attributes:
        numbers: The candidates of each source, by their numbers from 1.
    """

    template: WritingTemplate
    sampling: Sampling
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class Job:
    """Pairs to score, and everything to score them with.

    Attributes:
        metrics: Specs of baseline metrics, computed first (see `metrics/spec.py`).
        judge: The language model, or None when no template is asked for.
        stores: SQLite files in which known scores are looked up and new ones kept.
        device: Where the models of metrics compute when there is no judge, as in its settings.
        metric_files: The SHA-256 of the user's metric files that may run, by their specs; None for any that is named.
        urgent: Whether it may cut in between two batches of a running job (a pair typed in the Bench); its batches
            carry their evidence.
        writing: What the judge is to write; then nothing is scored, and the hypotheses are not read.
        cascade: The second judge, for what the first is not sure of under its one template.
        like: The pair that all are compared with, instead of scoring them (`work/likeness.py`).
        preview: Whether its one pair is only shown to the judge under its one template; nothing is kept then.
    """

    id: int
    sources: tuple[str, ...]
    hypotheses: tuple[str, ...]
    references: tuple[str | None, ...] | None = None
    metrics: tuple[str, ...] = ()
    judge: JudgeSettings | None = None
    templates: tuple[Template, ...] = ()
    stores: tuple[Path, ...] = ()
    seed: int = 0
    device: str = "auto"
    urgent: bool = False
    metric_files: Mapping[str, str] | None = None
    writing: Writing | None = None
    preview: bool = False
    like: int | None = None
    cascade: Cascade | None = None

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        id: int,
        metrics: Sequence[str],
        judge: JudgeSettings | None,
        templates: Sequence[Template],
        stores: Sequence[Path],
        *,
        device: str = "auto",
        urgent: bool = False,
        metric_files: Mapping[str, str] | None = None,
        cascade: Cascade | None = None,
    ) -> Job:
        """Copy the pairs of a corpus into a job; without templates there is no judge."""
        return cls(
            id=id,
            sources=tuple(corpus.source),
            hypotheses=tuple(corpus.hypothesis),
            references=None if corpus.reference is None else tuple(corpus.reference),
            metrics=tuple(metrics),
            judge=judge if templates else None,
            templates=tuple(templates),
            stores=tuple(stores),
            device=device,
            urgent=urgent,
            metric_files=metric_files,
            cascade=cascade,
        )

    def __len__(self) -> int:
        return len(self.sources)

    def take(self, rows: Rows) -> Job:
        """Return the same job for some of its pairs; rows (k,)."""
        chosen = rows.tolist()
        return replace(
            self,
            sources=tuple(self.sources[row] for row in chosen),
            hypotheses=tuple(self.hypotheses[row] for row in chosen),
            references=None if self.references is None else tuple(self.references[row] for row in chosen),
        )


@dataclass(frozen=True)
class PairsChunk:
    """Some pairs of a large job that follows; with the last of them it comes itself, without any pairs."""

    job: int
    sources: tuple[str, ...]
    hypotheses: tuple[str, ...]
    references: tuple[str | None, ...] | None = None


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


@dataclass(frozen=True)
class Event:
    """Anything the worker says about a job."""

    job: int


@dataclass(frozen=True)
class Ready(Event):
    """The worker takes in orders (job 0); a job that was not sent before that can be cancelled without killing it."""

    job: int = 0


@dataclass(frozen=True)
class Beat(Event):
    """The worker lives (job 0), be it in the middle of a long batch or while a model loads."""

    job: int = 0


@dataclass(frozen=True)
class Ending(Event):
    """A cancelled job ends when the pass under way is over, which may take so many seconds yet."""

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
class Written(Event):
    """Candidates that were written side by side.

    Attributes:
        rows: The number of each one's source within the job.
        written_with: The signature of what they depend on.
    """

    rows: tuple[int, ...]
    candidates: tuple[Candidate, ...]
    written_with: str


@dataclass(frozen=True)
class Previewed(Event):
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
        spending: What was asked of the server that runs the judge, since the job began; None without one.
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
