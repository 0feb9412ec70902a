"""The report: one HTML file with everything in it, fit to be mailed, printed or kept beside a paper."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from parapluie_gui import __version__, files
from parapluie_gui.analysis.explain.explanation import Explanation
from parapluie_gui.analysis.figure import Bars, Chart, Line, Points
from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.analysis.statistics.cascade import CascadeCurve
from parapluie_gui.analysis.statistics.curves import thinned
from parapluie_gui.analysis.study import DISTANCE, CorpusStudy, ScoreStudy, Studied
from parapluie_gui.analysis.table import Table, cell_text, number, numeric_columns
from parapluie_gui.analysis.threshold import Outcome
from parapluie_gui.errors import ParapluieError
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.report.cascade import cascade_figure, cascade_grid
from parapluie_gui.report.evaluation import evaluation_grids
from parapluie_gui.report.explained import edits_html
from parapluie_gui.report.known_explanations import known_explanations
from parapluie_gui.report.summary import summary_grid, summary_lines
from parapluie_gui.report.svg import figure_svg
from parapluie_gui.report.worst import marked_pair, worst
from parapluie_gui.scores.signature import Signature

#: Points of a scatter: more make a large file and no other picture.
_POINTS = 2_500

_CURVE_POINTS = 400

#: Width and height of a figure in pixels; it scales with its frame.
_WIDE, _HIGH = 420.0, 300.0

#: What a browser may do with the report: show it. No script runs and nothing is loaded, even if a text got through.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

_STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; color: #1b1f27; background: #fff; max-width: 74rem; margin: 2rem auto;
  padding: 0 1.2rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin-top: 2.4rem; border-bottom: 1px solid #cdd2da; }
h3 { font-size: 1.05rem; margin-bottom: .3rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem; text-align: left; border-bottom: 1px solid #dfe3e9; white-space: nowrap; }
td.text { white-space: normal; min-width: 18rem; } th { border-bottom: 1.5px solid #1b1f27; }
.right { text-align: right; } .note { color: #5b6472; } caption { text-align: left; font-weight: 600; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(21rem, 1fr)); gap: 1rem; }
figure svg { max-width: 100%; height: auto; } nav ul { columns: 2; }
figure { margin: 0; break-inside: avoid; } figcaption { font-weight: 600; }
code { font-size: .85em; overflow-wrap: anywhere; }
.yes { color: #1d4ed8; } .no { color: #a8540a; } td.why { min-width: 13rem; }
mark { background: #fde68a; text-decoration: underline; } mark.moved { background: #cfe8d5; }
"""


@dataclass(frozen=True, eq=False)
class Report:
    """What goes into a report.

    Attributes:
        material: The scores, labels and parts; `material.labels` may be fewer than the corpus has.
        studies: What `analysis.study.study` returned for it.
        signatures: What the scores were computed with.
        more: Further tables (mixed balanced, meta-evaluation, PARAPHRASUS) with the decimals of each.
        made: The date, as text.
        note: What was left out ("only the set …"), or "".
        worst_pairs: False positives, and negatives, listed of each score.
        cascade: The curve of a corpus that was scored by two judges.
        cache: The file of kept scores, by which the worst pairs are explained where their variants were scored.
    """

    corpus: Corpus
    material: Studied
    studies: Sequence[CorpusStudy]
    signatures: Mapping[str, Signature]
    more: Sequence[tuple[Table, int]] = ()
    made: str = ""
    note: str = ""
    worst_pairs: int = 10
    cascade: CascadeCurve | None = None
    cache: Path | None = None
    titles: Callable[[str], str] = field(default=str)


def report_html(report: Report) -> str:
    """Return the report as one HTML document that loads nothing from anywhere."""
    title = f"{report.corpus.name}: evaluation"
    grids = [(grid, 3) for grid in evaluation_grids(report.studies, report.titles)]
    if report.cascade is not None:
        grids.append((cascade_grid(report.cascade, report.titles), 3))
    tables = [grid_html(grid, digits) for grid, digits in [*grids, *report.more]]
    chapters = {
        "Summary": _summary(report),
        "Corpora": grid_html(_corpora(report)),
        "Scores and what they were computed with": _signatures(report),
        "Figures": _figures(report),
        "Tables": "\n".join(filter(None, tables)),
        "Worst false positives and negatives": _errors(report),
    }
    chapters = {name: text for name, text in chapters.items() if text}
    contents = "".join(f'<li><a href="#{_anchor(name)}">{name}</a></li>' for name in chapters)
    sections = [
        f"<h1>{html.escape(title)}</h1>",
        f'<p class="note">{html.escape(_origin(report))}</p>',
        f'<nav aria-label="Contents"><ul>{contents}</ul></nav>',
        *(f'<h2 id="{_anchor(name)}">{name}</h2>\n{text}' for name, text in chapters.items()),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(sections)
        + "\n</body>\n</html>\n"
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


def grid_html(grid: Table, digits: int = 3) -> str:
    """Return a grid as an HTML table, all text escaped."""
    if not len(grid):
        return ""
    right = numeric_columns(grid)
    classes = [' class="right"' if numeric else "" for numeric in right]
    head = "".join(f"<th{kind}>{html.escape(name)}</th>" for name, kind in zip(grid.header, classes, strict=True))
    texts = [[html.escape(cell_text(cell, digits)) for cell in row] for row in grid.rows]
    rows = "".join(
        "<tr>" + "".join(f"<td{kind}>{text}</td>" for text, kind in zip(row, classes, strict=True)) + "</tr>"
        for row in texts
    )
    note = f'<p class="note">{html.escape(grid.note)}</p>' if grid.note else ""
    return (
        f"<h3>{html.escape(grid.title)}</h3>"
        f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>{note}'
    )


def _anchor(name: str) -> str:
    return name.lower().replace(" ", "-")


def _summary(report: Report) -> str:
    whole = report.studies[-1]
    lines = (f"<p>{html.escape(line)}</p>" for line in summary_lines(whole, report.titles))
    return "".join(lines) + grid_html(summary_grid(whole, report.titles))


def _origin(report: Report) -> str:
    return " · ".join(filter(None, (f"Written by ParaPLUIE Inspector {__version__}", report.made, report.note)))


def _corpora(report: Report) -> Table:
    rows = tuple(
        (each.name, each.pairs, each.paraphrases, each.negatives, each.pairs - each.paraphrases - each.negatives)
        for each in report.studies
    )
    return Table("corpora", "Pairs", ("corpus", "pairs", "paraphrases", "not paraphrases", "unlabelled"), rows)


def _signatures(report: Report) -> str:
    rows = []
    for each in report.material.score_columns:
        found = report.signatures.get(each.name)
        text = f"<code>{html.escape(str(found))}</code>" if found else "not known: the score came with the corpus"
        if each.bounds_sentence:
            text += f"<br>{html.escape(each.bounds_sentence)}"
        rows.append(f'<tr><td>{html.escape(report.titles(each.name))}</td><td class="text">{text}</td></tr>')
    return f'<div class="wide"><table><tbody>{"".join(rows)}</tbody></table></div>'


# Figures


def _figures(report: Report) -> str:
    whole = report.studies[-1]
    parts = []
    for each in whole.scores.values():
        charts = [_histogram(report, each), _scatter(report, each)]
        if each.sweep.positives and each.sweep.negatives:
            charts.insert(1, _quality(report, each))
        parts.append(_side_by_side(report.titles(each.score_column.name), charts))
    together = [_roc(report, whole)]
    if report.cascade is not None:
        together.append(cascade_figure(report.cascade, report.titles))
    return "".join(parts) + _side_by_side("All scores", together)


def _side_by_side(title: str, charts: Sequence[Chart | None]) -> str:
    """Return the figures of one score in a line of their own, those that every score has first."""
    figures = "".join(
        f"<figure>{figure_svg(chart, size=(_WIDE, _HIGH * chart.high), fluid=True)}"
        f"<figcaption>{html.escape(chart.title)}</figcaption></figure>"
        for chart in filter(None, charts)
    )
    return f'<h3>{html.escape(title)}</h3><div class="figures">{figures}</div>' if figures else ""


def _scatter(report: Report, each: ScoreStudy) -> Chart | None:
    distance = report.material.distance
    if distance is None or each.score_column.name == DISTANCE:
        return None
    rows = np.flatnonzero(report.material.parts[report.studies[-1].name])
    left_out = ""
    if len(rows) > _POINTS:
        rows = np.sort(np.random.default_rng(0).choice(rows, _POINTS, replace=False))
        left_out = f", {_POINTS:,} pairs drawn at random"
    labels = report.material.labels[rows]
    bounds = each.score_column.bounds
    at = None if bounds is None else bounds[rows]
    values = each.score_column.values[rows]
    marks = [
        Points(name, distance[rows][chosen], values[chosen], colour, None if at is None else at[chosen])
        for name, chosen, colour in (
            ("unlabelled", (labels != 1) & (labels != 0), "unlabelled"),
            ("not paraphrases", labels == 0, "other"),
            ("paraphrases", labels == 1, "paraphrase"),
        )
        if chosen.any()
    ]
    arrows = "" if at is None or not at.any() else ", arrows where a score is at least or at most that"
    title = report.titles(each.score_column.name)
    rules = () if each.score_column.threshold is None else (("y", each.score_column.threshold),)
    words = f"{title} against edit distance{left_out}{arrows}"
    return Chart("scatter", words, tuple(marks), "edit distance", title, rules=rules)


def _histogram(report: Report, each: ScoreStudy) -> Chart:
    found = each.distribution
    kinds = [("not paraphrases", found.other, "other"), ("paraphrases", found.paraphrase, "paraphrase")]
    kinds = [kind for kind in kinds if kind[1].any()] or [("all pairs", found.unlabelled, "unlabelled")]
    marks = tuple(Bars(name, found.edges, counts / max(counts.sum(), 1), colour) for name, counts, colour in kinds)
    title = report.titles(each.score_column.name)
    overlap = "" if np.isnan(found.overlap) else f", overlap {number(found.overlap, 2)}"
    return Chart("distribution", f"{title}: distribution{overlap}", marks, title, "share of class")


def _quality(report: Report, each: ScoreStudy) -> Chart:
    curve = each.sweep.thin(_CURVE_POINTS)
    names = ("accuracy", "f1", "recall", "precision")
    marks = tuple(
        Line(name.replace("f1", "F1"), curve.threshold, getattr(curve, name), place) for place, name in enumerate(names)
    )
    title = report.titles(each.score_column.name)
    best = each.thresholds.best
    words = f"{title} as threshold, best accuracy {number(best.accuracy)} at {number(best.threshold)}"
    return Chart("quality", words, marks, title, y_range=(0.0, 1.0), rules=(("x", best.threshold),))


def _roc(report: Report, whole: CorpusStudy) -> Chart | None:
    drawn = {name: each for name, each in whole.scores.items() if each.sweep.positives and each.sweep.negatives}
    if not drawn:
        return None
    diagonal = np.array([0.0, 1.0])
    marks = [Line("", diagonal, diagonal, "muted", guide=True)]
    for colour, (name, each) in enumerate(drawn.items()):
        places = thinned(len(each.roc.fpr), _CURVE_POINTS)
        title = f"{report.titles(name)} {number(each.roc.auc, 2)}"
        marks.append(Line(title, each.roc.fpr[places], each.roc.tpr[places], colour))
    axes, whole_range = ("false positive rate", "recall"), (0.0, 1.0)
    return Chart("roc", "ROC and the areas under it", tuple(marks), *axes, whole_range, whole_range, high=1.15)


# Errors


def _errors(report: Report) -> str:
    sections = []
    whole = report.studies[-1]
    where = report.material.parts[whole.name]
    labels = np.where(where, report.material.labels, -1)
    with known_explanations(report.corpus, report.signatures, report.cache) as explain:
        for each in whole.scores.values():
            threshold = each.thresholds.usual.threshold
            if np.isnan(threshold):
                continue
            for which in (Outcome.FALSE_POSITIVE, Outcome.FALSE_NEGATIVE):
                words = which.name.lower().replace("_", " ") + "s"
                rows = worst(each.score_column, labels, threshold, which, report.worst_pairs)
                if len(rows):
                    name = report.titles(each.score_column.name)
                    found = {row: explain(each.score_column, row, threshold) for row in rows.tolist()}
                    sections.append(f"<h3>{html.escape(name)} at {number(threshold)}: {words}</h3>")
                    sections.append(_pairs(report.corpus, each.score_column, found))
    return "".join(sections)


def _pairs(corpus: Corpus, score_column: ScoreColumn, found: Mapping[int, Explanation | None]) -> str:
    lines = []
    any_explained = any(found.values())
    for row, explained in found.items():
        source, hypothesis = marked_pair(corpus, row)
        lines.append(
            f'<tr><td class="right">{number(float(score_column.values[row]))}</td><td class="text">{source}</td>'
            f'<td class="text">{hypothesis}</td>'
            + (f'<td class="why">{_why(corpus, row, explained, score_column)}</td>' if any_explained else "")
            + f"<td>{html.escape(corpus.id[row])}</td></tr>"
        )
    why = "<th>which words decided</th>" if any_explained else ""
    head = f'<tr><th class="right">score</th><th>source</th><th>hypothesis</th>{why}<th>id</th></tr>'
    return f'<div class="wide"><table><thead>{head}</thead><tbody>{"".join(lines)}</tbody></table></div>'


def _why(corpus: Corpus, row: int, found: Explanation | None, score_column: ScoreColumn) -> str:
    return "" if found is None else edits_html(corpus, row, found, score_column.higher_is_closer)
