"""The manual's page on paraphrases."""

from __future__ import annotations

from parapluie_gui import manual
from parapluie_gui.pluie.writing_templates import load_writing_templates


def test_every_template_is_in_the_manual():
    text = next(page for page in manual.pages() if page.name == "paraphrases").text
    missing = [template.name for template in load_writing_templates()[0] if f"`{template.name}`" not in text]
    assert missing == [], "write these into the table of resources/manual/paraphrases.md"
