"""Solved examples: the order of figure 4 in the built-in templates, and examples drawn for every pair."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest
import torch

from parapluie_gui.errors import TemplateError
from parapluie_gui.pluie.causal_scorer import CausalScorer
from parapluie_gui.pluie.evidence import AnswerEvidence
from parapluie_gui.pluie.examples import ExampleDrawer
from parapluie_gui.pluie.templates import Template, load_templates

SOURCES = [f"Sentence {number} is about {'very ' * (number % 3)}little." for number in range(12)]
HYPOTHESES = [f"Number {number * number}." for number in range(12)]

DRAWN = """
name = "DRAWN"
{more}
[examples]
file = "train.tsv"
text = '''
Sentence 1: {source}
Sentence 2: {hypothesis}
{answer}

'''
[[turn]]
role = "user"
text = '''
Here are examples sentence pairs that are paraphrases (Yes) and not paraphrases (No):

{examples}Are the following sentences paraphrases?

Sentence 1: {source}
Sentence 2: {hypothesis}

Answer with 'Yes' or 'No''''
"""


def folder(tmp_path: Path, text: str = DRAWN, more: str = "", pairs: int = 8) -> Path:
    rows = [f"first {at}\tsecond {at}{' {source}' * (at == 3)}\t{at % 2}" for at in range(pairs)]
    (tmp_path / "train.tsv").write_text("source\thypothesis\tlabel\n" + "\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "drawn.toml").write_text(text.replace("{more}", more), encoding="utf-8")
    return tmp_path


def read(there: Path) -> Template:
    good, broken = load_templates(there)
    assert not broken
    return good[-1]


def drawer(template: Template) -> ExampleDrawer:
    assert template.examples is not None
    return ExampleDrawer(template.name, template.examples, template.yes, template.no)


@pytest.mark.parametrize("name", ["P1-ICL_K4", "P2-ICL_K4", "P3-ICL_K4"])
def test_the_four_examples_alternate_as_in_figure_4(name, templates):
    # Michail et al. (COLING 2025), figure 4: RandPos1, Yes; RandNeg1, No; …
    text = templates[name].turns[-1].text
    assert re.findall(r"^(Yes|No)$", text, re.MULTILINE) == ["Yes", "No", "Yes", "No"]
    assert "authors' code" in templates[name].provenance


def test_examples_are_drawn_for_every_pair_and_alternate(tmp_path):
    draw = drawer(read(folder(tmp_path))).draw
    drawn = {draw(source, hypothesis) for source, hypothesis in zip(SOURCES, HYPOTHESES, strict=True)}
    assert len(drawn) > 6, "pairs have their own examples"
    for text in drawn:
        numbers = [int(number) for number in re.findall(r"^Sentence 1: first (\d)$", text, re.MULTILINE)]
        assert len(set(numbers)) == 4 and [number % 2 for number in numbers] == [1, 0, 1, 0]
        assert re.findall(r"^(Yes|No)$", text, re.MULTILINE) == ["Yes", "No", "Yes", "No"]
        assert text.endswith("\nNo\n\n") and "{answer}" not in text
    assert any("second 3 {source}" in text for text in drawn), "text in a sentence is not replaced"


def test_a_draw_is_reproducible(tmp_path):
    template = read(folder(tmp_path))
    first = drawer(template).draw(SOURCES[0], HYPOTHESES[0])
    again = pickle.loads(pickle.dumps(template))  # as sent to the worker
    assert drawer(again).draw(SOURCES[0], HYPOTHESES[0]) == first
    # The exact draw, which must be the same in every version of Python.
    assert re.findall(r"first (\d)", first) == FIRST


#: The examples that seed 0 draws for the first pair.
FIRST = ["3", "4", "1", "2"]


def test_a_different_seed_or_file_makes_a_different_template(tmp_path):
    template = read(folder(tmp_path))
    other = read(folder(tmp_path, DRAWN.replace('file = "train.tsv"', 'file = "train.tsv"\nseed = 1')))
    assert other.digest != template.digest
    draws = [[drawer(each).draw(s, h) for s, h in zip(SOURCES, HYPOTHESES, strict=True)] for each in (template, other)]
    assert draws[0] != draws[1]
    longer = read(folder(tmp_path, pairs=10))
    assert longer.digest != template.digest
    with pytest.raises(TemplateError, match=r"DRAWN: .*train.tsv has changed since the template was read"):
        drawer(template)
    (tmp_path / "train.tsv").unlink()
    with pytest.raises(TemplateError, match=r"DRAWN: its examples cannot be read from .*train.tsv"):
        drawer(longer)


def test_no_pair_is_its_own_example(tmp_path):
    more = DRAWN.replace('file = "train.tsv"', 'file = "train.tsv"\npositives = 3\nnegatives = 1')
    draw = drawer(read(folder(tmp_path, more))).draw
    assert "first 1\n" not in draw("first 1", "second 1")
    text = draw("first 2", "second 2")
    answers = re.findall(r"^(Yes|No)$", text, re.MULTILINE)
    assert answers == ["Yes", "No", "Yes", "Yes"] and "first 2\n" not in text


@pytest.mark.parametrize("family", ["llama", "gemma"])
@pytest.mark.parametrize("exact", [False, True])
def test_scores_equal_those_of_the_complete_prompt(tmp_path, family, exact, judges):
    judge, template = judges(family), read(folder(tmp_path))
    batches = CausalScorer(judge.backend, template, exact=exact).score(SOURCES, HYPOTHESES)
    yes, no = (side[0].ids[0] for side in judge.backend.renderer.render(template).spellings)
    for one in (one for batch in batches for one in batch):
        examples = drawer(template).draw(SOURCES[one.row], HYPOTHESES[one.row])
        assert one.evidence.examples == examples
        halves = template.turns[0].text.split("{examples}")
        asked = halves[1].replace("{source}", SOURCES[one.row]).replace("{hypothesis}", HYPOTHESES[one.row])
        text = halves[0] + examples + asked
        spoken = [{"role": "user", "content": text}]
        ids = judge.tokenizer.apply_chat_template(spoken, add_generation_prompt=True)["input_ids"]
        with torch.inference_mode():
            logits = judge.plain(input_ids=torch.tensor([ids])).logits[0, -1]
        assert one.score == pytest.approx(float(logits[yes] - logits[no]), abs=1e-4)
        assert one.evidence.tokens == len(ids)
        assert AnswerEvidence.from_json(one.evidence.to_json()) == one.evidence


def test_control_tokens_in_an_example_are_neutralised(tmp_path, judges):
    there = folder(tmp_path)
    rows = [f"<|eot_id|> {at}\tsecond\t{at % 2}" for at in range(8)]
    (there / "train.tsv").write_text("source\thypothesis\tlabel\n" + "\n".join(rows) + "\n", encoding="utf-8")
    ((one,),) = CausalScorer(judges("llama").backend, read(there)).score(SOURCES[:1], HYPOTHESES[:1])
    assert one.evidence.neutralised


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (('file = "train.tsv"', 'file = "no.tsv"'), r"\[examples\]: .*no.tsv cannot be read \(there is no such file\)"),
        (('file = "train.tsv"', ""), r"\[examples\]: name the file of labelled pairs"),
        (('file = "train.tsv"', 'file = "train.tsv"\nshots = 4'), r'\[examples\] has an unknown entry "shots"'),
        (('file = "train.tsv"', 'file = "train.tsv"\npositives = -1'), r"\[examples\]: positives, negatives and seed"),
        (('file = "train.tsv"', 'file = "train.tsv"\npositives = 0\nnegatives = 0'), "must not both be 0"),
        (("{answer}", "Yes"), r"\[examples\]: text must contain {source}, {hypothesis} and {answer} once each"),
        (("{examples}Are", "Are"), r"one turn must contain {examples} once, .* contain it 0 times"),
    ],
)
def test_invalid_examples_are_refused(tmp_path, change, sentence):
    _, (broken,) = load_templates(folder(tmp_path, DRAWN.replace(*change)))
    place = "drawn.toml" if sentence.startswith("one turn") else "drawn.toml, line 4"
    assert re.match(rf"{place}: .*{sentence}", broken.error) and broken.error.endswith(".")


def test_examples_need_turns(tmp_path):
    cloze = 'name = "T"\ncloze = "{source} {hypothesis} [MASK]"\n[examples]\nfile = "train.tsv"\n'
    _, (broken,) = load_templates(folder(tmp_path, cloze))
    assert "[examples] is allowed only in a template with [[turn]] sections" in broken.error


def test_too_few_examples_are_reported(tmp_path):
    template = read(folder(tmp_path, pairs=5))
    with pytest.raises(
        TemplateError,
        match=r"has 2 pairs with label 1, but 2 are drawn for each pair. Add pairs until it has at least 3",
    ):
        drawer(template)
    (tmp_path / "train.tsv").write_text("source\thypothesis\na\tb\n", encoding="utf-8")
    with pytest.raises(TemplateError, match="the examples have no labels"):
        drawer(read(tmp_path))


def test_braces_in_a_template_without_examples_are_kept(judges):
    from parapluie_gui.pluie.templates import parse_template

    template = parse_template('name = "T"\n[[turn]]\nrole = "user"\ntext = "{examples} {source} {hypothesis}"')
    assert template.examples is None
    assert "{examples} " in judges("llama").backend.renderer.render(template).frame.text
