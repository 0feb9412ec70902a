"""Loads tokenizers, which are untrusted files: crashes, oversized and endless encodings become errors."""

from __future__ import annotations

import base64
import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parapluie_gui.errors import ModelError, first_line
from parapluie_gui.own_files import read_json_or_none, skipping_damage

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

#: Maximum number of tokens per character, and largest growth of a text by normalizers; real ones stay below 4.
MOST_TIMES = 20
#: Seconds allowed for one call of a tokenizer, and characters per further second; real ones read a million per second.
SECONDS, CHARACTERS = 60.0, 10_000
#: Length in bytes that a character table may give one character; the longest in NFKC has 33.
_LONGEST_REPLACEMENT = 128
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
    """Check that no step of a tokenizer.json makes texts too long; without such a file, do nothing.

    Raises:
        ModelError: They may make a text more than `MOST_TIMES` as long.
    """
    factor = 1.0
    with skipping_damage():  # transformers will report what is wrong
        steps = read_json_or_none(folder / "tokenizer.json", MOST_BYTES)
        factor = max(_expansion(steps.get(step)) for step in ("normalizer", "pre_tokenizer", "decoder"))
    if factor > MOST_TIMES:
        raise ModelError(f"The tokenizer of {name} makes texts up to {factor:,.0f} times longer. Choose another model.")


class _CheckedTokenizer:
    """Checks each encoding of the tokenizer that it is mixed into."""

    checked_name = ""

    def __call__(self, *texts: Any, **options: Any) -> Any:
        named = (options.get(name) for name in ("text", "text_pair", "text_target"))
        inputs = [text for text in (*texts, *named) if text is not None]
        encoding = self._call_in_time(super().__call__, _total(inputs), *texts, **options)  # type: ignore[misc]
        longest = sum(map(_longest, inputs))
        count = _longest(encoding["input_ids"])
        if count > _SPARE + MOST_TIMES * longest and "max_length" not in options:
            raise ModelError(
                f"The tokenizer of {self.checked_name} turns {longest:,} characters into {count:,} tokens. "
                "Choose another model."
            )
        return encoding

    def decode(self, ids: Any, *arguments: Any, **options: Any) -> Any:
        return self._call_in_time(super().decode, _longest(ids), ids, *arguments, **options)  # type: ignore[misc]

    def _call_in_time(self, function: Callable[..., Any], length: int, *arguments: Any, **options: Any) -> Any:
        """Call a function of the library in a thread, since a regular expression cannot be interrupted.

        Raises:
            ModelError: It crashes, or takes too long for texts of this total length; the thread is abandoned.
        """
        answers: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()

        def answer() -> None:
            try:
                answers.put((function(*arguments, **options), None))
            except BaseException as error:
                answers.put((None, error))

        threading.Thread(target=answer, name="tokenizer", daemon=True).start()
        seconds = SECONDS + length / CHARACTERS
        try:
            value, error = answers.get(timeout=seconds)
        except queue.Empty:
            raise ModelError(
                f"The tokenizer of {self.checked_name} takes longer than {seconds:,.0f} seconds for {length:,} "
                "characters. Choose another model."
            ) from None
        with _readable_crashes(self.checked_name):
            if error is not None:
                raise error
        return value


@contextmanager
def _readable_crashes(name: str) -> Iterator[None]:
    """Turn a panic of the tokenizers library, which is not an `Exception`, into an error that names the tokenizer."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise ModelError(f"The tokenizer of {name} fails ({first_line(error)}). Choose another model.") from error


def _expansion(step: Any) -> float:
    """Return the largest factor by which a normalizer, pre-tokenizer or decoder can lengthen a text."""
    if not step:
        return 1.0
    kind = step["type"]
    if kind == "Sequence":
        factor = 1.0
        for part in next(step[name] for name in ("normalizers", "pretokenizers", "decoders") if name in step):
            factor *= _expansion(part)
        return factor
    if kind == "Replace":
        pattern = step["pattern"].get("String")
        length = len(step["content"])
        # A regular expression may match between any two characters.
        return max(1.0, length / len(pattern) if pattern else 1.0 + length)
    if kind == "ByteLevel":  # one character for each byte
        return 4.0
    if kind == "Precompiled":
        table = base64.b64decode(step["precompiled_charsmap"] or "")
        replacements = table[4 + int.from_bytes(table[:4], "little") :].split(b"\0")
        return max(4.0, max(map(len, replacements)) / _LONGEST_REPLACEMENT * MOST_TIMES)
    return 1.0


def _total(texts: Any) -> int:
    """Return the number of characters or ids in nested texts."""
    if isinstance(texts, list | tuple) and texts and not isinstance(texts[0], int):
        return sum(map(_total, texts))
    return len(texts) if hasattr(texts, "__len__") else 0


def _longest(texts: Any) -> int:
    """Return the length of a text or sequence of ids, or of the longest of several; also of a tensor or array."""
    if isinstance(texts, str):
        return len(texts)
    if (shape := getattr(texts, "shape", None)) is not None:
        return int(shape[-1]) if len(shape) else 0
    if isinstance(texts, list | tuple) and texts:
        return len(texts) if isinstance(texts[0], int) else max(map(_longest, texts))
    return 0
