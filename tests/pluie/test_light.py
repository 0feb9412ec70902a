"""The judge without PyTorch against the judge with it: the same scores for any sentences."""

from __future__ import annotations

import dataclasses
import operator
import subprocess
import sys
import unicodedata

import numpy as np
import pytest
import torch
from masked_models import save_symmetric
from safetensors.numpy import load_file, save_file
from transformers.models.auto.tokenization_auto import AutoTokenizer

from parapluie_gui.errors import ModelError
from parapluie_gui.models.catalogue import find_model
from parapluie_gui.models.device import cpu_has_fast_bfloat16, foresee
from parapluie_gui.models.word_pieces import read_word_pieces
from parapluie_gui.pluie.fast.arithmetic import attend, gelu, norm
from parapluie_gui.pluie.fast.choice import SWITCH
from parapluie_gui.pluie.foreseen import foresee_pass
from parapluie_gui.pluie.judge import judge_class
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.light import LightJudge
from parapluie_gui.pluie.masked import MaskedJudge
from parapluie_gui.pluie.templates import load_templates

CLOZE = next(template for template in load_templates()[0] if template.name == "CLOZE")

by_row = operator.attrgetter("row")

#: Sentences that could cause problems, and plain sentences of several lengths.
ODD = [
    "", " ", "a", "The cat sat on the mat.", "The mat sat on the cat.", "word " * 400, "x" * 500, "[MASK] [SEP] [CLS]",
    "［ＭＡＳＫ］", "\ue000 \ud800 \x00", "Ελληνικά и русский, 漢字かな交じり文", "👩‍👩‍👧 😀", "e\u0301 é", "ﬁne Ⅷ ½",
    "\u202eright to left", "a\tb\nc\u2028d", "don’t “quote”…", "3.14159 1,000,000 %", "naïve café résumé",
]  # fmt: skip
PAIRS = [(one, other) for number, one in enumerate(ODD) for other in (ODD[-1 - number], ODD[3])]


@pytest.fixture(scope="module")
def pocket() -> tuple[LightJudge, MaskedJudge]:
    files = find_model("pocket")
    return LightJudge.load(files), MaskedJudge.load(files, "cpu", "float32")


@pytest.fixture(scope="module")
def random(tmp_path_factory) -> tuple[LightJudge, MaskedJudge]:
    files = find_model(str(save_symmetric(tmp_path_factory.mktemp("light"))))
    return LightJudge.load(files), MaskedJudge.load(files, "cpu", "float32")


def scored(judge, pairs=PAIRS, **options) -> list:
    sources, hypotheses = zip(*pairs, strict=True)
    batches = judge.scorer(CLOZE, **options).score(sources, hypotheses)
    return sorted((one for batch in batches for one in batch), key=lambda one: one.row)


def values(judge, pairs=PAIRS, **options) -> list[float]:
    return [one.score for one in scored(judge, pairs, **options)]


@pytest.mark.parametrize("which", ["pocket", "random"])
def test_scores_match_transformers(which, request):
    light, full = request.getfixturevalue(which)
    result, expected = scored(light), scored(full)
    assert [one.score for one in result] == pytest.approx([one.score for one in expected], abs=1e-4)
    for one, other in zip(result, expected, strict=True):
        assert one.evidence.p_yes == pytest.approx(other.evidence.p_yes, abs=1e-4)
        assert one.evidence.p_no == pytest.approx(other.evidence.p_no, abs=1e-4)
        assert [p for _, p in one.evidence.top] == pytest.approx([p for _, p in other.evidence.top], abs=1e-4)
        assert one.evidence.top[0][0] == other.evidence.top[0][0]
        rest = [(each.evidence.tokens, each.evidence.cut, each.evidence.neutralised) for each in (one, other)]
        assert rest[0] == rest[1]
    assert max(one.evidence.cut for one in result) > 100, "nothing was truncated"
    assert light.scorer(CLOZE).frame == full.scorer(CLOZE).frame
    assert light.scorer(CLOZE).signature == full.scorer(CLOZE).signature


def test_a_score_depends_only_on_its_pair(pocket):
    light, _ = pocket
    together = values(light)
    assert values(light, exact=True) == pytest.approx(together, abs=1e-4)
    assert values(light, batch_tokens=300) == pytest.approx(together, abs=1e-4)
    assert values(light, PAIRS[::-1]) == pytest.approx(together[::-1], abs=1e-4)
    assert values(light, [(other, one) for one, other in PAIRS]) == pytest.approx(together, abs=1e-4)


def test_several_spellings_of_an_answer_count_together(pocket):
    more = dataclasses.replace(CLOZE, more_yes=("yeah",), more_no=("never", "nope"))
    light, full = (judge.scorer(more) for judge in pocket)
    pairs = list(zip(*PAIRS[8:12], strict=True))
    result, expected = ([one for batch in each.score(*pairs) for one in batch] for each in (light, full))
    for one, other in zip(sorted(result, key=by_row), sorted(expected, key=by_row), strict=True):
        assert one.score == pytest.approx(other.score, abs=1e-4)
        assert one.evidence.p_no == pytest.approx(other.evidence.p_no, abs=1e-4)
        words = [[word for word, _ in side] for side in one.evidence.spellings]
        assert words == [["yes", "yeah"], ["no", "never", "nope"]]


def test_the_number_of_threads_changes_nothing(pocket, monkeypatch):
    expected = values(pocket[0])
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    judge = LightJudge.load(find_model("pocket"))
    assert judge.batch_tokens == 3 * 1024
    assert values(judge) == pytest.approx(expected, abs=1e-4)


def test_an_exception_from_a_pause_is_raised_out_of_the_threads(pocket):
    class Paused(Exception):
        pass

    def paused(pairs) -> int:
        """Return how often the pass called the gate; threads of an earlier pass may still be calling theirs."""
        calls: list[int] = []

        def check() -> None:
            calls.append(1)
            if len(calls) > 3:
                raise Paused

        with pytest.raises(Paused):
            values(LightJudge.load(find_model("pocket"), check=check), pairs)
        return len(calls)

    assert paused(PAIRS) >= 4
    assert paused(PAIRS[:1]) == 4


def test_tokens_match_transformers(pocket):
    tokenizer, own = (
        AutoTokenizer.from_pretrained(find_model("pocket").folder),
        read_word_pieces(find_model("pocket").folder),
    )
    assert own is not None
    letters = "".join(chr(code) for code in range(0x20, 0x3000) if unicodedata.category(chr(code)) != "Cs")
    texts = [text for text in ODD if "\ud800" not in text] + [
        letters[at : at + 40] for at in range(0, len(letters), 40)
    ]
    for split in (False, True):
        options = {"add_special_tokens": False, "split_special_tokens": split}
        assert own(texts, **options)["input_ids"] == tokenizer(texts, **options)["input_ids"]
    cut = {"truncation": True, "max_length": 12}
    assert own(texts, **cut)["input_ids"] == tokenizer(texts, **cut)["input_ids"]
    ids = list(range(0, tokenizer.vocab_size, 97))
    assert [own.decode([each]) for each in ids] == [tokenizer.decode([each]) for each in ids]
    for name in ("mask_token", "mask_token_id", "sep_token_id", "unk_token_id", "pad_token_id", "model_max_length"):
        assert getattr(own, name) == getattr(tokenizer, name), name
    assert set(own.all_special_ids) == set(tokenizer.all_special_ids)
    assert own.convert_ids_to_tokens([101, 2003]) == tokenizer.convert_ids_to_tokens([101, 2003])


def test_every_judge_is_loaded_by_the_right_class(monkeypatch, tmp_path):
    files = find_model("pocket")
    assert judge_class(files, "cpu") is LightJudge
    assert judge_class(files, "cpu", "float32") is LightJudge
    assert judge_class(files, "cpu", "bfloat16") is MaskedJudge
    signatures = [
        judge.signature(files, CLOZE, JudgeSettings("pocket", "cpu", precision))
        for judge in (LightJudge, MaskedJudge)
        for precision in ("auto", "float32")
    ]
    assert signatures == signatures[:1] * 4, "the same scores on every processor"
    assert MaskedJudge.load(files, "cpu").precision == "float32"
    monkeypatch.setenv(SWITCH, "0")
    assert judge_class(files, "cpu", "float32") is MaskedJudge
    monkeypatch.delenv(SWITCH)
    # Where the tokenizer's two files contradict each other, transformers decides.
    folder = save_symmetric(tmp_path)
    assert judge_class(find_model(str(folder)), "cpu", "float32") is LightJudge
    config = folder / "tokenizer_config.json"
    config.write_text(config.read_text().replace('"do_lower_case": true', '"do_lower_case": false'))
    assert judge_class(find_model(str(folder)), "cpu", "float32") is MaskedJudge


def test_the_description_names_the_backend(pocket):
    light, _ = pocket
    assert foresee_pass(light.files, torch.device("cpu"), "float32") == light.computed_by
    line = "pocket: 22.7 M parameters, float32 on cpu, computed by packed pass without PyTorch"
    assert light.describe() == line
    assert light.describe(exact=True) == f"{line} (one pair at a time)"


def test_a_judge_with_a_missing_weight_is_refused(tmp_path):
    folder = save_symmetric(tmp_path)
    weights = {
        name: each for name, each in load_file(folder / "model.safetensors").items() if "transform.dense" not in name
    }
    save_file(weights, folder / "model.safetensors", {"parapluie": "parapluie-int8", "parapluie_version": "1"})
    (folder / "parapluie-model.json").unlink(missing_ok=True)
    with pytest.raises(ModelError, match=r"lacks weights that a judge needs \(cls\.predictions\.transform\.dense"):
        LightJudge.load(find_model(str(folder)))


def test_nothing_large_is_loaded():
    script = (
        "import sys; from parapluie_gui.pluie.judge import judge_class; "
        "from parapluie_gui.models.catalogue import find_model; "
        "from parapluie_gui.pluie.templates import load_templates; "
        "files = find_model('pocket'); judge = judge_class(files, 'cpu', 'float32').load(files, 'cpu', 'float32'); "
        "cloze = next(each for each in load_templates()[0] if each.name == 'CLOZE'); "
        "assert [one.score for batch in judge.scorer(cloze).score(['A cat.'], ['A cat.']) for one in batch][0] > 0; "
        "print([name for name in ('torch', 'transformers', 'scipy', 'pandas') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# Arithmetic


def test_gelu_matches_pytorch():
    x = np.concatenate([np.linspace(-12, 12, 200_001), [0, -1e4, 1e4, -1e30, 1e30]]).astype(np.float32)
    expected = torch.nn.functional.gelu(torch.tensor(x, dtype=torch.float64)).numpy()
    np.testing.assert_allclose(gelu(x.copy()), expected, rtol=1e-6, atol=1e-6)


def test_norm_matches_pytorch():
    x, scale, shift = (np.random.default_rng(0).normal(3, 2, shape).astype(np.float32) for shape in ((9, 64), 64, 64))
    expected = torch.nn.functional.layer_norm(
        *map(torch.tensor, (x,)), (64,), torch.tensor(scale), torch.tensor(shift), 1e-12
    )
    np.testing.assert_allclose(norm(x.copy(), scale, shift, 1e-12), expected.numpy(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("size", [1.0, 40.0])
def test_attention_matches_pytorch(size):
    """Includes products in the hundreds, whose exponentials overflow float32."""
    q, k, v = (np.random.default_rng(1).normal(0, size, (2, 7, 4)).astype(np.float32) for _ in range(3))
    bias = np.array([0.5, -2], np.float32)
    mask = torch.zeros(2, 7, 7)
    mask[:, :3, 3:] = mask[:, 3:, :3] = torch.tensor(bias)[:, None, None]
    out = np.empty_like(q)
    attend(q, k, v, out, bias, 3)
    expected = ((torch.tensor(q) @ torch.tensor(k).mT + mask).softmax(-1) @ torch.tensor(v)).numpy()
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-4 * size)


def test_the_processor_is_recognised_without_pytorch():
    probes = (torch.cpu._is_avx512_bf16_supported, torch.cpu._is_amx_tile_supported)
    assert cpu_has_fast_bfloat16() == any(probe() for probe in probes)
    assert foresee("cpu", "float32") == ("cpu", "float32")
    with pytest.raises(ModelError, match="no precision called float8"):
        foresee("cpu", "float8")
    with pytest.raises(ModelError, match="no device called abacus"):
        foresee("abacus", "auto")
