"""Several spellings of an answer: their probabilities summed, in every mode and with every kind of judge."""

from __future__ import annotations

import dataclasses
import math

import pytest
import torch
from masked_models import save_masked

from parapluie_gui.errors import TemplateError
from parapluie_gui.models.catalogue import find_model
from parapluie_gui.pluie.causal_scorer import CausalScorer
from parapluie_gui.pluie.cloze import ClozeEncoder
from parapluie_gui.pluie.evidence import AnswerEvidence
from parapluie_gui.pluie.judge import pluie_signature
from parapluie_gui.pluie.masked import MaskedJudge
from parapluie_gui.pluie.rendering import TemplateRenderer
from parapluie_gui.pluie.templates import Template, parse_template

SOURCES = ["The cat sat.", "Is the weather fine?", "Two and three."]
HYPOTHESES = ["A cat was sitting.", "Fine weather, is it?", "Five."]

WORDS = {"yes": ("Yes", "yes", " Absolutely yes"), "no": ("No", "never")}


def several(template: Template) -> Template:
    (yes, *more_yes), (no, *more_no) = WORDS.values()
    return dataclasses.replace(template, yes=yes, no=no, more_yes=tuple(more_yes), more_no=tuple(more_no))


def scored(judge, template, **options):
    batches = CausalScorer(judge.backend, template, **options).score(SOURCES, HYPOTHESES)
    return {one.row: one for batch in batches for one in batch}


def log_of(judge, ids: list[int], answer: tuple[int, ...]) -> float:
    """Return the log-probability of an answer after a prompt, computed directly in double precision."""
    with torch.inference_mode():
        logs = judge.plain(input_ids=torch.tensor([[*ids, *answer]])).logits[0].double().log_softmax(-1)
    return sum(float(logs[len(ids) - 1 + place, token]) for place, token in enumerate(answer))


@pytest.mark.parametrize("family", ["llama", "qwen2", "gpt2"])
@pytest.mark.parametrize("exact", [False, True])
def test_the_probabilities_of_all_spellings_are_summed(family, exact, judges, templates, messages):
    judge, template = judges(family), several(templates["DIRECT"])
    spellings = TemplateRenderer(judge.tokenizer).render(template).spellings
    assert [[each.text for each in side] for side in spellings] == [list(side) for side in WORDS.values()]
    long = [each.text for side in spellings for each in side if len(each.ids) > 1]
    assert long, "one of them has several tokens"
    (notice,) = [each for each in judge.backend.renderer.render(template).notices if "single token" in each]
    verb = "are not single tokens" if len(long) > 1 else "is not a single token"
    assert notice.startswith(f"DIRECT: {' and '.join(f'“{text}”' for text in long)} {verb} for this model")
    for row, one in scored(judge, template, exact=exact).items():
        prompt, _ = judge.backend.renderer.render(template).frame.fill(SOURCES[row], HYPOTHESES[row])
        ids = judge.backend.renderer.encode([prompt])[0]
        chances = [[math.exp(log_of(judge, ids, each.ids)) for each in side] for side in spellings]
        yes, no = map(sum, chances)
        assert one.score == pytest.approx(math.log(yes / no), abs=1e-4)
        assert (one.evidence.p_yes, one.evidence.p_no) == pytest.approx((yes, no), rel=1e-4)
        for side, wanted, words in zip(one.evidence.spellings, chances, WORDS.values(), strict=True):
            assert [text for text, _ in side] == list(words)
            assert [p for _, p in side] == pytest.approx(wanted, rel=1e-4)
        assert AnswerEvidence.from_json(one.evidence.to_json()) == one.evidence


def test_spellings_are_summed_after_an_explanation_too(judges, templates):
    template = several(templates["INDIRECT"])
    turns = [dataclasses.replace(turn, max_new_tokens=4) if turn.generate else turn for turn in template.turns]
    template = dataclasses.replace(template, turns=tuple(turns))
    result, exact = (scored(judges("llama"), template, exact=exact) for exact in (False, True))
    for row in range(3):
        assert result[row].score == pytest.approx(exact[row].score, abs=1e-4)
        (_, *yes), (_, *no) = result[row].evidence.spellings
        assert result[row].evidence.explanation is not None and yes and no


def test_a_single_pair_of_answers_is_unchanged(judges, templates):
    """Without spellings: the difference of two logits, nothing more in the evidence, the old digest and signature."""
    template = templates["DIRECT"]
    result = scored(judges("llama"), template)
    assert all(one.evidence.spellings == () and "spellings" not in one.evidence.to_json() for one in result.values())
    signature = str(pluie_signature(judges("llama").files, template, "float32", exact=False))
    assert "answers:Yes/No" in signature and "DIRECT@6a068bbe" in signature
    other = several(template)
    assert other.digest != template.digest
    signature = str(pluie_signature(judges("llama").files, other, "float32", exact=False))
    assert "answers:Yes+yes+ Absolutely yes/No+never" in signature


def test_a_spelling_that_is_part_of_a_longer_spelling_counts_once(judges, templates):
    template = dataclasses.replace(templates["DIRECT"], more_yes=("Yes, yes", "yes"), more_no=("No way",))
    spellings = judges("llama").backend.renderer.render(template).spellings
    assert [[each.text for each in side] for side in spellings] == [["Yes", "yes"], ["No"]]
    same = dataclasses.replace(templates["DIRECT"], more_yes=("never",), more_no=("never",))
    with pytest.raises(TemplateError, match="DIRECT: “never” and “never” are the same word for this model"):
        judges("llama").backend.renderer.render(same)


CLOZE = Template("GAP", (), "yes", "no", cloze="{source} [SEP] {hypothesis} [SEP] same meaning : [MASK]")


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_a_gap_accepts_several_words(family, tmp_path):
    judge = MaskedJudge.load(find_model(str(save_masked(tmp_path / family, family))), "cpu", "float32")
    template = dataclasses.replace(CLOZE, more_yes=("meaning", "fine"), more_no=("two",))
    encoder = ClozeEncoder(judge.tokenizer, template, judge.most_tokens)
    yes, no = ([each.ids[0] for each in side] for side in encoder.spellings)
    assert (len(yes), len(no)) == (3, 2) and (encoder.yes, encoder.no) == (yes[0], no[0])
    logs = judge.gap_logits(encoder.encode(SOURCES, HYPOTHESES)).double().log_softmax(-1)
    batches = judge.scorer(template).score(SOURCES, HYPOTHESES)
    for one in (one for batch in batches for one in batch):
        chances = [logs[one.row, side].exp() for side in (yes, no)]
        assert one.score == pytest.approx(float(chances[0].sum().log() - chances[1].sum().log()), abs=1e-4)
        for side, wanted in zip(one.evidence.spellings, chances, strict=True):
            assert [p for _, p in side] == pytest.approx(wanted.tolist(), rel=1e-4)


def test_words_with_the_same_token_count_once(tmp_path):
    judge = MaskedJudge.load(find_model(str(save_masked(tmp_path / "bert"))), "cpu", "float32")
    template = dataclasses.replace(CLOZE, more_yes=("Yes", "YES"))
    (yes, no) = ClozeEncoder(judge.tokenizer, template).spellings
    assert [each.text for each in yes] == ["yes"] and len(no) == 1
    with pytest.raises(TemplateError, match=r"“yes” and “YES” are the same word"):
        ClozeEncoder(judge.tokenizer, dataclasses.replace(CLOZE, more_no=("YES",)))


TURN = '[[turn]]\nrole = "user"\ntext = "{source} {hypothesis}"\n'


def test_spellings_are_read_from_lists():
    template = parse_template(f'name = "T"\nyes = ["Yes", "yes", " Yes "]\nno = ["No"]\n{TURN}')
    assert template.spellings == (("Yes", "yes"), ("No",))
    assert parse_template(f'name = "T"\n{TURN}').spellings == (("Yes",), ("No",))


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ("yes = []", '"yes" must be text in quotes, or a list of such texts'),
        ('no = ["No", 3]', '"no" must be text in quotes, or a list of such texts'),
        ('yes = ["Yes", " "]', '"yes" and "no" must be two different words'),
        ('yes = ["Yes", "No"]', '"yes" and "no" must be two different words'),
    ],
)
def test_invalid_lists_are_refused(entry, sentence):
    with pytest.raises(TemplateError) as caught:
        parse_template(f'name = "T"\n{entry}\n{TURN}', "mine.toml")
    assert str(caught.value) == f"mine.toml, line 2: {sentence}."
