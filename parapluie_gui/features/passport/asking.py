"""Measurements that need the judge itself: copies, repeated scores, time and energy per pair, and the probes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from math import nan

import numpy as np

from parapluie_gui.arrays import Rows, Scores
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.passport.energy import joules_between, read_energy
from parapluie_gui.features.passport.facts import JudgeMeasurements
from parapluie_gui.features.passport.probes import probe_judge
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.templates import REVERSE, Template
from parapluie_gui.scores.identity import without_judge
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.work.handle import RequestHandle
from parapluie_gui.work.local import LocalScorer
from parapluie_gui.work.score_pairs import ScorePairs
from parapluie_gui.work.scoring_plan import ScoringPlan

#: Number of pairs that are scored again, and of sentences that are compared with themselves.
ASKED = 16


def draw_rows(corpus: Corpus, most: int, seed: int) -> Rows:
    """Return up to `most` rows drawn at random, ascending, labelled pairs first."""
    return np.sort(draw_order(corpus, seed)[:most])


def draw_order(corpus: Corpus, seed: int) -> Rows:
    """Return all rows in random order, labelled pairs first."""
    labelled = (corpus.labels == 0) | (corpus.labels == 1)
    random = np.random.default_rng(seed)
    return np.concatenate([random.permutation(np.flatnonzero(mask)) for mask in (labelled, ~labelled)])


def with_reverse(plan: ScoringPlan) -> ScoringPlan:
    """Return a plan that also scores each template with the sentences swapped."""
    return replace(
        plan,
        judgings=tuple(replace(judging, templates=_both_orders(judging.templates)) for judging in plan.judgings),
    )


def _both_orders(templates: Sequence[Template]) -> tuple[Template, ...]:
    swapped = (template.swap_sentences() for template in templates if not template.name.endswith(REVERSE))
    return tuple({template.name: template for template in (*templates, *swapped)}.values())


def ask_judges(
    corpus: Corpus, plan: ScoringPlan, scorer: LocalScorer, seed: int, *, probe: bool = True
) -> tuple[dict[tuple[str, int], JudgeMeasurements], list[ParapluieError]]:
    """Run each judge of a plan again, without using stored scores.

    The first pass scores some pairs, the second scores the same pairs in a different order, and the third scores
    copies; the last two are timed, because the judge is already loaded. With `probe`, it also answers the probes.

    Returns:
        The measurements by column (without the judge) and number of the judge in the plan, and the errors.
    """
    rows = draw_rows(corpus, ASKED, seed)
    pairs = corpus.take(rows)
    copies = replace(pairs, hypothesis=list(pairs.source), id=[f"{id} copy" for id in pairs.id])
    order = np.random.default_rng(seed + 1).permutation(len(pairs))
    measured: dict[tuple[str, int], JudgeMeasurements] = {}
    errors: list[ParapluieError] = []
    for number, judging in enumerate(plan.judgings):
        for template in judging.templates:
            if template.name.endswith(REVERSE):
                continue
            single = ScoringPlan((), (replace(judging, templates=(template,)),), plan.device)
            first, _, described, failed = _score(pairs, single, scorer)
            if failed:
                errors += failed
                break
            before = read_energy()
            again, seconds, _, failed = _score(pairs.take(order), single, scorer)
            own, copied, _, failed = _score(copies, single, scorer)
            joules = joules_between(before, read_energy())
            errors += failed
            probes = None
            if probe:
                probes, failed = probe_judge(corpus, draw_order(corpus, seed), judging, template, plan.device, scorer)
                errors += failed
            restored = np.full(len(pairs), np.nan)
            restored[order] = again
            measured[without_judge(template.column), number] = JudgeMeasurements(
                own,
                first,
                restored,
                (seconds + copied) / (2 * len(pairs)),
                2 * len(pairs),
                described,
                nan if joules is None else joules / (2 * len(pairs)),
                probes,
            )
    return measured, errors


def _score(corpus: Corpus, plan: ScoringPlan, scorer: LocalScorer) -> tuple[Scores, float, str, list[ParapluieError]]:
    """Return the scores of one template, the seconds, the judge's description, and errors; no store is used."""
    table, handle, described = ScoreTable(len(corpus)), RequestHandle(), [""]
    handle.fill(table)
    handle.judged.connect(lambda event: described.__setitem__(0, event.description))
    started = time.perf_counter()
    errors = scorer.run(ScorePairs.from_corpus(corpus, plan, ()), handle, quiet=True)
    seconds = time.perf_counter() - started
    names = table.scores
    return table[names[0]] if names else np.full(len(corpus), np.nan), seconds, described[0], errors
