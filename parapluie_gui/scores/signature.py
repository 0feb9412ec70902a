"""Signatures: everything needed to compute a score again, in one line."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from parapluie_gui.own_files import parse_json


@dataclass(frozen=True)
class Signature:
    """The settings that reproduce a score, in sacreBLEU's manner: `name:pluie|model:...|template:...|version:0.1.0`.

    Attributes:
        column: The score's column, such as "bleu" or "pluie.direct".
        fields: Everything that the score depends on, in reading order (name, model, revision, template, version ...).
        remarks: Sentences on these scores, such as how many pairs were cut; not part of the identity.
        cost: Seconds per pair and device of their computation, as text; not part of the identity.
    """

    column: str
    fields: tuple[tuple[str, str], ...]
    remarks: tuple[str, ...] = field(default=(), compare=False)
    cost: str = field(default="", compare=False)

    @classmethod
    def from_fields(cls, column: str, fields: Mapping[str, object]) -> Signature:
        """Make a signature from a mapping, converting its values to text."""
        return cls(column, tuple((str(key), str(value)) for key, value in fields.items()))

    @property
    def key(self) -> str:
        """32 hexadecimal digits that differ whenever a field does; the score store's key."""
        text = json.dumps([self.column, self.fields], ensure_ascii=False, separators=(",", ":"))
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    @property
    def columns(self) -> tuple[str, ...]:
        """The corpus columns whose texts are part of a pair's key; () if the key has at most the reference."""
        text = dict(self.fields).get("columns", "")
        try:
            names = parse_json(text) if text else []
        except ValueError:
            return ()
        return tuple(filter(None, map(str, names))) if isinstance(names, list) else ()

    def with_references(self, columns: Sequence[str]) -> Signature:
        """Return the signature of scores against the references in these columns, if there are several."""
        if len(columns) < 2:
            return self
        fields = dict(self.fields[:1]) | {"nrefs": ""} | dict(self.fields)
        return Signature.from_fields(
            self.column,
            {**fields, "nrefs": len(columns), "columns": json.dumps(list(columns), ensure_ascii=False)},
        )

    def with_remark(self, sentence: str, cost: str = "") -> Signature:
        """Return the signature with a further sentence on its scores, or their cost."""
        remarks = self.remarks if not sentence or sentence in self.remarks else (*self.remarks, sentence)
        return replace(self, remarks=remarks, cost=cost or self.cost)

    def __str__(self) -> str:
        # For display only: "|" and ":" are not escaped in values.
        return "|".join(f"{key}:{value}" for key, value in self.fields)

    def to_json(self, *, with_remarks: bool = False) -> str:
        """Convert the signature to JSON, for `from_json`."""
        data: dict[str, object] = {"column": self.column, "fields": [list(item) for item in self.fields]}
        if with_remarks:
            data |= {"remarks": self.remarks, "cost": self.cost}
        return json.dumps(data, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Signature:
        """Read a signature written by `to_json`.

        Raises:
            ValueError: The text is not a signature.
        """
        try:
            data = parse_json(text)
            remarks, cost = tuple(data.get("remarks", ())), data.get("cost", "")
            column, fields = data["column"], tuple((key, value) for key, value in data["fields"])
        except (TypeError, KeyError, AttributeError) as error:
            raise ValueError("not a signature") from error
        parts = (column, cost, *remarks, *(part for field in fields for part in field))
        if not all(isinstance(part, str) for part in parts):
            raise ValueError("not a signature")
        return cls(column, fields, remarks, cost)


def signature_lines(signatures: Mapping[str, Signature], names: Iterable[str] | None = None) -> tuple[str, ...]:
    """Return a line for each score with a signature (by default all): `bleu: name:bleu|rule:torchtext|...`."""
    return tuple(
        f"{name}: {signatures[name]}" for name in (signatures if names is None else names) if name in signatures
    )


def pair_key(source: str, hypothesis: str, *more: str | None) -> bytes:
    """Return the 16-byte key of a pair in the score store.

    `more` is the reference, or the texts of the corpus columns, that the score depends on.
    """
    digest = hashlib.blake2b(digest_size=16)
    for part in (source, hypothesis, *(text for text in more if text is not None)):
        raw = part.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "little"))
        digest.update(raw)
    return digest.digest()
