"""The worst kinds of names and phrasings, which readers marked as translated or empty, do not come back."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "parapluie_gui"
FILES = sorted(PACKAGE.rglob("*.py"))

#: Each kind: what is searched for in docstrings, comments and texts, and what to write instead.
PHRASES = {
    r"\b(?:it|this|that|which|what \w+) (?:is|are) (?:said|told)\b": "say who says it, or “shown”",
    r"\b(?:anew|by now|any more)\b": "“again”, “now”, “no longer”",
    r"\b(?:of one's own|as one does|of its own accord)\b": "“your own”, “its own”, “separate”",
    r"\bso (?:many|much|seldom)\b(?! (?:as|that))": "the number, or “as many as …”",
    r"\bIt is none\b": "what it is",
}
#: The first words of docstrings that say nothing about what a function does.
FIRST_WORDS = ("Take", "Let", "Have", "Tell", "Bring")
#: Names that say nothing about what they hold.
NAMES = ("told", "said", "found", "whole", "each")


#: A docstring or comment that is a clause instead of a noun, such as "What is done".
CLAUSE = r"^(?:What|How|Where) (?:[a-z-]+ ){1,6}(?:is|are|has|have|does|do)\b(?! not)"


def texts(tree: ast.Module, source: str) -> Iterator[tuple[int, str]]:
    """Yield the docstrings, texts of more than one word and comments of a file, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value
    yield from comments(source)


def comments(source: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("#: ")


def docstrings(tree: ast.Module, *, functions: bool = False) -> Iterator[tuple[int, str]]:
    """Yield the docstrings of a file, or of its functions alone."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, *(() if functions else (ast.ClassDef, ast.Module)))
    for node in ast.walk(tree):
        if isinstance(node, kinds) and (text := ast.get_docstring(node)):
            yield getattr(node, "lineno", 1), text


@pytest.mark.parametrize("phrase", PHRASES)
def test_no_text_is_phrased_in_a_way_that_readers_marked(phrase):
    wrong = [
        f"{file.relative_to(PACKAGE)}:{line}: {match[0]}"
        for file in FILES
        for source in [file.read_text(encoding="utf-8")]
        for line, text in texts(ast.parse(source), source)
        if (match := re.search(phrase, text))
    ]
    assert wrong == [], f"write {PHRASES[phrase]}"


def test_a_docstring_or_comment_is_not_a_clause_for_a_noun():
    wrong = [
        f"{file.relative_to(PACKAGE)}:{line}: {text.splitlines()[0]}"
        for file in FILES
        for source in [file.read_text(encoding="utf-8")]
        for line, text in (*docstrings(ast.parse(source)), *comments(source))
        if re.match(CLAUSE, text)
    ]
    assert wrong == [], "write a noun: “The progress”, “Traits that errors share”"


def test_a_docstring_begins_with_what_the_function_does():
    wrong = [
        f"{file.relative_to(PACKAGE)}:{line}: {text.splitlines()[0]}"
        for file in FILES
        for line, text in docstrings(ast.parse(file.read_text(encoding="utf-8")), functions=True)
        if text.split(maxsplit=1)[0] in FIRST_WORDS
    ]
    assert wrong == [], "begin with the verb of the field: Return, Score, Read, Show"


def test_a_name_says_what_it_holds():
    wrong = []
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            defined = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name
            stored = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id
            argument = isinstance(node, ast.arg) and node.arg
            if (name := defined or stored or argument) in NAMES:
                wrong.append(f"{file.relative_to(PACKAGE)}:{node.lineno}: {name}")
    assert wrong == [], "name it by the noun: result, pairs, stored, the singular of what is looped over"
