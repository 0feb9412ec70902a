"""The judge and the metrics that a command is given, and the scores that it computes with them."""

from __future__ import annotations

from collections.abc import Sequence

from parapluie_gui import places
from parapluie_gui.commands.options import Scoring
from parapluie_gui.commands.saying import say
from parapluie_gui.metrics import catalogue
from parapluie_gui.models.catalogue import find_model, usual_judge
from parapluie_gui.pairs import Corpus
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import USUAL_TEMPLATES, Template, find_templates, for_judge, load_templates
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.work.local import compute


def choose_judge(scoring: Scoring) -> tuple[JudgeSettings | None, tuple[Template, ...]]:
    """Return the judge and the templates that are named; None and () if neither is.

    Raises:
        ParapluieError: One is not there, or they do not go together.
    """
    if not (scoring.template or scoring.judge):
        return None, ()
    available, broken = load_templates(places.user_templates())
    for template in broken:
        say(str(template.error))
    chosen = find_templates(dict.fromkeys(scoring.template), available)
    name = scoring.judge or usual_judge({template.kind for template in chosen})
    files = find_model(name)
    usual = find_templates(USUAL_TEMPLATES[files.kind], available)
    judge = JudgeSettings(name, scoring.device, scoring.precision, scoring.exact)
    return judge, for_judge(files.kind, files.name, chosen or usual)


def check_metrics(specs: Sequence[str]) -> tuple[str, ...]:
    """Return the metrics named, each once.

    Raises:
        MetricError: There is no such metric, or two would fill the same column.
    """
    found = tuple(dict.fromkeys(specs))
    for spec in found:
        catalogue.find(spec)
    catalogue.check_distinct(found)
    return found


def score_now(corpus: Corpus, metrics: Sequence[str], scoring: Scoring) -> ScoreTable:
    """Return the scores of a corpus by these metrics and the judge that is named.

    Raises:
        ParapluieError: One cannot be computed.
    """
    specs = check_metrics(metrics)
    return compute(corpus, specs, *choose_judge(scoring), device=scoring.device)
