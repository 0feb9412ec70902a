"""A source with several outputs is one pair per output, with the output's position as the group."""

from __future__ import annotations

import json

from parapluie_gui.pairs import open_text, read

TEXTS = [
    ("The lamp stands on the desk.", "A lamp is standing on the table.", "On the desk there is a lamp."),
    ("Two boys throw a ball.", "A ball is thrown by two boys.", "A ball is being thrown by boys."),
    ("She never drinks tea.", "She drinks tea every day.", "Tea is never drunk by her."),
    ("The train left at noon.", "At midday the train departed.", "The train went away at noon."),
]


def test_columns_that_differ_in_a_counter_are_outputs():
    text = "toxic_comment\tneutral1\tneutral2\tneutral3\n" + "".join("\t".join(row) + "\t\n" for row in TEXTS)
    corpus = open_text(text).read()
    assert len(corpus) == 8
    assert corpus.source[:2] == [TEXTS[0][0]] * 2
    assert corpus.hypothesis[:2] == list(TEXTS[0][1:])
    assert corpus.group[:2] == ["neutral1", "neutral2"]
    assert corpus.plan.shape == "outputs"


def test_by_default_a_label_of_the_row_is_not_a_label_of_its_pairs():
    text = "text\tlabel\trewrite_a\trewrite_b\n" + "".join(
        f"{a}\t{at % 2}\t{b}\t{c}\n" for at, (a, b, c) in enumerate(TEXTS)
    )
    corpus = open_text(text).read()
    assert (len(corpus), corpus.label) == (8, None)
    named = open_text(text, roles=(("source", "text"), ("hypothesis", "rewrite_a"))).read()
    assert (len(named), named.label.tolist()) == (4, [0, 1, 0, 1])
    assert "label = label (2 yes, 2 no)" in str(named.plan)


def test_a_list_of_outputs_in_json_becomes_pairs(write):
    lines = "\n".join(json.dumps({"input": a, "paraphrases": [b, c], "n": 1}) for a, b, c in TEXTS)
    corpus = read(write("x.jsonl", lines))
    assert (len(corpus), corpus.group[:2]) == (8, ["paraphrases 1", "paraphrases 2"])


def test_an_object_of_sentences_with_their_paraphrases_becomes_pairs(write):
    corpus = read(write("x.json", json.dumps({a: [b, c] for a, b, c in TEXTS}, indent=1)))
    assert (len(corpus), corpus.source[1], corpus.hypothesis[1]) == (8, TEXTS[0][0], TEXTS[0][2])
    assert corpus.plan.shape == "outputs"


def test_a_triplet_is_a_paraphrase_and_a_different_sentence():
    text = "anchor\tpositive\tnegative\n" + "".join("\t".join(row) + "\n" for row in TEXTS)
    corpus = open_text(text).read()
    assert (len(corpus), corpus.label.tolist()[:4]) == (8, [1, 0, 1, 0])


def test_a_source_and_one_numbered_column_are_a_pair():
    text = "source\thypothesis 1\n" + "".join(f"{a}\t{b}\n" for a, b, _ in TEXTS)
    corpus = open_text(text, shape="pairs").read()
    assert len(corpus) == 4


def test_lists_of_positives_and_negatives_are_labelled(write):
    lines = "\n".join(json.dumps({"query": a, "pos": [b], "neg": [c, "Something else."]}) for a, b, c in TEXTS)
    corpus = read(write("x.jsonl", lines))
    assert corpus.label.tolist() == [1, 0, 0] * 4


def test_systems_in_columns_are_outputs():
    text = "source\treference\tsysA\tsysB\n" + "".join(f"{a}\t{b}\t{c}\tSo {c}\n" for a, b, c in TEXTS)
    corpus = open_text(text).read()
    assert (len(corpus), corpus.reference[0], corpus.group[:2]) == (8, TEXTS[0][1], ["sysA", "sysB"])


def test_outputs_that_are_objects_are_read_by_their_text(write):
    beams = [{"source": a, "beams": [{"text": b, "score": -0.5}, {"text": c, "score": -1}]} for a, b, c in TEXTS]
    corpus = read(write("x.jsonl", "\n".join(map(json.dumps, beams))))
    assert (len(corpus), corpus.hypothesis[1]) == (8, TEXTS[0][2])
    assert corpus.plan.remarks == ('only "text" of "beams" was read, not score',)
    generated = [{"input": a, "outputs": [{"generated_text": b}]} for a, b, _ in TEXTS]
    assert len(read(write("y.json", json.dumps(generated)))) == 4


def test_four_columns_of_related_sentences_without_a_header_are_outputs():
    rows = [
        (str(at), f"The {word} stands on the desk.", f"A {word} stands on a desk.", f"On the desk is a {word}.", text)
        for at, (word, text) in enumerate([("lamp", "A lamp is here."), ("cup", "The cup, on a desk."), ("cat", "")])
    ]
    corpus = open_text("\n".join("\t".join(row) for row in rows) + "\n").read()
    assert len(corpus) == 8
    assert corpus.plan.shape == "outputs" and corpus.plan.header == 0
    assert corpus.source[0] == "The lamp stands on the desk."
    assert corpus.group[:3] == ["column 3", "column 4", "column 5"]
