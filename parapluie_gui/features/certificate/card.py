"""The certificate of a trained judge for its model card."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import isnan

from parapluie_gui.arrays import Scores
from parapluie_gui.features.certificate.analysis import markdown
from parapluie_gui.features.certificate.behaviours import BY_KEY
from parapluie_gui.features.certificate.cases import make_suite
from parapluie_gui.features.certificate.certificate import certified_column, certify


def certificate_card(
    column: str, title: str, pairs: int, score: Callable[[Sequence[str], Sequence[str]], Scores]
) -> tuple[str, str]:
    """Return the certificate of a score as Markdown, and a sentence on its most frequent failure.

    Args:
        column: The column name of the score.
        title: The title of the score.
        pairs: The approximate number of pairs to generate.
        score: Returns the scores of n sources and n hypotheses, (n,).
    """
    suite = make_suite(pairs)
    scores = score(suite.corpus.source, suite.corpus.hypothesis)
    result = certify(suite, replace(certified_column(column, scores, None), title=title))
    worst = max(result.rows, key=lambda row: -1.0 if isnan(row.failed.value) else row.failed.value)
    sentence = (
        f"certificate: {sum(row.failures or 0 for row in result.rows):,} failures in "
        f"{sum(row.cases for row in result.rows):,} cases, most often {BY_KEY[worst.behaviour].title} "
        f"({worst.failed}); the card has every row"
    )
    return markdown(result, str(suite)), sentence
