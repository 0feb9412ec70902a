"""A person's corrections of kinds of change: one readable text per pair, stored like a judgement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from parapluie_gui.judgements.record import CORRECTION
from parapluie_gui.metrics.changes.edits import Edit, Edits
from parapluie_gui.metrics.changes.types import change_types, types_of
from parapluie_gui.pairs.column import TextColumn
from parapluie_gui.pairs.corpus import Corpus

#: The scheme and the question of these answers; the question is also the column in tables and files.
SCHEME, COLUMN = CORRECTION

#: The separator of a pair's corrections.
_JOIN = "; "

#: Maximum length of an edit in such a text, in characters.
_LONGEST = 40


def correction_text(edits: Sequence[Edit], chosen: Mapping[int, str]) -> str:
    """Write corrections as a text: "1. rose → fell: synonym; 3. − early: time".

    Args:
        edits: The edits of a pair.
        chosen: The id of the correct kind, by the number of the edit.
    """
    return _JOIN.join(_entry(edits[number], number, id) for number, id in sorted(chosen.items()))


def read_corrections(edits: Sequence[Edit], text: str) -> dict[int, str]:
    """Read the ids of the correct kinds, by the number of the edit, ignoring corrections that match no edit."""
    around = f"{_JOIN}{text}{_JOIN}"
    return {
        number: id
        for number, edit in enumerate(edits)
        for id in change_types()
        if f"{_JOIN}{_entry(edit, number, id)}{_JOIN}" in around
    }


def corrected_types(source: str, hypothesis: str, edits: Sequence[Edit], text: str | None) -> tuple[str, ...]:
    """Return the id of each edit's kind of change: the corrected one if there is one, otherwise by rule."""
    corrections = read_corrections(edits, text) if text else {}
    by_rule = types_of(source, hypothesis, edits)
    return tuple(corrections.get(number, id) for number, id in enumerate(by_rule))


def corrected_kinds(source: str, hypothesis: str, text: str | None) -> tuple[str, ...]:
    """Return the ids of a pair's kinds of change, with corrections."""
    edits = Edits(source, hypothesis).edits
    return corrected_types(source, hypothesis, edits, text)


def corrections_of(corpus: Corpus) -> dict[int, str]:
    """Return the corrections in the corpus's own column, by row."""
    column = corpus.extra.get(COLUMN)
    return {row: cell for row, cell in enumerate(column) if cell} if isinstance(column, TextColumn) else {}


def correction_of(corpus: Corpus, row: int) -> str | None:
    """Return the corrections of one pair in the corpus's own column, or None."""
    column = corpus.extra.get(COLUMN)
    return column[row] if isinstance(column, TextColumn) else None


def _entry(edit: Edit, number: int, id: str) -> str:
    words = str(edit)
    short = words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"
    return f"{number + 1}. {short}: {change_types()[id].name}"
