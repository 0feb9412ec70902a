"""A user's script, which `mypy --strict` checks with the package (tests/test_architecture.py) and nothing runs."""

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
accuracy = pp.analyse(scores, "thresholds", thresholds={"bleu": 0.5}).tables["thresholds"].to_frame()["accuracy"]
drawing: str = pp.analyse(scores, "curves").figures["roc"].svg(dark=True)
edits: dict[str, float] = pp.explain("a b", "a c", metrics="bleu")[0].values
page: str = pp.certify("bleu", pairs=500).tables["bleu"].latex()
with pp.open_session("work.pluie") as session:
    scores |= session.scores("a corpus")
