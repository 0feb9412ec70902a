"""Command-line arguments become the options of the feature's commands."""

from __future__ import annotations

from pathlib import Path

from typed import options_of

from parapluie_gui.features.papers import human_analysis as human
from parapluie_gui.features.papers import options as papers_options
from parapluie_gui.features.papers import paraphrasus_command as paraphrasus
from parapluie_gui.features.papers import replication


def test_options_reach_the_benchmark_command(monkeypatch):
    line = "paraphrasus folder --metric bleu@0.5 --device cuda:1"
    function = "parapluie_gui.features.papers.paraphrasus_command.run"
    assert options_of(monkeypatch, line, function) == paraphrasus.RunParaphrasus(
        path=(Path("folder"),),
        scoring=paraphrasus.BenchmarkedMetrics(metric=("bleu@0.5",), device="cuda:1"),
    )


def test_meta_extends_and_accepts_the_options_of_its_analysis(monkeypatch):
    seen = options_of(monkeypatch, "meta c.csv --extend --similarity sbert", "parapluie_gui.commands.analysis.run")
    assert seen.more == (papers_options.SourcesExtension(extend=True),)
    assert seen.only == seen.asked == ("human",) and seen.apart and seen.scores.draws == 0
    assert seen.analyses["human"] == (human.HumanOptions(similarity="sbert"),)


def test_score_adds_controls_only_on_request(monkeypatch):
    for line, controls in (("score a.csv -o out.csv", False), ("score a.csv -o out.csv --controls", True)):
        seen = options_of(monkeypatch, line, "parapluie_gui.commands.score.run")
        assert papers_options.ControlsExtension(controls=controls) in seen.more


def test_replicate_accepts_the_options_of_its_analysis(monkeypatch):
    seen = options_of(monkeypatch, "replicate pem", "parapluie_gui.features.papers.replicate_command.run")
    assert seen.replication == replication.ReplicationOptions(paper="pem")
