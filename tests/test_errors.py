"""Error messages stay on one line, whatever they quote."""

from __future__ import annotations

import pytest

from parapluie_gui.commands.saying import say
from parapluie_gui.errors import CorpusError, ParapluieError, join_words, one_line
from parapluie_gui.pairs import open_text


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a\nb", "a b"),
        ("a\r\n\tb", "a b"),
        ("a\x0b\x0cb", "a b"),
        ("a\x85b\u2028c\u2029d", "a b c d"),
        ("a\x1b[2Jb\x00", "a\ufffd[2Jb\ufffd"),
        ("a  b\xa0c\u200dd", "a  b\xa0c\u200dd"),
        ("bytes that are not UTF-8: \udcff", "bytes that are not UTF-8: \ufffd"),
    ],
)
def test_quoted_names_do_not_break_the_line(name, shown, capsys):
    assert one_line(name) == shown
    assert str(ParapluieError(f'column "{name}"')) == f'column "{shown}"'
    error = CorpusError(f'there is no column "{name}"', "choose another", f"{name}.csv", 3)
    assert str(error) == f'{shown}.csv, line 3: there is no column "{shown}". Choose another.'
    say(name)
    assert capsys.readouterr().err == f"parapluie: {shown}\n"


def test_words_are_joined_as_in_a_sentence():
    assert [join_words("ABC"[:count]) for count in range(4)] == ["", "A", "A and B", "A, B and C"]


def test_a_column_name_with_a_line_break_gives_a_one_line_error():
    text = '"first\nhalf","second\x1b[31m"\nA b c.,D e f.\nG h i.,J k l.\n'
    with pytest.raises(CorpusError) as error:
        open_text(text, header=True).read()
    assert '"first half", "second\ufffd[31m"' in str(error.value)
    assert str(error.value).isprintable()
