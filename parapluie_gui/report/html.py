"""The report: one HTML file with everything in it, fit to be mailed, printed or kept beside a paper."""

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
from parapluie_gui.analysis.base import Analysis, Remark, Run, analyse, without_click_note
from parapluie_gui.analysis.catalogue import analyses
from parapluie_gui.analysis.figure import Chart, Figure
from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.score_column import ScoreColumn, Tick
from parapluie_gui.analysis.score_languages import describe_strange_language, languages_of_columns, templates_of_columns
from parapluie_gui.analysis.study import CorpusStudy, ScoreStudy
from parapluie_gui.analysis.table import Cell, Table, cell_text, number, numeric_columns
from parapluie_gui.analysis.threshold import Outcome, outcome
from parapluie_gui.arrays import Labels, Rows
from parapluie_gui.errors import ParapluieError
from parapluie_gui.feature import brought
from parapluie_gui.models.catalogue import entry
from parapluie_gui.options import described
from parapluie_gui.pairs.difference.worddiff import SegmentKind, diff_words
from parapluie_gui.report.citation import bibtex
from parapluie_gui.report.record import Done
from parapluie_gui.report.svg import figure_svg
from parapluie_gui.report.template import fill, fill_part, joined, markup
from parapluie_gui.version import __version__

if TYPE_CHECKING:
    from markupsafe import Markup


def summary_lines(whole: CorpusStudy, titles: Callable[[str], str]) -> list[str]:
    """Return sentences on a corpus, or on all of them pooled."""
    unlabelled = whole.pairs - whole.paraphrases - whole.negatives
    counts = [f"{whole.paraphrases:,} paraphrases", f"{whole.negatives:,} not"]
    counts += [f"{unlabelled:,} without a label"] if unlabelled else []
    lines = [f"{whole.pairs:,} pairs: {', '.join(counts)}." if unlabelled < whole.pairs else f"{whole.pairs:,} pairs."]
    ranked = _ranked(whole)
    if len(ranked) > 1:
        best, last = ranked[0], ranked[-1]
        lines.append(
            f"Of {len(ranked)} scores, {titles(best.score_column.name)} tells paraphrases from other pairs best (area "
            f"under the ROC curve {number(best.roc.auc)}), {titles(last.score_column.name)} worst "
            f"({number(last.roc.auc)}). Whether two scores differ by more than chance is in the table of comparisons."
        )
    return lines


def summary_grid(whole: CorpusStudy, titles: Callable[[str], str]) -> Table:
    """Return one line for each score, the best first; without rows where there are no labels."""
    rows: list[tuple[Cell, ...]] = []
    for each in _ranked(whole):
        best, natural = each.thresholds.best, each.thresholds.natural
        own = (None, None) if natural is None else (natural.accuracy, natural.threshold)
        name, pairs = titles(each.score_column.name), each.distribution.summary.all.scored
        rows.append((name, pairs, each.roc.auc, *own, best.accuracy, best.threshold))
    return Table(
        "summary",
        f"Scores on {whole.name}, by the area under the ROC curve",
        ("score", "pairs", "AUC", "accuracy", "at its threshold", "best accuracy", "at"),
        tuple(rows),
        "The best accuracy is that of a threshold chosen on these pairs, and so too high for others.",
    )


def _ranked(whole: CorpusStudy) -> list[ScoreStudy]:
    """Return the scores that have both classes, the largest area first."""
    found = [each for each in whole.scores.values() if not isnan(each.roc.auc)]
    return sorted(found, key=lambda each: -each.roc.auc)


#: A text, and how it differs from the other sentence.
_Piece = tuple[str, SegmentKind]

#: Longer sentences are shown without marks: comparing them takes too long.
_LONGEST = 6_000


def worst(score_column: ScoreColumn, labels: Labels, threshold: float, which: Outcome, most: int = 10) -> Rows:
    """Return the rows of false positives or negatives, (k,), those furthest beyond the threshold first."""
    kind = outcome(score_column.values, labels, threshold, score_column.higher_is_closer)
    rows = np.flatnonzero(kind == which)
    away = np.abs(score_column.values[rows] - threshold)
    return rows[np.argsort(-away, kind="stable")][:most]


def marked_pair(source: str, hypothesis: str) -> tuple[list[_Piece], list[_Piece]]:
    """Return both sentences of a pair in pieces, with how each differs from the other sentence."""
    if len(source) + len(hypothesis) > _LONGEST:
        return [(source, "same")], [(hypothesis, "same")]
    differing = diff_words(source, hypothesis)
    sides = (source, differing.source), (hypothesis, differing.hypothesis)
    one, other = ([(text[part.start : part.end], part.kind) for part in parts] for text, parts in sides)
    return one, other


#: Width and height of a figure in pixels; it scales with its frame.
_WIDE, _HIGH = 420.0, 300.0
#: The height of the type in figures that are as wide as they need, in pixels.
_LETTERS = 13.0


@dataclass(frozen=True)
class PairColumn:
    """A further column of the tables of false positives and negatives; left out of those where it is empty.

    Attributes:
        title: Its heading.
        cells: Opens what it reads and gives the function that writes a cell, which belongs to the thread: from a score,
            a row and a threshold to HTML, or None for an empty cell.
    """

    title: str
    cells: Callable[[Material], AbstractContextManager[Callable[[ScoreColumn, int, float], Markup | None]]]


def pair_columns(cache: Path | None) -> list[PairColumn]:
    """Return the further columns that the installed features add.

    Args:
        cache: The file in which scores are kept; None for none.
    """
    return [part.load()(cache) for part in brought("report_columns")]


@dataclass(frozen=True, eq=False)
class Report:
    """What goes into a report.

    Attributes:
        material: The scores, labels and corpora.
        done: The analyses, in their order.
        made: The date, as text.
        command: The line that made it, or "".
        note: What was left out ("only the set …"), or "".
        links: What was written beside it: the words of a link, and its address.
        worst_pairs: False positives, and negatives, listed of each score.
        pair_columns: Further columns of these lists.
    """

    material: Material
    done: Sequence[Done]
    made: str = ""
    command: str = ""
    note: str = ""
    links: Sequence[tuple[str, str]] = ()
    worst_pairs: int = 10
    pair_columns: Sequence[PairColumn] = ()


def report_of(
    material: Material, tick: Tick, *, made: str, note: str, pair_columns: Sequence[PairColumn] = ()
) -> Report:
    """Compute everything that goes into a report; date, note and columns of pairs are those of `Report`."""
    done: list[Done] = []
    for each in analyses():
        if each.in_report and each.missing(material) is None:
            # Where an analysis cannot be done, such as draws from a corpus that is too small, the report lacks it.
            with contextlib.suppress(ParapluieError):
                done += [(each, analyse(each, material, options, tick)) for options in each.usual(material)]
    return Report(material, done, made=made, note=note, pair_columns=pair_columns)


def report_html(report: Report) -> str:
    """Return the report as one HTML document that loads nothing from anywhere."""
    material = report.material
    studies = material.all_studies(lambda done, total: None)
    chapters = {
        "Summary": _summary(material, studies[-1]),
        "Corpora": grid_html(_corpora(studies)),
        "Scores and what they were computed with": signatures_html(material),
        **analysis_sections(report.done),
        "Worst false positives and negatives": _errors(report, studies[-1]),
        "How to cite": citation_html(material),
    }
    return fill(
        "report/report.html",
        title=f"{material.corpus.name}: evaluation",
        words=(f"Written by ParaPLUIE Inspector {__version__}", report.made, report.note),
        links=report.links,
        command=report.command,
        chapters={name: text for name, text in chapters.items() if text},
    )


def write_report(path: Path, report: Report) -> Path:
    """Write the report.

    Raises:
        ParapluieError: The file cannot be written.
    """
    text = report_html(report)
    try:
        files.write_text(path, text, errors="xmlcharrefreplace")
    except OSError as error:
        raise ParapluieError(
            f"{path}: the report could not be written ({error.strerror or error}). Choose another folder or name."
        ) from error
    return path


def grid_html(grid: Table) -> Markup:
    """Return a grid as an HTML table; "" for one without rows."""
    if not len(grid):
        return markup("")
    rows = [[cell_text(cell, grid.digits) for cell in row] for row in grid.rows]
    return fill_part("table", grid, numeric_columns(grid), rows)


def _summary(material: Material, whole: CorpusStudy) -> Markup:
    names, corpus = [each.name for each in material.score_columns], material.corpus
    known = languages_of_columns(names, material.signatures)
    templates = templates_of_columns(names, material.signatures)
    strange = describe_strange_language(known, corpus.source, corpus.hypothesis, templates)
    table = grid_html(summary_grid(whole, material.title))
    return fill_part("summary", strange, summary_lines(whole, material.title), table)


def citation_html(material: Material) -> Markup:
    """Return what to cite beside these scores, with BibTeX."""
    return fill_part("citation", bibtex(any(each.judged for each in material.score_columns)))


def _corpora(studies: Sequence[CorpusStudy]) -> Table:
    rows = tuple(
        (each.name, each.pairs, each.paraphrases, each.negatives, each.pairs - each.paraphrases - each.negatives)
        for each in studies
    )
    return Table("corpora", "Pairs", ("corpus", "pairs", "paraphrases", "not paraphrases", "unlabelled"), rows)


def signatures_html(material: Material) -> Markup:
    """Return what each score was computed with, as an HTML table."""
    columns, signatures = material.score_columns, material.signatures
    rows = [(each.title, str(signatures.get(each.name) or ""), each.bounds_sentence) for each in columns]
    return fill_part("signatures", rows, list(_judge_notes(material)))


def _judge_notes(material: Material) -> Iterator[str]:
    """Yield what to expect of each judge, in a sentence, where that is known."""
    models = (dict(found.fields).get("model", "") for found in material.signatures.values())
    for known in filter(None, map(entry, dict.fromkeys(models))):
        yield known.note if known.note.startswith(known.title) else f"{known.title}: {known.note}"


# Analyses


def analysis_sections(done: Sequence[Done]) -> dict[str, Markup]:
    """Return the tables and figures of each analysis, by its title."""
    found: dict[str, list[Markup]] = {}
    for analysis, run in done:
        found.setdefault(analysis.title, []).append(_section(analysis, run))
    return {title: joined(sections) for title, sections in found.items()}


def _section(analysis: Analysis[Any, Any], run: Run[Any, Any]) -> Markup:
    """Return the tables and figures of a run, figures that follow each other side by side."""
    parts: list[Markup] = []
    seen: set[tuple[bool, str]] = set()
    figures: list[tuple[str, Markup, bool]] = []
    for block in (block for each in _of_each_score(run) for block in analysis.blocks(each)):
        # A table may have the name of the figure above it.
        if isinstance(block, Remark) or (kind := (isinstance(block, Table), block.name)) in seen:
            continue
        seen.add(kind)
        if isinstance(block, Table):
            parts += [fill_part("figures", figures), grid_html(without_click_note(block))]
            figures = []
        elif not isinstance(block, Chart) or block.marks:
            figures.append(_figure(block))
    return joined([*parts, fill_part("figures", figures)])


def _of_each_score(run: Run[Any, Any]) -> Iterator[Run[Any, Any]]:
    """Yield a run as it is, and with each other score chosen where that only shows something else."""
    yield run
    for option in described(type(run.options)):
        keys = option.choices(run.material) if option.only_shown and option.kind == "choice" else {}
        if set(keys) == set(run.material.names):
            others = (name for name in keys if name != getattr(run.options, option.name))
            yield from (replace(run, options=replace(run.options, **{option.name: name})) for name in others)


def _figure(figure: Figure) -> tuple[str, Markup, bool]:
    """Return a figure's title, its drawing, and whether it has a line for itself."""
    if isinstance(figure, Chart):
        return figure.title, markup(figure_svg(figure, size=(_WIDE, _HIGH * figure.high), fluid=True)), False
    # It has a width of its own, at which its type can be read.
    return figure.title, markup(figure_svg(without_click_note(figure), type_size=_LETTERS, transparent=True)), True


# Errors


def _errors(report: Report, whole: CorpusStudy) -> Markup:
    sections: list[Markup] = []
    material = report.material
    labels = np.where(material.parts[whole.name], material.labels, -1)
    with contextlib.ExitStack() as opened:
        columns = [(each.title, opened.enter_context(each.cells(material))) for each in report.pair_columns]
        for each in whole.scores.values():
            threshold = each.thresholds.usual.threshold
            if np.isnan(threshold):
                continue
            for which in (Outcome.FALSE_POSITIVE, Outcome.FALSE_NEGATIVE):
                words = which.name.lower().replace("_", " ") + "s"
                rows = worst(each.score_column, labels, threshold, which, report.worst_pairs).tolist()
                if rows:
                    title = f"{each.score_column.title} at {number(threshold)}: {words}"
                    cells = {name: [cell(each.score_column, row, threshold) for row in rows] for name, cell in columns}
                    sections.append(_pairs(material, each.score_column, title, rows, cells))
    return joined(sections)


def _pairs(
    material: Material,
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
            *marked_pair(corpus.source[row], corpus.hypothesis[row]),
            [column[place] or "" for column in further.values()],
            corpus.id[row],
        )
        for place, row in enumerate(rows)
    ]
    return fill_part("pairs", title, list(further), lines)
