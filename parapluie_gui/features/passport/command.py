"""`parapluie passport`: print, save and compare the passports of judges."""

# Each call describes one argument of the command.
# ruff: noqa: RUF009

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from parapluie_gui import places
from parapluie_gui.analysis.statistics.correlation import DRAWS
from parapluie_gui.analysis.table import table_text
from parapluie_gui.api.judges import choose_judges
from parapluie_gui.commands import saying
from parapluie_gui.commands.analysis import check_folders, print_analyses, write_files
from parapluie_gui.commands.arguments import (
    argument,
    file,
    integer,
    integer_reader,
    option,
    option_group,
    output_file,
    repeatable,
    seed,
    switch,
)
from parapluie_gui.commands.corpora import read_corpus
from parapluie_gui.commands.options import ComputingOptions, OutputOptions, ReadingArguments
from parapluie_gui.commands.saying import say, say_error
from parapluie_gui.errors import BAD_INPUT
from parapluie_gui.features.passport.analysis import PassportAnalysis
from parapluie_gui.features.passport.api import PAIRS, examine_judges
from parapluie_gui.shipped import corpus_path
from parapluie_gui.work.local import LocalScorer
from parapluie_gui.work.scoring_plan import ScoringPlan


@dataclass(frozen=True, kw_only=True)
class PassportCommandOptions:
    """Measure what to know about a judge before you trust it: accuracy, zero, calibration, order, shortcuts, speed."""

    judge: str = argument("catalogue name, folder, GGUF file, hub id or server", "MODEL[=NAME,...]")
    corpus: Path = argument("labelled pairs (demo)", "CORPUS", nargs="?", type=corpus_path, default=corpus_path("demo"))
    beside: tuple[str, ...] = repeatable("additional judge to compare; may be repeated", "MODEL[=NAME,...]")
    template: tuple[str, ...] = repeatable("ParaPLUIE template; may be repeated", "NAME")
    pairs: int = integer("number of pairs to ask, drawn at random, labelled pairs first", default=PAIRS)
    no_order: bool = switch("do not ask with the sentences swapped, which doubles the time")
    no_probes: bool = switch("leave out contamination and spellings of the answers")
    draws: int = option(
        "number of resamples for intervals (%(default)s); 0 for none", "N", type=integer_reader(0), default=DRAWS
    )
    seed: int = seed("random seed for the pairs and the resamples")
    save: Path | None = output_file("save the passports, to compare them with later ones", "FILE.json")
    compare: Path | None = file("show changes since earlier passports in this file", "FILE.json")
    page: Path | None = output_file("write a page for printing", "FILE.html")
    writing: OutputOptions = option_group(OutputOptions)
    reading: ReadingArguments = option_group(ReadingArguments, "reading")
    computing: ComputingOptions = option_group(ComputingOptions)


def run(options: PassportCommandOptions) -> int:
    """Score the pairs, measure the judges and print their passports; return the exit status, 2 if a score is missing.

    Raises:
        ParapluieError: A file, judge or template is missing, or no score can be computed.
    """
    check_folders(options.writing)
    computing = options.computing
    settings = computing.device, computing.precision, computing.exact
    judges = choose_judges((options.judge, *options.beside), options.template, *settings, notice=say)
    corpus = read_corpus(options.corpus, options.reading)
    if not corpus.has_labels:
        say("no pair has a label: accuracy, zero and calibration are left out. Name a column with --label.")
    passports, errors = examine_judges(
        corpus,
        ScoringPlan((), judges, computing.device),
        LocalScorer((places.score_cache(),)),
        pairs=options.pairs,
        order=not options.no_order,
        probes=not options.no_probes,
        draws=options.draws,
        seed=options.seed,
    )
    drift = [] if options.compare is None else passports.drift(options.compare)
    write_files(print_analyses([(PassportAnalysis(), passports.run)], options.writing))
    if not (options.writing.json or options.writing.latex):
        for table in drift:
            print(f"\n{table_text(table, table.digits)}", end="")
        if passports.summary:
            say(passports.summary)
    if options.save is not None:
        passports.save(options.save)
    if options.page is not None:
        passports.write_sheet(options.page, drift, saying.command)
    for error in errors:
        say_error(str(error))
    return BAD_INPUT if errors else 0
