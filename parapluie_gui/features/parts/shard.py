"""Scoring some parts of a corpus: the work of one process among many, which share nothing but a folder."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.parts.folder import Manifest, enter, pairs_key, part_path, parts_in, read_manifest
from parapluie_gui.features.parts.part_file import Seal, write_part
from parapluie_gui.pairs.reading.blocks import Block, BlockCorpus
from parapluie_gui.pairs.reading.dispatch import Choices
from parapluie_gui.pairs.reading.sidecar import METADATA
from parapluie_gui.report.table import to_arrow
from parapluie_gui.scores.signature import Signature
from parapluie_gui.work.local import LocalScorer
from parapluie_gui.work.scoring_plan import ScoringPlan

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True)
class PartsJob:
    """A corpus, what is to be computed of it, and where its parts go: plain values that cross to other computers.

    Attributes:
        corpus: A Parquet file or a folder of them, which every process can read.
        folder: Where the parts go, which every process can write to.
        pairs: Pairs of a part.
    """

    corpus: Path
    folder: Path
    plan: ScoringPlan
    pairs: int
    choices: Choices = field(default_factory=Choices)


@dataclass(frozen=True)
class PartDone:
    """A part that is in the folder: its number, its pairs, its rows without one, and whether it was there before."""

    number: int
    pairs: int
    skipped: int
    known: bool


def begin(job: PartsJob) -> list[Block]:
    """Make the folder ready and return the blocks of the corpus, a part each.

    Raises:
        ParapluieError: The corpus, a metric or a model is not there, or the folder is for something else.
    """
    with contextlib.closing(BlockCorpus(job.corpus, job.choices)) as corpus:
        blocks = corpus.blocks(job.pairs)
        files = {path.name: [rows, path.stat().st_size] for path, rows in zip(corpus.files, corpus.rows, strict=True)}
        mapping = corpus.choices.mapping
        columns = {role: _name(column) for role, column in vars(mapping).items() if column is not None}
        signatures = job.plan.signatures()
        enter(job.folder, Manifest.of(job.pairs, len(blocks), files, columns, signatures))
        return blocks


def shard_of(blocks: list[Block], number: int, count: int) -> list[Block]:
    """Return the blocks of one shard (from 1) of several: neighbours, so that each group of rows is decoded once."""
    return blocks[len(blocks) * (number - 1) // count : len(blocks) * number // count]


class PartScorer:
    """Scores parts and writes them; between them its models stay loaded.

    Args:
        quiet: Nothing is written to stderr but notices.
    """

    def __init__(self, job: PartsJob, *, quiet: bool = False) -> None:
        self._job = job
        self._corpus = BlockCorpus(job.corpus, job.choices)
        # Parts are what is kept: one store for all computers would be in their way.
        self._scorer = LocalScorer(quiet=quiet)
        self._signatures = job.plan.signatures()
        self._parts = parts_in(job.folder)

    def part(self, block: Block) -> PartDone:
        """Score a block unless its part is there; an earlier part of other pairs in its place goes.

        Raises:
            ParapluieError: It cannot be read, scored or written; then there is no new file.
        """
        folder = self._job.folder
        corpus = self._corpus.read(block)
        path = part_path(folder, block.number, pairs_key(corpus))
        pairs = 0 if corpus is None else len(corpus)
        there = self._parts.get(block.number, [])
        if not (known := path.exists()):
            if corpus is None:
                write_part(path, _no_pairs(self._signatures), self._seal(block))
            else:
                table, errors = self._scorer.score(corpus, self._job.plan)
                if errors:
                    raise ParapluieError(f"Part {block.number} was not written. {errors[0]}") from errors[0]
                self._check(table.with_full_names().signatures)
                write_part(path, to_arrow(corpus, table), self._seal(block))
        for other in set(there) - {path}:
            other.unlink(missing_ok=True)
        return PartDone(block.number, pairs, block.rows - pairs, known)

    def _seal(self, block: Block) -> Seal:
        return Seal(block.number, read_manifest(self._job.folder).corpus)

    def _check(self, found: dict[str, Signature]) -> None:
        for column, signature in self._signatures.items():
            if found.get(column) != signature:
                raise ParapluieError(
                    f"{column} would be computed with other settings here than in the other parts "
                    f"({found.get(column)}). Name device and precision, and use the same versions everywhere."
                )

    def close(self) -> None:
        """Close the corpus."""
        self._corpus.close()


def score_shard(
    job: PartsJob, number: int, count: int, tick: Callable[[PartDone, int], None] = lambda done, all: None
) -> tuple[list[PartDone], float]:
    """Score one shard of a corpus in this process; return its parts and the seconds that it took.

    `tick` is called with each part that is done and how many the shard has.

    Raises:
        ParapluieError: As `begin` and `PartScorer.part`; the parts before it are kept.
    """
    blocks = shard_of(begin(job), number, count)
    started = time.monotonic()
    found = []
    with contextlib.closing(PartScorer(job)) as scorer:
        for block in blocks:
            found.append(scorer.part(block))
            tick(found[-1], len(blocks))
    return found, time.monotonic() - started


def _name(column: object) -> str:
    return column if isinstance(column, str) else "-".join(map(str, column))  # type: ignore[call-overload]


def _no_pairs(signatures: dict[str, Signature]) -> pyarrow.Table:
    """Return the part of a block without any pair."""
    import pyarrow

    fields = {"signatures": {name: dict(each.fields) for name, each in signatures.items()}}
    return pyarrow.schema([], metadata={METADATA: json.dumps(fields)}).empty_table()
