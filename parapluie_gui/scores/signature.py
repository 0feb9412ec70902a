"""What a score was computed with: the line that lets another person compute it again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Signature:
    """How to reproduce a score, in sacreBLEU's manner: `name:pluie|model:...|template:...|version:0.1.0`.

    Attributes:
        column: The score's column, such as "bleu" or "pluie.direct".
        fields: What the number depends on, in reading order (name, model, revision, template, precision, version ...).
    """

    column: str
    fields: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, column: str, fields: Mapping[str, object]) -> Signature:
        """Build a signature from a mapping; values become text."""
        return cls(column, tuple((str(key), str(value)) for key, value in fields.items()))

    @property
    def key(self) -> str:
        """32 hexadecimal digits that differ whenever a field does; the score store's key."""
        text = json.dumps([self.column, self.fields], ensure_ascii=False, separators=(",", ":"))
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the corpus that a pair's key has behind its sentences; () where it may be the reference."""
        text = dict(self.fields).get("columns", "")
        try:
            names = json.loads(text) if text else []
        except (ValueError, RecursionError):
            return ()
        return tuple(filter(None, map(str, names))) if isinstance(names, list) else ()

    def __str__(self) -> str:
        # For people: a bar or a colon within a value cannot be told from those between fields.
        return "|".join(f"{key}:{value}" for key, value in self.fields)

    def to_json(self) -> str:
        """Return the signature as JSON text, read back by `from_json`."""
        return json.dumps({"column": self.column, "fields": [list(item) for item in self.fields]}, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Signature:
        """Read a signature written by `to_json`.

        Raises:
            ValueError: It was not.
        """
        try:
            data = json.loads(text)
            column, fields = data["column"], tuple((key, value) for key, value in data["fields"])
        except (TypeError, KeyError, RecursionError) as error:
            raise ValueError("no signature") from error
        if not all(isinstance(part, str) for part in (column, *(part for field in fields for part in field))):
            raise ValueError("no signature")
        return cls(column, fields)


def lines_of(signatures: Mapping[str, Signature], names: Iterable[str] | None = None) -> tuple[str, ...]:
    """Return what scores (None: all) were computed with, a line each: `bleu: name:bleu|rule:torchtext|...`."""
    return tuple(
        f"{name}: {signatures[name]}" for name in (signatures if names is None else names) if name in signatures
    )


def pair_key(source: str, hypothesis: str, *more: str | None) -> bytes:
    """Return the 16 bytes that stand for a pair's text in the store.

    Behind the sentences come the reference, or the texts of the columns, on which the score depends, if there are any.
    """
    digest = hashlib.blake2b(digest_size=16)
    for part in (source, hypothesis, *(text for text in more if text is not None)):
        raw = part.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "little"))
        digest.update(raw)
    return digest.digest()
