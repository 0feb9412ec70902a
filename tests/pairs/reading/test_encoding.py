from __future__ import annotations

import codecs

import pytest

from parapluie_gui.errors import CorpusError, EncodingError
from parapluie_gui.pairs import ENCODINGS, open_corpus, read

TEXT = "source,hypothesis\nL'été à la mer,Élodie 漢字 😀\n"


@pytest.mark.parametrize(
    ("mark", "codec"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_byte_order_marks_determine_the_encoding(write, mark, codec):
    path = write("x.csv", mark + TEXT.encode(codec))
    assert read(path).hypothesis == ["Élodie 漢字 😀"]
    preview = open_corpus(path).preview
    assert (preview.encoding, preview.encoding_from) == (codec, "byte order mark")
    assert preview.columns == ("source", "hypothesis")


def test_the_user_is_asked_about_files_that_are_not_utf8(write):
    path = write("x.csv", "source,hypothesis\nA,B\nété,B\n", encoding="mac_roman")
    with pytest.raises(EncodingError) as caught:
        read(path)
    assert caught.value.line == 3
    assert "0x8E" in str(caught.value)
    assert "cp1252" in str(caught.value)
    assert read(path, encoding="mac_roman").source[1] == "été"
    assert open_corpus(path, encoding="Mac-Roman").preview.encoding_from == "your choice"


def test_utf16_without_a_mark_is_suggested_not_assumed(write):
    path = write("x.csv", "source,hypothesis\nA,B\n", encoding="utf-16-le")
    with pytest.raises(EncodingError, match="utf-16-le"):
        read(path)
    assert read(path, encoding="utf-16-le").source == ["A"]


def test_damaged_text_is_refused(write):
    with pytest.raises(EncodingError, match="damaged"):
        read(write("x.csv", codecs.BOM_UTF8 + b"source,hypothesis\nA,\xff\n"))
    with pytest.raises(EncodingError):
        read(write("x.csv", codecs.BOM_UTF16_LE + "source,hypothesis\n".encode("utf-16-le") + b"A"))


def test_unknown_and_wrong_encodings_are_refused(write):
    path = write("x.csv", TEXT)
    for name in ("klingon", "base64", ""):
        with pytest.raises(CorpusError):
            read(path, encoding=name)
    with pytest.raises(EncodingError):
        read(path, encoding="ascii")


def test_offered_encodings_exist():
    assert all(codecs.lookup(name) for name, _ in ENCODINGS)


def test_guessed_encodings_are_reported(write):
    path = write("x.csv", "source,hypothesis\nL'été à la mer,Une journée\n", encoding="cp1252")
    corpus = read(path)
    assert (corpus.source, corpus.guessed) == (["L'été à la mer"], "Windows-1252")
    assert open_corpus(path).preview.guesses == ("Windows-1252",)
    assert read(path, encoding="latin-1").guessed == ""
