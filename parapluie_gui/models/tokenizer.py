"""Loads tokenizers, which are untrusted files: crashes and oversized encodings become errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parapluie_gui.errors import ModelError, first_line
from parapluie_gui.own_files import read_json_or_none, skipping_damage

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

#: Maximum number of tokens per character, and largest growth of a text by normalizers; real ones stay below 4.
MOST_TIMES = 20
#: Most bytes of a JSON file of a model; tokenizers of 250,000 words have 30 MB.
MOST_BYTES = 256 * 2**20
#: Tokens allowed in addition, such as control tokens.
_SPARE = 200


def load_tokenizer(name: str, folder: Path, **options: Any) -> PreTrainedTokenizerBase:
    """Load a tokenizer that raises `ModelError` for texts that it cannot encode or that become too long.

    Args:
        name: The model's name, for errors.
        folder: The model's folder.
        options: Further arguments of `AutoTokenizer.from_pretrained`.

    Raises:
        ModelError: Its normalizers may make a text more than `MOST_TIMES` as long, or its library crashes on it.
    """
    from transformers import AutoTokenizer

    check_expansion(name, folder)
    with _readable_crashes(name):
        tokenizer: Any = AutoTokenizer.from_pretrained(folder, local_files_only=True, **options)
    kind = type(tokenizer)
    # The class keeps its name, by which transformers knows it.
    names = {"__module__": kind.__module__, "__qualname__": kind.__qualname__, "checked_name": name}
    tokenizer.__class__ = type(kind.__name__, (_CheckedTokenizer, kind), names)
    checked: PreTrainedTokenizerBase = tokenizer
    return checked


def check_expansion(name: str, folder: Path) -> None:
    """Check that the normalizers in a tokenizer.json keep texts within bounds; without such a file, do nothing.

    Raises:
        ModelError: They may make a text more than `MOST_TIMES` as long.
    """
    factor = 1.0
    with skipping_damage():  # transformers will report what is wrong
        factor = _expansion(read_json_or_none(folder / "tokenizer.json", MOST_BYTES).get("normalizer"))
    if factor > MOST_TIMES:
        raise ModelError(f"The tokenizer of {name} makes texts up to {factor:,.0f} times longer. Choose another model.")


class _CheckedTokenizer:
    """Checks each encoding of the tokenizer that it is mixed into."""

    checked_name = ""

    def __call__(self, *texts: Any, **options: Any) -> Any:
        with _readable_crashes(self.checked_name):
            encoding = super().__call__(*texts, **options)  # type: ignore[misc]
        named = (options.get(name) for name in ("text", "text_pair", "text_target"))
        longest = sum(_longest(text) for text in (*texts, *named))
        count = _longest(encoding["input_ids"])
        if count > _SPARE + MOST_TIMES * longest and "max_length" not in options:
            raise ModelError(
                f"The tokenizer of {self.checked_name} turns {longest:,} characters into {count:,} tokens. "
                "Choose another model."
            )
        return encoding


@contextmanager
def _readable_crashes(name: str) -> Iterator[None]:
    """Turn a panic of the tokenizers library, which is not an `Exception`, into an error that names the tokenizer."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise ModelError(f"The tokenizer of {name} fails ({first_line(error)}). Choose another model.") from error


def _expansion(normalizer: Any) -> float:
    """Return the largest factor by which a normalizer can lengthen a text."""
    if not normalizer:
        return 1.0
    if normalizer["type"] == "Sequence":
        factor = 1.0
        for part in normalizer["normalizers"]:
            factor *= _expansion(part)
        return factor
    if normalizer["type"] == "Replace":
        pattern = normalizer["pattern"].get("String")
        length = len(normalizer["content"])
        # A regular expression may match between any two characters.
        return max(1.0, length / len(pattern) if pattern else 1.0 + length)
    return 1.0


def _longest(texts: Any) -> int:
    """Return the length of a text or sequence of ids, or of the longest of several; also of a tensor or array."""
    if isinstance(texts, str):
        return len(texts)
    if (shape := getattr(texts, "shape", None)) is not None:
        return int(shape[-1]) if len(shape) else 0
    if isinstance(texts, list | tuple) and texts:
        return len(texts) if isinstance(texts[0], int) else max(map(_longest, texts))
    return 0
