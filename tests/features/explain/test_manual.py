"""The manual's page on explanations."""

from __future__ import annotations

from parapluie_gui import manual
from parapluie_gui.metrics.changes.types import change_types


def test_the_stated_certainty_of_a_kind_matches_the_manual():
    text = next(page for page in manual.pages() if page.name == "explain").text
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    known = {
        row[0]: (float(row[4]), int(row[3].replace(",", ""))) for row in rows if len(row) == 5 and row[1][0].isdigit()
    }
    assert len(known) >= 14
    for kind in change_types().values():
        assert (kind.precision, kind.edits) == known.get(kind.etpc, (None, 0)), kind.id
    assert change_types()["negation"].is_unsure and not change_types()["antonym"].is_unsure
