"""What a score column holds, by its name: a judge's score, a probability behind one, or the score of anything else."""

from __future__ import annotations

_JUDGE = "pluie."
_P_YES, _P_NO = ".p_yes", ".p_no"

#: Endings of the columns of probabilities; no other score column ends so.
EVIDENCE = (_P_YES, _P_NO)


def judge_column(template: str) -> str:
    """Return the column of a template's scores ("pluie.fs-direct" for FS-DIRECT)."""
    return _JUDGE + template.lower()


def is_judge_score(column: str) -> bool:
    """Return whether a column holds a judge's scores under a template, log p(yes) − log p(no)."""
    return column.startswith(_JUDGE) and not column.endswith(EVIDENCE)


def is_evidence(column: str) -> bool:
    """Return whether a column holds the probabilities behind a score rather than scores."""
    return column.endswith(EVIDENCE)


def template_title(column: str) -> str:
    """Return the template of a judge's scores ("FS-DIRECT" for pluie.fs-direct)."""
    return column.removeprefix(_JUDGE).upper()


def evidence_columns(column: str) -> tuple[str, str]:
    """Return the columns of p(yes) and p(no) behind a judge's scores."""
    return column + _P_YES, column + _P_NO


def evidence_of(column: str) -> tuple[str, bool]:
    """Return the score that a column of probabilities is behind, and whether they are those of yes."""
    return column.removesuffix(_P_YES).removesuffix(_P_NO), column.endswith(_P_YES)
