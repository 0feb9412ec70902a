"""`parapluie help` on the terminal."""

from __future__ import annotations

from parapluie_gui import manual
from parapluie_gui.commands.main import main


def test_without_a_topic_every_page_is_listed(capsys):
    assert main(["help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for page in manual.pages():
        assert any(line.split() == [page.name, *page.title.split()] for line in lines)


def test_a_page_is_printed_as_it_is(capsys):
    assert main(["help", "table"]) == 0
    assert capsys.readouterr().out == next(page.text for page in manual.pages() if page.name == "table")


def test_a_topic_of_several_words_is_a_heading(capsys):
    assert main(["help", "saved", "selections"]) == 0
    assert capsys.readouterr().out.startswith("## Saved selections")


def test_an_unknown_topic_ends_with_one_sentence(capsys):
    assert main(["help", "tabel"]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.count("\n") == 1
    assert "table" in output.err
