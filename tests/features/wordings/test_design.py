"""The combinations of a sweep as templates: what is known keeps its name, what is new is named after its words."""

from __future__ import annotations

from itertools import product

import pytest

from parapluie_gui.errors import TemplateError
from parapluie_gui.features.wordings.design import HYPOTHESIS_FIRST, ORDERS, SOURCE_FIRST, Design, read_answers
from parapluie_gui.pluie.examples import Drawer
from parapluie_gui.pluie.templates import find_templates, load_templates

TEMPLATES = load_templates()[0]
DIRECT, P1, CLOZE, INDIRECT = find_templates(("DIRECT", "P1", "CLOZE", "INDIRECT"), TEMPLATES)


@pytest.fixture
def labelled(tmp_path):
    path = tmp_path / "train.tsv"
    path.write_text("source\thypothesis\tlabel\n" + "".join(f"s{n}\th{n}\t{n % 2}\n" for n in range(12)))
    return path


def test_every_combination_is_a_template_and_the_last_factor_varies_fastest(labelled):
    design = Design((DIRECT, P1), (("Yes", "No"), ("yes", "no")), ORDERS, (0, 4), labelled)
    made = design.templates()
    assert design.levels == (("DIRECT", "P1"), ("Yes/No", "yes/no"), ORDERS, ("0", "4"))
    assert len(made) == 16 == len({template.column for template in made})
    for template, (wording, answers, order, count) in zip(made, product(*design.levels), strict=True):
        assert template.name.startswith(wording)
        assert f"{template.yes}/{template.no}" == answers
        assert template.name.endswith(",reverse") == (order == HYPOTHESIS_FIRST)
        assert (template.examples is not None) == (count == "4")


def test_a_template_as_it_stands_keeps_its_name_so_that_its_scores_are_known():
    made = Design((DIRECT,), (("Yes", "No"), ("true", "false")), ORDERS).templates()
    assert made[0] == DIRECT and made[1] == DIRECT.reversed()
    assert made[2].name == f"DIRECT.{made[2].digest}"
    alone = Design((DIRECT, P1), (("true", "false"),)).templates()
    assert alone[0] == made[2], "the same question has the same name in another sweep"


def test_examples_stand_before_the_question_as_it_asks_and_with_its_answers(labelled):
    (made,) = Design((DIRECT,), (("ja", "nein"),), (SOURCE_FIRST,), (3,), labelled).templates()
    assert made.turns[-1].text == '{examples}A: "{source}"; B: "{hypothesis}"'
    assert made.turns[:-1] == DIRECT.turns[:-1]
    assert (made.examples.positives, made.examples.negatives) == (2, 1)
    drawn = Drawer(made.name, made.examples, made.yes, made.no).draw("a", "b").split("\n\n")
    assert [each.rpartition("\n")[2] for each in drawn if each] == ["ja", "nein", "ja"]
    assert drawn[0].startswith('A: "s')


@pytest.mark.parametrize(
    ("wording", "why"),
    [(CLOZE, "it is a cloze"), (INDIRECT, "no single turn holds both sentences and asks for the answer at once")],
)
def test_a_wording_that_takes_no_examples_is_refused(wording, why, labelled):
    with pytest.raises(TemplateError, match=f"^{wording.name} takes no solved examples: {why}. "):
        Design((wording,), examples=(0, 2), file=labelled).templates()


def test_examples_need_a_file(tmp_path):
    with pytest.raises(TemplateError, match="are drawn from a file"):
        Design((DIRECT,), examples=(2,)).templates()
    with pytest.raises(TemplateError, match="the examples cannot be read"):
        Design((DIRECT,), examples=(2,), file=tmp_path / "none.tsv").templates()


def test_answers_are_read_each_pair_once():
    assert read_answers(["Yes/No", " yes / no ", "Yes/No"]) == (("Yes", "No"), ("yes", "no"))
    for text in ("Yes", "Yes/", "/No", "Yes/No/Maybe", "Yes/Yes"):
        with pytest.raises(TemplateError, match="is no pair of answers"):
            read_answers([text])
