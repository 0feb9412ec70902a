"""Plain text where Qt takes rich text."""

from __future__ import annotations

from PySide6.QtGui import QTextDocument

from parapluie_gui.ui.widgets.text import read_aloud, rich_text, tooltip

HOSTILE = 'a <b>c</b> & "d" it\'s\n&lt; e'


def test_text_comes_out_of_rich_text_as_it_went_in():
    document = QTextDocument()
    for written in (rich_text(HOSTILE), tooltip(HOSTILE)):
        document.setHtml(written)
        assert document.toPlainText() == HOSTILE
    assert read_aloud(tooltip(HOSTILE)) == HOSTILE
    document.setHtml(rich_text("a <b> c", unbroken=True))
    assert document.toRawText() == "a\xa0<b>\xa0c"
