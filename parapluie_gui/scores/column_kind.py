"""What a score column holds, by its name: a judge's score, what belongs to one, or the score of anything else."""

from __future__ import annotations

_JUDGE = "pluie."
_P_YES, _P_NO = ".p_yes", ".p_no"
_REVERSE, _GAP, _THEN, _BOUND = ".reverse", ".gap", ".then", ".bound"

#: The score of whichever of two judges decided.
CASCADE = "pluie.cascade"

#: What a bound is called, where the probability of no was not told and where that of yes was not.
BOUNDS = ("at least", "at most")

#: Endings of the columns of probabilities; no other score column ends so.
EVIDENCE = (_P_YES, _P_NO)

#: Endings that the program gives to a judge's columns, so that no template's name may have them.
RESERVED = (*EVIDENCE, _REVERSE, _GAP, _THEN, _BOUND)


def judge_column(template: str) -> str:
    """Return the column of a template's scores ("pluie.fs-direct.reverse" for FS-DIRECT,reverse)."""
    return _JUDGE + template.lower().replace(",", ".")


def is_judge_score(column: str) -> bool:
    """Return whether a column holds a judge's scores under a template, log p(yes) − log p(no)."""
    return column.startswith(_JUDGE) and not column.endswith((*EVIDENCE, _GAP, _BOUND))


def is_reverse(column: str) -> bool:
    """Return whether a column holds a judge's scores of pairs shown with the hypothesis first."""
    return is_judge_score(column) and column.endswith(_REVERSE)


def is_gap(column: str) -> bool:
    """Return whether a column holds the gap between a judge's scores in both directions."""
    return column.startswith(_JUDGE) and column.endswith(_GAP)


def gap_column(score: str) -> str:
    """Return the column of the gap that a judge's score, of either direction, is a part of."""
    return score.removesuffix(_REVERSE) + _GAP


def directions(gap: str) -> tuple[str, str]:
    """Return the two scores whose difference a gap is: source first, minus hypothesis first."""
    score = gap.removesuffix(_GAP)
    return score, score + _REVERSE


def then_column(score: str) -> str:
    """Return the column of a judge's scores that has only the pairs which an earlier judge sent on to it."""
    return score + _THEN


def is_then(column: str) -> bool:
    """Return whether a column holds the scores of a second judge."""
    return is_judge_score(column) and column.endswith(_THEN)


def is_evidence(column: str) -> bool:
    """Return whether a column holds the probabilities behind a score rather than scores."""
    return column.endswith(EVIDENCE)


def template_title(column: str) -> str:
    """Return the template of a judge's scores ("FS-DIRECT" for pluie.fs-direct, "P1 (gap)" for pluie.p1.gap)."""
    name = column.removeprefix(_JUDGE)
    endings = []
    for ending in (_THEN, _REVERSE, _GAP):
        if name.endswith(ending):
            name = name.removesuffix(ending)
            endings.append(ending[1:])
    return f"{name.upper()} ({', '.join(reversed(endings))})" if endings else name.upper()


def evidence_columns(column: str) -> tuple[str, str]:
    """Return the columns of p(yes) and p(no) behind a judge's scores."""
    return column + _P_YES, column + _P_NO


def bound_column(column: str) -> str:
    """Return the column that says, in a written table, which of a judge's scores are bounds."""
    return column + _BOUND


def evidence_of(column: str) -> tuple[str, bool]:
    """Return the score that a column of probabilities is behind, and whether they are those of yes."""
    return column.removesuffix(_P_YES).removesuffix(_P_NO), column.endswith(_P_YES)
