"""Explanations that cost nothing: of scores whose variants were scored before, and of lexical metrics."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from parapluie_gui.analysis.explain.explanation import Explanation, Plan
from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.errors import ParapluieError
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.base import Metric
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.identity import identify
from parapluie_gui.scores.signature import Signature, pair_key
from parapluie_gui.storage.store import ScoreStore

#: Tells what decided a score of one pair, by the row; None where that is not known without loading a model.
Explain = Callable[[ScoreColumn, int, float], Explanation | None]


@contextlib.contextmanager
def known_explanations(corpus: Corpus, signatures: Mapping[str, Signature], cache: Path | None) -> Iterator[Explain]:
    """Give a function that explains scores of a corpus at their thresholds; it belongs to this thread.

    Args:
        corpus: The pairs.
        signatures: What the scores were computed with.
        cache: The file in which scores are kept; None for none.
    """
    with contextlib.ExitStack() as closing:
        store: ScoreStore | None = None
        if cache is not None and cache.is_file():
            with contextlib.suppress(ParapluieError, OSError):
                store = closing.enter_context(ScoreStore(cache, reading=True))

        def explain(score: ScoreColumn, row: int, threshold: float) -> Explanation | None:
            plan = Plan(corpus.source[row], corpus.hypothesis[row])
            signature = signatures.get(score.name)
            found = None if store is None or signature is None else _stored(plan, signature, store)
            if found is None and (metric := _instant(score.name, signature)) is not None:
                found = metric.score([plan.source] * len(plan.variants), list(plan.variants)).tolist()
            return None if found is None else plan.explain(found, threshold, score.higher_is_closer)

        yield explain


def _stored(plan: Plan, signature: Signature, store: ScoreStore) -> list[float] | None:
    """Return the kept scores of all variants, None where one is missing."""
    known = store.known(signature, [pair_key(plan.source, variant) for variant in plan.variants])
    values: list[float] = known.value.tolist()
    return values if known.known.all() else None


def _instant(name: str, signature: Signature | None) -> Metric | None:
    """Return the metric of a column, if it is computed in no time and as that column was."""
    if identify(name).judged:
        return None
    try:
        metric = catalogue.metric(name)
    except ParapluieError:
        return None
    info = metric.info
    if info.family != "lexical" or info.uses_reference or info.needs_reference:
        return None
    return metric if signature is None or metric.signature() == signature else None
