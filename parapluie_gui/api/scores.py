"""The results of scoring: a number with its signature, or the scores of many pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from parapluie_gui.analysis.statistics.summary import by_label
from parapluie_gui.analysis.table import Cell, Table
from parapluie_gui.api import corpora
from parapluie_gui.api.material import put_expressions
from parapluie_gui.api.notices import count, warn
from parapluie_gui.api.shown import ResultTable
from parapluie_gui.arrays import Scores as Values
from parapluie_gui.errors import ParapluieError
from parapluie_gui.pairs import Corpus
from parapluie_gui.report.table import to_frame, write_table
from parapluie_gui.report.template import fill_part
from parapluie_gui.scores.identity import describe_ambiguity, identify, rename_column
from parapluie_gui.scores.signature import Signature, signature_lines
from parapluie_gui.scores.table import ScoreTable

if TYPE_CHECKING:
    import pandas


class Score(float):
    """The score of one pair: a number with its signature; NaN if it cannot be computed.

    Attributes:
        name: The score's column ("pluie.cloze", "bleu").
        signature: The settings of its computation; its text is the line to publish with the score.
        evidence: The probabilities from which a judge's score is computed, {"p_yes": …, "p_no": …}; empty for a metric.
    """

    name: str
    signature: Signature | None
    evidence: Mapping[str, float]

    def __new__(cls, value: float, name: str, signature: Signature | None, evidence: Mapping[str, float]) -> Score:
        score = super().__new__(cls, value)
        score.name, score.signature, score.evidence = name, signature, evidence
        return score


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Mapping[str, Values]):
    """The scores of n pairs: by the name of each score an array, float64 (n,), NaN for missing values.

    Attributes:
        corpus: The pairs.
        table: The underlying table, for the program's own functions; it is not public.
    """

    corpus: Corpus
    table: ScoreTable

    def __getitem__(self, name: str) -> Values:
        if name not in self.table.scores:
            fits = [column for column in self.table.columns_for(name) if column in self.table.scores]
            if len(fits) != 1:
                names = ", ".join(f'"{score}"' for score in self.table.scores)
                wrong = describe_ambiguity(name, fits) or f'There is no score "{name}"'
                raise KeyError(f"{wrong}. Choose among {names}.")
            (name,) = fits
        values = self.table[name].view()
        values.flags.writeable = False
        return values

    def __iter__(self) -> Iterator[str]:
        return iter(self.table.scores)

    def __len__(self) -> int:
        """Return the number of scores; the number of pairs is `len(scores.corpus)`."""
        return len(self.table.scores)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and any(column in self.table.scores for column in self.table.columns_for(name))

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the scores."""
        return tuple(self.table.scores)

    @property
    def signatures(self) -> dict[str, Signature]:
        """The signature of each score that has one."""
        return {name: self.table.signatures[name] for name in self if name in self.table.signatures}

    @cached_property
    def evidence(self) -> dict[str, dict[str, Values]]:
        """The probabilities from which judges' scores are computed: {"pluie.cloze": {"p_yes": (n,), "p_no": (n,)}}."""
        evidence = {}
        for name in self:
            columns = dict(zip(("p_yes", "p_no"), identify(name).evidence, strict=True))
            if all(column in self.table for column in columns.values()):
                evidence[name] = {key: self.table[column] for key, column in columns.items()}
        return evidence

    def to_frame(self) -> pandas.DataFrame:
        """Return pairs and scores as a pandas data frame with one row per pair and the signatures in its `attrs`."""
        return to_frame(self.corpus, self.table)

    def write(self, path: str | PathLike[str], *, no_formulas: bool = False, for_excel: bool = False) -> Path:
        """Write pairs and scores as `parapluie score` does: .csv, .tsv, .jsonl, .parquet or .xlsx.

        Args:
            path: The file.
            no_formulas: In CSV and TSV, put an apostrophe before texts that a spreadsheet would run as formulas.
            for_excel: As `no_formulas`, and begin the file with the mark by which Excel recognises UTF-8.

        Raises:
            ParapluieError: The ending is unknown, or the folder cannot be written.
        """
        written = write_table(Path(path), self.corpus, self.table, mark_formulas=no_formulas, for_excel=for_excel)
        for sentence in written.warnings:
            warn(corpora.options_to_arguments(sentence))
        return written.path

    def filter(self, text: str) -> Scores:
        """Return the pairs that satisfy a filter, as in the window's filter box ("label = 1 and bleu < 0.3").

        Raises:
            ParapluieError: The filter is invalid, or no pair satisfies it.
        """
        return Scores(*corpora.filter_pairs(self.corpus, self.table, text))

    def with_column(self, name: str, expression: str) -> Scores:
        """Return the scores with a further column, computed from other columns by an expression of the filter language.

        A condition ("min(pluie.p1, pluie.p2) > 0") is a verdict, 1 or 0, whose natural threshold is 0.5.

        Raises:
            ParapluieError: The name is taken, or the expression is invalid.
        """
        table = self.table.take(np.arange(self.table.rows))
        put_expressions(self.corpus, table, [f"{name} = {expression}"])
        return Scores(self.corpus, table)

    def __or__(self, other: Scores) -> Scores:
        """Combine two sets of scores; scores in `other` replace the same scores here, but not a different judge's.

        Raises:
            ParapluieError: They belong to different pairs.
        """
        if not isinstance(other, Scores):
            return NotImplemented
        ours, theirs = (
            list(zip(scores.corpus.source, scores.corpus.hypothesis, strict=True)) for scores in (self, other)
        )
        if ours != theirs:
            raise ParapluieError("The scores belong to different pairs. Score the same corpus with both.")
        table = ScoreTable(len(self.corpus))
        rows = np.arange(table.rows)
        for part in (self.table, other.table):
            for score in part.scores:
                signature = part.signatures.get(score)
                place = table.place(score, signature)
                table.drop(place)
                table.declare(place, signature)
                columns = (column for column in part if identify(column).score == score)
                table.put(rows, {rename_column(column, score, place): part[column] for column in columns})
        table.own = (self.table.own - set(other.table)) | (other.table.own & set(table))
        return Scores(self.corpus, table)

    def summary(self) -> ResultTable:
        """Return mean ± standard deviation of each score, by label if there are labels."""
        labelled = self.corpus.has_labels
        header = ("score", "paraphrases", "not paraphrases") if labelled else ("score", "mean")
        rows: list[tuple[Cell, ...]] = []
        for name in self:
            parts = by_label(self.table[name], self.corpus.label)
            rows.append((name, parts.paraphrase, parts.other) if labelled else (name, parts.all))
        title = f"{self.corpus.name}: {count(len(self.corpus), 'pair', 'pairs')}, mean and standard deviation"
        return ResultTable(Table("summary", title, header, tuple(rows)))

    def __repr__(self) -> str:
        return "\n".join([str(self.summary()).rstrip("\n"), *signature_lines(self.signatures)])

    def _repr_html_(self) -> str:
        return f"{self.summary()._repr_html_()}{fill_part('signature_lines', signature_lines(self.signatures))}"


def single_score(scores: Scores) -> Score:
    """Return the only score of a single pair.

    Raises:
        ParapluieError: There are several scores.
    """
    if len(scores) != 1:
        named = ", ".join(scores)
        raise ParapluieError(
            f"Two sentences give one number, but {len(scores)} scores were requested ({named}). Name one of them, or "
            "pass lists: score([source], [hypothesis], …)."
        )
    (name,) = scores
    evidence = {key: float(values[0]) for key, values in scores.evidence.get(name, {}).items()}
    return Score(float(scores[name][0]), name, scores.signatures.get(name), evidence)
