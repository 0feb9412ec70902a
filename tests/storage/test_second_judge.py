"""Scores of two judges in sequence, as a version before 0.1.0 wrote them, are ordinary columns.

`tests/earlier/second_judge.csv` and `.pluie` hold the same four pairs: the judge "pocket" scored all, and the judge
"tiny" scored the two about which it was uncertain (`pluie.direct.then`); `pluie.cascade` is the score of the deciding
judge, and `cascade.judge` its name.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from parapluie_gui.analysis.columns import ColumnMaterial, columns_of, compile_column_filter
from parapluie_gui.analysis.own_scores import own_scores, put_own_scores
from parapluie_gui.commands.main import main
from parapluie_gui.pairs import Corpus, read
from parapluie_gui.report.signatures import read_signatures
from parapluie_gui.report.table import write_table
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.storage.session import Session

EARLIER = Path(__file__).parents[1] / "earlier"
THEN, EITHER = [np.nan, np.nan, -3.0, 2.0], [4.0, -2.0, -3.0, 2.0]

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    for path in EARLIER.glob("second_judge.*"):
        shutil.copy(path, tmp_path)
    return tmp_path / "second_judge.csv"


def scores_of(path: Path) -> tuple[Corpus, ScoreTable]:
    corpus, signatures = read(path), read_signatures(path)
    names = own_scores(corpus, signatures)
    return corpus, put_own_scores(ScoreTable(len(corpus)), corpus, names, signatures)


def check(corpus: Corpus, table: ScoreTable) -> None:
    assert {"edit_distance", "pluie.cloze", "pluie.direct.then", "pluie.cascade"} == set(table.scores)
    np.testing.assert_array_equal(table["pluie.direct.then"], THEN)
    np.testing.assert_array_equal(table["pluie.direct.then.p_yes"], [np.nan, np.nan, 0.1, 0.8])
    np.testing.assert_array_equal(table["pluie.cascade"], EITHER)
    columns = columns_of(ColumnMaterial(corpus, table))
    chosen = compile_column_filter("pluie.cascade > 0 and missing(pluie.direct.then)", columns)
    assert np.flatnonzero(chosen.mask(lambda name: columns[name].values())).tolist() == [0]


def test_a_file_with_both_judges_is_read(file, tmp_path):
    corpus, table = scores_of(file)
    check(corpus, table)
    assert list(corpus.extra["cascade.judge"].cells()) == ["pocket", "pocket", "tiny", "tiny"]
    write_table(tmp_path / "again.csv", corpus, table)
    again, scores = scores_of(tmp_path / "again.csv")
    check(again, scores)
    assert read_signatures(tmp_path / "again.csv") == read_signatures(file)


def test_a_file_with_both_judges_can_be_analysed(file, capsys):
    assert main(["analyse", str(file), "--draws", "0", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert {"pluie.cloze", "pluie.direct.then", "pluie.cascade"} <= set(result["scores"])


def test_a_session_with_both_judges_is_read(file):
    with Session.open(file.with_suffix(".pluie")) as session:
        ((number, corpus),) = [(each.id, session.corpus(each.id)) for each in session.corpora()]
        check(corpus, session.score_table(number))
