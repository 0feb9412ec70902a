"""A template rendered for one model, with sentences inserted into it as data."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache

from parapluie_gui.own_files import parse_json

#: Placeholders for the sentences while a chat template renders; private-use characters that no corpus should contain.
SOURCE_MARK = "\ue000"
HYPOTHESIS_MARK = "\ue001"
EXPLANATION_MARK = "\ue002"
ANSWER_MARK = "\ue003"
EXAMPLES_MARK = "\ue004"
#: Separates a source from the texts of the further columns that a template shows.
_COLUMN_SEPARATOR = "\ue006"
#: Placeholders for the columns of a frame, in their order.
COLUMN_MARKS = tuple(map(chr, range(0xE007, 0xE017)))
#: All placeholders in a prompt.
MARKS = (SOURCE_MARK, HYPOTHESIS_MARK, EXPLANATION_MARK, EXAMPLES_MARK, *COLUMN_MARKS)
_MARKS = re.compile(f"[{''.join(MARKS)}]")

#: Characters that are replaced in texts: our placeholders, and surrogates, which no tokeniser can encode.
_FOREIGN = re.compile(f"[{SOURCE_MARK}-{COLUMN_MARKS[-1]}\ud800-\udfff]")

#: Inserted into a control token in a sentence, so that the tokeniser no longer recognises the token.
WORD_JOINER = "\u2060"


@dataclass(frozen=True)
class PromptFrame:
    """A rendered conversation with placeholders for the sentences, the judge's own explanation and drawn examples.

    Attributes:
        text: The rendering, up to the beginning of the answer.
        controls: Strings that would act as control tokens if a sentence contained them ("<|im_end|>", "[INST]").
        columns: Names of the further columns whose texts are joined to the sources (see `join_columns`).
        notices: Sentences for the user about differences from the template, which hold for every score.
    """

    text: str
    controls: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()

    def fill(
        self,
        source: str,
        hypothesis: str,
        explanation: str = "",
        examples: str = "",
        *,
        letter_by_letter: bool = False,
    ) -> tuple[str, bool]:
        """Return the complete prompt of a pair, and whether a control token in a sentence was broken up.

        The placeholders are replaced in one pass, so braces, quotation marks or placeholders in a sentence have no
        effect. With `letter_by_letter` all letters are separated by spaces, for tokenisers that ignore the word joiner.
        """
        source, *more = source.split(_COLUMN_SEPARATOR) if self.columns else (source,)
        texts = dict.fromkeys(COLUMN_MARKS[: len(self.columns)], "") | dict(zip(COLUMN_MARKS, more, strict=False))
        parts = {
            SOURCE_MARK: source,
            **texts,
            HYPOTHESIS_MARK: hypothesis,
            EXPLANATION_MARK: explanation,
            EXAMPLES_MARK: examples,
        }
        safe = {mark: neutralise(text, self.controls) for mark, text in parts.items()}
        if letter_by_letter:
            safe = {mark: " ".join(text) for mark, text in safe.items()}
        text = _MARKS.sub(lambda match: safe.get(match[0], ""), self.text)
        return text, any(safe[mark] != parts[mark] for mark in parts)

    def to_json(self) -> str:
        """Return the frame as JSON for `from_json`."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> PromptFrame:
        """Read a frame written by `to_json`."""
        data = parse_json(text)
        text, controls = data["text"], tuple(data["controls"])
        return cls(text, controls, *(tuple(map(str, data.get(name) or ())) for name in ("columns", "notices")))


def join_columns(source: str, texts: Iterable[str]) -> str:
    """Return a source joined with further texts of its pair, for a frame that shows these columns."""
    return _COLUMN_SEPARATOR.join(map(clean, (source, *texts)))


def drop_columns(source: str) -> str:
    """Return the source without the texts that `join_columns` added; other texts are returned as they are."""
    return source.partition(_COLUMN_SEPARATOR)[0]


def neutralise(text: str, controls: Sequence[str]) -> str:
    """Return the text with an invisible word joiner after the first character of every control string.

    Compatibility forms that a tokeniser would normalise to a control string (full-width "＜|im_end|＞") are normalised
    first.
    """
    text = clean(text)
    if not controls:
        return text
    pattern = _control_pattern(tuple(controls))
    text = _break_controls(text, pattern)
    folded = unicodedata.normalize("NFKC", text)
    return _break_controls(folded, pattern) if pattern.search(folded) else text


def clean(text: str) -> str:
    """Return the text with our placeholders and lone surrogates replaced by "\ufffd"."""
    return _FOREIGN.sub("\ufffd", text)


def _break_controls(text: str, pattern: re.Pattern[str]) -> str:
    while pattern.search(text):
        text = pattern.sub(lambda match: match[0][0] + WORD_JOINER + match[0][1:], text)
    return text


@lru_cache(maxsize=32)
def _control_pattern(controls: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(control) for control in sorted(controls, key=len, reverse=True)))
