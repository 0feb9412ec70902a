"""The plan of a reading describes it in one line and repeats it without guessing."""

from __future__ import annotations

import json

import pytest

import parapluie_gui as pp
from parapluie_gui.pairs import open_text, read

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


def test_python_warns_of_sentences_that_were_recognised_by_what_is_in_them(write):
    with pytest.warns(pp.ParapluieWarning, match="source = premise_text, hypothesis = other text"):
        assert pp.read(write("x.tsv", TABLE)).plan.by_content
    assert not pp.read(write("y.tsv", TABLE.replace("premise_text\tother text", "text1\ttext2"))).plan.by_content
