"""A certificate as the window computes it: pairs made in a thread, scored by the worker, judged in a thread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from parapluie_gui import places
from parapluie_gui.analysis.certificate.cases import Suite, suite
from parapluie_gui.analysis.certificate.certificate import Certificate, certified_column, certify
from parapluie_gui.errors import ParapluieError
from parapluie_gui.metrics.consent import allowed_files
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import Template
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.state.scoring import Scoring
from parapluie_gui.ui.state.task import Result, Task
from parapluie_gui.work.job import Batch, ColumnStarted, Event, Failed, Finished, Job, Progress, StageChanged


@dataclass(frozen=True, eq=False)
class Certified:
    """The certificates of some scores over the same pairs, and what the scores were computed with."""

    suite: Suite
    certificates: tuple[Certificate, ...]
    signatures: Mapping[str, Signature]


@dataclass(frozen=True)
class Wanted:
    """What is to be certified, and how many pairs are to be made."""

    pairs: int
    seed: int
    metrics: tuple[str, ...]
    judge: JudgeSettings
    templates: tuple[Template, ...]


class Certifying(QObject):
    """Computes one certificate at a time; a corpus that is being scored comes first.

    Signals:
        staged: (str) Current step.
        progressed: (int) How far the scoring is, in thousandths.
        done: (Certified) The certificates of the scores that could be computed.
        ended: (str) It is over; the sentence says why scores are missing, or is "".
    """

    staged = Signal(str)
    progressed = Signal(int)
    done = Signal(Certified)
    ended = Signal(str)

    def __init__(self, scoring: Scoring, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._scoring = scoring
        self._wanted: Wanted | None = None
        self._suite: Suite | None = None
        self._table = ScoreTable(0)
        self._job: int | None = None
        self._task: Task[Any] | None = None
        scoring.driver.received.connect(self._hear)

    @property
    def busy(self) -> bool:
        return self._wanted is not None

    def start(self, wanted: Wanted) -> None:
        """Begin; does nothing while another certificate is being computed."""
        if self.busy:
            return
        self._wanted = wanted
        self.staged.emit(self.tr("Making the pairs …"))
        self._begin(Task(lambda tell: suite(wanted.pairs, wanted.seed), self), self._submit)

    def stop(self) -> None:
        """Give it up; what was scored is kept."""
        if self._job is not None:
            self._scoring.driver.cancel(self._job)
        elif self._task is not None:
            self._task.stop()

    def close(self) -> None:
        """Give it up and wait for its thread."""
        self.stop()
        if self._task is not None:
            self._task.wait()

    def _submit(self, made: Suite) -> None:
        wanted = self._wanted
        assert wanted is not None
        self._suite, self._table = made, ScoreTable(len(made.corpus))
        self._job = self._scoring.next_number()
        files = allowed_files(wanted.metrics)
        stores = (places.score_cache(),)
        self.staged.emit(self.tr("Waiting for the worker …"))
        self._scoring.driver.submit(
            Job.of(made.corpus, self._job, wanted.metrics, wanted.judge, wanted.templates, stores, metric_files=files)
        )

    def _hear(self, event: Event) -> None:
        if event.job != self._job:
            return
        match event:
            case ColumnStarted():
                self._table.declare(event.column, event.signature)
            case Batch():
                self._table.put(event.rows, event.values)
            case Progress():
                self.staged.emit(self.tr("Scoring …"))
                self.progressed.emit(1000 * event.done // max(event.total, 1))
            case StageChanged():
                self.staged.emit(event.text)
            case Failed():
                self._judge(event.text)
            case Finished():
                if event.cancelled:
                    self._end("")
                else:
                    self._judge("")

    def _judge(self, error: str) -> None:
        """Judge the cases of the scores that came."""
        self._job = None
        wanted, made, table = self._wanted, self._suite, self._table
        assert wanted is not None and made is not None
        titles = {each.column: f"{Path(wanted.judge.model).name} {each.name}" for each in wanted.templates}

        def work(tell: object) -> Certified:
            columns = [
                certified_column(name, table[name], table.signatures.get(name), titles.get(name, ""))
                for name in table.scores
                if table.scored(name) > (table.rows - 1 if error else 0)  # one that broke off is no certificate
            ]
            return Certified(made, tuple(certify(made, each) for each in columns), dict(table.signatures))

        def take(found: Certified) -> None:
            self.done.emit(found)
            self._end(error)

        self._begin(Task(work, self), take)

    def _begin(self, task: Task[Result], take: Any) -> None:
        self._task = task

        def ended() -> None:
            if self._task is task:
                self._task = None
            if self._job is None and self._task is None and self.busy:
                self._end("")  # stopped

        task.begin(take, self._fail, ended)

    def _fail(self, error: ParapluieError) -> None:
        self._end(str(error))

    def _end(self, sentence: str) -> None:
        self._job = self._wanted = self._suite = None
        self._table = ScoreTable(0)
        self.ended.emit(sentence)
