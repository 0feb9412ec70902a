"""The demo corpus with a language model's scores, which show its answers without the model."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, replace

from parapluie_gui.pairs.column import to_column
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.report.signatures import read_signatures
from parapluie_gui.scores.signature import Signature
from parapluie_gui.shipped import shipped_corpora


@dataclass(frozen=True)
class SignedCorpus:
    """A corpus with scores among its columns, and their signatures by column."""

    corpus: Corpus
    signatures: Mapping[str, Signature]


def add_demo_scores(corpus: Corpus) -> SignedCorpus:
    """Return the demo corpus with the language model's scores as columns, matched by id."""
    judged = shipped_corpora()["demo"].path.with_name("judged.tsv")
    with judged.open(encoding="utf-8", newline="") as file:
        rows = {row.pop("id"): row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)}
    names = next(iter(rows.values()), {})
    scores = {name: to_column([float(rows[id][name]) for id in corpus.id]) for name in names}
    return SignedCorpus(replace(corpus, extra={**corpus.extra, **scores}), read_signatures(judged))
