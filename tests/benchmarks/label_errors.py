"""Proportion of wrong labels among the suspects of `parapluie errors --labels`, on MRPC according to ETPC.

    parapluie score msr_paraphrase_test.txt --metric bleu --judge pocket -o test.csv
    python tests/benchmarks/label_errors.py test.csv [--score bleu pluie.cloze] [--data ../shared/data]

ETPC (Kovatchev et al., LREC 2018) lists the changes in MRPC's non-paraphrases, and which of them preserve the
meaning. A non-paraphrase whose changes all preserve the meaning is a paraphrase to ETPC's annotators; this is our
proxy for a wrong label. ETPC's own new labels are in a file that we do not have. It prints the precision among the
first k suspects, the proportion of such pairs among all non-paraphrases that ETPC covers, and the probability of at
least as many by chance (hypergeometric).
"""

from __future__ import annotations

import argparse
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import hypergeom

from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.analysis.table import Table, table_text
from parapluie_gui.features.errors.labels import find_suspects

DATA = Path(__file__).parents[2].parent / "shared" / "data"
#: Number of pairs in MRPC's train part, which precede the test part in ETPC.
TRAIN = 4076
FIRST = (10, 20, 50, 100, 200)


def changed(folder: Path, name: str) -> set[int]:
    """Return the pairs with changes in one of ETPC's files, as rows of MRPC's test part, from 0."""
    root = ElementTree.parse(folder / name).getroot()
    numbers = (int(each.findtext("pair_id", "0")) - TRAIN - 1 for each in root)
    return {number for number in numbers if number >= 0}


def main() -> None:
    parser = argparse.ArgumentParser(description="precision at k of suspected labels")
    parser.add_argument("table", type=Path, help="MRPC's test part, scored")
    parser.add_argument("--score", nargs="+", default=["bleu", "pluie.cloze"])
    parser.add_argument("--data", type=Path, default=DATA)
    options = parser.parse_args()
    table, names = pd.read_csv(options.table), options.score
    labels = table["label"].to_numpy().astype(np.int8)
    keep, lose = (changed(options.data / "etpc", f"textual_np_{part}.xml") for part in ("pos", "neg"))
    known = np.zeros(len(table), dtype=bool)
    known[list(keep | lose)] = True
    wrong = np.zeros(len(table), dtype=bool)
    wrong[list(keep - lose)] = True
    base = f"{wrong.sum()} of {known.sum()}"
    result = find_suspects([score_column(name, table[name].to_numpy()) for name in names], labels, known)
    rows = []
    for first in (*FIRST, len(result.rows)):
        top = result.rows[:first]
        hits = int(wrong[top].sum())
        chance = float(hypergeom.sf(hits - 1, known.sum(), wrong.sum(), len(top)))
        rows.append((len(top), hits, 100 * hits / max(len(top), 1), 100 * wrong.sum() / known.sum(), chance))
    title = f"{', '.join(names)}: {base} non-paraphrases have changes that keep the sense only"
    print(table_text(Table("labels", title, ("first k", "wrong", "% wrong", "% of all", "p by chance"), tuple(rows))))


if __name__ == "__main__":
    main()
