"""How fast judges were on this computer: pairs a second under each template, as the last run measured it."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject

from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import Template
from parapluie_gui.scores.identity import ColumnIdentity, identify, judge_word
from parapluie_gui.ui.state.kept_values import KeptValues

#: Speeds that are kept, the latest measured.
_MOST = 400


class MeasuredSpeeds(QObject):
    """Speeds by judge, precision and template."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rates: dict[str, float] = {}

    def note(self, identity: ColumnIdentity, rate: float) -> None:
        """Take the pairs a second that a judge manages now."""
        maker = identity.maker
        if maker is not None and maker.judge and rate > 0:
            key = _key(maker.judge, maker.precision, maker.template)
            self._rates.pop(key, None)
            self._rates[key] = rate
            while len(self._rates) > _MOST:
                del self._rates[next(iter(self._rates))]

    def rate(self, judge: JudgeSettings, template: Template) -> float:
        """Return the pairs a second of a judge under a template, in any precision where that is automatic; 0: unknown.

        Where that template was never asked, it is the slowest of those that were.
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
        """Return the speeds, fit for JSON."""
        return dict(self._rates)

    def restore(self, settings: Mapping[str, object]) -> None:
        """Take back what `settings` returned; what makes no sense is left out."""
        kept = KeptValues.of(settings)
        for key in list(kept):
            rate = kept.number(key)
            if rate is not None and rate > 0 and key.count("|") == 2:
                self._rates[key] = rate


def _key(judge: str, precision: str, template: str) -> str:
    return f"{judge_word(judge)}|{precision}|{template}"
