"""The advice in errors of reading can be followed where it is given: on the command line and in Python."""

from __future__ import annotations

import ast
import re
import shlex
from pathlib import Path

import pytest
from column_files import QUESTIONS

import parapluie_gui as pp
from parapluie_gui.api.corpora import ReadingOptions, options_to_arguments
from parapluie_gui.commands.arguments import list_flags
from parapluie_gui.commands.main import main
from parapluie_gui.commands.options import AnalyseOptions, ReadingArguments, ScoreOptions

READING = Path(pp.__file__).parent / "pairs" / "reading"


def alternatives(advice: str) -> list[list[str]]:
    """Return the options of each alternative in a piece of advice that has values."""
    option = r'--[a-z]+ (?:"[^"]*"|[^\s,;()]+)'
    return [shlex.split(result) for result in re.findall(rf"{option}(?: {option})*", advice)]


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_advice_of_every_error_can_be_followed(name, write, capsys):
    path = write(name, QUESTIONS[name])
    assert main(["describe", str(path)]) == 2
    error = capsys.readouterr()[1]
    ways = alternatives(error.strip().removesuffix("."))
    assert ways, error
    for way in ways:
        assert main(["describe", str(path), *way]) == 0, (way, capsys.readouterr()[1])
        assert error not in capsys.readouterr()[1]


@pytest.mark.filterwarnings("ignore::parapluie_gui.ParapluieWarning")
@pytest.mark.parametrize("name", QUESTIONS)
def test_the_same_advice_names_arguments_in_python(name, write):
    path = write(name, QUESTIONS[name])
    with pytest.raises(pp.ParapluieError) as caught:
        pp.read(path)
    assert "--" not in str(caught.value)
    ways = re.findall(r'((?:[a-z]+=(?:"[^"]*"|\["[^"]*"\]) ?)+)', str(caught.value))
    assert ways
    for way in ways:
        call = ast.parse(f"f({', '.join(re.split(r' (?=[a-z]+=)', way.strip()))})", mode="eval").body
        assert isinstance(call, ast.Call)
        pp.read(path, **{keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords})


def test_every_option_named_in_advice_is_an_option_of_reading():
    flags = list_flags(ReadingArguments)
    assert flags <= list_flags(AnalyseOptions, command="describe") & list_flags(ScoreOptions, command="score")
    for file in READING.glob("*.py"):
        named = set(re.findall(r"--[a-z]+(?![\w-])", file.read_text(encoding="utf-8")))
        assert named <= flags, file.name


def test_every_option_of_the_command_line_is_an_argument_in_python():
    assert {flag.removeprefix("--").replace("-", "_") for flag in list_flags(ReadingArguments)} == set(
        ReadingOptions.__annotations__
    )


def test_options_in_a_sentence_become_arguments():
    assert options_to_arguments('choose --label none, or --positive "a b" (--sheet)') == (
        'choose label="none", or positive=["a b"] (sheet)'
    )
