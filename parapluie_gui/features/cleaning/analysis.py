"""The table of oddities inside the sentences of a corpus, on the page *Corpus*."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from parapluie_gui.analysis.base import PAIRS, Analysis, Block, Run
from parapluie_gui.analysis.link import PairsLink
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.table import Table
from parapluie_gui.pairs.oddities import FoundOddity, find_oddities


@dataclass(frozen=True)
class InsideOptions:
    """No options: the analysis is always computed in the same way."""


class InsideSentences(Analysis[InsideOptions, tuple[FoundOddity, ...]]):
    """Shows the kinds of oddity in a corpus, with the number of pairs; clicking a row selects them."""

    name = "oddities"
    title = "Inside the sentences"
    group = "Corpus"
    about = "Markup, HTML entities, tabs, invisible characters, repeated pairs"
    needs = (PAIRS,)
    options = InsideOptions
    descriptive = True
    in_report = False
    in_analyse = False

    def compute(self, material: AnalysisMaterial, options: InsideOptions, tick: Tick) -> tuple[FoundOddity, ...]:
        return tuple(find_oddities(material.corpus, lambda: tick(0, 1)))

    def finding(self, run: Run[InsideOptions, tuple[FoundOddity, ...]]) -> str:
        if not run.result:
            return "There are no markup, entities or other oddities inside the sentences, and no repeated pairs."
        return f"Inside the sentences: {'; '.join(kind.describe(run.material.corpus) for kind in run.result)}."

    def blocks(self, run: Run[InsideOptions, tuple[FoundOddity, ...]]) -> Sequence[Block]:
        corpus, kinds = run.material.corpus, run.result
        return (
            Table(
                "oddities",
                "Inside the sentences",
                ("what", "pairs", "first", "cleaned by"),
                tuple((kind.title, len(kind.rows), corpus.id[kind.rows[0]], kind.key or "-") for kind in kinds),
                "`parapluie clean --only NAME` and *File, This corpus, Clean…* write a copy without the oddities that "
                "have a name in the last column. Click a row to select its pairs.",
                scores=(),
                link=lambda row, column: _pairs(kinds[row], len(corpus)),
            ),
        )


def _pairs(kind: FoundOddity, count: int) -> PairsLink:
    mask = np.zeros(count, dtype=bool)
    mask[list(kind.rows)] = True
    return PairsLink(kind.title, lambda now: mask)
