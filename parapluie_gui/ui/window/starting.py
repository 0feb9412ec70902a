"""The window without a corpus: the start page, and scoring the pair typed there with the chosen judge."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt

from parapluie_gui.models.kind import MASKED
from parapluie_gui.models.sources import receiving_host
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import USUAL_TEMPLATES, find_templates, load_templates
from parapluie_gui.ui.bench.entry import BenchEntry
from parapluie_gui.ui.state import score_names
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.window.context import WindowContext, WindowController
from parapluie_gui.ui.window.file_actions import FileActions
from parapluie_gui.work.events import ScoreBatch
from parapluie_gui.work.scoring_plan import JudgeTemplates, ScoringPlan

#: The judge that is installed with the program.
JUDGE = "pocket"


class StartPageActions(WindowController):
    """Shows the start page while no corpus is open."""

    def __init__(self, context: WindowContext, files: FileActions) -> None:
        super().__init__(context)
        self._files = files
        self._template = find_templates(USUAL_TEMPLATES[MASKED], load_templates()[0])
        start = self._tabs.start
        start.open_requested.connect(files.open)
        start.paste_requested.connect(files.paste)
        start.demo_requested.connect(files.open_demo)
        start.shipped_requested.connect(self._state.corpora.open_shipped)
        # Queued, since opening a file may delete the button that is being clicked.
        start.files_wanted.connect(files.open_paths, Qt.ConnectionType.QueuedConnection)
        start.trial.score_requested.connect(self._score)
        self._following = CallThrottle(self.follow, 0, self)
        self._workspace.corpus_changed.connect(self._take_corpus)
        self._setup.changed.connect(self._show_place)

    def _take_corpus(self) -> None:
        self._following.ask_if(self._workspace.is_large)

    def follow(self) -> None:
        """Show the start page or, if there is one, the corpus."""
        empty = self._workspace.corpus is None
        self._tabs.set_empty(empty)
        if empty:
            self._tabs.start.set_recent(self._files.recent_names())
            self._tabs.start.open_button.setFocus()  # so that letters and Space do not reach the tool bar

    def _score(self, request: int, source: str, hypothesis: str) -> None:
        judging = self._judging()
        pair = Corpus("", [""], [source], [hypothesis])
        handle = self._client.score(pair, ScoringPlan((), (judging,)), urgent=True)
        handle.scored.connect(partial(self._show, request, BenchEntry(source, hypothesis), judging))
        handle.failed.connect(lambda event: self._tabs.start.trial.show_trouble(request, event.text))

    def _judging(self) -> JudgeTemplates:
        """Return the first judge chosen in Setup with its first template; the pocket judge if none can score."""
        for judging in self._setup.plan.judgings if self._setup.judge.ready else ():
            return replace(judging, templates=judging.templates[:1])
        return JudgeTemplates(JudgeSettings(JUDGE), self._template)

    def _show_place(self) -> None:
        """Show where the chosen judge computes."""
        self._tabs.start.set_place(receiving_host(self._judging().judge.model))

    def _show(self, request: int, entry: BenchEntry, judging: JudgeTemplates, batch: ScoreBatch) -> None:
        column, model = judging.templates[0].column, judging.judge.model
        value = float(batch.values[column][0])
        evidence = batch.evidence[0] if batch.evidence else None
        title = score_names.audience_name(model)
        self._tabs.start.trial.show_score(request, value, evidence, title, model)
        values = {name: float(numbers[0]) for name, numbers in batch.values.items()}
        self._bench.take([entry.with_scores(values, {} if evidence is None else {column: evidence}, model=model)])
