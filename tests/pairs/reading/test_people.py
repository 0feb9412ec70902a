"""Files with a row for each judgement, and exports with annotators, become tables with a row per pair and a column per
person.
"""

from __future__ import annotations

import json

import pytest

from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs import open_text, read
from parapluie_gui.pairs.annotators import mark_annotators
from parapluie_gui.report.table import write_table
from parapluie_gui.scores.table import ScoreTable

LONG = """item,text1,text2,worker_id,answer,minutes
a,A cat.,A dog.,W1,no,3
a,A cat.,A dog.,W2,yes,1
b,It rains.,Rain falls.,W1,yes,2
b,It rains.,Rain falls.,W1,no,2
b,It rains.,Rain falls.,W3,yes,2
"""


def test_judgements_in_rows_become_a_column_per_person(write):
    corpus = read(write("crowd.csv", LONG))
    assert (len(corpus), corpus.source) == (2, ["A cat.", "It rains."])
    assert list(corpus.annotators) == ["answer.W1", "answer.W2", "answer.W3"]
    assert [corpus.extra[name].cells() for name in corpus.annotators] == [["no", "no"], ["yes", None], [None, "yes"]]
    assert corpus.extra["answer.W2.minutes"].cells() == [1, None]
    assert "1 of them by a person who had already answered (the last answer counts)" in corpus.guessed
    assert "answers of 3 annotators (W1, W2, W3)" in corpus.guessed


def test_a_written_table_keeps_its_annotators(write, tmp_path):
    corpus = mark_annotators(
        read(write("c.csv", "source,hypothesis,Anna,Ben\nA b,C d,4,5\nE f,G h,1,2\n")), ["Anna=4", "Ben=4"]
    )
    long = read(write("crowd.csv", LONG))
    files = [("long.csv", long), ("wide.jsonl", corpus), ("wide.parquet", corpus), ("wide.xlsx", corpus)]
    for name, again in (*files, ("long.xlsx", long), ("long.parquet", long)):
        write_table(tmp_path / name, again, ScoreTable(len(again)))
        result = read(tmp_path / name)
        assert repr(result.annotators) == repr(again.annotators) and len(result.annotators) > 1


def test_one_annotator_per_pair_stays_a_table_of_pairs(write):
    corpus = read(write("c.csv", "source,hypothesis,label,annotator\nA b,C d,1,X\nE f,G h,0,Y\n"))
    assert (len(corpus), corpus.annotators) == (2, {})
    assert corpus.label.tolist() == [1, 0]


def test_two_columns_of_the_same_name_are_kept_and_reported(write):
    corpus = read(write("c.csv", "source,hypothesis,rater 1,rater 1,rater 2\nA b,C d,1,0,1\nE f,G h,0,0,1\n"))
    assert list(corpus.annotators) == ["rater 1", "rater 2"] and corpus.extra["rater 1 (2)"].cells() == [0, 0]
    assert 'several columns called "rater 1"' in corpus.guessed


def test_label_studio_exports_keep_their_annotators(write):
    def annotation(who: object, choice: str, rating: int) -> dict[str, object]:
        results = [
            {"from_name": "same", "value": {"choices": [choice]}},
            {"from_name": "ease", "value": {"rating": rating}},
        ]
        return {"completed_by": who, "result": results}

    tasks = [
        {
            "id": number,
            "data": {"text1": "A", "text2": "B"},
            "annotations": [
                annotation(7, "Paraphrase", 4),
                annotation({"email": "ben@x.org"}, other, 2),
                {"completed_by": 9, "was_cancelled": True, "result": []},
            ],
        }
        for number, other in ((1, "Paraphrase"), (2, "Different"))
    ]
    corpus = read(write("tasks.json", json.dumps(tasks)))
    assert corpus.label.tolist() == [1, -1], "a tie gives no label"
    assert list(corpus.annotators) == [
        "same.annotator 7",
        "ease.annotator 7",
        "same.ben@x org",
        "ease.ben@x org",
    ]
    assert corpus.extra["same.ben@x org"].cells() == ["Paraphrase", "Different"]
    assert corpus.extra["ease.annotator 7"].cells() == [4, 4]


def test_words_are_not_grades(write):
    corpus = read(write("c.csv", "source,hypothesis,Anna,Ben,Cleo\nA b,C d,yes,often,4\nE f,G h,no,,2\n"))
    assert list(mark_annotators(corpus, ["Anna", "Ben", "Cleo=3"]).annotators) == ["Anna", "Ben", "Cleo"]
    for name, word in (("Anna", "yes"), ("Ben", "often")):
        with pytest.raises(CorpusError) as caught:
            mark_annotators(corpus, [f"{name}=3"])
        assert str(caught.value) == (
            f'c.csv: column "{name}" has words ("{word}"), and 3 is a grade. '
            "Leave out =3, or write the answers as grades."
        )


def crowd(names: str, answers: int = 1) -> str:
    """Return three pairs with answers of two annotators each, from 0 to 100."""
    texts = [
        ("The lamp stands here.", "Here stands a lamp."),
        ("Two boys play.", "The boys play."),
        ("It rains.", "Rain falls."),
    ]
    rows = [
        ",".join([one, two, f"W{person}", *(str(10 * at + person + question) for question in range(answers))])
        for at, (one, two) in enumerate(texts)
        for person in range(2)
    ]
    return "\n".join([names, *rows]) + "\n"


def test_user_chosen_columns_leave_rows_of_judgements_unchanged(write):
    path = write("x.csv", crowd("original,rewritten text,worker_id,rating"))
    for roles in ((("source", "original"), ("hypothesis", "rewritten text")), (("source", "1"), ("hypothesis", "2"))):
        corpus = read(path, roles=(*roles, ("human", "rating")))
        assert (len(corpus), list(corpus.annotators), corpus.human) == (3, ["rating.W0", "rating.W1"], None)
    assert len(read(path, roles=roles, shape="pairs")) == 6


def test_mechanical_turk_has_a_question_for_every_answer(write):
    path = write("x.csv", crowd("Input.text1,Input.text2,WorkerId,Answer.adequacy,Answer.fluency.label", 2))
    corpus = read(path)
    names = ["adequacy.W0", "adequacy.W1", "fluency label.W0", "fluency label.W1"]
    assert (len(corpus), list(corpus.annotators)) == (3, names)
    assert corpus.extra["fluency label.W1"].cells() == [2, 12, 22]


def test_columns_of_annotator_and_answer_can_be_specified(write):
    path = write("x.csv", crowd("sentence1,sentence2,who,mark"))
    assert len(read(path, shape="pairs")) == 6
    corpus = read(path, roles=(("person", "who"), ("answer", "mark")))
    assert (len(corpus), list(corpus.annotators)) == (3, ["mark.W0", "mark.W1"])


def test_a_shape_that_does_not_fit_the_rows_is_refused(write):
    with pytest.raises(CorpusError, match="the rows are not judgements"):
        read(write("x.csv", "source,hypothesis\nA b,C d\n"), shape="judgements")


JUDGED = "text1,text2,nick,stars,country\n" + "".join(
    f"A man walks {place}.,A man goes {place}.,{who},{(stars + at) % 5},{country}\n"
    for at, place in enumerate(("home", "away", "north"))
    for who, stars, country in (("ann", 4, "DE"), ("ben", 5, "FR"), ("eva", 1, "FR"))
)


def test_person_and_answer_are_recognised_by_content():
    corpus = open_text(JUDGED).read()
    assert len(corpus) == 3
    assert list(corpus.annotators) == ["stars.ann", "stars.ben", "stars.eva"]
    assert corpus.texts("stars.ben.country") == ["FR"] * 3
    assert corpus.plan.shape == "judgements"


def test_repeated_pairs_that_are_not_unfolded_are_reported_with_advice():
    lines = zip(JUDGED.splitlines(), ("ease", *"123231312"), strict=True)
    text = "\n".join(map(",".join, lines))
    corpus = open_text(text).read()
    assert len(corpus) == 9
    (remark,) = corpus.plan.remarks
    assert "9 rows have only 3 different pairs" in remark
    assert "--person nick" in remark
    chosen = open_text(text, roles=(("person", "nick"), ("answer", "ease"))).read()
    assert list(chosen.annotators) == ["ease.ann", "ease.ben", "ease.eva"]
    assert len(open_text(JUDGED, shape="pairs").read()) == 9


def test_repeated_pairs_without_other_columns_stay_pairs():
    corpus = open_text("source,hypothesis,label\n" + "A dog runs.,A dog ran.,1\n" * 4).read()
    assert len(corpus) == 4
    assert corpus.plan.remarks == ()


def test_people_who_agree_on_every_pair_have_a_column_each():
    head = "annotation_id,annotator,created_at,id,lead_time,para,s1,s2\n"
    rows = "1,1,2024,1,3.5,same,It rains hard.,Rain falls.\n2,2,2024,1,3.5,same,It rains hard.,Rain falls.\n"
    corpus = open_text(head + rows + "3,1,2024,2,3.5,other,He runs home.,She sits.\n").read()
    assert len(corpus) == 2
    assert list(corpus.annotators) == ["para.1", "para.2"]
