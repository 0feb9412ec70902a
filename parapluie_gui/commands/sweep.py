"""`parapluie sweep`: one question in many forms, and what the forms change."""

from __future__ import annotations

from parapluie_gui import __version__, places
from parapluie_gui.analysis.evaluations.wordings import forms_table, hinges_table, sweep_map, variance_table
from parapluie_gui.analysis.plain import plain
from parapluie_gui.analysis.sweep import Sweep, sweep
from parapluie_gui.commands.corpora import read_corpus
from parapluie_gui.commands.options import Sweep as Options
from parapluie_gui.commands.output import check_figure, json_text, print_tables
from parapluie_gui.commands.saying import say
from parapluie_gui.errors import ParapluieError
from parapluie_gui.models.catalogue import find_model, usual_judge
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.sweep import FACTORS, ORDERS, Design, read_answers
from parapluie_gui.pluie.templates import USUAL_TEMPLATES, find_templates, for_judge, load_templates
from parapluie_gui.scores.signature import Signature, lines_of
from parapluie_gui.ui.widgets.svg_file import write_figure
from parapluie_gui.work.local import compute

#: Grows when a key of --json changes its meaning or goes.
FORMAT = 1


def run(options: Options) -> int:
    """Score the corpus in every form, and print what they say. Returns the exit status.

    Raises:
        ParapluieError: Something asked for is not there, or cannot be scored.
    """
    check_figure(options.figure)
    judge, design = _design(options)
    made = design.templates()
    corpus = read_corpus(options.corpus, options.reading)
    if options.limit is not None:
        corpus = corpus.take(range(min(options.limit, len(corpus))))
    table = compute(corpus, (), judge, made)
    found = sweep(corpus, FACTORS, design.levels, [table[template.column] for template in made])
    signatures = {template.column: table.signatures[template.column] for template in made}
    if options.printing.json:
        print(json_text(record(found, corpus.name, list(signatures.values()))), end="")
    else:
        grids = [forms_table(found), variance_table(found), hinges_table(found)]
        print_tables(grids, options.printing.latex, lines_of(signatures))
    if options.figure is not None:
        write_figure(options.figure, sweep_map(found, options.measure, f"{corpus.name}, {judge.model}"))
    return 0


def record(found: Sweep, corpus: str, signatures: list[Signature]) -> dict[str, object]:
    """Return a sweep as dicts, lists, numbers and None; each form has the signature of its scores."""
    sweep_record = plain(found)
    assert isinstance(sweep_record, dict)
    for form, signature in zip(sweep_record["forms"], signatures, strict=True):
        form["signature"] = dict(signature.fields)
    return {
        "format": FORMAT,
        "written_by": f"ParaPLUIE Inspector {__version__}",
        "corpus": corpus,
        **sweep_record,
    }


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
