"""Header rows are recognised by the contrast with the cells below, and other rows are not mistaken for headers."""

from __future__ import annotations

import pytest

from parapluie_gui.pairs import ColumnMapping, open_text

GERMAN = "".join(f"Der Mann {row} geht.;Ein Herr läuft {row}.;{'ja' if row % 3 else 'nein'}\n" for row in range(9))


def test_german_names_above_yes_and_no_are_a_header():
    preview = open_text("Satz A;Satz B;gleich\n" + GERMAN).preview
    assert preview.mapping == ColumnMapping(source="Satz A", hypothesis="Satz B", label="gleich")
    assert preview.has_header and preview.certain
    corpus = open_text("Satz A;Satz B;gleich\n" + GERMAN).read()
    assert corpus.label.tolist()[:4] == [0, 1, 1, 0]


def test_any_names_above_numbers_or_few_values_are_a_header():
    head = "Group|Left one|Other one|Same?|Comment\n"
    rows = "".join(f"{row % 2}|A man walks in town {row}.|Somebody goes {row}.|{row % 2}|\n" for row in range(8))
    preview = open_text(head + rows).preview
    assert preview.columns == ("Group", "Left one", "Other one", "Same?", "Comment")
    assert preview.guesses == ("a header row",)
    odd = open_text(
        "Unnamed: 0,Satz Eins (Original),la deuxième phrase,gleich? ja/nein\n"
        + "".join(
            f"{row},Der Hund {row} läuft schnell.,Le chien {row} court vite.,{'ja' if row % 2 else 'nein'}\n"
            for row in range(9)
        )
    ).preview
    assert odd.has_header and odd.columns[3] == "gleich? ja/nein"
    few = open_text("eins\tzwei\tUrteil\n" + "".join(f"a {row}\tb\t{'xy'[row % 2]}\n" for row in range(8))).preview
    assert few.columns == ("eins", "zwei", "Urteil")


@pytest.mark.parametrize(
    "text",
    [
        GERMAN,
        "Why?\tWhy is that?\n" + "".join(f"Why is the sky blue {row}?\tWhat makes it {row}?\n" for row in range(9)),
        "He left.\tHe went away.\n" + "".join(f"She stays at home {row}.\tShe is at home {row}.\n" for row in range(9)),
        "ja\tA b\n" + "".join(f"{'ja' if row % 2 else 'nein'}\tA man walks {row}\n" for row in range(9)),
    ],
)
def test_the_first_pair_is_not_mistaken_for_a_header(text):
    assert not open_text(text).preview.has_header


@pytest.mark.parametrize(
    ("names", "source", "hypothesis"),
    [
        ("phrase1\tphrase2", "phrase1", "phrase2"),
        ("First sentence\tSecond sentence", "First sentence", "Second sentence"),
        ("sentenceA\tsentenceB", "sentenceA", "sentenceB"),
        ("text_left\ttext_right", "text_left", "text_right"),
    ],
)
def test_two_names_that_differ_in_a_counter_are_the_sentences(names, source, hypothesis):
    preview = open_text(f"{names}\tx\nA b c.\tD e f.\t1\n").preview
    assert (preview.mapping.source, preview.mapping.hypothesis) == (source, hypothesis)
    assert preview.certain


def test_numbered_names_without_a_word_for_a_sentence_raise_a_question():
    assert not open_text("qid1\tqid2\tp\tq\n1\t2\tA b.\tC d.\n").preview.certain


SENTENCES = "".join(f"{n},The man number {n} walks home.,Home walks the man number {n}.\n" for n in range(8))


@pytest.mark.parametrize(
    "head", [",INPUT:first,OUTPUT:second", "n,Text,Text", "n,Q[1],Q[2]", f"n,in,{'very_long_' * 7}name"]
)
def test_a_header_with_one_odd_name_is_still_a_header(head):
    preview = open_text(f"{head}\n{SENTENCES}").preview
    assert preview.has_header and preview.certain
    assert len(open_text(f"{head}\n{SENTENCES}").read()) == 8


def test_a_header_below_titles_is_recognised_and_can_be_specified():
    text = f"Results of our study,,\nNovember,,\nn,text one,text two\n{SENTENCES}"
    corpus = open_text(text).read()
    assert (len(corpus), corpus.plan.header) == (8, 3)
    assert [(row.line, row.reason) for row in corpus.skipped] == [(1, "above the header"), (2, "above the header")]
    assert open_text(text, header=3).read().source == corpus.source
    assert not open_text(f"a,b,c\n{SENTENCES}", header=0).preview.has_header


def test_rows_without_their_last_cells_are_padded():
    rows = "".join(f'"{n}","The man {n} walks home.","Home, walks the man {n}."\n' for n in range(8))
    corpus = open_text(f'"HITId","text1","text2","Approve"\n{rows}').read()
    assert (len(corpus), corpus.hypothesis[0], corpus.skipped) == (8, "Home, walks the man 0.", ())


def test_excels_separator_line_is_not_a_row():
    for delimiter in (None, ";"):
        corpus = open_text("sep=;\nsource;hypothesis\nA b, c;D e\nF g;H i\n", delimiter=delimiter).read()
        assert (corpus.source, corpus.skipped) == (["A b, c", "F g"], ())


def test_question_rows_of_qualtrics_are_skipped():
    names = '"{""ImportId"":""_recordId""}","{""ImportId"":""a""}",x'
    head = f"ResponseId,Q1,Q2\nResponse ID,Sentence one,Sentence two\n{names}\n"
    corpus = open_text(head + SENTENCES).read()
    assert (len(corpus), [row.line for row in corpus.skipped]) == (8, [2, 3])
