"""Exports of annotation tools and outputs of generators are read as pairs with people's answers."""

from __future__ import annotations

import json

import pytest

from parapluie_gui.pairs import read
from parapluie_gui.pairs.annotators import answer_texts

SENTENCES = [
    ("The lamp stands on the desk.", "A lamp is standing on the table."),
    ("Two boys throw a ball.", "A ball is thrown by two boys."),
    ("She never drinks tea.", "She drinks tea every day."),
    ("The train left at noon.", "At noon the train departed."),
]
DECISIONS = {a: "ignore" if "tea" in a else "accept" for a, _ in SENTENCES}
ONE, TWO = (list(side) for side in zip(*SENTENCES, strict=True))


@pytest.fixture
def read_records(write):
    def read_written(records: list[dict[str, object]]):
        corpus = read(write("x.jsonl", "\n".join(map(json.dumps, records))))
        assert (corpus.source, corpus.hypothesis) == (ONE, TWO)
        return corpus

    return read_written


def test_decisions_of_prodigy_about_one_label_are_the_label(read_records):
    decisions = ("accept", "reject", "ignore", "accept")
    corpus = read_records(
        [
            {"text1": a, "text2": b, "label": "PARAPHRASE", "answer": answer}
            for (a, b), answer in zip(SENTENCES, decisions, strict=True)
        ]
    )
    assert corpus.label.tolist() == [1, 0, -1, 1]
    assert any('about "PARAPHRASE"' in remark for remark in corpus.plan.remarks)


def test_accepted_choices_of_prodigy_are_the_answers(read_records):
    corpus = read_records(
        [
            {"text": a, "paraphrase": b, "accept": [choice], "answer": answer, "_annotator_id": who}
            for a, b in SENTENCES
            for who, choice, answer in (
                ("ann", "same", "accept"),
                ("ben", "other", "ignore" if "tea" in a else "accept"),
            )
        ]
    )
    assert answer_texts(corpus.extra["answer.ann"]) == ["same"] * 4
    assert answer_texts(corpus.extra["answer.ben"]) == ["other", "other", None, "other"]


def test_submitted_responses_of_argilla_are_answers(read_records):
    corpus = read_records(
        [
            {
                "fields": {"source": a, "paraphrase": b},
                "responses": [
                    {"user_id": "u1", "status": "submitted", "values": {"rating": {"value": at}}},
                    {"user_id": "u2", "status": "discarded", "values": {"rating": {"value": 5}}},
                    {"user_id": "u3", "status": "submitted", "values": {"rating": {"value": 4 - at}}},
                ],
            }
            for at, (a, b) in enumerate(SENTENCES)
        ]
    )
    assert list(corpus.annotators) == ["rating.u1", "rating.u3"]
    assert corpus.numbers("rating.u3").tolist() == [4, 3, 2, 1]


def test_lists_of_responses_and_users_of_argilla_are_answers(read_records):
    corpus = read_records(
        [
            {
                "source": a,
                "paraphrase": b,
                "rating.responses": [at, 3],
                "rating.responses.users": ["u1", "u2"],
                "rating.responses.status": ["submitted"] * 2,
            }
            for at, (a, b) in enumerate(SENTENCES)
        ]
    )
    assert list(corpus.annotators) == ["rating.u1", "rating.u2"]
    assert corpus.numbers("rating.u1").tolist() == [0, 1, 2, 3]


def test_numbers_and_times_of_people_in_a_csv_of_label_studio_are_read(write):
    head = "annotation_id,annotator,created_at,id,lead_time,text1,text2,similarity\n"
    rows = (
        f"{10 * at + who},{who},2024-01-0{who}T10:{at}:00Z,{at},{at + who}.5,{a},{b},{(at + who) % 3}\n"
        for at, (a, b) in enumerate(SENTENCES)
        for who in (1, 2)
    )
    corpus = read(write("x.csv", head + "".join(rows)))
    assert list(corpus.annotators) == ["similarity.1", "similarity.2"]
    assert len(corpus) == 4


def test_numbered_ratings_belong_to_people(write):
    rows = (f"{a},{b},{at},{at + 1}\n" for at, (a, b) in enumerate(SENTENCES))
    corpus = read(write("x.csv", "sentence1,sentence2,rating_1,rating_2\n" + "".join(rows)))
    assert list(corpus.annotators) == ["rating_1", "rating_2"]


def test_an_object_of_lists_has_a_column_for_each(write):
    data = {"predictions": TWO, "references": TWO[::-1], "sources": ONE}
    corpus = read(write("x.json", json.dumps(data)))
    assert (corpus.source, corpus.hypothesis, corpus.reference) == (ONE, TWO, TWO[::-1])


def test_outputs_of_named_systems_are_pairs(write):
    records = {str(at): {"source": a, "outputs": {"gpt": b, "t5": f"So {b}"}} for at, (a, b) in enumerate(SENTENCES)}
    corpus = read(write("x.json", json.dumps(records)))
    assert len(corpus) == 8
    assert list(corpus.group[:2]) == ["outputs.gpt", "outputs.t5"]


@pytest.mark.parametrize("form", ["pair", "tmx"])
def test_two_elements_of_one_name_are_the_two_sentences(write, form):
    if form == "pair":
        inside = "".join(f"<pair sim='3'><s>{a}</s><s>{b}</s></pair>" for a, b in SENTENCES)
    else:
        units = (f"<tu><tuv><seg>{a}</seg></tuv><tuv><seg>{b}</seg></tuv></tu>" for a, b in SENTENCES)
        inside = f"<header creationtool='x'/><body>{''.join(units)}</body>"
    corpus = read(write("x.xml", f"<?xml version='1.0'?><corpus>{inside}</corpus>"))
    assert (corpus.source, corpus.hypothesis) == (ONE, TWO)


@pytest.mark.parametrize(
    ("head", "label", "human"),
    [
        ("Satz A;Satz B;Gleichbedeutend;Bewertung", "Gleichbedeutend", "Bewertung"),
        ("句子1;句子2;标签;相似度", "标签", "相似度"),
    ],
)
def test_labels_and_scores_are_recognised_in_other_languages(write, head, label, human):
    rows = "".join(f"{a};{b};{at % 2};{at}.5\n" for at, (a, b) in enumerate(SENTENCES))
    roles = read(write("x.csv", f"{head}\n{rows}")).plan.roles
    assert (roles["label"], roles["human"]) == (label, human)
