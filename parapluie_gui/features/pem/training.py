"""Trains PEM models from a parallel text and human scores."""

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
from parapluie_gui.features.pem.regression import RegressionFit, SupportVectorRegression
from parapluie_gui.features.pem.scorer import PemScorer
from parapluie_gui.features.pem.words import Stemmer, words
from parapluie_gui.version import __version__

#: A function called with the name of a step, the amount done and the total (0: unknown).
Report = Callable[[str, int, int], None]

#: Length of the longest sentence used in training, in words: longer ones are rare, and aligning costs the square of the
#: length.
LONGEST_SENTENCE = 100

#: Minimum number of sentence pairs and of human scores; a model trained on fewer would be meaningless.
FEWEST_SENTENCES = 100
FEWEST_SCORES = 50

#: Minimum counts of n-grams of one to four words in the language model.
LEAST = (1, 1, 2, 2)

#: Maximum number of stems and pivot words in the phrase table, by frequency; phrases with other words are left out.
_MOST_STEMS = 2**BITS - 1
_MOST_PIVOTS = 2 ** (network.BITS - 2)


@dataclass(frozen=True)
class PemSettings:
    """Settings of the training of a model.

    Attributes:
        aligner: A name of `alignment.ALIGNERS`, or "auto" for the best one installed.
        stemmer: The stemmer of the scored sentences, for all three components: "porter" for English.
        pivot_stemmer: The stemmer of the pivot language, for alignment only; "none" or an algorithm of snowballstemmer.
        least: Minimum count of a phrase of several words, because the translations of rarer phrases are unreliable.
        scale: The worst and the best human score; by default the lowest and the highest of each file.
        seed: The seed of the cross-validation. (eflomal uses its own, so two trainings with it differ slightly.)
    """

    aligner: str = "auto"
    stemmer: str = "porter"
    pivot_stemmer: str = "none"
    least: int = 20
    scale: tuple[float, float] | None = None
    seed: int = 0


def train(
    parallel: Path, human: Sequence[Path], output: Path, settings: PemSettings, report: Report
) -> tuple[PemModel, RegressionFit]:
    """Train a model and write it to `output`.

    Each line of `parallel` has a sentence, a TAB and its translation (more columns are ignored); `human` names corpora
    of pairs with human scores.

    Raises:
        CorpusError: A file cannot be read, or has too little data.
        MetricError: A library is missing, or a setting is wrong.
    """
    aligner = alignment.choose_aligner(settings.aligner)
    try:
        stemmer, pivot_stemmer = Stemmer(settings.stemmer), Stemmer(settings.pivot_stemmer)
    except ValueError as error:
        raise MetricError(f"PEM cannot be trained: {error}.") from error
    if output.is_dir() or not output.parent.is_dir():
        raise MetricError(f"The model cannot be written to {output}. Name a file in a folder that exists.")
    if importlib.util.find_spec("sklearn") is None:
        raise MetricError(
            "Training needs scikit-learn, which is not installed. Run `pip install 'parapluie_gui[pem]'`."
        )
    # The small files first, so that their errors are reported before hours of work.
    scored = [_read_scores(file, settings.scale) for file in human]
    sources, pivots = _read_parallel(parallel, report)
    stems = [stemmer.stems(sentence) for sentence in sources]
    report(f"Aligning with {aligner}", 0, 0)
    links = alignment.align(stems, [pivot_stemmer.stems(sentence) for sentence in pivots], aligner)
    phrases = _extract_phrases(stems, pivots, links, report)
    report("Packing the phrase table", 0, 0)
    table = _pack_phrases(phrases, settings.least)
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
    empty = SupportVectorRegression(
        np.zeros(3), np.ones(3), np.zeros((0, 3), np.float32), np.zeros(0, np.float32), 1.0, 0.0
    )
    scorer = PemScorer(PemModel(table, vocabulary, language_model, empty, facts))
    components = _score_components(scorer, scored, report)
    report("Fitting the regression", 0, 0)
    scores = np.concatenate([human_scores for _, _, human_scores in scored])
    usable = np.isfinite(components).all(axis=1)
    fitted, fit = regression.fit(components[usable], scores[usable], settings.seed)
    facts |= {"regression": fit.chosen, "cross_validated_pearson": round(fit.pearson, 4), "scores": fit.pairs}
    model = PemModel(table, vocabulary, language_model, fitted, facts)
    model.save(output)
    return model, fit


def _extract_phrases(
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
    # Not splitlines(), which splits at characters inside sentences, such as U+2028.
    lines = text.split("\n")
    sources, pivots = [], []
    for at, line in enumerate(lines, 1):
        source, tab, rest = line.rstrip("\r").partition("\t")
        if line.strip() and not tab:
            raise CorpusError("there is no TAB between a sentence and its translation", "add it", file, at)
        one, other = words(source), words(rest.partition("\t")[0])
        if 0 < len(one) <= LONGEST_SENTENCE and 0 < len(other) <= LONGEST_SENTENCE:
            sources.append(one)
            pivots.append(other)
        if at % 20_000 == 0 or at == len(lines):
            report("Reading the parallel text", at, len(lines))
    if len(sources) < FEWEST_SENTENCES:
        what = f"only {len(sources)} lines have a sentence and its translation"
        raise CorpusError(what, f"give at least {FEWEST_SENTENCES}, preferably a hundred thousand", file)
    return sources, pivots


def _read_scores(file: Path, scale: tuple[float, float] | None) -> tuple[list[str], list[str], Scores]:
    """Return sources, hypotheses and human scores, rescaled to 1..5."""
    from parapluie_gui.pairs.reading.reader import read

    corpus = read(file)
    if corpus.human is None:
        raise CorpusError(
            "no column has human scores", "name the column human, or choose a corpus with human scores", file
        )
    rows = np.flatnonzero(np.isfinite(corpus.human))
    if len(rows) < FEWEST_SCORES:
        raise CorpusError(f"only {len(rows)} pairs have a human score", f"give at least {FEWEST_SCORES}", file)
    scores = corpus.human[rows]
    low, high = scale or (float(scores.min()), float(scores.max()))
    if not low < high or scores.min() < low or scores.max() > high:
        what = f"its human scores go from {scores.min():g} to {scores.max():g}"
        raise CorpusError(
            what, f"the scale from {low:g} to {high:g} does not include them; give a different scale", file
        )
    return (
        [corpus.source[row] for row in rows.tolist()],
        [corpus.hypothesis[row] for row in rows.tolist()],
        1 + 4 * (scores - low) / (high - low),
    )


def _score_components(
    scorer: PemScorer, scored: Sequence[tuple[list[str], list[str], Scores]], report: Report
) -> Floats:
    sources = list(chain.from_iterable(sources for sources, _, _ in scored))
    hypotheses = list(chain.from_iterable(hypotheses for _, hypotheses, _ in scored))
    parts = []
    for start in range(0, len(sources), 1000):
        parts.append(scorer.components(sources[start : start + 1000], hypotheses[start : start + 1000]))
        report("Scoring the pairs with human scores", min(start + 1000, len(sources)), len(sources))
    return np.concatenate(parts)


def _language_model(sentences: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], language.LanguageModel]:
    """Return the vocabulary and the model of the distinct sentences, since a parallel text repeats many."""
    distinct = sorted({tuple(sentence) for sentence in sentences})
    vocabulary = tuple(sorted(set(chain.from_iterable(distinct))))
    numbers = {word: at for at, word in enumerate(vocabulary, language.FIRST)}
    text = [[numbers[word] for word in sentence] for sentence in distinct]
    return vocabulary, language.train(text, len(vocabulary) + language.FIRST, LEAST)


def _pack_phrases(phrases: PhraseCounts, least: int) -> PhraseTable:
    """Pack phrases into arrays: all single words, and longer phrases that occur at least `least` times."""
    frequent = [phrase for phrase, count in phrases.occurrences.items() if len(phrase) == 1 or count >= least]
    stems = _number_words(frequent, _MOST_STEMS)
    edges = {phrase: phrases.edges(phrase) for phrase in frequent if all(word in stems for word in phrase)}
    pivots = _number_words((text for translations in edges.values() for text, _ in translations), _MOST_PIVOTS)
    keyed = []
    for phrase, translations in edges.items():
        usable = [(text, share) for text, share in translations if all(word in pivots for word in text)]
        if usable:
            key = 0
            for word in phrase:
                key = key << BITS | stems[word]
            keyed.append((key, phrases.occurrences[phrase], usable))
    keyed.sort(key=lambda entry: entry[0])
    flat = [edge for _, _, usable in keyed for edge in usable]
    return PhraseTable(
        tuple(stems),
        tuple(pivots),
        np.array([key for key, _, _ in keyed], dtype=np.uint64),
        np.array([count for _, count, _ in keyed], dtype=np.uint32),
        phrases.occurrences.total(),
        np.array([len(usable) for _, _, usable in keyed], dtype=np.uint8),
        np.array([share for _, share in flat], dtype=np.float32),
        np.array([len(text) for text, _ in flat], dtype=np.uint8),
        np.array([pivots[word] for text, _ in flat for word in text], dtype=np.uint32),
    )


def _number_words(texts: Iterable[Sequence[str]], most: int) -> dict[str, int]:
    """Number the `most` most frequent words from 1, the most frequent first."""
    counts = Counter(chain.from_iterable(texts))
    ranked = sorted(counts, key=lambda word: (-counts[word], word))[:most]
    return {word: at for at, word in enumerate(ranked, 1)}
