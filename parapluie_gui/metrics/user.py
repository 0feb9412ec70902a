"""Metrics of the user's own: one Python file with a function `score`, or an installed package's entry point."""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import inspect
import math
import sys
import traceback
from collections.abc import Callable
from functools import lru_cache, partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from parapluie_gui import places
from parapluie_gui.arrays import Scores
from parapluie_gui.errors import MetricError, ParapluieError
from parapluie_gui.files import check_is_file
from parapluie_gui.metrics.base import Metric, MetricContext, MetricInfo, References, Texts, meaning
from parapluie_gui.metrics.chosen import Wrapped
from parapluie_gui.scores.signature import Signature

#: Packages name their metrics in this group: `[project.entry-points."parapluie_gui.metrics"]`.
GROUP = "parapluie_gui.metrics"

#: What a file may say of its numbers, as plain assignments at its top.
_SAYS = {"title": str, "low": (int, float), "high": (int, float), "higher_is_closer": bool, "threshold": (int, float)}
_VERSION = ("version", "__version__")

#: Bytes of a metric file, at most.
LONGEST_FILE = 4 * 2**20


class UserMetric(Metric):
    """A metric from the user's file, which is run when the first pair is scored.

    The file has `score(sources, hypotheses) -> list of numbers`, one for each pair; None or NaN where there is none.
    At its top it may say what the numbers mean: `title`, `low`, `high`, `higher_is_closer`, `threshold`, `version`.

    Raises:
        MetricError: There is no such file, or it is not Python; the sentence names the line.
    """

    info = MetricInfo(
        id="user",
        title="Your metric",
        family="user",
        low=float("-inf"),
        high=float("inf"),
        needs="a Python file with a function score(sources, hypotheses) that returns one number per pair",
        summary="A metric of your own, from a Python file; the file is run when you name it.",
        cost="fast",
        argument="file of Python",
        argument_needed=True,
    )

    def __init__(self, argument: str) -> None:
        self.path = places.expand_user_path(argument)
        try:
            check_is_file(self.path)
            with self.path.open("rb") as file:
                self._code = file.read(LONGEST_FILE + 1)
        except OSError as error:
            raise MetricError(
                f"{self.path} cannot be read ({error.strerror or error}). Check its name and folder."
            ) from error
        if len(self._code) > LONGEST_FILE:
            raise MetricError(f"{self.path} is larger than {LONGEST_FILE >> 20} MB. Choose a smaller file.")
        #: Of its contents, hexadecimal.
        self.sha256 = hashlib.sha256(self._code).hexdigest()
        try:
            tree = ast.parse(self._code, str(self.path))
        except (RecursionError, MemoryError) as error:
            raise MetricError(f"{self.path.name} is too deeply nested to be read. Correct the file.") from error
        except (SyntaxError, ValueError) as error:
            line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
            raise MetricError(f"{self.path.name}{line}: {getattr(error, 'msg', error)}. Correct the file.") from error
        self._version, stated = _read(tree)
        plain = dataclasses.replace(self.info, title=self.path.stem, needs="", argument="", argument_needed=False)
        self.info = dataclasses.replace(plain, **stated)
        self._function: Callable[..., Any] | None = None

    def signature(self) -> Signature:
        """Return what its numbers depend on: the file's contents."""
        fields = {"name": self.info.id, "file": self.path.name, "sha256": self.sha256[:12]}
        if self._version:
            fields["version"] = self._version
        return Signature.of(self.info.id, {**fields, **meaning(self.info)})

    def why_missing(self, source: str, hypothesis: str, reference: str | None = None) -> str:
        return f"{self.path.name} gave none"

    def prepare(self, context: MetricContext) -> None:
        """Run the file."""
        if self._function is None:
            self._function = self._load()

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        self._function = function = self._function or self._load()
        try:
            values = function(list(sources), list(hypotheses))
        except (Exception, SystemExit) as error:
            raise MetricError(where(error, self.path)) from error
        return checked(values, len(sources), self.path.name)

    def _load(self) -> Callable[..., Any]:
        module = ModuleType(f"parapluie_user_{self.path.stem}")
        module.__file__ = str(self.path)
        folder = str(self.path.resolve().parent)
        # Files beside it can be imported, as when Python runs it.
        sys.path.insert(0, folder)
        sys.modules[module.__name__] = module
        try:
            exec(compile(self._code, str(self.path), "exec"), module.__dict__)
        except (Exception, SystemExit) as error:
            raise MetricError(where(error, self.path)) from error
        finally:
            sys.path.remove(folder)
        function: Callable[..., Any] | None = getattr(module, "score", None)
        if not callable(function):
            raise MetricError(f"{self.path.name} has no function score(sources, hypotheses). Add it.")
        return function


class _Plain(Metric):
    """An object that follows `Metric` without inheriting from it; what it lacks is as in `Metric`."""

    def __init__(self, found: Any) -> None:
        self.info = found.info
        self.chunk = getattr(found, "chunk", 0)
        self._found = found
        for name in ("signature", "readiness", "announce", "prepare", "why_missing"):
            if hasattr(found, name):
                setattr(self, name, getattr(found, name))

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        scores: Scores = self._found.score(sources, hypotheses, references)
        return scores


class _Function(Metric):
    """A function of sources and hypotheses."""

    def __init__(self, info: MetricInfo, function: Callable[..., Any]) -> None:
        self.info = info
        self._function = function

    def signature(self) -> Signature:
        return Signature.of(self.info.id, {})

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        scores: Scores = self._function(list(sources), list(hypotheses))
        return scores


class PackageMetric(Wrapped):
    """A metric of an installed package: its entry point names a function `score`, or a class that makes a `Metric`.

    Raises:
        MetricError: It cannot be imported, or is neither of both.
    """

    def __init__(self, point: EntryPoint) -> None:
        self._point = point
        try:
            found: Any = point.load()
            if isinstance(found, type) or not _takes_pairs(found):
                found = found()
        except ParapluieError:
            raise
        except (Exception, SystemExit) as error:
            raise MetricError(f"{_origin(point)} cannot be loaded: {_first_line(error)}.") from error
        whole = hasattr(found, "score") and hasattr(found, "info")
        if not callable(found.score if whole else found):
            raise MetricError(f"{_origin(point)} is neither a function score(sources, hypotheses) nor a metric.")
        if not isinstance(found, Metric):
            found = _Plain(found) if whole else _Function(package_info(point), found)
        super().__init__(found)
        self.info = dataclasses.replace(self.info, id=point.name)

    def signature(self) -> Signature:
        """Return what its numbers depend on: the package's version, and what its metric says."""
        dist = self._point.dist
        package = {} if dist is None else {"package": dist.name, "package_version": dist.version}
        own = dict(self.metric.signature().fields)
        return Signature.of(self.info.id, {"name": self.info.id, **package, **own, **meaning(self.info)})

    def why_missing(self, source: str, hypothesis: str, reference: str | None = None) -> str:
        return super().why_missing(source, hypothesis, reference) or f"{_origin(self._point)} gave none"

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        return checked(super()._score(sources, hypotheses, references), len(sources), _origin(self._point))


@lru_cache(maxsize=1)
def packages() -> tuple[tuple[MetricInfo, Callable[..., Metric]], ...]:
    """Return the metrics of installed packages; nothing of them is imported before one is asked for."""
    return tuple((package_info(point), partial(PackageMetric, point)) for point in entry_points(group=GROUP))


def package_info(point: EntryPoint) -> MetricInfo:
    """Return what a package's metric is as far as its entry point tells; nothing is imported."""
    origin = "a package" if point.dist is None else point.dist.name
    return MetricInfo(
        point.name, point.name, "user", -math.inf, math.inf, cost="fast", summary=f"A metric that {origin} brings."
    )


def checked(values: Any, count: int, origin: str) -> Scores:
    """Return what a foreign function gave as float64 of shape (n,), None as NaN.

    Raises:
        MetricError: It is not one number per pair.
    """
    try:
        given = list(values)
    except TypeError:
        raise MetricError(
            f"{origin}: score returned {type(values).__name__} instead of a list with one number per pair."
        ) from None
    if len(given) != count:
        raise MetricError(f"{origin}: score returned {len(given)} numbers for {count} pairs; it must return as many.")
    result = np.empty(count)
    for row, value in enumerate(given):
        try:
            result[row] = math.nan if value is None else float(value)
        except (TypeError, ValueError):
            raise MetricError(
                f"{origin}: score returned {str(value)[:40]!r} for a pair, which is not a number; return None for none."
            ) from None
    return result


def where(error: BaseException, path: Path) -> str:
    """Return a sentence that says what went wrong in a file, and at which of its lines."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    place = f", line {lines[-1]}" if lines else ""
    return f"{path.name}{place}: {_first_line(error)}. Correct the file."


def _first_line(error: BaseException) -> str:
    words = (str(error).strip().splitlines() or [""])[0].rstrip(".")
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def _origin(point: EntryPoint) -> str:
    return point.value if point.dist is None else f"{point.dist.name} ({point.value})"


def _takes_pairs(found: Any) -> bool:
    """Return True if an object is a function of sources and hypotheses rather than one that makes a metric."""
    try:
        return len(inspect.signature(found).parameters) >= 2
    except (TypeError, ValueError):
        return callable(found)


def _read(tree: ast.Module) -> tuple[str, dict[str, Any]]:
    """Return the version and the meaning of the numbers that a file states at its top, without running it."""
    stated: dict[str, Any] = {}
    release = ""
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
                release = str(value)
            elif name in _SAYS and isinstance(value, _SAYS[name]):  # type: ignore[arg-type]
                stated[name] = value
    return release, stated
