"""A template rendered for one model: the text around the sentences, and how sentences are put into it as data."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache

#: Stand-ins for the sentences while a chat template renders; private-use characters that no corpus should hold.
SOURCE_MARK = "\ue000"
HYPOTHESIS_MARK = "\ue001"
EXPLANATION_MARK = "\ue002"
ANSWER_MARK = "\ue003"
EXAMPLES_MARK = "\ue004"
#: Between a source and what goes with it to a template that shows further columns of its pair.
_BESIDE = "\ue006"
#: For the columns of a frame, in their order.
COLUMN_MARKS = tuple(map(chr, range(0xE007, 0xE017)))
#: What is put into a prompt.
MARKS = (SOURCE_MARK, HYPOTHESIS_MARK, EXPLANATION_MARK, EXAMPLES_MARK, *COLUMN_MARKS)
_MARKS = re.compile(f"[{''.join(MARKS)}]")

#: What text may not hold: our marks, and halves of surrogate pairs, which no tokeniser can encode.
_FOREIGN = re.compile(f"[{SOURCE_MARK}-{COLUMN_MARKS[-1]}\ud800-\udfff]")

#: Put into a control token found inside a sentence, so that the tokeniser no longer sees the token.
WORD_JOINER = "\u2060"


@dataclass(frozen=True)
class PromptFrame:
    """A rendered conversation with marks where the sentences, the judge's own explanation and drawn examples go.

    Attributes:
        text: The rendering, up to the place where the answer begins.
        controls: Strings that would act on this model if a sentence contained them ("<|im_end|>", "[INST]").
        columns: Names of the further columns whose texts come with the sources (see `join_columns`).
    """

    text: str
    controls: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()

    def fill(
        self,
        source: str,
        hypothesis: str,
        explanation: str = "",
        examples: str = "",
        *,
        letter_by_letter: bool = False,
    ) -> tuple[str, bool]:
        """Return the whole prompt of a pair, and whether a control token in it had to be broken up.

        The marks are replaced in one pass, so braces, quotes or marks in a sentence have no effect. `letter_by_letter`
        puts a space between all letters, for tokenisers that see through the word joiner.
        """
        source, *more = source.split(_BESIDE) if self.columns else (source,)
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
        return _MARKS.sub(lambda found: safe.get(found[0], ""), self.text), any(safe[m] != parts[m] for m in parts)

    def to_json(self) -> str:
        """Return the frame as JSON, read back by `from_json`."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> PromptFrame:
        """Read a frame written by `to_json`."""
        data = json.loads(text)
        text, controls = data["text"], tuple(data["controls"])
        return cls(text, controls, tuple(data.get("columns") or ()))


def join_columns(source: str, texts: Iterable[str]) -> str:
    """Return a source together with texts of its pair, for a frame that shows these columns."""
    return _BESIDE.join(map(clean, (source, *texts)))


def drop_columns(source: str) -> str:
    """Return the source alone of what `join_columns` made, or of any other text the text itself."""
    return source.partition(_BESIDE)[0]


def neutralise(text: str, controls: Sequence[str]) -> str:
    """Return the text with every control string broken by an invisible word joiner after its first character.

    Compatibility forms that a tokeniser would normalise into a control string (full-width "＜|im_end|＞") are
    normalised first, so that they cannot slip through.
    """
    text = clean(text)
    if not controls:
        return text
    pattern = _pattern(tuple(controls))
    text = _broken_up(text, pattern)
    folded = unicodedata.normalize("NFKC", text)
    return _broken_up(folded, pattern) if pattern.search(folded) else text


def clean(text: str) -> str:
    """Return the text with our own marks and lone surrogates replaced by "\ufffd"."""
    return _FOREIGN.sub("\ufffd", text)


def _broken_up(text: str, pattern: re.Pattern[str]) -> str:
    while pattern.search(text):
        text = pattern.sub(lambda found: found[0][0] + WORD_JOINER + found[0][1:], text)
    return text


@lru_cache(maxsize=32)
def _pattern(controls: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(control) for control in sorted(controls, key=len, reverse=True)))
