"""The user's own metrics: a Python file with a function `score`, or the entry point of an installed package."""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import inspect
import math
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from parapluie_gui import places
from parapluie_gui.arrays import Scores
from parapluie_gui.errors import MetricError, ParapluieError
from parapluie_gui.metrics.base import (
    AllReferences,
    Metric,
    MetricContext,
    MetricInfo,
    References,
    Texts,
    meaning_fields,
)
from parapluie_gui.metrics.neighbours import NeighbourModules, parse_code, read_code
from parapluie_gui.metrics.variants import WrappedMetric
from parapluie_gui.scores.signature import Signature

#: Packages name their metrics in this group: `[project.entry-points."parapluie_gui.metrics"]`.
GROUP = "parapluie_gui.metrics"

#: Assignments at the top of a metric file that describe its scores, with their types.
_STATED_TYPES = {
    "title": str,
    "low": (int, float),
    "high": (int, float),
    "higher_is_closer": bool,
    "threshold": (int, float),
}
_VERSION = ("version", "__version__")


class UserMetric(Metric):
    """A metric from the user's Python file, which is run when the first pair is scored.

    The file defines `score(sources, hypotheses) -> list of numbers`, one per pair, None or NaN for a missing score. At
    the top it may describe its scores: `title`, `low`, `high`, `higher_is_closer`, `threshold`, `version`.

    Raises:
        MetricError: The file is missing, or it is not Python; the message names the line.
    """

    info = MetricInfo(
        id="user",
        title="Your metric",
        family="user",
        low=float("-inf"),
        high=float("inf"),
        needs="a Python file with a function score(sources, hypotheses) that returns one number per pair",
        summary="Your own metric, from a Python file; the file is run when you name it.",
        cost="fast",
        argument="Python file",
        argument_needed=True,
    )

    def __init__(self, argument: str) -> None:
        self.path = places.expand_user_path(argument)
        self._code = read_code(self.path)
        tree = parse_code(self._code, self.path)
        self._neighbours = NeighbourModules(self.path.resolve().parent, tree)
        #: The hexadecimal checksum of the file's contents and of the modules that it imports from its folder.
        self.sha256 = self._neighbours.digest(self._code)
        #: Paths of these modules relative to the folder.
        self.modules = self._neighbours.paths
        self._version, stated = _read_statements(tree)
        plain = dataclasses.replace(self.info, title=self.path.stem, needs="", argument="", argument_needed=False)
        self.info = dataclasses.replace(plain, **stated)
        self._function: Callable[..., Any] | None = None

    def signature(self) -> Signature:
        """Return the signature: the file's name and checksum, and its statements about its scores."""
        fields = {"name": self.info.id, "file": self.path.name, "sha256": self.sha256[:12]}
        if self._version:
            fields["version"] = self._version
        return Signature.from_fields(self.info.id, {**fields, **meaning_fields(self.info)})

    def why_missing(self, source: str, hypothesis: str, reference: str | None = None) -> str:
        return f"{self.path.name} returned no number"

    def prepare(self, context: MetricContext) -> None:
        """Run the file."""
        if self._function is None:
            self._function = self._load()

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        self._function = function = self._function or self._load()
        with self._running():
            values = function(list(sources), list(hypotheses))
        return checked_scores(values, len(sources), self.path.name)

    def _load(self) -> Callable[..., Any]:
        module = ModuleType(f"parapluie_user_{self.path.stem}")
        module.__file__ = str(self.path)
        sys.modules[module.__name__] = module
        with self._running():
            exec(compile(self._code, str(self.path), "exec"), module.__dict__)
        function: Callable[..., Any] | None = getattr(module, "score", None)
        if not callable(function):
            raise MetricError(f"{self.path.name} has no function score(sources, hypotheses). Add it.")
        return function

    @contextmanager
    def _running(self) -> Iterator[None]:
        """Run the file's code in the block, with its modules importable and errors converted to readable messages."""
        try:
            with self._neighbours.importable():
                yield
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a file may raise GeneratorExit or SystemExit
            raise MetricError(describe_error(error, self.path)) from error


class _AdaptedMetric(Metric):
    """Adapter for an object with the methods of `Metric` that does not inherit from it."""

    def __init__(self, metric: Any) -> None:
        self.info = metric.info
        self.chunk = getattr(metric, "chunk", 0)
        self._metric = metric
        for name in ("signature", "readiness", "announce", "prepare", "why_missing"):
            if hasattr(metric, name):
                setattr(self, name, getattr(metric, name))

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        scores: Scores = self._metric.score(sources, hypotheses, references)
        return scores


class _FunctionMetric(Metric):
    """Adapter for a plain function of sources and hypotheses."""

    def __init__(self, info: MetricInfo, function: Callable[..., Any]) -> None:
        self.info = info
        self._function = function

    def signature(self) -> Signature:
        return Signature.from_fields(self.info.id, {})

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        scores: Scores = self._function(list(sources), list(hypotheses))
        return scores


class PackageMetric(WrappedMetric):
    """A metric of an installed package, whose entry point names a function `score` or a factory of a `Metric`.

    Raises:
        MetricError: The entry point cannot be imported, or names neither a function nor a factory.
    """

    def __init__(self, point: EntryPoint) -> None:
        self._point = point
        try:
            loaded: Any = point.load()
            if isinstance(loaded, type) or not _is_score_function(loaded):
                loaded = loaded()
        except ParapluieError:
            raise
        except (Exception, SystemExit) as error:
            raise MetricError(f"{_origin(point)} cannot be loaded: {_first_line(error)}.") from error
        is_metric = hasattr(loaded, "score") and hasattr(loaded, "info")
        if not callable(loaded.score if is_metric else loaded):
            raise MetricError(f"{_origin(point)} is neither a function score(sources, hypotheses) nor a metric.")
        if not isinstance(loaded, Metric):
            loaded = _AdaptedMetric(loaded) if is_metric else _FunctionMetric(package_info(point), loaded)
        super().__init__(loaded)
        self.info = dataclasses.replace(self.info, id=point.name)
        self._code = _hash_package(point.module)

    def signature(self) -> Signature:
        """Return the signature: the package's name, version and checksum, and the fields of its metric."""
        dist = self._point.dist
        package = {} if dist is None else {"package": dist.name, "package_version": dist.version}
        own = dict(self.metric.signature().fields)
        code = {"code": self._code} if self._code else {}
        fields = {"name": self.info.id, **package, **code, **own, **meaning_fields(self.info)}
        return Signature.from_fields(self.info.id, fields)

    def why_missing(self, source: str, hypothesis: str, reference: str | None = None) -> str:
        return super().why_missing(source, hypothesis, reference) or f"{_origin(self._point)} returned no number"

    def _score(self, sources: Texts, hypotheses: Texts, references: AllReferences) -> Scores:
        return checked_scores(super()._score(sources, hypotheses, references), len(sources), _origin(self._point))


@lru_cache(maxsize=1)
def packages() -> tuple[tuple[MetricInfo, Callable[..., Metric]], ...]:
    """Return the metrics of installed packages; a package is imported only when its metric is made."""
    return tuple((package_info(point), partial(PackageMetric, point)) for point in entry_points(group=GROUP))


def package_info(point: EntryPoint) -> MetricInfo:
    """Describe a package's metric from its entry point alone, without importing the package."""
    origin = "a package" if point.dist is None else point.dist.name
    return MetricInfo(
        point.name, point.name, "user", -math.inf, math.inf, cost="fast", summary=f"A metric from {origin}."
    )


def checked_scores(values: Any, count: int, origin: str) -> Scores:
    """Convert the result of a user's `score` to float64 of shape (n,), None to NaN.

    Raises:
        MetricError: The result is not one number per pair.
    """
    try:
        numbers = list(values)
    except TypeError:
        raise MetricError(
            f"{origin}: score returned {type(values).__name__} instead of a list with one number per pair."
        ) from None
    if len(numbers) != count:
        raise MetricError(f"{origin}: score returned {len(numbers)} numbers for {count} pairs. Return one per pair.")
    result = np.empty(count)
    for row, value in enumerate(numbers):
        try:
            result[row] = math.nan if value is None else float(value)
        except (TypeError, ValueError):
            raise MetricError(
                f"{origin}: score returned {str(value)[:40]!r} for a pair, not a number. Return None for a missing "
                "score."
            ) from None
    return result


def describe_error(error: BaseException, path: Path) -> str:
    """Return a sentence that describes an error in a metric file, with its line."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    place = f", line {lines[-1]}" if lines else ""
    return f"{path.name}{place}: {_first_line(error)}. Correct the file."


def _first_line(error: BaseException) -> str:
    words = (str(error).strip().splitlines() or [""])[0].rstrip(".")
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def _origin(point: EntryPoint) -> str:
    return point.value if point.dist is None else f"{point.dist.name} ({point.value})"


def _hash_package(module: str) -> str:
    """Return 12 hexadecimal digits of the Python files of an imported module's package; "" if it has none.

    A package that is installed from its source folder (`pip install -e`) changes without a new version.
    """
    top = sys.modules.get(module.partition(".")[0])
    folders = [Path(folder) for folder in getattr(top, "__path__", ())]
    files = [file for folder in folders for file in folder.rglob("*.py")] or [
        Path(file) for file in (getattr(top, "__file__", None),) if file
    ]
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(f"{file.name}\0{hashlib.sha256(file.read_bytes()).hexdigest()}\0".encode())
    return digest.hexdigest()[:12] if files else ""


def _is_score_function(loaded: Any) -> bool:
    """Return whether this is a function of sources and hypotheses; rather than a factory of a metric."""
    try:
        return len(inspect.signature(loaded).parameters) >= 2
    except (TypeError, ValueError):
        return callable(loaded)


def _read_statements(tree: ast.Module) -> tuple[str, dict[str, Any]]:
    """Return the version and the description that a file states at its top, without running it."""
    stated: dict[str, Any] = {}
    version = ""
    for statement in tree.body:
        if not (isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant | ast.UnaryOp)):
            continue
        try:
            value = ast.literal_eval(statement.value)
        except ValueError:
            continue
        for target in statement.targets:
            name = target.id if isinstance(target, ast.Name) else ""
            if name in _VERSION:
                version = str(value)
            elif name in _STATED_TYPES and isinstance(value, _STATED_TYPES[name]):  # type: ignore[arg-type]
                stated[name] = value
    return version, stated
