"""One pair of the Bench with its scores, as in the history and in the session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from parapluie_gui.analysis.names import judge_heads, shown_name
from parapluie_gui.pluie.evidence import AnswerEvidence
from parapluie_gui.scores.identity import ColumnIdentity, identify

#: The names of the answers of an entry, in the order of `BenchEntry.answers`.
ANSWERS = ("note", "verdict", "kinds")


@dataclass(frozen=True)
class BenchEntry:
    """A pair typed in the Bench, with its scores and the user's answers.

    Attributes:
        values: Scores by column.
        evidence: Evidence of the scores, by column.
        prompts: Exact prompts, by column.
        models: Judges of the scores, by column; only for judges' scores.
        original: Index in the history of the pair that this one is an edited copy of, or None.
        note: The user's note on the pair.
        verdict: The id of the user's verdict, one of the answers of `pair_verdict`, or "".
        kinds: Corrected kinds of its edits, in the format of `metrics.changes.corrections`.
        times: When note, verdict and kinds were last changed, by these names, with time zone.
    """

    source: str
    hypothesis: str
    values: Mapping[str, float] = field(default_factory=dict)
    evidence: Mapping[str, AnswerEvidence] = field(default_factory=dict)
    prompts: Mapping[str, str] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)
    original: int | None = None
    note: str = ""
    verdict: str = ""
    kinds: str = ""
    times: Mapping[str, datetime] = field(default_factory=dict)

    @property
    def answers(self) -> tuple[str, str, str]:
        """The user's note, verdict and corrected kinds."""
        return self.note, self.verdict, self.kinds

    def with_answers(
        self, note: str, verdict: str, kinds: str, times: Mapping[str, datetime] | None = None
    ) -> BenchEntry:
        """Return the entry with other answers; those that differ are dated now, or as in `times`."""
        answers = dict(zip(ANSWERS, (note, verdict, kinds), strict=True))
        if times is None:
            now = datetime.now(UTC)
            changed = {name for name, answer in answers.items() if answer != getattr(self, name)}
            times = {**self.times, **dict.fromkeys(changed, now)}
        return replace(self, note=note, verdict=verdict, kinds=kinds, times=times)

    @property
    def main(self) -> str:
        """The column that represents the pair: the first template, or else the first score, or ""."""
        names = [name for name in self.values if identify(name).is_score]
        return next((name for name in names if identify(name).is_from_judge), names[0] if names else "")

    def with_scores(
        self,
        values: Mapping[str, float],
        evidence: Mapping[str, AnswerEvidence] | None = None,
        prompts: Mapping[str, str] | None = None,
        model: str = "",
    ) -> BenchEntry:
        """Return the entry with added scores; `model` is the judge that gave them, "" for a metric."""
        judged = {name: model for name in values if model and identify(name).is_from_judge}
        return replace(
            self,
            values={**self.values, **values},
            evidence={**self.evidence, **(evidence or {})},
            prompts={**self.prompts, **(prompts or {})},
            models={**self.models, **judged},
        )

    def title(self, column: str, models: Mapping[str, str] | None = None) -> str:
        """Return the title of a score with its judge; `models` has the judges of scores still to come."""
        return shown_name(self._identity(column, models or {}))

    def heads(self, columns: Iterable[str], models: Mapping[str, str]) -> dict[str, tuple[str, str]]:
        """Return judge and template by column, if there are several judges; see `judge_heads`.

        Two judges of the same name are distinguished by the names of their columns.
        """
        names = judge_heads(self._identity(column, models) for column in columns)
        taken = Counter(names.values())
        return {
            column: (identify(column).word or head[0], head[1]) if taken[head] > 1 else head
            for column, head in names.items()
        }

    def model_of(self, column: str, models: Mapping[str, str] | None = None) -> str:
        """Return the judge of a score, "" if it is unknown; `models` has the judges of scores still to come."""
        asked = "" if column in self.values or models is None else models.get(column, "")
        return self.models.get(column, asked)

    def _identity(self, column: str, models: Mapping[str, str]) -> ColumnIdentity:
        return identify(column).with_judge(self.model_of(column, models))

    def as_dict(self) -> dict[str, object]:
        """Return the entry as JSON values that `from_dict` reads."""
        return {
            "source": self.source,
            "hypothesis": self.hypothesis,
            "values": dict(self.values),
            "evidence": {column: evidence.to_json() for column, evidence in self.evidence.items()},
            "prompts": dict(self.prompts),
            "models": dict(self.models),
            "original": self.original,
            "note": self.note,
            "verdict": self.verdict,
            "kinds": self.kinds,
            "times": times_as_json(self.times),
        }

    @classmethod
    def from_dict(cls, data: Any) -> BenchEntry:
        """Return an entry written by `as_dict`; missing parts are empty.

        Raises:
            ValueError: The data are not such an entry.
        """
        try:
            parts = ("values", "evidence", "prompts", "models")
            values, evidence, prompts, models = (dict(data.get(part) or {}) for part in parts)
            entry = cls(
                source=data["source"],
                hypothesis=data["hypothesis"],
                values={column: float(value) for column, value in values.items()},
                evidence={column: AnswerEvidence.from_json(text) for column, text in evidence.items()},
                prompts=prompts,
                models=models,
                original=data.get("original"),
                note=data.get("note", ""),
                verdict=data.get("verdict", ""),
                kinds=data.get("kinds", ""),
                times=times_from_json(data.get("times") or {}),
            )
        except (AttributeError, KeyError, TypeError, OverflowError) as error:
            raise ValueError(f"not an entry of the Bench: {error}") from error
        texts = (entry.source, entry.hypothesis, *entry.answers, *prompts.values(), *models.values())
        if not all(isinstance(text, str) for text in texts) or type(entry.original) not in (int, type(None)):
            raise ValueError("not an entry of the Bench")
        return entry


def times_as_json(times: Mapping[str, datetime]) -> dict[str, str]:
    """Return the times of answers as JSON values."""
    return {name: time.isoformat() for name, time in times.items()}


def times_from_json(stored: Mapping[str, str]) -> dict[str, datetime]:
    """Return the times of answers written by `times_as_json`.

    Raises:
        ValueError: A time is invalid or has no time zone.
    """
    times = {name: datetime.fromisoformat(stored[name]) for name in ANSWERS if name in stored}
    if any(time.tzinfo is None for time in times.values()):
        raise ValueError("a time without time zone")
    return times


@dataclass
class AskedEntry:
    """A running request: its scores so far, and its index in the history, which is None before the first scores."""

    entry: BenchEntry
    place: int | None = None


def read_history(stored: Sequence[object]) -> tuple[list[BenchEntry], list[int]]:
    """Return the entries of a history, oldest first, and the indices of invalid ones, which are left out."""
    entries: list[BenchEntry] = []
    bad: list[int] = []
    places: dict[int, int] = {}
    for place, data in enumerate(stored):
        try:
            entry = BenchEntry.from_dict(data)
        except ValueError:
            bad.append(place)
            continue
        places[place] = len(entries)
        original = None if entry.original is None else places.get(entry.original)
        entries.append(replace(entry, original=original))
    return entries, bad
