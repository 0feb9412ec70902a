"""The interface of metrics: a score for each pair of sentences, its meaning and its dependencies."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import chain
from typing import Any, cast

import numpy as np

from parapluie_gui.arrays import Scores
from parapluie_gui.errors import MetricError
from parapluie_gui.models.device import free_memory
from parapluie_gui.options import NoOptions, list_options
from parapluie_gui.scores.signature import Signature
from parapluie_gui.version import __version__

#: n sentences from one side of the pairs, and n references, if there are any.
Texts = Sequence[str]
References = Sequence[str | None] | None
#: n references, several of a pair in a tuple.
AllReferences = Sequence[str | tuple[str, ...] | None] | None

#: The families in the order in which the window and the command line list them.
FAMILIES = ("lexical", "embedding", "generation", "classifier", "pivot", "external", "user")

#: Families whose metrics the catalogue cannot know in advance: the meaning of their scores is in their signatures.
FOREIGN = ("external", "user")

#: Cost classes: pairs per second on one core of a laptop, roughly.
COSTS = {
    "instant": "over 10,000 pairs per second",
    "fast": "over 500 pairs per second",
    "model": "a neural network: 1 to 500 pairs per second",
}


@dataclass(frozen=True)
class MetricInfo:
    """The description of a metric: its names, its requirements, and how to read its scores.

    Attributes:
        id: The name on the command line and the score column ("edit_distance").
        family: One of `FAMILIES`.
        low, high: The range of its scores (infinite where unbounded).
        higher_is_closer: False for distances.
        threshold: The natural threshold, at or beyond which a pair counts as a paraphrase; None if the metric has none.
        uses_reference: Whether the score changes with the corpus's reference.
        needs_reference: Whether the score is missing without a reference.
        needs: Requirements in words; "" for a metric that has none.
        cost: One of `COSTS`.
        default: Whether it is computed when the user names no metric.
        reference_form: Whether `id.ref`, the hypothesis against the reference, is offered.
        argument: The argument after the colon, in words ("folder or hub id of an encoder"); "" if it takes none.
        argument_needed: Whether the argument is required.
        takes_model: Whether the argument is a model's folder or hub id.
        options: The dataclass of its options (see `parapluie_gui.options`), which its class takes as keywords.
        languages: ISO 639 codes of the languages it supports, separated by spaces; "" if it depends on no language.
        usual_model: The model that ships with it, as its signature names it, to which `languages` applies; "" for a
            metric without one.
        parallel: Whether it is computed in pure Python and gains from several processes.
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
        """The range in words: "0 to 1", "-1 to 1", "from 0", "up to 0", "unbounded"."""
        low, high = (f"{bound:g}" if math.isfinite(bound) else "" for bound in (self.low, self.high))
        if low and high:
            return f"{low} to {high}"
        return f"from {low}" if low else f"up to {high}" if high else "unbounded"


def meaning_fields(info: MetricInfo) -> dict[str, str]:
    """Return the signature fields that describe an external metric: title, range, direction and threshold."""
    fields = {"title": info.title, "closer": "higher" if info.higher_is_closer else "lower"}
    numbers = {"low": info.low, "high": info.high, "threshold": info.threshold}
    return fields | {
        name: f"{value:g}" for name, value in numbers.items() if value is not None and math.isfinite(value)
    }


def info_from_signature(signature: Signature, kind: MetricInfo) -> MetricInfo:
    """Return the description of an external metric's column from a signature with the fields of `meaning_fields`.

    `kind` is the description that all metrics of its kind share.
    """
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
class MetricReadiness:
    """Whether a metric can be computed now; true if nothing is missing.

    Attributes:
        missing: A sentence that names the missing item and how to get it; "" when ready.
        get: The name to pass to `parapluie models get` (the window's Get button) to make it ready, or "".
    """

    missing: str = ""
    get: str = ""

    def __bool__(self) -> bool:
        return not self.missing


READY = MetricReadiness()


class Metric:
    """A baseline metric. Instances are cheap to make; anything heavy is loaded at the first `score`.

    A metric defines `info`, `_score` and, unless its options cover everything, `fields`. The other methods are
    optional.

    Attributes:
        libraries: The Python packages whose versions its scores depend on.
        chunk: Number of pairs per call of `score`; they are then sorted by length, and `MetricContext.check` interrupts
            a call for a pause. 0: as many pairs as take a tenth of a second.
        takes_all_references: Whether `_score` takes several references of a pair in a tuple. Otherwise each of them is
            scored, and the best score counts.
        unread: The rows, of the pairs of the last `remark`, whose differences it cannot read.
    """

    info: MetricInfo
    libraries: tuple[str, ...] = ()
    chunk: int = 0
    takes_all_references: bool = False
    unread: Sequence[int] = ()

    def fields(self) -> Mapping[str, object]:
        """Return everything that the scores depend on except versions, in reading order.

        By default these are the options, read from the attributes of the same names.

        Raises:
            ParapluieError: A file or library that it needs is missing.
        """
        return {option.name: option.write(getattr(self, option.name)) for option in list_options(self.info.options)}

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        """Return one score for each of n > 0 pairs; NaN where the metric is not defined."""
        raise NotImplementedError

    def readiness(self) -> MetricReadiness:
        """Check quickly, without importing torch, whether the metric can be computed now."""
        return READY

    def announce(self, context: MetricContext) -> None:
        """Register requests to a shared model. Called on every metric of a job before the first is prepared; quick."""

    def prepare(self, context: MetricContext) -> None:
        """Load models, or reuse shared ones. Called once before the first `score`."""

    def why_missing(self, source: str, hypothesis: str, reference: str | None = None) -> str:
        """Return in a few words why the pair's score is NaN; "" if the reason is unknown."""
        return ""

    def remark(self, sources: Texts, hypotheses: Texts) -> str:
        """Return a sentence on those of n pairs about which the scores say little; "" if there are none."""
        return ""

    def why_zero(self, source: str, hypothesis: str) -> str:
        """Return in a sentence why the pair's score is 0 although its sentences may be alike; "" if that is obvious."""
        return ""

    def signature(self) -> Signature:
        """Return everything that the scores depend on: `fields` and versions.

        Raises:
            ParapluieError: A file or library that it needs is missing.
        """
        versions = {"version": __version__, **{name: version(name) for name in self.libraries}}
        return Signature.from_fields(self.info.id, {"name": self.info.id, **self.fields(), **versions})

    def score(self, sources: Texts, hypotheses: Texts, references: AllReferences = None) -> Scores:
        """Return one score per pair, float64 of shape (n,); NaN where the metric is not defined.

        Of several references of a pair, the one with the best score counts, unless the metric defines otherwise.

        Raises:
            ParapluieError: The metric cannot be computed, or the arguments are not lists.
            ValueError: The numbers of sources and hypotheses differ.
        """
        if isinstance(sources, str) or isinstance(hypotheses, str):
            raise MetricError(
                "A metric scores lists of sentences, but this is a single text. Pass [source], [hypothesis]."
            )
        if len(sources) != len(hypotheses):
            raise ValueError(f"{len(sources)} sources but {len(hypotheses)} hypotheses")
        if references is None and self.info.needs_reference:
            raise no_references_error(self.info)
        if not len(sources):
            return np.empty(0)
        if references is None or self.takes_all_references or all(not isinstance(text, tuple) for text in references):
            return self._score(sources, hypotheses, cast(References, references))
        alternatives = [text if isinstance(text, tuple) else (text,) for text in references]
        if not self.info.uses_reference:
            return self._score(sources, hypotheses, [texts[0] for texts in alternatives])
        rows = [row for row, texts in enumerate(alternatives) for _ in texts]
        texts = [sources[row] for row in rows], [hypotheses[row] for row in rows]
        return self._best(rows, self._score(*texts, list(chain.from_iterable(alternatives))), len(sources))

    def score_against(self, hypotheses: Texts, references: Sequence[tuple[str, ...]]) -> Scores:
        """Return the scores of n hypotheses against the references of each: by default, against the nearest one."""
        rows = [row for row, texts in enumerate(references) for _ in texts]
        flat = list(chain.from_iterable(references))
        return self._best(rows, self.score(flat, [hypotheses[row] for row in rows]), len(hypotheses))

    def _best(self, rows: Sequence[int], scores: Scores, count: int) -> Scores:
        best = np.full(count, np.nan)
        (np.fmax if self.info.higher_is_closer else np.fmin).at(best, rows, scores)
        return best


class ModelCache:
    """A cache of one loaded model, with its key, that the metrics of several jobs share.

    Attributes:
        loaded: The key and the model, or None.
    """

    def __init__(self) -> None:
        self.loaded: tuple[Any, Any] | None = None

    def take(self, key: Any, load: Callable[[], Any]) -> Any:
        """Return the model of this key; load it, after dropping the previous model, if another is loaded."""
        if self.loaded is None or self.loaded[0] != key:
            if self.loaded is not None:
                self.loaded = None
                free_memory()  # not at the next collection, because the parts of a network refer to each other
            self.loaded = (key, load())
        return self.loaded[1]

    def forget(self) -> None:
        """Clear the cache of the loaded model, which stays loaded; called at the end of a job."""
        if self.loaded is not None and (forget := getattr(self.loaded[1], "forget", None)) is not None:
            forget()


@dataclass
class MetricContext:
    """The context that the metrics of a job share: interruption, messages, device and loaded model.

    Attributes:
        check: Called often during long work; raises to pause or end the job.
        stage: Called with the name of a step before scoring, such as loading a model.
        notice: Called with a sentence for the user.
        device, precision: The device and number type for models, as in a judge's settings.
        requests: By model, the requests of this job's metrics to the models they share.
    """

    check: Callable[[], None] = lambda: None
    stage: Callable[[str], None] = lambda text: None
    notice: Callable[[str], None] = lambda text: None
    device: str = "auto"
    precision: str = "float32"
    models: ModelCache = field(default_factory=ModelCache)
    requests: dict[Any, set[Any]] = field(default_factory=dict)


NO_REFERENCE = "the pair has no reference"


def no_references_error(info: MetricInfo) -> MetricError:
    """Return the error for a metric that needs references when the corpus has none."""
    return MetricError(
        f"{info.title} needs a reference for each pair, but this corpus has none. Name its column (--reference), or "
        "use a metric that compares with the source."
    )


#: The earlier name, which other packages may import.
Readiness = MetricReadiness
