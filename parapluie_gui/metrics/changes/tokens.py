"""The words of a sentence as the kinds of change compare them: "U.S.", "Sen." and "fifty-seven" are single words."""

from __future__ import annotations

from collections.abc import Sequence

from parapluie_gui.metrics.changes.vocabulary import is_number_word
from parapluie_gui.pairs.difference.words import TextToken, tokenize

_WITH_A_STOP = """
adm al apr assn assoc ave bros capt cmdr co col corp cpl dec dept dr est etc feb fig fri ft gen gov hon inc jan jr lt
ltd maj mon mr mrs ms mt no nov oct pfc ph prof rep reps rev sat sen sens sept sgt sr st sun supt thu tue univ vol vs
wed
"""
#: Words that are written with a full stop although the sentence goes on; all but two begin with a capital letter.
_ABBREVIATIONS, _SMALL = frozenset(_WITH_A_STOP.split()), ("etc", "vs")


def split_change_words(text: str, *, part: bool = False) -> list[TextToken]:
    """Return the tokens of a text other than white space.

    A full stop belongs to an abbreviation or an initial, unless it ends the text; a hyphen to a number in words. In a
    `part` of a sentence a full stop at the end belongs to the word as well.
    """
    tokens = [token for token in tokenize(text) if token.kind != "space"]
    end = len(tokens)
    while end and not part and tokens[end - 1].kind == "mark":
        end -= 1  # the marks that end the sentence
    result: list[TextToken] = []
    at = 0
    while at < len(tokens):
        count = _initials(tokens, at, end) or _abbreviation(tokens, at, end) or _hyphenated_number(tokens, at) or 1
        first, last = tokens[at], tokens[at + count - 1]
        kind = "word" if count > 1 else first.kind
        result.append(TextToken(first.start, last.end, text[first.start : last.end], kind))
        at += count
    return result


def _adjoins(tokens: Sequence[TextToken], at: int) -> bool:
    """Return whether a token follows the one before it without white space."""
    return 0 < at < len(tokens) and tokens[at - 1].end == tokens[at].start


def _is_stop(tokens: Sequence[TextToken], at: int, end: int) -> bool:
    """Return whether a full stop follows the token before it, within the first `end` tokens."""
    return at < end and _adjoins(tokens, at) and tokens[at].text == "."


def _initials(tokens: Sequence[TextToken], at: int, end: int) -> int:
    """Return the number of tokens of letters with full stops: "U.S.", "a.m.", and "J." before a name; 0 for none."""
    if not _is_letter(tokens[at]):
        return 0
    count = 1
    while _is_stop(tokens, at + count, end) and _adjoins(tokens, at + count + 1) and _is_letter(tokens[at + count + 1]):
        count += 2
    stop = _is_stop(tokens, at + count, end)
    if count > 1:
        return count + stop
    following = tokens[at + 2].text[:1] if at + 2 < len(tokens) else "A"
    return 2 if stop and tokens[at].text.isupper() and following.isupper() else 0


def _is_letter(token: TextToken) -> bool:
    return token.kind == "word" and len(token.text) == 1 and token.text.isalpha() and token.text.isascii()


def _abbreviation(tokens: Sequence[TextToken], at: int, end: int) -> int:
    key, text = tokens[at].key, tokens[at].text
    is_known = key in _ABBREVIATIONS and (text[:1].isupper() or key in _SMALL)
    return 2 if is_known and _is_stop(tokens, at + 1, end) else 0


def _hyphenated_number(tokens: Sequence[TextToken], at: int) -> int:
    joined = _adjoins(tokens, at + 1) and _adjoins(tokens, at + 2) and tokens[at + 1].text == "-"
    return 3 if joined and is_number_word(f"{tokens[at].key}-{tokens[at + 2].key}") else 0
