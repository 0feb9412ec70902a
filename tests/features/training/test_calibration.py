"""Tests of shifting a judge's threshold to 0."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from masked_models import save_masked

from parapluie_gui.commands.main import main
from parapluie_gui.errors import CorpusError
from parapluie_gui.features.training.command import calibrate
from parapluie_gui.features.training.criterion import binary_truth, equal_error_threshold
from parapluie_gui.models.catalogue import find_model
from parapluie_gui.models.quantised import shift_words
from parapluie_gui.pairs import Corpus, read
from parapluie_gui.pluie.masked import MaskedJudge
from parapluie_gui.pluie.masked_scorer import MaskedScorer
from parapluie_gui.pluie.templates import find_templates, load_templates

CLOZE = find_templates(["CLOZE"], load_templates(None)[0])[0]


def test_both_kinds_of_error_are_equally_frequent_at_the_threshold() -> None:
    random = np.random.default_rng(0)
    truth = (random.random(4000) < 0.2).astype(float)
    scores = random.normal(3.0 + 2.0 * truth, 1.0)
    threshold = equal_error_threshold(scores, truth)
    assert threshold == pytest.approx(4.0, abs=0.1)
    missed, taken = (scores[truth == 1] < threshold).mean(), (scores[truth == 0] >= threshold).mean()
    assert missed == pytest.approx(taken, abs=0.003)


def test_pairs_without_a_score_or_a_judgement_do_not_count() -> None:
    scores = np.array([1.0, 2.0, 3.0, 4.0, np.nan, 9.0])
    truth = np.array([0.0, 0.0, 1.0, 1.0, 0.0, np.nan])
    assert equal_error_threshold(scores, truth) == 2.5


def test_labels_and_grades_define_paraphrases() -> None:
    texts = [list("abc"), list("abc"), list("def")]
    graded = Corpus("g", *texts, human=np.array([5.0, 3.9, np.nan]))
    np.testing.assert_array_equal(binary_truth(graded), [1.0, 0.0, np.nan])
    shares = Corpus("s", *texts, human=np.array([1.0, 0.8, 0.6]))
    np.testing.assert_array_equal(binary_truth(shares), [1.0, 1.0, 0.0])
    labelled = Corpus("l", *texts, label=np.array([1, 0, -1], dtype=np.int8))
    np.testing.assert_array_equal(binary_truth(labelled), [1.0, 0.0, np.nan])


@pytest.mark.parametrize("more", [{}, {"label": np.array([1, 1], dtype=np.int8)}, {"human": np.array([1.0, 2.0])}])
def test_a_corpus_with_a_single_class_is_refused(more: dict) -> None:
    with pytest.raises(CorpusError, match="does not have both paraphrases and negatives"):
        binary_truth(Corpus("one", ["1", "2"], list("ab"), list("cd"), **more))


def test_every_score_is_shifted_by_the_same_amount(tmp_path: Path, capfd) -> None:
    base = save_masked(tmp_path / "tiny")
    rows = [f"The cat {'sat ' * (row % 7)}here.\tNumber {'one ' * (row % 5)}and two.\t{row % 2}" for row in range(60)]
    corpus = tmp_path / "pairs.tsv"
    corpus.write_text("source\thypothesis\tlabel\n" + "\n".join(rows) + "\n", encoding="utf-8")
    pairs = read(corpus)
    judge = tmp_path / "judge"
    command = ["train-judge", str(base), str(corpus), "-o", str(judge), "--epochs", "1", "--rules", "0", "--easy", "0"]
    assert main([*command, "--calibrate", str(corpus)]) == 0
    assert "calibrated on pairs: every score now changes by " in capfd.readouterr().err
    assert "on pairs (grades from 4 of 5" in (judge / "MODEL_CARD.md").read_text(encoding="utf-8")
    # Loading compares the manifest's checksum with the shifted weights.
    before = scored(judge, pairs)
    (judge / "parapluie-model.json").unlink()
    shift_words(judge, MaskedJudge.load(find_model(str(judge)), "cpu").model.config.vocab_size, {0: 5.0})
    np.testing.assert_allclose(scored(judge, pairs), before, atol=1e-4)
    by = calibrate(judge, CLOZE, pairs.take(np.arange(6)))
    assert abs(by) > 0.05
    np.testing.assert_allclose(scored(judge, pairs), before + by, atol=0.02)


def scored(judge: Path, pairs: Corpus) -> np.ndarray:
    files = find_model(str(judge))
    scorer = MaskedScorer(MaskedJudge.load(files, "cpu", "float32"), CLOZE)
    scores = {one.row: one.score for batch in scorer.score(pairs.source, pairs.hypothesis) for one in batch}
    return np.array([scores[row] for row in range(len(pairs))])
