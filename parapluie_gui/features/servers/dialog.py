"""The dialog "Connect to a server…": address, key, prices, and where the sentences are sent."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QLineEdit,
    QPushButton,
    QWidget,
)

from parapluie_gui.errors import ModelError
from parapluie_gui.features.servers.nearby import NearbyServer, list_nearby_servers
from parapluie_gui.features.servers.record import normalise_address, parse_host
from parapluie_gui.models.sources import is_this_computer
from parapluie_gui.ui.setup.model_download import ModelDownload
from parapluie_gui.ui.state.task import BackgroundTask, stop_tasks
from parapluie_gui.ui.widgets.arrange import button, flow, name_control, vbox
from parapluie_gui.ui.widgets.controls import bar, dialog_buttons, form, line, number, plain
from parapluie_gui.ui.widgets.decimal_box import DecimalBox
from parapluie_gui.ui.widgets.wrapped import WrappedText


class ServerDialog(QDialog):
    """The dialog that asks for a server and tests it with a few built-in sentences before it becomes a judge.

    Signals:
        connected: (address) The server passed the test and can be a judge.
    """

    connected = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "judges")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Connect to a server"))
        self.setMinimumWidth(460)
        self.address = line(self.tr("Address"), "http://127.0.0.1:8080")
        self.model = line(self.tr("Model"), self.tr("the server's only model"))
        self.key = line(self.tr("Key"), self.tr("none"))
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.price_read = self._price(self.tr("Price per million tokens read"))
        self.price_written = self._price(self.tr("Price per million tokens written"))
        self._where = WrappedText(self, muted=True)
        self._where.setObjectName("where sentences are sent")
        self._problem = WrappedText(self, bad=True)
        self._problem.setObjectName("problem")
        self._bar = bar(self.tr("Connecting"))
        self._bar.hide()
        self.connect_button = QPushButton(self.tr("Connect"), self)
        name_control(
            self.connect_button, self.connect_button.text(), self.tr("Try the server with a few test sentences")
        )
        fields = (
            (self.tr("&Address"), self.address),
            (self.tr("&Model"), self.model),
            (self.tr("&Key"), self.key),
            (self.tr("Price, 1 M tokens &read"), self.price_read),
            (self.tr("Price, 1 M tokens &written"), self.price_written),
        )
        buttons = dialog_buttons(self, ok=self.connect_button, accept=self._connect)
        self._nearby = QWidget(self)
        self._nearby.hide()
        vbox(form(fields), self._nearby, self._where, self._problem, self._bar, 1, buttons, within=self)
        self._process = ModelDownload(self)
        self._process.ended.connect(self._end)
        self.address.textChanged.connect(self._show_where)
        self._show_where()
        self._looking: BackgroundTask[list[NearbyServer]] | None = BackgroundTask(
            lambda tell: list_nearby_servers(), self
        )
        self._looking.begin(self._offer, lambda error: None, self._end_looking)

    def _offer(self, servers: list[NearbyServer]) -> None:
        """Offer the addresses on which something listens."""
        if servers:
            tip = self.tr("A program is listening on this usual port. Click to fill in the address; nothing is sent.")
            buttons = [
                button(
                    f"{server.program} · {server.address.partition('//')[2]}", partial(self._fill, server.address), tip
                )
                for server in servers
            ]
            self._nearby.setLayout(flow(plain(self.tr("Found on this computer:")), *buttons))
            self._nearby.show()

    def _end_looking(self) -> None:
        self._looking = None

    def _fill(self, address: str) -> None:
        self.address.setText(address)

    def done(self, result: int) -> None:
        stop_tasks(self._looking)
        self._process.stop(wait=True)
        super().done(result)

    def _price(self, name: str) -> DecimalBox:
        box = number(
            name, (0.0, 9_999.0), 0.0, self.tr("In any currency. Used to estimate what scoring costs"), decimals=3
        )
        box.setSpecialValueText(self.tr("none"))
        return box

    def _normalised_address(self) -> str:
        """Return the normalised address, with the model.

        Raises:
            ModelError: The text is not an address.
        """
        address, model = self.address.text().strip(), self.model.text().strip()
        return normalise_address(f"{address.partition('#')[0]}#{model}" if model else address)

    def _show_where(self) -> None:
        self._problem.say("")
        self.connect_button.setEnabled(bool(self.address.text().strip()))
        try:
            address = self._normalised_address()
        except ModelError:
            self._where.say(self.tr("vLLM, SGLang, llama.cpp, Ollama, LM Studio, or any server that returns logprobs."))
            return
        if is_this_computer(address):
            self._where.say(self.tr("Sentences stay on this computer."))
        else:
            text = self.tr("Sentences that this judge scores are sent to {0}, which is not this computer.")
            self._where.say(text.format(parse_host(address)))

    def _connect(self) -> None:
        if self._process.running:
            return
        try:
            address = self._normalised_address()
        except ModelError as error:
            self._problem.say(str(error))
            return
        key = self.key.text().strip()
        self._problem.say("")
        self._set_busy(True)
        prices = (self.price_read.value(), self.price_written.value())
        price = ["--price", *map(str, prices)] if any(prices) else []
        self._process.run(["connect", "--json", *(["--key"] if key else []), *price, address], key)

    def _set_busy(self, busy: bool) -> None:
        self._bar.setVisible(busy)
        fields = (self.address, self.model, self.key, self.price_read, self.price_written)
        for widget in (*fields, self.connect_button):
            widget.setEnabled(not busy)

    def _end(self, error: str) -> None:
        self._set_busy(False)
        self._problem.say(error)
        if not error:
            self.connected.emit(self._normalised_address())
            self.accept()
