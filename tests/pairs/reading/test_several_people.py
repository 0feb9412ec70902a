"""Files of several people about the same pairs become one corpus with a column for each person."""

from __future__ import annotations

import numpy as np
import pytest

import parapluie_gui as pp
from parapluie_gui.pairs import read
from parapluie_gui.pairs.reading.several_people import combine
from parapluie_gui.ui.state.opening import pool_with

pytestmark = pytest.mark.filterwarnings("ignore::parapluie_gui.ParapluieWarning")


def table(grades: dict[int, object], column: str = "score") -> str:
    rows = (f"{n},The man {n} walks home.,Home walks the man {n}.,{grade}\n" for n, grade in grades.items())
    return f"id,sentence1,sentence2,{column}\n" + "".join(rows)


@pytest.fixture
def files(write):
    anna = write("sts_Anna.csv", table({n: n % 5 for n in range(6)}))
    ben = write("sts_Ben.csv", table({n: (n + 1) % 5 for n in range(5)}))
    return anna, ben


def test_human_scores_become_columns_of_people(files):
    with pytest.warns(pp.ParapluieWarning, match="the files of Anna and Ben have the same pairs: 6 pairs, 11 answers"):
        corpus = pp.read(*files)
    assert corpus.id == [str(n) for n in range(6)]
    assert list(corpus.annotators) == ["score.Anna", "score.Ben"]
    assert corpus.numbers("score.Ben")[:5].tolist() == [1, 2, 3, 4, 0]
    assert np.isnan(corpus.numbers("score.Ben")[5])


def test_rows_without_an_answer_are_counted(write, files):
    ben = write("sts_Ben.csv", table({0: 1, 1: "", 2: "", 3: 2, 4: 0}))
    combined = combine([read(files[0]), read(ben)])
    assert combined.descriptions == (
        "the files of Anna and Ben have the same pairs: 6 pairs, 9 answers, 2 rows have no answer",
    )


@pytest.mark.parametrize("column", ["label", "votum"])
def test_labels_and_grades_under_another_name_are_answers(write, column):
    one = read(write("a_x.csv", table({n: n % 2 for n in range(6)}, column)))
    two = read(write("b_x.csv", table({n: (n + n // 3) % 2 for n in range(6)}, column)))
    assert list(combine([one, two]).corpus.annotators) == [f"{column}.a", f"{column}.b"]


def test_files_with_different_pairs_or_equal_labels_or_metric_scores_are_pooled(write, files):
    other = write("sts_Cleo.csv", table({n: n % 5 for n in range(10, 16)}))
    assert len(combine([read(files[0]), read(other)]).corpus) == 12
    same = write("same.csv", files[0].read_text())
    combined = combine([read(files[0]), read(same)])
    assert len(combined.corpus) == 12
    assert combined.descriptions == ("6 pairs have the same two sentences as a pair in an earlier file",)
    scored = [write(f"run{at}.csv", table({n: f"0.{n + at}" for n in range(6)}, "bleu")) for at in (1, 2)]
    assert len(combine(list(map(read, scored))).corpus) == 12


def test_a_file_of_one_person_is_added_to_the_open_corpus(write, files):
    cleo = read(write("sts_Cleo.csv", table(dict.fromkeys(range(6), 4))))
    both = pool_with(*map(read, files))
    corpus = pool_with(both, cleo)
    assert list(corpus.annotators) == ["score.Anna", "score.Ben", "score.Cleo"]
    assert len(corpus) == 6
