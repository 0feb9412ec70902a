"""Plain text where Qt accepts rich text."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtGui import QTextDocument

import parapluie_gui
from parapluie_gui.ui.widgets.text import plain_tip, read_aloud, rich_text, tooltip

PACKAGE = Path(parapluie_gui.__file__).parent
HOSTILE = 'a <b>c</b> & "d" it\'s\n&lt; e'


def test_text_is_unchanged_after_a_round_trip_through_rich_text():
    document = QTextDocument()
    for written in (rich_text(HOSTILE), tooltip(HOSTILE)):
        document.setHtml(written)
        assert document.toPlainText() == HOSTILE
    assert read_aloud(tooltip(HOSTILE)) == HOSTILE
    document.setHtml(rich_text("a <b> c", unbroken=True))
    assert document.toRawText() == "a\xa0<b>\xa0c"


#: Arguments of `setToolTip` that contain no text from the user.
SAFE = re.compile(r"""tooltip\(|plain_tip\(|self\.tr\("[^"]*"\)$|""$|action\.statusTip\(\)|describe_kind\(type\)""")


def test_a_tooltip_is_never_rich_text():
    assert plain_tip(HOSTILE) == tooltip(HOSTILE) == plain_tip(tooltip(HOSTILE)) and plain_tip("a & b") == "a & b"
    code = "".join(path.read_text("utf-8") for path in PACKAGE.rglob("*.py"))
    calls = re.findall(r"setToolTip\((?:0, )?(.*)\)\n", code)
    assert calls and [call for call in calls if not SAFE.match(call)] == []
