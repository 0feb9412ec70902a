"""Explanations of scores as HTML, as a table and as a figure."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from parapluie_gui.analysis.figure import BarBlock, BarList, Colour, ShadedSpan, ShadedText, SignedBar
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.analysis.table import Table
from parapluie_gui.arrays import Rows
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.explain.explanation import Explanation, ExplanationPlan, KindEffect
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.base import Metric
from parapluie_gui.metrics.changes.corrections import corrected_types, correction_of
from parapluie_gui.metrics.changes.edits import Edit
from parapluie_gui.metrics.changes.types import change_types
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.report.html import PairColumn
from parapluie_gui.report.template import fill_template, markup
from parapluie_gui.scores.identity import identify
from parapluie_gui.scores.signature import Signature, pair_key
from parapluie_gui.storage.store import ScoreStore

if TYPE_CHECKING:
    from markupsafe import Markup

#: Maximum number of edits listed for a pair; the remaining edits are counted.
_MOST_EDITS = 6


def edits_html(corpus: Corpus, row: int, explanation: Explanation, higher_is_closer: bool) -> Markup:
    """Return the edits of a pair with their values and kinds as HTML, largest absolute value first."""
    names = [change_types()[kind].name for kind in kinds_of(corpus, row, explanation)]
    edits = sorted(zip(explanation.edits, explanation.values, names, strict=True), key=lambda edit: -abs(edit[1]))
    shown = [
        (str(edit), format_value(value), name, (value > 0) == higher_is_closer)
        for edit, value, name in edits[:_MOST_EDITS]
    ]
    return markup(fill_template("explain/edits.html", edits=shown, more=len(edits) - len(shown)))


def deciding_words(cache: Path | None) -> PairColumn:
    """Return a report column with the deciding words of each pair that can be explained without loading a model.

    Args:
        cache: The file of stored scores, or None.
    """
    return PairColumn("which words decided", partial(_deciding_words, cache))


@contextlib.contextmanager
def _deciding_words(
    cache: Path | None, material: AnalysisMaterial
) -> Iterator[Callable[[ScoreColumn, int, float], Markup | None]]:
    corpus = material.corpus
    with known_explanations(corpus, material.signatures, cache) as explain:

        def cell(score: ScoreColumn, row: int, threshold: float) -> Markup | None:
            explanation = explain(score, row, threshold)
            return None if explanation is None else edits_html(corpus, row, explanation, score.higher_is_closer)

        yield cell


def kinds_of(corpus: Corpus, row: int, explanation: Explanation) -> tuple[str, ...]:
    """Return the ids of the edits' kinds of change, with the corrections stored in the corpus."""
    return corrected_types(corpus.source[row], corpus.hypothesis[row], explanation.edits, correction_of(corpus, row))


def format_value(value: float) -> str:
    """Return an edit's value with its sign and two decimals, or three if it is small."""
    text = f"{value:+.2f}" if abs(value) >= 0.995 else f"{value:+.3f}"
    return text.replace("-", "−")


def kind_effect_table(effects: Sequence[KindEffect], title: str, pairs: int) -> Table:
    """Return a table of the effects of kinds of change over a number of pairs, one kind per row."""
    names = {id: type.name for id, type in change_types().items()}
    rows = tuple((names[effect.kind], effect.edits, effect.mean, effect.strongest, effect.flips) for effect in effects)
    note = (
        f"{pairs:,} pairs. Mean value: how much an edit of this kind changes the score on average. Did most: pairs in "
        "which such an edit has the largest effect. Turns: pairs in which undoing one such edit changes the verdict; a "
        "pair "
        "can count for several kinds."
    )
    return Table("blame", title, ("kind of change", "edits", "mean value", "did most", "turns"), rows, note)


@dataclass(frozen=True)
class ExplainedScore:
    """A score of a pair with its explanation, as a figure shows it.

    Attributes:
        title: The name of the score.
        verdict: "paraphrase", "not a paraphrase", or "" without a threshold.
        explanation: The values of the edits.
        kinds: The ids of the edits' kinds of change.
        higher_is_closer: False for distances.
    """

    title: str
    verdict: str
    explanation: Explanation
    kinds: tuple[str, ...]
    higher_is_closer: bool

    def colour(self, value: float) -> Colour:
        """Return the colour of the verdict that a value points to."""
        return "paraphrase" if (value > 0) == self.higher_is_closer else "other"

    def share(self, value: float) -> float:
        """Return the size of a value relative to the largest, 0 to 1."""
        return abs(value) / max(map(abs, self.explanation.values), default=1.0) if value else 0.0


def explanation_figure(source: str, hypothesis: str, scores: Sequence[ExplainedScore]) -> BarList:
    """Return a figure of one pair with the explanations of several scores side by side."""
    return BarList(
        "explanation",
        f"Which words decided: {source} / {hypothesis}",
        tuple(_block(source, hypothesis, score) for score in scores),
        (("towards “paraphrase”", "paraphrase"), ("towards “not a paraphrase”", "other")),
        beside=True,
    )


def _block(source: str, hypothesis: str, score: ExplainedScore) -> BarBlock:
    explanation = score.explanation
    edits = list(zip(explanation.edits, explanation.values, score.kinds, strict=True))
    names = change_types()
    sides = (
        ("Source", source, [edit.source_at for edit in explanation.edits]),
        ("Hypothesis", hypothesis, [edit.hypothesis_at for edit in explanation.edits]),
    )
    return BarBlock(
        f"{score.title}: {format_value(explanation.score)}" + (f", {score.verdict}" if score.verdict else ""),
        tuple(
            SignedBar(str(edit), (value,), (format_value(value),), (names[kind].name,), (score.colour(value),))
            for edit, value, kind in edits
        ),
        f"the source with itself: {format_value(explanation.same)}",
        tuple(ShadedText(caption, text, _shades(places, score)) for caption, text, places in sides),
    )


def _shades(places: Sequence[tuple[int, int]], score: ExplainedScore) -> tuple[ShadedSpan, ...]:
    values = score.explanation.values
    return tuple(
        ShadedSpan(start, end, score.colour(value), score.share(value))
        for (start, end), value in zip(places, values, strict=True)
    )


#: A function that returns the explanation of a score for the pair in a row, at a threshold; None if that needs a model.
Explain = Callable[[ScoreColumn, int, float], Explanation | None]


@contextlib.contextmanager
def known_explanations(corpus: Corpus, signatures: Mapping[str, Signature], cache: Path | None) -> Iterator[Explain]:
    """Yield a function that explains scores of a corpus without loading a model, for use in this thread only.

    Args:
        corpus: The pairs.
        signatures: The signatures of the scores, by column.
        cache: The file of stored scores, or None.
    """
    with contextlib.ExitStack() as closing:
        store: ScoreStore | None = None
        if cache is not None and cache.is_file():
            with contextlib.suppress(ParapluieError, OSError):
                store = closing.enter_context(ScoreStore(cache, reading=True, waits=True))

        def explain(score: ScoreColumn, row: int, threshold: float) -> Explanation | None:
            plan = ExplanationPlan(corpus.source[row], corpus.hypothesis[row])
            signature = signatures.get(score.name)
            values = None if store is None or signature is None else _stored_scores(plan, signature, store)
            if values is None and (metric := _instant_metric(score.name, signature)) is not None:
                values = metric.score([plan.source] * len(plan.variants), list(plan.variants)).tolist()
            return None if values is None else plan.explain(values, threshold, score.higher_is_closer)

        yield explain


def known_edits(
    cache: Path | None, material: AnalysisMaterial, rows: Rows
) -> Iterator[tuple[str, int, list[tuple[Edit, float, str]]]]:
    """Yield score, row and edits of each pair whose variants have stored scores; an edit has its value and kind.

    Args:
        cache: The file of stored scores, or None.
        material: The pairs and their scores, with the thresholds.
        rows: The rows to look up.
    """
    corpus, signatures, names = material.corpus, material.signatures, change_types()
    stored = sorted({*explained_rows(corpus, signatures, cache)} & {*rows.tolist()})
    with known_explanations(corpus, signatures, cache) as explain:
        for score in material.score_columns if stored else ():
            threshold = material.threshold(score, material.where)
            for row in stored:
                explanation = explain(score, row, threshold)
                if explanation is not None and not any(map(isnan, explanation.values)):
                    kinds = (names[kind].name for kind in kinds_of(corpus, row, explanation))
                    yield score.name, row, list(zip(explanation.edits, explanation.values, kinds, strict=True))


def explained_rows(corpus: Corpus, signatures: Mapping[str, Signature], cache: Path | None) -> list[int]:
    """Return the rows of pairs whose variants may have stored scores, sorted.

    Every explanation scores the source with itself, so a stored score of that kind marks such a pair.
    """
    rows: set[int] = set()
    if cache is not None and cache.is_file():
        keys = [pair_key(source, source) for source in corpus.source]
        with contextlib.suppress(ParapluieError, OSError), ScoreStore(cache, reading=True, waits=True) as store:
            for signature in signatures.values():
                rows.update(np.flatnonzero(store.known(signature, keys).known).tolist())
    return sorted(rows)


def _stored_scores(plan: ExplanationPlan, signature: Signature, store: ScoreStore) -> list[float] | None:
    """Return the stored scores of all variants, or None if one is missing."""
    known = store.known(signature, [pair_key(plan.source, variant) for variant in plan.variants])
    values: list[float] = known.value.tolist()
    return values if known.known.all() else None


def _instant_metric(name: str, signature: Signature | None) -> Metric | None:
    """Return the lexical metric of a column, or None if it is slower or has a different signature."""
    if identify(name).is_from_judge:
        return None
    metric = catalogue.metric_of_column(name)
    if metric is None:
        return None
    info = metric.info
    if info.family != "lexical" or info.uses_reference or info.needs_reference:
        return None
    return metric if signature is None or metric.signature() == signature else None
