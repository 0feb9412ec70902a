"""Scores some parts of a corpus in one of many processes, which share only a folder."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.parts.folder import (
    PartsManifest,
    list_part_files,
    pairs_key,
    part_path,
    prepare_folder,
    read_manifest,
)
from parapluie_gui.features.parts.part_file import PartSeal, write_part
from parapluie_gui.pairs.reading.blocks import BlockCorpus, RowBlock
from parapluie_gui.pairs.reading.dispatch import ReadingChoices
from parapluie_gui.pairs.reading.sidecar import METADATA
from parapluie_gui.report.table import to_arrow
from parapluie_gui.scores.signature import Signature
from parapluie_gui.work.local import LocalScorer
from parapluie_gui.work.scoring_plan import ScoringPlan

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True)
class PartsJob:
    """A corpus, its scores and the folder of its parts, as plain values that can be sent to other computers.

    Attributes:
        corpus: A Parquet file or a folder of them, readable by every process.
        folder: The folder of parts, writable by every process.
        plan: The scores to compute.
        pairs: Number of pairs in a part.
        choices: Options for reading the corpus.
    """

    corpus: Path
    folder: Path
    plan: ScoringPlan
    pairs: int
    choices: ReadingChoices = field(default_factory=ReadingChoices)


@dataclass(frozen=True)
class FinishedPart:
    """A part in the folder: its number, its pairs, its rows without a pair, and whether it existed before."""

    number: int
    pairs: int
    skipped: int
    existed: bool


def prepare(job: PartsJob) -> list[RowBlock]:
    """Prepare the folder and return the blocks of the corpus, one for each part.

    Raises:
        ParapluieError: The corpus, a metric or a model is missing, or the folder is for a different corpus or different
            scores.
    """
    with contextlib.closing(BlockCorpus(job.corpus, job.choices)) as corpus:
        blocks = corpus.blocks(job.pairs)
        files = {path.name: [rows, path.stat().st_size] for path, rows in zip(corpus.files, corpus.rows, strict=True)}
        mapping = corpus.choices.mapping
        columns = {role: _join_columns(column) for role, column in vars(mapping).items() if column is not None}
        signatures = job.plan.signatures(len(mapping.references) if mapping else 1)
        prepare_folder(job.folder, PartsManifest.for_corpus(job.pairs, len(blocks), files, columns, signatures))
        return blocks


def select_shard(blocks: list[RowBlock], number: int, count: int) -> list[RowBlock]:
    """Return the blocks of one of `count` shards (from 1): consecutive, so that each row group is decoded once."""
    return blocks[len(blocks) * (number - 1) // count : len(blocks) * number // count]


class PartScorer:
    """Scores and writes parts, with its models loaded once.

    Args:
        job: The corpus and the folder.
        quiet: Whether to write only notices to stderr.
    """

    def __init__(self, job: PartsJob, *, quiet: bool = False) -> None:
        self._job = job
        self._corpus = BlockCorpus(job.corpus, job.choices)
        # No score store: the parts replace it, and one store would be a bottleneck for many computers.
        self._scorer = LocalScorer(quiet=quiet)
        mapping = self._corpus.choices.mapping
        self._signatures = job.plan.signatures(len(mapping.references) if mapping else 1)
        self._parts = list_part_files(job.folder)

    def score_part(self, block: RowBlock) -> FinishedPart:
        """Score a block unless its part exists; remove earlier parts of this number with different pairs.

        Raises:
            ParapluieError: It cannot be read, scored or written; no file is then written.
        """
        folder = self._job.folder
        corpus = self._corpus.read(block)
        path = part_path(folder, block.number, pairs_key(corpus))
        pairs = 0 if corpus is None else len(corpus)
        earlier = self._parts.get(block.number, [])
        existed = path.exists()
        if not existed:
            if corpus is None:
                write_part(path, _empty_part(self._signatures), self._seal(block))
            else:
                table, errors = self._scorer.score(corpus, self._job.plan)
                if errors:
                    raise ParapluieError(f"Part {block.number} was not written. {errors[0]}") from errors[0]
                self._check_signatures(table.with_full_names().signatures)
                # Whichever computer scores a part, it has the same bytes: times differ.
                table.forget_costs()
                write_part(path, to_arrow(corpus, table), self._seal(block))
        for replaced in set(earlier) - {path}:
            replaced.unlink(missing_ok=True)
        return FinishedPart(block.number, pairs, block.rows - pairs, existed)

    def _seal(self, block: RowBlock) -> PartSeal:
        return PartSeal(block.number, read_manifest(self._job.folder).corpus_key)

    def _check_signatures(self, signatures: dict[str, Signature]) -> None:
        for column, signature in self._signatures.items():
            if signatures.get(column) != signature:
                raise ParapluieError(
                    f"{column} would be computed with different settings here than in the other parts "
                    f"({signatures.get(column)}). Set the device and precision explicitly, and use the same versions "
                    "everywhere."
                )

    def close(self) -> None:
        """Close the corpus."""
        self._corpus.close()


def score_shard(
    job: PartsJob, number: int, count: int, tick: Callable[[FinishedPart, int], None] = lambda done, all: None
) -> tuple[list[FinishedPart], float]:
    """Score one shard of a corpus in this process; return its parts and the elapsed seconds.

    `tick` is called with each finished part and the number of parts in the shard.

    Raises:
        ParapluieError: As in `prepare` and `PartScorer.score_part`; finished parts are kept.
    """
    blocks = select_shard(prepare(job), number, count)
    started = time.monotonic()
    finished = []
    with contextlib.closing(PartScorer(job)) as scorer:
        for block in blocks:
            finished.append(scorer.score_part(block))
            tick(finished[-1], len(blocks))
    return finished, time.monotonic() - started


def _join_columns(column: object) -> str:
    return column if isinstance(column, str) else "-".join(map(str, column))  # type: ignore[call-overload]


def _empty_part(signatures: dict[str, Signature]) -> pyarrow.Table:
    """Return the table for a block without any pair."""
    import pyarrow

    fields = {"signatures": {name: dict(signature.fields) for name, signature in signatures.items()}}
    return pyarrow.schema([], metadata={METADATA: json.dumps(fields)}).empty_table()
