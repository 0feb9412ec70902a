"""What the worker can be asked: each kind of request is a frozen dataclass that computes itself.

They are `ScorePairs`, `WriteCandidates`, `CompareWithOne` and `ShowPrompt`, each in a file with what it does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from parapluie_gui.arrays import Rows
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.scores.signature import pair_key
from parapluie_gui.work.context import Context


@dataclass(frozen=True)
class PairTexts:
    """The texts of n pairs."""

    sources: tuple[str, ...] = ()
    hypotheses: tuple[str, ...] = ()
    references: tuple[str | None, ...] | None = None

    @classmethod
    def of(cls, corpus: Corpus) -> PairTexts:
        """Copy the pairs of a corpus."""
        references = None if corpus.reference is None else tuple(corpus.reference)
        return cls(tuple(corpus.source), tuple(corpus.hypothesis), references)

    @classmethod
    def joined(cls, parts: Iterable[PairTexts]) -> PairTexts:
        """Return the pairs of several parts, which all have references or none has."""
        parts = list(parts)
        references = [part.references for part in parts if part.references is not None]
        return cls(
            tuple(chain.from_iterable(part.sources for part in parts)),
            tuple(chain.from_iterable(part.hypotheses for part in parts)),
            tuple(chain.from_iterable(references)) if references else None,
        )

    def __len__(self) -> int:
        return len(self.sources)

    def __getitem__(self, cut: slice) -> PairTexts:
        references = None if self.references is None else self.references[cut]
        return PairTexts(self.sources[cut], self.hypotheses[cut], references)

    def take(self, rows: Rows) -> PairTexts:
        """Return some of the pairs; rows (k,)."""
        chosen = rows.tolist()
        return PairTexts(
            tuple(self.sources[row] for row in chosen),
            tuple(self.hypotheses[row] for row in chosen),
            None if self.references is None else tuple(self.references[row] for row in chosen),
        )

    def keys(self, *, reference: bool = False) -> list[bytes]:
        """Return what each pair is known by in a store, with its reference if that is asked for and it has one."""
        if reference and self.references is not None:
            three = zip(self.sources, self.hypotheses, self.references, strict=True)
            return [pair_key(*each) for each in three]
        return [pair_key(source, hypothesis) for source, hypothesis in zip(self.sources, self.hypotheses, strict=True)]


class Request(ABC):
    """Something the worker is asked."""

    @abstractmethod
    def run(self, context: Context) -> None:
        """Compute it and say what comes of it.

        Raises:
            ParapluieError: It cannot be done.
            Cancelled: It is to end.
        """

    def wanted_judge(self) -> JudgeSettings | None:
        """Return the judge that has to be loaded for it, if any."""
        return None


@dataclass(frozen=True)
class PairsRequest(Request):
    """A request about pairs, of which there may be a million."""

    pairs: PairTexts
