"""From the inputs of an analysis to its report, and to the script that recomputes it."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from parapluie_gui import places
from parapluie_gui.analysis.base import analyse
from parapluie_gui.analysis.catalogue import analyses
from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.protocols.mixed_balanced import mixed_balanced
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.arrays import Mask
from parapluie_gui.errors import ParapluieError
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs import ROLES, Corpus, read
from parapluie_gui.pairs.pool import pool
from parapluie_gui.report.html import Report
from parapluie_gui.report.record import Done
from parapluie_gui.report.script import Judge, Recipe
from parapluie_gui.scores.identity import identify


def report_of(material: Material, tick: Tick, *, made: str, note: str) -> Report:
    """Compute everything that goes into a report; the date and the note are those of `Report`."""
    done: list[Done] = []
    for each in analyses():
        if each.in_report and each.missing(material) is None:
            # Where an analysis cannot be done, such as draws from a corpus that is too small, the report lacks it.
            with contextlib.suppress(ParapluieError):
                done += [(each, analyse(each, material, options, tick)) for options in each.usual(material)]
    return Report(material, done, made=made, note=note, cache=places.score_cache())


def recipe_of(
    inputs: Material,
    session: tuple[Path, int] | None,
    model: str,
    files: Sequence[Path],
    balanced: tuple[int, int, int],
    set_name: str,
    only: Mask | None,
) -> Recipe:
    """Return what a script has to do to recompute an analysis.

    Args:
        inputs: The scores and pairs.
        session: The session file that holds the corpus and its scores, and the corpus's number there; or None.
        model: The judge chosen now; a score of another one is scored anew by that.
        files: Those the corpus was read from; they are read once more to see if they are still the same.
        balanced: Pairs per label, draws and seed of the mixed balanced dataset.
        set_name: The name of `only`.
        only: The pairs it is limited to; None for all.
    """
    judged = bool(inputs.people.columns) and session is not None  # what people said is in the session only
    files = tuple(files) if not judged and _are_unchanged(files, inputs.corpus) else ()
    metrics, stored, columns = [], [], []
    templates: dict[tuple[str, str, bool], list[str]] = {}
    for name in inputs.names:
        fields = dict(inputs.signatures[name].fields) if name in inputs.signatures else {}
        people = name in inputs.people.columns
        if name in inputs.own or people or (name in inputs.corpus.extra and name not in inputs.signatures):
            columns.append(name)
        elif identify(name).judged and "template" in fields:
            templates.setdefault(_judge_of(fields, model), []).append(fields["template"].partition("@")[0])
        elif _computable(name):
            metrics.append(name)
        else:
            stored.append(name)
    return Recipe(
        files=files,
        session=session,
        pairs=len(inputs.corpus),
        metrics=tuple(metrics),
        judges=tuple(Judge(*kind, tuple(names)) for kind, names in templates.items()),
        stored=tuple(stored),
        columns=tuple(columns),
        distances=tuple(
            each.name
            for each in inputs.score_columns
            if not each.higher_is_closer and catalogue.info(each.name) is None
        ),
        scores=tuple(inputs.names),
        parts=tuple(inputs.parts) if len(inputs.parts) < len(inputs.facts.parts) else (),
        rows=None if only is None else np.flatnonzero(only).tolist(),
        set_name=set_name,
        given=inputs.given,
        draws=inputs.draws,
        balanced=balanced if _can_be_mixed(inputs, balanced[0]) else None,
        human=inputs.judged,
        judged=judged,
    )


def _judge_of(fields: Mapping[str, str], model: str) -> tuple[str, str, bool]:
    """Return a score's judge, precision and whether it was exact; a judge in a folder is told by its name alone."""
    own = fields.get("model", model)
    return model if own == Path(model).name else own, fields.get("precision", "auto"), fields.get("mode") == "exact"


def _can_be_mixed(inputs: Material, per_label: int) -> bool:
    """Is every corpus large enough to draw from? Otherwise the script would end with an error."""
    if not inputs.labelled or len(inputs.parts) < 2:
        return False
    with contextlib.suppress(ParapluieError):
        mixed_balanced(inputs.score_columns, inputs.labels, inputs.parts, per_label=per_label, draws=1)
        return True
    return False


def _computable(name: str) -> bool:
    """Is a score's name enough to compute it again?"""
    try:
        return catalogue.metric(name).info is not None
    except ParapluieError:
        return False


def _are_unchanged(files: Sequence[Path], corpus: Corpus) -> bool:
    try:
        found = pool([read(path) for path in files]) if files else None
    except ParapluieError:
        return False
    if found is None or len(found) != len(corpus):
        return False
    return all(_equal(getattr(corpus, role), getattr(found, role)) for role in ROLES)


def _equal(ours: Sequence[object] | None, theirs: Sequence[object] | None) -> bool:
    if ours is None or theirs is None:
        return ours is theirs
    if isinstance(ours, np.ndarray) and isinstance(theirs, np.ndarray):
        return bool(np.array_equal(ours, theirs, equal_nan=ours.dtype.kind == "f"))
    return list(ours) == list(theirs)
