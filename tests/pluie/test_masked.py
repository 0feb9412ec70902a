"""Masked judges: the score at the gap of a cloze against transformers alone, encoding, truncation, hostile text."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from masked_models import FAMILIES, TOKENIZERS, save_masked
from transformers.models.auto.modeling_auto import AutoModelForMaskedLM

from parapluie_gui.errors import ModelError, TemplateError
from parapluie_gui.models.catalogue import find_kind, find_model
from parapluie_gui.models.kind import CAUSAL, MASKED
from parapluie_gui.models.loading import quiet
from parapluie_gui.pluie.causal import CausalJudge
from parapluie_gui.pluie.cloze import ClozeEncoder, ClozeRow, fit_lengths
from parapluie_gui.pluie.evidence import AnswerEvidence
from parapluie_gui.pluie.masked import MaskedJudge, pad_rows
from parapluie_gui.pluie.masked_scorer import MaskedScorer
from parapluie_gui.pluie.templates import Template, load_templates, parse_template

SOURCES = [f"Number {'one ' * (number % 5)}and two." for number in range(30)]
HYPOTHESES = [f"The cat {'sat ' * (number % 3)}on mat {number}." for number in range(30)]


@pytest.fixture(scope="module")
def masked(tmp_path_factory) -> Callable[[str], MaskedJudge]:
    root = tmp_path_factory.mktemp("masked")

    @functools.cache
    def load(family: str) -> MaskedJudge:
        return MaskedJudge.load(find_model(str(save_masked(root / family, family))), "cpu", "float32")

    load.root = root
    return load


@pytest.fixture(scope="module")
def cloze() -> Template:
    return next(template for template in load_templates()[0] if template.name == "CLOZE")


def template(text: str, yes: str = "yes", no: str = "no") -> Template:
    return parse_template(f"name = 'T'\nyes = '{yes}'\nno = '{no}'\ncloze = '''{text}'''")


def scorer(masked, family: str, template: Template, **options) -> MaskedScorer:
    backend = masked(family)
    return MaskedScorer(backend, template, **options)


def scores(batches) -> list[float]:
    return [one.score for one in sorted((one for batch in batches for one in batch), key=lambda one: one.row)]


def plainly(folder: Path, backend: MaskedJudge, whose: str, source: str, hypothesis: str) -> torch.Tensor:
    """Return the log-probabilities at the gap, computed from a text by transformers alone."""
    separator, mask = {"bert": (" [SEP] ", "[MASK]"), "roberta": ("</s></s>", "<mask>")}[whose]
    text = separator.join([source, hypothesis, f"same meaning : {mask}"])
    tokens = backend.tokenizer(text, return_tensors="pt")
    arguments = {"input_ids": tokens["input_ids"], "attention_mask": tokens["attention_mask"]}
    with quiet():
        model = AutoModelForMaskedLM.from_pretrained(folder, dtype=torch.float32).eval()
    if getattr(model.config, "type_vocab_size", 0) >= 2:
        ends = (tokens["input_ids"][0] == backend.tokenizer.sep_token_id).nonzero()[:, 0]
        arguments["token_type_ids"] = (torch.arange(tokens["input_ids"].shape[1]) > ends[0]).long()[None]
    gap = int((tokens["input_ids"][0] == backend.tokenizer.mask_token_id).nonzero()[0, 0])
    with torch.inference_mode():
        return model(**arguments).logits[0, gap].log_softmax(-1)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_score_matches_transformers(masked, cloze, family):
    whose = FAMILIES[family][2]
    mine = scorer(masked, family, cloze)
    batches = list(mine.score(SOURCES, HYPOTHESES))
    assert sorted(one.row for batch in batches for one in batch) == list(range(30))
    assert scores(mine.score(SOURCES, HYPOTHESES, seed=3)) == pytest.approx(scores(batches), abs=1e-4)
    exact = scores(scorer(masked, family, cloze, exact=True).score(SOURCES, HYPOTHESES))
    assert scores(batches) == pytest.approx(exact, abs=2e-4)
    tokenizer = mine.judge.tokenizer
    yes, no = (tokenizer(word, add_special_tokens=False)["input_ids"][0] for word in ANSWERS[whose])
    for one in (one for batch in batches[:2] for one in batch[:2]):
        logs = plainly(masked.root / family, mine.judge, whose, SOURCES[one.row], HYPOTHESES[one.row])
        assert one.score == pytest.approx(float(logs[yes] - logs[no]), abs=2e-4)
        assert one.evidence.p_yes == pytest.approx(float(logs[yes].exp()), rel=1e-3)
        assert one.evidence.p_no == pytest.approx(float(logs[no].exp()), rel=1e-3)
        assert [p for _, p in one.evidence.top] == pytest.approx(logs.exp().topk(5).values.tolist(), rel=1e-3)


ANSWERS = {"bert": ("yes", "no"), "roberta": (" yes", " no")}


def test_the_head_is_computed_only_at_the_gap(masked):
    for family in FAMILIES:
        backend = masked(family)
        widths = []
        head = backend.model.get_output_embeddings()
        hook = head.register_forward_hook(lambda module, inputs, output, widths=widths: widths.append(output.shape[1]))
        backend.gap_logits([ClozeRow([2, 7, 4, 3], [0] * 4, 2)] * 3)
        hook.remove()
        # DeBERTa's newer head has a further layer after the layer it calls its output.
        assert widths == [1], family


@pytest.mark.parametrize("family", ["bert", "deberta-v2", "modernbert"])
def test_bfloat16_is_near_float32(masked, cloze, family):
    expected = scores(scorer(masked, family, cloze).score(SOURCES, HYPOTHESES))
    files = find_model(str(masked.root / family))
    coarse = MaskedJudge.load(files, "cpu", "bfloat16")
    logits = coarse.gap_logits([ClozeRow([2, 7, 4, 3], [0] * 4, 2)])
    assert logits.dtype == torch.float32
    result = scores(MaskedScorer(coarse, cloze).score(SOURCES, HYPOTHESES))
    assert result == pytest.approx(expected, abs=0.35)
    assert result != expected


@pytest.mark.parametrize("whose", TOKENIZERS)
def test_the_ids_match_those_of_the_text(whose, cloze):
    tokenizer = TOKENIZERS[whose]()
    encoder = ClozeEncoder(tokenizer, cloze)
    (row,) = encoder.encode(["The cat sat."], ["Is the weather fine?"])
    separator, mask = {"bert": ("[SEP]", "[MASK]"), "roberta": ("</s></s>", "<mask>")}[whose]
    whole = separator.join(["The cat sat.", "Is the weather fine?", f"same meaning :{mask}"])
    assert row.ids == tokenizer(whole)["input_ids"]
    assert row.ids[row.gap] == tokenizer.mask_token_id
    first = row.ids.index(tokenizer.sep_token_id) + {"bert": 1, "roberta": 2}[whose]
    assert row.types == [0] * first + [1] * (len(row.ids) - first)
    assert (encoder.yes, encoder.no) == tuple(
        tokenizer(word, add_special_tokens=False)["input_ids"][0] for word in ANSWERS[whose]
    )
    shown = encoder.frame.fill("The cat sat.", "Is it?")[0]
    opening, closing = {"bert": ("[CLS]", "[SEP]"), "roberta": ("<s>", "</s>")}[whose]
    assert shown == f"{opening} The cat sat. {separator} Is it? {separator} same meaning : {mask} {closing}"


def test_a_user_cloze_is_used():
    tokenizer = TOKENIZERS["bert"]()
    text = '"{source}" is "{hypothesis}"? [MASK], one.'
    encoder = ClozeEncoder(tokenizer, template(text))
    (row,) = encoder.encode(["The cat sat."], ["Two"])
    assert row.ids == tokenizer('"The cat sat." is "Two"? [MASK], one.')["input_ids"]
    assert set(row.types) == {0}
    # White space belongs to the word that follows.
    tokenizer = TOKENIZERS["roberta"]()
    (row,) = ClozeEncoder(tokenizer, template("one: {source} two {hypothesis} [MASK]")).encode(["The cat"], ["sat"])
    assert row.ids == tokenizer("one: The cat two sat<mask>")["input_ids"]


HOSTILE = [
    "[MASK]",
    "yes [SEP] yes [SEP]",
    "<mask> </s>",
    "[CLS]",
    "［MASK］",
    "[\u2060MASK]",
    "a\ue000b\ue001",
    "\ud800",
]


@pytest.mark.parametrize("whose", TOKENIZERS)
@pytest.mark.parametrize("text", HOSTILE)
def test_sentences_never_become_control_tokens(whose, text, cloze):
    tokenizer = TOKENIZERS[whose]()
    encoder = ClozeEncoder(tokenizer, cloze)
    plain, hostile, other = encoder.encode(["cat", text, "cat"], ["mat", "mat", text])
    controls = set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
    expected = [id for id in plain.ids if id in controls]
    for row in (hostile, other):
        assert [id for id in row.ids if id in controls] == expected
        assert row.ids[row.gap] == tokenizer.mask_token_id
        assert row.neutralised == any(token in text for token in tokenizer.all_special_tokens)
    assert not plain.neutralised


@pytest.mark.parametrize("room", range(2, 12))
def test_the_longer_sentence_is_truncated_first(room):
    tokenizer = TOKENIZERS["bert"]()
    for first in range(1, 11):
        for second in range(1, 11):
            ids = tokenizer("cat " * first, "mat " * second, truncation="longest_first", max_length=room + 3)[
                "input_ids"
            ]
            end = ids.index(tokenizer.sep_token_id)
            assert fit_lengths(first, second, room) == (end - 1, len(ids) - end - 2)


def test_pairs_that_are_too_long_keep_the_frame(masked, cloze):
    warnings: list[str] = []
    mine = scorer(masked, "bert", cloze, warn=warnings.append)
    (scored,) = next(mine.score(["cat " * 400], ["mat sat"]))
    assert math.isfinite(scored.score)
    assert scored.evidence.tokens == 256
    assert (
        scored.evidence.cut == 400 + 2 + len(ClozeEncoder(mine.judge.tokenizer, cloze).encode([""], [""])[0].ids) - 256
    )
    assert warnings == [
        "CLOZE: pairs longer than the 256 tokens that this judge reads were cut at the end of the longer sentence."
    ]
    (row,) = ClozeEncoder(mine.judge.tokenizer, cloze, 20).encode(["cat " * 400], ["mat sat"])
    assert len(row.ids) == 20 and row.ids[-2] == mine.judge.tokenizer.mask_token_id == row.ids[row.gap]
    assert AnswerEvidence.from_json(scored.evidence.to_json()) == scored.evidence


def test_positions_are_counted_as_in_the_model(masked):
    assert masked("bert").most_tokens == 300
    assert masked("roberta").most_tokens == 298
    assert masked("mpnet").most_tokens == 298


@pytest.mark.parametrize(
    ("text", "yes", "no", "sentence"),
    [
        ("{source} [SEP] {hypothesis} [MASK]", "absolutely", "no", "T: “absolutely” is not a single token in this "
                                                                   "model's"),
        ("{source} [SEP] {hypothesis} [MASK]", "yes", "漢", "T: “漢” is not a single token in this model's vocabulary"),
        ("{source} [SEP] {hypothesis} [MASK]", "YES", "yes", "T: “YES” and “yes” are the same word for this model."),
        ("{source} {hypothesis} " + "one " * 260 + "[MASK]", "yes", "no", "T: its own text takes 263 of the 256 "),
    ],
)  # fmt: skip
def test_clozes_unsuitable_for_the_model_are_refused(text, yes, no, sentence):
    with pytest.raises(TemplateError) as caught:
        ClozeEncoder(TOKENIZERS["bert"](), template(text, yes, no))
    assert str(caught.value).startswith(sentence)


def test_a_tokenizer_without_a_mask_is_refused(tokenizers, cloze):
    with pytest.raises(TemplateError, match="no mask token"):
        ClozeEncoder(tokenizers("llama"), cloze)


def test_padding_changes_nothing(masked):
    backend = masked("bert")
    rows = [ClozeRow([2, *range(5, 5 + size), 4, 3], [0] * size + [1] * 3, size + 1) for size in (3, 9, 1)]
    ids, types, seen, gaps = pad_rows(rows, pad=0)
    assert ids.shape == types.shape == seen.shape == (3, 12) and seen.sum(1).tolist() == [6, 12, 4]
    assert gaps.tolist() == [4, 10, 2]
    together = backend.gap_logits(rows)
    for number, row in enumerate(rows):
        torch.testing.assert_close(together[number], backend.gap_logits([row])[0], rtol=1e-4, atol=1e-4)


def test_running_out_of_memory_halves_the_batch(masked, cloze, monkeypatch):
    pairs = SOURCES[:7], HYPOTHESES[:7]
    expected = scores(scorer(masked, "bert", cloze).score(*pairs))
    backend = masked("bert")
    forward = backend.gap_logits

    def small(rows, answers):
        if len(rows) > 3:
            raise torch.OutOfMemoryError("CUDA")
        return forward(rows, answers)

    monkeypatch.setattr(backend, "gap_logits", small)
    warnings: list[str] = []
    result = scorer(masked, "bert", cloze, warn=warnings.append).score(*pairs)
    assert scores(result) == pytest.approx(expected, abs=1e-4)
    assert warnings and all(text.startswith("Memory ran out with ") for text in warnings)
    monkeypatch.setattr(backend, "gap_logits", lambda rows, answers: small([None] * 4, answers))
    with pytest.raises(ModelError, match="Not even one pair fits into the memory of cpu"):
        list(scorer(masked, "bert", cloze).score(*pairs))


def test_batches_are_small_enough_for_live_display(masked, cloze):
    batches = list(scorer(masked, "bert", cloze).score(SOURCES * 4, HYPOTHESES * 4))
    assert len(batches) >= 3
    assert all(sum(one.evidence.tokens for one in batch) <= 1024 for batch in batches)


def test_the_gate_is_before_every_layer(masked):
    calls: list[int] = []
    files = find_model(str(masked.root / "bert"))
    masked("bert")
    backend = MaskedJudge.load(files, "cpu", "float32", lambda: calls.append(1))
    backend.gap_logits([ClozeRow([2, 4, 3], [0] * 3, 1)])
    assert len(calls) == 2


def test_kinds_of_model_are_recognised_or_refused(masked, folders):
    masked("bert")
    folder = masked.root / "bert"
    assert find_model(str(folder)).kind == find_kind(str(folder)) == MASKED
    assert find_model(str(folders("llama"))).kind == find_kind(str(folders("llama"))) == CAUSAL
    assert find_kind("/nowhere") == ""
    with pytest.raises(ModelError, match="does not write text"):
        CausalJudge.load(find_model(str(folder)), "cpu")
    with pytest.raises(ModelError, match="llama cannot be loaded as a masked language model"):
        MaskedJudge.load(find_model(str(folders("llama"))), "cpu")


def test_missing_weights_are_refused(tmp_path):
    from safetensors.torch import load_file, save_file

    folder = save_masked(tmp_path / "lost")
    tensors = load_file(folder / "model.safetensors")
    name = next(name for name in tensors if "transform.dense.weight" in name)
    del tensors[name]
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(ModelError, match=r"lost lacks weights that a masked language model needs \(.*that fills gaps"):
        MaskedJudge.load(find_model(str(folder)), "cpu")
