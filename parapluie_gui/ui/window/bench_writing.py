"""Between the Bench's paraphrases and the worker: candidates are written one by one, and scored as they come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import QObject

from parapluie_gui import places
from parapluie_gui.models.kind import CAUSAL
from parapluie_gui.pluie.evidence import Evidence
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.writing import Sampling
from parapluie_gui.pluie.writing_templates import load_writing_templates
from parapluie_gui.pluie.written_corpus import WrittenSource, written_corpus
from parapluie_gui.ui.bench.paraphrases import ParaphrasesPanel
from parapluie_gui.ui.bench.view import BenchView
from parapluie_gui.ui.setup.setup import Setup
from parapluie_gui.ui.state.corpus_queue import CorpusQueue
from parapluie_gui.ui.state.scoring import IDLE, Scoring
from parapluie_gui.ui.window.bench_scoring import BenchScoring
from parapluie_gui.work.events import CandidatesWritten
from parapluie_gui.work.write_candidates import WriteCandidates


class _Taker:
    """Takes the scores of a candidate, as the Bench takes those of a typed pair."""

    def __init__(self, panel: ParaphrasesPanel, writing: BenchWriting, generation: int) -> None:
        self._panel, self._writing, self._generation = panel, writing, generation

    def show_stage(self, request: int, text: str) -> None:
        pass

    def show_scores(
        self,
        request: int,
        values: Mapping[str, float],
        evidence: Mapping[str, Evidence] | None = None,
        prompts: Mapping[str, str] | None = None,
        model: str = "",
    ) -> None:
        if self._generation == self._writing.generation:
            self._panel.show_scores(request, values, evidence, prompts, model)

    def finish(self, request: int) -> None:
        pass

    def show_error(self, request: int, text: str) -> None:
        if self._generation == self._writing.generation:
            self._panel.hint.say(text)


class BenchWriting(QObject):
    """Lets a judge write paraphrases of the sentence in the Bench, and scores them with what is chosen in Setup.

    Each candidate is a job of its own, so that the scores of one come before the next is written. A judge that is not
    the one that writes would be loaded anew for each: its scores come when all is written.

    Attributes:
        generation: How often writing began; what comes for an earlier list is dropped.
    """

    def __init__(
        self,
        bench: BenchView,
        scoring: Scoring,
        setup: Setup,
        scorer: BenchScoring,
        corpora: CorpusQueue,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.generation = 0
        found, broken = load_writing_templates(places.user_templates())
        self._bench, self._panel = bench, bench.paraphrases
        self._scoring, self._setup, self._scorer, self._corpora = scoring, setup, scorer, corpora
        self._job: int | None = None
        self._number = self._wanted = 0
        self._judge, self._template, self._sampling = JudgeSettings(""), found[0], Sampling()
        self._written_with = self._system = ""
        self._waiting: list[int] = []
        self._panel.set_templates(found)
        if broken:
            self._panel.hint.say(broken[0].error)
        self._panel.write_requested.connect(self._begin)
        self._panel.stop_requested.connect(self._stop)
        self._panel.corpus_requested.connect(self._open_corpus)
        scoring.wrote.connect(self._take)
        scoring.writing_staged.connect(self._show_stage)
        scoring.writing_ended.connect(self._end)
        setup.changed.connect(self._list_models)
        self._list_models()

    def _list_models(self) -> None:
        judge = self._setup.judge
        models = [(choice.name, choice.title) for choice in judge.choices if choice.kind == CAUSAL and choice.ready]
        if judge.kind == CAUSAL and judge.name not in dict(models) and judge.choice is None:
            models.append((judge.name, judge.name))
        self._panel.set_models(models, judge.name)

    def _begin(self) -> None:
        source, _ = self._bench.fields.texts()
        panel = self._panel
        if not source:
            panel.hint.say(self.tr("Write a source sentence first."))
            self._bench.fields.source.setFocus()
        elif not panel.model_name:
            panel.hint.say(self.tr("No model that writes is on this computer. Download one in Setup, under Judge."))
        elif not panel.temperature.value() and panel.count.value() > 1:
            panel.hint.say(self.tr("At temperature 0 all candidates are the same. Choose 1 candidate or a higher one."))
        else:
            self.generation += 1
            self._waiting.clear()
            self._number, self._wanted = 0, panel.count.value()
            self._judge = replace(self._setup.judge_settings(), model=panel.model_name)
            self._template, self._sampling = panel.chosen_template(), panel.sampling()
            self._system = f"{panel.model_name} {self._template.name}"
            panel.begin(source)
            self._next()

    def _next(self) -> None:
        """Order the next candidate, or score the rest when all are there."""
        panel = self._panel
        panel.set_busy(self._number, self._wanted if self._number < self._wanted else 0)
        if self._number < self._wanted:
            self._number += 1
            numbers = (self._number,)
            request = WriteCandidates((panel.source,), self._judge, self._template, self._sampling, numbers)
            self._job = self._scoring.write(request)
            if self._scoring.state != IDLE and self._judge != self._setup.judge_settings():
                panel.stage.say(self.tr("Waiting for the corpus: another model is scoring it."))
            elif self._number == 1:
                panel.stage.say(self.tr("Writing …"))
            return
        self._job = None
        panel.stage.say("")
        for place in self._waiting:
            self._score(place, metrics=False)
        self._waiting.clear()

    def _take(self, job: int, written: CandidatesWritten) -> None:
        if job != self._job:
            return
        self._written_with = written.written_with
        for candidate in written.candidates:
            place = self._panel.add(candidate)
            if not candidate.text:
                continue
            same = self._judge == self._setup.judge_settings()
            self._score(place, templates=same)
            if not same:
                self._waiting.append(place)

    def _score(self, place: int, *, metrics: bool = True, templates: bool = True) -> None:
        taker = _Taker(self._panel, self, self.generation)
        text = self._panel.candidates[place].text
        self._scorer.ask(taker, place, self._panel.source, text, metrics=metrics, templates=templates)

    def _show_stage(self, job: int, text: str) -> None:
        if job == self._job:
            self._panel.stage.say(text)

    def _end(self, job: int, error: str) -> None:
        if job != self._job:
            return
        if error:
            self._panel.hint.say(error)
            self._wanted = self._number = 0
        self._next()

    def _stop(self) -> None:
        job, self._job = self._job, None
        self._wanted = self._number = 0
        if job is not None:
            self._scoring.cancel(job)
        self._next()

    def _open_corpus(self) -> None:
        panel = self._panel
        source = WrittenSource("p", panel.source, panel.candidates)
        name = self.tr("Paraphrases of “{0}”").format(" ".join(panel.source.split()[:4]))
        corpus = written_corpus(name, [source], self._system, self._written_with)
        self._corpora.open_made(name, lambda: corpus)
