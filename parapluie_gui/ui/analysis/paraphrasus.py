"""The page of PARAPHRASUS: the share of wrong verdicts in each part of the benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from parapluie_gui.analysis.languages import languages
from parapluie_gui.analysis.material import Material, Studies
from parapluie_gui.analysis.protocols.paraphrasus import (
    ErrorTable,
    Method,
    Task,
    paraphrasus,
    prediction_columns,
    prediction_method,
    score_method,
    tasks,
    wrong_mask,
)
from parapluie_gui.analysis.protocols.paraphrasus_breakdown import by_language, shared, shared_mask
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.statistics.shared_errors import SharedErrors
from parapluie_gui.report.benchmarks import paraphrasus_grid
from parapluie_gui.report.breakdowns import ByLanguage, languages_grid, shared_parts_grid
from parapluie_gui.scores.column_kind import is_judge_score
from parapluie_gui.ui.analysis.page import Links, Page, Work
from parapluie_gui.ui.widgets.text import QT_TRANSLATE_NOOP
from parapluie_gui.ui.widgets.theme import Theme
from parapluie_gui.ui.widgets.wrapped import WrappedText


@dataclass(frozen=True, eq=False)
class _Found:
    """What the thread found out.

    Attributes:
        tasks: The benchmark's parts that the corpus holds.
        methods: What each method says.
        table: The errors; None without parts.
        together: The methods taken together: the templates if there are two, otherwise the chosen scores or all.
        shared: What those get wrong together, by part.
        languages: The errors by method, language and part, where the corpus tells languages.
    """

    tasks: tuple[Task, ...] = ()
    methods: tuple[Method, ...] = ()
    table: ErrorTable | None = None
    together: tuple[Method, ...] = ()
    shared: Mapping[str, SharedErrors] = field(default_factory=dict)
    languages: ByLanguage = field(default_factory=dict)


class ParaphrasusPage(Page[_Found]):
    """Tables 2 and 5 of the PARAPHRASUS paper; an error or a count clicked selects the pairs that are wrong."""

    called = QT_TRANSLATE_NOOP("Page", "PARAPHRASUS")
    follows_threshold = True
    needs_scores = False

    helps = "run"

    def __init__(self, links: Links, theme: Theme) -> None:
        super().__init__(links, theme)
        self.setProperty("manual_page", "paraphrasus")
        self.none = WrappedText(muted=True)
        self.none.say("")
        self.flow.addWidget(self.none)
        self.grid_table = self.table()
        self.grid_table.clicked.connect(self._cell_clicked)
        self.shared_table = self.table()
        self.shared_table.clicked.connect(self._shared_clicked)
        self.language_table = self.table()
        self.hint = WrappedText(muted=True)
        self.hint.say(
            self.tr(
                "The score on the scatter is judged at the dragged threshold, every other score at its natural "
                "threshold or, without one, at its best. Columns of predictions (1, 0, −100 for no answer) are "
                "methods too. Click an error or a count to select the wrong pairs."
            )
        )
        self.flow.addWidget(self.hint)

    def missing(self, inputs: Material) -> str:
        if inputs.score_columns or prediction_columns(inputs.corpus):
            return ""
        return self.tr(
            "No score has been computed or none is chosen, and the corpus has no column of predictions (1, 0). Press "
            "Run (F5), or select scores at the left."
        )

    def work(self, inputs: Material, studies: Studies) -> Work[_Found]:

        def work(tick: Tick) -> _Found:
            tick(0, 3)
            found = tasks(inputs.corpus, inputs.where)
            if not found:
                return _Found()
            tick(1, 3)
            methods, templates = [], []
            for each in inputs.score_columns:
                threshold = inputs.threshold(each, inputs.where)
                if threshold == threshold:  # NaN where a score has no threshold and there are no labels
                    methods.append(replace(score_method(each, threshold), name=self.links.full_title(each.name)))
                    templates += [methods[-1]] if is_judge_score(each.name) else []
            chosen = list(methods)
            for name in prediction_columns(inputs.corpus):
                if name in inputs.names:
                    continue
                methods.append(prediction_method(name, inputs.corpus, [name]))
            tick(2, 3)
            together = tuple(next((each for each in (templates, chosen) if len(each) > 1), methods))
            codes = languages(inputs.corpus)
            return _Found(
                tasks=found,
                methods=tuple(methods),
                table=paraphrasus(inputs.corpus, methods, where=inputs.where),
                together=together,
                shared=shared(found, together) if len(together) > 1 else {},
                languages={} if codes is None else {each.name: by_language(found, each, codes) for each in methods},
            )

        return work

    def show_result(self, inputs: Material, result: _Found) -> None:
        nothing = self.tr(
            "No PARAPHRASUS part was recognised by file name. Open the benchmark's files (File, Add corpus to this "
            "one… adds more) or give the corpus a column “part” (MRPC, STS-H, TRUE …)."
        )
        self.none.say("" if result.table is not None else nothing)
        self.hint.setVisible(result.table is not None)
        for table in (self.grid_table, self.shared_table, self.language_table):
            table.setVisible(result.table is not None)
        if result.table is not None:
            lines = inputs.signature_lines()
            self.grid_table.show_grid(paraphrasus_grid(result.table), lines, digits=1)
            names = [each.name for each in result.together]
            self.shared_table.show_grid(shared_parts_grid(result.shared, names), lines, digits=1)
            self.language_table.show_grid(languages_grid(result.languages), lines, digits=1)

    def _cell_clicked(self, row: int, column: int) -> None:
        found = self.result
        key = self.grid_table.grid.header[column]
        task = next((task for task in found.tasks if task.part.key == key), None)
        if task is not None:
            method = found.methods[row]
            self.links.select(
                self.tr("{0} wrong by {1}").format(key, method.name),
                lambda: wrong_mask(task, method),
            )

    def _shared_clicked(self, row: int, column: int) -> None:
        found, grid = self.result, self.shared_table.grid
        key = grid.rows[row][0]
        chosen = [task for task in found.tasks if key in (task.part.key, "all")]
        every = grid.header[column] in ("wrong by all", "% wrong by all")
        title = self.tr("{0} wrong by all") if every else self.tr("{0} wrong by at least one")
        masks = [shared_mask(task, found.together, every=every) for task in chosen]
        self.links.select(title.format(key), lambda: np.asarray(np.any(masks, axis=0)))
