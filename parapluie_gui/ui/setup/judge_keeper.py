"""Keeps the judges and templates of Setup with the session."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from parapluie_gui.models.catalogue import entry
from parapluie_gui.models.hub_cache import hub_name
from parapluie_gui.models.sources import find_source
from parapluie_gui.ui.setup.setup import SetupView
from parapluie_gui.ui.state.session_settings import SessionSettings
from parapluie_gui.ui.state.stored_values import StoredValues

#: The session's setting with the judges and their templates, and the parts of Setup's settings in it.
KEY, _PARTS = "judging", ("judge", "templates", "both_directions", "judges")


class JudgeKeeper(QObject):
    """Stores the judges and templates in the session, and chooses them again when it is opened.

    A session may come from someone else: a server that it names is chosen only if the user has it in Setup.

    Signals:
        refused: (str) A sentence: a judge of the session was not chosen, and why.
    """

    refused = Signal(str)

    def __init__(self, setup: SetupView, settings: SessionSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._setup, self._settings, self._restoring = setup, settings, False
        setup.changed.connect(self._keep)
        settings.opened.connect(self.take_up)

    def take_up(self) -> None:
        """Choose the session's judges, or keep the current ones if it has none."""
        if KEY not in self._settings.values:
            self._keep()
            return
        stored = self._settings.values.part(KEY)
        wanted: dict[str, object] = {name: stored[name] for name in _PARTS if name in stored}
        judge, others = stored.part("judge"), wanted.get("judges")
        listed = [item for item in others if isinstance(item, dict)] if isinstance(others, list) else []
        names = [judge.text("model"), *(StoredValues(item).text("model") for item in listed)]
        strange = [name for name in names if name and not self._may_choose(name)]
        if judge.text("model") in strange:
            del wanted["judge"]
        wanted["judges"] = [item for item in listed if item.get("model") not in strange]
        self._restoring = True
        self._setup.restore(StoredValues(wanted))
        self._restoring = False
        if strange:
            words = self.tr("This session used the judge {0}. To use it again, choose it in Setup.")
            self.refused.emit(words.format(", ".join(dict.fromkeys(strange))))

    def _may_choose(self, model: str) -> bool:
        """Return whether a session may choose a judge: one that is listed, from the hub, or a file on this computer."""
        chosen = {self._setup.judge.name, *(judging.judge.model for judging in self._setup.judges.judges)}
        if model in chosen or any(choice.name == model for choice in self._setup.judge.choices):
            return True
        if find_source(model) is not None or model.startswith(("//", "\\\\")):
            return False
        return entry(model) is not None or hub_name(model) is not None or Path(model).exists()

    def _keep(self) -> None:
        if self._restoring:
            return
        settings: Mapping[str, object] = self._setup.settings()
        self._settings.keep(KEY, {name: settings[name] for name in _PARTS})
