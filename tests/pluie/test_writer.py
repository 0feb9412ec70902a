"""Paraphrases written by a judge: the papers' prompts, the sampling, and that nothing else affects it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch
from masked_models import save_masked
from scipy.stats import chisquare
from tiny import save_model

from parapluie_gui.errors import ModelError, TemplateError
from parapluie_gui.models.catalogue import find_model
from parapluie_gui.pluie.causal import CausalJudge, CausalWriter, TokenSampler
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.masked import MaskedJudge
from parapluie_gui.pluie.writing import SamplingSettings, WrittenParaphrase, remark_on_candidates, writing_signature
from parapluie_gui.pluie.writing_templates import (
    WritingTemplate,
    find_writing_template,
    load_writing_templates,
    parse_writing_template,
)

TASK = (
    "You have to transform a sentence A into a paraphrase B. The purpose of A to B transformation is to maintain the "
    "original meaning of the sentence A in B."
)
EXAMPLE = [
    'A: "The little cat refreshes himself with water every morning."',
    'B: "Every morning, the little cat refreshes himself by drinking water."',
    'A: "{source}"',
]
SOURCES = ["The cat sleeps.", "A dog barks at night.", '"Quoted" text', "x"]


@pytest.fixture(scope="module")
def judge(tmp_path_factory) -> CausalJudge:
    return CausalJudge.load(find_model(str(save_model(tmp_path_factory.mktemp("models") / "tiny"))), "cpu", "float32")


def naive(limit: int = 12) -> WritingTemplate:
    return dataclasses.replace(load_writing_templates()[0][0], max_new_tokens=limit)


def writer(judge: CausalJudge, **sampling: float) -> CausalWriter:
    return judge.writer(naive(), SamplingSettings(**sampling), pytest.fail)


def test_the_papers_naive_prompts_are_reproduced_word_for_word():
    mistral, llama = load_writing_templates()[0]
    assert (mistral.name, llama.name) == ("MISTRAL-NAIVE", "LLAMA2-NAIVE")
    agreed = "I've understood the instructions perfectly."
    assert [turn.text for turn in mistral.turns] == [TASK, agreed, *EXAMPLE]
    assert [turn.role for turn in mistral.turns] == ["user", "assistant", "user", "assistant", "user"]
    assert [turn.text for turn in llama.turns] == [TASK, *EXAMPLE]
    assert [turn.role for turn in llama.turns] == ["system", "user", "assistant", "user"]


@pytest.mark.parametrize(
    ("written", "paraphrase"),
    [
        ('B: "A cat is asleep."', "A cat is asleep."),
        ('\n B:"A cat is asleep."\n\nThis keeps the meaning.', "A cat is asleep."),
        ('B: "He said "no"."', 'He said "no".'),
        ('B: "A cat is', "A cat is"),
        ("A cat is asleep.", "A cat is asleep."),
        ('"', '"'),
        ("  \n ", ""),
    ],
)
def test_the_paraphrase_is_extracted_from_the_output(written, paraphrase):
    assert naive().paraphrase(written) == paraphrase
    assert WritingTemplate("T", ()).paraphrase("  B: x\ny") == "B: x"


def test_a_user_template_is_used(home):
    folder = home / "templates" / "paraphrase"
    folder.mkdir(parents=True)
    turn = '[[turn]]\nrole = "user"\ntext = "Reword: {source}"\n'
    (folder / "mine.toml").write_text(f'name = "MINE"\nmax_new_tokens = 40\n{turn}')
    for name, text, _ in (
        ("no-source", 'name = "A"\n[[turn]]\nrole = "user"\ntext = "x"\n', ""),
        ("taken", f'name = "mistral-naive"\n{turn}', ""),
    ):
        (folder / f"{name}.toml").write_text(text)
    good, broken = load_writing_templates(home / "templates")
    own = find_writing_template("mine", good)
    assert (own.max_new_tokens, own.answer, own.turns[0].text) == (40, "{paraphrase}", "Reword: {source}")
    assert [each.file for each in broken] == ["no-source.toml", "taken.toml"]
    assert "no turn contains {source}" in broken[0].error and "is already used by built-in" in broken[1].error
    with pytest.raises(
        TemplateError, match=r"^There is no template X for writing; the templates are MISTRAL-NAIVE, LLAMA2"
    ):
        find_writing_template("X", good)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ('answer = "B"', '"answer" must be text in quotes with {paraphrase} in it once'),
        ("max_new_tokens = 0", '"max_new_tokens" must be a whole number'),
        ('yes = "Yes"', 'unknown entry "yes"'),
    ],
)
def test_an_unsuitable_template_is_refused(entry, words):
    with pytest.raises(TemplateError) as error:
        parse_writing_template(f'name = "T"\n{entry}\n[[turn]]\nrole = "user"\ntext = "{{source}}"')
    assert words in str(error.value)
    with pytest.raises(TemplateError, match="which the judge has yet to write"):
        parse_writing_template('name = "T"\n[[turn]]\nrole = "user"\ntext = "{source} {hypothesis}"')


def test_tokens_are_drawn_in_proportion_to_their_probability():
    logits = torch.tensor([[2.0, 0.0, 1.0, -1.0]])
    for temperature in (1.0, 0.5):
        sampler = TokenSampler(SamplingSettings(temperature, 1.0), [np.random.default_rng(7)])
        counts = np.bincount([sampler(logits, [0])[0] for _ in range(4000)], minlength=4)
        expected = (logits[0].double() / temperature).softmax(-1).numpy() * 4000
        assert chisquare(counts, expected).pvalue > 0.01


def test_the_nucleus_ends_with_the_token_that_completes_it():
    logits = torch.tensor([[0.5, 0.3, 0.15, 0.05]]).log()
    for top_p, tokens in ((0.4, {0}), (0.6, {0, 1}), (0.85, {0, 1, 2}), (1.0, {0, 1, 2, 3})):
        sampler = TokenSampler(SamplingSettings(1.0, top_p), [np.random.default_rng(0)])
        assert {sampler(logits, [0])[0] for _ in range(400)} == tokens, top_p


def test_a_text_depends_on_its_seed_and_number_and_not_on_its_neighbours(judge):
    together = writer(judge).write([*SOURCES, *SOURCES], [1, 1, 1, 1, 2, 2, 2, 2])
    assert [each.number for each in together] == [1] * 4 + [2] * 4
    assert writer(judge).write(SOURCES[1:2], [2]) == together[5:6]
    assert len({each.text for each in together}) > 4
    assert [each.text for each in writer(judge, seed=1).write(SOURCES, [1] * 4)] != [each.text for each in together[:4]]
    assert all(each.cut for each in together if len(each.text) >= 12)


def test_at_temperature_0_the_most_likely_tokens_are_generated(judge):
    texts = [each.text for each in writer(judge, temperature=0).write(SOURCES, [1, 2, 3, 4])]
    greedy = writer(judge, temperature=0)
    prompts = greedy._encoder.encode(range(4), SOURCES, [""] * 4)
    plain = judge.write([prompt.ids for prompt in prompts], 12)
    assert texts == [naive().paraphrase(judge.renderer.extract_own_turn(text)) for text, _ in plain]


def test_the_packed_pass_and_transformers_generate_the_same_text(judge):
    """The first has a shared prefix, the second has not."""
    assert judge.packs
    packed = writer(judge)
    plain = writer(judge)
    plain._prefix = None
    assert packed._prefix is not None
    assert packed.write(SOURCES, [1, 2, 1, 2]) == plain.write(SOURCES, [1, 2, 1, 2])


def test_a_masked_judge_cannot_write(tmp_path):
    masked = MaskedJudge.load(find_model(str(save_masked(tmp_path / "masked"))), "cpu", "float32")
    with pytest.raises(ModelError, match=r"^masked fills gaps in texts and cannot write paraphrases\. Choose a model"):
        masked.writer(naive(), SamplingSettings(), print)


def test_a_sentence_that_is_too_long_is_refused(judge):
    with pytest.raises(ModelError, match="is longer than the 4,096 tokens that this model reads"):
        writer(judge).write(["word " * 2000], [1])


def test_the_signature_has_the_generation_settings(tmp_path: Path):
    files = find_model(str(save_model(tmp_path / "tiny")))
    fields = dict(
        writing_signature(files, naive(), SamplingSettings(0.5, 0.9, 3), JudgeSettings("x", "cpu", "float32")).fields
    )
    assert fields["template"].startswith("MISTRAL-NAIVE@")
    assert (fields["temperature"], fields["top_p"], fields["seed"], fields["tokens"]) == ("0.5", "0.9", "3", "12")
    assert fields["precision"] == "float32"


def test_repeated_candidates_are_reported():
    texts = ["A cat.", "a  CAT.", "", "The cat sleeps.", "Other", "Other"]
    candidates = [WrittenParaphrase(number, text, number == 5) for number, text in enumerate(texts, start=1)]
    assert remark_on_candidates("the cat sleeps.", candidates) == [
        "",
        "repeats candidate 1",
        "empty",
        "same as the source",
        "cut",
        "repeats candidate 5",
    ]
