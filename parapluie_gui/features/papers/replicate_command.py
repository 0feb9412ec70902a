"""The command `parapluie replicate`: compute a paper's tables from its published files, cell by cell."""

# Each call describes one argument of the command.
# ruff: noqa: RUF009

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from parapluie_gui import places
from parapluie_gui.analysis.base import analyse
from parapluie_gui.analysis.material import AnalysisMaterial, CorpusParts
from parapluie_gui.api.material import build_material
from parapluie_gui.api.notices import count, progress
from parapluie_gui.commands.analysis import check_folders, print_analyses, write_files
from parapluie_gui.commands.arguments import file, integer, option_group
from parapluie_gui.commands.judge import choose_named_judges, compute_scores
from parapluie_gui.commands.options import JudgeAndMetrics, OutputOptions
from parapluie_gui.commands.saying import say
from parapluie_gui.errors import CorpusError, ParapluieError
from parapluie_gui.features.papers.paraphrasus import find_tasks, prediction_columns, recognise_parts
from parapluie_gui.features.papers.parascore_extension import extend
from parapluie_gui.features.papers.printed import PrintedPaper, printed_paper
from parapluie_gui.features.papers.replication import PrintedTablesAnalysis
from parapluie_gui.features.papers.replication import ReplicationOptions as ReplicationOptions
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.base import Metric
from parapluie_gui.pairs import Corpus, read
from parapluie_gui.pairs.corpus import UNLABELLED
from parapluie_gui.pairs.pool import pool
from parapluie_gui.pluie.templates import find_templates, load_templates
from parapluie_gui.report.signatures import read_signatures
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable

#: Endings of files that may hold pairs, and levels of folders searched.
_ENDINGS = (".json", ".jsonl", ".csv", ".tsv", ".txt", ".parquet", ".xlsx", ".ods")
_SIDECAR = ".signatures.json"
_DEPTH = 3

_SEED = 0


@dataclass(frozen=True, kw_only=True)
class RunReplicate:
    """Print a paper's tables cell by cell: our number, the printed number, and why they differ."""

    replication: ReplicationOptions = option_group(ReplicationOptions, first="paper")
    data: Path = file(
        "folder with the published files, including its subfolders (default: current folder)", "FOLDER", default=Path()
    )
    limit: int | None = integer("only N pairs of each file, drawn at random")
    writing: OutputOptions = option_group(OutputOptions)
    scoring: JudgeAndMetrics = option_group(
        JudgeAndMetrics, "scores to compute in addition to those that the tables need"
    )


def run(options: RunReplicate) -> int:
    """Find the paper's files, compute the scores its tables need, and print the cells; return the exit status.

    Raises:
        ParapluieError: The folder does not exist, or a requested score cannot be computed.
    """
    check_folders(options.writing)
    if not options.data.exists():
        raise ParapluieError(f"There is no {options.data}. Name the folder of the published files with --data.")
    paper = printed_paper(options.replication.paper)
    corpora = _draw_pairs(list(_corpora(paper, options.data)), options.limit)
    for corpus in corpora:
        say(f"{corpus.name}: {count(len(corpus), 'pair', 'pairs')}.")
    if options.limit is not None:
        say(f"Up to {options.limit:,} pairs of each file are drawn. The numbers are for these pairs only.")
    scoring = _scoring(options.scoring, paper)
    if scoring.judge:
        corpora += [_card(paper)] if any(printed.pair for printed in paper.corpora.values()) else []
    replicated = PrintedTablesAnalysis()
    material = _material(corpora, paper, scoring)
    with progress() as tick:
        result = analyse(replicated, material, options.replication, tick)
    write_files(print_analyses([(replicated, result)], options.writing))
    return 0


def _material(corpora: Sequence[Corpus], paper: PrintedPaper, scoring: JudgeAndMetrics) -> AnalysisMaterial:
    """Return the pairs with their own scores and those that the paper's rows need."""
    if not corpora:
        return AnalysisMaterial(CorpusParts(Corpus("nothing", [], [], []), {}), (), np.empty(0, dtype=np.int8), {})
    corpus = pool(corpora)
    metrics = [*_ready([name for name in paper.metrics if name not in corpus.extra]), *scoring.metric]
    table = ScoreTable(len(corpus))
    if metrics or scoring.judge or scoring.template:
        table = compute_scores(corpus, metrics, scoring)
    signatures: dict[str, Signature] = {}
    for source in corpora:
        signatures |= {} if source.path is None else read_signatures(source.path)
    return build_material(corpus, table, signatures)


def _ready(metrics: Sequence[str]) -> list[str]:
    """Return the metrics that can be computed on this computer, and print the metrics that cannot."""
    ready = []
    for spec in metrics:
        metric = catalogue.find(spec)
        missing = metric.readiness().missing if isinstance(metric, Metric) else ""
        if missing:
            say(f"{metric.info.title} is left out. {missing}")
        else:
            ready.append(spec)
    return ready


def _scoring(scoring: JudgeAndMetrics, paper: PrintedPaper) -> JudgeAndMetrics:
    """Return the scores to compute; without a chosen template, with the paper's templates if the judge has them."""
    if not scoring.judge or scoring.template or not paper.templates:
        return scoring
    wanted = {template.kind for template in find_templates(paper.templates, load_templates(places.user_templates())[0])}
    judges = choose_named_judges(scoring)
    for judge in judges:
        if not {template.kind for template in judge.templates} & wanted:
            say(
                f"{judge.judge.model} cannot use {', '.join(paper.templates)}. Its own template "
                f"({judge.templates[0].name}) is compared with {paper.templates[0]}."
            )
    able = any({template.kind for template in judge.templates} & wanted for judge in judges)
    return replace(scoring, template=paper.templates) if able else scoring


def _card(paper: PrintedPaper) -> Corpus:
    """Return the single pair whose score the authors publish."""
    source, hypothesis = next(corpus.pair for corpus in paper.corpora.values() if corpus.pair)
    label = np.array([UNLABELLED], dtype=np.int8)
    return Corpus("model card", ["model card"], [source], [hypothesis], label=label)


def _draw_pairs(corpora: Sequence[Corpus], limit: int | None) -> list[Corpus]:
    """Draw up to `limit` pairs of each corpus with a fixed seed."""
    if limit is None:
        return list(corpora)
    dice = np.random.default_rng(_SEED)
    return [
        corpus.take(np.sort(dice.choice(len(corpus), limit, replace=False))) if len(corpus) > limit else corpus
        for corpus in corpora
    ]


def _corpora(paper: PrintedPaper, data: Path) -> Iterator[Corpus]:
    """Yield the paper's corpora in the files of a folder and its subfolders."""
    if paper.key == "paraphrasus":
        yield from _benchmark(data)
        return
    seen: set[tuple[str, str, str]] = set()
    for path in _files(data):
        name = f"{path.parent.name}/{path.name}"
        key = next(
            (printed.key for printed in paper.corpora.values() if not printed.extends and printed.is_called(name)), None
        )
        corpus = None if key is None else _read_or_skip(path)
        if key is None or corpus is None:
            continue
        first = (key, corpus.source[0], corpus.hypothesis[0])
        if first not in seen:  # a copy, or the same corpus with scores
            seen.add(first)
            named = replace(corpus, name=f"{path.parent.name}/{path.stem}")
            yield extend(named) if _is_extended(paper, key) and named.human is not None else named


def _is_extended(paper: PrintedPaper, key: str) -> bool:
    return any(printed.extends == key for printed in paper.corpora.values())


def _benchmark(data: Path) -> Iterator[Corpus]:
    """Yield the parts of PARAPHRASUS; of files with the same part, prefer predictions, then the fullest folder."""
    files = [
        (path, corpus)
        for path in _files(data)
        if recognise_parts(path.stem) and (corpus := _read_or_skip(path)) is not None
    ]
    files = [(path, corpus) for path, corpus in files if find_tasks(corpus)]
    parts = {path: {task.part.key for task in find_tasks(corpus)} for path, corpus in files}
    folders: dict[Path, set[str]] = {}
    for path, keys in parts.items():
        folders.setdefault(path.parent, set()).update(keys)

    def rank(item: tuple[Path, Corpus]) -> tuple[bool, int]:
        path, corpus = item
        return bool(prediction_columns(corpus)), len(folders[path.parent])

    best = {key: max(rank(item) for item in files if key in parts[item[0]]) for key in set().union(*parts.values())}
    for item in files:
        if any(rank(item) == best[key] for key in parts[item[0]]):
            yield item[1]


def _files(data: Path) -> Iterator[Path]:
    """Yield the files of a folder and its subfolders that may hold pairs."""
    if data.is_file():
        yield data
        return
    for folder, inside, names in os.walk(data, followlinks=True):
        inside.sort()
        if len(Path(folder).relative_to(data).parts) >= _DEPTH - 1:
            inside.clear()
        for name in sorted(names):
            path = Path(folder) / name
            if path.suffix.lower() in _ENDINGS and not name.endswith(_SIDECAR) and path.is_file():
                yield path


def _read_or_skip(path: Path) -> Corpus | None:
    try:
        return read(path)
    except CorpusError:
        return None
