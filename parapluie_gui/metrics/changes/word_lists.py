"""Words that can stand for one another: for replacements, for pairs made by rule, and for training."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

from parapluie_gui import places


@cache
def word_lists() -> dict[str, Any]:
    """Return what `resources/training/edits.toml` holds, and the words of its lists by word.

    Besides: `opposite` (to antonyms), `others` (to the words of its group), `helper` (to what makes another time of a
    helper) and `verb` (past form to base and participle).
    """
    data = tomllib.loads((places.resources() / "training" / "edits.toml").read_text(encoding="utf-8"))
    opposite: dict[str, list[str]] = {}
    for each in data["antonyms"].split():
        left, right = each.split("=")
        opposite.setdefault(left, []).append(right)
        opposite.setdefault(right, []).append(left)
    data["opposite"] = opposite
    others: dict[str, list[str]] = {}
    for group in data["other_words"].strip().splitlines():
        for word in group.split():
            others.setdefault(word, []).extend(each for each in group.split() if each != word)
    data["others"] = others
    data["helper"] = {row.split("|")[0]: row.split("|")[1:] for row in data["helpers"].strip().splitlines()}
    verbs = (each.split() for each in data["verbs"].replace("\n", "").split("|"))
    data["verb"] = {past: (base, participle) for past, base, participle in verbs}
    return data


@cache
def names() -> dict[str, tuple[str, ...]]:
    """Return the names of `resources/names.toml` by their kind: "names" of people, "place", "day", "month"."""
    lists = tomllib.loads((places.resources() / "names.toml").read_text(encoding="utf-8"))
    return {kind: tuple(text.split()) for kind, text in lists.items()}
