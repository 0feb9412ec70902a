"""Lists of interchangeable words, for replacements, pairs made by rule, and training."""

from __future__ import annotations

from functools import cache
from typing import Any

from parapluie_gui import places
from parapluie_gui.own_files import read_toml


@cache
def word_lists() -> dict[str, Any]:
    """Return the contents of `resources/edits.toml` with four look-up tables by word.

    These are `opposite` (antonyms), `others` (the other words of its group), `helper` (forms of an auxiliary in other
    tenses) and `verb` (base and participle of a past form).
    """
    data = read_toml(places.resources() / "edits.toml")
    opposite: dict[str, list[str]] = {}
    for pair in data["antonyms"].split():
        left, right = pair.split("=")
        opposite.setdefault(left, []).append(right)
        opposite.setdefault(right, []).append(left)
    data["opposite"] = opposite
    others: dict[str, list[str]] = {}
    for group in data["other_words"].strip().splitlines():
        for word in group.split():
            others.setdefault(word, []).extend(other for other in group.split() if other != word)
    data["others"] = others
    data["helper"] = {row.split("|")[0]: row.split("|")[1:] for row in data["helpers"].strip().splitlines()}
    verbs = (forms.split() for forms in data["verbs"].replace("\n", "").split("|"))
    data["verb"] = {past: (base, participle) for past, base, participle in verbs}
    return data


@cache
def names() -> dict[str, tuple[str, ...]]:
    """Return the names of `resources/names.toml` by their kind: "names" of people, "place", "day", "month"."""
    lists = read_toml(places.resources() / "names.toml")
    return {kind: tuple(text.split()) for kind, text in lists.items()}
