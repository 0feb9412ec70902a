"""The plan of a reading describes it in one line and repeats it without guessing."""

from __future__ import annotations

import json

import pytest

import parapluie_gui as pp
from parapluie_gui.pairs import open_text, read
from parapluie_gui.pairs.saved_plan import save_plan

pytestmark = pytest.mark.filterwarnings("ignore::parapluie_gui.ParapluieWarning")

TABLE = "premise_text\tother text\tquality\tyear\n" + "".join(
    f"The man number {n} walks home.\tHome walks the man number {n}.\t{n % 2}\t2001\n" for n in range(8)
)


def test_one_line_names_the_column_of_every_role_and_counts_labels(write):
    plan = read(write("x.tsv", TABLE)).plan
    roles = "source = premise_text, hypothesis = other text, label = quality (4 yes, 4 no), human score: none"
    assert str(plan) == f"{roles}, 1 more column"
    assert not plan.is_plain
    assert read(write("y.csv", "source,hypothesis\nA b,C d\n")).plan.is_plain


def test_the_options_of_a_plan_read_the_file_in_the_same_way(write):
    records = [
        json.dumps({"a": f"The man {n} walks home.", "b": f"Home walks man {n}.", "label": n / 2}) for n in range(9)
    ]
    sheet = "A title,,\n" + TABLE.replace("\t", ",")
    texts = [(f"The man {n} walks home.", f"Home walks man {n}.") for n in range(9)]
    outputs = "text\tnew_a\tnew_b\tlabel\n" + "".join(f"{a}\t{b}\tSo {b}\t1\n" for a, b in texts)
    judgements = "text1\ttext2\tworker\trating\n" + "".join(
        f"{a}\t{b}\tW{worker}\t{worker}\n" for a, b in texts for worker in range(2)
    )
    triplets = "\n".join(json.dumps({"anchor": a, "positive": b, "negative": a[::-1]}) for a, b in texts)
    shapes = (write("o.tsv", outputs), write("j.tsv", judgements), write("t.jsonl", triplets))
    for path in (*shapes, write("x.tsv", TABLE), write("x.jsonl", "\n".join(records)), write("x.csv", sheet)):
        first = pp.read(path)
        again = pp.read(path, **first.plan.options())
        assert (again.source, again.hypothesis, again.group) == (first.source, first.hypothesis, first.group)
        assert list(again.annotators) == list(first.annotators)
        assert str(again.plan) == str(first.plan)


def test_a_layout_is_repeated_by_name(write):
    path = write("x.data", "51\tTopic\tThe man walks.\tA man walks.\t(4, 1)\tA\tB\n" * 3)
    plan = pp.read(path).plan
    assert plan.options() == {"layout": "pit"}
    assert pp.read(path, **plan.options()).label.tolist() == [1, 1, 1]


def test_the_line_names_the_shape_and_a_header_further_down():
    text = "text1,text2,worker,rating\n" + "".join(
        f"The man {n} walks.,A man walks {n}.,W{w},{w}\n" for n in range(3) for w in range(2)
    )
    assert str(open_text(text).read().plan).startswith("one row per judgement, source = text1")
    assert str(open_text("Title,\n,\n" + text).read().plan).startswith("header in line 3")


def test_python_warns_of_sentences_that_were_recognised_by_their_contents(write):
    with pytest.warns(pp.ParapluieWarning, match="source = premise_text, hypothesis = other text"):
        assert pp.read(write("x.tsv", TABLE)).plan.by_content
    assert not pp.read(write("y.tsv", TABLE.replace("premise_text\tother text", "text1\ttext2"))).plan.by_content


ASKED = "original,first try,second try,mark\n" + "".join(
    f"The man number {n} walks home.,Home walks man {n}.,Man {n} goes home.,{n % 3}\n" for n in range(9)
)
CHOICES = {"source": "original", "hypothesis": "second try", "label": "mark", "positive": ["2"]}


def test_a_plan_saved_under_a_name_reads_other_files_with_its_columns(write):
    first = pp.read(write("a.csv", ASKED), **CHOICES, save_plan="tries")
    again = pp.read(write("b.csv", ASKED), plan="tries")
    assert again.hypothesis == first.hypothesis
    assert again.label.tolist() == first.label.tolist()
    assert str(again.plan).startswith('saved plan "tries", source = original, hypothesis = second try')
    assert pp.read(write("c.csv", ASKED), plan="tries", hypothesis="first try").hypothesis[0] == "Home walks man 0."


def test_a_plan_saved_next_to_a_file_is_applied_and_reported(write):
    path = write("a.csv", ASKED)
    first = pp.read(path, **CHOICES, save_plan="beside")
    assert path.with_name("a.csv.plan.json").is_file()
    with pytest.warns(pp.ParapluieWarning, match=r'saved plan "a.csv.plan.json", source = original'):
        again = pp.read(path)
    assert again.label.tolist() == first.label.tolist()
    assert read(path).hypothesis == first.hypothesis
    assert pp.read(path, plan="none", **{**CHOICES, "label": "none"}).label is None


def test_a_plan_keeps_layout_people_missing_values_and_a_file_without_header(write):
    plain = write("x.tsv", "The man walks.\tA man walks.\t3\nHe sits here.\tHe sat here.\t9\n")
    first = pp.read(plain, source="1", hypothesis="2", human="3", missing=["9"], header="none", save_plan="plain")
    assert pp.read(plain, plan="plain").human[0] == first.human[0] == 3
    rows = "text1,text2,who,mark\n" + "".join(
        f"A man {n} is here.,Man {n} is here.,W{w},1\n" for n in "ab" for w in "xy"
    )
    people = pp.read(write("j.csv", rows), role={"person": "who", "answer": "mark"}, save_plan="people")
    assert list(pp.read(write("k.csv", rows), plan="people").annotators) == list(people.annotators) != []
    marked = write("m.csv", "source,hypothesis,Anna,Ben\nA man.,One man.,4,2\nA dog.,One dog.,1,2\n")
    graded = pp.read(marked, annotator=["Anna=3", "Ben=3"], save_plan="graded")
    assert pp.read(marked, plan="graded").annotators == graded.annotators == {"Anna": 3, "Ben": 3}


def test_a_question_offers_the_plans_for_the_same_columns(write):
    text = ASKED.replace(",mark", ",label")
    pp.read(write("a.csv", text), **{**CHOICES, "label": "label"}, save_plan="tries of A")
    with pytest.raises(pp.ParapluieError, match=r'saved for these columns \(plan="tries of A"\)'):
        pp.read(write("b.csv", text))
    with pytest.raises(pp.ParapluieError, match=r"^((?!saved for).)*$"):
        pp.read(write("c.csv", text.replace("original", "at first")))


def test_a_plan_that_cannot_be_used_is_refused_with_advice(write, tmp_path):
    with pytest.raises(pp.ParapluieError, match="Save one first"):
        pp.read(write("a.csv", ASKED), plan="no such plan")
    for name in ("", "none", "a/b", "../b", ".b"):
        corpus = pp.read(write("a.csv", ASKED), **CHOICES)
        with pytest.raises(pp.ParapluieError, match="cannot be called"):
            save_plan(corpus.plan, name)
    path = write("a.csv", ASKED)
    pp.read(path, **CHOICES, save_plan="beside")
    write("a.csv", ASKED.replace("second try", "third try"))
    with pytest.raises(pp.ParapluieError, match=r'names a column "second try", which it does not have. Move that plan'):
        pp.read(path)
    write("a.csv.plan.json", '{"columns": [], "options": {"shape": "errors"}}')
    with pytest.raises(pp.ParapluieError, match=r"or do not use the reading plan a.csv.plan.json\."):
        pp.read(path)
    endless = json.dumps({"columns": [], "options": {"encoding": "x" * 10**6}})
    for damage in (endless, "[1", "[]", '{"columns": [], "options": {"source": [[]]}}'):
        write("a.csv.plan.json", damage)
        with pytest.raises(pp.ParapluieError, match=r"a.csv.plan.json is not"):
            pp.read(path)


@pytest.mark.parametrize(
    "options",
    [
        {"delimiter": 5},
        {"encoding": 7},
        {"positive": 1},
        {"positive": [1]},
        {"annotator": 3},
        {"missing": {"a": "b"}},
        {"role": "source"},
        {"header": -1},
        {"source": 3},
        {"reference": {"a": "b"}},
        {"judge": "pocket"},
    ],
)
def test_a_plan_with_values_that_no_option_has_is_refused(write, options):
    path = write("x.tsv", TABLE)
    columns = TABLE.split("\n")[0].split("\t")
    path.with_name("x.tsv.plan.json").write_text(json.dumps({"columns": columns, "options": options}))
    with pytest.raises(pp.ParapluieError, match=r"x.tsv.plan.json is not a reading plan"):
        read(path)
    assert len(read(path, plan="none")) == 8


def test_a_plan_with_the_header_below_the_last_row_is_refused(write):
    path = write("x.tsv", TABLE)
    columns = TABLE.split("\n")[0].split("\t")
    saved = {"columns": columns, "options": {"header": 999_999}}
    path.with_name("x.tsv.plan.json").write_text(json.dumps(saved))
    for options in ({}, {"plan": "none", "header": 10}):
        with pytest.raises(pp.ParapluieError, match=r"is not the line number of a header. Write a number from 1 to 9,"):
            pp.read(path, **options)
