"""One pair of the Bench with its result, as in the history and in the session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from parapluie_gui.pluie.evidence import Evidence
from parapluie_gui.scores.column_kind import is_evidence, is_judge_score


@dataclass(frozen=True)
class BenchEntry:
    """A typed pair and what it scored.

    Attributes:
        values: Score column to number.
        evidence: Score column to the evidence of the number.
        prompts: Score column to the exact prompt.
        original: Place in the history of the pair that this one is an edited copy of, or None.
    """

    source: str
    hypothesis: str
    values: Mapping[str, float] = field(default_factory=dict)
    evidence: Mapping[str, Evidence] = field(default_factory=dict)
    prompts: Mapping[str, str] = field(default_factory=dict)
    original: int | None = None

    @property
    def main(self) -> str:
        """The column whose number represents the pair: the first template, without one the first score, or ""."""
        names = [name for name in self.values if not is_evidence(name)]
        return next((name for name in names if is_judge_score(name)), names[0] if names else "")

    def as_dict(self) -> dict[str, object]:
        """Return the entry as values that JSON can hold, read back by `from_dict`."""
        return {
            "source": self.source,
            "hypothesis": self.hypothesis,
            "values": dict(self.values),
            "evidence": {column: evidence.to_json() for column, evidence in self.evidence.items()},
            "prompts": dict(self.prompts),
            "original": self.original,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> BenchEntry:
        """Read an entry written by `as_dict`; parts that are missing stay empty."""
        values, evidence, prompts = (data.get(part) or {} for part in ("values", "evidence", "prompts"))
        assert isinstance(values, Mapping) and isinstance(evidence, Mapping) and isinstance(prompts, Mapping)
        original = data.get("original")
        return cls(
            source=str(data["source"]),
            hypothesis=str(data["hypothesis"]),
            values={str(column): float(value) for column, value in values.items()},
            evidence={str(column): Evidence.from_json(text) for column, text in evidence.items()},
            prompts={str(column): str(text) for column, text in prompts.items()},
            original=original if isinstance(original, int) else None,
        )
