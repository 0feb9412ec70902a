"""The names of scores as shown to people."""

from __future__ import annotations

import pytest

from parapluie_gui.analysis.names import further_names, shown_name, shown_names
from parapluie_gui.scores.identity import identify
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable


@pytest.mark.parametrize(
    ("column", "judge", "name"),
    [
        ("pluie.fs-direct", "smollm2-135m", "FS-DIRECT · SmolLM2"),
        ("pluie.fs-direct", "", "ParaPLUIE FS-DIRECT"),
        ("pluie.p1-icl_k4", "org/Judge-7B", "P1, four examples · Judge-7B"),
        ("pluie.cloze", "pocket", "Pocket"),
        ("pluie.cloze", "other-encoder", "CLOZE · other-encoder"),
        ("pluie.mine", "pocket", "MINE · Pocket"),
        ("pluie.cloze.reverse", "pocket", "Pocket (reverse)"),
        ("pluie.cloze.gap", "pocket", "Pocket (gap)"),
        ("pluie.cloze.p_yes", "pocket", "Pocket, p(yes)"),
        ("pluie.p1.gap", "http://127.0.0.1:8000/v1#org/Served", "P1 · Served (gap)"),
        ("external.p_no", "", "external, p(no)"),
        ("edit_distance", "pocket", "Edit distance"),
        ("bleu.ref", "", "BLEU vs reference"),
        ("external.closer_lower.gpt4", "", "gpt4"),
        ("external.ref.gpt4", "", "gpt4 vs reference"),
        ("human", "", "Human score"),
        ("of the file", "", "of the file"),
    ],
)
def test_scores_have_readable_names(column, judge, name):
    assert shown_name(identify(column).with_judge(judge)) == name


def test_several_judges_are_distinguished_by_their_differences():
    table = ScoreTable(1)
    made = [("smollm2-135m", "float32"), ("org/Judge-7B", "bfloat16"), ("smollm2-135m", "bfloat16"), ("pocket", "int8")]
    for judge, precision in made:
        column = "pluie.cloze" if judge == "pocket" else "pluie.direct"
        table.declare(column, Signature.from_fields(column, {"name": column, "model": judge, "precision": precision}))
    names = ["DIRECT · SmolLM2 · float32", "DIRECT · Judge-7B", "DIRECT · SmolLM2 · bfloat16", "Pocket"]
    assert list(shown_names(table).values()) == names


@pytest.mark.parametrize(
    ("made", "names"),
    [
        (
            [("smollm2-135m", "float32", "a", ""), ("SmolLM2-135M-Instruct.Q4_K_M", "llama.cpp", "b", "")],
            ["DIRECT · SmolLM2", "DIRECT · SmolLM2-135M-Instruct · Q4_K_M"],
        ),
        (
            [("Mistral-7B.Q8_0", "llama.cpp", "a", ""), ("me/M:Mistral-7B-q4_0.gguf", "llama.cpp", "b", "")],
            ["DIRECT · Mistral-7B · Q8_0", "DIRECT · Mistral-7B · Q4_0"],
        ),
        (
            [("model", "llama.cpp", "a", "Q4_K_M"), ("model", "llama.cpp", "b", "Q8_0")],
            ["DIRECT · model · Q4_K_M", "DIRECT · model · Q8_0"],
        ),
        (
            [("model", "llama.cpp", "one", "Q8_0"), ("model", "llama.cpp", "two", "Q8_0")],
            ["DIRECT · model · Q8_0 · one", "DIRECT · model · Q8_0 · two"],
        ),
    ],
)
def test_names_of_quantised_judges_include_the_quantisation(made, names):
    table = ScoreTable(1)
    for judge, precision, revision, weights in made:
        fields = {"model": judge, "precision": precision, "revision": revision, "weights": weights}
        table.declare(
            "pluie.direct", Signature.from_fields("pluie.direct", {key: each for key, each in fields.items() if each})
        )
    assert list(shown_names(table).values()) == names
    assert "SmolLM2-135M.Q4_1 · DIRECT" in further_names(identify("pluie.direct").with_judge("SmolLM2-135M.Q4_1"))


def test_a_users_metric_has_its_authors_title():
    fields = {"name": "user", "title": "Mine", "closer": "lower"}
    assert shown_name(identify("user.mine", Signature.from_fields("user.mine", fields))) == "Mine"
    against = Signature.from_fields("user.ref.mine", {**fields, "against": "reference"})
    assert shown_name(identify("user.ref.mine", against)) == "Mine vs reference"
