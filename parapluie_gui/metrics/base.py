"""What every metric offers: a name, what its numbers mean, and a function from sentences to numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from parapluie_gui.errors import MetricError
from parapluie_gui.metrics.spec import Spec
from parapluie_gui.scores.signature import Signature

#: The families in the order in which they are offered.
FAMILIES = ("lexical", "embedding", "generation", "classifier", "pivot", "external", "user")

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
        title: The name a person reads ("Edit distance").
        family: One of `FAMILIES`.
        low, high: The range of its values (infinite where unbounded).
        higher_is_closer: False for distances.
        threshold: The value at or beyond which a pair counts as a paraphrase, if the metric has one by nature.
        uses_reference: Whether the number changes with the corpus's reference.
        needs_reference: Whether there is no number without it.
        needs: What has to be at hand, in words ("" when nothing).
        summary: One sentence on what it measures.
        cost: One of `COSTS`.
        default: Whether it is computed where none is named.
        reference_form: Whether `id.ref`, the hypothesis against the reference, is offered.
        argument: What may stand after the colon, in words ("folder or hub id of an encoder"), "" for nothing.
        argument_needed: Whether it must stand there.
        takes_model: Whether that argument is a model's folder or hub id.
        options: Option names and what each is, in words.
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
    options: tuple[tuple[str, str], ...] = ()
    parallel: bool = False
    needs_reference: bool = False

    @property
    def range(self) -> str:
        """The range in words: "0 to 1", "-1 to 1", "unbounded", "up to 0"."""
        low, high = (f"{bound:g}" if np.isfinite(bound) else "" for bound in (self.low, self.high))
        if low and high:
            return f"{low} to {high}"
        return f"from {low}" if low else f"up to {high}" if high else "unbounded"


@dataclass(frozen=True)
class Readiness:
    """Whether a metric can be computed now.

    Attributes:
        missing: A sentence that says what is missing and how to get it; "" when ready.
        get: The name that `parapluie models get` (the window's Get button) fetches to make it ready, or "".
    """

    missing: str = ""
    get: str = ""

    def __bool__(self) -> bool:
        return not self.missing


READY = Readiness()


class Metric(Protocol):
    """A baseline metric. Instances are cheap to make; anything heavy is loaded at the first `score`.

    Beside these, a metric may have:

    - `readiness() -> Readiness`: what is missing; quick, and without importing torch.
    - `announce(bench: MetricContext) -> None`: called for all metrics of a job before any of them, so that those that
      share a model can say what they will want of it; quick.
    - `prepare(bench: MetricContext) -> None`: called once before the first `score`, to load models or take shared ones.
    - `why_missing(source, hypothesis, reference) -> str`: why that pair's number is NaN, in a few words.
    - `chunk: int`: pairs it wants at a time; they then come sorted by length, and a pause interrupts the work on them
      by `MetricContext.check`.
    """

    @property
    def info(self) -> MetricInfo:
        """Return what its numbers mean."""

    def signature(self) -> Signature:
        """Return what its numbers depend on.

        Raises:
            ParapluieError: Something it needs is not there.
        """

    def score(
        self, sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str | None] | None = None
    ) -> np.ndarray:
        """Return one number per pair, float64 of shape (n,); NaN where the metric is not defined."""


class ModelCache:
    """Holds one loaded model at a time, for the metrics of several jobs.

    Attributes:
        held: What it was loaded from and the model, or None.
    """

    def __init__(self) -> None:
        self.held: tuple[Any, Any] | None = None

    def take(self, key: Any, load: Callable[[], Any]) -> Any:
        """Return what was loaded under this key; else let go of what is held, then load."""
        if self.held is None or self.held[0] != key:
            self.held = None  # its memory is free before the next one takes its own
            self.held = (key, load())
        return self.held[1]

    def forget(self) -> None:
        """Let the model forget what it has made, as when a job is over; it stays loaded."""
        if self.held is not None and (forget := getattr(self.held[1], "forget", None)) is not None:
            forget()


class MetricContext:
    """What the metrics of a job share: how they are interrupted, where they compute, the model at hand.

    Attributes:
        check: Called often within long work; raises when the job is to rest or to end.
        stage: Told in words what is being done before numbers can come.
        notice: Told in a sentence what the user should know.
        device, precision: Where and how models compute, as in a judge's settings.
        shelf: Where the model at hand lies.
        wanted: What the metrics of the job want of the models they share.
    """

    def __init__(
        self,
        check: Callable[[], None] = lambda: None,
        stage: Callable[[str], None] = lambda text: None,
        notice: Callable[[str], None] = lambda text: None,
        device: str = "auto",
        precision: str = "float32",
        shelf: ModelCache | None = None,
    ) -> None:
        self.check = check
        self.stage = stage
        self.notice = notice
        self.device = device
        self.precision = precision
        self.shelf = shelf or ModelCache()
        self.wanted: dict[Any, set[Any]] = {}


def readiness(metric: Metric) -> Readiness:
    """Return whether a metric can be computed now; those that need nothing always can."""
    ask = getattr(metric, "readiness", None)
    return READY if ask is None else ask()


def why_missing(metric: Metric, source: str, hypothesis: str, reference: str | None = None) -> str:
    """Return why a pair has no number under this metric, "" where nothing is known of a reason."""
    ask = getattr(metric, "why_missing", None)
    return "" if ask is None else ask(source, hypothesis, reference)


def announce(metric: Metric, bench: MetricContext) -> None:
    """Let a metric say what it will want of a model it shares."""
    say = getattr(metric, "announce", None)
    if say is not None:
        say(bench)


def prepare(metric: Metric, bench: MetricContext) -> None:
    """Let a metric load what it needs."""
    ready = getattr(metric, "prepare", None)
    if ready is not None:
        ready(bench)


NO_REFERENCE = "the pair has no reference"


def without_references(info: MetricInfo) -> MetricError:
    """Return the error for a metric that needs references, over a corpus that has none."""
    return MetricError(
        f"{info.title} needs a reference for each pair, and this corpus has none; name its column (--reference), or "
        "use a metric that compares with the source."
    )


class Chosen:
    """A metric as a spec asks for it: under a column of its own and, with `.ref`, against the reference."""

    def __init__(self, metric: Metric, spec: Spec) -> None:
        self.metric = metric
        self.spec = spec
        self.info = variant(metric.info, spec)
        if hasattr(metric, "chunk"):
            self.chunk = metric.chunk

    def signature(self) -> Signature:
        """Return what its numbers depend on, with `against:reference` where that is so."""
        plain = self.metric.signature()
        against = (("against", "reference"),) if self.spec.reference else ()
        return Signature(self.spec.column, (*plain.fields[:1], *against, *plain.fields[1:]))

    def readiness(self) -> Readiness:
        """Return whether it can be computed now."""
        return readiness(self.metric)

    def announce(self, bench: MetricContext) -> None:
        """Let it say what it will want of a shared model."""
        announce(self.metric, bench)

    def prepare(self, bench: MetricContext) -> None:
        """Let it load what it needs."""
        prepare(self.metric, bench)

    def why_missing(self, source: str, hypothesis: str, reference: str | None = None) -> str:
        """Return why that pair has no number."""
        if not self.spec.reference:
            return why_missing(self.metric, source, hypothesis, reference)
        return NO_REFERENCE if reference is None else why_missing(self.metric, reference, hypothesis)

    def score(
        self, sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str | None] | None = None
    ) -> np.ndarray:
        """Return one number per pair, NaN where `.ref` finds no reference."""
        if not self.spec.reference:
            return self.metric.score(sources, hypotheses, references)
        if references is None:
            raise without_references(self.info)
        rows = [row for row, reference in enumerate(references) if reference is not None]
        values = np.full(len(hypotheses), np.nan)
        texts = [text for text in references if text is not None]
        values[rows] = self.metric.score(texts, [hypotheses[row] for row in rows])
        return values


def variant(info: MetricInfo, spec: Spec) -> MetricInfo:
    """Return what there is to know of a metric under a spec: its column and title say what was chosen."""
    said = [value if name in ("as", "part") else f"{name} {value}" for name, value in spec.options]
    if spec.argument and "as" not in dict(spec.options):
        said.append(Spec("x", argument=spec.argument).column.removeprefix("x."))
    title = f"{info.title} ({', '.join(said)})" if said else info.title
    if spec.reference:
        title += " vs reference"
    return dataclasses.replace(
        info,
        id=spec.column,
        title=title,
        uses_reference=info.uses_reference or spec.reference,
        needs_reference=info.needs_reference or spec.reference,
        default=False,
    )
