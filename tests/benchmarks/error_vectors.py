"""Test clusters of difference vectors as an explanation of errors: are they stable, do they have names, are they new?

    parapluie score msr_paraphrase_train.txt --metric bleu --judge pocket -o train.csv
    python tests/benchmarks/error_vectors.py train.csv [--keep train.npy] [--score bleu pluie.cloze]
    python tests/benchmarks/error_vectors.py sts-dev.csv --human 3 4

The vectors are those of a sentence encoder that is not a judge (all-MiniLM-L6-v2). A pair's difference is that of
their directions, absolute, signed, or absolute and of length 1, in the 32 main directions of the corpus (SVD).
k-means and Ward's clustering divide the pairs. A cluster is *stable* if the clusters of ten bootstrap samples, each
with a different seed, that match it best have a mean Jaccard index of 0.6 with it (Hennig 2007). It is *named* if a
kind of change or a word is more frequent in it, by the test of the analysis Errors; *% with name* is the median share
of its pairs that have this trait. *% cosine* is the share of the variance of the two sentences' cosine between
clusters.

The stable and named clusters then become a further family of traits. For false positives and false negatives of the
scores, the table counts the clusters that are typical of errors; those that remain typical among the pairs in no other
group (new); the same if buckets of the cosine may form groups too (next to cosine); how often a trait that is typical
on one half of the pairs is typical on the other (p < 0.05 alone), for clusters and for all other traits; and the number
of 20 shufflings of the errors in which a cluster is typical.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, cast, get_args

import numpy as np
from scipy.stats import hypergeom

import parapluie_gui.features.errors.keyness as keyness
from parapluie_gui.analysis.columns import change_kinds
from parapluie_gui.analysis.errors.traits import LEAST, ErrorTrait, Family, find_traits
from parapluie_gui.analysis.material import edit_distance, usual_cuts
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.analysis.statistics.buckets import cut_numbers
from parapluie_gui.analysis.statistics.comparison import default_threshold
from parapluie_gui.analysis.table import Cell, Table, table_text
from parapluie_gui.analysis.threshold import Outcome, outcome
from parapluie_gui.arrays import Floats, Labels, Mask
from parapluie_gui.features.errors.keyness import LEAST_RATIO, KeyTrait, find_key_traits, group_by_traits
from parapluie_gui.pairs import Corpus, read

RUNS, SHUFFLES, DIRECTIONS, STABLE = 10, 20, 32, 0.6
KINDS_OF_DIFFERENCE = ("absolute", "of length 1", "signed")
#: The family within which clusters are corrected for multiple tests.
CLUSTER = cast(Family, "cluster")
#: Errors, and correct answers with the same label.
KINDS = (
    (Outcome.FALSE_POSITIVE, Outcome.TRUE_NEGATIVE),
    (Outcome.FALSE_NEGATIVE, Outcome.TRUE_POSITIVE),
)


#: Errors, and their comparison sets, shape (n,) each.
Masks = tuple[Mask, Mask]


def sentence_vectors(corpus: Corpus, keep: Path | None) -> Floats:
    """Return the directions of both sentences of every pair, shape (n, 2, width); `keep` is a cache file."""
    import torch

    from parapluie_gui.metrics.base import MetricContext
    from parapluie_gui.metrics.neural.sbert import Sbert

    if keep is not None and keep.is_file():
        return np.load(keep)
    metric = Sbert()
    metric.prepare(MetricContext())
    texts = list(dict.fromkeys([*corpus.source, *corpus.hypothesis]))
    made = torch.stack(metric.encoder.embed(texts, metric.want(metric.encoder.files))).float().numpy()
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    at = {text: number for number, text in enumerate(texts)}
    result = np.stack([made[[at[text] for text in side]] for side in (corpus.source, corpus.hypothesis)], 1)
    if keep is not None:
        np.save(keep, result)
    return result


def differences(vectors: Floats, kind: str) -> Floats:
    """Return the pairs' differences in the principal directions, shape (n, 32)."""
    apart = vectors[:, 1] - vectors[:, 0]
    if kind != "signed":
        apart = np.abs(apart)
    if kind == "of length 1":
        apart = apart / np.maximum(np.linalg.norm(apart, axis=1, keepdims=True), 1e-9)
    apart = apart - apart.mean(0)
    return apart @ np.linalg.svd(apart, full_matrices=False)[2][:DIRECTIONS].T


def divide(points: Floats, everything: Floats, way: str, clusters: int, seed: int) -> Labels:
    """Return the cluster of each row of `everything`, shape (n,), by a clustering of some points."""
    from sklearn.cluster import AgglomerativeClustering, KMeans

    if way == "k-means":
        return KMeans(clusters, n_init=2, random_state=seed).fit(points).predict(everything)
    own = AgglomerativeClustering(clusters).fit_predict(points)
    centres = np.array([points[own == each].mean(0) for each in range(clusters)])
    return ((everything[:, None] - centres) ** 2).sum(2).argmin(1)


def stability(points: Floats, way: str, clusters: int) -> tuple[Labels, Floats]:
    """Return the cluster of every pair, and the stability of the clusters, shape (clusters,)."""
    own = divide(points, points, way, clusters, 0)
    back = np.zeros((RUNS, clusters))
    for run in range(RUNS):
        drawn = np.random.default_rng(run).integers(0, len(points), len(points))
        other = divide(points[np.unique(drawn)], points, way, clusters, run + 1)
        both = np.zeros((clusters, clusters))
        np.add.at(both, (own, other), 1)
        back[run] = (both / (both.sum(1)[:, None] + both.sum(0) - both)).max(1)
    return own, back.mean(0)


def name(known: Sequence[ErrorTrait], mask: Mask) -> KeyTrait | None:
    """Return the kind of change or word that is most characteristic of a cluster."""
    result = find_key_traits([each for each in known if each.family != "bucket"], mask, ~mask)
    return next((each for each in result if each.ratio >= LEAST_RATIO), None)


def halves(found: Sequence[ErrorTrait], chosen: Mask, others: Mask) -> tuple[int, int]:
    """Return how many traits are significant on one half of the pairs, over ten splits, and how many of these on the
    other half too.
    """
    first = again = 0
    for run in range(RUNS):
        half = np.random.default_rng(100 + run).random(len(chosen)) < 0.5
        size, rest = int((chosen & ~half).sum()), int((others & ~half).sum())
        for trait in find_key_traits(found, chosen & half, others & half):
            count, other = (int((side & ~half)[trait.trait.rows].sum()) for side in (chosen, others))
            first += 1
            again += bool(hypergeom.sf(count - 1, size + rest, count + other, size) < 0.05)
    return first, again


def shuffled(found: Sequence[ErrorTrait], chosen: Mask, others: Mask) -> int:
    """Return in how many permutations of the errors any trait is significant."""
    rows, count = np.flatnonzero(chosen | others), 0
    for run in range(SHUFFLES):
        drawn = np.zeros(len(chosen), dtype=bool)
        drawn[np.random.default_rng(run).permutation(rows)[: int(chosen.sum())]] = True
        count += bool(find_key_traits(found, drawn, (chosen | others) & ~drawn))
    return count


def left_over(known: Sequence[ErrorTrait], chosen: Mask, others: Mask) -> Masks:
    """Return the errors and the comparison pairs that are in no group of the given traits."""
    left, rest = chosen.copy(), others.copy()
    for trait in group_by_traits(known, chosen, others):
        left[trait.key.trait.rows] = rest[trait.key.trait.rows] = False
    return left, rest


def about_errors(
    known: Sequence[ErrorTrait], made: Sequence[ErrorTrait], sets: Sequence[tuple[Masks, ...]]
) -> tuple[Cell, ...]:
    """Return the significant traits of sets of errors, as table cells.

    Args:
        known: Traits of the program.
        made: Traits of the family CLUSTER.
        sets: Errors and their comparison sets: of all pairs, of the remaining pairs, and of those remaining beside
        cosine.
    """
    if not made:
        return (0, *[""] * 4)
    result = np.zeros(6, int)
    for all_pairs, *left in sets:
        own = sum(trait.trait.family == CLUSTER for trait in find_key_traits([*known, *made], *all_pairs))
        news = (len(group_by_traits(made, *masks)) for masks in left)
        result += own, *news, *halves(made, *all_pairs), shuffled(made, *all_pairs)
    own, news, beside, first, both, chance = result.tolist()
    return own, news, beside, f"{both} of {first}", f"{chance} of {SHUFFLES * len(sets)}"


def buckets_of(values: Floats, count: int, family: Family) -> list[ErrorTrait]:
    """Return the buckets of a number as traits."""
    cut = cut_numbers("cosine", values, parts=count)
    return [ErrorTrait(family, f"cosine: {name}", np.flatnonzero(cut.mask(at))) for at, name in enumerate(cut.names)]


def between(values: Floats, clusters: Labels) -> float:
    """Return the percentage of a number's variance that lies between clusters."""
    means = np.array([values[clusters == each].mean() for each in np.unique(clusters)])
    inside = values - means[np.unique(clusters, return_inverse=True)[1]]
    return float(100 * (1 - inside.var() / values.var()))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path, help="a scored corpus")
    parser.add_argument("--score", nargs="+", default=["bleu", "pluie.cloze"])
    parser.add_argument("--human", nargs=2, type=float, help="below the first is no paraphrase, from the second is one")
    parser.add_argument("--clusters", nargs="+", type=int, default=[8, 16, 32])
    parser.add_argument("--keep", type=Path, help="a file to keep the vectors in (.npy)")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    keyness.Family = Literal[(*get_args(Family), CLUSTER)]  # one family more than in the program
    corpus = read(options.table)
    labels = corpus.label
    if options.human:
        low, high = options.human
        labels = np.where(corpus.human >= high, 1, np.where(corpus.human < low, 0, -1)).astype(np.int8)
    vectors = sentence_vectors(corpus, options.keep)
    cosine = (vectors[:, 0] * vectors[:, 1]).sum(1)
    known = find_traits(corpus, change_kinds(corpus), usual_cuts(corpus, edit_distance(corpus)))
    errors = list[Masks]()
    for each in (score_column(name, corpus.numbers(name)) for name in options.score):
        codes = outcome(each.values, labels, default_threshold(each, labels), each.higher_is_closer)
        errors += [(codes == wrong, codes == right) for wrong, right in KINDS]
    left = [(masks, left_over(known, *masks)) for masks in errors]
    rows, kept = list[tuple[Cell, ...]](), list[dict[str, Any]]()
    for count in (4, *options.clusters):
        bands = buckets_of(cosine, count, "bucket")
        sets = [(*two, left_over([*known, *bands], *two[0])) for two in left]
        said = about_errors(known, buckets_of(cosine, count, CLUSTER), sets)
        rows.append((f"buckets of the cosine, {count}", "", "", "", "", *said[:2], "", *said[3:]))
        for kind, way in itertools.product(KINDS_OF_DIFFERENCE, ("k-means", "Ward") if count > 4 else ()):
            own, back = stability(differences(vectors, kind), way, count)
            names = {at: result for at in range(count) if (result := name(known, own == at)) is not None}
            good = [at for at in names if back[at] >= STABLE and (own == at).sum() >= LEAST]
            made = [ErrorTrait(CLUSTER, names[at].trait.name, np.flatnonzero(own == at)) for at in good]
            share = float(np.median([100 * names[at].count / names[at].size for at in good])) if good else None
            start = (f"{kind}, {way}, {count}", int((back >= STABLE).sum()), len(good), share, between(cosine, own))
            rows.append((*start, *about_errors(known, made, sets)))
            called = [(names[at].trait.name, names[at].count, names[at].size, back[at]) for at in good]
            kept.append({"clusters": start[0], "names": called})
    usual = np.array([halves(known, *masks) for masks in errors]).sum(0)
    title = f"{options.table.name}: {len(corpus)} pairs, {len(errors)} sets of errors"
    note = f"Other half, of all other traits: {usual[1]} of {usual[0]}."
    header = (
        "clusters",
        "stable",
        "named",
        "% with name",
        "% cosine",
        "special",
        "news",
        "beside cosine",
        "other half",
        "shuffled",
    )
    print(table_text(Table("vectors", title, header, tuple(rows), note)))
    if options.json:
        options.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
