"""A score has one colour in every figure, whichever other scores are drawn."""

from __future__ import annotations

from dataclasses import replace

from analysing import corpus_of, table_of

from parapluie_gui.analysis.base import analyse
from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.api.material import build_material
from parapluie_gui.ui.analysis.choice import AnalysisChoice


def colours_of(material, name: str) -> set[tuple[str, int]]:
    """Return title and colour of each score that an analysis draws as a separate curve."""
    chosen = analysis(name)
    figures = chosen.figures(analyse(chosen, material, chosen.options()))
    marks = [mark for figure in figures for mark in getattr(figure, "marks", ())]
    titles = {column.title for column in material.score_columns}
    return {(mark.name, mark.colour) for mark in marks if mark.name in titles}


def test_a_score_keeps_its_colour_in_every_figure_and_without_other_scores():
    corpus = corpus_of()
    every = build_material(corpus, table_of(corpus))
    expected = {(column.title, place) for place, column in enumerate(every.score_columns)}
    last = every.score_columns[-1]
    alone = replace(
        every, score_columns=(last,), y=last.name, colours={name: place for place, name in enumerate(every.names)}
    )
    for name in ("curves", "coverage"):
        assert colours_of(every, name) <= expected, name
        assert colours_of(alone, name) == {(last.title, len(every.names) - 1)}, name


def test_colours_stay_when_scores_come_and_go(qtbot):
    choice = AnalysisChoice()
    qtbot.addWidget(choice)
    choice.offer_scores(["bleu", "meteor"], ["bleu", "meteor"], str)
    choice.offer_scores(["pluie.direct", "bleu", "meteor"], ["pluie.direct", "bleu", "meteor"], str)
    assert choice.colours == {"bleu": 0, "meteor": 1, "pluie.direct": 2}
    choice.keep_colours(["meteor"])  # as stored in a session
    choice.offer_scores(["bleu", "meteor"], ["bleu", "meteor"], str)
    assert choice.colours == {"meteor": 0, "bleu": 1}
