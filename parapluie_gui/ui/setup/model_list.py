"""The judges to choose from, and the download of a missing one."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from parapluie_gui.computer import format_bytes
from parapluie_gui.errors import ModelError
from parapluie_gui.feature import ModelSource
from parapluie_gui.models import catalogue, gpus, hub_cache
from parapluie_gui.models.device import ALL_GPUS, EACH_GPU, may_have_gpu
from parapluie_gui.models.gpus import Gpu
from parapluie_gui.models.hub_cache import hub_name
from parapluie_gui.models.kind import CAUSAL, MASKED
from parapluie_gui.models.local_files import LocalFile, list_local_files
from parapluie_gui.models.sources import RemoteModel, list_used_models
from parapluie_gui.pluie import needs
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.ui.setup.hub_dialog import HubDialog
from parapluie_gui.ui.setup.model_box import ModelChoice
from parapluie_gui.ui.setup.model_download import ModelDownload
from parapluie_gui.ui.setup.setup import SetupView
from parapluie_gui.ui.state.task import BackgroundTask


class ModelList(QObject):
    """Lists the models in Setup, and downloads one when its button is pressed.

    Signals:
        message: (str) A sentence: a model is ready.
        failed: (str) A sentence: why the download failed.
        working: (str) The current download, "" when idle.
    """

    message = Signal(str)
    failed = Signal(str)
    working = Signal(str)

    def __init__(self, setup: SetupView, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._setup = setup
        self._download = ModelDownload(self)
        self._download.progressed.connect(self._show)
        self._download.ended.connect(self._end)
        self._for_metric = False
        setup.judge.get_requested.connect(self.get)
        setup.judge.hub_requested.connect(self.ask_hub)
        setup.judge.source_requested.connect(self.add_remote)
        setup.metrics.get_requested.connect(partial(self.get, for_metric=True))
        setup.metrics.cancel_requested.connect(self.cancel)
        setup.judge.changed.connect(self._estimate)
        self._gpus: list[Gpu] = []
        setup.size_of = self._size
        if gpus.driver_program() is not None:
            self._looking: BackgroundTask[list[Gpu]] = BackgroundTask(lambda tell: gpus.list_gpus(), self)
            self._looking.begin(self._take_gpus, lambda error: None, lambda: None)
        self.list()

    def _take_gpus(self, gpus_present: list[Gpu]) -> None:
        self._gpus = gpus_present
        self._setup.judge.show_gpus(gpus_present)
        self._estimate()

    def list(self) -> None:
        """Update the list of models on this computer."""
        choices = [
            ModelChoice(
                name=item.name,
                title=item.title,
                note=item.note,
                ready=catalogue.is_ready(item),
                kind=catalogue.find_kind(item.name),
                built_in=item is catalogue.POCKET,
                checked=item.checked,
                card=item.card,
                download_mb=item.download_mb,
            )
            for item in catalogue.judges()
        ]
        choices += [self._downloaded_choice(name) for name in hub_cache.downloaded_hub_models()]
        choices += [self._local_choice(file) for file in list_local_files()]
        choices += [self._remote(model) for model in list_used_models()]
        self._setup.set_models(choices)

    def _downloaded_choice(self, name: str) -> ModelChoice:
        kind = catalogue.find_kind(name)
        note = self.tr("Downloaded masked model: it fills the gap in a cloze and cannot hold a conversation.")
        if kind != MASKED:
            note = self.tr("Downloaded causal model, prompted as in the paper. Its training data are unknown.")
        return ModelChoice(name, name, note, kind=kind or CAUSAL)

    def _local_choice(self, file: LocalFile) -> ModelChoice:
        title = self.tr("{0} · found in {1}").format(file.name, file.program)
        note = self.tr("A file from {0} on this computer ({1}). It is read only when you score.")
        return ModelChoice(str(file.path), title, note.format(file.program, format_bytes(file.size)))

    def _remote(self, model: RemoteModel) -> ModelChoice:
        where = self.tr("On {0}.").format(model.host)
        return ModelChoice(model.address, model.name, f"{where} {model.note}".strip())

    def add_remote(self, source: ModelSource) -> None:
        """Ask for a model of a source, which becomes the judge."""
        dialog = source.load_dialog()(self._setup)
        dialog.connected.connect(self._take_remote)
        dialog.open()

    def _take_remote(self, name: str) -> None:
        self.list()
        self._setup.judge.set_model(name)
        self.message.emit(self.tr("The model is ready."))

    def get(self, name: str, *, for_metric: bool = False) -> None:
        """Download a model, or a metric's data; one at a time. A model of the hub is looked up first."""
        if self._download.running:
            return
        if hub_name(name) is not None:
            self.ask_hub(name, for_metric=for_metric)
        else:
            self._fetch(name, "", for_metric=for_metric)

    def ask_hub(self, name: str = "", *, for_metric: bool = False) -> None:
        """Ask for a model of the hub, showing its licence and size; it is downloaded if the user agrees."""
        dialog = HubDialog(self._gpus, name, self._setup)
        dialog.wanted.connect(partial(self._fetch, for_metric=for_metric))
        dialog.open()

    def _fetch(self, name: str, revision: str, *, for_metric: bool) -> None:
        if self._download.running:
            return
        self._for_metric = for_metric
        if revision and not for_metric:
            self._setup.judge.set_model(name)
        self._show(0, self.tr("Downloading {0} …").format(name))
        self._download.start(name, revision)

    def cancel(self) -> None:
        """Stop the download; the part of a hub model that has arrived is kept for the next download."""
        self._download.stop()
        self._show_end()

    def close(self) -> None:
        self._download.stop(wait=True)

    def _estimate(self) -> None:
        self._setup.judge.show_size(self._size(self._setup.judge.judge_settings()))
        self._setup.show_costs()

    def _size(self, settings: JudgeSettings) -> str:
        """Return the memory that the judge needs, or its download and disk size if it is missing."""
        item = catalogue.entry(settings.model)
        if item is not None and not catalogue.is_ready(item):
            return self.tr("{0} to download, {1} on disk").format(item.download_size, format_bytes(item.disk_mb * 1e6))
        if not settings.model:
            return ""
        on = self._find_gpu(settings.device)
        precision = settings.precision
        if on is not None and precision == "auto":
            precision = "bfloat16"  # or float16, which has the same size
        try:
            size = catalogue.memory_estimate(settings.files, precision)
        except (ModelError, OSError, ValueError):  # Scoring will report the error.
            size = None
        if size is None:
            return ""
        amount = format_bytes(size)
        # Automatic precision is never above float32.
        text = self.tr("Memory: up to {0} of weights") if precision == "auto" else self.tr("Memory: {0} of weights")
        return f"{text.format(amount)}{self._room(on, size, precision)}"

    def _find_gpu(self, device: str) -> Gpu | None:
        """Return the GPU of this setting: all together as one, or the fullest of several; None for other devices."""
        if not self._gpus or not may_have_gpu() or device in ("cpu", "mps"):
            return None
        if device == ALL_GPUS:
            free, total = sum(gpu.free for gpu in self._gpus), sum(gpu.total for gpu in self._gpus)
            return Gpu(device, self.tr("All GPUs together"), free, total)
        if device == EACH_GPU:  # the fullest decides whether the model fits
            return min(self._gpus, key=lambda gpu: gpu.free)
        return next((gpu for gpu in self._gpus if device in (gpu.device, "auto", "cuda")), None)

    def _room(self, on: Gpu | None, size: int, precision: str) -> str:
        """Return how much GPU memory is free, or why no GPU is used although there is one."""
        if on is None:
            cpu = next((way for way in needs.list_placements(()) if way.where == needs.CPU), None)
            halved = precision == "auto" and cpu is not None and cpu.type != "float32"
            if cpu is not None and not cpu.fits(size / 2 if halved else size):
                return ". " + self.tr("Too large for the {0} of this computer.").format(format_bytes(cpu.room))
            if not self._gpus or may_have_gpu():
                return ""
            return ". " + self.tr(
                "The GPU is not used because PyTorch is built for the CPU only. Press F1 to see how to change that."
            )
        room = self.tr("{0} of {1} free on {2}").format(format_bytes(on.free), format_bytes(on.total), on.name)
        return f"; {room}" + ("" if size < on.free else ". " + self.tr("It does not fit in the available memory."))

    def _show(self, percent: int, text: str) -> None:
        # The last per cent is kept for the end of the process, which shows whether it succeeded.
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
            self.message.emit(self.tr("The model is ready."))
