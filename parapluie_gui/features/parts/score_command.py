"""`parapluie score --shard` and `--engine ray`: a large corpus scored into a folder of parts."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import fields

from tqdm import tqdm

from parapluie_gui.api.judges import choose_metrics
from parapluie_gui.api.notices import count
from parapluie_gui.commands.judge import choose_named_judges
from parapluie_gui.commands.options import ScoreOptions
from parapluie_gui.commands.saying import say
from parapluie_gui.errors import INTERRUPTED, ParapluieError
from parapluie_gui.features.parts.folder import PART_PAIRS
from parapluie_gui.features.parts.options import Sharding
from parapluie_gui.features.parts.shard import PartDone, PartsJob, score_shard
from parapluie_gui.metrics import catalogue, column_source
from parapluie_gui.models.device import foresee
from parapluie_gui.pairs import ROLES, ColumnMapping
from parapluie_gui.pairs.reading.dispatch import Choices
from parapluie_gui.work.scoring_plan import ScoringPlan


def run(options: ScoreOptions, sharding: Sharding) -> int:
    """Score a shard, or all parts on a cluster, and print how many parts are there; returns the exit status.

    Raises:
        ParapluieError: Something asked for is not there or cannot be done in parts.
    """
    job = _job(options, sharding)
    try:
        with tqdm(unit="part", file=sys.stderr, disable=not sys.stderr.isatty(), leave=False) as bar:

            def tick(done: PartDone, total: int) -> None:
                bar.total = total
                bar.update()

            found, seconds = _score(job, sharding, tick)
        shard = sharding.shard
        which = "" if shard is None else f"Shard {shard[0]} of {shard[1]}: "
        print(f"{which}{_summary(found, seconds)} → {job.folder}")
        return 0
    except KeyboardInterrupt:
        say("stopped; the parts that are done are kept and need not be scored again.")
        return INTERRUPTED


def _score(job: PartsJob, sharding: Sharding, tick: Callable[[PartDone, int], None]) -> tuple[list[PartDone], float]:
    """Score a shard here, or all parts on a cluster; return the parts and the seconds that it took."""
    if sharding.engine is None:
        assert sharding.shard is not None
        return score_shard(job, *sharding.shard, tick)
    from parapluie_gui.features.parts.ray_engine import RayWorkers, score_on_ray

    workers = RayWorkers(sharding.workers, sharding.worker_cpus or 1.0, sharding.worker_gpus or 0.0)
    return score_on_ray(job, sharding.engine, workers, tick)


def refuse_options_of_parts(sharding: Sharding) -> None:
    """Refuse options that only a corpus in parts has.

    Raises:
        ParapluieError: One of them is named.
    """
    for each in fields(sharding):
        if getattr(sharding, each.name) is not None:
            flag = f"--{each.name.replace('_', '-')}"
            raise ParapluieError(f"{flag} is for a corpus in parts. Name --shard I/N or --engine ray as well.")


def _job(options: ScoreOptions, sharding: Sharding) -> PartsJob:
    scoring, reading = options.scoring, options.reading
    if sharding.shard is not None and sharding.engine is not None:
        raise ParapluieError("--shard and --engine cut the corpus each in its own way. Name one of them.")
    of_workers = [name for name in ("workers", "worker_cpus", "worker_gpus") if getattr(sharding, name) is not None]
    if of_workers and sharding.engine is None:
        raise ParapluieError(f"--{of_workers[0].replace('_', '-')} is for the engine ray. Name --engine ray as well.")
    wrong = {
        "--parallel": options.parallel,
        "--limit": options.limit is not None,
        "--filter": options.filter is not None,
        **{each.changes_pairs: True for each in options.more if each.changes_pairs},
        "--no-formulas": options.no_formulas,
        "--types": options.types,
        "several corpora": len(options.corpus) > 1,
    }
    if named := [flag for flag, given in wrong.items() if given]:
        raise ParapluieError(
            f"A corpus in parts is one Parquet file or folder; {named[0]} does not go with it. Leave it out."
        )
    if options.defining.column:
        raise ParapluieError(
            "A part does not know the other parts' scores, as zscore() needs. Leave --column out, and give it to what "
            "reads the merged table: parapluie analyse scored.parquet --column …"
        )
    metrics = choose_metrics(scoring.metric or catalogue.defaults())
    if sources := column_source.split(metrics)[0]:
        raise ParapluieError(
            f"{sources[0].score} is a column of the corpus, which the parts have anyway. Leave this metric out."
        )
    judges = choose_named_judges(scoring)
    for each in judges if sharding.engine is None else ():  # a cluster may have other devices than this computer
        foresee(each.judge.device, each.judge.precision)
    for spec in metrics:
        if not (ready := catalogue.ready(spec)):
            raise ParapluieError(ready.missing)
    plan = ScoringPlan(metrics, judges, scoring.device)
    roles = {role: column for role in ROLES if (column := getattr(reading, role))}
    mapping = ColumnMapping(**roles) if roles else None
    choices = Choices(layout=reading.layout, mapping=mapping, positive=reading.positive)
    if not options.output.parent.is_dir():
        raise ParapluieError(f"There is no folder {options.output.parent}. Make it first, or choose another.")
    if options.output.exists() and not options.output.is_dir():
        raise ParapluieError(f"{options.output} is a file, and parts go into a folder. Name a folder after -o.")
    # Other computers see the same paths; relative ones would begin elsewhere there.
    corpus, folder = (path if path.is_absolute() else path.absolute() for path in (options.corpus[0], options.output))
    return PartsJob(corpus, folder, plan, sharding.part or PART_PAIRS, choices)


def _summary(found: list[PartDone], seconds: float) -> str:
    known = sum(each.known for each in found)
    fresh = sum(each.pairs for each in found if not each.known)
    words = [f"{count(len(found), 'part', 'parts')}, {count(sum(each.pairs for each in found), 'pair', 'pairs')}"]
    if known:
        words.append(f"{known:,} of the parts were there already")
    if skipped := sum(each.skipped for each in found):
        words.append(f"{count(skipped, 'row holds', 'rows hold')} no pair")
    if fresh:
        words.append(f"{fresh / max(seconds, 1e-9):,.0f} pairs a second")
    return ", ".join(words)
