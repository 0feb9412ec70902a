"""Certificates in the complete window, with real workers."""

from __future__ import annotations

import fake_workers
import numpy as np
import pytest
import two_judges
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from parapluie_gui.features.certificate.page import CertificatePage
from parapluie_gui.metrics import catalogue


@pytest.fixture
def window(open_window):
    return open_window(fake_workers.main, setup={"templates": {"CLOZE": False, "DIRECT": False}})


def test_scores_are_certified_without_a_corpus(window, qtbot):
    window.setup.metrics.choice.replace(["bleu"])
    window.actions_by_name["certificate.show"].trigger()
    page = window.analysis.page_of(CertificatePage)
    assert window.analysis.page is page and window.tabs.currentWidget() is window.analysis
    assert "Edit distance, BLEU" in page.chosen.full_text
    page.form.choose({"pairs": 200})
    with qtbot.waitSignal(window.features["certificate"].experiment.done, timeout=60_000) as done:
        page.start_button.click()
    assert [each.name for each in done.args[0].result] == ["edit_distance", "bleu"]
    qtbot.waitUntil(lambda: not window.features["certificate"].experiment.busy)
    assert page.figure_named("certificates").isVisible() and page.stage.full_text == ""
    figure = next(block for block in page.analysis.blocks(page.run) if block.name == "certificates")
    value = np.nanmax(list(figure.values.values()))
    first = page.blocks.itemAt(0).widget().full_text
    assert value > 0 and first.startswith("Nothing stands out: no behaviour is clearly ranked wrong more often")
    worst = next(block for block in page.analysis.blocks(page.run) if block.name.startswith("certificate-worst"))
    page.table_named(worst.name).clicked.emit(0, 0)
    assert window.tabs.currentWidget() is window.bench
    assert window.bench.fields.texts()[0] == worst.rows[0][-2]


def test_a_number_below_the_minimum_is_rejected(window, qtbot):
    window.setup.metrics.choice.replace(["bleu"])
    window.features["certificate"].show()
    page = window.analysis.page_of(CertificatePage)
    pairs = page.form.controls["pairs"]
    pairs.setFocus()
    pairs.selectAll()
    QTest.keyClicks(pairs, "60")
    assert page.stage.full_text == "Pairs: at least 100." and not page.start_button.isEnabled()
    QTest.mouseClick(page.start_button, Qt.MouseButton.LeftButton)
    assert not window.features["certificate"].experiment.busy and pairs.value() == 100, (
        "the minimum, not the previous value"
    )
    qtbot.waitUntil(page.start_button.isEnabled)


def test_a_certificate_can_be_stopped_and_computed_again(window, qtbot, monkeypatch):
    monkeypatch.setattr(catalogue, "shipped_metrics", catalogue.shipped_metrics)
    fake_workers.offer()
    window.setup.metrics.choice.replace(["slow"])
    window.features["certificate"].show()
    page = window.analysis.page_of(CertificatePage)
    page.form.choose({"pairs": 20_000})
    certifying = window.features["certificate"].experiment
    with qtbot.waitSignal(certifying.progressed, timeout=60_000):
        page.start_button.click()
    with qtbot.waitSignal(certifying.ended, timeout=10_000) as ended:
        page.stop_button.click()
    assert not certifying.busy and page.start_button.isEnabled()
    assert "Stopped. Scores computed so far are kept" in ended.args[0] and page.stage.full_text == ended.args[0]
    window.setup.metrics.choice.replace([])
    page.form.choose({"pairs": 100})
    with qtbot.waitSignal(certifying.done, timeout=60_000):
        page.start_button.click()
    qtbot.waitUntil(lambda: not certifying.busy)


def test_a_failed_score_is_named_and_the_other_scores_are_shown(window, qtbot, monkeypatch):
    monkeypatch.setattr(catalogue, "shipped_metrics", catalogue.shipped_metrics)
    fake_workers.offer()
    window.setup.metrics.choice.replace(["broken"])
    window.features["certificate"].show()
    page = window.analysis.page_of(CertificatePage)
    page.form.choose({"pairs": 100})
    with qtbot.waitSignal(window.features["certificate"].experiment.ended, timeout=60_000) as ended:
        page.start_button.click()
    assert "no such word" in ended.args[0] and page.stage.full_text == ended.args[0]
    assert [column.key for column in page.figure_named("certificates").value.columns] == ["edit_distance"]


def test_both_of_two_judges_are_certified(open_window, qtbot, tmp_path):
    window = open_window(fake_workers.light)
    two_judges.choose(window, tmp_path)
    window.features["certificate"].show()
    page = window.analysis.page_of(CertificatePage)
    assert "twin" in page.chosen.full_text and "Pocket" in page.chosen.full_text, page.chosen.full_text
    page.form.choose({"pairs": 100})
    with qtbot.waitSignal(window.features["certificate"].experiment.done, timeout=60_000) as done:
        page.start_button.click()
    qtbot.waitUntil(lambda: not window.features["certificate"].experiment.busy)
    run = done.args[0]
    assert [each.name for each in run.result] == ["edit_distance", "pluie.cloze@pocket", "pluie.cloze@twin"]
    assert len({each.title for each in run.result}) == 3 and set(run.material.signatures) >= {"pluie.cloze@twin"}
