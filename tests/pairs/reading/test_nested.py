"""Objects and lists inside the cells of JSON become columns."""

from __future__ import annotations

import json

from parapluie_gui.pairs import read

TEXTS = [
    ("The lamp stands on the desk.", "A lamp is standing on the desk."),
    ("Two boys throw a ball.", "A ball is thrown by two boys."),
    ("She never drinks tea.", "She drinks no tea."),
    ("The train left at noon.", "At noon the train departed."),
]


def lines(*records: object) -> str:
    return "\n".join(map(json.dumps, records))


def test_samples_of_an_evaluation_have_the_pair_in_doc(write):
    docs = [{"sentence1": a, "sentence2": b, "label": at % 2} for at, (a, b) in enumerate(TEXTS)]
    records = [{"doc_id": 0, "doc": doc, "target": " yes", "resps": [[["-0.3", "False"]]], "acc": 1.0} for doc in docs]
    corpus = read(write("samples.jsonl", lines(*records)))
    assert (corpus.source[0], corpus.label.tolist(), corpus.reference) == (TEXTS[0][0], [0, 1, 0, 1], None)
    assert list(corpus.extra) == ["doc_id", "target", "resps", "acc"]


def test_several_labels_in_an_object_become_columns(write):
    labels = [{"label": at + 0.2, "binary-label": at % 2} for at in range(4)]
    records = [{"sentence1": a, "sentence2": b, "labels": own} for (a, b), own in zip(TEXTS, labels, strict=True)]
    corpus = read(write("x.json", json.dumps(records)))
    assert (corpus.human.tolist(), corpus.label.tolist()) == ([0.2, 1.2, 2.2, 3.2], [0, 1, 0, 1])


def test_several_references_in_a_list_become_columns(write):
    records = [
        {"source": a, "references": [b, f"Or: {b}"][: 1 + at % 2], "hypothesis": b} for at, (a, b) in enumerate(TEXTS)
    ]
    corpus = read(write("x.jsonl", lines(*records)))
    assert corpus.reference == [b for _, b in TEXTS]
    assert corpus.extra["reference 2"].cells() == [None, f"Or: {TEXTS[1][1]}", None, f"Or: {TEXTS[3][1]}"]


def test_an_object_of_ids_with_lists_of_records_is_read(write):
    data = {f"x.{at}": [{"premise": a, "hypothesis": b}] for at, (a, b) in enumerate(TEXTS)}
    data["x.9"] = [{"premise": a, "hypothesis": b} for a, b in TEXTS[:2]]
    corpus = read(write("x.json", json.dumps(data)))
    assert corpus.id == ["x.0", "x.1", "x.2", "x.3", "x.9.0", "x.9.1"]


def test_objects_with_many_different_members_stay_texts(write):
    records = [
        {"source": a, "hypothesis": b, "more": {f"k{at}{n}": n for n in range(50)}} for at, (a, b) in enumerate(TEXTS)
    ]
    assert list(read(write("x.jsonl", lines(*records))).extra) == ["more"]


def test_records_are_read_from_the_only_list_of_an_object(write):
    data = [{"sentence1": a, "sentence2": b} for a, b in TEXTS]
    assert len(read(write("x.json", json.dumps({"data": data})))) == 4


def test_records_next_to_metadata_are_read(write):
    data = [{"row_idx": 0, "row": {"sentence1": a, "sentence2": b}} for a, b in TEXTS]
    for indent in (None, 1):
        text = json.dumps({"features": [{"name": "sentence1"}], "rows": data, "num_rows_total": 4}, indent=indent)
        assert read(write("viewer.json", text)).source == [a for a, _ in TEXTS]


def test_lists_of_cells_are_rows_without_names(write):
    corpus = read(write("x.json", json.dumps([[a, b, at % 2] for at, (a, b) in enumerate(TEXTS)])))
    assert (corpus.source[0], corpus.label.tolist(), corpus.plan.header) == (TEXTS[0][0], [0, 1, 0, 1], None)
