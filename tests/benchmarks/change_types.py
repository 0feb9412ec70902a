"""Precision and recall of the rules for kinds of change (`metrics/changes/types.py`) on ETPC and APTY.

    python tests/benchmarks/change_types.py [--half even|odd] [--data ../shared/data]

ETPC (Kovatchev et al., LREC 2018) assigns a type and the covered tokens to every change in MRPC's non-paraphrases.
Recall: the proportion of its changes of a type that are covered by an edit classified as this type. Precision:
among the edits classified as a type that overlap a typed change, the proportion that overlap one of this type.
Kinds of edit are mapped to ETPC's names; "identity", "non-paraphrase" and "entailment" are not changes and are left
out. The rules were developed on pairs with even numbers only; the odd ones are reported.

APTY (Meier et al., COLING 2025) asked a model for one kind of change, and annotators judged whether it was made:
recall is the proportion of correctly made changes in which some edit is classified as this kind (odd rows
likewise).
"""

from __future__ import annotations

import argparse
import csv
import html
import xml.etree.ElementTree as ElementTree
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from parapluie_gui.analysis.table import Table, table_text
from parapluie_gui.metrics.changes.edits import Edits
from parapluie_gui.metrics.changes.types import change_types, types_of
from parapluie_gui.pairs import read

DATA = Path(__file__).parents[2].parent / "shared" / "data"
#: ETPC's entries that are not changes.
NO_CHANGE = ("Identity", "Non-paraphrase", "Entailment")
#: No rule decides whether two words are opposites in themselves or only in context.
OPPOSITE = "Opposite polarity substitution"
APTY = {
    "AdditionDeletion": "Addition/Deletion",
    "Derivational Changes": "Derivational Changes",
    "Inflectional Changes": "Inflectional Changes",
    "Inflectional Change": "Inflectional Changes",
    "Spelling changes": "Spelling changes",
    "Spelling Changes": "Spelling changes",
    "Punctuation changes": "Punctuation changes",
    "Change of order": "Change of order",
    "Same Polarity Substitution (contextual)": "Same Polarity Substitution (contextual)",
}

Range = tuple[int, int]


def relations(folder: Path) -> Iterator[tuple[int, str, str, str]]:
    """Yield ETPC's changes: the pair's row in MRPC (train, then test; 1, 2 ...), the type, and the texts."""
    for name in ("textual_np_neg.xml", "textual_np_pos.xml"):
        for each in ElementTree.parse(folder / name).getroot():
            kind = each.findtext("type_name", "")
            kind = OPPOSITE if kind.startswith(OPPOSITE) else kind
            if kind not in NO_CHANGE:
                texts = (html.unescape(each.findtext(side) or "") for side in ("s1_text", "s2_text"))
                yield int(each.findtext("pair_id", "0")), kind, *texts


def place(text: str, part: str) -> Range | None:
    """Return the position of a tokenised passage in a text, ignoring white space."""
    wanted = "".join(part.split()).lower()
    at = [number for number, letter in enumerate(text) if not letter.isspace()]
    result = "".join(text.split()).lower().find(wanted) if wanted else -1
    return None if result < 0 else (at[result], at[result + len(wanted) - 1] + 1)


def overlap(one: Range | None, other: Range) -> bool:
    """Return whether two ranges overlap."""
    return one is not None and one[0] < other[1] and other[0] < one[1]


def etpc(data: Path, odd: bool) -> Table:
    """Return precision and recall by type on the pairs of one half."""
    named = {id: each.etpc for id, each in change_types().items()}
    corpora = [read(data / "mrpc" / f"msr_paraphrase_{part}.txt") for part in ("train", "test")]
    pairs = [pair for corpus in corpora for pair in zip(corpus.source, corpus.hypothesis, strict=True)]
    by_pair: defaultdict[int, list[tuple[str, Range | None, Range | None]]] = defaultdict(list)
    for number, kind, first, second in relations(data / "etpc"):
        source, hypothesis = pairs[number - 1]
        by_pair[number].append((kind, place(source, first), place(hypothesis, second)))
    gold, result, given, right = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for number, changes in by_pair.items():
        if number % 2 != odd:
            continue
        source, hypothesis = pairs[number - 1]
        edits = Edits(source, hypothesis).edits
        kinds = [named[id] for id in types_of(source, hypothesis, edits)]
        touching = [
            [kind for kind, a, b in changes if overlap(a, edit.source_at) or overlap(b, edit.hypothesis_at)]
            for edit in edits
        ]
        for kind, a, b in changes:
            if a or b:
                gold[kind] += 1
                result[kind] += any(
                    kind == ours and (overlap(a, edit.source_at) or overlap(b, edit.hypothesis_at))
                    for ours, edit in zip(kinds, edits, strict=True)
                )
        for ours, there in zip(kinds, touching, strict=True):
            given[ours] += bool(there)
            right[ours] += ours in there
    return _grid("ETPC", gold, result, given, right)


def _grid(name: str, gold: Counter[str], found: Counter[str], given: Counter[str], right: Counter[str]) -> Table:
    def share(part: int, whole: int) -> float | None:
        return part / whole if whole else None

    kinds: Iterable[str] = sorted({*gold, *given} - {""}, key=lambda kind: -gold[kind])
    rows = tuple(
        (kind, gold[kind], share(found[kind], gold[kind]), given[kind], share(right[kind], given[kind]))
        for kind in kinds
    )
    return Table(name, name, ("type", "changes", "recall", "edits", "precision"), rows)


def apty(data: Path, odd: bool) -> Table:
    """Return the recall by type on the rows of one half."""
    named = {id: each.etpc for id, each in change_types().items()}
    gold, result = Counter[str](), Counter[str]()
    with (data / "apty" / "apty_base.csv").open(encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.DictReader(file, delimiter=";")):
            kind = APTY.get(row["apt"])
            if kind is None or row["applied-correctly"] != "True" or number % 2 != odd:
                continue
            source, hypothesis = row["original"], row["paraphrase_fixed"]
            edits = Edits(source, hypothesis).edits
            gold[kind] += 1
            result[kind] += kind in {named[id] for id in types_of(source, hypothesis, edits)}
    return _grid("APTY", gold, result, Counter(), Counter())


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description="Precision and recall of the rules for kinds of change.")
    parser.add_argument("--half", choices=("even", "odd"), default="odd")
    parser.add_argument("--data", type=Path, default=DATA)
    options = parser.parse_args()
    for grid in (etpc(options.data, options.half == "odd"), apty(options.data, options.half == "odd")):
        print(table_text(grid, 3))


if __name__ == "__main__":
    main()
