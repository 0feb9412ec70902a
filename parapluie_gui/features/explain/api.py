"""Which of the words that differ decided a score: `parapluie_gui.explain`, and what `parapluie explain` prints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack, overload

from parapluie_gui.analysis.figure import BarList
from parapluie_gui.analysis.score_column import ScoreColumn, table_score_column
from parapluie_gui.analysis.table import Table
from parapluie_gui.api.corpora import ReadingOptions, corpus_of
from parapluie_gui.api.notices import count
from parapluie_gui.api.scoring import Judge, compute, local_scorer, plan_of
from parapluie_gui.api.shown import ResultFigure, ResultTable
from parapluie_gui.errors import ParapluieError, one_line
from parapluie_gui.features.explain.explanation import Explanation, Variants
from parapluie_gui.features.explain.page import ExplainedScore, explanation_figure, kinds_of
from parapluie_gui.metrics.changes.types import change_types
from parapluie_gui.pairs import Corpus
from parapluie_gui.scores.signature import Signature, signature_lines
from parapluie_gui.scores.table import ScoreTable

if TYPE_CHECKING:
    import pandas

    from parapluie_gui.api.corpora import PairsLike

#: What a figure says of a score that is a paraphrase's, is not, or has no threshold.
_VERDICTS = {True: "paraphrase", False: "not a paraphrase", None: ""}


@dataclass(frozen=True, eq=False, repr=False)
class Explanations(Sequence["Explained"]):
    """What decided each score of each pair, a pair's scores one after another.

    Attributes:
        pairs: The pairs.
        columns: What their scores are, over the variants; for the program's own functions, and no public name.
        signatures: What each score was computed with.
        variants: How many variants of the pairs were scored.
    """

    pairs: Corpus
    columns: tuple[ScoreColumn, ...]
    signatures: Mapping[str, Signature]
    variants: int
    found: tuple[Explained, ...]

    @overload
    def __getitem__(self, at: int) -> Explained: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Explained, ...]: ...
    def __getitem__(self, at: int | slice) -> Explained | tuple[Explained, ...]:
        return self.found[at]

    def __len__(self) -> int:
        return len(self.found)

    def records(self) -> list[dict[str, Any]]:
        """Return a dict for each, as `parapluie explain` writes JSON: numbers, texts, lists and None."""
        return [each.record() for each in self.found]

    def table(self) -> ResultTable:
        """Return the edits, one a row."""
        rows = [
            (each.name, each.pairs.id[each.row], str(edit), change_types()[kind].name, value, error)
            for each in self.found
            for edit, kind, value, error in zip(
                each.explanation.edits, each.kinds, each.explanation.values, each.explanation.errors, strict=True
            )
        ]
        header = ("score", "pair", "edit", "kind of change", "value", "standard error")
        title = "What each edit did to the score"
        return ResultTable(Table("explanation", title, header, tuple(rows)), signature_lines(self.signatures))

    def drawing(self) -> BarList:
        """Return the figure of the one pair that is explained, a block a score.

        Raises:
            ParapluieError: There are several pairs.
        """
        if len(self.pairs) != 1:
            raise ParapluieError(f"The figure shows one pair, and there are {len(self.pairs):,}. Explain one alone.")
        scores = [
            ExplainedScore(
                each.column.title,
                _VERDICTS[each.column.verdict(each.score)],
                each.explanation,
                each.kinds,
                each.column.higher_is_closer,
            )
            for each in self
        ]
        return explanation_figure(one_line(self.pairs.source[0]), one_line(self.pairs.hypothesis[0]), scores)

    def figure(self) -> ResultFigure:
        """Return the figure of the one pair that is explained.

        Raises:
            ParapluieError: There are several pairs.
        """
        return ResultFigure(self.drawing(), signature_lines(self.signatures))

    def to_frame(self) -> pandas.DataFrame:
        """Return the edits as a pandas data frame, one row an edit."""
        return self.table().to_frame()

    def __repr__(self) -> str:
        return "\n".join(map(str, self.found))

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


@dataclass(frozen=True, eq=False, repr=False)
class Explained:
    """What decided one score of one pair: its values add up to the difference from the source beside itself.

    Attributes:
        pairs, row: The pair.
        column: What the score is; for the program's own functions, and no public name.
        explanation: The edits, with value and standard error of each.
        kinds: The kind of change of each edit.
    """

    pairs: Corpus
    row: int
    column: ScoreColumn
    explanation: Explanation
    kinds: tuple[str, ...]

    @property
    def name(self) -> str:
        """The score's name ("pluie.cloze")."""
        return self.column.name

    @property
    def score(self) -> float:
        """The pair's score."""
        return self.explanation.score

    @property
    def values(self) -> dict[str, float]:
        """What each edit did to the score ("rose → fell": −8.1)."""
        return dict(zip(map(str, self.explanation.edits), self.explanation.values, strict=True))

    def record(self) -> dict[str, Any]:
        """Return it as JSON has it; a number that is not there is None."""
        found = self.explanation
        return {
            "id": self.pairs.id[self.row],
            "source": self.pairs.source[self.row],
            "hypothesis": self.pairs.hypothesis[self.row],
            "column": self.column.name,
            "score": _number(found.score),
            "same": _number(found.same),
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
                    found.edits, self.kinds, found.values, found.errors, found.margins, strict=True
                )
            ],
            "exact": found.exact,
            "evaluations": found.evaluations,
            "flip": None if found.flip is None else list(found.flip),
            "fewest": None if found.flip is None else found.fewest,
            "turning": list(found.turning),
        }

    def __repr__(self) -> str:
        found = self.explanation
        lines = [f"{one_line(self.pairs.source[self.row])}\n{one_line(self.pairs.hypothesis[self.row])}"]
        lines.append(f"{self.column.title}: {found.score:+.3f}; the source with itself: {found.same:+.3f}")
        width = max((len(str(edit)) for edit in found.edits), default=0)
        kinds = [change_types()[id].name for id in self.kinds]
        for edit, kind, value, margin in zip(found.edits, kinds, found.values, found.margins, strict=True):
            beside = "" if found.exact else f" ± {margin:.3f}"
            lines.append(f"  {edit!s:<{width}}  {value:+.3f}{beside}  {kind}")
        if found.interaction is not None:
            pair = found.interaction
            first, second = (str(found.edits[edit]) for edit in (pair.first, pair.second))
            one, other = pair.alone
            lines.append(f"  {first} and {second}: together {pair.together:+.3f}, alone {one:+.3f} and {other:+.3f}")
        if found.flip is not None:
            undone = ", ".join(str(found.edits[edit]) for edit in found.flip)
            caution = "" if found.fewest else " These are the fewest edits of those tried."
            lines.append(f"  The other verdict without {undone}.{caution}")
        scored = count(found.evaluations, "variant", "variants")
        lines.append(f"  {scored} scored{', all there are' if found.exact else '; ± is a 95 % interval'}")
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
    """Tell which of the words that differ decided a score: the Shapley value of each edit.

    Args:
        pairs: As `parapluie_gui.score` takes them; two sentences are one pair.
        hypotheses: The hypotheses, or one.
        judge: As in `score`.
        metrics: As in `score`.
        templates: As in `score`.
        thresholds: Where paraphrases begin, by score, instead of the natural thresholds.
        device: As in `score`.
        precision: As in `score`.
        exact: As in `score`.
        progress: As in `score`.
        **reading: As in `score`.

    Raises:
        ParapluieError: Something asked for is not there, or something cannot be scored.
    """
    if isinstance(pairs, str) and isinstance(hypotheses, str):
        pairs, hypotheses = [pairs], [hypotheses]
    plan = plan_of(judge, templates, metrics, device, precision, exact)
    corpus = corpus_of(pairs, hypotheses, None, reading)
    variants = Variants(corpus)
    own = judge.scorer if isinstance(judge, Judge) and progress is None else None
    table = compute(variants.corpus, plan, own or local_scorer(progress)).table
    return explanations_of(corpus, variants, table, thresholds or {})


def explanations_of(
    pairs: Corpus, variants: Variants, table: ScoreTable, thresholds: Mapping[str, float]
) -> Explanations:
    """Return what the scores of the variants of pairs say.

    Raises:
        ParapluieError: A threshold is of none of the scores.
    """
    if strange := [name for name in thresholds if name not in table.scores]:
        raise ParapluieError(f'"{strange[0]}" is not one of the scores. Choose among {", ".join(table.scores)}.')
    columns = [table_score_column(table, name) for name in table.scores]
    columns = [replace(column, threshold=thresholds.get(column.name, column.threshold)) for column in columns]
    return Explanations(
        pairs, tuple(columns), dict(table.signatures), len(variants.corpus), tuple(_explained(pairs, variants, columns))
    )


def _explained(pairs: Corpus, variants: Variants, columns: Sequence[ScoreColumn]) -> Iterator[Explained]:
    streams = [variants.explanations(column) for column in columns]
    for row, explanations in enumerate(zip(*streams, strict=True)):
        for column, found in zip(columns, explanations, strict=True):
            yield Explained(pairs, row, column, found, kinds_of(pairs, row, found))


def _number(value: float) -> float | None:
    return value if isfinite(value) else None
