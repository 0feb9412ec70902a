"""The scatter in the centre of the window: every pair as a point, updated while scores arrive."""

from __future__ import annotations

import math
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtCore import QSizeF, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QStackedWidget, QToolButton, QWidget

from parapluie_gui.analysis.columns import kinds_column
from parapluie_gui.arrays import Floats, Mask
from parapluie_gui.report.figure_style import FigureStyle
from parapluie_gui.scores.identity import identify
from parapluie_gui.ui.scatter.axes import ColumnPicker, axis_title, format_count, plain_axis_title
from parapluie_gui.ui.scatter.canvas import ScatterCanvas
from parapluie_gui.ui.scatter.cloud import PointCloud
from parapluie_gui.ui.scatter.colouring import MARKS, colour_by_change, colour_by_label
from parapluie_gui.ui.scatter.description import describe_scatter, describe_visited
from parapluie_gui.ui.scatter.lasso import inside
from parapluie_gui.ui.scatter.message import empty_plot, legend_notes
from parapluie_gui.ui.scatter.multiples import SmallMultiples
from parapluie_gui.ui.scatter.range_dialog import RangeDialog
from parapluie_gui.ui.scatter.threshold_bar import ThresholdBar
from parapluie_gui.ui.scatter.whole_density import WholeDensity
from parapluie_gui.ui.state import score_names
from parapluie_gui.ui.state.scoring import IDLE
from parapluie_gui.ui.state.selection import LASSO, NO_PAIR
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets import icons
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, FlowLayout, button, hbox, name_control, vbox, widget_of
from parapluie_gui.ui.widgets.controls import caption
from parapluie_gui.ui.widgets.figure_file import export_figure
from parapluie_gui.ui.widgets.text import announce, usual_points
from parapluie_gui.ui.widgets.theme import DARK, LIGHT, current_theme, follow_theme, painting_in

EXPORT_DPI = 192.0

#: Width of a figure in centimetres from which points and lines are as large as its type size requires.
_FULL_WIDTH = 17.4

#: Available colourings.
BY_LABEL, BY_CHANGE = "label", "change"
_WAYS = {BY_LABEL: colour_by_label, BY_CHANGE: colour_by_change}

_RULE_LETTERS = 44
#: Extra delay before new scores of many pairs are drawn, so that not all views redraw at once.
_TURN_MS = 20


class ScatterView(QWidget):
    """Axis pickers and tools above, the scatter (or the grid of all scores) in the middle, the threshold bar below.

    Attributes:
        set_button: Shows the selection's name while the table is hidden; clicking clears the selection.
        multiples: The grid, created when it is first shown.
        cloud: The pairs drawn.
        whole: The density of all pairs, if the corpus is a sample.
        colouring: The current colouring.
    """

    def __init__(self, workspace: CorpusWorkspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "scatter")
        self._workspace = workspace
        self._factor, self._names_set, self._alone = 1.0, True, False
        self._axes_are_new = False  # until the points are drawn
        self._state, self._stage = IDLE, ""
        self.cloud, self.colouring = PointCloud.empty(), colour_by_label(workspace)
        self.multiples: SmallMultiples | None = None

        self.x_picker = name_control(ColumnPicker(workspace), self.tr("Horizontal axis"))
        self.y_picker = name_control(ColumnPicker(workspace), self.tr("Vertical axis"))
        self.colour_picker = name_control(
            QComboBox(), self.tr("Colours"), self.tr("What the colours of the points show")
        )
        for key, text in ((BY_LABEL, self.tr("Label")), (BY_CHANGE, self.tr("Kind of change"))):
            self.colour_picker.addItem(text, key)
        self.lasso_button = self._tool(
            "lasso", self.tr("&Lasso"), self.tr("Draw a line around pairs to select them (or hold Shift and drag)")
        )
        self.lasso_button.setCheckable(True)
        self.fit_button = self._tool("maximize", self.tr("Fi&t"), self.tr("Show all points (Home)"))
        self.grid_button = self._tool("layout-grid", self.tr("&Grid"), self.tr("One small scatter for each score"))
        self.grid_button.setCheckable(True)
        tip = self.tr("Show all pairs (Esc)")
        self.set_button = button("", self._select_all, tip, self.tr("Show all pairs again"), "x")
        self.canvas = ScatterCanvas()
        self.whole = WholeDensity(workspace, self)
        self.bar = ThresholdBar(workspace)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.canvas)
        self._lay_out()

        self._marking = CallThrottle(self._members, 0, self)
        self._drawing = CallThrottle(self._draw, _TURN_MS, self)
        self._describing = CallThrottle(self._describe, 0, self)
        self._connect()
        self._axes()

    def fit(self) -> None:
        workspace = self._workspace
        self.canvas.frame.fit(self.cloud, workspace.x, workspace.y, workspace.threshold)

    def set_lasso(self, on: bool) -> None:
        """Set whether drags draw a lasso or move the plot."""
        self.canvas.box.lasso = on
        self.lasso_button.setChecked(on)
        self.canvas.line.setMovable(not on)
        self.canvas.viewport().setCursor(Qt.CursorShape.CrossCursor if on else Qt.CursorShape.ArrowCursor)

    def set_grid(self, on: bool) -> None:
        """Show the grid of all scores, or the one scatter."""
        if on and self.multiples is None:
            self.multiples = SmallMultiples(self._workspace)
            self._colour()
            self.multiples.set_scale(self._factor)
            self.multiples.chosen.connect(self._leave_grid)
            self.stack.addWidget(self.multiples)
        self.grid_button.setChecked(on)
        self.stack.setCurrentWidget(self.multiples if on and self.multiples is not None else self.canvas)
        for widget in (self.y_picker, self.lasso_button, self.fit_button):
            widget.setEnabled(not on)
        self.bar.setVisible(not on)

    def export(self, path: Path | str, style: FigureStyle | None = None, dpi: float = EXPORT_DPI) -> Path:
        """Write the scatter or grid as .png, .svg or .pdf, with legend and the signatures of the scores on y.

        The figure omits the ring around the primary pair.

        Args:
            path: Its ending chooses the format.
            style: Style of the figure; None for that of the window.
            dpi: Dots per inch of a PNG.

        Raises:
            ParapluieError: The file cannot be written.
        """
        screen = FigureStyle(dark=current_theme().name == DARK.name, histograms=True, counts=True, signatures=True)
        wanted = screen if style is None else style
        points = wanted.type_points
        before, factor = self._factor, self._factor if points is None else points / usual_points()
        marks = factor if wanted.size is None else factor * min(math.sqrt(wanted.size[0] / _FULL_WIDTH), 1.0)
        self.setUpdatesEnabled(False)
        self.set_revealed(False)
        try:
            with painting_in(DARK if wanted.dark else LIGHT):
                self._redraw(factor, marks)
                return self._export(path, wanted, dpi)
        finally:
            self._redraw(before)
            self.set_revealed(True)
            self.setUpdatesEnabled(True)

    def caption(self) -> list[str]:
        """Return the caption of the scatter: its axes, its colours with their numbers of pairs, and the signatures."""
        x, y = (axis_title(self._workspace, column) for column in (self._workspace.x, self._workspace.y))
        title = self.tr("{y} against {x}.").format(x=x, y=y)
        return [title, self.canvas.legend.text, *self._signatures([self._workspace.y, self._workspace.x])]

    def _signatures(self, columns: list[str]) -> list[str]:
        signatures = self._workspace.table.signatures
        return [str(signatures[column]) for column in columns if column in signatures]

    def _redraw(self, factor: float, marks: float | None = None) -> None:
        """Draw everything in the colours of the current theme, with type and marks of the given size."""
        self._rebuild()
        self.canvas.apply_theme()
        if self.multiples is not None:
            self.multiples.apply_theme()
        self.set_scale(factor)
        self.canvas.set_scale(factor, marks)

    def _export(self, path: Path | str, style: FigureStyle, dpi: float) -> Path:
        workspace, grid = self._workspace, self.multiples
        drawn: QWidget = self.canvas
        columns, notes = [workspace.y], []
        if grid is not None and self.stack.currentWidget() is grid:
            grid.complete()
            drawn, columns = grid.canvas, [panel.column for panel in grid.panels]
            kinds = self.colouring.entries(format_count if style.counts else lambda count: "")
            notes = [
                "   ".join(f"{MARKS[kind]} {words}" for kind, words in kinds) if style.legend else "",
                grid.note.full_text,
            ]
        scale = dpi / self.logicalDpiX()
        shape = max(drawn.width(), 320), max(drawn.height(), 240)
        if style.size is None:
            size = shape[0] * scale, shape[1] * scale
        else:
            width, height = style.size
            height = width * shape[1] / shape[0] if height is None else height
            size = width / 2.54 * dpi, height / 2.54 * dpi
        signatures = self._signatures(columns)
        notes += signatures if style.signatures else []
        x, y = (axis_title(workspace, column) for column in (workspace.x, workspace.y))
        title = self.tr("{y} against {x}").format(x=x, y=y)
        footer = "\n".join(filter(None, notes))
        ground = "transparent" if style.transparent else current_theme().plot
        page = QSizeF(*(side / scale for side in size))
        with ExitStack() as parts:
            if drawn is self.canvas and style.size is not None:
                self._write_legend(counted=style.counts)
                parts.enter_context(self.canvas.as_figure(style, page))
            about = "\n".join(signatures)
            return export_figure(drawn, path, size, dpi, background=ground, title=title, footer=footer, about=about)

    def name_set(self, on: bool) -> None:
        """Show or hide the selection's name, which the table shows while it is visible."""
        self._names_set = on
        self._show_rule()

    def set_state(self, state: str) -> None:
        """Set the state of scoring, as in `CorpusScoring`, for the message of an empty plot."""
        if state != self._state:
            self._state, self._stage = state, ""
            self._write_message()

    def show_stage(self, text: str) -> None:
        """Show the current step in an empty plot before scores arrive; "" once scores arrive."""
        if text != self._stage:
            self._stage = text
            self._write_message()

    def set_revealed(self, revealed: bool) -> None:
        """Show or hide the ring of the primary pair, whose place reveals its score."""
        self.canvas.points.keep_secret(not revealed)
        if self.multiples is not None:
            for panel in self.multiples.panels:
                panel.points.keep_secret(not revealed)
        self._describing.ask()

    def set_alone(self, factor: float) -> None:
        """Show only the plot, with its type enlarged by a factor and axes in words that an audience understands."""
        self._alone = True
        self._write_titles()
        self._tools.hide()
        self.bar.hide()
        self.canvas.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.set_scale(factor)

    def set_scale(self, factor: float) -> None:
        self._factor = factor
        self.canvas.set_scale(factor)
        self.bar.set_scale(factor)
        if self.multiples is not None:
            self.multiples.set_scale(factor)

    def keyPressEvent(self, ev: QKeyEvent) -> None:
        """Show all pairs on Escape, wherever the focus is."""
        if ev.key() == Qt.Key.Key_Escape and self._workspace.selection.rule is not None:
            self._select_all()
        else:
            super().keyPressEvent(ev)

    # Building

    def _tool(self, icon: str, text: str, tip: str) -> QToolButton:
        tool = icons.put(name_control(QToolButton(), text.replace("&", ""), tip), icon)
        tool.setText(text)
        tool.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        tool.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return tool

    def _lay_out(self) -> None:
        self._tools = QWidget()
        row = FlowLayout(self._tools)
        row.setContentsMargins(6, 4, 6, 4)
        pickers: tuple[tuple[str, QComboBox], ...] = (
            *((self.tr("&y"), self.y_picker), (self.tr("&x"), self.x_picker)),
            (self.tr("Co&lour"), self.colour_picker),
        )
        for text, picker in pickers:
            row.addWidget(widget_of(hbox(caption(text, picker), picker, margins=NO_MARGINS, spacing=4)))
        for tool in (self.lasso_button, self.fit_button, self.grid_button, self.set_button):
            row.addWidget(tool)
        vbox(self._tools, (self.stack, 1), self.bar, within=self, margins=NO_MARGINS, spacing=0)

    def _connect(self) -> None:
        workspace, canvas = self._workspace, self.canvas
        self.x_picker.picked.connect(lambda column: workspace.set_axes(x=column))
        self.y_picker.picked.connect(lambda column: workspace.set_axes(y=column))
        self.colour_picker.currentIndexChanged.connect(self._colour)
        self.lasso_button.toggled.connect(self.set_lasso)
        self.fit_button.clicked.connect(self.fit)
        self.grid_button.toggled.connect(self.set_grid)
        canvas.line.dragged.connect(workspace.set_threshold)
        canvas.line.dropped.connect(workspace.threshold_moved)
        canvas.line.sigPositionChangeFinished.connect(self._follow)
        canvas.line.sent_home.connect(self.bar.reset)
        canvas.box.enclosed.connect(self._select_enclosed)
        canvas.picked.connect(workspace.selection.set_primary)
        canvas.visited.connect(self._visit)
        canvas.escaped.connect(self._select_all)
        canvas.fit_asked.connect(self.fit)
        canvas.hovered.connect(self._show_pair_tip)
        canvas.points.mode_changed.connect(self._write_legend)
        self.whole.changed.connect(self._rebuild)
        workspace.corpus_changed.connect(self._take_corpus)
        workspace.columns_changed.connect(self._columns)
        workspace.axes_changed.connect(self._axes)
        workspace.scores_changed.connect(self._refresh_scores)
        workspace.threshold_changed.connect(self._threshold)
        workspace.selection.set_changed.connect(self._marking.ask)
        workspace.selection.primary_changed.connect(canvas.points.mark)
        workspace.selection.primary_changed.connect(self._describing.ask)
        self.bar.refreshed.connect(self._describing.ask)
        follow_theme(self._write_legend)

    # Changes of the workspace

    def _take_corpus(self) -> None:
        self.set_lasso(False)
        if self._workspace.is_large:
            # The points of the corpus before may have rows that do not exist now.
            self.cloud = PointCloud.empty()
            self.canvas.show_cloud(self.cloud)
        self._axes()

    def _axes(self) -> None:
        """Draw a new corpus or new axes."""
        self._axes_are_new = True
        self._columns()

    def _columns(self) -> None:
        self.x_picker.offer(self._workspace.x)
        self.y_picker.offer(self._workspace.y)
        self._write_titles()  # the judge of a score may have become known
        self._draw_soon()

    def _refresh_scores(self, columns: frozenset[str]) -> None:
        shown = {self._workspace.x, self._workspace.y}
        if self.colour_picker.currentData() == BY_CHANGE and self._workspace.judged_corpus is not None:
            shown.add(kinds_column(self._workspace.columns))
        if shown & columns:
            self._draw_soon()

    def _draw_soon(self) -> None:
        self._drawing.ask_if(self._workspace.is_large)

    def _draw(self) -> None:
        self._rebuild()
        if self._axes_are_new:
            self._axes_are_new = False
            self.fit()
            self._threshold()
        else:
            self._follow()

    def _rebuild(self) -> None:
        self._marking.stop()
        self._drawing.stop()
        workspace = self._workspace
        self.colouring = _WAYS[self.colour_picker.currentData()](workspace)
        self.cloud = PointCloud.from_columns(
            workspace, workspace.values(workspace.x), workspace.values(workspace.y), self.colouring
        )
        self.cloud = self.whole.add_density(self.cloud)
        self.canvas.show_cloud(self.cloud)
        self.canvas.points.mark(workspace.selection.primary)
        self._show_rule()
        self._write_legend()
        self._write_message()

    def _members(self) -> None:
        """Update the selected pairs."""
        selection = self._workspace.selection
        if self._drawing.isActive() or (len(self.cloud) and self.cloud.rows[-1] >= len(selection.mask)):
            return
        member = selection.mask[self.cloud.rows]
        ruled = selection.rule is not None
        if ruled != self.cloud.ruled or not np.array_equal(member, self.cloud.member):
            self.cloud = replace(self.cloud, member=member, ruled=ruled)
            self.canvas.show_cloud(self.cloud)
            self._write_legend()
        self._show_rule()

    def _threshold(self) -> None:
        workspace = self._workspace
        natural = workspace.natural_threshold(workspace.y) if identify(workspace.y).is_from_judge else None
        self.canvas.set_threshold(workspace.threshold, natural)
        self._describing.ask()
        if not self.canvas.line.moving and not self._axes_are_new:
            # Not while the user drags, because the line would move away from the mouse.
            self._follow()

    def _follow(self) -> None:
        workspace = self._workspace
        self.canvas.frame.follow(self.cloud, workspace.x, workspace.y, workspace.threshold)

    # Actions of the user

    def _colour(self) -> None:
        """Change the colouring."""
        self._rebuild()
        if self.multiples is not None:
            self.multiples.colouring = _WAYS[self.colour_picker.currentData()]
            self.multiples.refresh()

    def _select_enclosed(self, corners: Floats) -> None:
        self._select_inside(inside(corners, self.cloud.x, self.cloud.y))

    def _select_inside(self, members: Mask) -> None:
        """Select points, bool (k,), if there are any."""
        rows = self.cloud.rows[members]
        if len(rows):
            name = self.tr("Lasso ({count})").format(count=format_count(len(rows)))
            self._workspace.selection.set_rows(name, rows, LASSO)

    def ask_range(self) -> None:
        """Ask for a range of each axis, and select the pairs in it, as a lasso does."""
        workspace = self._workspace
        x, y = (axis_title(workspace, column) for column in (workspace.x, workspace.y))
        ranges = self.canvas.box.viewRange()
        dialog = RangeDialog(self.cloud, (x, y), (tuple(ranges[0]), tuple(ranges[1])), self.window())
        dialog.chosen.connect(self._select_inside)
        dialog.open()

    def _select_all(self) -> None:
        if self._workspace.selection.rule is not None:
            self._workspace.selection.set_rule(None)

    def _leave_grid(self) -> None:
        self.set_grid(False)

    def _show_pair_tip(self, row: int) -> None:
        corpus = self._workspace.corpus
        if row == NO_PAIR or corpus is None or row >= len(corpus):
            self.canvas.show_tip([])
            return
        table, axes = self._workspace.table, (self._workspace.x, self._workspace.y)
        place = self.cloud.index_of_row(row)
        numbers = zip((self.cloud.x[place], self.cloud.y[place]), axes, strict=True)
        x, y = (score_names.format_bound(score_names.format_plain(value), table, axis, row) for value, axis in numbers)
        label = score_names.label_words(int(self._workspace.labels()[row]))
        values = self.tr("{id}: {y_name} {y}, {x_name} {x}").format(
            id=corpus.id[row],
            x_name=self._workspace.title(self._workspace.x),
            y_name=self._workspace.title(self._workspace.y),
            x=x,
            y=y,
        )
        lines = [self.tr("Source: {0}").format(corpus.source[row])]
        lines.append(self.tr("Hypothesis: {0}").format(corpus.hypothesis[row]))
        self.canvas.show_tip([*lines, *([self.tr("Label: {0}").format(label)] if label else []), values])

    # Words

    def _write_titles(self) -> None:
        workspace = self._workspace
        title = plain_axis_title if self._alone else axis_title
        names = [(title(workspace, column), workspace.title(column)) for column in (workspace.x, workspace.y)]
        self.canvas.set_titles(*names)

    def _show_rule(self) -> None:
        selection = self._workspace.selection
        self.set_button.setVisible(selection.rule is not None and self._names_set)
        if selection.rule is not None:
            count = format_count(int(np.count_nonzero(selection.mask)))
            name = selection.rule.name
            text = name if f"({count})" in name else self.tr("{name} ({count})").format(name=name, count=count)
            if len(text) > _RULE_LETTERS:
                text = text[: _RULE_LETTERS // 2] + "…" + text[-_RULE_LETTERS // 2 :]
            self.set_button.setText(text.replace("&", "&&"))
            self.set_button.setAccessibleName(self.tr("Clear the selection {name}").format(name=name))

    def _write_legend(self, *, counted: bool = True) -> None:
        """Write the legend; in a figure, without the numbers of pairs."""
        notes = legend_notes(self._workspace, self.cloud, self.canvas.points) if counted else []
        notes += filter(None, [self.whole.note(self.cloud, self.canvas.points.dense) if counted else ""])
        entries = self.colouring.entries(format_count if counted else lambda count: "")
        self.canvas.legend.write(entries, notes, self.colouring.colours)
        self._describing.ask()

    def _describe(self) -> None:
        """Describe the picture for screen readers; a change of the description is an event that they read."""
        entries = [words for _, words in self.colouring.entries(format_count)] if len(self.cloud) else []
        notes = [note.strip("—· ") for note in legend_notes(self._workspace, self.cloud, self.canvas.points)]
        primary = self.canvas.points.primary
        text = describe_scatter(self._workspace, self.cloud, [*entries, *notes], self.bar.words, primary)
        self.canvas.describe(text)

    def _visit(self, row: int) -> None:
        """Show and announce the pair that the arrow keys went to."""
        self._show_pair_tip(row)
        announce(self.canvas, describe_visited(self._workspace, self.cloud, row))

    def _write_message(self) -> None:
        """Show in an empty plot what to do."""
        nothing = ("", "") if len(self.cloud) else empty_plot(self._workspace, self._state, self._stage)
        self.canvas.say(*nothing)
