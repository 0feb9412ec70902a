"""What is typed reaches a command as its frozen dataclass."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from typed import options_of

from parapluie_gui.analysis.evaluations import buckets, corpus
from parapluie_gui.commands import options
from parapluie_gui.commands.main import main

TYPED = [
    (
        "score a.csv b.csv -o out.csv --metric bleu --metric sbert --source A --delimiter TAB --exact",
        "parapluie_gui.commands.score.run",
        options.ScoreOptions(
            corpus=(Path("a.csv"), Path("b.csv")),
            output=Path("out.csv"),
            reading=options.ReadingArguments(source="A", delimiter="TAB"),
            scoring=options.JudgeAndMetrics(metric=("bleu", "sbert"), exact=True),
        ),
    ),
    (
        "analyse s.csv --score x --distance y --only buckets --by kind --by length --latex",
        "parapluie_gui.commands.analysis.run",
        options.AnalyseOptions(
            corpus=(Path("s.csv"),),
            only=("buckets",),
            scores=options.AnalysedScores(score=("x",), distance=("y",)),
            writing=options.OutputOptions(latex=True),
            analyses={"buckets": (buckets.BucketsOptions(by="kind"), buckets.BucketsOptions(by="length"))},
            asked=("buckets",),
        ),
    ),
    (
        "describe a.csv b.csv --csv out --part a",
        "parapluie_gui.commands.analysis.run",
        options.AnalyseOptions(
            corpus=(Path("a.csv"), Path("b.csv")),
            writing=options.OutputOptions(csv=Path("out")),
            only=("corpus",),
            analyses={"corpus": (corpus.CorpusOptions(part="a"),)},
            asked=("corpus",),
        ),
    ),
    (
        "gui --run --size 800x600",
        "parapluie_gui.commands.gui.run",
        options.GuiOptions(corpus=None, score=True, size=(800, 600)),
    ),
    (
        "models get smollm2-135m",
        "parapluie_gui.commands.models.get_model",
        options.GetModelOptions(name="smollm2-135m"),
    ),
]


@pytest.mark.parametrize(("line", "function", "wanted"), TYPED, ids=[function for _, function, _ in TYPED])
def test_options_reach_their_command(monkeypatch, line, function, wanted):
    seen = options_of(monkeypatch, line, function)
    if hasattr(wanted, "more"):  # what features add has its tests there
        seen = replace(seen, more=wanted.more)
    if isinstance(wanted, options.AnalyseOptions):
        seen = replace(seen, analyses={name: seen.analyses[name] for name in wanted.analyses})
    assert seen == wanted


def test_wrong_numbers_are_refused_before_anything_is_loaded(capsys):
    with pytest.raises(SystemExit) as end:
        main(["analyse", "a.csv", "--draws", "-1"])
    assert end.value.code == 2 and "-1 is not a whole number of 0 or more" in capsys.readouterr().err
