"""Templates: values are escaped, and every template can be parsed."""

from __future__ import annotations

import jinja2
import pytest

from parapluie_gui import places
from parapluie_gui.analysis.table import Table
from parapluie_gui.report.html import grid_html
from parapluie_gui.report.template import fill_part, fill_template, join_markup, markup

HOSTILE = "</td><script>alert('{{ 7 * 7 }}')</script>"
ESCAPED = "&lt;/td&gt;&lt;script&gt;alert(&#39;{{ 7 * 7 }}&#39;)&lt;/script&gt;"


def test_texts_are_escaped_and_never_read_as_templates():
    table = grid_html(Table("t", HOSTILE, (HOSTILE,), ((HOSTILE,),), HOSTILE))
    assert table.count(ESCAPED) == 4 and "<script" not in table
    assert join_markup([markup("<p>"), markup("</p>")]) == "<p></p>"


def test_a_missing_value_is_an_error():
    with pytest.raises(jinja2.UndefinedError):
        fill_template("report/report.html", title="t")


@pytest.mark.parametrize("link", ["page.html", '"><script>'])
def test_links_are_shown_with_their_words(link):
    text = fill_part("origin", ("one", "", "two"), [("to it", link)])
    assert text == f'one · two · <a href="{jinja2.filters.escape(link)}">to it</a>'


def test_every_template_can_be_parsed():
    folder = places.resources()
    paths = sorted(folder.rglob("*.html"))
    assert folder / "report" / "parts.html" in paths
    for path in paths:
        jinja2.Environment().parse(path.read_text(encoding="utf-8"), filename=str(path))
