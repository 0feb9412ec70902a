"""Cosines of sentence vectors against transformers, one sentence at a time, and against sentence-transformers."""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from parapluie_gui.errors import MetricError
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs import read

SOURCES = ["The cat sat on the mat.", "An old dog!", "There is a small black house.", "The cat sat on the mat."]
HYPOTHESES = ["A dog ran.", "The dog is old, and there is not a cat in the house.", "cat", "The cat sat on the mat."]


@cache
def loaded(folder: Path) -> tuple:
    return AutoModel.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)


def plainly(folder: Path, texts: list[str], pool: str, most: int) -> np.ndarray:
    """Return sentence vectors, one sentence at a time."""
    model, tokenizer = loaded(folder)
    rows = []
    for text in texts:
        with torch.inference_mode():
            out = model(**tokenizer(text, return_tensors="pt", truncation=True, max_length=most))
        hidden = out.last_hidden_state[0]
        rows.append(
            {"mean": hidden.mean(0), "cls": hidden[0], "max": hidden.amax(0), "pooler": out.pooler_output[0]}[pool]
        )
    return torch.stack(rows).double().numpy()


def cosines(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return (left * right).sum(1) / np.linalg.norm(left, axis=1) / np.linalg.norm(right, axis=1)


@pytest.mark.parametrize(
    ("spec", "pool"), [("sbert", "mean"), ("simcse", "pooler"), ("simcse,pool=cls", "cls"), ("sbert.ref", "mean")]
)
def test_sbert_agrees_with_transformers_one_sentence_at_a_time(bert, spec, pool):
    metric = catalogue.metric(f"{spec}:{bert}")
    expected = cosines(plainly(bert, SOURCES, pool, 256), plainly(bert, HYPOTHESES, pool, 256))
    others = HYPOTHESES[::-1]
    scores = metric.score(others, HYPOTHESES, SOURCES) if ".ref" in spec else metric.score(SOURCES, HYPOTHESES)
    np.testing.assert_allclose(scores, expected, atol=1e-5)
    assert scores[3] == pytest.approx(1, abs=1e-6)


def test_the_pooling_of_sentence_transformers_is_read(bert, tmp_path):
    folder = tmp_path / "own"
    shutil.copytree(bert, folder)
    (folder / "modules.json").write_text(json.dumps([{"type": "sentence_transformers.models.Transformer"}]))
    (folder / "1_Pooling").mkdir()
    modes = {"pooling_mode_mean_tokens": False, "pooling_mode_max_tokens": True}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(modes))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 6}))
    metric = catalogue.metric(f"sbert:{folder}")
    expected = cosines(plainly(bert, SOURCES, "max", 6), plainly(bert, HYPOTHESES, "max", 6))
    np.testing.assert_allclose(metric.score(SOURCES, HYPOTHESES), expected, atol=1e-5)
    fields = dict(metric.signature().fields)
    assert (fields["pool"], fields["tokens"], fields["layer"]) == ("max", "6", "3")

    (folder / "modules.json").write_text(json.dumps([{"type": "sentence_transformers.models.Dense"}]))
    with pytest.raises(MetricError, match="own has a Dense layer after its transformer"):
        metric.signature()


def test_an_unsupervised_simcse_has_no_pooler(bert, tmp_path):
    folder = tmp_path / "unsup-simcse"
    shutil.copytree(bert, folder)
    assert "pool:cls" in str(catalogue.metric(f"simcse:{folder}").signature())
    assert "pool:pooler" in str(catalogue.metric(f"simcse:{bert}").signature())
    with pytest.raises(MetricError, match='needs pooler or cls for pool, not "mean"'):
        catalogue.metric(f"simcse,pool=mean:{bert}")


def test_two_versions_of_a_model_have_different_signatures(bert, tmp_path):
    folder = tmp_path / "tiny-bert"
    shutil.copytree(bert, folder)
    (folder / "config.json").write_text((folder / "config.json").read_text() + "\n")
    one, two = (catalogue.metric(f"sbert:{path}").signature() for path in (bert, folder))
    assert one.column == two.column == "sbert.tiny-bert" and one != two


def test_the_minilm_agrees_with_sentence_transformers(minilm, shared_data):
    library = pytest.importorskip("sentence_transformers")
    corpus = read(shared_data / "mrpc" / "msr_paraphrase_test.txt").take(range(12))
    sources, hypotheses = list(corpus.source), list(corpus.hypothesis)
    vectors = library.SentenceTransformer(minilm, device="cpu").encode(sources + hypotheses, show_progress_bar=False)
    expected = cosines(vectors[:12].astype(float), vectors[12:].astype(float))
    np.testing.assert_allclose(catalogue.metric(f"sbert:{minilm}").score(sources, hypotheses), expected, atol=1e-5)
