"""Plain text where Qt accepts rich text."""

from __future__ import annotations

from PySide6.QtGui import QTextDocument

from parapluie_gui.ui.widgets.text import read_aloud, rich_text, tooltip

HOSTILE = 'a <b>c</b> & "d" it\'s\n&lt; e'


def test_text_is_unchanged_after_a_round_trip_through_rich_text():
    document = QTextDocument()
    for written in (rich_text(HOSTILE), tooltip(HOSTILE)):
        document.setHtml(written)
        assert document.toPlainText() == HOSTILE
    assert read_aloud(tooltip(HOSTILE)) == HOSTILE
    document.setHtml(rich_text("a <b> c", unbroken=True))
    assert document.toRawText() == "a\xa0<b>\xa0c"
