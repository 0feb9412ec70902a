"""PEM's components and grids: shown for the last requested pair, hidden without a score."""

from __future__ import annotations

import math
import threading

import pytest
from finding import find_part
from PySide6.QtGui import QImage

from parapluie_gui.errors import MetricError
from parapluie_gui.features.pem.evidence import ConfusionColumn, PemEvidence
from parapluie_gui.features.pem.view import MOST_SHOWN, PemSegments, PemView
from parapluie_gui.ui.pair.gauges import GaugeColumn
from parapluie_gui.ui.widgets.theme import DARK, LIGHT
from parapluie_gui.ui.widgets.wrapped import WrappedText

# the worked example of the paper (section 4.3)
EVIDENCE = PemEvidence(
    source=(ConfusionColumn("Morning , sir .", (("Bonjour , monsieur .", 1.0),)),),
    hypothesis=(
        ConfusionColumn("Hello ,", (("Bonjour ,", 0.9), ("Salut ,", 0.1))),
        ConfusionColumn("Querrien", (("Querrien", 1.0),), known=False),
        ConfusionColumn(".", ((".", 1.0),)),
    ),
    shared=((",", 1.0), (".", 1.0), ("Bonjour", 0.9), ("Bonjour ,", 0.9)),
    precision=0.38,
    recall=0.38,
    adequacy=0.38,
    fluency=-6.5,
    target=0.2,
    overall=2.25,
)


def explain(source: str, hypothesis: str) -> PemEvidence:
    return EVIDENCE


@pytest.fixture
def view(qtbot):
    view = PemView(explain)
    qtbot.addWidget(view)
    view.resize(380, 500)
    yield view
    view.stop()


def components(view):
    return find_part(view, GaugeColumn, "Components of PEM")


def shared(view):
    return find_part(view, WrappedText, "Shared n-grams of the pivot language")


def hypothesis(view):
    return find_part(view, PemSegments, "Hypothesis, segment by segment")


def test_the_section_is_hidden_until_a_pair_is_explained(view, qtbot):
    assert view.isHidden()
    view.show_pair("a", "b")
    qtbot.waitUntil(view.isVisible)
    assert [(gauge.title.strip(), gauge.text) for gauge in components(view).rows] == [
        ("Overall", "2.250"),
        ("Adequacy", "0.380"),
        ("precision", "0.380"),
        ("recall", "0.380"),
        ("Fluency", "−6.500"),
        ("Same wording", "0.200"),
    ]
    assert (
        shared(view).full_text
        == "Shared in the pivot language: Bonjour , 0.90   ·   , 1.00   ·   . 1.00   ·   Bonjour 0.90"
    )
    view.clear()
    assert view.isHidden()


def test_shared_words_of_the_pivot_are_marked(view):
    view.show_evidence(EVIDENCE)
    source, other = find_part(view, PemSegments, "Source, segment by segment"), hypothesis(view)
    assert source.highlighted_words() == ["Bonjour", ",", "."] and other.highlighted_words() == [
        "Bonjour",
        ",",
        ",",
        ".",
    ]
    assert (
        other.accessibleDescription()
        == "Hello ,: Bonjour , 0.90, Salut , 0.10; Querrien, not in the phrase table: Querrien 1.00; .: . 1.00"
    )


def test_the_last_requested_pair_is_shown(qtbot):
    asked, go = [], threading.Event()

    def slow(source, hypothesis):
        asked.append(source)
        go.wait(10)
        return PemEvidence((ConfusionColumn(source, (("x", 1.0),)),), (), (), *[1.0] * 6)

    view = PemView(slow)
    qtbot.addWidget(view)
    for source in ("first", "second", "third"):
        view.show_pair(source, "h")
    assert view.isHidden()
    go.set()
    qtbot.waitUntil(view.isVisible)
    assert [segment.text for segment in find_part(view, PemSegments, "Source, segment by segment").segments] == [
        "third"
    ]
    assert asked == ["first", "third"]
    view.stop()


def test_a_cleared_pair_does_not_reappear(qtbot):
    go = threading.Event()
    view = PemView(lambda source, hypothesis: go.wait(10) and EVIDENCE)
    qtbot.addWidget(view)
    view.show_pair("a", "b")
    view.clear()
    go.set()
    view.stop()
    assert view.isHidden()


def test_an_error_is_shown_once(qtbot):
    def fails_once(source, hypothesis):
        if source == "a":
            raise MetricError("There is no PEM model x. Train one with `parapluie pem train`.")
        return EVIDENCE

    view = PemView(fails_once)
    qtbot.addWidget(view)
    view.show_pair("a", "b")
    qtbot.waitUntil(view.isVisible)
    assert (
        find_part(view, WrappedText, "failure").full_text.startswith("There is no PEM model")
        and not components(view).isVisible()
    )
    view.show_pair("c", "d")
    qtbot.waitUntil(components(view).isVisible)
    assert not find_part(view, WrappedText, "failure").isVisible()
    view.stop()  # its thread can still be running


def test_a_pair_without_words_has_no_bars(view):
    nothing = PemEvidence((), (), (), *[math.nan] * 6)
    view.show_evidence(nothing)
    assert not components(view).isVisible() and shared(view).full_text == "Nothing is shared in the pivot language."


def test_a_long_sentence_is_cut_with_a_note(view):
    many = tuple(ConfusionColumn(f"w{at}", ((f"<b>f{at}</b>", 0.5),)) for at in range(1000))
    view.show_evidence(PemEvidence(many, many[:2], (), *[0.5] * 6))
    assert len(find_part(view, PemSegments, "Source, segment by segment").segments) == MOST_SHOWN
    more, none = view.findChildren(WrappedText, "how many more")
    assert more.full_text == "and 920 more segments" and not none.isVisible()


def test_the_view_wraps_and_paints_in_both_themes(view, qtbot, wear):
    view.show_evidence(EVIDENCE)
    wide = hypothesis(view).height()
    view.resize(140, 600)
    qtbot.waitUntil(lambda: hypothesis(view).height() > wide)
    assert all(cell.area.right() <= hypothesis(view).width() for cell in hypothesis(view).cells)

    def colours() -> set[str]:
        image: QImage = hypothesis(view).grab().toImage()
        return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}

    assert LIGHT.mark in colours() and LIGHT.base in colours()
    wear(DARK)
    assert DARK.mark in colours() and DARK.base in colours() and LIGHT.mark not in colours()
