"""The question whether a metric file may run, with its path and checksum."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox

from parapluie_gui.errors import MetricError
from parapluie_gui.metrics.consent import MetricFile, is_allowed
from parapluie_gui.ui.setup.metric_choice import spec_title
from parapluie_gui.ui.window.context import WindowContext, WindowController

#: Called with the allowed metrics, and a sentence about each refused one.
Then = Callable[[list[str], list[str]], None]


class MetricQuestions(WindowController):
    """Asks about metric files one by one, without blocking; the default answer is no.

    Attributes:
        asks: Whether to ask the user; otherwise every answer is no.
    """

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self.asks = True
        self._open = False

    def ask(self, specs: Sequence[str], then: Then) -> None:
        """Ask about each metric file that is not allowed yet, then call `then`. Ignored while a question is open."""
        if not self._open:
            self._go_on(list(specs), [], [], then)

    def _go_on(self, waiting: list[str], allowed: list[str], refused: list[str], then: Then) -> None:
        while waiting:
            spec = waiting.pop(0)
            if is_allowed(spec):
                allowed.append(spec)
                continue
            try:
                file = MetricFile.from_spec(spec)
            except MetricError as error:
                refused.append(str(error))
                continue
            if self.asks:
                self._show(spec, file, partial(self._answer, spec, file, waiting, allowed, refused, then))
                return
            refused.append(self._describe_refusal(spec, file))
        then(allowed, refused)

    def _answer(
        self,
        spec: str,
        file: MetricFile,
        waiting: list[str],
        allowed: list[str],
        refused: list[str],
        then: Then,
        yes: bool,
    ) -> None:
        if yes:
            file.allow()
            self._setup.metrics.look()
            self._setup.metrics.changed.emit()
            allowed.append(spec)
        else:
            refused.append(self._describe_refusal(spec, file))
        self._go_on(waiting, allowed, refused, then)

    def _describe_refusal(self, spec: str, file: MetricFile) -> str:
        text = self.tr("{0} was skipped because its file {1} is not allowed to run. Press Run to be asked again.")
        return text.format(spec_title(spec), file.shown)

    def _show(self, spec: str, file: MetricFile, answer: Callable[[bool], None]) -> None:
        box = QMessageBox(self._window)
        box.setProperty("manual_page", "metrics")
        box.setIcon(QMessageBox.Icon.Warning)
        box.setWindowTitle(self.tr("Run this program?"))
        # Plain text, since path and name come from the session and must not be read as HTML.
        box.setTextFormat(Qt.TextFormat.PlainText)
        question = self.tr("The metric “{0}” is a program in a file. You have not yet allowed this version to run:")
        checksum = self.tr("SHA-256: {0}").format(file.sha256)
        parts = [question.format(spec_title(spec)), file.shown]
        if file.modules:
            parts.append(self.tr("It imports from its folder: {0}").format(file.shown_modules))
        box.setText("\n\n".join((*parts, checksum)))
        box.setInformativeText(
            self.tr(
                "A program can read, change and send everything that you can. Run it only if you trust its author. "
                "You are asked again when it changes."
            )
        )
        yes = box.addButton(self.tr("Run this program"), QMessageBox.ButtonRole.AcceptRole)
        no = box.addButton(self.tr("Leave the metric out"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(no)
        box.setEscapeButton(no)

        def finish() -> None:
            self._open = False
            box.deleteLater()
            answer(box.clickedButton() is yes)

        box.finished.connect(finish)
        self._open = True
        box.open()
