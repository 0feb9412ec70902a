"""BARTScore and classifiers against transformers, one pair at a time, and the meaning of a model's labels."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from transformers import AutoModelForSeq2SeqLM, AutoModelForSequenceClassification, AutoTokenizer

from parapluie_gui.errors import MetricError, ModelError
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.base import MetricContext

SOURCES = ["The cat sat on the mat.", "An old dog!", "There is a small black house.", "", "猫 在 the mat"]
HYPOTHESES = ["A dog ran.", "The dog is old, and there is not a cat in the house.", "cat", "a dog", "The cat."]


def test_bartscore_is_the_models_own_loss(bart):
    model, tokenizer = AutoModelForSeq2SeqLM.from_pretrained(bart), AutoTokenizer.from_pretrained(bart)
    expected = []
    for source, hypothesis in zip(SOURCES, HYPOTHESES, strict=True):
        labels = tokenizer(hypothesis, return_tensors="pt")["input_ids"]
        inputs = {
            name: value for name, value in tokenizer(source, return_tensors="pt").items() if name != "token_type_ids"
        }
        with torch.inference_mode():
            expected.append(-float(model(**inputs, labels=labels).loss))
    metric = catalogue.metric(f"bartscore:{bart}")
    np.testing.assert_allclose(metric.score(SOURCES, HYPOTHESES), expected, atol=1e-5)
    assert max(expected) < 0
    fields = dict(metric.signature().fields)
    assert fields["model"] == "tiny-bart" and fields["direction"] == "source>hypothesis" and len(fields["rev"]) == 12


def one_at_a_time(folder, sources, hypotheses, most: int = 256) -> np.ndarray:
    model = AutoModelForSequenceClassification.from_pretrained(folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    rows = []
    for pair in zip(sources, hypotheses, strict=True):
        with torch.inference_mode():
            # As lists: next to a single text, an empty second text would be dropped together with its separator.
            inputs = tokenizer(*([text] for text in pair), return_tensors="pt", truncation=True, max_length=most)
            rows.append(model(**inputs).logits[0].double().numpy())
    return np.array(rows)


def test_the_classifier_score_is_the_difference_of_its_logits(make_classifier):
    folder = make_classifier("paraphrase", "not_paraphrase")
    sources, hypotheses = [*SOURCES, "the cat " * 300], [*HYPOTHESES, "a dog " * 300]
    logits = one_at_a_time(folder, sources, hypotheses)
    metric = catalogue.metric(f"classifier:{folder}")
    np.testing.assert_allclose(metric.score(sources, hypotheses), logits[:, 0] - logits[:, 1], atol=1e-5)
    other = catalogue.metric(f"classifier,positive=1:{folder}").score(sources, hypotheses)
    np.testing.assert_allclose(other, logits[:, 1] - logits[:, 0], atol=1e-5)
    assert metric.info.threshold == 0


@pytest.mark.parametrize(
    ("labels", "paraphrase"),
    [
        (("not_equivalent", "equivalent"), "equivalent"),  # GLUE's MRPC
        (("equivalent", "not_equivalent"), "equivalent"),
        (("paraphrase", "non-paraphrase"), "paraphrase"),
        (("not_duplicate", "duplicate"), "duplicate"),  # QQP
        (("different meaning", "same meaning"), "same meaning"),
        (("1", "0"), "1"),
        (("True", "False"), "True"),
        (("no", "yes"), "yes"),
    ],
)
def test_the_label_for_paraphrases_is_recognised(make_classifier, labels, paraphrase):
    folder, notices = make_classifier(*labels), []
    metric = catalogue.metric(f"classifier:{folder}")
    assert dict(metric.signature().fields)["label"] == paraphrase
    metric.prepare(MetricContext(notice=notices.append))
    assert notices == []


def test_ambiguous_labels_are_refused(make_classifier):
    folder, notices = make_classifier("LABEL_0", "LABEL_1"), []
    metric = catalogue.metric(f"classifier:{folder}")
    assert dict(metric.signature().fields)["label"] == "LABEL_1"
    metric.prepare(MetricContext(notice=notices.append))
    (sentence,) = notices
    assert "(LABEL_0, LABEL_1) means paraphrase; LABEL_1 is used. Write positive=0" in sentence
    metric = catalogue.metric(f"classifier,positive=LABEL_0:{folder}")
    assert dict(metric.signature().fields)["label"] == "LABEL_0"
    with pytest.raises(MetricError, match='no label "maybe"; the labels are LABEL_0 and LABEL_1'):
        catalogue.metric(f"classifier,positive=maybe:{folder}").signature()


def test_nli_uses_the_lower_of_both_directions(make_classifier):
    folder = make_classifier("CONTRADICTION", "NEUTRAL", "ENTAILMENT")
    directions = []
    for pair in ((SOURCES, HYPOTHESES), (HYPOTHESES, SOURCES)):
        p = torch.tensor(one_at_a_time(folder, *pair)).softmax(1)[:, 2].numpy()
        directions.append(np.log(p) - np.log1p(-p))
    expected = np.minimum(*directions)
    metric = catalogue.metric(f"nli:{folder}")
    np.testing.assert_allclose(metric.score(SOURCES, HYPOTHESES), expected, atol=1e-5)
    assert not np.allclose(*directions)
    assert dict(metric.signature().fields)["label"] == "ENTAILMENT"


def test_models_of_the_wrong_kind_are_refused(make_classifier, bert, bart):
    three = make_classifier("contradiction", "neutral", "entailment")
    with pytest.raises(MetricError, match=r"this one has 3 \(contradiction, neutral, entailment\). Use nli for an"):
        catalogue.metric(f"classifier:{three}").signature()
    with pytest.raises(MetricError, match=r"None of this model's labels \(no, yes\) is called entailment"):
        catalogue.metric(f"nli:{make_classifier('no', 'yes')}").signature()
    with pytest.raises(MetricError, match=r"tiny-bert is not a sequence classifier \(BertModel\)"):
        catalogue.metric(f"classifier:{bert}").signature()
    with pytest.raises(ModelError, match="tiny-bert cannot be loaded as a sequence-to-sequence model"):
        catalogue.metric(f"bartscore:{bert}").score(["a"], ["b"])


def test_missing_models_are_reported():
    state = catalogue.ready("bartscore")
    assert state.missing.startswith(
        "A sequence-to-sequence model is needed, but facebook/bart-large-cnn is not on this"
    )
    assert state.get == "facebook/bart-large-cnn"
    assert "Classifier needs a folder or hub id of a classifier" in catalogue.ready("classifier").missing
    assert "There is no folder /nowhere" in catalogue.ready("classifier:/nowhere").missing


@pytest.mark.parametrize(
    ("metric", "kind"),
    [
        ("sbert", "Sentences"),
        ("bertscore,layer=1", "Sentences"),
        ("classifier", "Pairs"),
        ("nli", "Pairs"),
        ("bartscore", "Sentences"),
    ],
)
def test_truncated_texts_are_reported(make_classifier, bert, bart, metric, kind):
    folder = {
        "sbert": bert,
        "bertscore,layer=1": bert,
        "classifier": make_classifier("no", "yes"),
        "nli": make_classifier("contradiction", "neutral", "entailment"),
        "bartscore": bart,
    }[metric]
    notices: list[str] = []
    loaded = catalogue.metric(f"{metric}:{folder}")
    loaded.prepare(MetricContext(notice=notices.append))
    loaded.score(["The cat sat on the mat."], ["A dog ran."])
    assert notices == []
    loaded.score(["the cat " * 2000], ["A dog ran."])
    (sentence,) = set(notices)
    assert sentence.startswith(f"{kind} longer than the ") and sentence.endswith("reads were cut at the end.")
    assert folder.name in sentence
