"""`parapluie score --shard` and `--engine ray`: scoring a large corpus into a folder of parts."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import fields

from tqdm import tqdm

from parapluie_gui.api.judges import choose_metrics
from parapluie_gui.api.notices import count
from parapluie_gui.commands.corpora import to_reading_options
from parapluie_gui.commands.judge import choose_named_judges
from parapluie_gui.commands.options import ScoreOptions
from parapluie_gui.commands.saying import say
from parapluie_gui.errors import INTERRUPTED, ParapluieError
from parapluie_gui.features.parts.folder import PART_PAIRS
from parapluie_gui.features.parts.options import ShardingOptions
from parapluie_gui.features.parts.shard import FinishedPart, PartsJob, score_shard
from parapluie_gui.metrics import catalogue, column_source
from parapluie_gui.models.device import foresee
from parapluie_gui.pairs.reading.decisions import to_decisions
from parapluie_gui.pairs.reading.dispatch import ReadingChoices
from parapluie_gui.work.scoring_plan import ScoringPlan


def run(options: ScoreOptions, sharding: ShardingOptions) -> int:
    """Score a shard, or all parts on a cluster, print a summary, and return the exit status.

    Raises:
        ParapluieError: The corpus, a metric or a model is missing, or an option does not apply to a corpus in parts.
    """
    job = _make_job(options, sharding)
    try:
        with tqdm(unit="part", file=sys.stderr, disable=not sys.stderr.isatty(), leave=False) as bar:

            def tick(part: FinishedPart, total: int) -> None:
                bar.total = total
                bar.update()

            parts, seconds = _score(job, sharding, tick)
        shard = sharding.shard
        prefix = "" if shard is None else f"Shard {shard[0]} of {shard[1]}: "
        print(f"{prefix}{_summarize(parts, seconds)} → {job.folder}")
        return 0
    except KeyboardInterrupt:
        say("stopped; finished parts are kept and are not scored again.")
        return INTERRUPTED


def _score(
    job: PartsJob, sharding: ShardingOptions, tick: Callable[[FinishedPart, int], None]
) -> tuple[list[FinishedPart], float]:
    """Score a shard here, or all parts on a cluster; return the parts and the elapsed seconds."""
    if sharding.engine is None:
        assert sharding.shard is not None
        return score_shard(job, *sharding.shard, tick)
    from parapluie_gui.features.parts.ray_engine import RayWorkers, score_on_ray

    workers = RayWorkers(sharding.workers, sharding.worker_cpus or 1.0, sharding.worker_gpus or 0.0)
    return score_on_ray(job, sharding.engine, workers, tick)


def refuse_options_of_parts(sharding: ShardingOptions) -> None:
    """Refuse options that apply only to a corpus in parts.

    Raises:
        ParapluieError: One of them is named.
    """
    for field in fields(sharding):
        if getattr(sharding, field.name) is not None:
            flag = f"--{field.name.replace('_', '-')}"
            raise ParapluieError(f"{flag} is for a corpus in parts. Add --shard I/N or --engine ray.")


def _make_job(options: ScoreOptions, sharding: ShardingOptions) -> PartsJob:
    scoring, reading = options.scoring, options.reading
    if sharding.shard is not None and sharding.engine is not None:
        raise ParapluieError(
            "--shard and --engine cannot be combined: each divides the corpus in its own way. Use one of them."
        )
    worker_options = [name for name in ("workers", "worker_cpus", "worker_gpus") if getattr(sharding, name) is not None]
    if worker_options and sharding.engine is None:
        raise ParapluieError(f"--{worker_options[0].replace('_', '-')} is for the engine ray. Add --engine ray.")
    unsupported = {
        "--parallel": options.parallel,
        "--limit": options.limit is not None,
        "--filter": options.filter is not None,
        **{extension.changes_pairs: True for extension in options.more if extension.changes_pairs},
        "--no-formulas": options.no_formulas,
        "--types": options.types,
        "several corpora": len(options.corpus) > 1,
    }
    if named := [flag for flag, is_named in unsupported.items() if is_named]:
        raise ParapluieError(
            f"A corpus in parts is one Parquet file or folder and cannot be combined with {named[0]}. Leave it out."
        )
    if options.defining.column:
        raise ParapluieError(
            "A part does not know the other parts' scores, as zscore() needs. Leave --column out, and use it on the "
            "merged table: parapluie analyse scored.parquet --column …"
        )
    metrics = choose_metrics(scoring.metric or catalogue.defaults())
    if sources := column_source.split(metrics)[0]:
        raise ParapluieError(
            f"{sources[0].score} is a column of the corpus, and the parts include it anyway. Leave this metric out."
        )
    judges = choose_named_judges(scoring)
    for chosen in judges if sharding.engine is None else ():  # a cluster may have different devices from this computer
        foresee(chosen.judge.device, chosen.judge.precision)
    for spec in metrics:
        if not (ready := catalogue.ready(spec)):
            raise ParapluieError(ready.missing)
    plan = ScoringPlan(metrics, judges, scoring.device)
    choices = ReadingChoices(**to_decisions(to_reading_options(reading)))
    if not options.output.parent.is_dir():
        raise ParapluieError(
            f"There is no folder {options.output.parent}. Create it first, or choose a different folder."
        )
    if options.output.exists() and not options.output.is_dir():
        raise ParapluieError(f"{options.output} is a file, but parts need a folder. Give a folder after -o.")
    # Absolute, because a relative path may mean a different folder on other computers.
    corpus, folder = (path if path.is_absolute() else path.absolute() for path in (options.corpus[0], options.output))
    return PartsJob(corpus, folder, plan, sharding.part or PART_PAIRS, choices)


def _summarize(parts: list[FinishedPart], seconds: float) -> str:
    existing = sum(part.existed for part in parts)
    scored = sum(part.pairs for part in parts if not part.existed)
    phrases = [f"{count(len(parts), 'part', 'parts')}, {count(sum(part.pairs for part in parts), 'pair', 'pairs')}"]
    if existing:
        phrases.append(f"{existing:,} of the parts already existed")
    if skipped := sum(part.skipped for part in parts):
        phrases.append(f"{count(skipped, 'row has', 'rows have')} no pair")
    if scored:
        phrases.append(f"{scored / max(seconds, 1e-9):,.0f} pairs per second")
    return ", ".join(phrases)
