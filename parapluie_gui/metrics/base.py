"""What a metric is: what its numbers mean, what they depend on, and a number for each pair of sentences."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import numpy as np

from parapluie_gui.arrays import Scores
from parapluie_gui.errors import MetricError
from parapluie_gui.models.device import free_memory
from parapluie_gui.options import NoOptions, described
from parapluie_gui.scores.signature import Signature
from parapluie_gui.version import __version__

#: The sentences of n pairs on one side, and their references where there are any.
Texts = Sequence[str]
References = Sequence[str | None] | None

#: The families in the order in which they are offered.
FAMILIES = ("lexical", "embedding", "generation", "classifier", "pivot", "external", "user")

#: Of these, the families whose metrics the catalogue cannot know: their signatures carry what their numbers mean.
FOREIGN = ("external", "user")

#: Cost classes: pairs per second on one core of a laptop, roughly.
COSTS = {
    "instant": "over 10,000 pairs a second",
    "fast": "over 500 pairs a second",
    "model": "a neural network: 1 to 500 pairs a second",
}


@dataclass(frozen=True)
class MetricInfo:
    """What a user has to know to read a metric's numbers, and to ask for it.

    Attributes:
        id: The name on the command line and the score column ("edit_distance").
        family: One of `FAMILIES`.
        low, high: The range of its values (infinite where unbounded).
        higher_is_closer: False for distances.
        threshold: The value at or beyond which a pair counts as a paraphrase, if the metric has one by nature.
        uses_reference: Whether the number changes with the corpus's reference.
        needs_reference: Whether there is no number without it.
        needs: What has to be at hand, in words ("" when nothing).
        cost: One of `COSTS`.
        default: Whether it is computed where none is named.
        reference_form: Whether `id.ref`, the hypothesis against the reference, is offered.
        argument: What may stand after the colon, in words ("folder or hub id of an encoder"), "" for nothing.
        argument_needed: Whether it must stand there.
        takes_model: Whether that argument is a model's folder or hub id.
        options: The dataclass of its options (see `parapluie_gui.options`), which its class takes as keywords.
        languages: ISO 639 codes of the languages that it knows, with spaces between them; "" where it knows no words.
        usual_model: The model that ships with it, as its signature names it, whose languages these are; "" for a metric
            without one.
        parallel: Whether its work is Python's own and worth spreading over processes.
    """

    id: str
    title: str
    family: str
    low: float
    high: float
    higher_is_closer: bool = True
    threshold: float | None = None
    uses_reference: bool = False
    needs: str = ""
    summary: str = ""
    cost: str = "instant"
    default: bool = False
    reference_form: bool = True
    argument: str = ""
    argument_needed: bool = False
    takes_model: bool = False
    options: type[Any] = NoOptions
    parallel: bool = False
    needs_reference: bool = False
    languages: str = ""
    usual_model: str = ""

    @property
    def range(self) -> str:
        """The range in words: "0 to 1", "-1 to 1", "unbounded", "up to 0"."""
        low, high = (f"{bound:g}" if math.isfinite(bound) else "" for bound in (self.low, self.high))
        if low and high:
            return f"{low} to {high}"
        return f"from {low}" if low else f"up to {high}" if high else "unbounded"


def meaning(info: MetricInfo) -> dict[str, str]:
    """Return what a signature is to carry of a foreign metric: title, range, direction and threshold."""
    fields = {"title": info.title, "closer": "higher" if info.higher_is_closer else "lower"}
    numbers = {"low": info.low, "high": info.high, "threshold": info.threshold}
    return fields | {
        name: f"{value:g}" for name, value in numbers.items() if value is not None and math.isfinite(value)
    }


def info_of(signature: Signature, kind: MetricInfo) -> MetricInfo:
    """Return the meaning of a foreign metric's column, by its signature with the fields of `meaning` and its kind."""
    fields = dict(signature.fields)
    title = fields.get("title", kind.title)
    return MetricInfo(
        id=signature.column,
        title=f"{title} vs reference" if fields.get("against") == "reference" else title,
        family=kind.family,
        low=float(fields.get("low", "-inf")),
        high=float(fields.get("high", "inf")),
        higher_is_closer=fields.get("closer") != "lower",
        threshold=float(fields["threshold"]) if "threshold" in fields else None,
        uses_reference=fields.get("against") == "reference",
        summary=kind.summary,
        cost=kind.cost,
    )


@dataclass(frozen=True)
class Readiness:
    """What a metric lacks to be computed now; true where it lacks nothing.

    Attributes:
        missing: A sentence that says what is missing and how to get it; "" when ready.
        get: The name that `parapluie models get` (the window's Get button) fetches to make it ready, or "".
    """

    missing: str = ""
    get: str = ""

    def __bool__(self) -> bool:
        return not self.missing


READY = Readiness()


class Metric:
    """A baseline metric. Instances are cheap to make; anything heavy is loaded at the first `score`.

    A metric has `info`, `fields` and `_score`. All else below is optional.

    Attributes:
        libraries: The Python packages whose versions its numbers depend on.
        chunk: Pairs it wants at a time; they then come sorted by length, and a pause interrupts the work on them by
            `MetricContext.check`. 0: as many as are done in a tenth of a second.
    """

    info: MetricInfo
    libraries: tuple[str, ...] = ()
    chunk: int = 0

    def fields(self) -> Mapping[str, object]:
        """Return what its numbers depend on beside this program's and the libraries' versions, in reading order.

        By default these are its options, which it has as attributes.

        Raises:
            ParapluieError: Something it needs is not there.
        """
        return {each.name: each.write(getattr(self, each.name)) for each in described(self.info.options)}

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        """Return one number for each of n > 0 pairs; NaN where the metric is not defined."""
        raise NotImplementedError

    def readiness(self) -> Readiness:
        """Return whether it can be computed now; quick, and without importing torch."""
        return READY

    def announce(self, context: MetricContext) -> None:
        """Say what it will want of a model that metrics share; quick. Called for all metrics of a job before any."""

    def prepare(self, context: MetricContext) -> None:
        """Load models, or take shared ones. Called once before the first `score`."""

    def why_missing(self, source: str, hypothesis: str, reference: str | None = None) -> str:
        """Return why that pair's number is NaN in a few words, "" where no reason is known."""
        return ""

    def why_zero(self, source: str, hypothesis: str) -> str:
        """Return in a sentence why that pair's number is 0 though its sentences may be alike, "" where it is plain."""
        return ""

    def signature(self) -> Signature:
        """Return what its numbers depend on.

        Raises:
            ParapluieError: Something it needs is not there.
        """
        versions = {"version": __version__, **{name: version(name) for name in self.libraries}}
        return Signature.of(self.info.id, {"name": self.info.id, **self.fields(), **versions})

    def score(self, sources: Texts, hypotheses: Texts, references: References = None) -> Scores:
        """Return one number per pair, float64 of shape (n,); NaN where the metric is not defined.

        Raises:
            ParapluieError: It cannot be computed, or these are no lists.
            ValueError: The numbers of sources and hypotheses differ.
        """
        if isinstance(sources, str) or isinstance(hypotheses, str):
            raise MetricError("A metric scores lists of sentences, and this is one text. Pass [source], [hypothesis].")
        if len(sources) != len(hypotheses):
            raise ValueError(f"{len(sources)} sources but {len(hypotheses)} hypotheses")
        if references is None and self.info.needs_reference:
            raise without_references(self.info)
        return self._score(sources, hypotheses, references) if len(sources) else np.empty(0)


class ModelCache:
    """Holds one loaded model at a time, with the key that it was loaded under, for the metrics of several jobs."""

    def __init__(self) -> None:
        self.held: tuple[Any, Any] | None = None

    def take(self, key: Any, load: Callable[[], Any]) -> Any:
        """Return what was loaded under this key; otherwise let go of what is held, then load."""
        if self.held is None or self.held[0] != key:
            if self.held is not None:
                self.held = None
                free_memory()  # before the next one takes its own: a network's parts refer to each other
            self.held = (key, load())
        return self.held[1]

    def forget(self) -> None:
        """Drop what the model has cached, as at the end of a job; it stays loaded."""
        if self.held is not None and (forget := getattr(self.held[1], "forget", None)) is not None:
            forget()


@dataclass
class MetricContext:
    """What the metrics of a job share: how they are interrupted, where they compute, the loaded model.

    Attributes:
        check: Called often within long work; raises when the job is to rest or to end.
        stage: Called with what is being done before numbers can come, in words.
        notice: Called with a sentence that the user should know.
        device, precision: Where and how models compute, as in a judge's settings.
        wanted: What the metrics of the job want of the models they share.
    """

    check: Callable[[], None] = lambda: None
    stage: Callable[[str], None] = lambda text: None
    notice: Callable[[str], None] = lambda text: None
    device: str = "auto"
    precision: str = "float32"
    models: ModelCache = field(default_factory=ModelCache)
    wanted: dict[Any, set[Any]] = field(default_factory=dict)


NO_REFERENCE = "the pair has no reference"


def without_references(info: MetricInfo) -> MetricError:
    """Return the error for a metric that needs references, over a corpus that has none."""
    return MetricError(
        f"{info.title} needs a reference for each pair, and this corpus has none. Name its column (--reference), or "
        "use a metric that compares with the source."
    )
