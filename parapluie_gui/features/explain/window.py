"""What explains a pair in the window: a section of the Pair panel and one of the Bench, and the scores they offer."""

from __future__ import annotations

from parapluie_gui.features.explain.explaining import Explaining, explained_columns
from parapluie_gui.features.explain.why import WhyView
from parapluie_gui.ui.bench.view import BenchView
from parapluie_gui.ui.pair_panel.view import PairView
from parapluie_gui.ui.state.chosen_scores import typed_scores
from parapluie_gui.ui.window.context import Context, Helper


def add_section(view: PairView | BenchView) -> WhyView:
    """Add a section to a view that explains the view's pair, and return it."""
    why = WhyView(view.sentences)
    view.sections.add(why, why.stops)
    view.pair_changed.connect(why.set_pair)
    view.corrections_changed.connect(why.set_corrections)
    why.corrected.connect(view.correct_kinds)
    why.set_pair(*(view.texts() or ("", "")))
    why.set_corrections(view.corrections())
    return why


class ExplainingSections(Helper):
    """Lets the Pair panel and the Bench explain scores; a replacement that is chosen opens in the Bench.

    Attributes:
        in_pair, in_bench: The sections.
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.in_pair, self.in_bench = (add_section(view) for view in (context.pair, context.bench))
        for why in (self.in_pair, self.in_bench):
            why.replacing.chosen.connect(self._open_in_bench)
            context.looks.scale_too(why.beside.sentences)
        views = [view for why in (self.in_pair, self.in_bench) for view in (why, why.beside, why.replacing)]
        self._asking = [Explaining(context, view) for view in views]
        for changed in (self._setup.changed, self._workspace.columns_changed, self._workspace.corpus_changed):
            changed.connect(self._offer)
        self._offer()

    def _offer(self) -> None:
        """Offer the scores that can be asked for, and those that are worked out from them."""
        asked, titles = typed_scores(self._setup.plan)
        models = (each.judgings[0].judge.model for each in asked.values() if each.judgings)
        computed = explained_columns(self._setup.plan, self._workspace)
        self.in_pair.set_columns(list(asked), self._setup.judge.name, titles, computed)
        self.in_bench.set_columns(list(asked), next(models, ""), titles, computed)

    def _open_in_bench(self, source: str, hypothesis: str, *replaced: str) -> None:
        pair = self._pair
        known = (pair.values(), pair.models()) if (source, hypothesis) == pair.texts() else ()
        self._tabs.show_bench()
        self._bench.score_copy((source, hypothesis), (replaced[0], replaced[1]), *known)
