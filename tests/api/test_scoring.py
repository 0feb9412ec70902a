"""`parapluie_gui.score`: the same results as the command, all types of input, and error messages."""

from __future__ import annotations

import csv
import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas
import pytest
from two_judges import judgings

import parapluie_gui as pp
from parapluie_gui.analysis.threshold import best_threshold
from parapluie_gui.commands.main import main
from parapluie_gui.metrics.lexical.bleu import Bleu
from parapluie_gui.work.local import LocalScorer

PAIRS = [
    ("The cat sleeps on the mat.", "The cat is sleeping on the mat."),
    ("Shares rose on Friday.", "Shares fell on Friday."),
    ("It rains <b>now</b>.", "It is <b>raining</b>."),
]
METRICS = ["bleu", "edit_distance"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with (tmp_path / "pairs.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("source", "hypothesis", "label"))
        writer.writerows((*pair, label) for pair, label in zip(PAIRS, (1, 0, 1), strict=True))
    return tmp_path / "pairs.csv"


def refused(*arguments: object, **options: object) -> str:
    with pytest.raises(pp.ParapluieError) as error:
        pp.score(*arguments, **options)
    assert str(error.value).endswith((".", "?")) and "\n" not in str(error.value)
    return str(error.value)


def test_numbers_and_signatures_equal_the_commands(path, tmp_path):
    out = tmp_path / "out.parquet"
    arguments = ["--metric", "bleu", "--metric", "edit_distance", "--judge", "pocket", "-o", str(out)]
    assert main(["score", str(path), *arguments]) == 0
    scores = pp.score(path, metrics=METRICS, judge="pocket")
    theirs = pandas.read_parquet(out)
    pandas.testing.assert_frame_equal(scores.to_frame(), theirs, check_dtype=False, check_exact=True, check_names=False)
    assert scores.names == (*METRICS, "pluie.cloze")
    again = pp.read(out)
    assert pp.score(again, metrics="bleu")["bleu"].tolist() == theirs["bleu"].tolist()


def test_pairs_can_be_given_in_any_form(path):
    frame = pandas.DataFrame(PAIRS, columns=["sentence1", "sentence2"])
    odd = pandas.DataFrame(PAIRS, columns=["x", "y"])
    sources, hypotheses = zip(*PAIRS, strict=True)
    forms = [
        pp.score(path, metrics=METRICS),
        pp.score(str(path), metrics=METRICS),
        pp.score(pp.read(path), metrics=METRICS),
        pp.score(PAIRS, metrics=METRICS),
        pp.score(iter(PAIRS), metrics=METRICS),
        pp.score(sources, list(hypotheses), metrics=METRICS),
        pp.score(np.array(sources), pandas.Series(hypotheses), metrics=METRICS),
        pp.score(frame, metrics=METRICS),
        pp.score(odd, metrics=METRICS, source="x", hypothesis="y"),
    ]
    for form in forms[1:]:
        for name in METRICS:
            np.testing.assert_array_equal(form[name], forms[0][name])
    assert forms[0].corpus.has_labels and forms[7].names == tuple(METRICS)


def test_a_frame_keeps_its_columns_and_warns_of_skipped_rows():
    frame = pandas.DataFrame(
        {"source": ["a b", "c d", None], "hypothesis": ["a c", "c e", "x"], "label": [1, 0, 1], "year": [1999, None, 3]}
    )
    with pytest.warns(pp.ParapluieWarning, match=r"1 row was skipped \(line 3: no source\)") as caught:
        scores = pp.score(frame, metrics="bleu")
    assert caught[0].filename == __file__, "the warning points to the calling line"
    assert scores.corpus.label.tolist() == [1, 0]
    assert scores.to_frame()["year"].tolist()[0] == 1999


def test_two_sentences_give_one_number_with_its_signature():
    score = pp.score(*PAIRS[0])
    assert isinstance(score, float) and score.name == "pluie.cloze"
    assert str(score.signature).startswith("name:pluie.cloze|model:pocket|")
    assert score == pytest.approx(np.log(score.evidence["p_yes"]) - np.log(score.evidence["p_no"]), abs=1e-3)
    several = pp.score([PAIRS[0][0]], [PAIRS[0][1]])
    assert several["pluie.cloze"].tolist() == [score] and several.evidence["pluie.cloze"]["p_yes"] == [
        score.evidence["p_yes"]
    ]
    assert pp.score(*PAIRS[0], metrics="bleu").evidence == {}


def test_a_judge_stays_loaded(monkeypatch):
    judge = pp.Judge("pocket")
    made = []
    monkeypatch.setattr(LocalScorer, "__init__", lambda self, *rest, **more: made.append(self))
    assert judge.templates == ("CLOZE",) and repr(judge) == "Judge('pocket', templates=['CLOZE'])"
    assert judge.score(*PAIRS[0]) == judge.score(PAIRS)["pluie.cloze"][0]
    assert pp.score(PAIRS, judge=judge, metrics="bleu").names == ("bleu", "pluie.cloze")
    assert made == []


def test_a_metric_scores_lists():
    bleu = pp.metric("bleu")
    assert isinstance(bleu, Bleu)
    sources, hypotheses = zip(*PAIRS, strict=True)
    np.testing.assert_array_equal(bleu.score(sources, hypotheses), pp.score(PAIRS, metrics="bleu")["bleu"])
    with pytest.raises(pp.ParapluieError, match="lists of sentences"):
        bleu.score("a b", "a c")


def test_references_can_be_given_with_lists():
    scores = pp.score(["a b c d"], ["a b c e"], references=["a b c e"], metrics="bleu.ref")
    assert scores["bleu.ref"].tolist() == [1.0]


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        ((["a"], ["b", "c"]), {}, "There are 1 source and 2 hypotheses."),
        (([], []), {}, "There are no pairs"),
        ((["a"], "b"), {}, "must be a list, not str"),
        ((["a", 3], ["b", "c"]), {}, "Item 1 of the source side is not a text"),
        ((["a", "b"], ["c", " "]), {}, "Item 1 of the hypothesis side is empty"),
        ((["a", "b"],), {}, "Item 0 of the list is not a pair"),
        ((5,), {}, "Pairs must be a list, not int"),
        (("nowhere.csv",), {}, "nowhere.csv"),
        ((PAIRS,), {"source": "x"}, "only with a file or a data frame"),
        ((PAIRS,), {"references": ["x"]}, "References need two lists"),
        ((["a"], ["b"]), {"references": ["x", "y"]}, "There are 2 references for 1 pairs"),
        ((["a"], ["b"]), {"references": [3]}, "Reference 0 is not a text, a list of texts or None"),
        ((PAIRS,), {"metrics": "blue"}, "blue"),
        ((PAIRS,), {"judge": "nobody"}, "nobody"),
        ((PAIRS,), {"templates": "NONE"}, "NONE"),
        (("a", "b"), {"metrics": METRICS}, "Two sentences give one number, but 2 scores"),
        (("a", "b"), {"references": ["c"]}, "Two sentences have no reference"),
        ((pandas.DataFrame({"x": ["a"], "y": ["b"]}),), {}, "were not recognised"),
        ((pandas.DataFrame({"x": ["a"], "y": ["b"]}),), {"source": "z"}, 'has no column "z"'),
        ((pandas.DataFrame({"source": [], "hypothesis": []}),), {}, "has no rows"),
    ],
)
def test_wrong_input_gives_a_readable_error(arguments, options, words):
    assert words in refused(*arguments, **{"metrics": "bleu", **options} if "judge" not in options else options)


def test_several_judges_are_scored(tmp_path):
    first, second = judgings(tmp_path)
    names, twin = [first.judge.model, second.judge.model], "pluie.cloze@twin"
    scores = pp.score(PAIRS, judge=names)
    assert set(scores.names) == {"pluie.cloze@pocket", twin}
    assert set(pp.score(PAIRS, judge=[pp.Judge(name) for name in names]).names) == set(scores.names)
    with pytest.raises(pp.ParapluieError, match="has its templates"):
        pp.score(PAIRS, judge=[pp.Judge("pocket")], templates="CLOZE")


def test_a_judge_has_its_own_options():
    assert "Set them when you create it" in refused(PAIRS, judge=pp.Judge(), device="cpu")


def test_scores_are_shown_with_their_texts_escaped():
    corpus = replace(pp.score(PAIRS, metrics="bleu").corpus, name="<script>alert(1)</script>")
    scores = pp.score(corpus, metrics="bleu")
    page = scores._repr_html_()
    assert "<script>" not in page and "&lt;script&gt;alert" in page and "name:bleu|" in page
    assert "name:bleu|" in repr(scores)


def test_scores_can_be_filtered_combined_and_written(path, tmp_path):
    scores = pp.score(path, metrics="bleu")
    assert len(scores.filter("label = 1").corpus) == 2
    threshold, _ = best_threshold(scores["bleu"], scores.corpus.label)
    wrong = (scores["bleu"] >= threshold) != (scores.corpus.label == 1)
    assert len(scores.filter("outcome == TP or Outcome == tn").corpus) == np.count_nonzero(~wrong)
    both = scores | pp.score(path, metrics="edit_distance")
    assert both.names == ("bleu", "edit_distance") and set(both.signatures) == set(both.names)
    assert list(pandas.read_csv(both.write(tmp_path / "out.csv"))["bleu"]) == both["bleu"].tolist()
    with pytest.raises(pp.ParapluieError, match="different pairs"):
        scores | pp.score(PAIRS[:1], metrics="bleu")
    with pytest.raises(KeyError, match="Choose among"):
        scores["chrf"]
    with pytest.raises(ValueError, match="read-only"):
        scores["bleu"][0] = 1.0


def test_ctrl_c_keeps_what_was_scored(monkeypatch, request):
    """The first metric is stored when the second is interrupted, and is not computed again."""
    # SIGINT is ignored under nohup.
    before_test = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before_test))
    computed = []
    score = Bleu.score
    monkeypatch.setattr(Bleu, "score", lambda self, *texts: computed.append(1) or score(self, *texts))
    edits = type(pp.metric("edit_distance"))

    def pressed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(edits, "score", pressed)
        with pytest.raises(KeyboardInterrupt):
            pp.score(PAIRS, metrics=["bleu", "edit_distance"])
    before = len(computed)
    assert before and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert pp.score(PAIRS, metrics=METRICS).names == tuple(METRICS)
    assert len(computed) == before


def test_progress_is_shown_if_requested(capsys):
    pp.score(PAIRS, metrics="bleu")
    assert capsys.readouterr().err == ""
    pp.score(PAIRS, metrics="bleu", progress=True)
    assert "score" in capsys.readouterr().err
