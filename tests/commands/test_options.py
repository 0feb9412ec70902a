"""Typed options reach a command as its frozen dataclass."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import pytest
from typed import options_of

from parapluie_gui.analysis.evaluations import buckets, corpus
from parapluie_gui.commands import options
from parapluie_gui.commands.catalogue import commands
from parapluie_gui.commands.main import main
from parapluie_gui.places import expand_user_path

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
            only=commands()["describe"].analyses,
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
    if hasattr(wanted, "more"):  # options that features add are tested there
        seen = replace(seen, more=wanted.more)
    if isinstance(wanted, options.AnalyseOptions):
        seen = replace(seen, analyses={name: seen.analyses[name] for name in wanted.analyses})
    assert seen == wanted


def test_invalid_numbers_are_refused_before_anything_is_loaded(capsys):
    with pytest.raises(SystemExit) as end:
        main(["analyse", "a.csv", "--draws", "-1"])
    assert end.value.code == 2 and "-1 is not a whole number of at least 0" in capsys.readouterr().err


def fields_of(kind: type) -> Iterator[tuple[str, dict, bool]]:
    for field in fields(kind):
        if "shared" in field.metadata:
            yield from fields_of(field.metadata["shared"])
        elif words := field.metadata.get("option"):
            yield field.name, words, field.metadata.get("writes", False)


def test_options_for_files_to_write_are_declared_as_such():
    """`check_outputs` then refuses two outputs with the same name."""
    every = [*commands().values(), *(action for command in commands().values() for action in command.actions)]
    kinds = {command.load_options() for command in every if command.place}
    every_field = [each for kind in kinds for each in fields_of(kind) if each[1].get("reader") is expand_user_path]
    result = [each for each in every_field if not each[1].get("positional")]
    assert result
    for name, words, writes in result:
        says_so = bool(re.search(r"\b(write|draw|save)\b|^the model's file", words["help"]))
        assert writes == (says_so and words["metavar"] != "DIR"), (name, words["help"])
