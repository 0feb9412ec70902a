"""The page that sets two scores against each other: flips and what changes in them, tests, agreement, movers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parapluie_gui.analysis.material import Material, Studies
from parapluie_gui.analysis.score_column import ScoreColumn, Tick
from parapluie_gui.analysis.statistics.comparison import (
    Comparison,
    FlipKind,
    RankedPairs,
    Which,
    compare,
    flip_kinds,
    flips_and_movers,
    rightness_mask,
)
from parapluie_gui.analysis.statistics.disagreement import disagreement
from parapluie_gui.analysis.statistics.shared_errors import (
    SharedErrors,
    score_verdicts,
    shared_errors,
    templates_or_all,
    wrong_by,
)
from parapluie_gui.analysis.table import Cell, Table, number
from parapluie_gui.arrays import Floats, Rows
from parapluie_gui.metrics.changes.kinds import kind_members
from parapluie_gui.report.evaluation import SHARED, SHARED_NOTE, shared_cells
from parapluie_gui.ui.analysis.page import Links, Page, Work
from parapluie_gui.ui.widgets.arrange import button
from parapluie_gui.ui.widgets.choice import Choice
from parapluie_gui.ui.widgets.text import QT_TRANSLATE_NOOP
from parapluie_gui.ui.widgets.theme import Theme

#: Pairs of a list that are shown; all of the flips can be selected.
MOST = 100
#: Pairs of a corpus whose kinds of change are found for this page; of a larger one they are shown where they are known.
KINDS_FOUND = 5000
#: Letters of a sentence that are shown; the pair itself is one click away.
_LETTERS = 60

#: The cells of the matrix: columns are the first score, rows the second.
_CELLS: dict[tuple[int, int], Which] = {
    (0, 1): "both",
    (0, 2): "only_second",
    (1, 1): "only_first",
    (1, 2): "neither",
}


@dataclass(frozen=True, eq=False)
class _Found:
    """What the thread found out.

    Attributes:
        thresholds: Where paraphrases begin by each of the two scores.
        kinds: The kinds of change in the flips, the most frequent first.
        spread: Disagreement of all chosen scores on each pair, (n,).
        apart: The rows on which they disagree most, (k,).
        together: The scores taken together: the templates if two are chosen, otherwise all chosen ones.
        verdicts: What these say of each pair, (n, scores).
        shared: What they get wrong together.
    """

    first: ScoreColumn
    second: ScoreColumn
    thresholds: tuple[float, float]
    result: Comparison
    flips: RankedPairs
    kinds: list[FlipKind]
    movers: RankedPairs
    spread: Floats
    apart: Rows
    together: tuple[str, ...]
    verdicts: Floats
    shared: SharedErrors


class ComparePage(Page[_Found]):
    """Two metrics, templates or models.

    Each is at the decision line if it is on the scatter, otherwise at its natural threshold or, without one, the best.
    """

    called = QT_TRANSLATE_NOOP("Page", "Compare two")
    follows_threshold = True

    helps = "setup.metrics.open"

    def __init__(self, links: Links, theme: Theme) -> None:
        super().__init__(links, theme)
        self.first, self.second = Choice(), Choice()
        for choice in (self.first, self.second, self.part):
            choice.chosen.connect(self.changed)
        self.bar((self.tr("&First"), self.first), (self.tr("S&econd"), self.second), (self.tr("o&n"), self.part))
        self.flips = self.table()
        self.select_flips = button(
            self.tr("Select all flips"), lambda: self.links.select_rows(self.tr("Flips"), self.result.flips.rows)
        )
        self.bar(("", self.select_flips))
        self.kinds = self.table()
        self.kinds.clicked.connect(self._kind_clicked)
        self.tests = self.table()
        self.matrix = self.table()
        self.matrix.clicked.connect(self._cell_clicked)
        self.shared = self.table()
        self.shared.clicked.connect(self._shared_clicked)
        self.movers = self.table()
        self.apart = self.table()
        self.flips.clicked.connect(lambda row: self._show_pair(self.tr("Flips"), self.result.flips.rows, row))
        self.movers.clicked.connect(lambda row: self._show_pair(self.tr("Movers"), self.result.movers.rows, row))
        self.apart.clicked.connect(lambda row: self._show_pair(self.tr("Most disagreement"), self.result.apart, row))

    def missing(self, inputs: Material) -> str:
        if len(inputs.score_columns) < 2:
            return self.tr(
                "Only one score is chosen. Choose a second one at the left, or score the pairs with another metric."
            )
        return ""

    def settle(self, inputs: Material) -> None:
        titles = [self.links.full_title(name) for name in inputs.names]
        others = [name for name in inputs.names if name != inputs.y]
        self.first.offer(inputs.names, titles, inputs.y)
        self.second.offer(inputs.names, titles, others[0])
        if self.first.key() == self.second.key():
            other = next(name for name in inputs.names if name != self.first.key())
            self.second.setCurrentIndex(inputs.names.index(other))
        super().settle(inputs)

    def work(self, inputs: Material, studies: Studies) -> Work[_Found]:
        first, second = inputs.score_column(self.first.key()), inputs.score_column(self.second.key())
        _, where = self.chosen_part(inputs)

        def threshold(each: ScoreColumn) -> float:
            return inputs.threshold(each, where)

        def work(tick: Tick) -> _Found:
            one, two = threshold(first), threshold(second)
            result = compare(
                first,
                second,
                inputs.labels,
                first_threshold=one,
                second_threshold=two,
                human=inputs.corpus.human,
                where=where,
                draws=inputs.draws,
                tick=tick,
            )
            flipped, moved = flips_and_movers(first, second, one, two, where, MOST)
            tick(1, 1)
            says = first.predicted_positive(one)
            quick = inputs.kinds is not None or len(inputs.corpus) <= KINDS_FOUND
            members = kind_members(studies.kinds(inputs, tick)) if quick else {}
            kinds = flip_kinds(members, flipped.rows, says, where)
            spread = disagreement(inputs.score_columns, where)
            defined = np.flatnonzero(~np.isnan(spread))
            apart = defined[np.argsort(-spread[defined], kind="stable")][:MOST]
            together = tuple(templates_or_all(inputs.names))
            columns = [inputs.score_column(name) for name in together]
            verdicts = score_verdicts(columns, inputs.labels, list(map(threshold, columns)))
            found = shared_errors(verdicts[where], inputs.labels[where])
            pairs = flipped, kinds, moved, spread, apart
            return _Found(first, second, (one, two), result, *pairs, together, verdicts, found)

        return work

    def show_result(self, inputs: Material, result: _Found) -> None:
        lines = inputs.signature_lines([result.first.name, result.second.name])
        self.tests.show_grid(self._tests(result), lines)
        self.matrix.show_grid(self._matrix(result), lines)
        self.shared.show_grid(self._shared(result), inputs.signature_lines(result.together), digits=1)
        first, second = self.links.full_title(result.first.name), self.links.full_title(result.second.name)
        change, flipped = self.tr("rank difference"), result.flips.rows
        click = self.tr("Click a pair to show it.")
        shown = self.tr("The first {0}. ").format(MOST) if len(flipped) > MOST else ""
        words = self.tr("Rank difference above 0: {0} ranks the pair closer than {1}.").format(first, second)
        title = self.tr("{0} flips: pairs that only one of the two judges a paraphrase").format(f"{len(flipped):,}")
        note = f"{words} {click}"
        flips = self._pairs("flips", title, flipped[:MOST], change, result.flips.change, shown + note)
        self.flips.show_grid(flips, lines)
        self.select_flips.setVisible(bool(len(flipped)))
        self.kinds.show_grid(self._kinds(result), lines, digits=1)
        title = self.tr("Movers: pairs that the two rank most differently")
        movers = self._pairs("movers", title, result.movers.rows, change, result.movers.change, note)
        self.movers.show_grid(movers, lines)
        title = self.tr("Pairs on which all {0} chosen scores disagree most").format(len(inputs.score_columns))
        note = self.tr("Disagreement: standard deviation of the pair's rank shares, 0 to 0.5. ") + click
        apart, spread = result.apart, result.spread[result.apart]
        grid = self._pairs("disagreement", title, apart, self.tr("disagreement"), spread, note)
        self.apart.show_grid(grid, inputs.signature_lines())

    def _pairs(self, name: str, title: str, rows: Rows, heading: str, values: Floats, note: str) -> Table:
        """Return a list of pairs, each with a number under the heading."""
        corpus, labels = self.inputs.corpus, self.inputs.labels
        words = {1: self.tr("paraphrase"), 0: self.tr("not a paraphrase")}
        found: list[tuple[Cell, ...]] = []
        for row, value in zip(rows.tolist(), values.tolist(), strict=False):
            sentences = _short(corpus.source[row]), _short(corpus.hypothesis[row])
            found.append((value, words.get(int(labels[row])), *sentences, corpus.id[row]))
        return Table(name, title, (heading, "label", "source", "hypothesis", "id"), tuple(found), note)

    def _kinds(self, found: _Found) -> Table:
        first, second = self.links.full_title(found.first.name), self.links.full_title(found.second.name)
        say = self.tr("only {0}: paraphrase")
        header = (self.tr("change"), self.tr("pairs"), self.tr("flips"), self.tr("% flips"))
        rows: list[tuple[Cell, ...]] = [
            (each.kind, each.pairs, len(each.rows), 100 * len(each.rows) / each.pairs, each.first, each.second)
            for each in found.kinds
        ]
        return Table(
            "flip-kinds",
            self.tr("Kinds of change in the flips"),
            (*header, say.format(first), say.format(second)),
            tuple(rows),
            self.tr("A pair counts for each kind of its changes. Click a row to select its flips."),
        )

    def _kind_clicked(self, row: int, column: int) -> None:
        each = self.result.kinds[row]
        self.links.select_rows(self.tr("Flips: {0}").format(each.kind), each.rows)

    def _tests(self, found: _Found) -> Table:
        result = found.result
        first, second = self.links.full_title(found.first.name), self.links.full_title(found.second.name)
        rows: list[tuple[str, object]] = []
        if result.pairs:
            rows += [
                (self.tr("accuracy of {0} at {1}").format(first, number(found.thresholds[0])), result.first_accuracy),
                (self.tr("accuracy of {0} at {1}").format(second, number(found.thresholds[1])), result.second_accuracy),
                (self.tr("difference of accuracy, 95 % bootstrap interval"), result.difference),
                (self.tr("paired bootstrap test, p"), self._p(result.p_value)),
                (self.tr("McNemar's χ²"), result.mcnemar.statistic),
                (self.tr("McNemar's test, p"), result.mcnemar.p_value),
                (self.tr("exact binomial test, p"), result.mcnemar.exact),
            ]
        rows += [
            (self.tr("same verdict"), result.agreement),
            (self.tr("Cohen's κ of the verdicts"), result.kappa),
            (self.tr("pairs with both scores"), result.compared),
        ]
        if result.human:
            rows += [
                (self.tr("difference of Pearson with human scores"), result.pearson),
                (self.tr("its paired bootstrap test, p"), self._p(result.pearson_p_value)),
            ]
        return Table(
            "comparison",
            self.tr("{0} against {1}").format(first, second),
            (self.tr("measure"), self.tr("value")),
            tuple(rows),  # type: ignore[arg-type]
            "" if result.pairs else self.tr("Without labels, right and wrong are unknown. Agreement needs no labels."),
        )

    def _p(self, value: float) -> str | float:
        """Return a p-value of resampling; the smallest that so many resamples can give is only a bound."""
        least = self.result.result.least_p
        return (
            value
            if not value <= least
            else self.tr("≤ {0} (the least that {1} resamples give)").format(number(least), self.inputs.draws)
        )

    def _matrix(self, found: _Found) -> Table:
        result = found.result
        first, second = self.links.full_title(found.first.name), self.links.full_title(found.second.name)
        rows = (
            (self.tr("{0} right").format(second), result.both, result.only_second),
            (self.tr("{0} wrong").format(second), result.only_first, result.neither),
        )
        return Table(
            "rightness",
            self.tr("Who is right"),
            ("", self.tr("{0} right").format(first), self.tr("{0} wrong").format(first)),
            rows if result.pairs else (),
            self.tr("Click a count to select its pairs."),
        )

    def _shared(self, found: _Found) -> Table:
        named = ", ".join(map(self.links.full_title, found.together))
        return Table(
            "shared-errors",
            self.tr("Wrong together: {0}").format(named),
            SHARED,
            (shared_cells(found.shared),) if found.shared.pairs else (),
            f"{SHARED_NOTE} {self.tr('Click a count to select its pairs.')}",
        )

    def _shared_clicked(self, row: int, column: int) -> None:
        found, inputs = self.result, self.inputs
        every = "wrong by all" in SHARED[column]
        _, where = self.chosen_part(inputs)
        _, by_all, by_any = wrong_by(found.verdicts, inputs.labels)
        title = self.tr("Wrong by all") if every else self.tr("Wrong by at least one")
        self.links.select(title, lambda: np.asarray((by_all if every else by_any) & where))

    def _cell_clicked(self, row: int, column: int) -> None:
        found, inputs = self.result, self.inputs
        if (row, column) not in _CELLS:
            return
        kind = _CELLS[row, column]
        first, second = self.links.full_title(found.first.name), self.links.full_title(found.second.name)
        title = {
            "both": self.tr("{0} and {1} right"),
            "only_first": self.tr("only {0} right, {1} wrong"),
            "only_second": self.tr("{0} wrong, only {1} right"),
            "neither": self.tr("{0} and {1} wrong"),
        }[kind].format(first, second)
        _, where = self.chosen_part(inputs)
        mask = rightness_mask(found.first, found.second, inputs.labels, *found.thresholds, kind, where)
        self.links.select(title, lambda: mask)

    def _show_pair(self, name: str, rows: Rows, at: int) -> None:
        """Make a list the selection and a pair of it primary."""
        self.links.select_rows(name, rows)
        self.links.workspace.selection.set_primary(int(rows[at]))


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LETTERS else text[: _LETTERS - 1] + "…"
