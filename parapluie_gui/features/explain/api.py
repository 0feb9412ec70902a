"""Explanations of scores in Python: `parapluie_gui.explain` and its results, which `parapluie explain` prints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack, overload

from parapluie_gui.analysis.figure import BarList
from parapluie_gui.analysis.score_column import ScoreColumn, table_score_column
from parapluie_gui.analysis.table import Table
from parapluie_gui.api.corpora import ReadingOptions, make_corpus
from parapluie_gui.api.notices import count
from parapluie_gui.api.scoring import Judge, compute, local_scorer, plan_scoring
from parapluie_gui.api.shown import ResultFigure, ResultTable
from parapluie_gui.errors import ParapluieError, one_line
from parapluie_gui.features.explain.explanation import Explanation, ExplanationVariants
from parapluie_gui.features.explain.page import ExplainedScore, explanation_figure, kinds_of
from parapluie_gui.metrics.changes.types import change_types
from parapluie_gui.pairs import Corpus
from parapluie_gui.scores.signature import Signature, signature_lines
from parapluie_gui.scores.table import ScoreTable

if TYPE_CHECKING:
    import pandas

    from parapluie_gui.api.corpora import PairsLike

#: The verdict of a score in a figure; None without a threshold.
_VERDICTS = {True: "paraphrase", False: "not a paraphrase", None: ""}


@dataclass(frozen=True, eq=False, repr=False)
class Explanations(Sequence["PairExplanation"]):
    """The explanation of each score of each pair, all scores of a pair in a row.

    Attributes:
        pairs: The pairs.
        columns: The scores of the variants; internal, not part of the public interface.
        signatures: The signature of each score.
        variants: The number of variants scored.
        explanations: The explanations; internal, use the sequence itself.
    """

    pairs: Corpus
    columns: tuple[ScoreColumn, ...]
    signatures: Mapping[str, Signature]
    variants: int
    explanations: tuple[PairExplanation, ...]

    @overload
    def __getitem__(self, at: int) -> PairExplanation: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[PairExplanation, ...]: ...
    def __getitem__(self, at: int | slice) -> PairExplanation | tuple[PairExplanation, ...]:
        return self.explanations[at]

    def __len__(self) -> int:
        return len(self.explanations)

    def records(self) -> list[dict[str, Any]]:
        """Return one dict per explanation, as `parapluie explain` writes it as JSON: numbers, texts, lists and None."""
        return [explanation.record() for explanation in self.explanations]

    def table(self) -> ResultTable:
        """Return a table of the edits, one per row."""
        rows = [
            (result.name, result.pairs.id[result.row], str(edit), change_types()[kind].name, value, error)
            for result in self.explanations
            for edit, kind, value, error in zip(
                result.explanation.edits,
                result.kinds,
                result.explanation.values,
                result.explanation.errors,
                strict=True,
            )
        ]
        header = ("score", "pair", "edit", "kind of change", "value", "standard error")
        title = "Effect of each edit on the score"
        return ResultTable(Table("explanation", title, header, tuple(rows)), signature_lines(self.signatures))

    def drawing(self) -> BarList:
        """Return the content of `figure`: with one block per score.

        Raises:
            ParapluieError: There are several pairs.
        """
        if len(self.pairs) != 1:
            raise ParapluieError(
                f"The figure shows one pair, but there are {len(self.pairs):,}. Explain a single pair."
            )
        scores = [
            ExplainedScore(
                result.column.title,
                _VERDICTS[result.column.verdict(result.score)],
                result.explanation,
                result.kinds,
                result.column.higher_is_closer,
            )
            for result in self
        ]
        return explanation_figure(one_line(self.pairs.source[0]), one_line(self.pairs.hypothesis[0]), scores)

    def figure(self) -> ResultFigure:
        """Return a figure of the explanations; there must be exactly one pair.

        Raises:
            ParapluieError: There are several pairs.
        """
        return ResultFigure(self.drawing(), signature_lines(self.signatures))

    def to_frame(self) -> pandas.DataFrame:
        """Return the edits as a pandas data frame, one edit per row."""
        return self.table().to_frame()

    def __repr__(self) -> str:
        return "\n".join(map(str, self.explanations))

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


@dataclass(frozen=True, eq=False, repr=False)
class PairExplanation:
    """The explanation of one score of one pair.

    The values sum to the difference between the pair's score and the score of the source with itself.

    Attributes:
        pairs, row: The corpus and the row of the pair.
        column: The score; internal, not part of the public interface.
        explanation: The edits with their values and standard errors.
        kinds: The id of the kind of change of each edit.
    """

    pairs: Corpus
    row: int
    column: ScoreColumn
    explanation: Explanation
    kinds: tuple[str, ...]

    @property
    def name(self) -> str:
        """The column name of the score ("pluie.cloze")."""
        return self.column.name

    @property
    def score(self) -> float:
        """The pair's score."""
        return self.explanation.score

    @property
    def values(self) -> dict[str, float]:
        """The Shapley value of each edit ("rose → fell": −8.1)."""
        return dict(zip(map(str, self.explanation.edits), self.explanation.values, strict=True))

    def record(self) -> dict[str, Any]:
        """Return the explanation as a dict for JSON; a missing number is None."""
        explanation = self.explanation
        return {
            "id": self.pairs.id[self.row],
            "source": self.pairs.source[self.row],
            "hypothesis": self.pairs.hypothesis[self.row],
            "column": self.column.name,
            "score": _number(explanation.score),
            "same": _number(explanation.same),
            "edits": [
                {
                    "source": edit.source,
                    "hypothesis": edit.hypothesis,
                    "type": kind,
                    "source_at": list(edit.source_at),
                    "hypothesis_at": list(edit.hypothesis_at),
                    "value": _number(value),
                    "error": _number(error),
                    "margin": _number(margin),
                }
                for edit, kind, value, error, margin in zip(
                    explanation.edits,
                    self.kinds,
                    explanation.values,
                    explanation.errors,
                    explanation.margins,
                    strict=True,
                )
            ],
            "exact": explanation.exact,
            "evaluations": explanation.evaluations,
            "flip": None if explanation.flip is None else list(explanation.flip),
            "fewest": None if explanation.flip is None else explanation.fewest,
            "turning": list(explanation.turning),
        }

    def __repr__(self) -> str:
        explanation = self.explanation
        lines = [f"{one_line(self.pairs.source[self.row])}\n{one_line(self.pairs.hypothesis[self.row])}"]
        lines.append(f"{self.column.title}: {explanation.score:+.3f}; the source with itself: {explanation.same:+.3f}")
        width = max((len(str(edit)) for edit in explanation.edits), default=0)
        kinds = [change_types()[id].name for id in self.kinds]
        for edit, kind, value, margin in zip(
            explanation.edits, kinds, explanation.values, explanation.margins, strict=True
        ):
            interval = "" if explanation.exact else f" ± {margin:.3f}"
            lines.append(f"  {edit!s:<{width}}  {value:+.3f}{interval}  {kind}")
        if explanation.interaction is not None:
            pair = explanation.interaction
            first, second = (str(explanation.edits[edit]) for edit in (pair.first, pair.second))
            one, other = pair.alone
            lines.append(f"  {first} and {second}: together {pair.together:+.3f}, alone {one:+.3f} and {other:+.3f}")
        if explanation.flip is not None:
            undone = ", ".join(str(explanation.edits[edit]) for edit in explanation.flip)
            caution = "" if explanation.fewest else " Fewer edits may be enough: not all variants were scored."
            lines.append(f"  The verdict changes without {undone}.{caution}")
        scored = count(explanation.evaluations, "variant", "variants")
        lines.append(f"  {scored} scored{', which is all of them' if explanation.exact else '; ± is a 95 % interval'}")
        return "\n".join(lines) + "\n"


def explain(
    pairs: PairsLike,
    hypotheses: Iterable[str] | None = None,
    *,
    judge: str | PathLike[str] | Judge | None = None,
    metrics: str | Iterable[str] = (),
    templates: str | Iterable[str] = (),
    thresholds: Mapping[str, float] | None = None,
    device: str = "auto",
    precision: str = "auto",
    exact: bool = False,
    progress: bool | None = None,
    **reading: Unpack[ReadingOptions],
) -> Explanations:
    """Show which of the words that differ decided a score: the Shapley value of each edit.

    Args:
        pairs: The pairs, as in `parapluie_gui.score`, or a single source.
        hypotheses: The hypotheses, or a single hypothesis.
        judge: As in `score`.
        metrics: As in `score`.
        templates: As in `score`.
        thresholds: Thresholds by score, used instead of the natural ones.
        device: As in `score`.
        precision: As in `score`.
        exact: As in `score`.
        progress: As in `score`.
        **reading: As in `score`.

    Raises:
        ParapluieError: A file, judge or metric is missing, or a variant cannot be scored.
    """
    if isinstance(pairs, str) and isinstance(hypotheses, str):
        pairs, hypotheses = [pairs], [hypotheses]
    plan = plan_scoring(judge, templates, metrics, device, precision, exact)
    corpus = make_corpus(pairs, hypotheses, None, reading)
    variants = ExplanationVariants(corpus)
    own = judge.scorer if isinstance(judge, Judge) and progress is None else None
    table = compute(variants.corpus, plan, own or local_scorer(progress)).table
    return explanations_of(corpus, variants, table, thresholds or {})


def explanations_of(
    pairs: Corpus, variants: ExplanationVariants, table: ScoreTable, thresholds: Mapping[str, float]
) -> Explanations:
    """Return the explanations of pairs from the scores of their variants.

    Raises:
        ParapluieError: A threshold is for an unknown score.
    """
    if unknown := [name for name in thresholds if name not in table.scores]:
        raise ParapluieError(f'"{unknown[0]}" is not one of the scores. Choose among {", ".join(table.scores)}.')
    columns = [table_score_column(table, name) for name in table.scores]
    columns = [replace(column, threshold=thresholds.get(column.name, column.threshold)) for column in columns]
    return Explanations(
        pairs,
        tuple(columns),
        dict(table.signatures),
        len(variants.corpus),
        tuple(_pair_explanations(pairs, variants, columns)),
    )


def _pair_explanations(
    pairs: Corpus, variants: ExplanationVariants, columns: Sequence[ScoreColumn]
) -> Iterator[PairExplanation]:
    streams = [variants.explanations(column) for column in columns]
    for row, explanations in enumerate(zip(*streams, strict=True)):
        for column, explanation in zip(columns, explanations, strict=True):
            yield PairExplanation(pairs, row, column, explanation, kinds_of(pairs, row, explanation))


def _number(value: float) -> float | None:
    return value if isfinite(value) else None
