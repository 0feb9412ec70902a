"""Training PEM: from a parallel text and human scores to a model file."""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from parapluie_gui.arrays import Floats, Scores
from parapluie_gui.errors import CorpusError, MetricError
from parapluie_gui.features.pem import alignment, language, network, regression
from parapluie_gui.features.pem.model import PemModel, PhraseTable
from parapluie_gui.features.pem.phrases import BITS, PhraseCounts
from parapluie_gui.features.pem.regression import Fit, Regression
from parapluie_gui.features.pem.scorer import PemScorer
from parapluie_gui.features.pem.words import Stemmer, words
from parapluie_gui.version import __version__

#: Called with a step in words, how much of it is done and how much there is (0: unknown).
Report = Callable[[str, int, int], None]

#: Sentences longer than this teach no phrases: they are few, and aligning them costs the square of their length.
LONGEST_SENTENCE = 100

#: Fewest usable sentence pairs and human scores; with less, no number that comes out means anything.
FEWEST_SENTENCES = 100
FEWEST_SCORES = 50

#: n-grams of one to four words that occur less often are left out of the language model.
LEAST = (1, 1, 2, 2)

#: The most frequent stems and pivot words that are numbered; phrases with others are left out.
_MOST_STEMS = 2**BITS - 1
_MOST_PIVOTS = 2 ** (network.BITS - 2)


@dataclass(frozen=True)
class Settings:
    """How a model is trained.

    Attributes:
        aligner: A name of `alignment.ALIGNERS`, or "auto" for the best one installed.
        stemmer: Of the sentences that are scored, in all three components: "porter" for English.
        pivot_stemmer: Of the pivot language, for the alignment only; "none" or an algorithm of snowballstemmer.
        least: Phrases of several words that occur less often are left out: what was seen a few times has translations
            that say little.
        scale: The worst and the best human score; by default the least and the greatest of each file.
        seed: Of the cross-validation. (eflomal seeds itself: two trainings with it differ a little.)
    """

    aligner: str = "auto"
    stemmer: str = "porter"
    pivot_stemmer: str = "none"
    least: int = 20
    scale: tuple[float, float] | None = None
    seed: int = 0


def train(
    parallel: Path, human: Sequence[Path], output: Path, settings: Settings, report: Report
) -> tuple[PemModel, Fit]:
    """Train a model and write it to `output`.

    `parallel` holds a sentence, a TAB and its translation in each line (more columns are not read), `human` names
    corpora of pairs with human scores.

    Raises:
        CorpusError: A file cannot be read, or holds too little.
        MetricError: A library is missing, or a setting is wrong.
    """
    aligner = alignment.choose(settings.aligner)
    try:
        stemmer, pivot_stemmer = Stemmer(settings.stemmer), Stemmer(settings.pivot_stemmer)
    except ValueError as error:
        raise MetricError(f"PEM cannot be trained: {error}.") from error
    _check_output(output)
    if importlib.util.find_spec("sklearn") is None:
        raise MetricError(
            "Training needs scikit-learn, which is not installed; `pip install 'parapluie_gui[pem]'` brings it."
        )
    # The small files first: what is wrong with them is reported before hours of work.
    scored = [_read_scores(file, settings.scale) for file in human]
    sources, pivots = _read_parallel(parallel, report)
    stems = [stemmer.stems(each) for each in sources]
    report(f"Aligning with {aligner}", 0, 0)
    links = alignment.align(stems, [pivot_stemmer.stems(each) for each in pivots], aligner)
    phrases = _phrases(stems, pivots, links, report)
    report("Packing the phrase table", 0, 0)
    table = _pack(phrases, settings.least)
    report("Estimating the language model", 0, 0)
    vocabulary, language_model = _language_model(stems)
    facts = {
        "name": output.stem,
        "stemmer": settings.stemmer,
        "aligner": aligner,
        "pivot_stemmer": settings.pivot_stemmer,
        "least": settings.least,
        "sentences": len(sources),
        "parallel": parallel.name,
        "human": {file.name: len(scores) for file, (_, _, scores) in zip(human, scored, strict=True)},
        "seed": settings.seed,
        "trained_with": __version__,
    }
    nothing = Regression(np.zeros(3), np.ones(3), np.zeros((0, 3), np.float32), np.zeros(0, np.float32), 1.0, 0.0)
    scorer = PemScorer(PemModel(table, vocabulary, language_model, nothing, facts))
    components = _components(scorer, scored, report)
    report("Fitting the regression", 0, 0)
    scores = np.concatenate([each for _, _, each in scored])
    usable = np.isfinite(components).all(axis=1)
    found, fit = regression.fit(components[usable], scores[usable], settings.seed)
    facts |= {"regression": fit.chosen, "cross_validated_pearson": round(fit.pearson, 4), "scores": fit.pairs}
    model = PemModel(table, vocabulary, language_model, found, facts)
    model.save(output)
    return model, fit


def _check_output(output: Path) -> None:
    if output.is_dir() or not output.parent.is_dir():
        raise MetricError(f"The model cannot be written to {output}. Name a file in a folder that exists.")


def _phrases(
    sources: Sequence[Sequence[str]], pivots: Sequence[Sequence[str]], links: Sequence[alignment.Links], report: Report
) -> PhraseCounts:
    phrases = PhraseCounts()
    for at, (source, pivot, link) in enumerate(zip(sources, pivots, links, strict=True), 1):
        phrases.add(source, pivot, link)
        if at % 5000 == 0 or at == len(sources):
            report("Extracting phrases", at, len(sources))
    return phrases


def _read_parallel(file: Path, report: Report) -> tuple[list[list[str]], list[list[str]]]:
    from parapluie_gui.pairs.reading.encoding import decode
    from parapluie_gui.pairs.reading.filekind import load_bytes

    text, _, _ = decode(load_bytes(file), file)
    # Not splitlines(): it breaks at signs that sentences hold, such as U+2028.
    lines = text.split("\n")
    sources, pivots = [], []
    for at, line in enumerate(lines, 1):
        source, tab, rest = line.rstrip("\r").partition("\t")
        if line.strip() and not tab:
            raise CorpusError("there is no TAB between a sentence and its translation", "put one in", file, at)
        one, other = words(source), words(rest.partition("\t")[0])
        if 0 < len(one) <= LONGEST_SENTENCE and 0 < len(other) <= LONGEST_SENTENCE:
            sources.append(one)
            pivots.append(other)
        if at % 20_000 == 0 or at == len(lines):
            report("Reading the parallel text", at, len(lines))
    if len(sources) < FEWEST_SENTENCES:
        what = f"only {len(sources)} lines hold a sentence and its translation"
        raise CorpusError(what, f"give at least {FEWEST_SENTENCES}, better a hundred thousand", file)
    return sources, pivots


def _read_scores(file: Path, scale: tuple[float, float] | None) -> tuple[list[str], list[str], Scores]:
    """Return sources, hypotheses and human scores mapped onto 1..5."""
    from parapluie_gui.pairs.reading.reader import read

    corpus = read(file)
    if corpus.human is None:
        raise CorpusError("no column holds human scores", "call it human, or give a corpus that has one", file)
    rows = np.flatnonzero(np.isfinite(corpus.human))
    if len(rows) < FEWEST_SCORES:
        raise CorpusError(f"only {len(rows)} pairs have a human score", f"give at least {FEWEST_SCORES}", file)
    scores = corpus.human[rows]
    low, high = scale or (float(scores.min()), float(scores.max()))
    if not low < high or scores.min() < low or scores.max() > high:
        what = f"its human scores go from {scores.min():g} to {scores.max():g}"
        raise CorpusError(what, f"that does not fit the scale from {low:g} to {high:g}, give another", file)
    return (
        [corpus.source[row] for row in rows.tolist()],
        [corpus.hypothesis[row] for row in rows.tolist()],
        1 + 4 * (scores - low) / (high - low),
    )


def _components(scorer: PemScorer, scored: Sequence[tuple[list[str], list[str], Scores]], report: Report) -> Floats:
    sources = list(chain.from_iterable(each[0] for each in scored))
    hypotheses = list(chain.from_iterable(each[1] for each in scored))
    parts = []
    for start in range(0, len(sources), 1000):
        parts.append(scorer.components(sources[start : start + 1000], hypotheses[start : start + 1000]))
        report("Scoring the pairs of the human scores", min(start + 1000, len(sources)), len(sources))
    return np.concatenate(parts)


def _language_model(sentences: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], language.LanguageModel]:
    """Return the vocabulary and the model of the distinct sentences: a parallel text repeats many."""
    distinct = sorted({tuple(each) for each in sentences})
    vocabulary = tuple(sorted(set(chain.from_iterable(distinct))))
    numbers = {word: at for at, word in enumerate(vocabulary, language.FIRST)}
    text = [[numbers[word] for word in each] for each in distinct]
    return vocabulary, language.train(text, len(vocabulary) + language.FIRST, LEAST)


def _pack(phrases: PhraseCounts, least: int) -> PhraseTable:
    """Return the phrases as arrays: single words all, longer ones that occur `least` times or more."""
    kept = [each for each, count in phrases.occurrences.items() if len(each) == 1 or count >= least]
    stems = _numbers(kept, _MOST_STEMS)
    edges = {phrase: phrases.edges(phrase) for phrase in kept if all(word in stems for word in phrase)}
    pivots = _numbers((text for each in edges.values() for text, _ in each), _MOST_PIVOTS)
    keyed = []
    for phrase, each in edges.items():
        usable = [(text, share) for text, share in each if all(word in pivots for word in text)]
        if usable:
            key = 0
            for word in phrase:
                key = key << BITS | stems[word]
            keyed.append((key, phrases.occurrences[phrase], usable))
    keyed.sort(key=lambda each: each[0])
    flat = [edge for _, _, each in keyed for edge in each]
    return PhraseTable(
        tuple(stems),
        tuple(pivots),
        np.array([key for key, _, _ in keyed], dtype=np.uint64),
        np.array([count for _, count, _ in keyed], dtype=np.uint32),
        phrases.occurrences.total(),
        np.array([len(each) for _, _, each in keyed], dtype=np.uint8),
        np.array([share for _, share in flat], dtype=np.float32),
        np.array([len(text) for text, _ in flat], dtype=np.uint8),
        np.array([pivots[word] for text, _ in flat for word in text], dtype=np.uint32),
    )


def _numbers(texts: Iterable[Sequence[str]], most: int) -> dict[str, int]:
    """Number the words, frequent ones first, from 1; at most `most`."""
    counts = Counter(chain.from_iterable(texts))
    ranked = sorted(counts, key=lambda word: (-counts[word], word))[:most]
    return {word: at for at, word in enumerate(ranked, 1)}
