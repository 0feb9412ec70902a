"""The report: one file, everything escaped, the worst pairs first, drawings that a renderer accepts."""

from __future__ import annotations

import contextlib
import html
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from parapluie_gui.analysis import catalogue
from parapluie_gui.analysis.base import analyse
from parapluie_gui.analysis.material import AnalysisMaterial, CorpusParts, StudyCache
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.analysis.study import CorpusStudy
from parapluie_gui.analysis.table import Table
from parapluie_gui.analysis.threshold import Outcome
from parapluie_gui.errors import ParapluieError
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.report import citation
from parapluie_gui.report.html import (
    PairColumn,
    Report,
    analysis_sections,
    compute_report,
    find_worst_errors,
    mark_differences,
    report_html,
    write_report,
)
from parapluie_gui.report.template import markup
from parapluie_gui.scores.signature import Signature

N = 80
VOID = {"meta", "br", "hr", "img", "link", "input"}


class Balance(HTMLParser):
    """Records elements, and whether each is closed in the right place."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def report(name: str = "a <b>corpus</b> & more") -> Report:
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, N).astype(np.int8)
    corpus = Corpus(
        name,
        [f"<i>{row}" for row in range(N)],
        [f"<script>alert({row})</script> one & two" for row in range(N)],
        [f'"three" & {row} <img src=x>' for row in range(N)],
        label=labels,
    )
    values = {"pluie.direct": random.normal(2 * labels - 1, 2).round(1), "edit_distance": random.random(N).round(2)}
    columns = tuple(replace(score_column(each, own), title=f"<{each}>") for each, own in values.items())
    corpus_parts = CorpusParts.from_corpus(corpus)
    material = AnalysisMaterial(
        corpus_parts,
        columns,
        labels,
        corpus_parts.parts,
        draws=10,
        y="pluie.direct",
        distance=values["edit_distance"],
        signatures={"pluie.direct": Signature.from_fields("pluie.direct", {"name": "<x>", "model": "m"})},
    )
    return compute_report(material, lambda done, total: None, date="2026-11-21", note="")


def study_of(made: Report) -> CorpusStudy:
    return made.material.all_studies(lambda done, total: None)[-1]


def test_everything_is_escaped_and_nothing_is_loaded():
    text = report_html(report())
    checked = Balance()
    checked.feed(text)
    assert checked.open == []
    assert not {"script", "img", "i", "link", "iframe"} & set(checked.seen)
    assert "&lt;script&gt;alert(" in re.sub("</?mark[^>]*>", "", text) and "name:&lt;x&gt;|model:m" in text
    urls = set(re.findall(r"https?://[^\"'\s<]+", text))
    assert urls <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r'<[^>]*\b(src=|href=(?!"#))', text), "no element loads anything"
    policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text)
    assert policy and "default-src 'none'" in policy[1] and "script-src" not in policy[1]
    # the policy applies to everything after it, and contains the styles of the page and its drawings
    assert policy.start() < text.index("<title>") and "style-src 'unsafe-inline'" in policy[1]


def test_a_report_begins_with_summary_and_contents_and_lines_up_each_scores_figures():
    page = report()
    text = report_html(page)
    links, anchors = re.findall(r'href="#([^"]+)"', text), re.findall(r'<h2 id="([^"]+)"', text)
    sections = ["distributions", "thresholds", "curves", "coverage", "independent-of-edit-distance?", "compare-all"]
    sections.append("accuracy-by-range")
    assert links == anchors
    assert anchors[:3] == ["summary", "corpora", "scores-and-how-they-were-computed"]
    assert [anchor for anchor in anchors[3:-2] if anchor in sections] == sections, (
        "among the titles of further analyses"
    )
    assert anchors[-2:] == ["worst-false-positives-and-negatives", "how-to-cite"]
    areas = {score.score_column.title: score.roc.auc for score in study_of(page).scores.values()}
    best = max(areas, key=lambda name: areas[name])
    sentence = f"{html.escape(best)} puts paraphrases nearer than other pairs: area under the ROC curve"
    assert text.count(f"{sentence} {areas[best]:.3f} [") == 2, "in the summary and above the curves"
    curves = text[text.index('id="curves"') : text.index('id="independent-of-edit-distance?"')]
    for name in areas:
        assert f"{html.escape(name)} as threshold" in curves, "the curves of every score, not only of a chosen one"
    assert "Click" not in text


def test_a_heat_map_has_its_own_line_with_readable_type():
    (matrix,) = re.findall(r'<figure class="across">(<svg.*?</svg>)', report_html(report()))
    assert "Similar scores are placed side by side." in matrix and "Click" not in matrix, "nothing is clickable"
    drawing = ElementTree.fromstring(matrix)
    inner = float(drawing.get("viewBox").split()[2])
    # A column of three charts is 350 px wide: type of 11 px would have 350/466 of that.
    assert float(drawing.get("font-size")) * float(drawing.get("width")) / inner == pytest.approx(13)


def test_the_report_has_the_numbers_of_the_tables():
    made = report()
    text = report_html(made)
    best = study_of(made).scores["pluie.direct"].thresholds.best
    assert f"{best.accuracy:.3f}" in text and f'<td class="right">{best.counts.tp}</td>' in text
    assert "not known: the score came with the corpus" in text


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("compare", {}),
        pytest.param("balanced", {"per_label": 20}, marks=pytest.mark.needs("papers")),
    ],
)
def test_a_table_with_the_name_of_a_figure_is_not_left_out(name, options):
    analysis, material = catalogue.analysis(name), report().material
    run = analyse(analysis, material, analysis.options(**options))
    titles = [html.escape(block.title) for block in analysis.blocks(run) if isinstance(block, Table) and len(block)]
    section = analysis_sections([(analysis, run)])[analysis.title]
    assert titles and not [title for title in titles if title not in section]


def test_the_worst_pairs_come_first():
    made = report()
    each = made.material.score_columns[0]
    labels, values = made.material.labels, each.values
    wanted = sorted(
        (row for row in range(N) if labels[row] == 0 and values[row] >= 0.0), key=lambda row: (-values[row], row)
    )
    assert find_worst_errors(each, labels, 0.0, Outcome.FALSE_POSITIVE, 7).tolist() == wanted[:7]
    distance = made.material.score_columns[1]
    missed = sorted(
        (row for row in range(N) if labels[row] == 1 and distance.values[row] > 0.4),
        key=lambda row: (-distance.values[row], row),
    )
    assert find_worst_errors(distance, labels, 0.4, Outcome.FALSE_NEGATIVE, 5).tolist() == missed[:5]
    text = report_html(made)
    places = [text.index(f"&lt;i&gt;{row}</td>") for row in wanted[:3]]
    assert places == sorted(places)


def test_differences_are_marked():
    source, hypothesis = mark_differences("The <cat> sat.", "The <dog> sat.")
    assert "".join(text for text, _ in source) == "The <cat> sat."
    assert ("cat", "changed") in source and ("dog", "changed") in hypothesis
    text = report_html(report())
    assert re.search('<td class="text"><mark class="changed">&lt;</mark><mark class="only-here">script</mark>', text)


def test_empty_columns_of_the_worst_pairs_are_left_out():
    @contextlib.contextmanager
    def cells(material):
        def cell(score, row, threshold):
            return markup(f"<i>{row}</i>") if score.name == "edit_distance" and row % 2 else None

        yield cell

    made = report()
    text = report_html(replace(made, pair_columns=[PairColumn("odd & even", cells)]))
    assert text.count("<th>odd &amp; even</th>") == 2, "false positives and negatives of one score"
    assert '<td class="more"><i>' in text and '<td class="more"></td>' in text
    assert text.count("<tr>") == report_html(made).count("<tr>")


def test_drawings_are_well_formed():
    text = report_html(report())
    drawings = re.findall(r"<svg.*?</svg>", text, re.S)
    assert len(drawings) == len(re.findall("<figure", text)) > 0
    captions = [html.unescape(each) for each in re.findall("<figcaption>(.*?)</figcaption>", text)]
    for start in (
        *("<pluie.direct> · overlap", "<edit_distance> · overlap", "<pluie.direct> as threshold"),
        *("<edit_distance> as threshold", "<pluie.direct> against edit distance", "ROC", "Precision against recall"),
        *("Calibration of p(yes)", "Accuracy of the pairs furthest", "Accuracy by range", "Cohen's κ"),
    ):
        assert len([caption for caption in captions if caption.startswith(start)]) == 1, start
    for drawing in drawings:
        root = ElementTree.fromstring(drawing)
        assert root.get("role") == "img" and root.get("aria-label")
        assert "nan" not in drawing and "inf" not in drawing
    assert "Click" not in text, "a reader has nothing to click"


def test_a_reports_scatter_mentions_bounds():
    sure = report()
    scores = [
        replace(column, bounds=np.ones(len(column.values), dtype=np.int8)) for column in sure.material.score_columns
    ]
    material = replace(sure.material, score_columns=tuple(scores), studies=StudyCache())
    doubtful = compute_report(material, lambda done, total: None, date="", note="")
    assert "arrows where" in report_html(doubtful) and "are bounds" in report_html(doubtful)
    assert "arrows where" not in report_html(sure)


def test_an_unwritable_report_gives_a_reason(tmp_path):
    with pytest.raises(ParapluieError, match="There is no folder"):
        write_report(tmp_path / "no" / "report.html", report())


def test_lone_surrogates_do_not_stop_a_report(tmp_path):
    made = report("half \ud83d")
    assert "half" in write_report(tmp_path / "r.html", made).read_text(encoding="utf-8")


def test_a_report_has_its_origin_the_judges_quality_and_citations():
    made = report()
    pocket = Signature.from_fields("pluie.direct", {"name": "pluie", "model": "pocket"})
    material = replace(made.material, signatures={"pluie.direct": pocket}, studies=StudyCache())
    text = report_html(replace(made, material=material, command="parapluie analyse 'a b.csv' --out <x>"))
    assert "<code>parapluie analyse &#39;a b.csv&#39; --out &lt;x&gt;</code>" in text and "2026-11-21" in text
    assert "not the paper&#39;s zero-shot LLM" in text
    assert "@inproceedings" in text and "@media print" in text
    unjudged = [column for column in material.score_columns if not column.is_from_judge]
    assert "@inproceedings" not in report_html(
        replace(
            made, material=replace(material, score_columns=tuple(unjudged), studies=StudyCache(), y="edit_distance")
        )
    )
    known = (Path(__file__).parents[2] / "CITATION.cff").read_text("utf-8")
    assert citation.TITLE in known and str(citation.YEAR) in known and citation.BOOK in known
    for author in citation.AUTHORS:
        given, family = author.rsplit(" ", 1)
        assert f"given-names: {given}, family-names: {family}" in known
