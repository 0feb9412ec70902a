"""Two judges one after the other: only what the first is not sure of goes to the second, which is dearer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from parapluie_gui.analysis.statistics.cascade import cascade_columns
from parapluie_gui.arrays import Rows, Scores
from parapluie_gui.pairs.column import TextColumn
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import Template
from parapluie_gui.scores.identity import CASCADE, identify
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable

#: The corpus's column that says which judge decided.
DECIDED_BY = "cascade.judge"


@dataclass(frozen=True)
class Cascade:
    """The second judge, and what is sent on to it.

    Attributes:
        judge, template: The second judge.
        band: The lowest and highest score of the first judge that are sent on; None with a share.
        share: The share of the pairs that is sent on, those nearest to the threshold 0; None with a band.
    """

    judge: JudgeSettings
    template: Template
    band: tuple[float, float] | None = None
    share: float | None = None

    def sent(self, first: Scores) -> Rows:
        """Return the pairs that go to the second judge: those in the band, and all that have no score."""
        if self.band is not None:
            low, high = self.band
            return np.flatnonzero(~((first < low) | (first > high)))
        count = round((self.share or 0.0) * len(first))
        doubt = np.nan_to_num(np.abs(first), nan=-1.0)  # without a score: sent first
        return np.sort(np.argsort(doubt, kind="stable")[:count])

    def sent_band(self, first: Scores, sent: Rows) -> tuple[float, float]:
        """Return the band of scores that were sent on."""
        if self.band is not None:
            return self.band
        doubt = np.abs(first[sent])
        most = float(np.nanmax(doubt)) if (~np.isnan(doubt)).any() else 0.0
        return -most, most

    @property
    def _wanted(self) -> dict[str, object]:
        return {"share": self.share} if self.band is None else {"low": self.band[0], "high": self.band[1]}

    def known(self, table: ScoreTable, first: str) -> bool:
        """Return whether a table has this for every pair, after the scores of a first judge in this column."""
        if table.scored(CASCADE) < table.rows or CASCADE not in table.signatures:
            return False
        fields = dict(table.signatures[CASCADE].fields)
        then = table.signatures.get(cascade_columns(table.signatures)[1])
        key = table.signatures[first].key if first in table.signatures else ""
        wanted = {name: str(value) for name, value in self._wanted.items()}
        return (
            (fields.get("first_key"), fields.get("then_key")) == (key, "" if then is None else then.key)
            and wanted.items() <= fields.items()
            and then is not None
            and Path(self.judge.model).name == Path(dict(then.fields).get("model", "")).name
        )

    def signature(self, first: Signature, then: Signature) -> Signature:
        """Return what the score of whichever judge decided depends on."""
        both = {"first": first.column, "first_key": first.key, "then": then.column, "then_key": then.key}
        return Signature.of(CASCADE, {"name": CASCADE, **both, **self._wanted})


def then_signature(signature: Signature) -> Signature:
    """Return the signature of a second judge's scores, which are those of any judge in a column of their own."""
    return replace(signature, column=identify(signature.column).then)


def put_cascade(
    corpus: Corpus,
    table: ScoreTable,
    first: str,
    second: ScoreTable,
    sent: Rows,
    cascade: Cascade,
    names: tuple[str, str],
) -> Corpus:
    """Put a second judge's scores, and those of whichever judge decided, into a table; return the corpus with its name.

    Args:
        corpus: The pairs.
        table: Their scores, among them the first judge's.
        first: The first judge's column.
        second: The second judge's scores of the pairs that were sent on.
        sent: The rows of these.
        cascade: The second judge.
        names: What the two judges are called.
    """
    column = cascade.template.column
    signature = then_signature(second.signatures[column])
    name = table.declare(signature.column, signature)
    renamed = dict(zip((column, *identify(column).evidence), (name, *identify(name).evidence), strict=True))
    table.put(sent, {new: second[old] for old, new in renamed.items() if old in second})
    then = table[name]
    table.declare(CASCADE, cascade.signature(table.signatures[first], signature))
    table.put(np.arange(len(corpus)), {CASCADE: decided(table[first], then)})
    return replace(corpus, extra={**corpus.extra, DECIDED_BY: judges_of(table[CASCADE], then, names)})


def decided(first: Scores, then: Scores) -> Scores:
    """Return the score of whichever judge decided: the second where it has one."""
    return np.where(np.isnan(then), first, then)


def judges_of(cascade: Scores, then: Scores, names: tuple[str, str]) -> TextColumn:
    """Return which of the two judges, called so, decided each pair; "" for a pair without a score."""
    one, two = names
    of_second, scored = (cascade == then).tolist(), (~np.isnan(cascade)).tolist()
    return TextColumn([two if second else one if has else "" for second, has in zip(of_second, scored, strict=True)])


def decided_by(table: ScoreTable) -> TextColumn | None:
    """Return which judge decided each pair, by the signatures of a table; None where there was one judge.

    A second judge's scores of earlier bands do not count.
    """
    if CASCADE not in table.signatures or not table.has_scores(CASCADE):
        return None
    names = cascade_columns(table.signatures)
    if not all(name in table.signatures for name in names):
        return None
    one, two = (dict(table.signatures[name].fields).get("model", name) for name in names)
    return judges_of(table[CASCADE], table[names[1]], (one, two))
