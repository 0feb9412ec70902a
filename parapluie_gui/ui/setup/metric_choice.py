"""The chosen metrics as specs, with their titles."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from parapluie_gui.errors import MetricError
from parapluie_gui.metrics import catalogue, column_source, consent
from parapluie_gui.metrics.column_source import ColumnSource
from parapluie_gui.metrics.spec import MetricSpec
from parapluie_gui.metrics.variants import variant_info
from parapluie_gui.ui.state.stored_values import StoredValues

#: The metric that is always computed: the horizontal axis of the paper's figures and the basis of presets.
ALWAYS = "edit_distance"

#: Key of the choice in a session and in the window's settings.
KEY = "metrics"

#: Maximum number of characters of an unknown spec shown in a sentence.
_SHOWN = 40


class MetricChoice(QObject):
    """The chosen metrics, in the catalogue's order; edit distance is always among them.

    Attributes:
        specs: The choice, such as "bleu", "bleu.ref", "sbert:FOLDER", "external:COLUMN".
        brought: The metric files among them that a session named and that were not chosen before.

    Signals:
        changed: The choice changed.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.specs: tuple[str, ...] = ()
        self.brought: frozenset[str] = frozenset()
        self.replace(catalogue.defaults())

    def add(self, spec: str) -> str:
        """Add a metric, unless it is already chosen.

        Returns:
            Its spec, as stored.

        Raises:
            MetricError: The spec is invalid, or would fill the same column as another metric.
        """
        catalogue.find(spec)
        stored = consent.absolute(spec)
        if stored not in self.specs:
            catalogue.check_distinct([*self.specs, stored])
        if consent.names_file(stored):
            consent.MetricFile.from_spec(stored).allow()  # choosing a file allows it to run
            self.brought -= {stored}
        self._set([*self.specs, stored])
        return stored

    def remove(self, spec: str) -> None:
        """Remove a metric; edit distance cannot be removed."""
        self._set([other for other in self.specs if other != spec])

    def replace(self, specs: Iterable[str]) -> list[str]:
        """Replace the choice, and return the unknown specs, which are left out."""
        ids = {info.id for info in catalogue.metrics()}
        wanted: dict[str, str] = {}
        unknown = []
        for text in specs:
            try:
                spec = MetricSpec.parse(text)
                column_source.split([text])
            except MetricError:
                unknown.append(text)
                continue
            if spec.id in ids:
                wanted.setdefault(spec.column, consent.absolute(text))
            else:
                unknown.append(text)
        self._set(list(wanted.values()))
        return unknown

    def restore(self, stored: StoredValues) -> None:
        """Restore the choice under the key "metrics", a list of specs, if there is one."""
        specs = stored.texts(KEY)
        for spec in self.replace(specs) if specs else ():
            stored.skip(f"{KEY}: {spec[:_SHOWN]}")

    def take_up(self, session: StoredValues) -> None:
        """Restore the choice of a session, which may be someone else's; if it has none, keep the user's own metrics."""
        own = self.own()
        if session.get(KEY) is not None:
            self.restore(session)
        else:
            self.replace(own)
        self.brought = frozenset(spec for spec in self.specs if consent.names_file(spec) and spec not in own)

    def own(self) -> list[str]:
        """Return the computed metrics without those that the session added."""
        return [spec for spec in self.computed_specs() if spec not in self.brought]

    def computed_specs(self) -> list[str]:
        """Return the specs of the metrics that are computed from the sentences."""
        return list(column_source.split(self.specs)[1])

    def columns_of_corpus(self) -> list[ColumnSource]:
        """Return the columns of the corpus that are used as metrics."""
        return column_source.split(self.specs)[0]

    def filling(self, column: str) -> str:
        """Return the chosen spec that fills a score column, or ""."""
        return next((spec for spec in self.specs if MetricSpec.parse(spec).column == column), "")

    def list_specs(self, metric: str) -> list[str]:
        """Return the chosen specs of one metric of the catalogue."""
        return [spec for spec in self.specs if MetricSpec.parse(spec).id == metric]

    def _set(self, specs: list[str]) -> None:
        order = {info.id: at for at, info in enumerate(catalogue.metrics())}
        chosen = list(dict.fromkeys([ALWAYS, *specs]))
        chosen.sort(key=lambda spec: order.get(MetricSpec.parse(spec).id, len(order)))
        if tuple(chosen) != self.specs:
            self.specs = tuple(chosen)
            self.changed.emit()


def spec_title(spec: str) -> str:
    """Return the title of a chosen metric: "BERTScore (layer 9)", "BLEU vs reference", a column's name."""
    wanted, info = MetricSpec.parse(spec), catalogue.info_of_spec(spec)
    if info is None:
        return spec
    if info.family == "external":
        return wanted.argument  # the title is the name of its score
    if wanted.argument and not wanted.options and not wanted.reference and info.family == "user":
        return MetricSpec("x", argument=wanted.argument).column.removeprefix("x.")
    return variant_info(info, wanted.column).title
