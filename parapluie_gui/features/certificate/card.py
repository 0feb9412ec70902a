"""A score's certificate for the card of a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import isnan

from parapluie_gui.arrays import Scores
from parapluie_gui.features.certificate.analysis import markdown
from parapluie_gui.features.certificate.behaviours import BY_KEY
from parapluie_gui.features.certificate.cases import suite
from parapluie_gui.features.certificate.certificate import certified_column, certify


def certificate_card(
    column: str, title: str, pairs: int, score: Callable[[Sequence[str], Sequence[str]], Scores]
) -> tuple[str, str]:
    """Certify a score, and return its certificate as Markdown and what it fails most as a sentence.

    Args:
        column: The score's column.
        title: What the score is called.
        pairs: About how many pairs are made.
        score: Scores sources and hypotheses.
    """
    made = suite(pairs)
    scores = score(made.corpus.source, made.corpus.hypothesis)
    result = certify(made, replace(certified_column(column, scores, None), title=title))
    worst = max(result.rows, key=lambda row: -1.0 if isnan(row.failed.value) else row.failed.value)
    sentence = (
        f"certificate: {sum(row.failures or 0 for row in result.rows):,} failures in "
        f"{sum(row.cases for row in result.rows):,} cases, most often {BY_KEY[worst.behaviour].title} "
        f"({worst.failed}); the card has every row"
    )
    return markdown(result, str(made)), sentence
