"""Choice of the best candidate of each sentence: accepted by a judge, and most different from the sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from parapluie_gui.api.judges import choose_judges, choose_metrics
from parapluie_gui.api.material import put_expressions
from parapluie_gui.api.scoring import compute
from parapluie_gui.arrays import Floats
from parapluie_gui.commands.saying import say
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.writing.corpus import WrittenSource, build_corpus
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.writing import WrittenParaphrase
from parapluie_gui.scores.identity import identify
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.work.scoring_plan import ScoringPlan

#: The metric by which candidates are compared by default.
FURTHEST = "edit_distance"

#: The column that holds the value of the expression while candidates are compared.
_VALUE = "best_by"


def check_choice(by: str, judges: Sequence[str], metrics: Sequence[str], device: str = "auto") -> None:
    """Check, before anything is written, that `keep_best` can choose; arguments as there.

    Raises:
        ParapluieError: A judge or metric is missing, or the expression is wrong.
    """
    plan, table = _plan(by, judges, metrics, device), ScoreTable(1)
    names = (*plan.metric_columns, *plan.judge_scores(table))
    table.put(np.arange(1), {name: np.ones(1) for name in names})
    written = [WrittenSource("1", "one", [WrittenParaphrase(1, "two")])]
    _evaluate(by, build_corpus("", written, "", ""), table)


def keep_best(
    corpus: Corpus, by: str, judges: Sequence[str], metrics: Sequence[str], device: str = "auto"
) -> tuple[Corpus, ScoreTable]:
    """Score candidates and keep one of each sentence: of those that every judge accepts, the greatest by an expression.

    Args:
        corpus: Sentences as sources, each with one candidate or more.
        by: An expression of scores, as in a filter; the greatest value is kept.
        judges: Judges that have to accept a candidate: their score is above 0.
        metrics: Metrics that the expression uses by other names than their ids.
        device: The device of the judges.

    Returns:
        The pairs that are kept, in the order of the sentences, and their scores.

    Raises:
        ParapluieError: A score cannot be computed, the expression is wrong, or no candidate is accepted.
    """
    table = compute(corpus, _plan(by, judges, metrics, device)).table
    value = _evaluate(by, corpus, table)
    accepted = ~np.isnan(value)
    for name in table.scores:
        if identify(name).is_from_judge:
            accepted &= table[name] > 0
    best: dict[str, int] = {}
    for row in np.flatnonzero(accepted).tolist():
        source = corpus.source[row]
        if source not in best or value[row] > value[best[source]]:
            best[source] = row
    if not best:
        raise ParapluieError("No candidate is accepted. Write more with --best-of, or name another judge.")
    if refused := len(dict.fromkeys(corpus.source)) - len(best):
        say(f"{refused:,} of the sentences have no candidate that is accepted; they are left out.")
    rows = np.array(sorted(best.values()))
    return corpus.take(rows), table.take(rows)


def _plan(by: str, judges: Sequence[str], metrics: Sequence[str], device: str) -> ScoringPlan:
    columns = set(map(catalogue.column, metrics))
    named = [name for name in re.findall(r"[a-z_][a-z0-9_]*", by) if name not in columns and catalogue.info(name)]
    specs = choose_metrics(tuple(dict.fromkeys([FURTHEST, *metrics, *named])))
    return ScoringPlan(specs, choose_judges(judges, (), device, notice=say), device)


def _evaluate(by: str, corpus: Corpus, table: ScoreTable) -> Floats:
    """Return the value of the expression for each pair."""
    try:
        put_expressions(corpus, table, [f"{_VALUE} = {by}"])
    except ParapluieError as error:
        raise ParapluieError(str(error).replace(f"{_VALUE}:", "--by:")) from error
    value = table[_VALUE].copy()
    table.drop(_VALUE)
    return value
