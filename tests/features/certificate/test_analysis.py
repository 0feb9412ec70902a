"""Tables and the heat map of certificates."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.analysis.table import NOTHING, cell_text, table_csv, table_text
from parapluie_gui.features.certificate.analysis import (
    NO_THRESHOLD,
    certificate_map,
    certificate_table,
    markdown,
    side_by_side,
    worst_table,
)
from parapluie_gui.features.certificate.cases import make_suite
from parapluie_gui.features.certificate.certificate import Certificate, certify
from parapluie_gui.report.svg import figure_svg

SUITE = make_suite(600)


def certificate(title: str, threshold: float | None) -> Certificate:
    values = np.random.default_rng(0).normal(size=len(SUITE.corpus))
    return certify(SUITE, ScoreColumn(title.lower(), title, values, True, threshold))


WITH, WITHOUT = certificate("A <judge>", 0.0), certificate("Blind metric", None)


def test_a_table_names_its_threshold_and_shows_no_failures_without_one():
    grid = certificate_table(WITH, str(SUITE))
    assert grid.title == "Certificate of A <judge>, threshold 0.000 (natural)"
    assert str(SUITE) in grid.note.replace("Pairs", "pairs")
    without = certificate_table(WITHOUT)
    assert without.title.endswith(NO_THRESHOLD)
    typo = next(row for row in without.rows if row[1] == "typo")
    assert typo[3] == NO_THRESHOLD and typo[4] is None
    assert "no threshold" in table_text(without) and "failures" in table_csv(without)


def test_the_comparison_table_has_a_column_for_every_score():
    ranked, failed = (side_by_side([WITH, WITHOUT], measure) for measure in ("ranked", "failed"))
    assert ranked.header[2:] == ("A <judge>", "Blind metric")
    assert "source and hypothesis swapped" not in [row[1] for row in ranked.rows]
    assert "source and hypothesis swapped" in [row[1] for row in failed.rows]
    assert all(cell_text(row[3]) == NOTHING for row in failed.rows)
    assert failed.note == "No threshold: Blind metric."
    negation = next(row for row in ranked.rows if row[1] == "negation")
    assert negation[2] == WITH.row("negation").ranked_wrong.value


def test_the_worst_pairs_are_a_table():
    row = WITH.row("typo")
    grid = worst_table(WITH, row)
    assert [cells[4] for cells in grid.rows] == [each.hypothesis for each in row.worst]
    assert {cells[2] for cells in grid.rows} <= {"right", "wrong"}


def test_certificates_are_written_as_markdown_for_a_model_card():
    text = markdown(WITH, str(SUITE))
    lines = text.splitlines()
    assert lines[0].startswith("| behaviour | cases | failures |")
    assert len([line for line in lines if line.startswith("| ")]) == 1 + len(WITH.rows)
    assert len({line.count("|") for line in lines if line.startswith("|")}) == 1
    assert text.splitlines()[-1].startswith("5") and "Wilson" in text


@pytest.mark.parametrize("measure", ["ranked", "failed"])
def test_the_heat_map_is_a_readable_drawing(measure):
    root = ElementTree.fromstring(figure_svg(certificate_map([WITH, WITHOUT], measure, "Pairs & more")))
    texts = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    words = "ranked wrong" if measure == "ranked" else "failures"
    assert any(words in text and text.endswith("Pairs & more.") for text in texts)
    assert "typo" in texts and texts.count("Same meaning") == 1
    share = WITH.row("typo").ranked_wrong if measure == "ranked" else WITH.row("typo").failed
    cell = rf"{100 * share.value:.0f} % of \d+ \[{100 * share.low:.0f}–{100 * share.high:.0f}\]"
    assert any(re.fullmatch(cell, text) for text in texts), "each percentage is followed by its n"
    assert ("–" in texts) == (measure == "failed"), "without a threshold there are no failures to show"
