"""The templates of a factorial design: unchanged ones keep their names, changed ones have a digest."""

from __future__ import annotations

from itertools import product

import pytest

from parapluie_gui.errors import TemplateError
from parapluie_gui.features.wordings.design import HYPOTHESIS_FIRST, ORDERS, SOURCE_FIRST, FactorialDesign, read_answers
from parapluie_gui.pluie.examples import ExampleDrawer
from parapluie_gui.pluie.templates import find_templates, load_templates

TEMPLATES = load_templates()[0]
DIRECT, P1, CLOZE, INDIRECT = find_templates(("DIRECT", "P1", "CLOZE", "INDIRECT"), TEMPLATES)


@pytest.fixture
def labelled(tmp_path):
    path = tmp_path / "train.tsv"
    path.write_text("source\thypothesis\tlabel\n" + "".join(f"s{n}\th{n}\t{n % 2}\n" for n in range(12)))
    return path


def test_every_combination_is_a_template_and_the_last_factor_varies_fastest(labelled):
    design = FactorialDesign((DIRECT, P1), (("Yes", "No"), ("yes", "no")), ORDERS, (0, 4), labelled)
    templates = design.templates()
    assert design.levels == (("DIRECT", "P1"), ("Yes/No", "yes/no"), ORDERS, ("0", "4"))
    assert len(templates) == 16 == len({template.column for template in templates})
    for template, (wording, answers, order, count) in zip(templates, product(*design.levels), strict=True):
        assert template.name.startswith(wording)
        assert f"{template.yes}/{template.no}" == answers
        assert template.name.endswith(",reverse") == (order == HYPOTHESIS_FIRST)
        assert (template.examples is not None) == (count == "4")


def test_an_unchanged_template_keeps_its_name_and_its_stored_scores():
    templates = FactorialDesign((DIRECT,), (("Yes", "No"), ("true", "false")), ORDERS).templates()
    assert templates[0] == DIRECT and templates[1] == DIRECT.swap_sentences()
    assert templates[2].name == f"DIRECT.{templates[2].digest}"
    alone = FactorialDesign((DIRECT, P1), (("true", "false"),)).templates()
    assert alone[0] == templates[2], "the same question has the same name in a second sweep"


def test_examples_precede_the_question_in_its_form_with_its_answers(labelled):
    (templates,) = FactorialDesign((DIRECT,), (("ja", "nein"),), (SOURCE_FIRST,), (3,), labelled).templates()
    assert templates.turns[-1].text == '{examples}A: "{source}"; B: "{hypothesis}"'
    assert templates.turns[:-1] == DIRECT.turns[:-1]
    assert (templates.examples.positives, templates.examples.negatives) == (2, 1)
    drawn = ExampleDrawer(templates.name, templates.examples, templates.yes, templates.no).draw("a", "b").split("\n\n")
    assert [each.rpartition("\n")[2] for each in drawn if each] == ["ja", "nein", "ja"]
    assert drawn[0].startswith('A: "s')


@pytest.mark.parametrize(
    ("wording", "why"),
    [(CLOZE, "it is a cloze"), (INDIRECT, "no single turn contains both sentences and asks for the answer")],
)
def test_a_wording_that_cannot_have_examples_is_refused(wording, why, labelled):
    with pytest.raises(TemplateError, match=f"^{wording.name} cannot have solved examples: {why}. "):
        FactorialDesign((wording,), examples=(0, 2), file=labelled).templates()


def test_examples_need_a_file(tmp_path):
    with pytest.raises(TemplateError, match="are drawn from a file"):
        FactorialDesign((DIRECT,), examples=(2,)).templates()
    with pytest.raises(TemplateError, match="the examples cannot be read"):
        FactorialDesign((DIRECT,), examples=(2,), file=tmp_path / "none.tsv").templates()


def test_distinct_pairs_of_answers_are_read():
    assert read_answers(["Yes/No", " yes / no ", "Yes/No"]) == (("Yes", "No"), ("yes", "no"))
    for text in ("Yes", "Yes/", "/No", "Yes/No/Maybe", "Yes/Yes"):
        with pytest.raises(TemplateError, match="is not a pair of answers"):
            read_answers([text])
