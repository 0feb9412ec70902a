"""The edits that turn a source into its hypothesis, and the variants that apply only some of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from parapluie_gui.errors import one_line
from parapluie_gui.metrics.changes.tokens import split_change_words
from parapluie_gui.metrics.changes.vocabulary import fold
from parapluie_gui.pairs.difference.alignment import align_equal, find_moved, pair_changed
from parapluie_gui.pairs.difference.words import TextToken

EditKind = Literal["replace", "drop", "add", "move", "spacing"]

#: Maximum number of edits of a pair; if there are more, neighbours are merged. A subset of the edits is a number with
#: one bit per edit.
MOST_EDITS = 24

#: Words that change with their neighbours ("a fall" → "the falls"): their edit is merged with an adjacent one.
_GLUE_WORDS = "a an the of to that is are was were be been being am has have had"
_GLUE = frozenset(_GLUE_WORDS.split())


@dataclass(frozen=True, slots=True)
class Edit:
    """One difference between a source and a hypothesis.

    Attributes:
        kind: "replace", "drop", "add", "move" (unchanged, or nearly), or "spacing" (all differences in white space).
        source_at, hypothesis_at: Character offsets (start, end) in the two sentences; the range is empty if there is no
            text.
        source, hypothesis: The texts at these offsets.
    """

    kind: EditKind
    source_at: tuple[int, int]
    hypothesis_at: tuple[int, int]
    source: str
    hypothesis: str

    def __str__(self) -> str:
        """Show the edit in one line: "rose → fell", "+ not", "− early", "⇄ on Friday", "␣"."""
        source, hypothesis = one_line(self.source), one_line(self.hypothesis)
        return {"add": f"+ {hypothesis}", "drop": f"− {source}", "move": f"⇄ {source}", "spacing": "␣"}.get(
            self.kind, f"{source} → {hypothesis}"
        )


@dataclass(frozen=True, slots=True)
class _TokenSpan:
    """A stretch of the two aligned sentences: tokens i1 up to i2 of the source, j1 up to j2 of the hypothesis.

    Either side may be empty. `edit` is None if both sides are the same. A variant has the hypothesis's tokens of a
    piece if it applies the edit, otherwise the source's. A phrase that moved is two pieces of one edit, each with one
    empty side.
    """

    i1: int
    i2: int
    j1: int
    j2: int
    edit: int | None = None
    kind: EditKind = "replace"


class Edits:
    """The edits between two sentences, and the variants that apply a subset of them.

    Args:
        source, hypothesis: The sentences.

    Attributes:
        edits: The k edits, in the order of the sentence.
    """

    def __init__(self, source: str, hypothesis: str) -> None:
        self.source, self.hypothesis = source, hypothesis
        self._left, self._left_gaps = _split_words(source)
        self._right, self._right_gaps = _split_words(hypothesis)
        pieces = _merge_glue(_align(self._left, self._right), self._left, self._right)
        pieces = _merge_spelling(pieces, self._left, self._right)
        if _count_edits(pieces) >= MOST_EDITS:
            # Too many edits: skip moves and merge neighbours.
            pieces = _merge_nearest(_merge_glue(_align(self._left, self._right, moves=False), self._left, self._right))
        count = _count_edits(pieces)
        self._spacing = count if self._has_other_spacing(pieces) else None
        self._pieces = pieces
        self.edits = tuple(self._edit(number) for number in range(count + (self._spacing is not None)))

    def __len__(self) -> int:
        return len(self.edits)

    @property
    def all(self) -> int:
        """The number of the subset with all edits."""
        return (1 << len(self)) - 1

    def variant(self, done: int) -> str:
        """Return the source with some edits applied, where bit e of `done` selects edit e; 0 returns the source itself.

        A variant need not be grammatical.
        """
        if not 0 <= done <= self.all:
            raise ValueError(f"there are {len(self)} edits, and {done:b} has more bits")
        if done == self.all:
            return self.hypothesis
        if not done:
            return self.source
        spaced = self._spacing is not None and bool(done >> self._spacing & 1)
        ends = self._right_gaps if spaced else self._left_gaps
        parts: list[str] = [ends[0]]
        before: tuple[int | None, int | None] | None = None
        for i, j in self._variant_tokens(done):
            if before is not None:
                parts.append(self._gap(before, (i, j), spaced))
            parts.append(self._left[i].text if i is not None else self._right[j or 0].text)
            before = i, j
        return "".join(parts) + ends[-1]

    def _variant_tokens(self, done: int) -> Iterator[tuple[int | None, int | None]]:
        """Yield a variant's tokens as their numbers in the source and in the hypothesis, None if absent there."""
        for piece in self._pieces:
            if piece.edit is None:
                yield from zip(range(piece.i1, piece.i2), range(piece.j1, piece.j2), strict=True)
            elif done >> piece.edit & 1:
                yield from ((None, j) for j in range(piece.j1, piece.j2))
            else:
                yield from ((i, None) for i in range(piece.i1, piece.i2))

    def _gap(self, before: tuple[int | None, int | None], at: tuple[int | None, int | None], spaced: bool) -> str:
        """Return the white space between two tokens, taken from the sentence in which they are adjacent."""
        here, there = (None not in (a, b) and a + 1 == b for a, b in zip(before, at, strict=True))  # type: ignore[operator]
        i, j = at
        if here and not (there and spaced) and i is not None:
            return self._left_gaps[i]
        if there and j is not None:
            return self._right_gaps[j]
        if j:
            return self._right_gaps[j]
        if i:
            return self._left_gaps[i]
        return " "

    def _has_other_spacing(self, pieces: Sequence[_TokenSpan]) -> bool:
        """Return whether white space differs outside the other edits."""
        same = [
            pair
            for piece in pieces
            if piece.edit is None
            for pair in zip(range(piece.i1, piece.i2), range(piece.j1, piece.j2), strict=True)
        ]
        inner = any(
            self._left_gaps[i] != self._right_gaps[j] for (a, b), (i, j) in pairwise(same) if a + 1 == i and b + 1 == j
        )
        return inner or self._left_gaps[0] != self._right_gaps[0] or self._left_gaps[-1] != self._right_gaps[-1]

    def _edit(self, number: int) -> Edit:
        if number == self._spacing:
            return Edit("spacing", (0, 0), (0, 0), "", "")
        parts = [piece for piece in self._pieces if piece.edit == number]
        source_at = _range(self._left, [i for piece in parts for i in range(piece.i1, piece.i2)], parts[0].i1)
        hypothesis_at = _range(self._right, [j for piece in parts for j in range(piece.j1, piece.j2)], parts[0].j1)
        source, hypothesis = self.source[slice(*source_at)], self.hypothesis[slice(*hypothesis_at)]
        kind: EditKind = parts[0].kind
        if kind != "move":
            kind = "add" if not source else "drop" if not hypothesis else "replace"
        return Edit(kind, source_at, hypothesis_at, source, hypothesis)


def _split_words(text: str) -> tuple[list[TextToken], list[str]]:
    """Return the n tokens other than white space, and the n + 1 stretches of white space around them."""
    words = split_change_words(text)
    edges = [0, *(edge for token in words for edge in (token.start, token.end)), len(text)]
    return words, [text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]


def _range(words: Sequence[TextToken], numbers: Sequence[int], empty_at: int) -> tuple[int, int]:
    if numbers:
        return words[numbers[0]].start, words[numbers[-1]].end
    at = words[empty_at - 1].end if 0 < empty_at <= len(words) else 0
    return at, at


# Aligning the sentences


def _align(left: Sequence[TextToken], right: Sequence[TextToken], *, moves: bool = True) -> list[_TokenSpan]:
    """Return the pieces in order; a word that differs only in case is a separate edit."""
    equal, gaps = align_equal(left, right)
    moved = find_moved(left, right, gaps) if moves else []
    from_source = {i: (i + n, number) for number, (i, _, n) in enumerate(moved)}
    to_hypothesis = {j: (j + n, number) for number, (_, j, n) in enumerate(moved)}
    changed = pair_changed(left, right, gaps, moved)
    pieces: list[_TokenSpan] = []
    numbers: dict[int, int] = {}

    def add(i1: int, i2: int, j1: int, j2: int, moved_number: int | None = None) -> None:
        number = len(pieces) if moved_number is None else numbers.setdefault(moved_number, len(pieces))
        pieces.append(_TokenSpan(i1, i2, j1, j2, number, "replace" if moved_number is None else "move"))

    def stretch(i1: int, i2: int, j1: int, j2: int) -> None:
        """Add the pieces of a stretch without aligned words."""
        ours, theirs = list(_runs(i1, i2, from_source)), list(_runs(j1, j2, to_hypothesis))
        while ours or theirs:
            if ours and ours[0][2] is not None:
                start, end, number = ours.pop(0)
                at = theirs[0][0] if theirs else j2
                add(start, end, at, at, number)
            elif theirs and theirs[0][2] is not None:
                start, end, number = theirs.pop(0)
                at = ours[0][0] if ours else i2
                add(at, at, start, end, number)
            else:
                start, end, _ = ours.pop(0) if ours else (i2, i2, None)
                first, last, _ = theirs.pop(0) if theirs else (j2, j2, None)
                for run in _split_at_numbers(left, right, (start, end, first, last)):
                    add(*run)

    anchors = sorted([*((i, j, True) for i, j in equal), *((i, j, False) for i, j in changed)])
    at, there = 0, 0
    for i, j, same in [*anchors, (len(left), len(right), True)]:
        stretch(at, i, there, j)
        if i < len(left):
            if same and left[i].text == right[j].text:
                pieces.append(_TokenSpan(i, i + 1, j, j + 1))
            else:
                add(i, i + 1, j, j + 1)
        at, there = i + 1, j + 1
    return pieces


def _split_at_numbers(
    left: Sequence[TextToken], right: Sequence[TextToken], run: tuple[int, int, int, int]
) -> Iterator[tuple[int, int, int, int]]:
    """Split a run at its numbers if both sides have equally many, pairing them in order."""
    start, end, first, last = run
    ours = [i for i in range(start, end) if left[i].text[0].isdigit()]
    theirs = [j for j in range(first, last) if right[j].text[0].isdigit()]
    if len(ours) == len(theirs):
        for i, j in zip(ours, theirs, strict=True):
            if start < i or first < j:
                yield start, i, first, j
            yield i, i + 1, j, j + 1
            start, first = i + 1, j + 1
    if start < end or first < last:
        yield start, end, first, last


def _runs(start: int, end: int, moved: dict[int, tuple[int, int]]) -> Iterator[tuple[int, int, int | None]]:
    """Cut a stretch of one side into phrases that moved, with their number, and the phrases in between."""
    at = begun = start
    while at < end:
        if at in moved:
            if begun < at:
                yield begun, at, None
            last, number = moved[at]
            yield at, last, number
            at = begun = last
        else:
            at += 1
    if begun < end:
        yield begun, end, None


def _merge_glue(
    pieces: Sequence[_TokenSpan], left: Sequence[TextToken], right: Sequence[TextToken]
) -> list[_TokenSpan]:
    """Merge edits that change only glue words, marks or letter case with an adjacent edit."""
    result: list[_TokenSpan] = []
    for piece in pieces:
        if result and _can_join(result[-1], piece) and any(_is_glue(part, left, right) for part in (result[-1], piece)):
            result[-1] = _join(result[-1], piece)
        else:
            result.append(piece)
    return _renumber(result)


def _merge_spelling(
    pieces: Sequence[_TokenSpan], left: Sequence[TextToken], right: Sequence[TextToken]
) -> list[_TokenSpan]:
    """Merge two adjacent edits that together only write a word in another way: beachfront, beach front."""
    result: list[_TokenSpan] = []
    for piece in pieces:
        if result and _can_join(result[-1], piece):
            joined = _join(result[-1], piece)
            ours = fold("".join(token.text for token in left[joined.i1 : joined.i2]))
            theirs = fold("".join(token.text for token in right[joined.j1 : joined.j2]))
            if ours and ours == theirs:
                result[-1] = joined
                continue
        result.append(piece)
    return _renumber(result)


def _can_join(before: _TokenSpan, piece: _TokenSpan) -> bool:
    return None not in (before.edit, piece.edit) and "move" not in (before.kind, piece.kind)


def _join(before: _TokenSpan, piece: _TokenSpan) -> _TokenSpan:
    return _TokenSpan(before.i1, piece.i2, before.j1, piece.j2, before.edit)


def _is_glue(piece: _TokenSpan, left: Sequence[TextToken], right: Sequence[TextToken]) -> bool:
    ours, theirs = left[piece.i1 : piece.i2], right[piece.j1 : piece.j2]
    if [token.key for token in ours] == [token.key for token in theirs]:
        return True
    return all(token.kind == "mark" or token.key in _GLUE for token in (*ours, *theirs))


def _merge_nearest(pieces: list[_TokenSpan]) -> list[_TokenSpan]:
    """Merge the two nearest edits, with the text between them, until fewer than `MOST_EDITS` are left."""
    while _count_edits(pieces) >= MOST_EDITS:
        places = [place for place, piece in enumerate(pieces) if piece.edit is not None]
        first, last = min(pairwise(places), key=lambda pair: pair[1] - pair[0])
        pieces[first : last + 1] = [_join(pieces[first], pieces[last])]
    return _renumber(pieces)


def _count_edits(pieces: Sequence[_TokenSpan]) -> int:
    return len({piece.edit for piece in pieces if piece.edit is not None})


def _renumber(pieces: Sequence[_TokenSpan]) -> list[_TokenSpan]:
    """Renumber the edits in the order of the sentence."""
    numbers: dict[int, int] = {}
    return [
        piece if piece.edit is None else replace(piece, edit=numbers.setdefault(piece.edit, len(numbers)))
        for piece in pieces
    ]
