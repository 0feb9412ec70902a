"""Corpora and scores of any size for the benchmarks, generated from a seed; none are in the repository."""

from __future__ import annotations

from pathlib import Path

import numpy as np

#: Score columns of a million-pair session: two templates with their probabilities make six, plus four baselines.
TEMPLATES = ("pluie.direct", "pluie.fs-direct")
BASELINES = ("edit_distance", "bleu", "meteor", "rouge_l")

_WORDS = (  # noqa: SIM905
    "the a of and in to was is for on as by with at from his her they which had first city river company president "
    "state school number house member station music county team season year war church north south album film game "
    "broadcast village moved built known near between played released born published located served began against"
).split()


def corpus(pairs: int, seed: int = 0):
    """Return a corpus of labelled pairs of about 20 words; a tenth of them is unlabelled."""
    from parapluie_gui.pairs.corpus import Corpus

    random = np.random.default_rng(seed)
    words = np.array(_WORDS, dtype=object)
    # Sentences are composed of phrases: a million of them in seconds.
    phrases = [" ".join(words[random.integers(0, len(words), random.integers(3, 8))]) for _ in range(5000)]
    # One sentence in twelve has a non-ASCII letter, as names in PAWS do.
    phrases[:100] = [phrase.replace("e", "é", 1) for phrase in phrases[:100]]
    picks = random.integers(0, len(phrases), (pairs, 4)).tolist()
    swaps = random.integers(0, len(phrases), pairs).tolist()
    source, hypothesis = [], []
    for row, ((a, b, c, d), other) in enumerate(zip(picks, swaps, strict=True)):
        source.append(f"{phrases[a]} {phrases[b]} {phrases[c]} {phrases[d]} {row}.")
        hypothesis.append(f"{phrases[a]} {phrases[other]} {phrases[d]} {phrases[c]} {row}.")
    label = random.choice(np.array([1, 0, -1], dtype=np.int8), pairs, p=[0.45, 0.45, 0.1])
    return Corpus(f"synthetic {pairs}", [f"p{row}" for row in range(pairs)], source, hypothesis, label=label)


def scores(pairs: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Return ten columns of numbers, float64 (pairs,): two templates with p(yes) and p(no), four baselines."""
    random = np.random.default_rng(seed + 1)
    closeness = random.beta(2, 2, pairs)
    columns: dict[str, np.ndarray] = {}
    for name in TEMPLATES:
        value = 14 * (closeness - 0.5) + random.normal(0, 3, pairs)
        columns[name] = value
        columns[f"{name}.p_yes"] = 1 / (1 + np.exp(-value))
        columns[f"{name}.p_no"] = 1 - columns[f"{name}.p_yes"]
    for name in BASELINES:
        noise = np.clip(closeness + random.normal(0, 0.15, pairs), 0, 1)
        columns[name] = 1 - noise if name == "edit_distance" else noise
    return columns


def table(pairs: int, seed: int = 0):
    """Return a score table with `scores` and their signatures."""
    from parapluie_gui.scores.table import ScoreTable

    made = ScoreTable(pairs)
    for name, signature in signatures().items():
        made.declare(name, signature)
    made.put(np.arange(pairs), scores(pairs, seed))
    return made


def signatures():
    """Return a signature for each score."""
    from parapluie_gui.scores.signature import Signature

    return {
        name: Signature.from_fields(name, {"name": name, "version": "benchmark"}) for name in (*TEMPLATES, *BASELINES)
    }


def write_tsv(path: Path, pairs: int, seed: int = 0) -> None:
    """Write the corpus as a TSV in PAWS's format: id, two sentences, label."""
    made = corpus(pairs, seed)
    assert made.label is not None
    with path.open("w", encoding="utf-8") as file:
        file.write("id\tsentence1\tsentence2\tlabel\n")
        for row in zip(made.id, made.source, made.hypothesis, np.maximum(made.label, 0).tolist(), strict=True):
            file.write("\t".join(map(str, row)) + "\n")


def write_session(path: Path, pairs: int, seed: int = 0) -> None:
    """Write a session file with the corpus and its scores, as scoring leaves it."""
    from parapluie_gui.scores.signature import pair_key
    from parapluie_gui.storage.session import Session

    made, columns = corpus(pairs, seed), scores(pairs, seed)
    keys = [pair_key(*pair) for pair in zip(made.source, made.hypothesis, strict=True)]
    with Session.open(path, create=True) as session:
        session.add_corpus(made)
        for name, signature in signatures().items():
            probabilities = [columns.get(name + ending) for ending in (".p_yes", ".p_no")]
            for start in range(0, pairs, 2000):
                part = slice(start, start + 2000)
                cut = (None if numbers is None else numbers[part] for numbers in probabilities)
                session.store.put(signature, keys[part], columns[name][part], *cut)
