"""What errors have in common, as tables and as a figure; what is special about a set of pairs; doubtful labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from parapluie_gui.analysis.errors.labels import Suspects
from parapluie_gui.analysis.errors.special import Group, Special
from parapluie_gui.analysis.errors.traits import Family
from parapluie_gui.analysis.figure import BarBlock, BarList, SignedBar
from parapluie_gui.analysis.table import Cell, Table
from parapluie_gui.arrays import Labels
from parapluie_gui.pairs.corpus import Corpus

#: What each family of traits is called in the tables.
FAMILIES: dict[Family, str] = {"type": "change", "changed": "word that differs", "word": "word", "bucket": "bucket"}

_NOTE = (
    "In the set and in the others: pairs that have it, in per cent. Log ratio: 1 means twice as often. "
    "p: Fisher's exact test, corrected for all that was looked at."
)


def groups_grid(found: Sequence[Group], title: str, name: str = "groups") -> Table:
    """Return the groups of a set of pairs, one a row."""
    total = found[0].special.size if found else 0
    left = total - sum(len(each.rows) for each in found)
    note = f"{left} of {total} pairs are in no group. {_NOTE}" if found else NOTHING_SPECIAL
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (number, trait_title(each.special), len(each.rows), *_numbers(each.special))
        for number, each in enumerate(found, 1)
    )
    return Table(name, title, ("group", "what its pairs have", "pairs", *_HEADER), rows, note)


def special_grid(found: Sequence[Special], title: str, name: str = "special", most: int | None = None) -> Table:
    """Return what is special about a set of pairs, the first `most` of it."""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (trait_title(each), each.count, each.other, *_numbers(each)) for each in found[:most]
    )
    header = ("what is special", "pairs", "other pairs", *_HEADER)
    return Table(name, title, header, rows, _NOTE if found else NOTHING_SPECIAL)


@dataclass(frozen=True, eq=False)
class Grouped:
    """Errors of one kind of one score.

    Attributes:
        title: Whose and which errors: "CLOZE: false positives".
        pairs: How many they are.
        groups: What some of them have in common.
    """

    title: str
    pairs: int
    groups: Sequence[Group]


def groups_figure(found: Sequence[Grouped]) -> BarList:
    """Return the groups of errors, a block for each kind of error: shares of errors and of right answers."""
    return BarList(
        "error-groups",
        "Groups of errors",
        tuple(_block(each) for each in found),
        (("% of the errors", "other"), ("% of right answers with the same label", "unlabelled")),
        ("pairs", "times as often", "p"),
        note="The pairs of a group leave both sides before the next is looked for. p: Fisher's exact test, corrected.",
    )


def _block(found: Grouped) -> BarBlock:
    left = found.pairs - sum(len(one.rows) for one in found.groups)
    rest = f", {left:,} of them in no group" if found.groups else ""
    title = f"{found.title} ({found.pairs:,}{rest})"
    return BarBlock(title, tuple(map(_bar, found.groups)), note=NOTHING_SPECIAL)


def _bar(group: Group) -> SignedBar:
    """Return a group: its name, the shares of errors and of right answers that have it, and its numbers."""
    found = group.special
    shares = 100 * found.count / found.size, 100 * found.other / found.others
    times = f"{2**found.ratio:.1f} ×" if found.other else "only here"
    p = "< 0.001" if found.p < 0.001 else f"{found.p:.3f}"
    return SignedBar(trait_title(found), shares, cells=(f"{len(group.rows):,}", times, p))


#: What is said where no trait is special.
NOTHING_SPECIAL = "Nothing is special about these pairs: no word, change or bucket is surely more frequent here."

_HEADER = ("% in the set", "% in the others", "G²", "log ratio", "p")


def suspects_grid(
    found: Suspects,
    corpus: Corpus,
    labels: Labels,
    most: int | None = None,
    letters: int | None = None,
    review: Sequence[str | None] | None = None,
) -> Table:
    """Return the pairs whose labels may be wrong, the first `most` of them, with so many letters of each sentence.

    `review` is what people said of the labels of all pairs (n,), None where nobody did.
    """
    rows = tuple(
        (
            corpus.id[row],
            int(labels[row]),
            float(found.gain[at]),
            f"{found.against[at]} of {found.scores}",
            *(() if review is None else (review[row],)),
            shortened(corpus.source[row], letters),
            shortened(corpus.hypothesis[row], letters),
        )
        for at, row in enumerate(found.rows[:most].tolist())
    )
    return Table(
        "labels",
        "Labels that may be wrong",
        ("id", "label", "gain", "against it", *(() if review is None else ("review",)), "source", "hypothesis"),
        rows,
        f"Gain: the probability that the label is wrong as the scores see it. They may all be wrong for one reason, so "
        f"look before you change a label.{_reviewed(found, review)}"
        if rows
        else "No label has most of the scores, and two at least, against it.",
    )


def _reviewed(found: Suspects, review: Sequence[str | None] | None) -> str:
    """Return in a sentence how many of the suspects people found wrong; "" where nobody looked."""
    answers = [] if review is None else [answer for row in found.rows.tolist() if (answer := review[row])]
    wrong = sum(answer.endswith("wrong") for answer in answers)
    return f" Reviewed: {len(answers):,}, found wrong: {wrong:,}." if answers else ""


def shortened(text: str, letters: int | None) -> str:
    """Return a text in so many letters at most."""
    return text if letters is None or len(text) <= letters else f"{text[: letters - 1]}…"


def trait_title(each: Special) -> str:
    """Return what pairs have, with its family: "change negation"."""
    return f"{FAMILIES[each.trait.family]} {each.trait.name}"


def _numbers(each: Special) -> tuple[float, ...]:
    return (100 * each.count / each.size, 100 * each.other / each.others, each.g2, each.ratio, each.p)
