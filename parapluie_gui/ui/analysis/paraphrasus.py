"""The page of PARAPHRASUS: the share of wrong verdicts in each part of the benchmark."""

from __future__ import annotations

from dataclasses import dataclass, replace

from parapluie_gui.analysis.inputs import Inputs, Studies, signature_lines
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
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.statistics.comparison import default_threshold
from parapluie_gui.report.benchmarks import paraphrasus_grid
from parapluie_gui.ui.analysis.page import Links, Page, Work
from parapluie_gui.ui.state.score_names import full_title
from parapluie_gui.ui.widgets.theme import Theme
from parapluie_gui.ui.widgets.wrapped import WrappedText


@dataclass(frozen=True, eq=False)
class _Found:
    """What the thread found out: the benchmark's parts, what each method says, and the table (None without parts)."""

    tasks: tuple[Task, ...]
    methods: tuple[Method, ...]
    table: ErrorTable | None


class ParaphrasusPage(Page[_Found]):
    """Table 2 of the PARAPHRASUS paper; an error clicked selects the pairs that are wrong."""

    follows_threshold = True

    def __init__(self, links: Links, theme: Theme) -> None:
        super().__init__(links, theme)
        self.setProperty("manual_page", "paraphrasus")
        self.call(self.tr("PARAPHRASUS"))
        self.none = WrappedText(muted=True)
        self.none.say("")
        self.flow.addWidget(self.none)
        self.grid_table = self.table()
        self.grid_table.clicked.connect(self._cell_clicked)
        self.hint = WrappedText(muted=True)
        self.hint.say(
            self.tr(
                "The score on the scatter is judged at the dragged threshold, every other score at its natural "
                "threshold or, without one, at its best. Columns of predictions (1, 0, −100 for no answer) are "
                "methods too. Click an error to select the wrong pairs."
            )
        )
        self.flow.addWidget(self.hint)

    def work(self, inputs: Inputs, studies: Studies) -> Work[_Found]:

        def work(tick: Tick) -> _Found:
            tick(0, 3)
            found = tasks(inputs.corpus, inputs.where)
            if not found:
                return _Found((), (), None)
            tick(1, 3)
            methods = []
            for each in inputs.score_columns:
                threshold = (
                    inputs.threshold if each.name == inputs.y else default_threshold(each, inputs.labels, inputs.where)
                )
                if threshold == threshold:  # NaN where a score has no threshold and there are no labels
                    methods.append(replace(score_method(each, threshold), name=full_title(each.name)))
            for name in prediction_columns(inputs.corpus):
                methods.append(prediction_method(name, inputs.corpus, [name]))
            tick(2, 3)
            return _Found(found, tuple(methods), paraphrasus(inputs.corpus, methods, where=inputs.where))

        return work

    def show_result(self, inputs: Inputs, result: _Found) -> None:
        nothing = self.tr(
            "No PARAPHRASUS part was recognised by file name. Open the benchmark's files (File, Add corpus to this "
            "one… adds more) or give the corpus a column “part” (MRPC, STS-H, TRUE …)."
        )
        self.none.say("" if result.table is not None else nothing)
        self.hint.setVisible(result.table is not None)
        self.grid_table.setVisible(result.table is not None)
        if result.table is not None:
            self.grid_table.show_grid(paraphrasus_grid(result.table), signature_lines(inputs), digits=1)

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
