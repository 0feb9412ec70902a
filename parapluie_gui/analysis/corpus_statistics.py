"""What a corpus is like before anything is scored: classes, lengths, and how its sentences differ in wording.

PARAPHRASUS gives these for its parts (Michail et al., COLING 2025, table 1 and appendix B, figures 5 and 6).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from parapluie_gui.analysis.languages import languages
from parapluie_gui.analysis.statistics.summary import LabelSummary, by_label
from parapluie_gui.arrays import Floats, Mask
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs.corpus import Corpus

#: The metrics that say how the wording differs.
DIFFERENCES = ("wpd", "ld", "edit_distance")

#: The measures, in the order of the table.
MEASURES = ("source words", "hypothesis words", "source characters", "hypothesis characters", *DIFFERENCES)


@dataclass(frozen=True)
class CorpusStatistics:
    """A corpus, or one that was pooled into it.

    Attributes:
        name: What it is called.
        pairs, paraphrases, negatives: Its pairs, and those with either label.
        sources: Its distinct sources.
        languages: How many pairs each language has, where the corpus tells it.
        measures: Each of `MEASURES` per label: words at white space, characters, deviations and edit distance.
    """

    name: str
    pairs: int
    paraphrases: int
    negatives: int
    sources: int
    languages: Mapping[str, int]
    measures: Mapping[str, LabelSummary]

    @property
    def unlabelled(self) -> int:
        """Pairs without a label."""
        return self.pairs - self.paraphrases - self.negatives


def measure(corpus: Corpus) -> dict[str, Floats]:
    """Return each of `MEASURES` on every pair, (n,)."""
    found = {}
    for side in ("source", "hypothesis"):
        texts: Sequence[str] = getattr(corpus, side)
        found[f"{side} words"] = np.fromiter((len(text.split()) for text in texts), np.float64, len(texts))
        found[f"{side} characters"] = np.fromiter(map(len, texts), np.float64, len(texts))
    for name in DIFFERENCES:
        found[name] = catalogue.metric(name).score(corpus.source, corpus.hypothesis)
    return {name: found[name] for name in MEASURES}


def describe(corpus: Corpus, measured: Mapping[str, Floats], parts: Mapping[str, Mask]) -> tuple[CorpusStatistics, ...]:
    """Return the statistics of each part of a corpus, such as `score_column.parts` returns; empty ones are left out."""
    labels = corpus.labels
    codes = languages(corpus)
    found = []
    for name, where in parts.items():
        rows = np.flatnonzero(where).tolist()
        if not rows:
            continue
        own = labels[where]
        spoken: dict[str, int] = {}
        for row in rows if codes is not None else ():
            code = codes[row] if codes is not None else None
            if code is not None:
                spoken[code] = spoken.get(code, 0) + 1
        found.append(
            CorpusStatistics(
                name=name,
                pairs=len(rows),
                paraphrases=int((own == 1).sum()),
                negatives=int((own == 0).sum()),
                sources=len({corpus.source[row] for row in rows}),
                languages=spoken,
                measures={each: by_label(values[where], own) for each, values in measured.items()},
            )
        )
    return tuple(found)
