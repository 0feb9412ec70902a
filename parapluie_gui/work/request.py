"""What the worker can be asked: each kind of request is a frozen dataclass that computes itself.

They are `ScorePairs`, `ShowPrompt` and those of features, each in a file with what it does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain

from parapluie_gui.arrays import Rows
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.scores.signature import pair_key
from parapluie_gui.work.context import RequestContext


@dataclass(frozen=True)
class PairTexts:
    """The texts of n pairs, and of the further columns of their corpus that are asked for and there, by name."""

    sources: tuple[str, ...] = ()
    hypotheses: tuple[str, ...] = ()
    references: tuple[str | None, ...] | None = None
    more: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, corpus: Corpus, columns: Iterable[str] = ()) -> PairTexts:
        """Copy the pairs of a corpus, with some of its further columns."""
        references = None if corpus.reference is None else tuple(corpus.reference)
        found = {name: corpus.texts(name) for name in columns if name != "reference"}
        more = {name: tuple(texts) for name, texts in found.items() if texts is not None}
        return cls(tuple(corpus.source), tuple(corpus.hypothesis), references, more)

    @classmethod
    def joined(cls, parts: Iterable[PairTexts]) -> PairTexts:
        """Return the pairs of several parts, of which all or none have references and further columns."""
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
        """Return some of the pairs; rows (k,)."""
        chosen = rows.tolist()
        return PairTexts(
            tuple(self.sources[row] for row in chosen),
            tuple(self.hypotheses[row] for row in chosen),
            None if self.references is None else tuple(self.references[row] for row in chosen),
            {name: tuple(texts[row] for row in chosen) for name, texts in self.more.items()},
        )

    def column(self, name: str) -> tuple[str | None, ...] | None:
        """Return the texts of a further column, None where an empty cell is; None where there is no such column."""
        return self.references if name == "reference" else self.more.get(name)

    def keys(self, columns: Iterable[str] = ()) -> list[bytes]:
        """Return what each pair is known by in a store, with these columns where they are there."""
        found = [texts for name in columns if (texts := self.column(name)) is not None]
        return list(map(pair_key, self.sources, self.hypotheses, *found))


class Request(ABC):
    """Something the worker is asked."""

    @abstractmethod
    def run(self, context: RequestContext) -> None:
        """Compute it and say what comes of it.

        Raises:
            ParapluieError: It cannot be done.
            Cancelled: It is to end.
        """

    @property
    def extent(self) -> tuple[str, int]:
        """What a bar counts while it is computed, and how many; 0 where that is said on the way."""
        return "score", 0

    def wanted_judge(self) -> JudgeSettings | None:
        """Return the judge that has to be loaded for it, if any."""
        return None


@dataclass(frozen=True)
class PairsRequest(Request):
    """A request about pairs, of which there may be a million."""

    pairs: PairTexts
