"""Command-line arguments become the options of the feature's commands."""

from __future__ import annotations

from typed import options_of

from parapluie_gui.features.parts.extension import ScoringInParts


def test_score_has_the_options_of_parts(monkeypatch):
    for line, shard in (("score a.csv -o out.csv", None), ("score a.csv -o out --shard 2/3", (2, 3))):
        seen = options_of(monkeypatch, line, "parapluie_gui.commands.score.run")
        (parts,) = (options for options in seen.more if isinstance(options, ScoringInParts))
        assert parts.shard == shard
