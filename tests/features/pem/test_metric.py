"""Training on a small text, the model's file, the metric, its evidence, and unusual sentences."""

from __future__ import annotations

import json
import math
import time
from itertools import pairwise

import numpy as np
import pytest
from waiting import in_time

from parapluie_gui.commands import main as cli
from parapluie_gui.errors import MetricError
from parapluie_gui.features.pem import network
from parapluie_gui.features.pem.evidence import PemEvidence
from parapluie_gui.features.pem.metric import PARTS, Pem, default_model
from parapluie_gui.features.pem.model import PemModel
from parapluie_gui.features.pem.regression import SupportVectorRegression, fit
from parapluie_gui.features.pem.scorer import PemScorer
from parapluie_gui.metrics.catalogue import metric

ODD = ["", " ", "word", "👩‍👩‍👧 🚀", "هذه جملة عربية", "这是一个句子。", "\u202eabc", "\ud800", "word " * 10_000]


def test_training_learns_recurring_phrases(trained):
    scorer = PemScorer(PemModel.load(trained))
    evidence = scorer.explain("The dog sees the apple.", "The dog likes my book.")
    assert " ".join(segment.text for segment in evidence.source) == "the dog sees the apple ."
    assert all(segment.known for segment in evidence.source)
    text = " ".join(segment.translations[0][0] for segment in evidence.hypothesis)
    assert "livre" in text.split() and "chien" in text.split()
    assert {"le", "chien"} & {word for words, _ in evidence.shared for word in words.split()}
    assert evidence.fluency > scorer.explain("The dog sees the apple.", "book my likes dog the.").fluency


def test_the_evidence_contains_the_components_of_the_score(trained):
    scorer = PemScorer(PemModel.load(trained))
    source, hypothesis = "The dog sees the apple.", "My sister eats the apple."
    evidence = scorer.explain(source, hypothesis)
    p, r = evidence.precision, evidence.recall
    assert evidence.adequacy == pytest.approx(2 * p * r / (p + r))
    components = scorer.components([source], [hypothesis])
    assert components[0].tolist() == [evidence.adequacy, evidence.fluency, evidence.target]
    assert evidence.overall == scorer.overall(components)[0] == Pem(str(trained)).score([source], [hypothesis])[0]
    # target F1 by hand: 2 of 5 words on both sides are "the", "apple", "." -> 3 + 2 + 1 n-grams of 6 + 5 + 4 + 3
    assert evidence.target == pytest.approx((3 + 2 + 1) / 18)
    # the bags add up to the sums over segments
    columns = [
        network.SegmentTranslations([([1], weight) for _, weight in segment.translations])
        for segment in evidence.source
    ]
    assert len(network.bag(columns)) >= 1
    assert PemEvidence.from_json(evidence.to_json()) == evidence
    json.loads(evidence.to_json())


def test_the_same_sentence_has_adequacy_and_target_one(trained):
    values = [Pem(str(trained), part).score(["A dog, twice."], ["A dog, twice."])[0] for part in ("adequacy", "target")]
    assert values == [1.0, 1.0]


def test_all_components_use_stems(trained):
    scorer = PemScorer(PemModel.load(trained))
    # section 6.1 of the paper: "We stem all English words in both data sets"
    sees, seeing = scorer.explain("The dog sees.", "The dog sees."), scorer.explain("The dog sees.", "The dogs seeing.")
    assert (seeing.target, seeing.adequacy, seeing.fluency) == (1.0, 1.0, sees.fluency)
    assert "".join(segment.text for segment in seeing.hypothesis).replace(" ", "") == "thedogsseeing."
    assert "appl" in scorer.model.vocabulary and "apple" not in scorer.model.vocabulary


def test_human_scores_are_reproduced(trained, texts):
    from parapluie_gui.pairs.reading.reader import read

    corpus = read(texts[1])
    result = Pem(str(trained)).score(corpus.source, corpus.hypothesis)
    assert np.corrcoef(result, corpus.human)[0, 1] > 0.8
    assert PemModel.load(trained).facts["human"] == {"scored.csv": len(corpus)}


@pytest.mark.parametrize("text", ODD)
def test_any_text_gets_a_score_or_nan_with_a_reason(trained, text):
    pem = Pem(str(trained))
    for source, hypothesis in ((text, "The dog sees the apple."), ("The dog sees the apple.", text), (text, text)):
        value = pem.score([source], [hypothesis])[0]
        reason = pem.why_missing(source, hypothesis)
        assert math.isfinite(value) != bool(reason)
        assert math.isnan(value) == (not text.strip())
        PemEvidence.from_json(pem.explain(source, hypothesis).to_json())
    if not text.strip():
        assert pem.why_missing("a", text) == "the hypothesis is empty"


def test_pairs_score_the_same_in_batches_and_one_by_one(trained):
    rng = np.random.default_rng(0)
    vocabulary = ["dog", "sees", "apples", "houses", "the", "unknownish", "cat", "!"]
    texts = [" ".join(rng.choice(vocabulary, rng.integers(1, 30))) for _ in range(1200)]
    together = Pem(str(trained)).score(texts, texts[::-1])
    scorer = PemScorer(PemModel.load(trained))
    for row in range(0, 1200, 150):
        assert scorer.overall(scorer.components([texts[row]], [texts[-1 - row]]))[0] == pytest.approx(together[row])


def test_parts_of_the_metric_are_in_the_catalogue(trained):
    assert metric("pem").info.family == "pivot"
    adequacy = metric(f"pem,part=adequacy:{trained}")
    assert (
        adequacy.info.low == 0.0
        and adequacy.info.high == 1.0
        and adequacy.signature().column == "pem.adequacy.small.npz"
    )
    assert "sha256:" in str(adequacy.signature()) and "part:adequacy" in str(adequacy.signature())
    overall = Pem(str(trained)).score(["The dog."], ["The cat."])
    for part in PARTS:
        assert np.isfinite(Pem(str(trained), part).score(["The dog."], ["The cat."])).all()
    assert overall.dtype == np.float64 and Pem(str(trained)).score([], []).shape == (0,)
    with pytest.raises(MetricError, match="overall, adequacy, fluency or target"):
        metric("pem,part=beauty")
    with pytest.raises(ValueError):
        Pem(str(trained)).score(["a"], [])


def test_a_missing_model_is_reported(tmp_path):
    pem = Pem(str(tmp_path / "no.npz"))
    assert "There is no PEM model" in pem.readiness().missing
    for call in (pem.signature, lambda: pem.score(["a"], ["b"])):
        with pytest.raises(MetricError, match="Train one with `parapluie pem train`"):
            call()


def test_the_model_file_is_unchanged_after_a_round_trip(trained, tmp_path):
    model = PemModel.load(trained)
    model.save(tmp_path / "again.npz")
    again = PemModel.load(tmp_path / "again.npz")
    assert again.facts == model.facts and again.table.stems == model.table.stems
    for name in ("keys", "counts", "edges", "probabilities", "lengths", "words"):
        np.testing.assert_array_equal(getattr(again.table, name), getattr(model.table, name))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["again.npz"]


def test_files_that_are_damaged_foreign_or_of_other_versions_are_refused(trained, tmp_path):
    file = tmp_path / "model.npz"
    with np.load(trained) as arrays:
        known = dict(arrays)

    def refused(message, **changed):
        np.savez(file, **(known | changed))
        with pytest.raises(MetricError, match=message):
            PemModel.load(file)

    header = json.loads(known["header"].tobytes())
    for version, what in ((3, "Install a newer version"), (1, "Train it again")):
        other = np.frombuffer(json.dumps(header | {"version": version}).encode(), dtype=np.uint8)
        refused(f"version {version}, and this program reads version 2. {what}", header=other)
    refused("damaged", edge_words=known["edge_words"][:-1])
    refused("damaged", header=np.array([1, 2, 3], dtype=np.uint8))
    refused("damaged", phrase_counts=np.array([{}], dtype=object))  # a pickle inside is not read
    for content in (b"", b"PK\3\4 no archive", trained.read_bytes()[:2000]):
        file.write_bytes(content)
        with pytest.raises(MetricError, match="damaged"):
            PemModel.load(file)


def test_prediction_agrees_with_scikit_learn():
    pytest.importorskip("sklearn")
    from sklearn.svm import SVR

    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 3)) * [1, 5, 0.1] + [0, -5, 1]
    y = np.clip(3 + x[:, 0] + 0.2 * (x[:, 1] + 5), 1, 5)
    regression, fitted = fit(x, y, seed=0)
    scaled = (x - x.mean(axis=0)) / x.std(axis=0)
    order = np.random.default_rng(0).permutation(200)  # the solver changes the result in the third decimal
    expected = SVR(**fitted.chosen).fit(scaled[order], y[order]).predict(scaled)
    np.testing.assert_allclose(regression.predict(x), expected, atol=1e-5)
    assert fitted.pearson > 0.9 and fitted.pairs == 200
    assert fit(x, y, seed=0)[1] == fitted


def test_a_missing_component_gives_no_score():
    regression = SupportVectorRegression(
        np.zeros(3), np.ones(3), np.ones((1, 3), np.float32), np.ones(1, np.float32), 1.0, 2.0
    )
    result = regression.predict(np.array([[1.0, 1.0, 1.0], [np.nan, 0.0, 0.0], [100.0, 0.0, 0.0]]))
    assert result[0] == 3.0 and np.isnan(result[1]) and result[2] == 2.0


def test_the_command_trains_and_reports(texts, tmp_path, capsys):
    pytest.importorskip("sklearn")
    file = tmp_path / "mine.npz"
    arguments = ["pem", "train", str(texts[0]), "--human", str(texts[1]), "-o", str(file), "--aligner", "nltk"]
    assert cli.main([*arguments, "--least", "2"]) == 0
    result = capsys.readouterr()
    assert "128 aligned sentences" in result.out and "122 human scores" in result.out
    steps = [line.partition(" …")[0] for line in result.err.splitlines()]
    assert steps[0] == "Reading the parallel text" and steps[-1] == "Fitting the regression"
    assert all(one != other for one, other in pairwise(steps))
    assert math.isfinite(Pem(str(file)).score(["The dog."], ["The cat."])[0])


@pytest.mark.parametrize(
    ("lines", "options", "message"),
    [
        ("a\tb\n", [], r"only 1 lines have a sentence and its translation. Give at least 100"),
        ("a\tb\nno tab\n", [], r"parallel.tsv, line 2: there is no TAB"),
        (None, ["--stemmer", "klingon"], r'no stemmer "klingon"'),
        (None, ["--aligner", "giza"], r'no aligner "giza"'),
        (None, ["--scale", "0", "0.5"], r"scores go from 0 to 1. The scale from 0 to 0.5 does not include them"),
        (None, ["--human", "absent.csv"], r"absent.csv"),
    ],
)
def test_unusable_training_data_is_refused_in_one_sentence(texts, tmp_path, capsys, lines, options, message):
    import re

    parallel = texts[0]
    if lines is not None:
        parallel = tmp_path / "parallel.tsv"
        parallel.write_text(lines)
    file = tmp_path / "model.npz"
    status = cli.main(["pem", "train", str(parallel), "--human", str(texts[1]), "-o", str(file), *options])
    complaint = capsys.readouterr().err.strip().splitlines()[-1]
    assert status == 2 and re.search(message, complaint) and not file.exists()


# The English model shipped with the program


@pytest.fixture(scope="module")
def english():
    return Pem()


def test_the_model_is_small_and_loads_quickly():
    file = default_model()
    assert file.stat().st_size <= 15_000_000
    start = time.process_time()
    PemScorer(PemModel.load(file))
    assert time.process_time() - start < in_time(1)


def test_paraphrases_score_above_non_paraphrases(english):
    sources = ["He is a good man.", "I do not know where he lives.", "The children are playing in the garden."]
    alike = ["He's a nice guy.", "I have no idea where he lives.", "The kids play in the garden."]
    other = ["The train is late.", "She bought a new car yesterday.", "My father works in a bank."]
    assert (english.score(sources, alike) > english.score(sources, other)).all()
    assert english.explain(sources[0], alike[0]).adequacy > 0


def test_the_figures_of_the_model_card_are_reproduced(shared_data, english):
    # resources/pem/MODEL_CARD.md, computed by tests/benchmarks/pem.py
    from parapluie_gui.pairs.reading.reader import read

    corpus = read(shared_data / "stsb" / "sts-test.csv")
    result = english.score(corpus.source, corpus.hypothesis)
    card = (default_model().parent / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert f"| STS-B test | {np.corrcoef(result, corpus.human)[0, 1]:.3f} |" in card


@pytest.mark.parametrize("name", ["pem", "pem,part=fluency"])
def test_chinese_pairs_get_a_reason_instead_of_a_number(name):
    sources, hypotheses = ["我想开通贷款", "The cat sleeps."], ["我想开通贷款", "The cat sleeps."]
    assert np.isnan(metric(name).score(sources, hypotheses)).tolist() == [True, False]
    assert "Chinese or Japanese" in metric(name).why_missing(sources[0], hypotheses[0])
    assert not metric(name).why_missing(sources[1], hypotheses[1])
    assert "cjk:none" in str(metric("pem").signature())


def test_an_unknown_part_is_refused():
    with pytest.raises(MetricError) as caught:
        metric("pem,part=beauty")
    assert str(caught.value) == 'PEM needs overall, adequacy, fluency or target for part, not "beauty".'
