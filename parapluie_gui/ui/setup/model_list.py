"""The judges to pick from, and the download of one that is missing."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from parapluie_gui.errors import ModelError
from parapluie_gui.models import catalogue
from parapluie_gui.models.kind import CAUSAL, MASKED
from parapluie_gui.ui.setup.judge_picker import JudgePicker, ModelChoice
from parapluie_gui.ui.setup.model_download import Download
from parapluie_gui.ui.setup.setup import Setup


class ModelList(QObject):
    """Lists the models in Setup and fetches one when its Get button is pressed.

    Signals:
        said: (str) A sentence: a model is ready.
        failed: (str) A sentence: why it could not be fetched.
        working: (str) What is being fetched; "" when nothing is.
    """

    said = Signal(str)
    failed = Signal(str)
    working = Signal(str)

    def __init__(self, setup: Setup, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._setup = setup
        self._download = Download(self)
        self._download.progressed.connect(self._show)
        self._download.ended.connect(self._end)
        self._for_metric = False
        setup.judge.get_requested.connect(self.get)
        setup.metrics.get_requested.connect(partial(self.get, for_metric=True))
        setup.judge.changed.connect(self._estimate)
        self.list()

    def list(self) -> None:
        """Look again which models are on this computer."""
        choices = [
            ModelChoice(
                name=item.name,
                title=item.title,
                note=item.note,
                ready=catalogue.is_ready(item),
                kind=catalogue.kind_of(item.name),
                built_in=item is catalogue.POCKET,
                checked=item.checked,
                card=item.card,
            )
            for item in catalogue.judges()
        ]
        choices += [self._downloaded(name) for name in catalogue.downloaded_hub_models()]
        self._setup.set_models(choices)

    def _downloaded(self, name: str) -> ModelChoice:
        kind = catalogue.kind_of(name)
        note = self.tr("Downloaded masked model: reads a cloze, not a conversation.")
        if kind != MASKED:
            note = self.tr(
                "Downloaded causal model, prompted as in the paper. What it was trained on is not known here."
            )
        return ModelChoice(name, name, note, kind=kind or CAUSAL)

    def get(self, name: str, *, for_metric: bool = False) -> None:
        """Fetch a model, or anything a metric needs; one at a time."""
        if self._download.running:
            return
        self._for_metric = for_metric
        self._show(0, self.tr("Downloading {0} …").format(name))
        self._download.start(name)

    def cancel(self) -> None:
        """Give up the fetch; nothing of it stays."""
        self._download.stop()
        self._show_end()

    def close(self) -> None:
        self._download.stop(wait=True)

    def _estimate(self) -> None:
        self._setup.judge.show_size(self._size(self._setup.judge))

    def _size(self, picker: JudgePicker) -> str:
        """Return what the judge takes of the memory, or of the network and the disk where it is yet to be fetched."""
        item = catalogue.entry(picker.name)
        if item is not None and not catalogue.is_ready(item):
            return self.tr("{0} MB to download, {1} MB on disk").format(item.download_mb, item.disk_mb)
        if not picker.name:
            return ""
        precision = picker.judge_settings().precision
        try:
            size = catalogue.memory_estimate(catalogue.find_model(picker.name), precision)
        except (ModelError, OSError, ValueError):  # Run says what is wrong with it, when it is asked for.
            size = None
        if size is None:
            return ""
        large, mega = size >= 1e9, round(size / 1e6)
        amount = self.tr("{0} GB").format(f"{size / 1e9:.1f}") if large else self.tr("{0} MB").format(mega)
        # Automatic precision is float32 at most.
        text = self.tr("Memory: up to {0} of weights") if precision == "auto" else self.tr("Memory: {0} of weights")
        return text.format(amount)

    def _show(self, percent: int, text: str) -> None:
        # The last per cent is the process's end, which says whether it went well.
        judge, metrics = self._setup.judge, self._setup.metrics
        if self._for_metric:
            metrics.show_download(percent, 101, text)
            judge.get_button.setEnabled(False)
        else:
            judge.show_download(percent, 101, text)
            metrics.set_fetching(True)
        self.working.emit(text)

    def _show_end(self) -> None:
        self._setup.judge.show_download(1, 1, "")
        self._setup.metrics.show_download(1, 1, "")
        self.working.emit("")

    def _end(self, error: str) -> None:
        self._show_end()
        self.list()
        if error:
            self.failed.emit(error)
        else:
            self.said.emit(self.tr("The model is ready."))
