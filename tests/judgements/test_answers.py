"""Columns of a file as annotators: recognition, the labels that answers imply, and messages about odd answers."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from parapluie_gui.errors import CorpusError
from parapluie_gui.judgements.answers import file_answers
from parapluie_gui.judgements.columns import CorpusJudgements, JudgementColumn
from parapluie_gui.judgements.record import Judgement
from parapluie_gui.judgements.scheme import load_schemes
from parapluie_gui.pairs.annotators import annotators_of, mark_annotators
from parapluie_gui.pairs.column import to_column
from parapluie_gui.pairs.corpus import Corpus

SCHEMES = load_schemes()[0]


def corpus(**extra) -> Corpus:
    n = len(next(iter(extra.values())))
    texts = [f"sentence {row}" for row in range(n)]
    return Corpus("c", list(map(str, range(n))), texts, texts, extra=extra)


def test_annotators_are_recognised_by_column_names():
    def found(*names: str, cells=("1", "0", "1")) -> list[str]:
        return annotators_of({name: to_column(list(cells)) for name in names})

    assert found("Human Annotation - P1", "Human Annotation - P2", "Human Annotation - Consensus", "bleu") == [
        "Human Annotation - P1",
        "Human Annotation - P2",
    ]
    assert found("judgeA", "x", "judgeB") == ["judgeA", "judgeB"]
    assert found("rater_1", "rater_2", "label") == ["rater_1", "rater_2"]
    assert found("verdict.Anna", "verdict.Anna.time", "verdict.mean") == ["verdict.Anna"]
    assert found("annotator1", "system 1", "system 2", "annotators") == []
    assert found("judge1", "judge2", cells=["a long remark " * 9, "x", "y"]) == [], "remarks are not answers"


def test_answers_give_labels_ties_and_majority_columns():
    texts = mark_annotators(
        corpus(Anna=["yes", "no", "yes", ""], Ben=["yes", "yes", "no", "no"], Cy=["no", None, None, None]),
        ["Anna", "Ben", "Cy"],
    )
    people = CorpusJudgements.from_records(texts, [], SCHEMES)
    (asked,) = people.questions
    assert (asked.question.id, asked.annotators, asked.count) == ("answers", ("Anna", "Ben", "Cy"), 8)
    assert asked.majority(4).tolist() == [1, -1, -1, 0]
    assert asked.draws(4) == 2
    assert list(people.columns) == ["answers", "answers.mean"]
    assert people.columns["answers"].cells() == ["yes", None, None, "no"]
    np.testing.assert_allclose(people.columns["answers.mean"].values, [2 / 3, 0.5, 0.5, 0])
    assert people.holds["Anna"] is JudgementColumn.ONE


def test_grades_have_a_threshold_and_words_among_them_no_rank():
    texts = corpus(**{"ease.Anna": ["5", "2", "skip", "4"], "ease.Ben": ["4", "3", "1", ""]})
    (asked,) = file_answers(mark_annotators(texts, ["ease.Anna=4", "ease.Ben=4"]))
    assert asked.labels("Anna", 4).tolist() == [1, 0, -1, 1]
    np.testing.assert_array_equal(asked.values("Anna", 4), [5, 2, np.nan, 4])
    assert asked.codes("Anna", 4)[2] >= 0, "the word is a separate answer"
    (sentence,) = asked.notices()
    assert sentence.startswith("“ease”: 1 answer is a word among numbers (“skip”)")
    (without,) = file_answers(mark_annotators(texts, ["ease.Anna", "ease.Ben"]))
    assert (without.labels("Ben", 4) == -1).all()
    assert "do not say whether a pair is a paraphrase" in list(without.notices())[-1]


@pytest.mark.parametrize(
    ("chosen", "sentence"),
    [
        (["Cleo"], 'there is no annotator column "Cleo"'),
        (["remark"], 'column "remark" is not an annotator\'s'),
        (["Anna", "anna"], '"Anna" and "anna" would be two columns for one person'),
    ],
)
def test_columns_that_are_not_annotators_are_reported(chosen, sentence):
    texts = corpus(Anna=[1, 0], anna=[0, 1], remark=["I find these two rather far from each other", "no"])
    with pytest.raises(CorpusError, match=sentence):
        mark_annotators(texts, chosen)


def test_a_question_also_asked_in_the_program_is_kept_separate():
    texts = mark_annotators(corpus(**{"verdict.Anna": [1, 0], "verdict.Ben": [1, 1]}), ["verdict.Anna", "verdict.Ben"])
    record = Judgement(0, "Cy", "parapluie", "verdict", "same_meaning", datetime(2026, 5, 1, tzinfo=UTC))
    people = CorpusJudgements.from_records(texts, [record], SCHEMES)
    assert [question.question.id for question in people.questions] == ["verdict", "verdict (file)"]
    assert people.columns["verdict (file)"].cells() == [1, None]
