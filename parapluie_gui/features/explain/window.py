"""The explanation sections of the Pair panel and of the Bench."""

from __future__ import annotations

from parapluie_gui.features.explain.variant_scorer import VariantScorer, explainable_columns
from parapluie_gui.features.explain.view import ExplanationView
from parapluie_gui.ui.bench.view import BenchView
from parapluie_gui.ui.pair_panel.view import PairView
from parapluie_gui.ui.state.chosen_scores import typed_scores
from parapluie_gui.ui.window.context import WindowContext, WindowController


def add_section(view: PairView | BenchView) -> ExplanationView:
    """Add a section that explains a view's pair, and return the section."""
    section = ExplanationView(view.sentences)
    view.sections.add(section, section.stops)
    view.pair_changed.connect(section.set_pair)
    view.corrections_changed.connect(section.set_corrections)
    section.corrected.connect(view.correct_kinds)
    section.set_pair(*(view.texts() or ("", "")))
    section.set_corrections(view.corrections())
    return section


class ExplanationSections(WindowController):
    """Adds explanations to the Pair panel and the Bench, and opens chosen replacements in the Bench.

    Attributes:
        in_pair, in_bench: The sections.
    """

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self.in_pair, self.in_bench = (add_section(view) for view in (context.pair, context.bench))
        for why in (self.in_pair, self.in_bench):
            why.replacements.chosen.connect(self._open_in_bench)
            context.looks.scale_too(why.second_score.sentences)
        views = [view for why in (self.in_pair, self.in_bench) for view in (why, why.second_score, why.replacements)]
        self._scorers = [VariantScorer(context, view) for view in views]
        for changed in (self._setup.changed, self._workspace.columns_changed, self._workspace.corpus_changed):
            changed.connect(self._offer_scores)
        self._offer_scores()

    def _offer_scores(self) -> None:
        """Offer the scores chosen in Setup, and the columns computed from them."""
        plans, titles = typed_scores(self._setup.plan)
        models = (plan.judgings[0].judge.model for plan in plans.values() if plan.judgings)
        computed = explainable_columns(self._setup.plan, self._workspace)
        self.in_pair.set_columns(list(plans), self._setup.judge.name, titles, computed)
        self.in_bench.set_columns(list(plans), next(models, ""), titles, computed)

    def _open_in_bench(self, source: str, hypothesis: str, *variant: str) -> None:
        pair = self._pair
        known = (pair.values(), pair.models()) if (source, hypothesis) == pair.texts() else ()
        self._tabs.show_bench()
        self._bench.score_copy((source, hypothesis), (variant[0], variant[1]), *known)
