"""What a score's variants say of the edits of a pair, as it is shown: as bars, and as colours of the words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, nan

from parapluie_gui.analysis.explain.explanation import Explanation, Plan
from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.metrics.changes.types import change_types
from parapluie_gui.ui.pair.effects import Effect
from parapluie_gui.ui.pair.sentences import Tint

#: The stretches of source and hypothesis that have a colour.
Tints = tuple[tuple[Tint, ...], tuple[Tint, ...]]


@dataclass(frozen=True)
class EditStates:
    """What is known of a pair's edits apart from scores.

    Attributes:
        kinds: (k,) The ids of their kinds of change.
        by_rule: (k,) The same as the rules say; a person may have corrected them.
        undone: Which of them are left undone in the variant shown.
    """

    kinds: Sequence[str]
    by_rule: Sequence[str]
    undone: frozenset[int] = frozenset()


def effects_of(plan: Plan, scores: ScoreColumn, found: Explanation | None, states: EditStates) -> list[Effect]:
    """Return what each edit did to a score; until all variants have theirs (`found` is None), what it does alone."""
    values = _alone(plan, scores) if found is None else found.values
    errors = (0.0,) * len(values) if found is None else found.errors
    effects = []
    for edit, (value, error) in enumerate(zip(values, errors, strict=True)):
        known = None if isnan(value) else value
        closer, corrected = (value > 0) == scores.higher_is_closer, states.kinds[edit] != states.by_rule[edit]
        kind, undone = change_types()[states.kinds[edit]], edit in states.undone
        effects.append(Effect(str(plan.edits[edit]), known, error, kind, closer, undone, corrected))
    return effects


def tints_of(plan: Plan, effects: Sequence[Effect]) -> Tints:
    """Return the colours of the words by what their edits did."""
    largest = max((abs(effect.value) for effect in effects if effect.value), default=1.0)
    sides: tuple[list[Tint], list[Tint]] = ([], [])
    for edit, effect in zip(plan.edits, effects, strict=True):
        if effect.value is not None:
            share = abs(effect.value) / largest
            for side, (start, end) in zip(sides, (edit.source_at, edit.hypothesis_at), strict=True):
                if start < end:
                    side.append(Tint(start, end, share, effect.towards_yes))
    return tuple(sides[0]), tuple(sides[1])


def _alone(plan: Plan, scores: ScoreColumn) -> tuple[float, ...]:
    """Return what each edit changes by itself, as long as not all variants have their scores."""
    at = {done: number for number, done in enumerate(plan.subsets)}
    values = scores.values
    return tuple(
        float(values[at[1 << edit]] - values[at[0]]) if 1 << edit in at else nan for edit in range(len(plan.edits))
    )
