"""Base classes of requests to the worker: frozen dataclasses that compute themselves.

The requests are `ScorePairs`, `ShowPrompt` and those of features.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain

from parapluie_gui.arrays import Rows
from parapluie_gui.pairs.corpus import Corpus, list_references
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.scores.signature import pair_key
from parapluie_gui.work.context import RequestContext


@dataclass(frozen=True)
class PairTexts:
    """The texts of n pairs, and further columns of their corpus by name."""

    sources: tuple[str, ...] = ()
    hypotheses: tuple[str, ...] = ()
    references: tuple[str | None, ...] | None = None
    more: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)

    @classmethod
    def from_corpus(cls, corpus: Corpus, columns: Iterable[str] = ()) -> PairTexts:
        """Copy the pairs of a corpus, with those of the further columns that it has."""
        references = None if corpus.reference is None else tuple(corpus.reference)
        columns = dict.fromkeys((*columns, *corpus.reference_columns))
        columns_texts = {name: corpus.texts(name) for name in columns if name != "reference"}
        more = {name: tuple(texts) for name, texts in columns_texts.items() if texts is not None}
        return cls(tuple(corpus.source), tuple(corpus.hypothesis), references, more)

    @classmethod
    def concatenate(cls, parts: Iterable[PairTexts]) -> PairTexts:
        """Concatenate parts; either all or none of them have references and further columns."""
        parts = list(parts)
        references = [part.references for part in parts if part.references is not None]
        return cls(
            tuple(chain.from_iterable(part.sources for part in parts)),
            tuple(chain.from_iterable(part.hypotheses for part in parts)),
            tuple(chain.from_iterable(references)) if references else None,
            {name: tuple(chain.from_iterable(part.more[name] for part in parts)) for name in parts[0].more},
        )

    def __len__(self) -> int:
        return len(self.sources)

    def __getitem__(self, cut: slice) -> PairTexts:
        references = None if self.references is None else self.references[cut]
        more = {name: texts[cut] for name, texts in self.more.items()}
        return PairTexts(self.sources[cut], self.hypotheses[cut], references, more)

    def take(self, rows: Rows) -> PairTexts:
        """Return the pairs of these rows (k,)."""
        numbers = rows.tolist()
        return PairTexts(
            tuple(self.sources[row] for row in numbers),
            tuple(self.hypotheses[row] for row in numbers),
            None if self.references is None else tuple(self.references[row] for row in numbers),
            {name: tuple(texts[row] for row in numbers) for name, texts in self.more.items()},
        )

    @property
    def reference_columns(self) -> tuple[str, ...]:
        """The columns of the references, as in a corpus."""
        return () if self.references is None else tuple(list_references(self.more))

    def references_of(self, rows: Iterable[int]) -> list[str | tuple[str, ...] | None] | None:
        """Return the references of some pairs, in a tuple if the pairs can have several."""
        columns = [self.column(name) or () for name in self.reference_columns]
        if len(columns) < 2:
            return None if self.references is None else [self.references[row] for row in rows]
        return [tuple(text for column in columns if (text := column[row]) is not None) or None for row in rows]

    def column(self, name: str) -> tuple[str | None, ...] | None:
        """Return the texts of a further column, with None for an empty cell; None if there is no such column."""
        return self.references if name == "reference" else self.more.get(name)

    def keys(self, columns: Iterable[str] = ()) -> list[bytes]:
        """Return the keys of the pairs in the store, which depend on those of these columns that exist."""
        texts_of_columns = [texts for name in columns if (texts := self.column(name)) is not None]
        return list(map(pair_key, self.sources, self.hypotheses, *texts_of_columns))


class Request(ABC):
    """A request to the worker."""

    @abstractmethod
    def run(self, context: RequestContext) -> None:
        """Compute the request and emit its results.

        Raises:
            ParapluieError: The request cannot be computed.
            Cancelled: The job was cancelled.
        """

    @property
    def extent(self) -> tuple[str, int]:
        """Return the unit and total of the progress bar; the total is 0 if progress events report it."""
        return "score", 0

    def wanted_judge(self) -> JudgeSettings | None:
        """Return the judge that has to be loaded; None if the request needs no judge."""
        return None


@dataclass(frozen=True)
class PairsRequest(Request):
    """A request about many pairs, up to a million."""

    pairs: PairTexts
