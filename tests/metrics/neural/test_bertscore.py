"""BERTScore and the metrics based on it, against simple loops, the bert-score package and published numbers."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from parapluie_gui.errors import MetricError, ModelError
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.base import MetricContext
from parapluie_gui.metrics.neural import model_files
from parapluie_gui.metrics.neural.bertscore import LAYERS, greedy
from parapluie_gui.metrics.neural.encoder import Encoder, TokenEmbeddings
from parapluie_gui.metrics.neural.parascore import bert_ibleu, diversity

SOURCES = ["The cat sat on the mat.", "An old dog!", "There is a small black house.", "A cat [SEP] sat", "The cat."]
HYPOTHESES = ["A dog ran.", "The dog is old, and there is not a cat in the house.", "cat", "A cat sat.", "The cat."]

# The three sentences and the numbers of bert-score's own tests (tests/test_scorer.py, roberta-large, layer 17).
CANDIDATES = [
    "28-year-old chef found dead in San Francisco mall",
    "A 28-year-old chef who recently moved to San Francisco was found dead in the staircase of a local shopping "
    "center.",
    "The victim's brother said he cannot imagine anyone who would want to harm him,\"Finally, it went uphill again at "
    'him."',
]
REFERENCES = [
    "28-Year-Old Chef Found Dead at San Francisco Mall",
    "A 28-year-old chef who had recently moved to San Francisco was found dead in the stairwell of a local mall this "
    "week.",
    "But the victim's brother says he can't think of anyone who would want to hurt him, saying, \"Things were finally "
    'going well for him."',
]


@cache
def loaded(folder: Path) -> tuple:
    return AutoModel.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)


def plainly(folder: Path, source: str, hypothesis: str, layer: int) -> list[float]:
    """Return precision, recall and F1 of a pair, token by token."""
    model, tokenizer = loaded(folder)
    sides = []
    for text in (source, hypothesis):
        inputs = tokenizer(text, return_tensors="pt")
        with torch.inference_mode():
            hidden = model(**inputs, output_hidden_states=True).hidden_states[layer][0].double()
        inner = [token not in (2, 3) for token in inputs["input_ids"][0].tolist()]
        sides.append((hidden / hidden.norm(dim=1, keepdim=True), inner))
    (left, left_inner), (right, right_inner) = sides
    cosine = (right @ left.T).numpy()
    precision = float(np.mean([cosine[row].max() for row in range(len(right)) if right_inner[row]]))
    recall = float(np.mean([cosine[:, place].max() for place in range(len(left)) if left_inner[place]]))
    return [precision, recall, 2 * precision * recall / (precision + recall)]


@pytest.mark.parametrize("layer", [1, 2, 3])
def test_bertscore_agrees_with_a_simple_loop(bert, layer):
    expected = np.array([plainly(bert, *pair, layer) for pair in zip(SOURCES, HYPOTHESES, strict=True)])
    for place, part in enumerate("prf"):
        metric = catalogue.metric(f"bertscore,part={part},layer={layer}:{bert}")
        np.testing.assert_allclose(metric.score(SOURCES, HYPOTHESES), expected[:, place], atol=1e-5)


def test_padding_matches_nothing():
    # Both tokens of the short sentence point away from the longer sentence, so matching padding (0) would be better.
    ones = torch.ones(2)
    pair = (
        TokenEmbeddings(torch.tensor([[1.0, 0], [1, 0]]), ones),
        TokenEmbeddings(torch.tensor([[-1.0, 0], [-1, 0]]), ones),
    )
    long = (
        TokenEmbeddings(torch.tensor([[1.0, 0]] * 5), torch.ones(5)),
        TokenEmbeddings(torch.tensor([[1.0, 0]] * 4), torch.ones(4)),
    )
    assert greedy([pair, long]) == [pytest.approx((-1, -1, -1)), pytest.approx((1, 1, 1))]


def test_parascore_matches_computation_by_hand(bert):
    source, hypothesis, reference = "The cat sat on the mat.", "The cat sat on a mat!", "a dog"
    (similarity,) = catalogue.metric(f"bertscore:{bert}").score([source], [hypothesis])
    (other,) = catalogue.metric(f"bertscore:{bert}").score([reference], [hypothesis])
    d = 4 / 23  # "the" → "a" is three changes, "." → "!" is one
    bonus = 0.05 * (d * 1.35 / 0.35 - 1)
    assert catalogue.metric(f"parascore_free:{bert}").score([source], [hypothesis])[0] == pytest.approx(
        similarity + bonus
    )
    (value,) = catalogue.metric(f"parascore:{bert}").score([source], [hypothesis], [reference])
    assert value == pytest.approx(max(similarity, other) + bonus)
    (value,) = catalogue.metric(f"parascore_free,omega=0.5:{bert}").score([source], [hypothesis])
    assert value == pytest.approx(similarity + 10 * bonus)


def test_parascore_requires_references(bert):
    metric = catalogue.metric(f"parascore:{bert}")
    values = metric.score(["The cat."] * 2, ["A cat."] * 2, ["A dog.", None])
    assert np.isnan(values).tolist() == [False, True]
    assert metric.why_missing("The cat.", "A cat.", None) == "the pair has no reference"
    with pytest.raises(MetricError, match=r"ParaScore .*needs a reference for each pair, but this corpus has none"):
        metric.score(["The cat."], ["A cat."])


def test_diversity_matches_the_published_formula():
    # ParaScore (Shen et al., EMNLP 2022), equation 8: γ = 0.35; the toolkit's worked pair has d = 0.71875, DS = 0.35.
    assert diversity(np.array([0, 0.35, 0.71875, 0.175])) == pytest.approx([-1, 0.35, 0.35, -0.325])


def test_gamma_and_threshold_of_parascore_are_options(bert):
    pair = (["The cat sat here."], ["A dog ran off there."])
    (distance,) = catalogue.metric("edit_distance").score(*pair)
    (plain,) = catalogue.metric(f"parascore_free,omega=0:{bert}").score(*pair)
    for options, bonus in (
        ("", diversity(np.array([distance]))[0]),
        (",gamma=0.9", distance * 1.9 / 0.9 - 1),
        (",gamma=0.2", 0.2),
        (",threshold=off", distance),
    ):
        metric = catalogue.metric(f"parascore_free,omega=0.5{options}:{bert}")
        assert metric.score(*pair)[0] == pytest.approx(plain + 0.5 * bonus), options
    assert 0.35 < distance < 0.9
    fields = dict(catalogue.metric(f"parascore,threshold=off:{bert}").signature().fields)
    assert fields["gamma"] == "none"
    assert dict(catalogue.metric(f"parascore,gamma=0.5:{bert}").signature().fields)["gamma"] == "0.5"
    for options, words in (
        (",gamma=0", "a number from 0.001 to 1 for gamma"),
        (",gamma=nan", "a number from 0.001 to 1 for gamma"),
        (",gamma=0.3,threshold=off", "gamma sets the threshold, but the threshold is off"),
        (",threshold=maybe", "on or off for threshold"),
    ):
        with pytest.raises(MetricError, match=words):
            catalogue.metric(f"parascore{options}:{bert}")


def test_bert_ibleu_combines_its_two_numbers():
    values = bert_ibleu(np.array([0.9, 0.9, 1.0, np.nan, -0.1]), np.array([0.5, 1.0, 0.0, 0.2, 0.0]))
    assert values[:3] == pytest.approx([5 / (4 / 0.9 + 2), 0, 1]) and np.isnan(values[3]) and values[4] == 0


def test_chinese_text_is_counted_without_spaces(bert):
    pair = (["猫 在 the mat"], ["猫在the mat"])
    with_spaces, without = (catalogue.metric(f"parascore_free{way}:{bert}").score(*pair)[0] for way in ("", ",lang=zh"))
    (similarity,) = catalogue.metric(f"bertscore:{bert}").score(*pair)
    assert without == pytest.approx(similarity - 0.05)
    assert with_spaces > without


def test_the_layer_is_chosen_by_the_model(bert, tmp_path):
    def layer(folder: Path | str) -> str:
        return dict(catalogue.metric(f"bertscore:{folder}").signature().fields)["layer"]

    assert layer(bert) == "2"  # three quarters of three layers
    named = tmp_path / "distilbert-base-uncased"
    shutil.copytree(bert, named)
    with pytest.raises(MetricError, match="has 3 layers, so there is no layer 5"):
        layer(named)
    # https://github.com/Tiiiger/bert_score/blob/master/bert_score/utils.py
    assert (LAYERS["bert-base-uncased"], LAYERS["roberta-large"], LAYERS["deberta-xlarge-mnli"]) == (9, 17, 40)


@pytest.mark.parametrize(
    "spec", ["bertscore,layer=-1", "bertscore,part=q", "bertscore,layer=x", "parascore_free,omega=x"]
)
def test_invalid_options_are_refused(bert, spec):
    with pytest.raises(MetricError):
        catalogue.metric(f"{spec}:{bert}")


def test_encoders_are_shared_and_every_sentence_is_encoded_once(bert, monkeypatch):
    bench = MetricContext()
    names = ("sbert", "bertscore", "bertscore,part=p", "parascore_free", "bert_ibleu", "simcse,pool=cls")
    metrics = [catalogue.metric(f"{name}:{bert}") for name in names]
    alone = [catalogue.metric(f"{name}:{bert}").score(SOURCES, HYPOTHESES) for name in names]
    for metric in metrics:
        metric.announce(bench)
    read: list[str] = []
    plain = Encoder._pass
    monkeypatch.setattr(Encoder, "_pass", lambda self, texts, *rest: read.extend(texts) or plain(self, texts, *rest))
    for metric, expected in zip(metrics, alone, strict=True):
        metric.prepare(bench)
        np.testing.assert_allclose(metric.score(SOURCES, HYPOTHESES), expected, atol=1e-6)
    assert sorted(read) == sorted({*SOURCES, *HYPOTHESES})


def test_a_small_cache_does_not_change_the_scores(bert, monkeypatch):
    from parapluie_gui.metrics.neural import bertscore, encoder

    expected = catalogue.metric(f"bertscore:{bert}").score(SOURCES, HYPOTHESES)
    monkeypatch.setattr(encoder.Encoder.__init__, "__defaults__", (300,))
    monkeypatch.setattr(encoder, "batches", lambda lengths, device: [[row] for row in range(len(lengths))])
    monkeypatch.setattr(bertscore, "_CELLS", 50)
    metric, bench = catalogue.metric(f"bertscore:{bert}"), MetricContext()
    metric.prepare(bench)
    np.testing.assert_allclose(metric.score(SOURCES, HYPOTHESES), expected, atol=1e-6)
    assert bench.models.loaded is not None and bench.models.loaded[1]._bytes <= 300


def test_the_minilm_agrees_with_the_bert_score_package(minilm):
    package = pytest.importorskip("bert_score")
    scorer = package.BERTScorer(model_type=minilm, num_layers=6, device="cpu")
    expected = [part.double().numpy() for part in scorer.score(CANDIDATES, REFERENCES)]
    for part, numbers in zip("prf", expected, strict=True):
        metric = catalogue.metric(f"bertscore,part={part}:{minilm}")
        np.testing.assert_allclose(metric.score(REFERENCES, CANDIDATES), numbers, atol=1e-5)


def in_the_hub(monkeypatch, name: str) -> str:
    """Return a model's name if it is in this computer's real cache, else skip the test."""
    monkeypatch.delenv("HF_HOME")
    if not model_files.is_downloaded(name):
        pytest.skip(f"{name} is not on this computer")
    return name


def test_the_published_vectors_of_bertscore_are_reproduced(monkeypatch):
    metric = catalogue.metric(f"bertscore:{in_the_hub(monkeypatch, 'roberta-large')}")
    expected = [0.98335612, 0.97823000, 0.91621464]
    np.testing.assert_allclose(metric.score(REFERENCES, CANDIDATES), expected, atol=1e-3)


def test_the_published_vector_of_parascore_is_reproduced(monkeypatch):
    # The toolkit's example: max F1 0.7977960109710693, d = 0.71875.
    metric = catalogue.metric(f"parascore:{in_the_hub(monkeypatch, 'bert-base-uncased')}")
    (value,) = metric.score(
        ["There's a child on a skateboard."], ["A young person is skating."], ["A kid is skateboarding."]
    )
    assert value == pytest.approx(0.8152960109710693, abs=1e-4)


def test_a_missing_encoder_gives_an_error_with_advice():
    for name in ("bertscore", "parascore_free", "bert_ibleu", "sbert"):
        state = catalogue.ready(name)
        assert not state and state.get == "all-minilm-l6-v2"
        assert "Run `parapluie models get all-minilm-l6-v2` (80 MB) or name a folder" in state.missing
        with pytest.raises(ModelError, match="is needed, but there is none on this computer"):
            catalogue.metric(name).signature()


def test_other_models_are_refused_as_encoders(bart, tmp_path):
    with pytest.raises(ModelError, match="is not an encoder with plain layers"):
        catalogue.metric(f"bertscore,layer=1:{bart}").score(["a"], ["b"])
    (tmp_path / "empty").mkdir()
    assert "contains no config.json" in catalogue.ready(f"sbert:{tmp_path / 'empty'}").missing
