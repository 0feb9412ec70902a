"""A file whose rows are not pairs is refused in a sentence that names its kind."""

from __future__ import annotations

import json

import pytest

from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs import open_text

SENTENCES = [
    ("The lamp stands on the desk.", "A lamp is standing on the table."),
    ("Two boys throw a ball.", "A ball is thrown by two boys."),
    ("She never drinks tea.", "She drinks tea every day."),
    ("The train left at noon.", "At noon the train departed."),
]


def lines(records: list[dict[str, object]]) -> str:
    return "\n".join(map(json.dumps, records))


def chats(name: str, role: str, text: str) -> str:
    both = [[{role: "user", text: a}, {role: "assistant", text: b}] for a, b in SENTENCES]
    return lines([{"id": number, name: messages} for number, messages in enumerate(both)])


SURVEY = "".join(f"2024-01-0{n} 10:00:00,IP Address,R_{n},Yes,No\n" for n in range(1, 6))
IMPORT = ",".join(f'"{{""ImportId"":""QID{n}""}}"' for n in range(5))
APPRAISE = "".join(f"engdeu{n % 2},sys,{n},TGT,eng,deu,{70 + n},doc,False,1.5,2.5\n" for n in range(6))
ANSWERS = [
    {"custom_id": f"r{n}", "response": {"body": {"id": n, "choices": [b]}}} for n, (_, b) in enumerate(SENTENCES)
]
REQUESTS = [{"custom_id": f"r{n}", "body": {"model": "m", "messages": [a]}} for n, (a, _) in enumerate(SENTENCES)]
FAIRSEQ = "".join(f"S-{n}\t{a}\nH-{n}\t-0.5\t{b}\nP-{n}\t-0.1\n" for n, (a, b) in enumerate(SENTENCES))

FILES = {
    "Qualtrics": ("RecordedDate,Status,ResponseId,Q1,Q2\n" + SURVEY, "answers to a survey"),
    "Qualtrics with questions": (f"RecordedDate,Status,ResponseId,Q1,Q2\nA,B,C,D,E\n{IMPORT}\n{SURVEY}", "a survey"),
    "LimeSurvey": ("submitdate,lastpage,seed,P01,P02\n" + SURVEY, "answers to a survey"),
    "LimeSurvey with questions": (
        "Date submitted,Last page,Seed,How alike are A and B?,And C and D?\n" + SURVEY,
        "survey",
    ),
    "Appraise": (APPRAISE, 'no column contains sentences among "column 1"'),
    "answers by id": ("id,annotator,answer\n" + "1,Ann,yes\n2,Ann,no\n" * 3, 'no column contains .* "annotator"'),
    "answers of a batch": (lines(ANSWERS), "answers, in a batch"),
    "requests of a batch": (lines(REQUESTS), "requests to a language model"),
    "chats": (chats("messages", "role", "content"), "these are chats"),
    "chats of ShareGPT": (chats("conversations", "from", "value"), "these are chats"),
    "n-best list": (
        "".join(f"{n} ||| {b} ||| LM= -1.5 ||| -2.5\n" for n, (_, b) in enumerate(SENTENCES)),
        "n-best list",
    ),
    "fairseq": (FAIRSEQ, "a log of fairseq-generate"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_without_pairs_is_named(name):
    text, what = FILES[name]
    opened = open_text(text)
    assert not opened.preview.certain
    with pytest.raises(CorpusError, match=what) as caught:
        opened.read()
    assert opened.preview.question == caught.value.what


def test_a_single_column_of_short_texts_is_not_reported_as_lacking_sentences():
    with pytest.raises(CorpusError, match="separates columns"):
        open_text("source\nHe runs.\nShe sits.\nA cat.\n").read()


def test_columns_that_the_user_names_are_always_read():
    words = "one,two\nhot,warm\ncold,cool\nbig,large\nsmall,little\n"
    with pytest.raises(CorpusError, match="no column contains sentences"):
        open_text(words).read()
    corpus = open_text(words, roles=(("source", "one"), ("hypothesis", "two"))).read()
    assert corpus.hypothesis[0] == "warm"


def test_a_file_of_scores_without_sentences_is_named():
    with pytest.raises(CorpusError, match="it has only numbers"):
        open_text("4.400\n0.800\n3.600\n3.400\n1.400\n").read()


@pytest.mark.parametrize("text", ["[{}]", "[{}, {}]"])
def test_records_without_fields_are_refused(text):
    with pytest.raises(CorpusError, match="its records are empty"):
        open_text(text).read()
