"""The report: one HTML file with everything in it, fit to be mailed, printed or kept beside a paper."""

from __future__ import annotations

import contextlib
import html
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from parapluie_gui import files, places
from parapluie_gui.analysis.base import Analysis, Remark, Run, analyse, unclicked
from parapluie_gui.analysis.catalogue import analyses
from parapluie_gui.analysis.explain.explanation import Explanation
from parapluie_gui.analysis.figure import Chart, Figure
from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.score_column import ScoreColumn, Tick
from parapluie_gui.analysis.score_languages import languages_of_columns, strange_language, templates_of_columns
from parapluie_gui.analysis.study import CorpusStudy, ScoreStudy
from parapluie_gui.analysis.table import Cell, Table, cell_text, number, numeric_columns
from parapluie_gui.analysis.threshold import Outcome, outcome
from parapluie_gui.arrays import Labels, Rows
from parapluie_gui.errors import ParapluieError
from parapluie_gui.models.catalogue import entry
from parapluie_gui.options import described
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.difference.worddiff import Segment, diff_words
from parapluie_gui.report.citation import bibtex
from parapluie_gui.report.explained import edits_html, known_explanations
from parapluie_gui.report.record import Done
from parapluie_gui.report.svg import figure_svg
from parapluie_gui.version import __version__


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


#: Longer sentences are shown without marks: comparing them takes too long.
_LONGEST = 6_000


def worst(score_column: ScoreColumn, labels: Labels, threshold: float, which: Outcome, most: int = 10) -> Rows:
    """Return the rows of false positives or negatives, (k,), those furthest beyond the threshold first."""
    kind = outcome(score_column.values, labels, threshold, score_column.higher_is_closer)
    rows = np.flatnonzero(kind == which)
    away = np.abs(score_column.values[rows] - threshold)
    return rows[np.argsort(-away, kind="stable")][:most]


def marked_pair(corpus: Corpus, row: int) -> tuple[str, str]:
    """Return both sentences of a pair as HTML, all text escaped, the differences in <mark> elements."""
    source, hypothesis = corpus.source[row], corpus.hypothesis[row]
    if len(source) + len(hypothesis) > _LONGEST:
        return html.escape(source), html.escape(hypothesis)
    found = diff_words(source, hypothesis)
    return _marked(source, found.source), _marked(hypothesis, found.hypothesis)


def _marked(text: str, segments: tuple[Segment, ...]) -> str:
    parts = []
    for each in segments:
        words = html.escape(text[each.start : each.end])
        parts.append(words if each.kind == "same" else f'<mark class="{each.kind}">{words}</mark>')
    return "".join(parts)


#: Width and height of a figure in pixels; it scales with its frame.
_WIDE, _HIGH = 420.0, 300.0
#: The height of the type in figures that are as wide as they need, in pixels.
_LETTERS = 13.0

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
figure.across { grid-column: 1 / -1; }
figure svg { max-width: 100%; height: auto; } nav ul { columns: 2; }
figure { margin: 0; break-inside: avoid; } figcaption { font-weight: 600; }
code { font-size: .85em; overflow-wrap: anywhere; }
.yes { color: #1d4ed8; } .no { color: #a8540a; } td.why { min-width: 13rem; }
pre { font-size: .8rem; white-space: pre-wrap; }
@media (max-width: 82rem) { th, td { white-space: normal; padding: .2rem .45rem; } td.text { min-width: 11rem; }
  td.why { min-width: 9rem; } }
@media print { @page { size: A4; margin: 12mm; } body { font-size: 9.5pt; max-width: none; margin: 0; padding: 0; }
  nav { display: none; } .wide { overflow: visible; } table { width: 100%; font-size: 7pt; }
  th, td { white-space: normal; overflow-wrap: break-word; padding: .1rem .25rem; }
  td.text, td.why { min-width: 0; } tr, figure { break-inside: avoid; } h2, h3 { break-after: avoid; }
  thead { display: table-header-group; } mark, .yes, .no { print-color-adjust: exact; } }
mark { background: #fde68a; text-decoration: underline; } mark.moved { background: #cfe8d5; }
"""


@dataclass(frozen=True, eq=False)
class Report:
    """What goes into a report.

    Attributes:
        material: The scores, labels and corpora.
        done: The analyses, in their order.
        made: The date, as text.
        command: The line that made it, or "".
        note: What was left out ("only the set …"), or "".
        page: Where the page is that shares the pairs (`report.supplement`), as a link; "" for none.
        worst_pairs: False positives, and negatives, listed of each score.
        cache: The file of kept scores, by which the worst pairs are explained where their variants were scored.
    """

    material: Material
    done: Sequence[Done]
    made: str = ""
    command: str = ""
    note: str = ""
    page: str = ""
    worst_pairs: int = 10
    cache: Path | None = None


def report_of(material: Material, tick: Tick, *, made: str, note: str) -> Report:
    """Compute everything that goes into a report; the date and the note are those of `Report`."""
    done: list[Done] = []
    for each in analyses():
        if each.in_report and each.missing(material) is None:
            # Where an analysis cannot be done, such as draws from a corpus that is too small, the report lacks it.
            with contextlib.suppress(ParapluieError):
                done += [(each, analyse(each, material, options, tick)) for options in each.usual(material)]
    return Report(material, done, made=made, note=note, cache=places.score_cache())


def report_html(report: Report) -> str:
    """Return the report as one HTML document that loads nothing from anywhere."""
    material = report.material
    title = f"{material.corpus.name}: evaluation"
    studies = material.all_studies(lambda done, total: None)
    chapters = {
        "Summary": _summary(material, studies[-1]),
        "Corpora": grid_html(_corpora(studies)),
        "Scores and what they were computed with": signatures_html(material),
        **analysis_sections(report.done),
        "Worst false positives and negatives": _errors(report, studies[-1]),
        "How to cite": citation_html(material),
    }
    chapters = {name: text for name, text in chapters.items() if text}
    contents = "".join(f'<li><a href="#{_anchor(name)}">{name}</a></li>' for name in chapters)
    sections = [
        f"<h1>{html.escape(title)}</h1>",
        f'<p class="note">{_origin(report)}</p>',
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


def grid_html(grid: Table) -> str:
    """Return a grid as an HTML table, all text escaped."""
    if not len(grid):
        return ""
    right = numeric_columns(grid)
    classes = [' class="right"' if numeric else "" for numeric in right]
    head = "".join(f"<th{kind}>{html.escape(name)}</th>" for name, kind in zip(grid.header, classes, strict=True))
    texts = [[html.escape(cell_text(cell, grid.digits)) for cell in row] for row in grid.rows]
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


def _summary(material: Material, whole: CorpusStudy) -> str:
    lines = (f"<p>{html.escape(line)}</p>" for line in summary_lines(whole, material.title))
    names, corpus = [each.name for each in material.score_columns], material.corpus
    known = languages_of_columns(names, material.signatures)
    templates = templates_of_columns(names, material.signatures)
    strange = strange_language(known, corpus.source, corpus.hypothesis, templates)
    warning = f'<p class="warning">{html.escape(strange)}</p>' if strange else ""
    return warning + "".join(lines) + grid_html(summary_grid(whole, material.title))


def _origin(report: Report) -> str:
    words = (f"Written by ParaPLUIE Inspector {__version__}", report.made, report.note)
    command = f"<br><code>{html.escape(report.command)}</code>" if report.command else ""
    link = f'<a href="{html.escape(report.page)}">All pairs, to look through</a>' if report.page else ""
    return " · ".join(filter(None, (*map(html.escape, words), link))) + command


def citation_html(material: Material) -> str:
    """Return what to cite beside these scores, with BibTeX."""
    judged = any(each.judged for each in material.score_columns)
    words = "Cite the program, and the paper of each measure that you report; a score goes with its signature."
    return f"<p>{words}</p><pre>{html.escape(bibtex(judged))}</pre>"


def _corpora(studies: Sequence[CorpusStudy]) -> Table:
    rows = tuple(
        (each.name, each.pairs, each.paraphrases, each.negatives, each.pairs - each.paraphrases - each.negatives)
        for each in studies
    )
    return Table("corpora", "Pairs", ("corpus", "pairs", "paraphrases", "not paraphrases", "unlabelled"), rows)


def signatures_html(material: Material) -> str:
    """Return what each score was computed with, as an HTML table."""
    rows = []
    for each in material.score_columns:
        found = material.signatures.get(each.name)
        text = f"<code>{html.escape(str(found))}</code>" if found else "not known: the score came with the corpus"
        if each.bounds_sentence:
            text += f"<br>{html.escape(each.bounds_sentence)}"
        rows.append(f'<tr><td>{html.escape(each.title)}</td><td class="text">{text}</td></tr>')
    notes = "".join(f'<p class="note">{html.escape(note)}</p>' for note in _judge_notes(material))
    return f'<div class="wide"><table><tbody>{"".join(rows)}</tbody></table></div>{notes}'


def _judge_notes(material: Material) -> Iterator[str]:
    """Yield what to expect of each judge, in a sentence, where that is known."""
    models = (dict(found.fields).get("model", "") for found in material.signatures.values())
    for known in filter(None, map(entry, dict.fromkeys(models))):
        yield known.note if known.note.startswith(known.title) else f"{known.title}: {known.note}"


# Analyses


def analysis_sections(done: Sequence[Done]) -> dict[str, str]:
    """Return the tables and figures of each analysis, by its title."""
    found: dict[str, str] = {}
    for analysis, run in done:
        found[analysis.title] = found.get(analysis.title, "") + _section(analysis, run)
    return found


def _section(analysis: Analysis[Any, Any], run: Run[Any, Any]) -> str:
    """Return the tables and figures of a run, figures that follow each other side by side."""
    parts: list[str] = []
    seen: set[tuple[bool, str]] = set()
    figures: list[str] = []
    for block in (block for each in _of_each_score(run) for block in analysis.blocks(each)):
        # A table may have the name of the figure above it.
        if isinstance(block, Remark) or (kind := (isinstance(block, Table), block.name)) in seen:
            continue
        seen.add(kind)
        if isinstance(block, Table):
            parts += [_side_by_side(figures), grid_html(unclicked(block))]
            figures = []
        elif not isinstance(block, Chart) or block.marks:
            figures.append(_figure(block))
    return "".join([*parts, _side_by_side(figures)])


def _of_each_score(run: Run[Any, Any]) -> Iterator[Run[Any, Any]]:
    """Yield a run as it is, and with each other score chosen where that only shows something else."""
    yield run
    for option in described(type(run.options)):
        keys = option.choices(run.material) if option.only_shown and option.kind == "choice" else {}
        if set(keys) == set(run.material.names):
            others = (name for name in keys if name != getattr(run.options, option.name))
            yield from (replace(run, options=replace(run.options, **{option.name: name})) for name in others)


def _figure(figure: Figure) -> str:
    caption = f"<figcaption>{html.escape(figure.title)}</figcaption>"
    if isinstance(figure, Chart):
        return f"<figure>{figure_svg(figure, size=(_WIDE, _HIGH * figure.high), fluid=True)}{caption}</figure>"
    # It has a width of its own, at which its type can be read: a line for itself.
    drawn = figure_svg(unclicked(figure), type_size=_LETTERS, transparent=True)
    return f'<figure class="across">{drawn}{caption}</figure>'


def _side_by_side(figures: Sequence[str]) -> str:
    return f'<div class="figures">{"".join(figures)}</div>' if figures else ""


# Errors


def _errors(report: Report, whole: CorpusStudy) -> str:
    sections = []
    material = report.material
    labels = np.where(material.parts[whole.name], material.labels, -1)
    with known_explanations(material.corpus, material.signatures, report.cache) as explain:
        for each in whole.scores.values():
            threshold = each.thresholds.usual.threshold
            if np.isnan(threshold):
                continue
            for which in (Outcome.FALSE_POSITIVE, Outcome.FALSE_NEGATIVE):
                words = which.name.lower().replace("_", " ") + "s"
                rows = worst(each.score_column, labels, threshold, which, report.worst_pairs)
                if len(rows):
                    name = each.score_column.title
                    found = {row: explain(each.score_column, row, threshold) for row in rows.tolist()}
                    sections.append(f"<h3>{html.escape(name)} at {number(threshold)}: {words}</h3>")
                    sections.append(_pairs(material.corpus, each.score_column, found))
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
