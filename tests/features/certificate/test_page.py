"""The Certificate page: its tables, its heat map, and clicks on them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from parapluie_gui.analysis.base import Run, analyse
from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.features.certificate.analysis import SuiteMaterial
from parapluie_gui.features.certificate.cases import make_suite
from parapluie_gui.features.certificate.certificate import certified_column
from parapluie_gui.features.certificate.page import CertificatePage, ChosenScores
from parapluie_gui.metrics import catalogue
from parapluie_gui.report.heat_map import cell_corner
from parapluie_gui.scores.signature import Signature
from parapluie_gui.ui.analysis.links import AnalysisLinks
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets.theme import DARK


@pytest.fixture(scope="module")
def run() -> Run:
    suite = make_suite(400)
    columns, signatures = [], {}
    for name in ("edit_distance", "bleu"):
        values = catalogue.metric(name).score(suite.corpus.source, suite.corpus.hypothesis)
        columns.append(certified_column(name, values, None))
        signatures[name] = Signature.from_fields(name, {"name": name})
    certificate = analysis("certificate")
    return analyse(certificate, SuiteMaterial.from_suite(suite, columns, signatures), certificate.options())


@pytest.fixture
def page(qtbot) -> CertificatePage:
    workspace = CorpusWorkspace()
    links = AnalysisLinks(workspace)
    page = CertificatePage(links)
    page.scores = lambda: ChosenScores(["Edit distance", "BLEU"], ["gpt4"])
    page.owners = workspace, links  # the page only observes them
    qtbot.addWidget(page)
    page.resize(700, 900)
    page.show()
    return page


def test_the_page_names_the_scores_before_the_run(page):
    assert page.chosen.full_text == (
        "Scores: Edit distance, BLEU. To change them, use Setup. Left out (columns, and metrics that need a reference "
        "or are "
        "not ready): gpt4."
    )
    assert page.start_button.isEnabled() and not page.running.isVisible()


def test_without_a_score_there_is_nothing_to_start(page):
    page.scores = ChosenScores
    page.show_chosen()
    assert "No score is chosen" in page.chosen.full_text and not page.start_button.isEnabled()


def test_certify_starts_a_run_that_can_be_stopped(page, qtbot):
    page.form.choose({"pairs": 700, "seed": 3})
    with qtbot.waitSignal(page.wanted) as asked:
        page.start_button.click()
    assert (asked.args[0].pairs, asked.args[0].seed) == (700, 3)
    assert page.running.isVisible() and not page.start_button.isEnabled()
    with qtbot.waitSignal(page.stopped):
        page.stop_button.click()
    page.show_end("The model is not here.")
    assert not page.running.isVisible() and page.stage.full_text == "The model is not here."
    assert page.start_button.isEnabled()


def test_certificates_are_a_heat_map_and_tables(page, run):
    page.show_outcome(run)
    assert len(page.figure_named("certificates").value.columns) == 2
    assert page.table_named("certificate").grid.title.startswith("Certificate of Edit distance")
    page.form.choose({"score": "bleu"})
    assert page.table_named("certificate").grid.title.startswith("Certificate of BLEU")
    assert "seed 0" in page.table_named("certificate").grid.note
    assert "bleu: name:bleu" in page.table_named("certificate").latex()
    ranked = page.figure_named("certificates").value.values
    page.form.choose({"measure": "failed"})
    assert page.figure_named("certificates").value.values != ranked and page.table_named(
        "certificates-failed"
    ).grid.note.startswith("No threshold: Edit distance, BLEU.")


def test_a_click_in_the_heat_map_shows_the_worst_pairs_and_a_worst_pair_opens_in_the_bench(page, run, qtbot):
    page.show_outcome(run)
    drawing = page.figure_named("certificates").value
    row = next(at for at, line in enumerate(drawing.lines) if getattr(line, "key", "") == "negation")
    picture = page.figure_named("certificates").picture
    factor = min(1.0, picture.width() / picture.maximumWidth())
    place = QPoint(*(int(each * factor) for each in cell_corner(drawing, 1.5, row + 0.5)))
    QTest.mouseClick(picture, Qt.MouseButton.LeftButton, pos=place)
    assert (
        page.options.score == "bleu"
        and page.table_named("certificate-worst-negation").grid.title == "Worst pairs of BLEU: negation"
    )
    worst = run.result[1].row("negation").worst
    with qtbot.waitSignal(page.links.edit_wanted) as asked:
        page.table_named("certificate-worst-negation").clicked.emit(2, 0)
    assert asked.args == [worst[2].source, worst[2].hypothesis]


def test_clicking_a_row_shows_its_worst_pairs(page, run):
    page.show_outcome(run)
    page.table_named("certificate").clicked.emit(4, 0)
    key = run.result[0].rows[4].behaviour
    assert len(page.table_named(f"certificate-worst-{key}").grid) == len(run.result[0].row(key).worst)


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_the_heat_map_can_be_saved(page, run, tmp_path, ending, wear):
    page.show_outcome(run)
    wear(DARK)
    assert page.figure_named("certificates").export(tmp_path / f"map.{ending}").stat().st_size > 2000
