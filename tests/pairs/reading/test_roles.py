"""Roles of columns follow from their names and contents; where two assignments fit, the user is asked."""

from __future__ import annotations

import json

import pytest

from parapluie_gui.api.corpora import read as pp_read
from parapluie_gui.errors import CorpusError, UndecidedError, UndecidedLabelError
from parapluie_gui.pairs import open_text, read
from parapluie_gui.pairs.reading.content import count_words

PAIRS = [
    ("The lamp stands on the desk.", "A lamp is standing on the table."),
    ("Two boys throw a ball.", "A ball is thrown by two boys."),
    ("She never drinks tea.", "She drinks tea every day."),
    ("The train left at noon.", "At noon the train departed."),
    ("He lost his keys again.", "His keys were found."),
    ("Rain fell all night long.", "It rained through the night."),
]


def rows(*more: list[object], delimiter: str = "\t", head: str = "") -> str:
    """Return the pairs as text, with further columns."""
    lines = [delimiter.join(map(str, cells)) for cells in zip(*zip(*PAIRS, strict=True), *more, strict=True)]
    return (head + "\n" if head else "") + "\n".join(lines) + "\n"


def test_words_are_counted_in_scripts_with_and_without_spaces():
    assert count_words("The lamp stands.") == 3
    assert count_words("他今天没有来学校") == 4
    assert count_words("Он сегодня не пришёл") == 4


def test_a_genre_called_source_is_the_group_next_to_premise_and_hypothesis(write):
    records = [
        {"guid": f"x-{at}", "source": ("web", "news")[at % 2], "premise": one, "hypothesis": two}
        for at, (one, two) in enumerate(PAIRS)
    ]
    corpus = read(write("x.json", json.dumps(records)))
    assert corpus.source == [one for one, _ in PAIRS]
    assert corpus.group[:2] == ["web", "news"]


def test_two_fitting_pairs_of_names_are_a_question_with_both_commands(write):
    records = [{"source": two, "premise": one, "hypothesis": two} for one, two in PAIRS]
    path = write("x.json", json.dumps(records))
    with pytest.raises(UndecidedError) as caught:
        read(path)
    assert "--source source --hypothesis hypothesis, or --source premise --hypothesis hypothesis" in str(caught.value)
    with pytest.raises(UndecidedError, match='source="premise" hypothesis="hypothesis"'):
        pp_read(path)
    assert pp_read(path, source="premise").source == [one for one, _ in PAIRS]


def test_sentences_without_known_names_are_recognised_by_content(write):
    corpus = read(write("x.csv", rows(delimiter=",", head="INPUT:comment,second")))
    assert (corpus.source[0], corpus.hypothesis[0]) == PAIRS[0]
    chinese = [
        ("他今天没有来学校上课。", "今天他没来学校上课。"),
        ("这本书多少钱才能买到？", "买到这本书要多少钱？"),
    ] * 3
    lines = "".join(f"{one}\t{two}\t{at % 2}\n" for at, (one, two) in enumerate(chinese))
    corpus = read(write("lcqmc.txt", lines))
    assert corpus.label.tolist() == [0, 1, 0, 1, 0, 1]


def test_columns_of_sentences_without_common_words_are_a_question(write):
    questions = "".join(f"Who wrote book number {at}?\tNobody remembers {at * 7} of them.\t{at}\n" for at in range(9))
    with pytest.raises(CorpusError, match='--source "column 1" --hypothesis "column 2"'):
        read(write("x.txt", questions))


@pytest.mark.parametrize(
    ("cells", "label", "human"), [([1, 0] * 3, True, False), ([0.5, 1, 3, 4.2, 5, 2], False, True)]
)
def test_the_label_or_score_of_a_file_without_header_is_recognised(write, cells, label, human):
    for text in (rows(cells), rows(cells, delimiter=",")):
        corpus = read(write("x.txt", text))
        assert (corpus.source[1], len(corpus)) == (PAIRS[1][0], 6)
        assert (corpus.label is not None, corpus.human is not None) == (label, human)


def test_two_columns_of_system_scores_are_not_pairs(write):
    text = "".join(f"Sys{at % 3}\t{'None' if at % 2 else at / 10}\n" for at in range(12))
    with pytest.raises(CorpusError, match="no column contains sentences"):
        read(write("x.seg.score", text))


def test_grades_in_a_column_called_label_are_human_scores(write):
    path = write("x.tsv", rows([4.2, 4.8, 1.2, 0.3, 5, 2], head="sentence1\tsentence2\tlabel"))
    corpus = read(path)
    assert (corpus.label, corpus.human.tolist()[:2]) == (None, [4.2, 4.8])
    assert corpus.plan.remarks == ('column "label" holds grades from 0.3 to 5: the human score',)
    assert read(path, roles=(("human", "label"),)).human.tolist() == corpus.human.tolist()
    assert pp_read(path, label="none", human="none").extra["label"].cells()[0] == 4.2


def test_minus_one_next_to_both_labels_is_a_question(write):
    path = write("x.tsv", rows([1, 0, -1, 1, 0, -1], head="sentence1\tsentence2\tlabel"))
    with pytest.raises(UndecidedError, match=r"−1 \(2 times\) besides 0 and 1.*--positive 1 .*--missing -1"):
        read(path)
    assert read(path, positive=("1",)).label.tolist() == [1, 0, 0, 1, 0, 0]
    assert read(path, missing=("-1",)).label.tolist() == [1, 0, -1, 1, 0, -1]
    only = write("y.tsv", rows([-1] * 6, head="sentence1\tsentence2\tlabel"))
    assert read(only).label is None, "as in the test parts of GLUE"


def test_numbers_next_to_a_premise_are_a_question(write):
    path = write("x.tsv", rows([0, 0, 2, 0, 2, 1], head="premise\thypothesis\tlabel"))
    with pytest.raises(UndecidedError, match=r"--positive 0 .*--label none"):
        read(path)
    assert read(path, positive=("0",)).label.tolist() == [1, 1, 0, 1, 0, 0]
    assert read(path, roles=(("label", None),)).label is None
    two = write("y.tsv", rows([0, 0, 1, 0, 1, 1], head="premise\thypothesis\tlabel"))
    with pytest.raises(UndecidedError, match="0 may mean entailment"):
        read(two)


def test_three_integers_are_classes_or_scores_as_the_user_decides(write):
    path = write("x.tsv", rows([0, 0, 2, 0, 2, 1], head="sentence1\tsentence2\tlabel"))
    with pytest.raises(UndecidedError, match=r"--positive 2 .*--human label --label none"):
        read(path)


def test_a_column_chosen_by_the_user_loses_its_guessed_role(write):
    text = rows([one for one, _ in PAIRS], [0.5] * 6, head="src\tmt\tref\tscore")
    path = write("x.tsv", text)
    assert read(path).reference == [one for one, _ in PAIRS]
    corpus = pp_read(path, source="ref")
    assert (corpus.source, corpus.reference) == ([one for one, _ in PAIRS], None)
    assert "src" in corpus.extra and corpus.human.tolist() == [0.5] * 6


def test_columns_can_be_chosen_by_number(write):
    corpus = pp_read(write("x.txt", rows([7] * 6)), source="1", hypothesis="2", human="3")
    assert (corpus.source[0], corpus.human[0]) == (PAIRS[0][0], 7.0)


def test_guessed_columns_with_other_content_are_neither_labels_nor_scores(write):
    words = [f"some words {at} about it, and more" for at in range(6)]
    path = write("x.tsv", rows(words, words, head="sentence1\tsentence2\tlabel\tscore"))
    corpus = read(path)
    assert (corpus.label, corpus.human) == (None, None)
    assert len(corpus.plan.remarks) == 2
    with pytest.raises(CorpusError, match="--human none"):
        read(path, roles=(("human", "score"),))


def test_turku_marks_of_pairs_without_a_grade_are_read():
    text = rows(["4", "4<", "1", "x", "2", "4i"], head="txt1\ttxt2\tlabel")
    corpus = open_text(text).read()
    assert corpus.label.tolist() == [1, -1, 0, -1, 0, 1]
    assert '"x" is not a grade: 1 without a label' in corpus.guessed


def test_mrpc_and_pit_are_recognised_without_header(write):
    ids = [[1000 + at for at in range(6)], [2000 + at for at in range(6)]]
    lines = zip([1, 0] * 3, *ids, *zip(*PAIRS, strict=True), strict=True)
    corpus = read(write("x.txt", "".join("\t".join(map(str, line)) + "\n" for line in lines)))
    assert (corpus.layout, corpus.id[0], corpus.label.tolist()) == ("MRPC", "1000-2000", [1, 0] * 3)
    digits = [5, 4, 1, 3, 0, 2]
    lines = "".join(
        f"51\tTopic\t{one}\t{two}\t{digit}\tA/O\tB/O\n" for (one, two), digit in zip(PAIRS, digits, strict=True)
    )
    corpus = read(write("test.data", lines))
    assert (corpus.layout, corpus.label.tolist()) == ("PIT-2015", [1, 1, 0, -1, 0, 0])
    assert corpus.human.tolist() == digits


def test_ppdb_with_bars_is_recognised(write):
    line = "[VP] ||| stands on the desk ||| is standing on the table ||| Score=4 ||| 0-0 1-1 ||| Equivalence\n"
    corpus = read(write("ppdb.txt", line * 3))
    assert (corpus.layout, corpus.source[0], corpus.group[0]) == ("PPDB", "stands on the desk", "[VP]")


def equal_sentences(label: int, head: str = "question1\tquestion2\tis_duplicate") -> str:
    rows = [f"Wo liegt Ort {at}?\tWo liegt Ort {at}?\t{label}\n" for at in range(4)]
    rows += [f"Wo liegt Ort {at}?\tWer kennt Frau {at}?\t{1 - label}\n" for at in range(8)]
    return f"{head}\n{''.join(rows)}"


@pytest.mark.parametrize(
    "head", ["question1\tquestion2\tis_duplicate", "sentence1\tsentence2\tlabel", "text_a\ttext_b\tlabel"]
)
def test_labels_by_which_identical_sentences_differ_raise_a_question(head):
    with pytest.raises(UndecidedLabelError, match="has 0 for 4 of 4 pairs of identical sentences") as error:
        open_text(equal_sentences(0, head)).read()
    assert error.value.todo == "choose --positive 0 if that means a paraphrase, or --positive 1 otherwise"
    assert open_text(equal_sentences(0, head), positive=("0",)).read().plan.labels == (4, 8, 0)
    assert open_text(equal_sentences(0, head), positive=("1",)).read().plan.labels == (8, 4, 0)
    assert open_text(equal_sentences(1, head)).read().plan.labels == (4, 8, 0)


def test_the_labels_of_a_known_corpus_are_asked_about_too():
    rows = "".join(f"{at}\t1\t2\t{line}" for at, line in enumerate(equal_sentences(0).splitlines(True)[1:]))
    with pytest.raises(UndecidedLabelError):
        open_text(f"id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n{rows}").read()
