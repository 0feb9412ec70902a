"""The command line in combination with other programs: standard streams, examples, and lists."""

from __future__ import annotations

import csv
import io
import json
import shlex
import sys

import pytest

from parapluie_gui.commands.catalogue import GROUPS, commands
from parapluie_gui.commands.main import _build_parser, main

PAIRS = "source,hypothesis,label\nA cat slept.,A cat was asleep.,1\nA cat slept.,A dog ran.,0\n"


@pytest.fixture
def piped(monkeypatch):
    def put(content: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return put


@pytest.mark.parametrize(
    "content",
    [
        PAIRS.encode(),
        PAIRS.replace(",", "\t").encode(),
        b"\xef\xbb\xbf" + PAIRS.encode(),
        b'{"source": "A cat slept.", "hypothesis": "A cat was asleep.", "label": 1}\n'
        b'{"source": "A cat slept.", "hypothesis": "A dog ran.", "label": 0}\n',
    ],
    ids=["csv", "tsv", "marked", "jsonl"],
)
def test_a_table_is_read_from_and_written_to_the_standard_streams(piped, capfdbinary, home, content):
    piped(content)
    assert main(["score", "-", "-o", "-", "--metric", "edit_distance"]) == 0
    out, err = capfdbinary.readouterr()
    rows = list(csv.DictReader(out.decode().splitlines()))
    assert [row["hypothesis"] for row in rows] == ["A cat was asleep.", "A dog ran."]
    assert all(0 < float(row["edit_distance"]) < 1 for row in rows)
    assert "standard output" in err.decode() and "/tmp" not in err.decode()


def test_unreadable_standard_input_is_reported_in_one_sentence(piped, capsys, home):
    piped(b" ")
    assert main(["describe", "-"]) == 2
    assert "Standard input is empty" in capsys.readouterr().err
    assert main(["describe", "-", "-"]) == 2
    assert "can be read only once" in capsys.readouterr().err


def test_the_demo_is_never_overwritten(tmp_path, capsys):
    target = tmp_path / "pairs.csv"
    assert main(["demo", str(target)]) == 0 and "176 pairs" in capsys.readouterr().out
    assert len(list(csv.DictReader(target.open(encoding="utf-8")))) == 176
    assert main(["demo", str(target)]) == 2 and "already exists" in capsys.readouterr().err


def test_quiet_leaves_only_errors_on_stderr(tmp_path, capsys, home):
    pairs = tmp_path / "pairs.csv"
    pairs.write_text(PAIRS + "only one cell\n", encoding="utf-8")
    for words, skipped in (([], True), (["--quiet"], False)):
        assert main(["describe", str(pairs), *words]) == 0
        assert ("skipped" in capsys.readouterr().err) == skipped
    assert main(["describe", str(tmp_path / "nothing.csv"), "--quiet"]) == 2
    assert "nothing.csv" in capsys.readouterr().err


def test_titles_and_errors_are_styled_on_a_terminal_or_on_request(tmp_path, capsys, home, monkeypatch):
    pairs, absent = tmp_path / "pairs.csv", str(tmp_path / "nothing.csv")
    pairs.write_text(PAIRS, encoding="utf-8")
    title, wrong = "\x1b[1mPairs and labels\x1b[0m\n", "\x1b[1;31mparapluie:\x1b[0m "
    for terminal, no_color, words, styled in (
        (False, "", [], False),
        (False, "", ["--color", "always"], True),
        (True, "", [], True),
        (True, "", ["--color", "never"], False),
        (True, "1", [], False),
        (True, "1", ["--color=always"], True),
    ):
        monkeypatch.setenv("NO_COLOR", no_color)
        monkeypatch.setenv("TERM", "xterm")
        for stream in (sys.stdout, sys.stderr):
            monkeypatch.setattr(stream, "isatty", lambda terminal=terminal: terminal)
        assert main(["describe", str(pairs), *words]) == 0 and main(["describe", absent, *words]) == 2
        output = capsys.readouterr()
        assert (title in output.out, wrong in output.err) == (styled, styled)
        assert styled or "\x1b" not in output.out + output.err


def test_numbers_outside_a_terminal_are_in_plain_notation(tmp_path, capsys, home):
    scored = tmp_path / "scored.csv"
    lines = [f"s{row},h{row},{row % 2},{-row / 1000}" for row in range(1200)]
    scored.write_text("\n".join(["source,hypothesis,label,mine", *lines]), encoding="utf-8")
    assert main(["analyse", str(scored), "--score", "mine", "--only", "distributions", "--draws", "0"]) == 0
    out = capsys.readouterr().out
    assert "\u2212" not in out and "1200" in out and "-0.6" in out


def test_every_example_can_be_parsed_and_is_in_its_help(capsys):
    parser = _build_parser()
    for command in commands().values():
        for example in command.examples:
            words = shlex.split(example.partition(" | ")[0])
            assert words[0] in commands()
            if "--help" not in words:
                parser.parse_args(words)
        with pytest.raises(SystemExit):
            parser.parse_args([command.name, "--help"])
        assert all(example in capsys.readouterr().out for example in command.examples[:1])


def test_the_help_has_the_commands_in_groups_and_a_wrong_option_names_its_own(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    out = capsys.readouterr().out
    assert all(f"{title}:\n" in out for title in GROUPS)
    with pytest.raises(SystemExit):
        main(["describe", "pairs.csv", "--nope"])
    assert "`parapluie describe --help`" in capsys.readouterr().err


def test_lists_are_printed_for_programs(capsys, home):
    for command in (["metrics"], ["models", "list"], ["models", "recommend"]):
        assert main([*command, "--json"]) == 0
        records = json.loads(capsys.readouterr().out)
        assert main([*command, "--csv"]) == 0
        rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
        assert len(rows) == len(records) > 1
