"""Specs of metrics: their meaning, their columns, and errors."""

from __future__ import annotations

from dataclasses import is_dataclass

import pytest

from parapluie_gui.analysis.filter.expression import compile_filter
from parapluie_gui.errors import MetricError
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.spec import MetricSpec
from parapluie_gui.options import list_options


@pytest.mark.parametrize(
    ("spec", "column"),
    [
        ("bleu", "bleu"),
        ("bleu.ref", "bleu.ref"),
        ("bleu,tok=whitespace", "bleu.tok_whitespace"),
        ("bertscore,layer=9,part=p:/models/bert-base-uncased/", "bertscore.layer_9.p.bert-base-uncased"),
        ("bertscore.ref:google-bert/bert-base-uncased", "bertscore.ref.bert-base-uncased"),
        ("classifier:C:\\models\\xlm r", "classifier.xlm_r"),
        ("bertscore,as=my own:/models/x", "bertscore.my_own"),
        ("user:~/metrics/length ratio.py", "user.length_ratio"),
        ("external:GPT-4 (P1)", "external.GPT-4_P1"),
        ("external:预测", "external.预测"),
        ("external:a.p_yes", "external.a.p_yes_"),
        ("external:..a--b..-", "external.a-b"),
    ],
)
def test_a_spec_determines_its_column(spec, column):
    assert str(MetricSpec.parse(spec)) == spec
    assert catalogue.column(spec) == column
    # A filter accepts the name without backticks.
    assert compile_filter(f"{column} > 0", [column]).columns == {column}


def test_columns_whose_names_differ_only_in_punctuation_are_distinct():
    columns = {catalogue.column(f"external:{name}") for name in ("...", "?", "!", "_-")}
    assert len(columns) == 4 and all(name.startswith("external.") for name in columns)


@pytest.mark.parametrize("spec", ["", "bleu ref", "bleu,tok", "bleu.other", "bleu,TOK=x", ":x"])
def test_invalid_specs_are_refused(spec):
    with pytest.raises(MetricError, match=r"names no metric. Write an id, followed by its options"):
        MetricSpec.parse(spec)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("bleu:x", 'BLEU takes no argument after a colon, so "bleu:x" names no metric. Use bleu.'),
        ("bertscore,k=1", 'BERTScore has no option "k"; its options are part, layer.'),
        ("edit_distance,k=1", 'Edit distance has no option "k"; its only option is as=NAME.'),
        ("parascore.ref", "ParaScore cannot be computed against the reference. Use parascore."),
        ("classifier", "Classifier needs a folder or hub id of a classifier: classifier:FOLDER."),
        ("external", "Column needs a column of the corpus: external:COLUMN."),
    ],
)
def test_unknown_options_are_refused(spec, sentence):
    with pytest.raises(MetricError) as caught:
        catalogue.metric(spec)
    assert str(caught.value) == sentence
    assert catalogue.ready(spec).missing == sentence


def test_a_metric_can_be_computed_against_the_reference():
    plain, other = catalogue.metric("bleu"), catalogue.metric("bleu.ref")
    sources, hypotheses, references = ["x y z"] * 2, ["a b c d e"] * 2, ["a b c d f", None]
    values = other.score(sources, hypotheses, references)
    assert values[0] == plain.score(["a b c d f"], ["a b c d e"])[0] and values[1] != values[1]
    assert str(other.signature()).startswith("name:bleu|against:reference|rule:torchtext")
    assert other.signature().column == other.info.id == "bleu.ref"
    assert other.info.uses_reference and other.info.needs_reference and not plain.info.uses_reference
    with pytest.raises(
        MetricError, match="BLEU vs reference needs a reference for each pair, but this corpus has none"
    ):
        other.score(sources, hypotheses, None)
    assert catalogue.why_missing("bleu.ref", "x", "y") == "the pair has no reference"
    assert catalogue.why_missing("sbert", "", "y") == "a sentence is empty"
    assert catalogue.why_missing("pluie.direct", "", "y") == ""


def test_columns_of_variants_are_recognised():
    for column, title in (
        ("bleu.ref", "BLEU vs reference"),
        ("bleu.tok_whitespace", "BLEU (tok whitespace)"),
        ("bertscore.ref.layer_9.p.bert-base-uncased", "BERTScore (layer 9, p, bert-base-uncased) vs reference"),
        ("bertscore.layer_x", "BERTScore (layer_x)"),
        ("edit_distance.mine", "Edit distance (mine)"),
        ("bertscore.ref.bert-base-uncased", "BERTScore (bert-base-uncased) vs reference"),
    ):
        info = catalogue.info(column)
        assert info is not None and (info.id, info.title) == (column, title)
    assert catalogue.info("pluie.direct") is None


@pytest.mark.parametrize(
    ("spec", "title"),
    [
        ("ld,stem=none", "Lexical deviation (stem none)"),
        ("bleu.ref,tok=whitespace", "BLEU (tok whitespace) vs reference"),
        ("bleu,tok=treebank,as=my own", "BLEU (my_own)"),
        ("ibleu,alpha=.5", "iBLEU (alpha .5)"),
        ("simcse,pool=cls:/models/v1.5", "SimCSE cosine (pool cls, v1.5)"),
        ("bertscore,part=p,layer=9:owner/bert.large", "BERTScore (p, layer 9, bert.large)"),
        ("parascore,threshold=off,omega=1e-2", "ParaScore (threshold off, omega 1e-2)"),
        ("classifier,positive=yes:/models/x", "Classifier (positive yes, x)"),
    ],
)
def test_a_metric_with_options_has_one_name(spec, title):
    read_back = catalogue.info(catalogue.column(spec))
    assert catalogue.metric(spec).info.title == title == read_back.title
    assert catalogue.metric(spec).info.id == read_back.id == catalogue.column(spec)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("bleu,tok=13b", 'BLEU needs treebank or whitespace for tok, not "13b".'),
        ("sacrebleu,tok=x", 'sacreBLEU needs 13a, zh, char, intl or ja-mecab for tok, not "x".'),
        ("ibleu,alpha=2", 'iBLEU needs a number from 0 to 1 for alpha, not "2".'),
        ("ibleu,alpha=nan", 'iBLEU needs a number from 0 to 1 for alpha, not "nan".'),
        ("bertscore,layer=-1", 'BERTScore needs a whole number from 0 to 200 for layer, not "-1".'),
        ("bertscore,part=x", 'BERTScore needs f, p or r for part, not "x".'),
        ("parascore,threshold=maybe", 'ParaScore needs on or off for threshold, not "maybe".'),
        ("external,closer=x:gpt4", 'Column needs higher or lower for closer, not "x".'),
    ],
)
def test_invalid_option_values_are_refused(spec, sentence):
    with pytest.raises(MetricError) as caught:
        catalogue.find(spec)
    assert str(caught.value) == sentence


def test_every_option_survives_a_round_trip_and_is_in_the_column_name():
    for info in catalogue.metrics():
        assert is_dataclass(info.options)
        for option in list_options(info.options):
            assert option.label and option.help
            for value in {"integer": [7], "number": [0.5], "switch": [True, False]}.get(option.kind) or [
                key for key in option.keys if key
            ]:
                written = option.write(value)
                assert option.read(written) == value
                spec = MetricSpec(info.id, options=((option.name, written),))
                name = written if option.name == "part" else f"{option.name} {written}"
                assert catalogue.info(spec.column).title == f"{info.title} ({name})"


def test_two_specs_with_the_same_column_are_refused():
    catalogue.check_distinct(["bleu", "bleu.ref", "sbert:/a/bert", "bleu"])
    with pytest.raises(MetricError) as caught:
        catalogue.check_distinct(["sbert:/a/bert", "sbert:/b/bert"])
    assert str(caught.value) == (
        "sbert:/a/bert and sbert:/b/bert both fill the column sbert.bert. Give one of them a name: "
        "sbert,as=NAME:/b/bert."
    )
