"""Search patterns: compared with searching each text alone, and endless expressions."""

from __future__ import annotations

import time

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from waiting import in_time

from parapluie_gui.analysis import pattern
from parapluie_gui.analysis.pattern import compile_pattern
from parapluie_gui.errors import FilterError

TEXTS = ["The cat sat.", "A cathedral, the\nend", "", "STRASSE und Straße", "the  old the cat"]


def matches(text: str, whole: bool = False) -> list[str]:
    return [TEXTS[row][start:end] for row, start, end in compile_pattern(text, whole).spans(TEXTS).tolist()]


def test_words_are_found_ignoring_case_and_whole_on_request():
    assert matches("CAT") == ["cat", "cat", "cat"]
    assert matches("cat", whole=True) == ["cat", "cat"]
    assert matches("*at", whole=True) == matches("/\\w*at\\b/i") and matches("ca*", whole=True) == matches(
        "/\\bca\\w*/i"
    )
    assert matches("the *", whole=True) == matches("/\\bthe\\s+\\w+/i")
    assert matches("straße") == ["STRASSE", "Straße"]
    assert matches("the old") == ["the  old"]
    assert matches("(?") == []


def test_expressions_are_case_sensitive_by_default():
    assert matches("/the c\\w+/") == ["the cat"]
    assert matches("/the \\w+/i") == ["The cat", "the\nend", "the cat"]
    assert matches("/^the/i") == ["The", "the"]
    assert matches("/x*/") == []


AROUND = [r"(?<=\s)b", r"a(?!b)", r"\Aa", r"b\Z", "a++b"]
JOINED = [
    r"a\s*b",
    r"[^a]+",
    r"\W+",
    "b$",
    "^a",
    "^",
    "$",
    "^$",
    "a*",
    "(a|b*)$",
    r"\s\S",
    "a.b",
    "(?s)a.b",
    r"(.)\1",
    "é",
]


@given(
    st.lists(st.text("ab \néÉ\r\u2028\u0301😀", max_size=6), max_size=12),
    st.sampled_from([*AROUND, *JOINED]),
)
def test_joined_texts_give_the_results_of_single_texts(texts, body):
    each = regex.compile(body, regex.MULTILINE)
    plain = texts if body in AROUND else [text.replace("\n", " ") for text in texts]
    expected = [[row, *m.span()] for row, text in enumerate(plain) for m in each.finditer(text) if m.group()]
    assert compile_pattern(f"/{body}/").spans(texts).tolist() == expected


def test_endless_expressions_are_stopped(monkeypatch):
    monkeypatch.setattr(pattern, "SECONDS", 0.2)
    begun = time.monotonic()
    with pytest.raises(FilterError, match="takes too long"):
        list(compile_pattern(r"/(a|aa|a\w)+$/").spans(["a" * 60 + "!"] * 3))
    assert time.monotonic() - begun < in_time(20)


@pytest.mark.parametrize(("text", "words"), [("/a(/", "character"), ("/a/x", "no meaning"), ("  ", "nothing")])
def test_invalid_expressions_are_explained(text, words):
    with pytest.raises(FilterError, match=words):
        compile_pattern(text)


def test_a_search_can_be_stopped():
    def tick(done: int) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        list(compile_pattern("a").spans(["a"] * 10, tick))


HOLDING = {
    "a repetition of billions": ("/a{2147483648}/", "has more than"),
    "written with noughts": ("/a{" + "0" * 20 + "99999}/", "has more than"),
    "repetition within repetition": ("/((a{1000}){1000}){1000}/", "has more than"),
    "small ones within each other": ("/((((((((((a{5}){5}){5}){5}){5}){5}){5}){5}){5}){5})/", "has more than"),
    "a set that hides a bracket": (r"/((a[)]{1000}){1000}){1000}/", "has more than"),
    "a group that calls itself": ("/((?1)a|b)/", "refers recursively to one of its groups"),
    "an expression that calls itself": ("/a(?R)?b|(?R)/", "refers recursively to one of its groups"),
    "a named call": ("/(?P<n>a(?&n)*)/", "refers recursively to one of its groups"),
    "three thousand brackets": ("/" + "(" * 2400 + ")" * 2400 + "/", "nested groups"),
    "flags that exclude each other": ("/(?au)x/", "cannot be understood"),
    "another syntax": ("/(?V1)[a[(]]/", "flag V or x"),
    "comments": ("/(?ix)a # {/", "flag V or x"),
    "very many words": ("/" + "|".join(f"w{number}" for number in range(100_000)) + "/", "5,000 characters"),
}


@pytest.mark.parametrize("what", HOLDING)
def test_oversized_expressions_are_refused_at_once(what):
    text, words = HOLDING[what]
    begun = time.thread_time()
    with pytest.raises(FilterError, match=words):
        compile_pattern(text)
    assert time.thread_time() - begun < in_time(1)


@pytest.mark.parametrize(
    "body",
    [
        r"\d{4}-\d{2}-\d{2}",
        r"(\w{1,20} ){3}\w{1,20}",
        r"\(?x\{3\}",
        r"[({]{2}",
        r"[]()]{2}",
        r"\p{L}{3}",
        r"(?i)a",
        r"(?<x>a)b",
        r"(a)(?:b)\1",
        r"a{,5}b{2,}",
        r"(?#two)a{2}",
        r"[[:alpha:](]{2}",
    ],
)
def test_ordinary_expressions_are_accepted(body):
    assert compile_pattern(f"/{body}/").spans(["nothing"]).shape[1] == 3


def test_a_complete_search_has_a_time_limit(monkeypatch):
    """Each text takes little time, but all of them together take too much."""
    monkeypatch.setattr(pattern, "WHOLE", 0.2)
    monkeypatch.setattr(pattern, "BLOCK", 1)
    begun = time.thread_time()
    with pytest.raises(FilterError, match="takes too long"):
        compile_pattern(r"/(?=(a+)+$)a/").spans(["a" * 18 + "!"] * 10_000)
    assert time.thread_time() - begun < in_time(3)


def test_texts_tried_one_by_one_share_the_time_limit_of_a_block(monkeypatch):
    monkeypatch.setattr(pattern, "SECONDS", 0.2)
    begun = time.thread_time()
    with pytest.raises(FilterError, match="takes too long"):
        compile_pattern(r"/(?=(a+)+$)a/").spans(["a" * 18 + "!"] * pattern.BLOCK)
    assert time.thread_time() - begun < in_time(3)
