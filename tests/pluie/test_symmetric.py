"""Judges that treat both sentences of a pair alike: the order does not matter, and nothing else is lost."""

from __future__ import annotations

import pytest
import torch
from masked_models import save_masked, save_symmetric
from safetensors.torch import load_file, save_file
from transformers.models.auto.modeling_auto import AutoModelForMaskedLM

from parapluie_gui.errors import ModelError
from parapluie_gui.models.catalogue import find_model
from parapluie_gui.models.loading import quiet
from parapluie_gui.models.symmetric import is_symmetric, may_be_symmetric
from parapluie_gui.pluie import symmetric
from parapluie_gui.pluie.cloze import ClozeEncoder
from parapluie_gui.pluie.masked import MaskedJudge
from parapluie_gui.pluie.masked_scorer import MaskedScorer
from parapluie_gui.pluie.templates import load_templates, parse_template

CLOZE = next(template for template in load_templates()[0] if template.name == "CLOZE")
SOURCES = [f"The cat sat on the mat. {'one ' * number}" for number in range(12)]
HYPOTHESES = [f"Number {'two ' * (7 * number % 5)}and the weather." for number in range(12)]


@pytest.fixture(scope="module")
def judge(tmp_path_factory) -> MaskedJudge:
    return MaskedJudge.load(find_model(str(save_symmetric(tmp_path_factory.mktemp("both")))), "cpu", "float32")


def scores(judge: MaskedJudge, sources, hypotheses, template=CLOZE, **options) -> list[float]:
    batches = MaskedScorer(judge, template, **options).score(sources, hypotheses)
    return [one.score for one in sorted((one for batch in batches for one in batch), key=lambda one: one.row)]


def test_the_order_of_the_sentences_does_not_matter(judge):
    there, back = scores(judge, SOURCES, HYPOTHESES), scores(judge, HYPOTHESES, SOURCES)
    assert there == pytest.approx(back, abs=1e-4)
    assert max(there) - min(there) > 0.1, "the scores are all equal"


def test_a_pair_has_the_same_score_alone_and_in_a_batch(judge):
    assert scores(judge, SOURCES, HYPOTHESES) == pytest.approx(scores(judge, SOURCES, HYPOTHESES, exact=True), abs=2e-4)


def test_the_order_of_words_matters(judge):
    (one, other) = scores(judge, ["the cat sat on the mat"] * 2, ["the cat sat on the mat", "the mat sat on the cat"])
    assert abs(one - other) > 0.01


def test_without_cross_attention_every_sentence_is_read_as_if_alone(tmp_path):
    folder = save_symmetric(tmp_path, across=-1e4)
    judge = MaskedJudge.load(find_model(str(folder)), "cpu", "float32")
    encoder = ClozeEncoder(judge.tokenizer, CLOZE, symmetric=True)
    rows = encoder.encode(SOURCES[:3], HYPOTHESES[:3])
    ids, where, positions, _ = symmetric.place_rows(rows, 0)
    with torch.inference_mode():
        hidden = symmetric._states(judge.model, ids, where, positions, lambda: None)
        for row, text in enumerate(SOURCES[:3]):
            tokens = judge.tokenizer(text, return_tensors="pt")
            alone = judge.model.base_model(
                input_ids=tokens["input_ids"], attention_mask=tokens["attention_mask"]
            ).last_hidden_state[0]
            torch.testing.assert_close(hidden[row, : len(alone)], alone, rtol=1e-3, atol=1e-3)


def test_a_sentence_compared_with_itself_has_the_highest_cosine(judge):
    rows = ClozeEncoder(judge.tokenizer, CLOZE, symmetric=True).encode(SOURCES, SOURCES)
    ids, where, positions, _ = symmetric.place_rows(rows, 0)
    with torch.inference_mode():
        result = symmetric._cosines(symmetric._states(judge.model, ids, where, positions, lambda: None), where)
    torch.testing.assert_close(result, torch.ones(len(SOURCES)), rtol=0, atol=1e-5)


def test_the_cosine_affects_the_score(judge):
    encoder = ClozeEncoder(judge.tokenizer, CLOZE, symmetric=True)
    rows = encoder.encode(SOURCES, HYPOTHESES)
    answers = [encoder.yes], [encoder.no]
    change = judge.gap_logits(rows, answers) - judge.gap_logits(rows)
    yes, no = (change[:, words[0]] for words in answers)
    torch.testing.assert_close(yes, -no, rtol=1e-4, atol=1e-4)
    assert float(yes.abs().min()) > 0
    assert int((change.abs() > 1e-6).sum()) == 2 * len(rows)


def test_the_text_has_every_sentence_between_control_tokens(judge):
    frame = MaskedScorer(judge, CLOZE).frame
    text = "[CLS] The cat. [SEP] [CLS] It [SEP] same meaning : [MASK]"
    assert frame.fill("The cat.", "It")[0] == text
    (row,) = ClozeEncoder(judge.tokenizer, CLOZE, symmetric=True).encode(["The cat."], ["It"])
    assert judge.tokenizer.decode(row.ids).replace(" ", "") == text.lower().replace(" ", "").replace(
        "[cls]", "[CLS]"
    ).replace("[sep]", "[SEP]").replace("[mask]", "[MASK]")
    assert row.types == sorted(row.types) and row.types[row.gap] == 2


def test_the_reverse_direction_scores_the_same(judge):
    (row,) = ClozeEncoder(judge.tokenizer, CLOZE.swap_sentences(), symmetric=True).encode(["cat"], ["mat"])
    (other,) = ClozeEncoder(judge.tokenizer, CLOZE, symmetric=True).encode(["mat"], ["cat"])
    assert row == other
    forward, reverse = (scores(judge, SOURCES, HYPOTHESES, each) for each in (CLOZE, CLOZE.swap_sentences()))
    assert forward == pytest.approx(reverse, abs=1e-4)


def test_a_cloze_may_name_the_sentences_in_any_order(judge):
    turned = parse_template(
        "name = 'T'\nyes = 'yes'\nno = 'no'\ncloze = '''is {hypothesis} the weather of {source} ? [MASK]'''"
    )
    assert scores(judge, SOURCES, HYPOTHESES, turned) == pytest.approx(
        scores(judge, HYPOTHESES, SOURCES, turned), abs=1e-4
    )


def test_a_long_pair_is_truncated_and_keeps_its_gap(judge):
    (row,) = ClozeEncoder(judge.tokenizer, CLOZE, symmetric=True).encode(["cat " * 400], ["mat " * 400])
    assert len(row.ids) == 256 and row.cut > 500
    assert row.ids[row.gap] == judge.tokenizer.mask_token_id


def test_a_pause_acts_between_the_layers(tmp_path):
    calls: list[int] = []
    judge = MaskedJudge.load(find_model(str(save_symmetric(tmp_path))), "cpu", "float32", lambda: calls.append(1))
    calls.clear()
    scores(judge, SOURCES[:1], HYPOTHESES[:1])
    assert len(calls) == judge.model.config.num_hidden_layers


def test_bfloat16_is_near_float32(judge):
    coarse = MaskedJudge.load(judge.files, "cpu", "bfloat16")
    assert judge.computed_by.products or judge.computed_by.reason.startswith(("no x86", "PyTorch ", "switched off"))
    assert scores(coarse, SOURCES, HYPOTHESES) == pytest.approx(scores(judge, SOURCES, HYPOTHESES), abs=0.5)
    assert scores(coarse, SOURCES, HYPOTHESES) == pytest.approx(scores(coarse, HYPOTHESES, SOURCES), abs=0.1)


def test_weights_without_the_required_parameters_are_refused(tmp_path):
    folder = save_symmetric(tmp_path)
    weights = {name: each for name, each in load_file(folder / "model.safetensors").items() if "both." not in name}
    save_file(weights, folder / "model.safetensors", {"parapluie": "parapluie-int8", "parapluie_version": "1"})
    with pytest.raises(ModelError, match=r"lack both\.across"):
        MaskedJudge.load(find_model(str(folder)), "cpu", "float32")


def test_only_a_bert_can_be_symmetric(tmp_path):
    with quiet():
        for family, may in (("bert", True), ("roberta", False), ("electra", False), ("distilbert", False)):
            folder = save_masked(tmp_path / family, family)
            model = AutoModelForMaskedLM.from_pretrained(folder)
            assert (may_be_symmetric(model), is_symmetric(model)) == (may, False)
