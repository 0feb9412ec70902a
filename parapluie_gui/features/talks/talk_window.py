"""The window for making a talk: its pairs in order, their steps and notes, and the rehearsal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QListWidget, QListWidgetItem, QWidget

from parapluie_gui.features.talks.rehearsal import RehearsalFinding, describe_ready
from parapluie_gui.features.talks.state import TalkState
from parapluie_gui.features.talks.talk import LONGEST_MINUTES, STEPS, TalkPair
from parapluie_gui.ui.state import score_names
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.widgets.arrange import (
    NO_MARGINS,
    button,
    flow,
    hbox,
    name_control,
    scroll_area,
    split,
    vbox,
    widget_of,
    within_screen,
)
from parapluie_gui.ui.widgets.controls import KeyChoice, caption, line, make_spin_box, text_box, tick
from parapluie_gui.ui.widgets.growing_text import displayable
from parapluie_gui.ui.widgets.pair_drag import pairs_from_mime
from parapluie_gui.ui.widgets.text import isolate
from parapluie_gui.ui.widgets.wrapped import WrappedText

#: Maximum number of visible lines of rehearsal findings; more are scrolled.
_FINDINGS_LINES = 7

#: Delay after the last key before a note is stored, in milliseconds.
_TYPING_MS = 400

#: Maximum number of earlier rooms listed below a pair.
_ROOMS = 3


class TalkList(QListWidget):
    """List of a talk's pairs: reordered by dragging, extended by dropping, shortened by Delete.

    Signals:
        dropped: (pairs, place) Pairs were dropped from outside the list.
        arranged: The order changed.
        removal_asked: The Delete key was pressed.
    """

    dropped = Signal(list, int)
    arranged = Signal()
    removal_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setSpacing(3)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if pairs_from_mime(event.mimeData()):
            event.acceptProposedAction()
        else:
            super().dragEnterEvent(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if pairs_from_mime(event.mimeData()):
            event.acceptProposedAction()
        else:
            super().dragMoveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Accept pairs from outside the list, or move pairs of the talk."""
        if pairs := pairs_from_mime(event.mimeData()):
            at = self.indexAt(event.position().toPoint())
            event.acceptProposedAction()
            self.dropped.emit(pairs, at.row() if at.isValid() else self.count())
        elif event.source() is self:
            super().dropEvent(event)
            self.arranged.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete:
            self.removal_asked.emit()
        else:
            super().keyPressEvent(event)


class TalkWindow(QWidget):
    """Window for making a talk, separate from the main window, so that pairs can be dragged into it.

    Signals:
        open_asked, save_asked: The user wants to open or write a file.
        example_asked: The user wants to open the example talk.
        rehearsal_asked: The user wants to rehearse.
        scoring_asked: The user wants the missing scores.
        stage_asked: (place) The user wants to give the talk, from a pair.
    """

    open_asked = Signal()
    save_asked = Signal()
    example_asked = Signal()
    rehearsal_asked = Signal()
    scoring_asked = Signal()
    stage_asked = Signal(int)

    def __init__(self, state: TalkState, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setProperty("manual_page", "presentation")
        self.setWindowTitle(self.tr("Talk"))
        self._state = state
        self._showing = False
        self._build()
        self._writing = CallThrottle(self._store, _TYPING_MS, self, rest=True)
        self._connect()
        self._show()

    def show_findings(self, findings: Sequence[RehearsalFinding], wrong: Sequence[str] = (), note: str = "") -> None:
        """Show the problems of the talk itself, then those of its pairs, then a note."""
        lines = [*wrong, *map(str, findings)] or [describe_ready(self._state.talk)]
        self.show_message("\n".join(filter(None, [*lines, note])))
        self.score_button.setVisible(any(finding.missing for finding in findings))

    def show_message(self, text: str) -> None:
        """Show a message instead of the findings."""
        self.findings.say(text)
        self._findings.setVisible(bool(text))
        self._fit_findings()
        self.score_button.hide()

    def flush(self) -> None:
        """Store a note that is being typed."""
        self._writing.flush()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Fit the findings to a new width or font."""
        if watched is self.findings and event.type() in (QEvent.Type.Resize, QEvent.Type.FontChange):
            self._fit_findings()
        return super().eventFilter(watched, event)

    def _fit_findings(self) -> None:
        """Set the height of the findings to a number of complete lines."""
        line = self.findings.fontMetrics().lineSpacing()
        lines = -(-self.findings.heightForWidth(self.findings.width()) // line)
        self._findings.setFixedHeight(min(lines, _FINDINGS_LINES) * line)
        self._findings.verticalScrollBar().setSingleStep(line)

    # Building

    def _build(self) -> None:
        self.title = line(self.tr("Title of the talk"), self.tr("Title"))
        tip = self.tr("Stored with the counts of each audience")
        self.venue = line(self.tr("Place of the next showing"), self.tr("Place"), tip)
        tip = self.tr("Planned length, shown beside the clock on the speaker's screen; 0 for none")
        self.minutes = make_spin_box(self.tr("Planned minutes"), (0, LONGEST_MINUTES), 0, tip, unit=self.tr(" min"))
        self.minutes.setSpecialValueText(self.tr("any length"))
        self.list = name_control(TalkList(), self.tr("Pairs of the talk"), "")
        hint = self.tr(
            "Drag pairs here from the table or from the Bench's history, or select them and press Ctrl+Shift+T."
        )
        self._hint = WrappedText(muted=True)
        self._hint.setText(hint)
        tip = self.tr("Remove the chosen pairs from the talk (Delete)")
        self.remove_button = button(self.tr("Remove"), self._remove, tip)
        tip = self.tr("Start again with a new audience")
        self.forget_button = button(self.tr("Forget the room's counts"), self._state.clear_rooms, tip)
        files = (
            button(self.tr("Open…"), self.open_asked.emit, self.tr("Open a talk file (.talk.toml)")),
            button(self.tr("Save as…"), self.save_asked.emit, self.tr("Write the talk to a file (.talk.toml)")),
            button(self.tr("Example"), self.example_asked.emit, self.tr("Open the example talk of five pairs")),
        )
        left = widget_of(
            vbox(
                self.title,
                hbox((self.venue, 1), self.minutes, margins=NO_MARGINS),
                (self.list, 1),
                self._hint,
                flow(self.remove_button, *files, self.forget_button),
            )
        )
        words = {
            "sentences": self.tr("Sentences"),
            "guess": self.tr("The room's guess"),
            "judge": self.tr("The judge's verdict"),
            "baselines": self.tr("The other scores"),
            "words": self.tr("Which words decided"),
        }
        self.ticks = {step: tick(words[step]) for step in STEPS}
        self.expected = KeyChoice()
        name_control(self.expected, self.tr("Expected verdict"), self.tr("The rehearsal reports a different verdict"))
        keys = ("", "paraphrase", "not a paraphrase")
        self.expected.offer(keys, (self.tr("nothing"), self.tr("paraphrase"), self.tr("not a paraphrase")))
        self.note = text_box(self.tr("Note for the speaker"), self.tr("Shown on the speaker's screen only"))
        steps = vbox(*self.ticks.values(), spacing=4)
        expected = hbox(caption(self.tr("&Expected:"), self.expected), (self.expected, 1))
        parts = (caption(self.tr("Steps"), self.ticks["sentences"]), steps, expected)
        self._form = widget_of(vbox(*parts, caption(self.tr("&Note"), self.note), (self.note, 1)))
        self.findings = WrappedText()
        self.findings.setAccessibleName(self.tr("Result of the rehearsal"))
        self.score_button = button(self.tr("Score what is missing"), self.scoring_asked.emit)
        tip = self.tr("Check all steps for missing scores and unexpected verdicts")
        self.rehearse_button = button(self.tr("Rehearse"), self.rehearsal_asked.emit, tip)
        self.stage_button = button(self.tr("Give the talk"), self._ask_stage, self.tr("From the first pair (Ctrl+F11)"))
        self.stage_button.setProperty("primary", True)
        self._findings = scroll_area(self.findings)
        self.findings.installEventFilter(self)
        foot = hbox(1, self.score_button, self.rehearse_button, self.stage_button, margins=NO_MARGINS)
        vbox((split(left, self._form, (3, 2)), 1), widget_of(vbox(self._findings, foot)), within=self)
        self.show_message("")
        self.resize(within_screen(QSize(900, 560), self.screen()))

    def _connect(self) -> None:
        self._state.changed.connect(self._show)
        self.title.textEdited.connect(self._writing.ask)
        self.venue.textEdited.connect(lambda text: self._state.set_venue(text.strip()))
        self.minutes.valueChanged.connect(self._store)
        self.list.currentRowChanged.connect(self._show_pair)
        self.list.itemSelectionChanged.connect(self._allow)
        self.list.dropped.connect(self._take_pairs)
        self.list.arranged.connect(self._arrange)
        self.list.removal_asked.connect(self._remove)
        for box in self.ticks.values():
            box.toggled.connect(self._store)
        self.expected.currentIndexChanged.connect(self._store)
        self.note.textChanged.connect(self._note_typed)

    # The list

    def _show(self) -> None:
        """Show the current talk; keep the chosen pair."""
        talk, at = self._state.talk, max(self.list.currentRow(), 0)
        self._showing = True
        if self.title.text() != talk.title and not self._writing.isActive():
            self.title.setText(talk.title)
        if self.venue.text().strip() != self._state.venue:
            self.venue.setText(self._state.venue)
        self.minutes.setValue(talk.minutes)
        self.list.clear()
        for number, pair in enumerate(talk.pairs, start=1):
            source, hypothesis = (isolate(_one_line(text)) for text in (pair.source, pair.hypothesis))
            lines = [f"{number}.  {source}", hypothesis]
            if counts := self._state.rooms.get((pair.source, pair.hypothesis)):
                lines.append(self.tr("The room: {0} for a paraphrase, {1} against").format(*counts))
            earlier = [room for room in self._state.earlier if (pair.source, pair.hypothesis) in room.counts]
            for room in earlier[-_ROOMS:]:
                words = self.tr("An earlier room ({0}): {1} for a paraphrase, {2} against")
                when = ", ".join(filter(None, [room.date[:16].replace("T", " "), room.venue])) or self.tr("no date")
                lines.append(words.format(when, *room.counts[pair.source, pair.hypothesis]))
            if pair.label is not None:
                lines.append(self.tr("Label: {0}").format(score_names.label_words(int(pair.label))))
            item = QListWidgetItem("\n     ".join(lines))
            item.setData(Qt.ItemDataRole.UserRole, pair)
            self.list.addItem(item)
        self._showing = False
        self.list.setCurrentRow(min(at, len(talk.pairs) - 1))
        self._show_pair()
        self._allow()

    def _allow(self) -> None:
        has_pairs = bool(self._state.talk.pairs)
        self._form.setEnabled(self.list.currentRow() >= 0)
        self.remove_button.setEnabled(bool(self.list.selectedItems()))
        for part in (self.rehearse_button, self.stage_button):
            part.setEnabled(has_pairs)
        self._hint.setVisible(len(self._state.talk.pairs) < 3)
        self.forget_button.setVisible(bool(self._state.rooms))

    def _show_pair(self, *_: object) -> None:
        pair = self._pair()
        if self._showing:
            return
        self._showing = True
        for step, box in self.ticks.items():
            box.setChecked(pair is not None and step in pair.steps)
        expected = None if pair is None else pair.expected
        self.expected.choose("" if expected is None else "paraphrase" if expected else "not a paraphrase")
        if self.note.toPlainText() != (note := "" if pair is None else pair.note):
            self.note.setPlainText(note)
        self._showing = False

    def _pair(self) -> TalkPair | None:
        at, pairs = self.list.currentRow(), self._state.talk.pairs
        return pairs[at] if 0 <= at < len(pairs) else None

    def _take_pairs(self, pairs: list[tuple[str, str]], place: int) -> None:
        self._state.add(pairs, place)

    def _arrange(self) -> None:
        items = [self.list.item(at) for at in range(self.list.count())]
        self._state.arrange([item.data(Qt.ItemDataRole.UserRole) for item in items if item is not None])

    def _remove(self) -> None:
        removed = {self.list.row(item) for item in self.list.selectedItems()}
        self._state.arrange([pair for at, pair in enumerate(self._state.talk.pairs) if at not in removed])

    # The form

    def _note_typed(self) -> None:
        if not self._showing:
            self._writing.ask()

    def _store(self, *_: object) -> None:
        """Store the form's values for the chosen pair, and the title."""
        if self._showing:
            return
        self._writing.stop()
        pair, at = self._pair(), self.list.currentRow()
        title, minutes = self.title.text().strip(), self.minutes.value()
        if pair is not None:
            steps = tuple(step for step, box in self.ticks.items() if box.isChecked()) or ("sentences",)
            verdict = {"paraphrase": True, "not a paraphrase": False}.get(self.expected.key())
            pair = replace(pair, steps=steps, expected=verdict, note=self.note.toPlainText().strip())
            pairs = list(self._state.talk.pairs)
            pairs[at] = pair
            self._state.set_talk(replace(self._state.talk, title=title, minutes=minutes, pairs=tuple(pairs)))
        else:
            self._state.set_talk(replace(self._state.talk, title=title, minutes=minutes))

    def _ask_stage(self) -> None:
        self.flush()
        self.stage_asked.emit(0)


def _one_line(text: str) -> str:
    return " ".join(displayable(text[:300]).split())
