"""What a user may write: `mypy --strict` reads it with the package (tests/test_architecture.py), nothing runs it."""

from __future__ import annotations

import parapluie_gui as pp

number: float = pp.score("a b", "a c")
scores: pp.Scores = pp.score([("a b", "a c")], metrics=["bleu"])
line: str = str(scores.signatures["bleu"])
years = scores.to_frame()["year"]
p_yes: float = pp.Judge("pocket").score("a", "b").evidence["p_yes"] + float(pp.metric("bleu").score(["a"], ["b"])[0])
try:
    pairs = pp.read("pairs.csv", source="a")
except pp.ParapluieError:
    pairs = pp.score("pairs.csv", judge=pp.Judge()).filter("label = 1").corpus
