"""The function `analyse`: the tables and figures of an analysis, as in the Analysis tab and `parapluie analyse`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from html import escape
from typing import Any

import numpy as np

from parapluie_gui import places
from parapluie_gui.analysis.base import analyse as compute
from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.own_scores import own_scores
from parapluie_gui.api.judges import as_names
from parapluie_gui.api.material import build_material, check_scores, check_thresholds
from parapluie_gui.api.notices import progress as progress_bar
from parapluie_gui.api.scores import Scores
from parapluie_gui.api.shown import ResultFigure, ResultTable
from parapluie_gui.errors import ParapluieError
from parapluie_gui.judgements.columns import CorpusJudgements
from parapluie_gui.judgements.record import Judgement
from parapluie_gui.judgements.scheme import load_schemes
from parapluie_gui.pairs import Corpus
from parapluie_gui.report.signatures import read_signatures
from parapluie_gui.scores.table import ScoreTable


@dataclass(frozen=True, eq=False, repr=False)
class AnalysisResult:
    """The result of an analysis; a notebook draws its tables and figures.

    Attributes:
        name, title: Name and title of the analysis.
        tables: Its tables by name.
        figures: Its figures by name.
        notes: Sentences on the results.
        finding: The main finding, as at the top of the page in the window; "" for none.
    """

    name: str
    title: str
    tables: Mapping[str, ResultTable]
    figures: Mapping[str, ResultFigure]
    notes: tuple[str, ...] = ()
    finding: str = ""

    def __repr__(self) -> str:
        return "\n".join([*filter(None, [self.finding]), *map(str, self.tables.values()), *self.notes])

    def _repr_html_(self) -> str:
        figures = (figure.svg() for figure in self.figures.values())
        finding = f"<p>{escape(self.finding)}</p>" if self.finding else ""
        return "".join([finding, *(table._repr_html_() for table in self.tables.values()), *figures])


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
) -> AnalysisResult:
    """Compute one of the analyses.

    Args:
        scores: The result of `score`, or a corpus whose file has columns of scores.
        name: The name of the analysis ("thresholds", "curves"); the error for an unknown name lists them all.
        columns: The scores to analyse, which may be numeric columns of the corpus; by default all scores.
        distances: Columns in which lower numbers mean closer, although their names do not show it.
        thresholds: Thresholds by score, instead of the natural or the best ones.
        filter: A filter that selects the pairs, as in the window's filter box.
        parts: Names of pooled corpora to analyse; by default all.
        rows: Row numbers of the pairs to analyse, from 0; cannot be combined with a filter.
        judgements: The judgements in a session, for "agreement"; cannot be combined with a filter.
        draws: The number of resamples for confidence intervals and tests; 0 for none.
        seed: The random seed for the resamples and the analysis.
        progress: Whether to show a progress bar on stderr; with None, only in a terminal or notebook.
        **options: The options of the analysis, as listed in the manual.

    Raises:
        ParapluieError: There is no such analysis, the pairs lack the data for it, or an option is wrong.
    """
    chosen = analysis(name)
    known = {field.name for field in fields(chosen.options)}
    if unknown := [option for option in options if option not in known]:
        todo = f"Choose among {', '.join(sorted(known))}." if known else "It has none."
        raise ParapluieError(f'The analysis "{name}" has no option "{unknown[0]}". {todo}')
    if "seed" in known:
        options["seed"] = seed
    answers = list(judgements)
    if filter is not None and (answers or rows is not None):
        raise ParapluieError("A filter renumbers the pairs. Leave out the filter, or pass neither rows nor judgements.")
    fixed = check_thresholds(thresholds)
    material = material_to_analyse(scores, as_names(columns), as_names(distances), fixed, filter)
    if answers:
        schemes = load_schemes(places.user_schemes())[0]
        material = replace(material, people=CorpusJudgements.from_records(material.corpus, answers, schemes))
    material = replace(_select_pairs(material, as_names(parts), rows), given=fixed, draws=draws, seed=seed)
    with progress_bar(progress) as tick:
        run = compute(chosen, material, chosen.options(**options), tick)
    lines = material.signature_lines
    tables = {table.name: ResultTable(table, lines(table.scores)) for table in chosen.tables(run)}
    figures = {figure.name: ResultFigure(figure, lines(figure.scores)) for figure in chosen.figures(run)}
    notes = tuple(text for block in chosen.blocks(run) if isinstance(text := getattr(block, "text", None), str))
    return AnalysisResult(chosen.name, chosen.title, tables, figures, notes, chosen.finding(run))


def material_to_analyse(
    scores: Scores | Corpus,
    columns: tuple[str, ...],
    distances: tuple[str, ...],
    given: Mapping[str, float],
    filter: str | None,
) -> AnalysisMaterial:
    """Build the material of an analysis; arguments and errors as in `analyse`."""
    if isinstance(scores, Corpus):
        corpus, table = scores, ScoreTable(len(scores))
        signatures = {} if scores.path is None else read_signatures(scores.path)
        has = [*own_scores(corpus, signatures)]
    elif isinstance(scores, Scores):
        corpus, table, signatures = scores.corpus, scores.table.take(np.arange(scores.table.rows)), scores.signatures
        has = [name for name in scores if not np.isnan(scores[name]).all()]
    else:
        what = type(scores).__name__
        raise ParapluieError(
            f"Only scores or a corpus can be analysed, not {what}. Pass what score(…) or read(…) returned."
        )
    has += [name for name in columns if name not in has and corpus.numbers(name) is not None]
    if not has:
        raise ParapluieError("There is no score. Score the pairs first: score(corpus, metrics=[…]).")
    check_scores((*columns, *distances, *given), has)
    return build_material(
        corpus, table, signatures, only=columns or has, distances=distances, filter=filter, given=given
    )


def _select_pairs(material: AnalysisMaterial, parts: tuple[str, ...], rows: Iterable[int] | None) -> AnalysisMaterial:
    """Restrict the material to some of the pooled corpora and to some rows."""
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
    unrestricted = rows is None and len(masks) == len(material.parts)
    return replace(material, parts=masks, where=None if unrestricted else np.any(list(masks.values()), axis=0))
