"""Connects the session's talk with the main window: adding pairs, files, the rehearsal and the stage."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from pathlib import Path

from parapluie_gui import files, places
from parapluie_gui.analysis.names import judge_title, template_words
from parapluie_gui.errors import MetricError, ParapluieError, TemplateError
from parapluie_gui.features.explain.explanation import ExplanationVariants
from parapluie_gui.features.talks.presentation import PresentationController
from parapluie_gui.features.talks.rehearsal import rehearse
from parapluie_gui.features.talks.show import NO_ROW, SlideshowPair
from parapluie_gui.features.talks.speaker import format_clock, format_passed
from parapluie_gui.features.talks.staged import StagedPairs, stage_talk, talk_corpus
from parapluie_gui.features.talks.state import TalkState
from parapluie_gui.features.talks.talk import ENDING, Talk, TalkError, read_talk
from parapluie_gui.features.talks.talk_window import TalkWindow
from parapluie_gui.features.talks.undoing import TalkUndoing
from parapluie_gui.metrics import catalogue, consent
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import Template, find_templates, load_templates
from parapluie_gui.scores.identity import judge_word
from parapluie_gui.ui.state.selection import NO_PAIR
from parapluie_gui.ui.state.task import BackgroundTask
from parapluie_gui.ui.widgets.file_dialog import ask_to_open, ask_where_to_save
from parapluie_gui.ui.window.context import WindowContext, WindowController
from parapluie_gui.work.events import JobProgress
from parapluie_gui.work.handle import RequestHandle
from parapluie_gui.work.scoring_plan import JudgeTemplates, ScoringPlan

#: Path of the example talk in `resources`.
EXAMPLE = "talks/five-families" + ENDING


class TalkController(WindowController):
    """Actions for the stage and for the session's talk.

    Attributes:
        state: The talk.
        presentation: The stage.
        view: The talk window; None until it is first opened.
    """

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self.state = self._talk = TalkState(context.state.settings, self)
        self._talk.find_labels = self._find_labels
        self._undoing = TalkUndoing(context.state.history, self.state, self)
        self.presentation = PresentationController(context, self.state)
        self.presentation.leave = partial(self.present, False)
        self._table, self._actions = context.table, context.actions
        self.view: TalkWindow | None = None
        self._reading: BackgroundTask[StagedPairs] | None = None
        self._next: Callable[[], None] | None = None
        self._handles: list[RequestHandle] = []
        self._talk.changed.connect(self._clear_message)
        self.presentation.talk_finished.connect(self._show_times)

    def present(self, on: bool) -> None:
        """Open the stage with the selected pairs, or close it."""
        self.presentation.set_open(on)
        self._actions["talks.present"].setChecked(self.presentation.is_open)

    def open(self) -> None:
        """Open the talk window."""
        if self.view is None:
            view = self.view = TalkWindow(self._talk)
            view.setFont(self._window.font())
            view.open_asked.connect(self._ask_for_file)
            view.save_asked.connect(self._ask_where)
            view.example_asked.connect(lambda: self.read(places.resources() / EXAMPLE))
            view.rehearsal_asked.connect(self.rehearse)
            view.scoring_asked.connect(self._score_missing)
            view.stage_asked.connect(self.give)
            names = "state.history.undo", "state.history.redo", "talks.give"
            view.addActions([self._actions[name] for name in names])
        self.view.show()
        self.view.raise_()
        self.view.activateWindow()
        self._rehearse_if_open()

    def add(self) -> None:
        """Add the chosen pairs to the talk: from the Bench's history if the Bench is open, otherwise from the table."""
        if self._tabs.currentWidget() is self._bench:
            pairs = [(entry.source, entry.hypothesis) for entry in self._bench.past.chosen_entries()]
        else:
            pairs = self._table.chosen_pairs()
            row, corpus = self._workspace.selection.primary, self._workspace.corpus
            if not pairs and corpus is not None and row != NO_PAIR:
                pairs = [(corpus.source[row], corpus.hypothesis[row])]
        if not pairs:
            self.failed.emit(self.tr("There is no pair to add. Choose a pair in the table first."))
            return
        count = self._talk.add(pairs)
        total = len(self._talk.talk.pairs)
        words = self.tr("Pairs in the talk: {0} ({1} new). Shift+F11 shows it.")
        self.message.emit(words.format(total, count))

    def _find_labels(self, pairs: Collection[tuple[str, str]]) -> dict[tuple[str, str], bool]:
        """Return the labels of pairs in the open corpus, by source and hypothesis."""
        corpus, wanted = self._workspace.corpus, set(pairs)
        if corpus is None or not wanted:
            return {}
        rows = zip(corpus.source, corpus.hypothesis, self._workspace.labels().tolist(), strict=True)
        return {
            (source, hypothesis): label == 1
            for source, hypothesis, label in rows
            if label in (0, 1) and (source, hypothesis) in wanted
        }

    def read(self, path: Path) -> None:
        """Replace the talk by one from a file."""
        try:
            self._talk.set_talk(read_talk(path))
        except TalkError as error:
            self._say(str(error))
        else:
            self._rehearse_if_open()

    def write(self, path: Path) -> None:
        """Write the talk to a file."""
        if not path.name.endswith(ENDING):
            path = path.with_name(path.name.removesuffix(".toml").removesuffix(".talk") + ENDING)
        try:
            files.write_text(path, self._talk.talk.toml(), errors="replace")
        except OSError as error:
            self._say(self.tr("{0} cannot be written ({1}).").format(path.name, error.strerror or error))
        else:
            self._say(self.tr("Written to {0}.").format(path))

    def rehearse(self) -> None:
        """Check all steps of the talk and show missing scores and unexpected verdicts."""
        talk = self._talk.talk

        def take(staged: StagedPairs) -> None:
            if self.view is not None and self._talk.talk == talk:
                findings = rehearse(talk, staged.pair, staged.find_not_numbers)
                self.view.show_findings(findings, self._describe_unknown(talk, staged), self._describe_choice(talk))

        self._stage(talk, take)

    def _rehearse_if_open(self) -> None:
        """Show what is missing before the speaker gives the talk."""
        if self.view is not None and self._talk.talk.pairs:
            self.rehearse()

    def give(self, place: int = 0) -> None:
        """Present the talk to an audience, from the pair at `place`."""
        talk = self._talk.talk
        if not talk.pairs:
            self.failed.emit(
                self.tr(
                    "The talk has no pairs yet. Choose a pair and press Ctrl+Shift+T, or open a talk with Shift+F11."
                )
            )
            return
        items = tuple(SlideshowPair(row, pair.steps, pair.note) for row, pair in enumerate(talk.pairs))
        self._stage(talk, lambda staged: self.presentation.give(staged, items, place))

    def close(self) -> None:
        """Close the stage and the talk window, and wait for the reading thread."""
        self.presentation.close()
        self._next = None
        for handle in self._handles:
            handle.give_up()
        if self.view is not None:
            self.view.flush()
            self.view.close()
            self.view.deleteLater()
            self.view = None
        if self._reading is not None:
            self._reading.wait()

    def _show_times(self, seconds: dict[int, float]) -> None:
        """Show how long the talk and each of its pairs took."""
        rows = sorted(row for row in seconds if row != NO_ROW)
        times = self.tr("pair {0}").format(", ".join(f"{row + 1}: {format_clock(seconds[row])}" for row in rows))
        outside = seconds.get(NO_ROW, 0.0)
        others = self.tr("outside its pairs: {0}").format(format_clock(outside)) if round(outside) else ""
        total = format_passed(round(sum(seconds.values())), self._talk.talk.minutes)
        words = self.tr("The talk took {0} ({1}).").format(total, "; ".join(filter(None, [times, others])))
        if self.view is not None:
            self.view.show_message(words)

    # Reading and scoring

    def _judge(self, talk: Talk) -> tuple[JudgeSettings, str]:
        """Return the talk's judge and the name of its template; by default the last ones chosen in Setup."""
        judgings = self._setup.plan.judgings[::-1]
        own = [entry for entry in judgings if talk.judge and judge_word(entry.judge.model) == judge_word(talk.judge)]
        chosen = next(iter(own or judgings), JudgeTemplates(self._setup.judge.judge_settings(), ()))
        template = chosen.templates[0].name if chosen.templates else ""
        return replace(chosen.judge, model=talk.judge or chosen.judge.model), talk.template or template

    def _describe_choice(self, talk: Talk) -> str:
        """Return a sentence that names the talk's judge if Setup has several; otherwise ""."""
        if len(self._setup.plan.judgings) < 2:
            return ""
        judge, template = self._judge(talk)
        words = self.tr("The audience guesses a single verdict, so the talk uses one judge: {0}, with template {1}.")
        return words.format(judge_title(judge.model), template_words(template))

    def _describe_unknown(self, talk: Talk, staged: StagedPairs) -> list[str]:
        """Return the error messages for an unknown template and unknown metrics of the talk."""
        errors = []
        try:
            self._template(talk)
        except TemplateError as error:
            errors.append(str(error))
        for name in (name for name in talk.baselines if name not in staged.table):
            try:
                if consent.is_allowed(name):  # a talk may come from anyone
                    catalogue.find(name)
                else:
                    errors.append(self.tr("{0} is a program that you have not allowed to run.").format(name))
            except MetricError as error:
                errors.append(str(error))
        return errors

    def _template(self, talk: Talk) -> tuple[Template, ...]:
        """Return the judge's template, () without a name; raises a TemplateError for an unknown name."""
        name = self._judge(talk)[1]
        return find_templates([name], load_templates(places.user_templates())[0]) if name else ()

    def _stage(self, talk: Talk, take: Callable[[StagedPairs], object]) -> None:
        """Read the stored scores of a talk's pairs in a thread, and call `take` with them."""
        if self._reading is not None:
            self._next = partial(self._stage, talk, take)
            return
        judge, template = self._judge(talk)
        work = partial(stage_talk, talk, judge.model, template, self._state.session.stores())
        self._reading = BackgroundTask(lambda tell: work(), self)
        self._reading.begin(take, self._show_error, self._end_reading)

    def _show_error(self, error: ParapluieError) -> None:
        self._say(str(error))

    def _end_reading(self) -> None:
        self._reading = None
        begin, self._next = self._next, None
        if begin is not None:
            begin()

    def _score_missing(self) -> None:
        """Score the pairs of the talk, and the variants that show which words decided."""
        talk, view = self._talk.talk, self.view
        if view is None or not talk.pairs or any(not handle.over for handle in self._handles):
            return
        judge = self._judge(talk)[0]
        try:
            templates = self._template(talk) if judge.model else ()
        except TemplateError as error:
            self._say(str(error))
            return
        corpus = talk_corpus(talk)
        rows = [row for row, pair in enumerate(talk.pairs) if "words" in pair.steps]
        metrics = tuple(name for name in talk.baselines if catalogue.metric_of_column(name) is not None)
        jobs: list[tuple[Corpus, ScoringPlan]] = [(corpus, ScoringPlan.from_judge(judge, templates, metrics))]
        if rows and templates:
            variants = ExplanationVariants(corpus.take(rows)).corpus
            jobs.append((variants, ScoringPlan.from_judge(judge, templates)))
        view.show_message(self.tr("Scoring …"))
        self._handles = [self._client.score(*job, urgent=True) for job in jobs]
        last = self._handles[-1]
        for handle in self._handles:
            handle.staged.connect(lambda event: view.show_message(event.text))
            handle.progressed.connect(self._show_progress)
            handle.failed.connect(lambda event: self._fail(event.text))
        last.finished.connect(lambda event: self.rehearse())

    def _show_progress(self, event: JobProgress) -> None:
        if self.view is not None:
            words = self.tr("Scoring … {0} of {1} scores.")
            self.view.show_message(words.format(f"{event.done:,}", f"{event.total:,}"))

    def _fail(self, text: str) -> None:
        for handle in self._handles:
            handle.ignore()
        self._handles = []
        self._say(text)

    def _clear_message(self) -> None:
        if self.view is not None:
            self.view.show_message("")

    # Files

    def _ask_for_file(self) -> None:
        assert self.view is not None
        filters = [self.tr("Talk (*{0})").format(ENDING)]
        ask_to_open(self.view, self.tr("Open talk"), lambda path: self.read(Path(path)), filters=filters)

    def _ask_where(self) -> None:
        assert self.view is not None
        filters = [self.tr("Talk (*{0})").format(ENDING)]
        name = (self._talk.talk.title or "talk").replace("/", "-")[:60]
        ask_where_to_save(
            self.view, self.tr("Save talk"), filters, lambda path, _: self.write(path), name=name + ENDING
        )

    def _say(self, text: str) -> None:
        if self.view is not None:
            self.view.show_message(text)
        else:
            self.failed.emit(text)
