"""The action *Select at random*."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from parapluie_gui.arrays import Rows
from parapluie_gui.features.sampling.dialog import SamplingDialog
from parapluie_gui.features.sampling.draw import divide_into_quarters, draw_pairs
from parapluie_gui.pairs.corpus import UNLABELLED, Corpus
from parapluie_gui.ui.state.columns import has_outcomes, outcomes
from parapluie_gui.ui.window.context import WindowController

#: The part of the selection that a draw replaces.
_PART = "random"


class SamplingActions(WindowController):
    """Draws some of the selected pairs."""

    def ask(self) -> None:
        """Show the dialog."""
        if (corpus := self._require_corpus()) is None:
            return
        strata = self._strata(corpus)
        titles = {"": self.tr("(any pairs)"), **{key: title for key, (title, _) in strata.items()}}
        dialog = SamplingDialog(len(self._find_drawable_rows()), titles, self._window)

        def draw(count: int, key: str, seed: int) -> None:
            rows = self._find_drawable_rows()
            codes = strata[key][1]() if key else [0] * len(corpus)
            chosen = rows[draw_pairs([codes[row] for row in rows.tolist()], count, seed)]
            name = self.tr("{0} at random, seed {1}").format(f"{len(chosen):,}", seed)
            self._workspace.selection.set_rows(name, chosen, part=_PART)

        dialog.chosen.connect(draw)
        dialog.open()

    def _find_drawable_rows(self) -> Rows:
        """Return the rows to draw from: those selected, without regard to an earlier draw."""
        selection = self._workspace.selection
        mask = selection.mask_without(_PART)
        corpus = self._workspace.corpus
        assert corpus is not None
        return np.arange(len(corpus), dtype=np.int64) if mask is None else np.flatnonzero(mask)

    def _strata(self, corpus: Corpus) -> dict[str, tuple[str, Callable[[], Sequence[object]]]]:
        """Return the possible strata: title and the stratum of each pair, by key."""
        workspace = self._workspace
        strata: dict[str, tuple[str, Callable[[], Sequence[object]]]] = {}
        labels = workspace.labels()
        if len(set(labels.tolist()) - {UNLABELLED}) > 1:
            strata["label"] = (
                self.tr("Label"),
                lambda: [None if code == UNLABELLED else code for code in labels.tolist()],
            )
        if has_outcomes(workspace):
            strata["outcome"] = self.tr("Outcome"), lambda: [code or None for code in outcomes(workspace).tolist()]
        if corpus.group is not None:
            strata["group"] = self.tr("Group"), lambda: corpus.group or ()
        values = workspace.values(workspace.y)
        if values is not None and not np.isnan(values).all():
            title = self.tr("Quarter of {0}").format(workspace.title(workspace.y))
            strata["y"] = title, lambda: divide_into_quarters(values)
        return strata
