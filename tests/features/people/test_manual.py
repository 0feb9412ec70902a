"""The manual's page on human judgements."""

from __future__ import annotations

from parapluie_gui import places
from parapluie_gui.judgements.scheme import load_schemes


def test_every_scheme_is_in_the_manual():
    page = (places.resources() / "manual" / "judgements.md").read_text("utf-8")
    for scheme in load_schemes()[0]:
        assert f"| `{scheme.id}` |" in page
