"""Oddities inside sentences, such as markup and HTML entities: how many pairs have them, and sentences without them."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from parapluie_gui.pairs.column import TextColumn
from parapluie_gui.pairs.corpus import Corpus

#: Sentences joined for one search, which is faster than a search in each.
_CHUNK = 1_000
#: Ends the name of the column with the sentences as they were.
ORIGINAL = ".original"


@dataclass(frozen=True)
class OddityKind:
    """A kind of oddity.

    Attributes:
        key: Its name for commands and files.
        title: Its name for the user, a plural.
        pattern: Matches it inside a sentence.
        repair: Returns the sentence without it; "" if nothing is left.
    """

    key: str
    title: str
    pattern: re.Pattern[str]
    repair: Callable[[str], str]

    def is_in(self, text: str) -> bool:
        """Return whether a sentence has it, at its ends too."""
        return self.pattern.search(text) is not None and self.repair(text) != text


def _substitute(pattern: str, by: str) -> tuple[re.Pattern[str], Callable[[str], str]]:
    compiled = re.compile(pattern)
    return compiled, lambda text: compiled.sub(by, text)


def _decode_again(text: str) -> str:
    """Decode a sentence that was UTF-8 and was read as Windows-1252."""
    try:
        return text.encode("cp1252").decode("utf-8")
    except UnicodeError:
        return text


def _decode_windows_1252(text: str) -> str:
    """Read the characters 128 to 159 as Windows-1252 does; delete those that it lacks."""
    return _CONTROL_1.sub(lambda match: match[0].encode("latin-1").decode("cp1252", "ignore"), text)


_CONTROL_1 = re.compile(r"[\x80-\x84\x86-\x9f]")

_ATTRIBUTES = r"""(?:\s+[\w:-]{1,40}\s*=\s*(?:"[^"<>]{0,200}"|'[^'<>]{0,200}'|[^\s"'<>]{1,100})){0,20}"""

#: The kinds, in the order in which sentences are repaired.
ODDITIES = (
    OddityKind(
        "mojibake", "wrongly decoded characters", re.compile(r"[\xc2-\xf4][\x80-\xff\u0152-\u2122]"), _decode_again
    ),
    OddityKind(
        "entities", "HTML entities", re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,31});"), html.unescape
    ),
    OddityKind("markup", "markup", *_substitute(rf"</?[A-Za-z][\w:.-]{{0,40}}{_ATTRIBUTES}\s*/?>", "")),
    OddityKind("windows", "Windows-1252 characters read as control characters", _CONTROL_1, _decode_windows_1252),
    OddityKind("lines", "tabs and line ends", *_substitute(r"[ ]*[\t\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+[ ]*", " ")),
    OddityKind("control", "control characters", *_substitute(r"[\x00-\x08\x0e-\x1b\x1f\x7f]", "")),
    OddityKind("invisible", "invisible characters", *_substitute("[\ufeff\u200b\u2060\u00ad]", "")),
    OddityKind("spaces", "no-break spaces", *_substitute("[\u00a0\u2007\u202f]", " ")),
)


@dataclass(frozen=True)
class FoundOddity:
    """The pairs of a corpus with one kind of oddity.

    Attributes:
        title: The kind, a plural.
        rows: The rows of the pairs, 0-based and ascending; of repeated pairs all but the first.
        key: The kind's name if it can be repaired, otherwise "".
    """

    title: str
    rows: tuple[int, ...]
    key: str = ""

    def describe(self, corpus: Corpus) -> str:
        """Return such as "HTML entities in 8 pairs (the first is 3)"."""
        pairs = "1 pair" if len(self.rows) == 1 else f"{len(self.rows):,} pairs"
        return f"{self.title} in {pairs} (the first is {corpus.id[self.rows[0]]})"


def find_oddities(corpus: Corpus, check: Callable[[], object] = lambda: None) -> Iterator[FoundOddity]:
    """Yield the kinds of oddity that a corpus has, then repeated pairs and references equal to a source.

    Args:
        corpus: The pairs.
        check: Called now and then; raises to stop.
    """
    references = [corpus.texts(name) or () for name in corpus.reference_columns]
    sides = [corpus.source, corpus.hypothesis, *references]
    for oddity in ODDITIES:
        rows: set[int] = set()
        for side in sides:
            rows.update(_rows_with(oddity, side, check))
        if rows:
            yield FoundOddity(oddity.title, tuple(sorted(rows)), oddity.key)
    check()
    if repeated := find_repeated(corpus):
        yield FoundOddity("repeated pairs", repeated)
    same = {row for side in references for row, reference in enumerate(side) if reference == corpus.source[row]}
    if same:
        yield FoundOddity("references equal to their source", tuple(sorted(same)))


def find_repeated(corpus: Corpus) -> tuple[int, ...]:
    """Return the rows of pairs whose two sentences an earlier pair of the same group has."""
    groups: Sequence[str | None] = corpus.group or [None] * len(corpus)
    seen: set[tuple[str, str, str | None]] = set()
    rows = []
    for row, pair in enumerate(zip(corpus.source, corpus.hypothesis, groups, strict=True)):
        if pair in seen:
            rows.append(row)
        seen.add(pair)
    return tuple(rows)


def clean_corpus(corpus: Corpus, keys: Collection[str]) -> Corpus:
    """Return a corpus without some kinds of oddity; a sentence as it was is in a column "source.original" and so on.

    A sentence that would become empty is left unchanged.

    Args:
        corpus: The pairs.
        keys: The kinds to repair.
    """
    chosen = [oddity for oddity in ODDITIES if oddity.key in keys]
    extra = dict(corpus.extra)

    def clean(role: str, texts: Sequence[str | None]) -> list[str]:
        cleaned = [clean_text(text or "", chosen) for text in texts]
        if cleaned != [text or "" for text in texts] and (name := f"{role}{ORIGINAL}") not in extra:
            extra[name] = TextColumn(texts)
        return cleaned

    source, hypothesis = clean("source", corpus.source), clean("hypothesis", corpus.hypothesis)
    columns = [(name, corpus.texts(name) or ()) for name in corpus.reference_columns]
    cleaned = {name: [text or None for text in clean(name, texts)] for name, texts in columns}
    reference = cleaned.pop("reference", None)
    extra |= {name: TextColumn(texts) for name, texts in cleaned.items()}
    return replace(corpus, source=source, hypothesis=hypothesis, reference=reference, extra=extra)


def clean_text(text: str, oddities: Sequence[OddityKind] = ODDITIES) -> str:
    """Return a sentence without some kinds of oddity, or as it is if nothing would be left."""
    cleaned = text
    for oddity in oddities:
        if oddity.pattern.search(cleaned):
            cleaned = oddity.repair(cleaned)
    return (cleaned if cleaned == text else cleaned.strip()) or text


def _rows_with(oddity: OddityKind, texts: Sequence[str | None], check: Callable[[], object]) -> Iterator[int]:
    for start in range(0, len(texts), _CHUNK):
        check()
        part = texts[start : start + _CHUNK]
        # The separator is in no pattern, so that a hit lies within one sentence.
        if oddity.pattern.search("\N{SYMBOL FOR RECORD SEPARATOR}".join(filter(None, part))):
            yield from (row for row, text in enumerate(part, start) if text and oddity.is_in(text))
