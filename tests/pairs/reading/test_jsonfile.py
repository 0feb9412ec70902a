from __future__ import annotations

import pytest

from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs import open_corpus, read


def test_lists_objects_and_lines_of_json_are_read(write):
    line = '{"source": "A", "hypothesis": "B", "label": true, "n": 3, "x": null, "deep": [1, "é"]}'
    for name, text in (
        ("a.jsonl", line + "\n\n" + line),
        ("b.json", f"[{line},\n{line}]"),
        ("c.json", f"{line}\n{line}"),
    ):
        corpus = read(write(name, text))
        assert len(corpus) == 2
        assert corpus.label.tolist() == [1, 1]
        assert dict(corpus.pair(0).extra) == {"n": 3, "x": None, "deep": '[1, "é"]'}
    keyed = read(
        write("d.json", '{"k1": {"source": "A", "hypothesis": "B"}, "k2": {"source": "C", "hypothesis": "D"}}')
    )
    assert keyed.id == ["k1", "k2"]
    assert open_corpus(write("a.jsonl", line)).preview.kind == "json lines"


def test_line_numbers_are_right_in_indented_json(write):
    text = (
        '[\n  {\n    "source": "A",\n    "hypothesis": "B"\n  },\n  {\n    "source": "",\n    "hypothesis": ""\n  }\n]'
    )
    corpus = read(write("a.json", text))
    assert [(item.line, item.reason) for item in corpus.skipped] == [(6, "neither source nor hypothesis")]


def test_records_may_have_different_members(write):
    corpus = read(write("a.jsonl", '{"s1": "A", "s2": "B"}\n{"s1": "C", "s2": "D", "label": 0}\n'))
    assert corpus.label.tolist() == [-1, 0]


def test_lone_surrogates_are_skipped(write):
    corpus = read(
        write(
            "a.jsonl",
            '{"s1": "A\\ud800", "s2": "B"}\n{"s1": "C\\u0000", "s2": "B"}\n{"s1": "D", "s2": "E", "n": "x\\udfff"}\n',
        )
    )
    assert corpus.source == ["D"]
    assert corpus.extra == {"n": ["x?"]}
    assert [item.line for item in corpus.skipped] == [1, 2]


@pytest.mark.parametrize(
    ("name", "text", "line", "words"),
    [
        ("a.json", '[{"s1": "A", "s2": "B"},\n {"s1": "C', 2, "column"),
        ("a.json", '[{"s1": "A", "s2": "B"},\n', 2, "prematurely"),
        ("a.json", '[{"s1": "A", "s2": "B"}\n {"s1": 1}]', 2, "comma"),
        ("a.json", '[{"s1": "A", "s2": "B"}] x', 1, "more text"),
        ("a.json", '[["A"]]', 1, "a list, not a record"),
        ("a.json", '{"data": [{"s1": "A"}, 1]}', 1, '"data" is a list'),
        ("a.json", '"text"', 1, "JSON without records"),
        ("a.json", "[]", None, "no record"),
        ("a.json", "{}", None, "no record"),
        ("a.jsonl", '{"s1": "A", "s2": "B"}\n{"s1": "C"', 2, "column"),
        ("a.jsonl", '{"s1": "A", "s2": "B"}\n[1]\n', 2, "a list"),
        ("a.jsonl", '{"s1": "A", "s1": "B", "s2": "C"}\n', 1, '"s1" twice'),
        ("a.json", '[{"s1": "A", "s1": "B", "s2": "C"}]', 1, '"s1" twice'),
        ("a.json", "[" * 100_000, None, "JSON"),
        ("a.json", '[{"s1": "A", "s2": "B", "label": "x"}]', 1, "not a label"),
    ],
)
def test_broken_json_is_reported_with_its_place(write, name, text, line, words):
    with pytest.raises(CorpusError) as caught:
        read(write(name, text))
    assert words in str(caught.value)
    if line is not None:
        assert caught.value.line == line


def test_a_table_that_begins_with_a_brace_is_not_json(write):
    assert read(write("a.csv", "source,hypothesis\n{A},[B]\n")).source == ["{A}"]


def test_json_lines_may_contain_unicode_line_separators_in_their_texts(tmp_path):
    lines = ['{"source": "It\u2028rains.", "hypothesis": "Rain falls."}', '{"source": "A\x85b", "hypothesis": "c"}']
    (tmp_path / "pairs.json").write_text("\n".join(lines), encoding="utf-8")
    assert list(read(tmp_path / "pairs.json").source) == ["It\u2028rains.", "A\x85b"]
