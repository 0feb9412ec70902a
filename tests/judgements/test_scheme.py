"""Schemes: those that ship match the papers, and errors in the user's own name the line."""

from __future__ import annotations

import pytest

from parapluie_gui.errors import SchemeError
from parapluie_gui.judgements.scheme import load_schemes, parse_scheme

OWN = """\
id = "mood"
title = "Mood"
guideline = "How does it feel?"

[[question]]
id = "mood"
text = "Which mood?"
[[question.answer]]
id = "blue"
title = "Blue"
[[question.answer]]
id = "red"
title = "Red"
value = 2
label = 1

[[question]]
id = "strength"
text = "How strong?"
scale = [0, 3]

[[training]]
source = "A"
hypothesis = "B"
answers = { mood = "red" }
"""


def test_shipped_schemes_match_the_papers():
    parapluie, pem, paraphrasus, review = load_schemes()[0]
    # ParaPLUIE, appendix A.3
    assert [answer.title for answer in parapluie.questions[0].answers] == [
        "Very different",
        "Slightly similar",
        "Mostly similar",
        "Same meaning",
        "Don't know",
    ]
    assert [pair.answers["verdict"] for pair in parapluie.examples] == [
        answer.id for answer in parapluie.questions[0].answers
    ]
    assert (parapluie.pairs, len(parapluie.training), parapluie.mark_differences) == (50, 5, True)
    assert parapluie.levels == ("poor", "good", "advanced", "native")
    # PEM, section 5.1
    assert [question.id for question in pem.questions] == ["adequacy", "fluency", "dissimilarity", "overall"]
    assert all([answer.value for answer in question.answers] == [1, 2, 3, 4, 5] for question in pem.questions)
    assert pem.training[0].answers == {"adequacy": "5", "fluency": "5", "dissimilarity": "1", "overall": "2"}
    # PARAPHRASUS, section 6.2
    assert [answer.label for answer in paraphrasus.questions[0].answers] == [0, 1]
    assert review.show_label and not paraphrasus.show_label
    assert [answer.label_is for answer in review.questions[0].answers] == ["right", "wrong", ""]


def test_a_users_scheme_is_read(tmp_path):
    (tmp_path / "mood.toml").write_text(OWN, encoding="utf-8-sig")
    (tmp_path / "z.toml").write_text(OWN)
    (tmp_path / "broken.toml").write_text('id = \ntitle = "x"')
    (tmp_path / "folder.toml").mkdir()
    good, broken = load_schemes(tmp_path)
    assert [scheme.id for scheme in good] == ["parapluie", "pem", "paraphrasus", "review", "mood"]
    mood, strength = good[-1].questions
    assert mood.answer("red").label == 1 and mood.answer("blue").value is None and not mood.is_ordinal
    assert strength.numeric and [answer.title for answer in strength.answers] == ["0", "1", "2", "3"]
    sentences = {each.file: each.error for each in broken}
    assert sentences["z.toml"] == "z.toml: the id mood is already used by mood.toml. Choose a different one."
    assert sentences["broken.toml"].startswith("broken.toml, line 1: not valid TOML (") and "folder.toml" in sentences


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('id = "mood"\ntitle', 'id = "My mood"\ntitle', 'line 1: the id "My mood" must consist of lower-case letters'),
        ('title = "Mood"\n', "", 'line 1: "title" is missing. Add title = "…"'),
        ("label = 1", "label = 2", "line 15: label is neither 1"),
        ("value = 2", 'value = "two"', "line 14: value is not a number"),
        ("value = 2", "worth = 2", 'line 14: unknown entry "worth"; an answer has id, label, label_is, title, value'),
        ("value = 2", 'label_is = "odd"', 'line 14: label_is is neither "right" nor "wrong"'),
        ('id = "red"', 'id = "blue"', 'line 6: two answers of question "mood" have the same id'),
        ("scale = [0, 3]", "scale = [3, 0]", "line 20: scale is not two whole numbers"),
        ("scale = [0, 3]", "", 'line 18: question "strength" needs 2 to 9 answers, or scale = [1, 5]'),
        ("scale = [0, 3]", "scale = [0, 3]\nparaphrase_from = 0", "line 21: paraphrase_from is not a number"),
        ('mood = "red"', 'mood = "green"', 'line 25: there is no answer "green" to a question "mood"'),
        ('id = "strength"', 'id = "note"', 'line 18: the id "note" must consist of lower-case letters'),
        ("[[training]]", "[training]", 'line 22: "training" is not written as [[training]] sections'),
        ('guideline = "How does it feel?"', "guideline = 3", 'line 3: "guideline" is not a text in quotes'),
        ('guideline = "How does it feel?"', 'guideline = "x"\npairs = 0', "line 4: pairs is not a whole number"),
        ("[[question]]", "[[questions]]", "unknown entry"),
        ('title = "Mood"', 'title = "Mood', "not valid TOML"),
    ],
)
def test_mistakes_are_reported_with_their_line(old, new, sentence):
    assert old in OWN
    with pytest.raises(SchemeError) as refusal:
        parse_scheme(OWN.replace(old, new), "mood.toml")
    assert str(refusal.value).startswith("mood.toml")
    assert sentence in str(refusal.value)
