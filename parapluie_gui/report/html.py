"""The report: one self-contained HTML file to mail, print or archive with a paper."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from parapluie_gui import files
from parapluie_gui.analysis.base import Analysis, AnalysisRemark, Run, analyse, without_click_note
from parapluie_gui.analysis.catalogue import analyses
from parapluie_gui.analysis.evaluations.curves import describe_order
from parapluie_gui.analysis.figure import Chart, Figure
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.one_sided import describe_one_sided
from parapluie_gui.analysis.score_column import ScoreColumn, Tick
from parapluie_gui.analysis.score_languages import describe_strange_language, languages_of_columns, templates_of_columns
from parapluie_gui.analysis.study import CorpusStudy, ScoreStudy
from parapluie_gui.analysis.table import Cell, Table, cell_text, number, numeric_columns
from parapluie_gui.analysis.threshold import Outcome, distance_to, outcome
from parapluie_gui.arrays import Labels, Rows
from parapluie_gui.errors import ParapluieError, explain_write_errors
from parapluie_gui.feature import collect_parts
from parapluie_gui.models.catalogue import entry
from parapluie_gui.options import list_options
from parapluie_gui.pairs.difference.worddiff import SegmentKind, diff_words
from parapluie_gui.report.citation import bibtex
from parapluie_gui.report.record import AnalysisRun
from parapluie_gui.report.svg import figure_svg
from parapluie_gui.report.template import fill_part, fill_template, join_markup, markup
from parapluie_gui.scores.signature import Signature
from parapluie_gui.version import __version__

if TYPE_CHECKING:
    from markupsafe import Markup


def summary_lines(material: AnalysisMaterial, study: CorpusStudy) -> list[str]:
    """Summarise the study of a corpus, or of all of them pooled, in sentences."""
    unlabelled = study.pairs - study.paraphrases - study.negatives
    counts = [f"{study.paraphrases:,} paraphrases", f"{study.negatives:,} not"]
    counts += [f"{unlabelled:,} without a label"] if unlabelled else []
    lines = [f"{study.pairs:,} pairs: {', '.join(counts)}." if unlabelled < study.pairs else f"{study.pairs:,} pairs."]
    if order := describe_order(material, study):
        lines.append(order)
    return lines


def summary_grid(study: CorpusStudy, titles: Callable[[str], str]) -> Table:
    """Return a table with one row for each score, the best first; without labels it has no rows."""
    rows: list[tuple[Cell, ...]] = []
    for score in _rank_scores(study):
        best, natural = score.thresholds.best, score.thresholds.natural
        own = (None, None) if natural is None else (natural.accuracy, natural.threshold)
        name, pairs = titles(score.score_column.name), score.distribution.summary.all.scored
        rows.append((name, pairs, score.roc.auc, *own, best.accuracy, best.threshold))
    return Table(
        "summary",
        f"Scores on {study.name}, by the area under the ROC curve",
        ("score", "pairs", "AUC", "accuracy", "at its threshold", "best accuracy", "at"),
        tuple(rows),
        "The best accuracy is that of a threshold chosen on these pairs, so it is too high for other pairs.",
    )


def _rank_scores(study: CorpusStudy) -> list[ScoreStudy]:
    """Return the scores with pairs of both classes, the largest area first."""
    ranked = [score for score in study.scores.values() if not isnan(score.roc.auc)]
    return sorted(ranked, key=lambda score: -score.roc.auc)


#: A piece of text, and how it differs from the other sentence.
_Piece = tuple[str, SegmentKind]

#: Maximum length of sentences that are marked; comparing longer ones would take too long.
_LONGEST = 6_000


def find_worst_errors(
    score_column: ScoreColumn, labels: Labels, threshold: float, which: Outcome, most: int = 10
) -> Rows:
    """Return the rows of false positives or negatives, (k,), the furthest from the threshold first."""
    kind = outcome(score_column.values, labels, threshold, score_column.higher_is_closer)
    rows = np.flatnonzero(kind == which)
    distances = distance_to(threshold, score_column.values[rows])
    return rows[np.argsort(-distances, kind="stable")][:most]


def mark_differences(source: str, hypothesis: str) -> tuple[list[_Piece], list[_Piece]]:
    """Split both sentences of a pair into pieces, each with how it differs from the other sentence."""
    if len(source) + len(hypothesis) > _LONGEST:
        return [(source, "same")], [(hypothesis, "same")]
    diff = diff_words(source, hypothesis)
    sides = (source, diff.source), (hypothesis, diff.hypothesis)
    one, other = ([(text[part.start : part.end], part.kind) for part in parts] for text, parts in sides)
    return one, other


#: Width and height of a chart in pixels; it scales with its frame.
_WIDE, _HIGH = 420.0, 300.0
#: Font size, in pixels, of figures that keep their own width.
_LETTERS = 13.0


@dataclass(frozen=True)
class PairColumn:
    """An extra column of the tables of false positives and negatives, left out of tables in which it is empty.

    Attributes:
        title: Its heading.
        cells: Opens its data and yields a function, for use in the same thread, that returns the HTML of a cell for a
            score, a row and a threshold, or None for an empty cell.
    """

    title: str
    cells: Callable[[AnalysisMaterial], AbstractContextManager[Callable[[ScoreColumn, int, float], Markup | None]]]


def pair_columns(cache: Path | None) -> list[PairColumn]:
    """Return the extra columns that the installed features add.

    Args:
        cache: The file of stored scores, or None.
    """
    return [part.load()(cache) for part in collect_parts("report_columns")]


@dataclass(frozen=True, eq=False)
class Report:
    """The contents of a report.

    Attributes:
        material: The scores, labels and corpora.
        done: The analyses with their runs, in order.
        date: The date, as text.
        command: The command line that wrote the report, or "".
        note: A restriction of the pairs ("only the set …"), or "".
        links: Files written with it: the text of a link, and its address.
        worst_pairs: The number of false positives, and of false negatives, listed for each score; 0 for a report
            without sentences.
        pair_columns: Extra columns of these lists.
    """

    material: AnalysisMaterial
    done: Sequence[AnalysisRun]
    date: str = ""
    command: str = ""
    note: str = ""
    links: Sequence[tuple[str, str]] = ()
    worst_pairs: int = 10
    pair_columns: Sequence[PairColumn] = ()


def compute_report(
    material: AnalysisMaterial, tick: Tick, *, date: str, note: str, pair_columns: Sequence[PairColumn] = ()
) -> Report:
    """Compute the contents of a report; date, note and columns of pairs are as in `Report`."""
    done: list[AnalysisRun] = []
    for analysis in analyses():
        if analysis.in_report and analysis.missing(material) is None:
            # An impossible analysis, such as random draws from a corpus that is too small, is left out.
            with contextlib.suppress(ParapluieError):
                done += [(analysis, analyse(analysis, material, options, tick)) for options in analysis.usual(material)]
    return Report(material, done, date=date, note=note, pair_columns=pair_columns)


def report_html(report: Report) -> str:
    """Return the report as a self-contained HTML document."""
    material = report.material
    studies = material.all_studies(lambda done, total: None)
    chapters = {
        "Summary": _summary(material, studies[-1]),
        "Corpora": grid_html(_corpora(studies)),
        "Scores and how they were computed": signatures_html(material),
        **analysis_sections(report.done),
        "Worst false positives and negatives": _errors(report, studies[-1]) if report.worst_pairs else markup(""),
        "How to cite": citation_html(material),
    }
    return fill_template(
        "report/report.html",
        title=f"{material.corpus.name}: evaluation",
        words=(f"Written by ParaPLUIE Inspector {__version__}", report.date, report.note, _extent(material)),
        links=report.links,
        command=report.command,
        chapters={name: text for name, text in chapters.items() if text},
    )


def _extent(material: AnalysisMaterial) -> str:
    left_out = material.describe_left_out()
    return f"{left_out}." if left_out else ""


def write_report(path: Path, report: Report) -> Path:
    """Write a report to a file.

    Raises:
        ParapluieError: The file cannot be written.
    """
    text = report_html(report)
    with explain_write_errors(path):
        files.write_text(path, text, errors="xmlcharrefreplace")
    return path


def grid_html(grid: Table) -> Markup:
    """Return a table as HTML; "" for one without rows."""
    if not len(grid):
        return markup("")
    rows = [[cell_text(cell, grid.digits) for cell in row] for row in grid.rows]
    return fill_part("table", grid, numeric_columns(grid), rows)


def _summary(material: AnalysisMaterial, study: CorpusStudy) -> Markup:
    names, corpus = [column.name for column in material.score_columns], material.corpus
    known = languages_of_columns(names, material.signatures)
    templates = templates_of_columns(names, material.signatures)
    strange = describe_strange_language(known, corpus.source, corpus.hypothesis, templates)
    one_sided = describe_one_sided(material.score_columns, material.labels, material.where)
    table = grid_html(summary_grid(study, material.title))
    return fill_part("summary", [strange, one_sided], summary_lines(material, study), table)


def citation_html(material: AnalysisMaterial) -> Markup:
    """Return the section on how to cite these scores, with BibTeX."""
    return fill_part("citation", bibtex(any(column.is_from_judge for column in material.score_columns)))


def _corpora(studies: Sequence[CorpusStudy]) -> Table:
    rows = tuple(
        (study.name, study.pairs, study.paraphrases, study.negatives, study.pairs - study.paraphrases - study.negatives)
        for study in studies
    )
    return Table("corpora", "Pairs", ("corpus", "pairs", "paraphrases", "not paraphrases", "unlabelled"), rows)


def _remarks(signature: Signature | None, column: ScoreColumn) -> str:
    """Return the notes on the scores of a column: bounds, remarks and cost."""
    own = () if signature is None else (*signature.remarks, signature.cost and f"{signature.cost}.")
    return " ".join(filter(None, (column.bounds_sentence, *own)))


def signatures_html(material: AnalysisMaterial) -> Markup:
    """Return the signature of each score as an HTML table, with notes on the judges."""
    columns, signatures = material.score_columns, material.signatures
    rows = [
        (column.title, str(signatures.get(column.name) or ""), _remarks(signatures.get(column.name), column))
        for column in columns
    ]
    return fill_part("signatures", rows, list(_judge_notes(material)))


def _judge_notes(material: AnalysisMaterial) -> Iterator[str]:
    """Yield a sentence on the quality of each judge, if it is known."""
    models = (dict(signature.fields).get("model", "") for signature in material.signatures.values())
    for known in filter(None, map(entry, dict.fromkeys(models))):
        yield known.note if known.note.startswith(known.title) else f"{known.title}: {known.note}"


# Analyses


def analysis_sections(done: Sequence[AnalysisRun]) -> dict[str, Markup]:
    """Return the tables and figures of each analysis by its title."""
    sections: dict[str, list[Markup]] = {}
    for analysis, run in done:
        sections.setdefault(analysis.title, []).append(_section(analysis, run))
    return {title: join_markup(parts) for title, parts in sections.items()}


def _section(analysis: Analysis[Any, Any], run: Run[Any, Any]) -> Markup:
    """Return the tables and figures of a run, with consecutive figures next to each other."""
    finding = analysis.finding(run)
    parts: list[Markup] = [fill_part("finding", finding)] if finding else []
    seen: set[tuple[bool, str]] = set()
    figures: list[tuple[str, Markup, bool]] = []
    for block in (block for variant in _vary_score(run) for block in analysis.blocks(variant)):
        # A table may have the same name as the figure above it.
        if isinstance(block, AnalysisRemark) or (kind := (isinstance(block, Table), block.name)) in seen:
            continue
        seen.add(kind)
        if isinstance(block, Table):
            parts += [fill_part("figures", figures), grid_html(without_click_note(block))]
            figures = []
        elif not isinstance(block, Chart) or block.marks:
            figures.append(_figure(block))
    return join_markup([*parts, fill_part("figures", figures)])


def _vary_score(run: Run[Any, Any]) -> Iterator[Run[Any, Any]]:
    """Yield a run, and copies of it for every other score if choosing a score only changes what is shown."""
    yield run
    for option in list_options(type(run.options)):
        keys = option.choices(run.material) if option.only_shown and option.kind == "choice" else {}
        if set(keys) == set(run.material.names):
            others = (name for name in keys if name != getattr(run.options, option.name))
            yield from (replace(run, options=replace(run.options, **{option.name: name})) for name in others)


def _figure(figure: Figure) -> tuple[str, Markup, bool]:
    """Return a figure's title, its drawing, and whether it needs the full width."""
    if isinstance(figure, Chart):
        return figure.title, markup(figure_svg(figure, size=(_WIDE, _HIGH * figure.high), fluid=True)), False
    # At its own width, the text of a figure is readable.
    return figure.title, markup(figure_svg(without_click_note(figure), type_size=_LETTERS, transparent=True)), True


# Errors


def _errors(report: Report, study: CorpusStudy) -> Markup:
    sections: list[Markup] = []
    material = report.material
    labels = np.where(material.parts[study.name], material.labels, -1)
    with contextlib.ExitStack() as stack:
        columns = [(score.title, stack.enter_context(score.cells(material))) for score in report.pair_columns]
        for score in study.scores.values():
            threshold = score.thresholds.usual.threshold
            if np.isnan(threshold):
                continue
            for which in (Outcome.FALSE_POSITIVE, Outcome.FALSE_NEGATIVE):
                words = which.name.lower().replace("_", " ") + "s"
                rows = find_worst_errors(score.score_column, labels, threshold, which, report.worst_pairs).tolist()
                if rows:
                    title = f"{score.score_column.title} at {number(threshold)}: {words}"
                    cells = {name: [cell(score.score_column, row, threshold) for row in rows] for name, cell in columns}
                    sections.append(_pairs(material, score.score_column, title, rows, cells))
    return join_markup(sections)


def _pairs(
    material: AnalysisMaterial,
    score: ScoreColumn,
    title: str,
    rows: Sequence[int],
    cells: Mapping[str, Sequence[Markup | None]],
) -> Markup:
    corpus = material.corpus
    further = {name: column for name, column in cells.items() if any(cell is not None for cell in column)}
    lines = [
        (
            number(float(score.values[row])),
            *mark_differences(corpus.source[row], corpus.hypothesis[row]),
            [column[place] or "" for column in further.values()],
            corpus.id[row],
        )
        for place, row in enumerate(rows)
    ]
    return fill_part("pairs", title, list(further), lines)
