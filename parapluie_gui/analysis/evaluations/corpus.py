"""Statistics of a corpus without scores: labels, lengths, differences in wording, languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from parapluie_gui.analysis.base import PAIRS, Analysis, AnalysisRemark, Block, Run
from parapluie_gui.analysis.evaluations.distributions import histogram
from parapluie_gui.analysis.figure import Chart
from parapluie_gui.analysis.finding import count_pairs
from parapluie_gui.analysis.languages import languages
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.options import part
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.statistics.distribution import BINS, bin_mask, distribution, histogram_edges
from parapluie_gui.analysis.statistics.summary import LabelSummary, ScoreSummary, by_label
from parapluie_gui.analysis.table import Cell, Table, percent
from parapluie_gui.arrays import Floats, Mask
from parapluie_gui.metrics import catalogue
from parapluie_gui.options import choice
from parapluie_gui.pairs.corpus import Corpus

#: The metrics that measure differences in wording.
DIFFERENCES = ("wpd", "ld", "edit_distance")

#: The measures, in the order in which the table shows them.
MEASURES = ("source words", "hypothesis words", "source characters", "hypothesis characters", *DIFFERENCES)


@dataclass(frozen=True)
class CorpusStatistics:
    """Statistics of a corpus, or of one of several pooled corpora.

    Attributes:
        name: The name of the corpus.
        pairs, paraphrases, negatives: Numbers of pairs: all, paraphrases and negatives.
        sources: Number of distinct sources.
        languages: Number of pairs by language; empty without a column of languages.
        measures: Summaries of each of `MEASURES` per label: words split at white space, characters, deviations, edit
            distance.
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
        """The number of pairs without a label."""
        return self.pairs - self.paraphrases - self.negatives


def measure(corpus: Corpus) -> dict[str, Floats]:
    """Compute each of `MEASURES` for every pair, (n,)."""
    values = {}
    for side in ("source", "hypothesis"):
        texts: Sequence[str] = getattr(corpus, side)
        values[f"{side} words"] = np.fromiter((len(text.split()) for text in texts), np.float64, len(texts))
        values[f"{side} characters"] = np.fromiter(map(len, texts), np.float64, len(texts))
    for name in DIFFERENCES:
        values[name] = catalogue.metric(name).score(corpus.source, corpus.hypothesis)
    return {name: values[name] for name in MEASURES}


def describe(corpus: Corpus, measured: Mapping[str, Floats], parts: Mapping[str, Mask]) -> tuple[CorpusStatistics, ...]:
    """Compute the statistics of each part of a corpus (masks by name, `score_column.part_masks`); skip empty parts."""
    labels = corpus.labels
    codes = languages(corpus)
    statistics = []
    for name, where in parts.items():
        rows = np.flatnonzero(where).tolist()
        if not rows:
            continue
        part_labels = labels[where]
        spoken = () if codes is None else (codes[row] for row in rows)
        pairs_by_language = Counter(code for code in spoken if code is not None)
        statistics.append(
            CorpusStatistics(
                name=name,
                pairs=len(rows),
                paraphrases=int((part_labels == 1).sum()),
                negatives=int((part_labels == 0).sum()),
                sources=len({corpus.source[row] for row in rows}),
                languages=pairs_by_language,
                measures={title: by_label(values[where], part_labels) for title, values in measured.items()},
            )
        )
    return tuple(statistics)


_TITLES = {
    "source words": "Words of the source",
    "hypothesis words": "Words of the hypothesis",
    "source characters": "Characters of the source",
    "hypothesis characters": "Characters of the hypothesis",
}
_HEADERS = {"wpd": "WPD", "ld": "LD", "edit_distance": "edit distance"}


def _title(name: str) -> str:
    info = catalogue.info(name)
    return info.title if info is not None else _TITLES[name]


@dataclass(frozen=True)
class CorpusOptions:
    """Options of *Corpus*: the measure and the pairs of the histogram."""

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
    """The statistics of each corpus, and the measures of every pair, (n,) each."""

    statistics: tuple[CorpusStatistics, ...]
    measured: Mapping[str, Floats]


class CorpusItself(Analysis[CorpusOptions, CorpusResult]):
    """Shows table 1 and appendix B of the PARAPHRASUS paper for the corpus; clicking a bar selects its pairs."""

    name = "corpus"
    title = "Corpus"
    group = "Corpus"
    about = "Labels, lengths, wording and languages of the pairs (PARAPHRASUS, table 1 and appendix B)"
    needs = (PAIRS,)
    options = CorpusOptions
    descriptive = True
    in_report = False
    in_analyse = False

    def compute(self, material: AnalysisMaterial, options: CorpusOptions, tick: Tick) -> CorpusResult:
        tick(0, 2)
        measured = material.studies.compute_once("measures", material.corpus_parts, lambda: measure(material.corpus))
        tick(1, 2)
        return CorpusResult(describe(material.corpus, measured, material.parts), measured)

    def finding(self, run: Run[CorpusOptions, CorpusResult]) -> str:
        corpus = run.result.statistics[-1]
        labelled = corpus.paraphrases + corpus.negatives
        sources = f"{corpus.sources:,} {'source' if corpus.sources == 1 else 'sources'}"
        sentence = f"{count_pairs(corpus.pairs)} of {sources}"
        if not labelled:
            return f"{sentence}, without labels."
        return (
            f"{sentence}; {percent(corpus.paraphrases / labelled, labelled)} of {labelled:,} labelled pairs are "
            "paraphrases."
        )

    def blocks(self, run: Run[CorpusOptions, CorpusResult]) -> Sequence[Block]:
        statistics = run.result.statistics
        hint = (
            "WPD and LD are metrics too: tick them in Setup (Choose metrics…) to put them on an axis, filter by them "
            "or export them."
        )
        return (
            balance_table(statistics),
            _histogram(run),
            wording_table(statistics),
            languages_table(statistics),
            AnalysisRemark(hint),
        )


def balance_table(statistics: Sequence[CorpusStatistics]) -> Table:
    """Return the table of pairs, labels and distinct sources (PARAPHRASUS, table 1)."""
    rows: list[tuple[Cell, ...]] = []
    for corpus in statistics:
        labelled = corpus.paraphrases + corpus.negatives
        share = 100 * corpus.paraphrases / labelled if labelled else None
        counts = corpus.pairs, corpus.paraphrases, corpus.negatives, corpus.unlabelled
        rows.append((corpus.name, *counts, share, corpus.sources))
    return Table(
        "balance",
        "Pairs and labels",
        ("corpus", "pairs", "paraphrases", "not paraphrases", "unlabelled", "% paraphrases", "distinct sources"),
        tuple(rows),
        "% paraphrases is the share of the labelled pairs.",
        digits=2,
        scores=(),
        bars=("% paraphrases",),
    )


def wording_table(statistics: Sequence[CorpusStatistics]) -> Table:
    """Return the table of lengths, deviations and edit distance per label (PARAPHRASUS, figures 5 and 6)."""
    rows: list[tuple[Cell, ...]] = []
    for corpus in statistics:
        kinds = {"all": corpus.pairs, "paraphrases": corpus.paraphrases, "not paraphrases": corpus.negatives}
        for kind, pairs in kinds.items():
            if pairs and (kind == "all" or pairs < corpus.pairs):
                rows.append(
                    (corpus.name, kind, pairs, *(_summary_of(corpus.measures[name], kind) for name in MEASURES))
                )
    return Table(
        "wording",
        "Lengths and wording, mean and standard deviation",
        ("corpus", "of", "pairs", *(_HEADERS.get(name, name) for name in MEASURES)),
        tuple(rows),
        "Words are separated by white space. WPD, LD: word position deviation and lexical deviation of stems (Liu and "
        "Soh, ACL 2022), 0 to 1.",
        digits=2,
        scores=(),
    )


def languages_table(statistics: Sequence[CorpusStatistics]) -> Table:
    """Return the table of the numbers of pairs by language; it has no rows if no corpus has a column of languages."""
    codes = list(dict.fromkeys(code for corpus in statistics for code in corpus.languages))
    rows: list[tuple[Cell, ...]] = [
        (corpus.name, *(corpus.languages.get(code, 0) for code in codes)) for corpus in statistics if corpus.languages
    ]
    return Table("languages", "Pairs by language", ("corpus", *codes), tuple(rows), scores=())


def _summary_of(summaries: LabelSummary, kind: str) -> ScoreSummary:
    return {"all": summaries.all, "paraphrases": summaries.paraphrase, "not paraphrases": summaries.other}[kind]


def _histogram(run: Run[CorpusOptions, CorpusResult]) -> Chart:
    name, material = run.options.measure, run.material
    where = material.parts[run.options.part]
    values, labels = run.result.measured[name], material.labels
    edges = histogram_edges(values[where]) if name in DIFFERENCES else _integer_edges(values[where])
    values_by_label = distribution(values[where], labels[where], edges)

    def mask(label: int, point: int, now: AnalysisMaterial) -> Mask:
        chosen = labels == label if label >= 0 else (labels != 1) & (labels != 0)
        return np.asarray(bin_mask(values, edges, point, where=where) & chosen)

    return replace(
        histogram("histogram", _title(name), _title(name), values_by_label, mask, (), all_kinds=True), wide=True
    )


def _integer_edges(values: Floats) -> Floats:
    """Return the borders of bins with equally many integers each; borders lie between integers."""
    if not len(values):
        return histogram_edges(values)
    low, high = float(values.min()), float(values.max())
    step = np.ceil((high - low + 1) / BINS)
    return np.asarray(np.arange(low - 0.5, high + step, step))
