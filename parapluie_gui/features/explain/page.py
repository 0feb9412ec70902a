"""What decided a score, as HTML, as a table and as a figure."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from parapluie_gui.analysis.figure import BarBlock, BarList, Colour, Shade, ShadedText, SignedBar
from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.analysis.table import Table
from parapluie_gui.arrays import Rows
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.explain.explanation import Blame, Explanation, ExplanationPlan
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

#: Edits of a pair that are listed; the rest is counted.
_MOST = 6


def edits_html(corpus: Corpus, row: int, found: Explanation, higher_is_closer: bool) -> Markup:
    """Return the edits of a pair with value and kind, the one that did most first, as HTML."""
    names = [change_types()[kind].name for kind in kinds_of(corpus, row, found)]
    edits = sorted(zip(found.edits, found.values, names, strict=True), key=lambda edit: -abs(edit[1]))
    shown = [(str(edit), written(value), name, (value > 0) == higher_is_closer) for edit, value, name in edits[:_MOST]]
    return markup(fill_template("explain/edits.html", edits=shown, more=len(edits) - len(shown)))


def deciding_words(cache: Path | None) -> PairColumn:
    """Return the column of a report that shows which words decided, where that is known without loading a model.

    Args:
        cache: The file in which scores are kept; None for none.
    """
    return PairColumn("which words decided", partial(_deciding_words, cache))


@contextlib.contextmanager
def _deciding_words(
    cache: Path | None, material: Material
) -> Iterator[Callable[[ScoreColumn, int, float], Markup | None]]:
    corpus = material.corpus
    with known_explanations(corpus, material.signatures, cache) as explain:

        def cell(score: ScoreColumn, row: int, threshold: float) -> Markup | None:
            found = explain(score, row, threshold)
            return None if found is None else edits_html(corpus, row, found, score.higher_is_closer)

        yield cell


def kinds_of(corpus: Corpus, row: int, found: Explanation) -> tuple[str, ...]:
    """Return the ids of the edits' kinds of change, as people corrected them where the corpus says so."""
    return corrected_types(corpus.source[row], corpus.hypothesis[row], found.edits, correction_of(corpus, row))


def written(value: float) -> str:
    """Return an edit's value with its sign, two decimals or three for small ones."""
    text = f"{value:+.2f}" if abs(value) >= 0.995 else f"{value:+.3f}"
    return text.replace("-", "−")


def blame_grid(found: Sequence[Blame], title: str, pairs: int) -> Table:
    """Return what each kind of change did over pairs, one a row."""
    names = {id: each.name for id, each in change_types().items()}
    rows = tuple((names[each.kind], each.edits, each.mean, each.strongest, each.flips) for each in found)
    note = (
        f"{pairs:,} pairs. Mean value: what an edit of the kind changes in the score. Did most: pairs in which such an "
        "edit has the largest value. Turns: pairs in which there is such an edit without which alone the verdict is "
        "another one; a pair can count in several kinds."
    )
    return Table("blame", title, ("kind of change", "edits", "mean value", "did most", "turns"), rows, note)


@dataclass(frozen=True)
class ExplainedScore:
    """A score of the pair: how it is called, its verdict ("paraphrase", or ""), and what decided it.

    Attributes:
        kinds: The ids of the edits' kinds of change.
        higher_is_closer: False for distances.
    """

    title: str
    verdict: str
    found: Explanation
    kinds: tuple[str, ...]
    higher_is_closer: bool

    def colour(self, value: float) -> Colour:
        """Return the colour of the side that a value speaks for."""
        return "paraphrase" if (value > 0) == self.higher_is_closer else "other"

    def share(self, value: float) -> float:
        """Return how much a value is beside the largest, 0 to 1."""
        return abs(value) / max(map(abs, self.found.values), default=1.0) if value else 0.0


def explanation_figure(source: str, hypothesis: str, scores: Sequence[ExplainedScore]) -> BarList:
    """Return one pair as several scores see it, side by side: the same words, and what each score blames."""
    return BarList(
        "explanation",
        f"Which words decided: {source} / {hypothesis}",
        tuple(_block(source, hypothesis, each) for each in scores),
        (("towards “paraphrase”", "paraphrase"), ("towards “not a paraphrase”", "other")),
        beside=True,
    )


def _block(source: str, hypothesis: str, score: ExplainedScore) -> BarBlock:
    found = score.found
    edits = list(zip(found.edits, found.values, score.kinds, strict=True))
    names = change_types()
    sides = (
        ("Source", source, [edit.source_at for edit in found.edits]),
        ("Hypothesis", hypothesis, [edit.hypothesis_at for edit in found.edits]),
    )
    return BarBlock(
        f"{score.title}: {written(found.score)}" + (f", {score.verdict}" if score.verdict else ""),
        tuple(
            SignedBar(str(edit), (value,), (written(value),), (names[kind].name,), (score.colour(value),))
            for edit, value, kind in edits
        ),
        f"the source with itself: {written(found.same)}",
        tuple(ShadedText(caption, text, _shades(places, score)) for caption, text, places in sides),
    )


def _shades(places: Sequence[tuple[int, int]], score: ExplainedScore) -> tuple[Shade, ...]:
    values = score.found.values
    return tuple(
        Shade(start, end, score.colour(value), score.share(value))
        for (start, end), value in zip(places, values, strict=True)
    )


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
                store = closing.enter_context(ScoreStore(cache, reading=True, waits=True))

        def explain(score: ScoreColumn, row: int, threshold: float) -> Explanation | None:
            plan = ExplanationPlan(corpus.source[row], corpus.hypothesis[row])
            signature = signatures.get(score.name)
            found = None if store is None or signature is None else _stored(plan, signature, store)
            if found is None and (metric := _instant(score.name, signature)) is not None:
                found = metric.score([plan.source] * len(plan.variants), list(plan.variants)).tolist()
            return None if found is None else plan.explain(found, threshold, score.higher_is_closer)

        yield explain


def known_edits(
    cache: Path | None, material: Material, rows: Rows
) -> Iterator[tuple[str, int, list[tuple[Edit, float, str]]]]:
    """Yield score, row and edits of the pairs whose variants were scored, each edit with its value and kind.

    Args:
        cache: The file in which scores are kept; None for none.
        material: The pairs and their scores, with the thresholds.
        rows: The pairs that are wanted.
    """
    corpus, signatures, names = material.corpus, material.signatures, change_types()
    stored = sorted({*explained_rows(corpus, signatures, cache)} & {*rows.tolist()})
    with known_explanations(corpus, signatures, cache) as explain:
        for score in material.score_columns if stored else ():
            threshold = material.threshold(score, material.where)
            for row in stored:
                found = explain(score, row, threshold)
                if found is not None and not any(map(isnan, found.values)):
                    kinds = (names[kind].name for kind in kinds_of(corpus, row, found))
                    yield score.name, row, list(zip(found.edits, found.values, kinds, strict=True))


def explained_rows(corpus: Corpus, signatures: Mapping[str, Signature], cache: Path | None) -> list[int]:
    """Return the pairs whose variants were scored with any of the signatures: the source with itself is kept."""
    found: set[int] = set()
    if cache is not None and cache.is_file():
        keys = [pair_key(source, source) for source in corpus.source]
        with contextlib.suppress(ParapluieError, OSError), ScoreStore(cache, reading=True, waits=True) as store:
            for signature in signatures.values():
                found.update(np.flatnonzero(store.known(signature, keys).known).tolist())
    return sorted(found)


def _stored(plan: ExplanationPlan, signature: Signature, store: ScoreStore) -> list[float] | None:
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
