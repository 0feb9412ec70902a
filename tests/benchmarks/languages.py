"""Measure how often a pair's language is detected, rightly and wrongly: English corpora, Tatoeba's French pairs."""

from __future__ import annotations

import csv
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from parapluie_gui.pairs import open_corpus
from parapluie_gui.pairs.language import sure_languages

DATA = Path(__file__).parents[3] / "shared" / "data"
ENGLISH = ("paws_wiki/test.tsv", "mrpc/msr_paraphrase_test.txt", "parascore/twitter-para.csv", "stsb/sts-dev.csv")
#: From Tatoeba.
PAIRS = 3000


def main() -> None:
    for name, pairs in _corpora():
        counts = Counter("+".join(sorted(sure_languages(*pair))) or "not sure" for pair in pairs)
        print(f"{name}: {len(pairs):,} pairs;", ", ".join(f"{each} {count:,}" for each, count in counts.most_common()))


def _corpora() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    for name in ENGLISH:
        corpus = open_corpus(DATA / name).read()
        yield name, list(zip(corpus.source, corpus.hypothesis, strict=True))
    with (DATA / "parallel/tatoeba_en_fr/fra.txt").open(encoding="utf-8") as file:
        rows = [row[:2] for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    random.Random(1).shuffle(rows)
    for side, language in enumerate(("English", "French")):
        yield f"Tatoeba, {language}", [(rows[at][side], rows[at + 1][side]) for at in range(PAIRS)]


if __name__ == "__main__":
    main()
