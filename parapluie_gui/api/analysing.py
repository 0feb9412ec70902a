"""The analyses of the Analysis tab and of `parapluie analyse` as a function: tables and figures of some scores."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from parapluie_gui import places
from parapluie_gui.analysis.base import analyse as compute
from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.own_scores import own_scores
from parapluie_gui.api.judges import names_of
from parapluie_gui.api.material import check_scores, material_of
from parapluie_gui.api.notices import progress as progress_bar
from parapluie_gui.api.scores import Scores
from parapluie_gui.api.shown import ResultFigure, ResultTable
from parapluie_gui.errors import ParapluieError
from parapluie_gui.judgements.columns import People
from parapluie_gui.judgements.record import Judgement
from parapluie_gui.judgements.scheme import load_schemes
from parapluie_gui.pairs import Corpus
from parapluie_gui.report.signatures import read_signatures
from parapluie_gui.scores.table import ScoreTable


@dataclass(frozen=True, eq=False, repr=False)
class Analysed:
    """What an analysis found; a notebook draws its tables.

    Attributes:
        name, title: The analysis.
        tables: Its tables by their names.
        figures: Its figures by their names.
        notes: Sentences between them.
    """

    name: str
    title: str
    tables: Mapping[str, ResultTable]
    figures: Mapping[str, ResultFigure]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return "\n".join([*map(str, self.tables.values()), *self.notes])

    def _repr_html_(self) -> str:
        figures = (figure.svg() for figure in self.figures.values())
        return "".join([*(table._repr_html_() for table in self.tables.values()), *figures])


def analyse(
    scores: Scores | Corpus,
    name: str,
    *,
    columns: str | Iterable[str] = (),
    distances: str | Collection[str] = (),
    thresholds: Mapping[str, float] | None = None,
    filter: str | None = None,
    parts: str | Iterable[str] = (),
    rows: Iterable[int] | None = None,
    judgements: Iterable[Judgement] = (),
    draws: int = 0,
    seed: int = 0,
    progress: bool | None = None,
    **options: Any,
) -> Analysed:
    """Compute one of the analyses.

    Args:
        scores: What `score` returned, or a corpus whose file has columns of scores.
        name: The analysis ("thresholds", "curves"); the sentence for an unknown one lists them all.
        columns: The scores to analyse, columns of numbers of the corpus among them; by default all scores.
        distances: Those of them where lower is closer though their names do not say so.
        thresholds: Where paraphrases begin, by score, instead of the natural or the best threshold.
        filter: Only the pairs that satisfy it, as in the window's filter box.
        parts: The corpora to analyse, of several that were pooled; by default all.
        rows: Only the pairs of these numbers, from 0; without a filter.
        judgements: What people answered (`judgements` of a session), for "agreement"; without a filter.
        draws: Resamples of confidence intervals and tests; 0: none.
        seed: Of their random numbers, and of those of the analysis.
        progress: Whether a bar on stderr says how far it is; None: in a terminal or notebook.
        **options: The options of the analysis, as the manual lists them.

    Raises:
        ParapluieError: There is no such analysis, the pairs lack what it needs, or an option is wrong.
    """
    chosen = analysis(name)
    known = {each.name for each in fields(chosen.options)}
    if strange := [option for option in options if option not in known]:
        todo = f"Choose among {', '.join(sorted(known))}." if known else "It has none."
        raise ParapluieError(f'The analysis "{name}" has no option "{strange[0]}". {todo}')
    if "seed" in known:
        options["seed"] = seed
    answers = list(judgements)
    if filter is not None and (answers or rows is not None):
        raise ParapluieError("A filter renumbers the pairs. Leave it out, or pass neither rows nor judgements.")
    given = dict(thresholds or {})
    material = material_to_analyse(scores, names_of(columns), names_of(distances), given, filter)
    if answers:
        schemes = load_schemes(places.user_schemes())[0]
        material = replace(material, people=People.of(material.corpus, answers, schemes))
    material = replace(_narrowed(material, names_of(parts), rows), given=given, draws=draws, seed=seed)
    with progress_bar(progress) as tick:
        run = compute(chosen, material, chosen.options(**options), tick)
    lines = material.signature_lines
    tables = {each.name: ResultTable(each, lines(each.scores)) for each in chosen.tables(run)}
    figures = {each.name: ResultFigure(each, lines(each.scores)) for each in chosen.figures(run)}
    notes = tuple(text for block in chosen.blocks(run) if isinstance(text := getattr(block, "text", None), str))
    return Analysed(chosen.name, chosen.title, tables, figures, notes)


def material_to_analyse(
    scores: Scores | Corpus,
    columns: tuple[str, ...],
    distances: tuple[str, ...],
    given: Collection[str],
    filter: str | None,
) -> Material:
    """Return what an analysis computes from; arguments and errors as `analyse`."""
    if isinstance(scores, Corpus):
        corpus, table = scores, ScoreTable(len(scores))
        signatures = {} if scores.path is None else read_signatures(scores.path)
        has = [*own_scores(corpus, signatures)]
    elif isinstance(scores, Scores):
        corpus, table, signatures = scores.corpus, scores.table.take(np.arange(scores.table.rows)), scores.signatures
        has = [name for name in scores if not np.isnan(scores[name]).all()]
    else:
        what = type(scores).__name__
        raise ParapluieError(f"Scores or a corpus are analysed, not {what}. Pass what score(…) or read(…) returned.")
    has += [name for name in columns if name not in has and corpus.numbers(name) is not None]
    if not has:
        raise ParapluieError("There is no score. Score the pairs first: score(corpus, metrics=[…]).")
    check_scores((*columns, *distances, *given), has)
    return material_of(corpus, table, signatures, only=columns or has, distances=distances, filter=filter)


def _narrowed(material: Material, parts: tuple[str, ...], rows: Iterable[int] | None) -> Material:
    """Return the material of some of the pooled corpora, and of some of the pairs."""
    if unknown := [name for name in parts if name not in material.parts]:
        raise ParapluieError(f'There is no corpus "{unknown[0]}". Choose among {", ".join(material.parts)}.')
    masks = {name: mask for name, mask in material.parts.items() if not parts or name in parts}
    if rows is not None:
        only = np.zeros(len(material.corpus), dtype=bool)
        for row in rows:
            if not 0 <= row < len(only):
                raise ParapluieError(f"There is no pair {row}. Pairs are numbered from 0 to {len(only) - 1:,}.")
            only[row] = True
        masks = {name: mask & only for name, mask in masks.items()}
    whole = rows is None and len(masks) == len(material.parts)
    return replace(material, parts=masks, where=None if whole else np.any(list(masks.values()), axis=0))
