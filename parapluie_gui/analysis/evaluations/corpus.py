"""The corpus itself: labels, lengths, how much the wording differs, languages; no scores are needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from parapluie_gui.analysis.base import PAIRS, Analysis, Block, Remark, Run
from parapluie_gui.analysis.evaluations.distributions import histogram
from parapluie_gui.analysis.figure import Chart
from parapluie_gui.analysis.languages import languages
from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.options import part
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.statistics.distribution import BINS, bin_mask, distribution, histogram_edges
from parapluie_gui.analysis.statistics.summary import LabelSummary, Summary, by_label
from parapluie_gui.analysis.table import Cell, Table, percent
from parapluie_gui.arrays import Floats, Mask
from parapluie_gui.metrics import catalogue
from parapluie_gui.options import choice
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


_OWN = {
    "source words": "Words of the source",
    "hypothesis words": "Words of the hypothesis",
    "source characters": "Characters of the source",
    "hypothesis characters": "Characters of the hypothesis",
}
_HEADERS = {"wpd": "WPD", "ld": "LD", "edit_distance": "edit distance"}


def _title(name: str) -> str:
    info = catalogue.info(name)
    return info.title if info is not None else _OWN[name]


@dataclass(frozen=True)
class CorpusOptions:
    """What the histogram shows."""

    measure: str = choice(
        "&Histogram of",
        lambda material: {name: _title(name) for name in MEASURES},
        "what the histogram shows",
        only_shown=True,
        metavar="MEASURE",
    )
    part: str = part(only_shown=True)


@dataclass(frozen=True, eq=False)
class CorpusResult:
    """The statistics of each corpus, and each measure on every pair."""

    statistics: tuple[CorpusStatistics, ...]
    measured: Mapping[str, Floats]


class CorpusItself(Analysis[CorpusOptions, CorpusResult]):
    """Table 1 and appendix B of the PARAPHRASUS paper; a bar clicked selects its pairs."""

    name = "corpus"
    title = "Corpus"
    group = "Corpus"
    about = "Labels, lengths, wording and languages of the pairs (PARAPHRASUS, table 1 and appendix B)"
    needs = (PAIRS,)
    options = CorpusOptions
    in_report = False
    in_analyse = False

    def compute(self, material: Material, options: CorpusOptions, tick: Tick) -> CorpusResult:
        tick(0, 2)
        measured = material.studies.kept("measures", material.facts, lambda: measure(material.corpus))
        tick(1, 2)
        return CorpusResult(describe(material.corpus, measured, material.parts), measured)

    def finding(self, run: Run[CorpusOptions, CorpusResult]) -> str:
        found = run.result.statistics[-1]
        labelled = found.paraphrases + found.negatives
        words = f"{found.pairs:,} pairs of {found.sources:,} sources"
        if not labelled:
            return f"{words}, without labels."
        return f"{words}; {percent(found.paraphrases / labelled, labelled)} of the labelled ones are paraphrases."

    def blocks(self, run: Run[CorpusOptions, CorpusResult]) -> Sequence[Block]:
        found = run.result.statistics
        hint = (
            "WPD and LD are metrics too: tick them in Setup (Choose metrics…) to put them on an axis, filter by them "
            "or export them."
        )
        return balance_table(found), _histogram(run), wording_table(found), languages_table(found), Remark(hint)


def balance_table(found: Sequence[CorpusStatistics]) -> Table:
    """Return pairs, labels and distinct sources (PARAPHRASUS, table 1)."""
    rows: list[tuple[Cell, ...]] = []
    for each in found:
        labelled = each.paraphrases + each.negatives
        share = 100 * each.paraphrases / labelled if labelled else None
        counts = each.pairs, each.paraphrases, each.negatives, each.unlabelled
        rows.append((each.name, *counts, share, each.sources))
    return Table(
        "balance",
        "Pairs and labels",
        ("corpus", "pairs", "paraphrases", "not paraphrases", "unlabelled", "% paraphrases", "distinct sources"),
        tuple(rows),
        "% paraphrases: of the labelled pairs.",
        digits=2,
        scores=(),
        bars=("% paraphrases",),
    )


def wording_table(found: Sequence[CorpusStatistics]) -> Table:
    """Return lengths, deviations and edit distance per label (PARAPHRASUS, figures 5 and 6)."""
    rows: list[tuple[Cell, ...]] = []
    for each in found:
        kinds = {"all": each.pairs, "paraphrases": each.paraphrases, "not paraphrases": each.negatives}
        for kind, pairs in kinds.items():
            if pairs and (kind == "all" or pairs < each.pairs):
                rows.append((each.name, kind, pairs, *(_of(each.measures[name], kind) for name in MEASURES)))
    return Table(
        "wording",
        "Lengths and wording, mean and standard deviation",
        ("corpus", "of", "pairs", *(_HEADERS.get(name, name) for name in MEASURES)),
        tuple(rows),
        "Words are parted by white space. WPD, LD: word position deviation and lexical deviation of stems (Liu and "
        "Soh, ACL 2022), 0 to 1.",
        digits=2,
        scores=(),
    )


def languages_table(found: Sequence[CorpusStatistics]) -> Table:
    """Return the pairs of each language; no rows where no corpus tells any."""
    codes = list(dict.fromkeys(code for each in found for code in each.languages))
    rows: list[tuple[Cell, ...]] = [
        (each.name, *(each.languages.get(code, 0) for code in codes)) for each in found if each.languages
    ]
    return Table("languages", "Pairs by language", ("corpus", *codes), tuple(rows), scores=())


def _of(found: LabelSummary, kind: str) -> Summary:
    return {"all": found.all, "paraphrases": found.paraphrase, "not paraphrases": found.other}[kind]


def _histogram(run: Run[CorpusOptions, CorpusResult]) -> Chart:
    name, material = run.options.measure, run.material
    where = material.parts[run.options.part]
    values, labels = run.result.measured[name], material.labels
    edges = histogram_edges(values[where]) if name in DIFFERENCES else _whole_edges(values[where])
    found = distribution(values[where], labels[where], edges)

    def mask(label: int, point: int, now: Material) -> Mask:
        chosen = labels == label if label >= 0 else (labels != 1) & (labels != 0)
        return np.asarray(bin_mask(values, edges, point, where=where) & chosen)

    return replace(histogram("histogram", _title(name), _title(name), found, mask, (), all_kinds=True), wide=True)


def _whole_edges(values: Floats) -> Floats:
    """Return the borders of bins that hold equally many whole numbers, between the numbers."""
    if not len(values):
        return histogram_edges(values)
    low, high = float(values.min()), float(values.max())
    step = np.ceil((high - low + 1) / BINS)
    return np.asarray(np.arange(low - 0.5, high + step, step))
