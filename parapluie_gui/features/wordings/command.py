"""`parapluie sweep`: one question in many forms, and what the forms change."""

from __future__ import annotations

import numpy as np

from parapluie_gui import places
from parapluie_gui.analysis.base import analyse
from parapluie_gui.api.scoring import compute
from parapluie_gui.commands.analysis import check_folders, show, write
from parapluie_gui.commands.corpora import read_corpus
from parapluie_gui.commands.options import SweepWordings as Options
from parapluie_gui.commands.saying import say
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.wordings.analysis import FormsMaterial, WordingTest, sweep_map
from parapluie_gui.features.wordings.analysis import Options as Forms
from parapluie_gui.features.wordings.design import FACTORS, ORDERS, Design, read_answers
from parapluie_gui.models.catalogue import find_model, usual_judge
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import USUAL_TEMPLATES, find_templates, for_judge, load_templates
from parapluie_gui.ui.widgets.svg_file import check_ending, write_figure
from parapluie_gui.work.scoring_plan import ScoringPlan


def run(options: Options) -> int:
    """Score the corpus in every form, and print what they say. Returns the exit status.

    Raises:
        ParapluieError: Something asked for is not there, or cannot be scored.
    """
    if options.figure is not None:
        check_ending(options.figure)
    check_folders(options.writing)
    judge, design = _design(options)
    made = design.templates()
    corpus = read_corpus(options.corpus, options.reading)
    if options.limit is not None:
        corpus = corpus.take(range(min(options.limit, len(corpus))))
    table = compute(corpus, ScoringPlan(judge=judge, templates=made)).table
    scores = {template.column: table[template.column] for template in made}
    signatures = {name: table.signatures[name] for name in scores}
    rows = np.arange(len(corpus))
    material = FormsMaterial.of(corpus, rows, FACTORS, design.levels, scores, signatures)
    analysis = WordingTest()
    found = analyse(analysis, material, Forms(pairs=len(corpus), measure=options.measure))
    write(show([(analysis, found)], options.writing))
    if options.figure is not None:
        about = f"{corpus.name}, {judge.model}"
        drawn = sweep_map(found.result.comparison, options.measure, about)
        write_figure(options.figure, drawn, style=options.drawing.style)
    return 0


def _design(options: Options) -> tuple[JudgeSettings, Design]:
    available, broken = load_templates(places.user_templates())
    for template in broken:
        say(template.error)
    chosen = find_templates(dict.fromkeys(options.template), available)
    name = options.judge or usual_judge({template.kind for template in chosen})
    files = find_model(name)
    wordings = chosen or find_templates(USUAL_TEMPLATES[files.kind], available)
    if reversed_ := [each.name for each in wordings if each.name.endswith(",reverse")]:
        raise ParapluieError(f"{reversed_[0]} is an order, not a wording. Use --order both.")
    orders = ORDERS if options.order == "both" else (ORDERS[options.order == "hypothesis"],)
    computing = options.computing
    return JudgeSettings(name, computing.device, computing.precision, computing.exact), Design(
        for_judge(files.kind, files.name, wordings),
        read_answers(options.answers),
        orders,
        tuple(dict.fromkeys(options.examples)) or (0,),
        options.examples_from,
    )
