"""The speed of judges on this computer, in pairs per second under each template, as measured in the last run."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject

from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import Template
from parapluie_gui.scores.identity import ColumnIdentity, identify, judge_word
from parapluie_gui.ui.state.stored_values import StoredValues

#: Maximum number of speeds stored; the latest are kept.
_MOST = 400


class MeasuredSpeeds(QObject):
    """Speeds by judge, precision and template."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rates: dict[str, float] = {}

    def note(self, identity: ColumnIdentity, rate: float) -> None:
        """Store the current speed of a judge, in pairs per second."""
        maker = identity.maker
        if maker is not None and maker.judge and rate > 0:
            key = _key(maker.judge, maker.precision, maker.template)
            self._rates.pop(key, None)
            self._rates[key] = rate
            while len(self._rates) > _MOST:
                del self._rates[next(iter(self._rates))]

    def rate(self, judge: JudgeSettings, template: Template) -> float:
        """Return the speed of a judge under a template in pairs per second, 0 if unknown; "auto" means any precision.

        If the template was never measured, the slowest measured template is used.
        """
        maker = identify(template.column).maker
        asked = "" if maker is None else maker.template
        known: dict[str, float] = {}
        for key, rate in self._rates.items():
            word, precision, name = key.split("|")
            if word == judge_word(judge.model) and judge.precision in ("auto", precision):
                known[name] = rate
        return known.get(asked, min(known.values(), default=0.0))

    def settings(self) -> dict[str, object]:
        """Return the speeds as JSON values."""
        return dict(self._rates)

    def restore(self, settings: Mapping[str, object]) -> None:
        """Restore what `settings` returned; invalid values are ignored."""
        rates = StoredValues.wrap(settings)
        for key in list(rates):
            rate = rates.number(key)
            if rate is not None and rate > 0 and key.count("|") == 2:
                self._rates[key] = rate


def _key(judge: str, precision: str, template: str) -> str:
    return f"{judge_word(judge)}|{precision}|{template}"
