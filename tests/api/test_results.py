"""Analyses and sessions in Python give the same numbers as the commands."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pandas
import pytest

import parapluie_gui as pp
from parapluie_gui.analysis.base import analyse
from parapluie_gui.analysis.catalogue import analysis, names
from parapluie_gui.api.material import build_material
from parapluie_gui.pairs import Corpus
from parapluie_gui.scores.signature import Signature, pair_key
from parapluie_gui.storage.session import Session


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    random = np.random.default_rng(0)
    words = ["cat", "dog", "sun", "rain", "sleeps", "shines"]
    texts = [[" ".join(random.choice(words, length)) for _ in range(40)] for length in (4, 5)]
    return Corpus("<b>test", [str(row) for row in range(40)], *texts, label=np.arange(40) % 2)


@pytest.fixture(scope="module")
def scores(corpus) -> pp.Scores:
    return pp.score(corpus, metrics=["bleu", "edit_distance"])


def test_an_analysis_has_the_tables_and_figures_of_its_page(scores):
    result = pp.analyse(scores, "thresholds", thresholds={"bleu": 0.25}, score="bleu")
    chosen = analysis("thresholds")
    material = replace(build_material(scores.corpus, scores.table), given={"bleu": 0.25})
    run = analyse(chosen, material, chosen.options(score="bleu"))
    assert [table.table for table in result.tables.values()] == chosen.tables(run)
    frame = result.tables["thresholds"].to_frame()
    assert isinstance(frame, pandas.DataFrame) and frame["accuracy"].between(0, 1).all()
    assert {"best accuracy", "chosen"} <= set(frame["threshold"])
    assert len(frame.attrs["signatures"]) == 2 and "\\toprule" in result.tables["thresholds"].latex()
    curves = pp.analyse(scores, "curves")
    for figure in curves.figures.values():
        assert ElementTree.fromstring(figure._repr_svg_()).tag.endswith("svg")
    assert curves.figures and "<svg" in curves._repr_html_()


def test_a_scored_file_can_be_analysed(scores, tmp_path):
    again = pp.read(scores.write(tmp_path / "scored.csv"))
    ours, theirs = (
        pp.analyse(each, "distributions", columns="bleu").tables["distributions"].to_frame()
        for each in (again, replace(scores, corpus=replace(scores.corpus, name="scored")))
    )
    pandas.testing.assert_frame_equal(ours, theirs)
    assert ours.attrs["signatures"] == theirs.attrs["signatures"] != []


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (("thresholds",), {"columns": "chrf"}, '"chrf" is not one of the scores. Choose among bleu, edit_distance.'),
        (("thresholds",), {"colour": 1}, 'The analysis "thresholds" has no option "colour". Choose among at, part'),
        (("thresholds",), {"score": "chrf"}, 'There is no "chrf"'),
        (("thresholds",), {"filter": "bleu > 2"}, "No pair matches bleu > 2"),
        (("thresholds",), {"parts": "one"}, 'There is no corpus "one". Choose among <b>test.'),
        (("thresholds",), {"rows": [40]}, "There is no pair 40. Pairs are numbered from 0 to 39."),
        (("thresholds",), {"rows": [4], "filter": "bleu > 0"}, "A filter renumbers the pairs"),
        (("thresholds",), {"thresholds": {"chrf": 1}}, '"chrf" is not one of the scores. Choose among bleu'),
        (("nothing",), {}, f'There is no analysis "nothing". Choose among {", ".join(names())}.'),
        (("compare",), {"columns": "bleu"}, "There is only one score"),
    ],
)
def test_analyses_report_what_is_wrong(scores, arguments, options, words):
    with pytest.raises(pp.ParapluieError) as error:
        pp.analyse(scores, *arguments, **options)
    assert words in str(error.value)


def test_data_without_scores_is_an_error(corpus):
    with pytest.raises(pp.ParapluieError, match=r"There is no score\. Score the pairs first"):
        pp.analyse(corpus, "thresholds")
    with pytest.raises(pp.ParapluieError, match="Only scores or a corpus can be analysed, not DataFrame"):
        pp.analyse(pandas.DataFrame(), "thresholds")


def test_tables_escape_texts_of_a_corpus(scores):
    pooled = replace(scores.corpus, extra={"corpus": [("<b>one", "<b>two")[row % 2] for row in range(40)]})
    page = pp.analyse(pp.Scores(pooled, scores.table), "distributions")._repr_html_()
    assert "&lt;b&gt;one" in page and "<b>one" not in page


def test_a_session_is_read_with_scores_and_judgements(corpus, tmp_path):
    path = tmp_path / "work.pluie"
    signature = Signature.from_fields("sbert", {"name": "sbert"})
    with Session.open(path, create=True) as session:
        number = session.add_corpus(corpus)
        session.store.put(signature, list(map(pair_key, corpus.source, corpus.hypothesis)), np.linspace(0, 1, 40))
        session.judge(number, 0, "Anna", "parapluie", "verdict", "same_meaning")
    with pp.open_session(path) as session:
        assert session.corpora == ("<b>test",)
        scores = session.scores()
        assert scores["sbert"].tolist() == session.scores("<b>test")["sbert"].tolist() == [*np.linspace(0, 1, 40)]
        assert scores.signatures == {"sbert": signature}
        assert scores.corpus.numbers("verdict.mean")[0] == 4.0
        assert [judgement.annotator for judgement in session.judgements()] == ["Anna"]
        with pytest.raises(pp.ParapluieError, match=r'no corpus "other"\. Choose among "<b>test"'):
            session.scores("other")
    with Session.open(path) as session:
        session.add_corpus(corpus)
    with pp.open_session(path) as session, pytest.raises(pp.ParapluieError, match="several corpora"):
        session.scores()
    with pytest.raises(pp.ParapluieError, match=r"nowhere\.pluie"):
        pp.open_session(tmp_path / "nowhere.pluie")
