"""Paraphrases of the source in the Bench: requests to the worker, and scoring of each candidate as it arrives."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial

from parapluie_gui import places
from parapluie_gui.features.writing.corpus import WrittenSource, build_corpus
from parapluie_gui.features.writing.panel import ParaphrasesPanel
from parapluie_gui.features.writing.request import WriteCandidates
from parapluie_gui.models.kind import CAUSAL
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.writing import SamplingSettings
from parapluie_gui.pluie.writing_templates import load_writing_templates
from parapluie_gui.ui.state.scoring import IDLE
from parapluie_gui.ui.state.selection import NO_PAIR
from parapluie_gui.ui.widgets.arrange import button
from parapluie_gui.ui.window.context import WindowContext, WindowController
from parapluie_gui.work.events import CandidatesWritten, JobFailed
from parapluie_gui.work.handle import RequestHandle


class BenchWriting(WindowController):
    """The controller of paraphrases in the Bench, which are scored with the metrics and judges chosen in Setup.

    Each candidate is a separate request, so that it is scored before the next is written. Judges other than the writer
    would have to be loaded again for each candidate, so their scores follow when all candidates are written.

    Attributes:
        panel: The list of candidates, below the fields of the Bench.
        button: Shows and hides the panel.
    """

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        templates, broken = load_writing_templates(places.user_templates())
        self.panel = self._panel = ParaphrasesPanel()
        self._scorer = context.typed_pairs
        self.button = button(self.tr("Paraphrase this"), lambda: None, self.tr("Write paraphrases with a judge"))
        self._bench.add_panel(self._panel, self.button, self._panel.stops)
        self._panel.taken.connect(self._bench.take)
        self._writing: RequestHandle | None = None
        self._scores: list[RequestHandle] = []
        self._number = self._wanted = 0
        self._judge, self._template, self._sampling = JudgeSettings(""), templates[0], SamplingSettings()
        self._written_with = self._system = ""
        self._waiting: list[int] = []
        self._panel.set_templates(templates)
        if broken:
            self._panel.hint.say(broken[0].error)
        self._panel.write_requested.connect(self._begin)
        self._panel.stop_requested.connect(self._stop)
        self._panel.corpus_requested.connect(self._open_corpus)
        self._panel.model_wanted.connect(context.choose_judge)
        self._setup.changed.connect(self._list_models)
        self._list_models()

    def paraphrase(self) -> None:
        """Open the panel in the Bench, with the source of the primary pair if there is one."""
        corpus, row = self._workspace.corpus, self._workspace.selection.primary
        self._tabs.show_bench()
        if corpus is not None and row != NO_PAIR:
            self._bench.begin_pair(corpus.source[row])
        self._bench.show_panel(self._panel.write_button)

    def settings(self) -> dict[str, object]:
        return self._panel.settings()

    def restore(self, settings: Mapping[str, object]) -> None:
        self._panel.restore(settings)

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
        elif not panel.temperature.value() and panel.count.value() > 1:
            panel.hint.say(
                self.tr("At temperature 0, all candidates are the same. Raise the temperature, or choose 1 candidate.")
            )
        else:
            for handle in self._scores:  # the request belongs to the previous list
                handle.ignore()
            self._scores.clear()
            self._waiting.clear()
            self._number, self._wanted = 0, panel.count.value()
            self._judge = replace(self._setup.judge.judge_settings(), model=panel.model_name)
            self._template, self._sampling = panel.chosen_template(), panel.sampling()
            self._system = f"{panel.model_name} {self._template.name}"
            panel.begin(source)
            self._next()

    def _next(self) -> None:
        """Request the next candidate; when all are written, score them with the other judges."""
        panel = self._panel
        panel.set_busy(self._number, self._wanted if self._number < self._wanted else 0)
        if self._number < self._wanted:
            self._number += 1
            numbers = (self._number,)
            request = WriteCandidates((panel.source,), self._judge, self._template, self._sampling, numbers)
            handle = self._writing = self._client.ask(request, urgent=True)
            handle.written.connect(self._add_candidates)
            handle.staged.connect(lambda event: panel.stage.say(event.text))
            handle.failed.connect(self._fail)
            handle.finished.connect(lambda event: self._next())
            if self._scoring.state != IDLE and self._judge not in self._scorer.judges:
                panel.stage.say(self.tr("Waiting for the corpus: another model is scoring it."))
            elif self._number == 1:
                panel.stage.say(self.tr("Writing …"))
            return
        self._writing = None
        panel.stage.say("")
        for place in self._waiting:
            other_judges = [judge for judge in self._scorer.judges if judge != self._judge]
            self._score(place, metrics=False, judges=other_judges)
        self._waiting.clear()

    def _add_candidates(self, batch: CandidatesWritten) -> None:
        self._written_with = batch.written_with
        for candidate in batch.candidates:
            place = self._panel.add(candidate)
            if not candidate.text:
                continue
            # Other judges follow at the end, since each candidate would make the worker load them again.
            self._score(place, judges=[judge for judge in self._scorer.judges if judge == self._judge])
            self._waiting.append(place)

    def _score(self, place: int, *, judges: Collection[JudgeSettings], metrics: bool = True) -> None:
        panel = self._panel
        show, text = partial(panel.show_scores, place), panel.candidates[place].text
        for handle in self._scorer.score(panel.source, text, show, metrics=metrics, judges=judges):
            handle.failed.connect(lambda event: panel.hint.say(event.text))
            self._scores.append(handle)

    def _fail(self, event: JobFailed) -> None:
        self._panel.hint.say(event.text)
        self._wanted = self._number = 0
        self._next()

    def _stop(self) -> None:
        self._wanted = self._number = 0
        if self._writing is not None:
            self._writing.give_up()
        self._next()

    def _open_corpus(self) -> None:
        panel = self._panel
        source = WrittenSource("p", panel.source, panel.candidates)
        name = self.tr("Paraphrases of “{0}”").format(" ".join(panel.source.split()[:4]))
        corpus = build_corpus(name, [source], self._system, self._written_with)
        self._state.corpora.open_generated(name, lambda: corpus)
