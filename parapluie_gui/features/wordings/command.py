"""`parapluie sweep`: the wording test on the command line."""

# Each call describes one argument of the command.
# ruff: noqa: RUF009

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from parapluie_gui import places
from parapluie_gui.analysis.base import analyse
from parapluie_gui.api.scoring import compute
from parapluie_gui.arrays import Rows
from parapluie_gui.commands.analysis import check_folders, print_analyses, write_files
from parapluie_gui.commands.arguments import (
    corpus_file,
    integer,
    integer_reader,
    option,
    option_group,
    output_file,
    repeatable,
)
from parapluie_gui.commands.corpora import read_corpus
from parapluie_gui.commands.options import ComputingOptions, FigureOptions, OutputOptions, ReadingArguments
from parapluie_gui.commands.saying import say, say_error
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.wordings.analysis import FormsMaterial, WordingTest, WordingTestOptions, forms_map
from parapluie_gui.features.wordings.design import FACTORS, ORDERS, FactorialDesign, read_answers
from parapluie_gui.models.catalogue import choose_default_judge
from parapluie_gui.options import choice, keys_as_titles
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import USUAL_TEMPLATES, check_template_kinds, find_templates, load_templates
from parapluie_gui.shipped import corpus_path
from parapluie_gui.ui.widgets.svg_file import check_ending, write_figure
from parapluie_gui.work.scoring_plan import ScoringPlan


@dataclass(frozen=True, kw_only=True)
class SweepOptions:
    """Ask a judge the same question in many forms, and print the effect of wording, answers, order and examples."""

    corpus: Path = corpus_file("file of pairs")
    judge: tuple[str, ...] = repeatable("catalogue name, folder, LoRA adapter, GGUF file or hub id", "MODEL")
    template: tuple[str, ...] = repeatable("ParaPLUIE template to use as a wording; may be repeated", "NAME")
    answers: tuple[str, ...] = repeatable("answer words (default: each wording's own); may be repeated", "YES/NO")
    order: Literal["source", "hypothesis", "both"] = choice(
        "", keys_as_titles(("source", "hypothesis", "both")), "which sentence comes first", default="source"
    )
    examples: tuple[int, ...] = repeatable(
        "solved examples before the question (0); may be repeated", "K", type=integer_reader(0)
    )
    examples_from: Path | None = option("labelled corpus from which examples are drawn", "FILE", type=corpus_path)
    wordings: WordingTestOptions = option_group(WordingTestOptions)
    limit: int | None = integer("use the first N pairs instead of a random sample")
    figure: Path | None = output_file("write a heat map of the forms, as SVG, PNG or PDF", "FILE")
    drawing: FigureOptions = option_group(FigureOptions, "figures")
    writing: OutputOptions = option_group(OutputOptions)
    computing: ComputingOptions = option_group(ComputingOptions)
    reading: ReadingArguments = option_group(ReadingArguments, "reading")


def run(options: SweepOptions) -> int:
    """Score the corpus in every form, and print the comparison. Return the exit status.

    Raises:
        ParapluieError: A file, judge or template is missing, or a form cannot be scored.
    """
    if options.figure is not None:
        check_ending(options.figure)
    check_folders(options.writing)
    judge, design = _design(options)
    templates = design.templates()
    corpus = read_corpus(options.corpus, options.reading)
    rows = _rows(options, len(corpus))
    table = compute(corpus.take(rows), ScoringPlan.from_judge(judge, templates)).table
    scores = {template.column: table[template.column] for template in templates}
    signatures = {name: table.signatures[name] for name in scores}
    material = FormsMaterial.from_scores(corpus, rows, FACTORS, design.levels, scores, signatures)
    analysis = WordingTest()
    result = analyse(analysis, material, replace(options.wordings, pairs=len(rows)))
    write_files(print_analyses([(analysis, result)], options.writing))
    if options.figure is not None:
        about = f"{corpus.name}, {judge.model}"
        heat_map = forms_map(result.result.comparison, result.options.compared_by, about)
        write_figure(options.figure, heat_map, style=options.drawing.style)
    return 0


def _rows(options: SweepOptions, pairs: int) -> Rows:
    """Return the rows to judge: the first ones with --limit, otherwise a random sample as in the window."""
    if options.limit is not None:
        return np.arange(min(options.limit, pairs))
    return options.wordings.draw(np.arange(pairs))


def _design(options: SweepOptions) -> tuple[JudgeSettings, FactorialDesign]:
    available, broken = load_templates(places.user_templates())
    for template in broken:
        say_error(template.error)
    chosen = find_templates(dict.fromkeys(options.template), available)
    if len(options.judge) > 1:
        raise ParapluieError(
            "The wording test uses one judge. Name one judge, and repeat the command for each of the others."
        )
    name = options.judge[0] if options.judge else choose_default_judge({template.kind for template in chosen})
    computing = options.computing
    judge = JudgeSettings(name, computing.device, computing.precision, computing.exact).locate(say)
    files = judge.files
    wordings = chosen or find_templates(USUAL_TEMPLATES[files.kind], available)
    if reversed_ := [wording.name for wording in wordings if wording.name.endswith(",reverse")]:
        raise ParapluieError(f"{reversed_[0]} is an order, not a wording. Use --order both.")
    orders = ORDERS if options.order == "both" else (ORDERS[options.order == "hypothesis"],)
    return judge, FactorialDesign(
        check_template_kinds(files.kind, files.name, wordings),
        read_answers(options.answers),
        orders,
        tuple(dict.fromkeys(options.examples)) or (0,),
        options.examples_from,
    )
