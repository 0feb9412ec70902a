"""The worst names and phrasings, which readers marked as translated or empty, are not used."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "parapluie_gui"

#: Patterns that are searched for in docstrings, comments and texts, with the replacement for each.
PHRASES = {
    r"\b(?:it|this|that|which|what \w+) (?:is|are) (?:said|told)\b": "say who says it, or “shown”",
    r"\b(?:anew|by now|any more)\b": "“again”, “now”, “no longer”",
    r"\b(?:of one's own|as one does|of its own accord)\b": "“your own”, “its own”, “separate”",
    r"\bso (?:many|much|seldom)\b(?! (?:as|that))": "the number, or “as many as …”",
    r"\bIt is none\b": "what it is",
}
#: First words of docstrings that do not tell what a function does.
FIRST_WORDS = ("Take", "Let", "Have", "Tell", "Bring")
#: Names that do not tell what they hold.
NAMES = ("told", "said", "found", "whole", "each")


#: A docstring or comment that is a clause instead of a noun, such as "What is done".
CLAUSE = r"^(?:What|How|Where) (?:[a-z-]+ ){1,6}(?:is|are|has|have|does|do)\b(?! not)"

#: A comment, as ruff formats it: alone on its line, or after two spaces.
COMMENT = re.compile(r"(?:^\s*|\S  )#[: ]*(.*)")


class Source:
    """The docstrings, texts and comments of a file, each with its line."""

    def __init__(self, file: Path) -> None:
        self.name = str(file.relative_to(PACKAGE))
        source = file.read_text(encoding="utf-8")
        tree = ast.parse(source)
        self.functions: list[tuple[int, str]] = []
        self.docstrings: list[tuple[int, str]] = []
        self.texts: list[tuple[int, str]] = []
        self.names: list[tuple[int, str]] = []
        inside: set[int] = set()  # lines that begin within a text
        for node in ast.walk(tree):
            line = getattr(node, "lineno", 1)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
                if (text := ast.get_docstring(node)) is not None:
                    is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
                    (self.functions if is_function else self.docstrings).append((line, text))
                self.names.append((line, getattr(node, "name", "")))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
                self.texts.append((line, node.value))
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self.names.append((line, node.id))
            elif isinstance(node, ast.arg):
                self.names.append((line, node.arg))
            if isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno != line:
                inside.update(range(line + 1, (node.end_lineno or line) + 1))
        self.docstrings += self.functions
        numbered = enumerate(source.splitlines(), start=1)
        comments = ((line, COMMENT.search(text)) for line, text in numbered if "#" in text and line not in inside)
        self.comments = [(line, match[1]) for line, match in comments if match is not None]


@cache
def sources() -> list[Source]:
    return [Source(file) for file in sorted(PACKAGE.rglob("*.py"))]


@pytest.mark.parametrize("phrase", PHRASES)
def test_no_text_is_phrased_in_a_way_that_readers_marked(phrase):
    wrong = [
        f"{source.name}:{line}: {match[0]}"
        for source in sources()
        for line, text in (*source.texts, *source.comments)
        if (match := re.search(phrase, text))
    ]
    assert wrong == [], f"write {PHRASES[phrase]}"


def test_docstrings_and_comments_begin_with_a_noun_not_a_clause():
    wrong = [
        f"{source.name}:{line}: {text.splitlines()[0]}"
        for source in sources()
        for line, text in (*source.docstrings, *source.comments)
        if re.match(CLAUSE, text)
    ]
    assert wrong == [], "write a noun: “The progress”, “Traits that errors share”"


def test_a_docstring_begins_with_what_the_function_does():
    wrong = [
        f"{source.name}:{line}: {text.splitlines()[0]}"
        for source in sources()
        for line, text in source.functions
        if text.split(maxsplit=1)[0] in FIRST_WORDS
    ]
    assert wrong == [], "begin with the verb of the field: Return, Score, Read, Show"


def test_names_tell_what_they_hold():
    wrong = [f"{source.name}:{line}: {name}" for source in sources() for line, name in source.names if name in NAMES]
    assert wrong == [], "name it by the noun: result, pairs, stored, the singular of what is looped over"
