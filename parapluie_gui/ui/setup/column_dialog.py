"""The mapper dialog, for a file whose columns are not recognised: the user chooses those with the sentences."""

from __future__ import annotations

from typing import Any, cast

from PySide6.QtCore import QSize
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QGroupBox,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from parapluie_gui.errors import LabelError, ParapluieError
from parapluie_gui.pairs.corpus import ROLES
from parapluie_gui.pairs.reading.assemble import assemble
from parapluie_gui.pairs.reading.decisions import ReadingDecisions, merge_decisions
from parapluie_gui.pairs.reading.mapping import ColumnMapping
from parapluie_gui.pairs.reading.preview import FilePreview
from parapluie_gui.pairs.reading.raw_table import FileOrigin, RawTable
from parapluie_gui.ui.setup.column_form import FileForm, PlanForm, RoleForm
from parapluie_gui.ui.state.opening import OpeningQuestion
from parapluie_gui.ui.state.reading_controls import options_to_controls
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, hbox, scroll_area, vbox, widget_of
from parapluie_gui.ui.widgets.controls import dialog_buttons
from parapluie_gui.ui.widgets.wrapped import WrappedText


class MapperDialog(QDialog):
    """A dialog that asks for the role of each column. Show it with `open()` and connect to `accepted`.

    Attributes:
        roles, file, plans: The forms for the roles, for how the file is read, and for saved plans.
        table: The first rows.

    Args:
        question: The file, which has no preview if its encoding is unknown, with the user's earlier decisions, which
            the controls show.
    """

    def __init__(self, question: OpeningQuestion, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "corpora")
        self._opened = question.opened
        self._reason = options_to_controls(question.problem)
        self._asks_about_labels = question.asks_about_labels
        self._preview: FilePreview | None = None
        self._unreadable = ""
        self.setWindowTitle(self.tr("Columns of {}").format(question.name))
        self.setSizeGripEnabled(True)
        self._touched = False
        self.roles = RoleForm(self)
        self.roles.changed.connect(self._touch)
        self.roles.changed.connect(self._judge)
        self.file = FileForm(self)
        self.file.choose(question.decisions)
        self._layout = self.file.layout_key.value
        self.file.changed.connect(self._touch)
        self.file.changed.connect(self._read_again)
        self._planned = question.decisions
        roles = tuple((role, column) for role, column in self._planned.get("roles", ()) if role in ROLES)
        self._plan: ReadingDecisions = {"roles": roles} if roles else {}
        self.plans = PlanForm(self)
        self.plans.chosen.connect(self._touch)
        self.plans.chosen.connect(self._apply_plan)
        self._intro = WrappedText(self)
        self._problem = WrappedText(self, bad=True)
        self._problem.setAccessibleName(self.tr("Problem to solve"))
        self._outlook = WrappedText(self, muted=True)
        self._outlook.setAccessibleName(self.tr("Resulting pairs"))
        self.table = self._first_rows()
        self.buttons = dialog_buttons(self, ok=QDialogButtonBox.StandardButton.Ok)
        self._role_group = self._group(self.tr("Roles of the columns"), self.roles)
        file_group = self._group(self.tr("How the file is read"), self.file)
        plan_group = self._group(self.tr("Reading plan"), self.plans)
        choices = widget_of(vbox(self._role_group, file_group, plan_group, 1, margins=NO_MARGINS))
        area = scroll_area(choices)
        area.setMinimumWidth(choices.minimumSizeHint().width() + area.verticalScrollBar().sizeHint().width())
        middle = hbox(area, (vbox(self.file.header, (self.table, 1)), 1))
        vbox(self._intro, (middle, 1), self._problem, self._outlook, self.buttons, within=self)
        self._read_again()
        self.resize(self.sizeHint())  # Qt would limit it to two thirds of the screen

    def _first_rows(self) -> QTableWidget:
        table = QTableWidget(self)
        table.setAccessibleName(self.tr("First rows of the file"))
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        table.setTabKeyNavigation(False)
        table.setWordWrap(False)
        table.setAlternatingRowColors(True)
        table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        return table

    def options(self) -> dict[str, Any]:
        """Return the mapping and the user's choices, as arguments of `OpeningQuestion.read`."""
        name = self.plans.name.text().strip()
        return {
            "mapping": self.roles.mapping(),
            **self._file_decisions(),
            **self._label_decisions(),
            **self.roles.people(),
            **({"save_plan": name} if name else {}),
        }

    def sizeHint(self) -> QSize:
        """Return a size that grows with the type, and fits on a small screen."""
        letter = self.fontMetrics()
        wanted = QSize(150 * letter.averageCharWidth(), 34 * letter.height())
        screen = self.screen().availableSize() * 0.9
        return wanted.boundedTo(screen).expandedTo(self.minimumSizeHint())

    def _touch(self) -> None:
        """Show errors from now on; until the user has chosen something, there are none."""
        self._touched = True

    def _apply_plan(self) -> None:
        """Read the file by the chosen plan, or by guesses again."""
        try:
            plan = self.plans.decisions()
        except ParapluieError as error:
            self._unreadable = options_to_controls(str(error))
            self._judge()
            return
        if plan != self._plan:
            self._plan = self._planned = plan
            self.roles.forget_choices()
            self._read_again()

    def _file_decisions(self) -> ReadingDecisions:
        """Return the decisions about the file; of the roles only those of judgements: the mapping has the others."""
        merged = self._merged()
        roles = tuple((role, column) for role, column in merged.get("roles", ()) if role not in ROLES)
        others = {name: value for name, value in merged.items() if name not in ("positive", "missing", "roles")}
        return cast(ReadingDecisions, {**others, **({"roles": roles} if roles else {})})

    def _merged(self) -> ReadingDecisions:
        """Return the plan's decisions about the file with those of the form."""
        own = cast(ReadingDecisions, self.file.options())
        return merge_decisions(self._plan, own) if self._plan else own

    def _label_decisions(self) -> dict[str, Any]:
        """Return the decisions about the label: the plan's unless the user has ticked values."""
        plan = {name: self._planned[name] for name in ("positive", "missing") if self._planned.get(name)}
        return {**plan, **self.roles.decisions()}

    def _read_again(self) -> None:
        is_first = self._preview is None
        if self.file.layout_key.value != self._layout:
            self._layout = self.file.layout_key.value
            self.roles.forget_choices()
        try:
            self._preview = self._opened.decide(**self._merged()).preview
            self._unreadable = ""
        except ParapluieError as error:
            self._unreadable = options_to_controls(str(error))
            if self._preview is None:
                self.file.offer(None)
        if is_first and self._preview is not None:
            self.plans.offer(self._preview.file_columns, chooses=not self._plan)
            if not self._plan:
                self._apply_plan()
        self._show_preview()

    def _show_preview(self) -> None:
        preview = self._preview
        readable = preview is not None and not self._unreadable
        self._role_group.setEnabled(readable)
        if preview is not None and readable:
            self.file.offer(preview)
            self.roles.offer(
                preview.columns,
                preview.mapping,
                preview.values,
                preview.annotators,
                asked=preview.asks_about_labels or self._asks_about_labels,
                planned=self._planned,
            )
            known = preview.layout or ""
            what = (
                self.tr("This looks like {}. Check the roles of the columns.").format(known)
                if known
                else self.tr("Which columns contain the two sentences? The rest is optional.")
            )
            if preview.question:
                what = f"{preview.question[:1].upper()}{preview.question[1:]}. " + self.tr("Choose below.")
            guessed = self.tr("Detected: {}.").format(", ".join(preview.guesses)) if preview.guesses else ""
            self._intro.say(self._reason or f"{what} {guessed}".strip())
        else:
            self._intro.say(self._reason or self.tr("The text encoding or the separator is unknown. Choose it:"))
        self._judge()

    def _judge(self) -> None:
        """Show the problem with the choices, or the pairs that they give."""
        self._fill_table()
        problem, outlook = self._unreadable, ""
        if not problem and self._preview is not None:
            problem = self._mistake(self.roles.mapping())
            if not problem and self.roles.needs_ticks:
                problem = self.tr("Tick the values of the label that mean a paraphrase.")
            if not problem:
                problem, outlook = self._try(self._preview)
        self._problem.say(problem if self._touched else "")
        self._outlook.say(outlook if self._touched else problem or outlook)
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(not problem and self._preview is not None)

    def _mistake(self, mapping: ColumnMapping) -> str:
        if self._preview is not None and len(self._preview.columns) < 2:
            return self.tr("There is only one column. Choose the separator.")
        if mapping.source is None and mapping.hypothesis is None:
            return self.tr("Choose the columns that contain the two sentences.")
        if mapping.source is None:
            return self.tr("Choose the column that contains the source.")
        if mapping.hypothesis is None:
            return self.tr("Choose the column that contains the hypothesis.")
        if mapping.source == mapping.hypothesis:
            return self.tr("Source and hypothesis are the same column. Choose two different ones.")
        for column in mapping.columns:
            if mapping.columns.count(column) > 1:
                return self.tr("The column “{}” has two roles; a column can have only one.").format(column)
        return ""

    def _try(self, preview: FilePreview) -> tuple[str, str]:
        """Return the problem, if any, and the result of the choices for the rows shown."""
        if not preview.rows:
            return "", ""
        columns: list[list[object]] = [list(cells) for cells in zip(*preview.rows, strict=True)]
        origin = FileOrigin(kind=preview.kind, path=preview.path)
        table = RawTable(list(preview.columns), columns, preview.lines, origin)
        try:
            corpus = assemble(table, self.roles.mapping(), "", "custom", **self._label_decisions())
        except LabelError as error:
            if self.roles.positive.isVisibleTo(self):
                return self.tr("Tick the values of the label that mean a paraphrase."), ""
            return options_to_controls(str(error)), ""
        except ParapluieError as error:
            return options_to_controls(str(error)), ""
        rows, skipped = len(preview.rows), len(corpus.skipped)
        if not skipped:
            return "", self.tr("All {} rows shown become pairs.").format(rows)
        reasons = ", ".join(dict.fromkeys(row.reason for row in corpus.skipped))
        text = self.tr("Rows shown: {0}. Pairs: {1}. Skipped: {2} ({3}).")
        return "", text.format(rows, len(corpus), skipped, reasons)

    def _fill_table(self) -> None:
        preview = self._preview
        if preview is None or self._unreadable:
            self.table.setRowCount(0)
            self.table.setColumnCount(0)
            return
        names, rows = preview.columns, preview.rows
        fresh = (self.table.rowCount(), self.table.columnCount()) != (len(rows), len(names))
        self.table.setRowCount(len(rows))
        self.table.setColumnCount(len(names))
        used, other = self.palette().text(), self.palette().placeholderText()
        for at, name in enumerate(names):
            roles = self.roles.roles_of(name)
            header = QTableWidgetItem("{}\n{}".format(name, ", ".join(roles) or " "))
            font = header.font()
            font.setBold(bool(roles))
            header.setFont(font)
            self.table.setHorizontalHeaderItem(at, header)
            for row, cells in enumerate(rows):
                item = QTableWidgetItem(" ".join(cells[at].split()))
                item.setForeground(used if roles else other)
                self.table.setItem(row, at, item)
        self.table.setVerticalHeaderLabels([f"{line:,}" for line in preview.lines])
        if fresh:
            self.table.resizeColumnsToContents()
            most = 40 * self.fontMetrics().averageCharWidth()
            header_view = self.table.horizontalHeader()
            header_view.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
            for at in range(len(names)):
                self.table.setColumnWidth(at, min(self.table.columnWidth(at), most))

    def _group(self, title: str, inside: QWidget) -> QGroupBox:
        group = QGroupBox(title, self)
        vbox(inside, within=group)
        return group
