"""The user's consent to run the metric files that a session names, stored by path and checksum in the data folder.

A metric file is a program. The user may run any file by naming it on the command line or choosing it in the window; a
file that a session names, which may come from anyone, runs only with the user's consent. A changed file needs consent
again.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from parapluie_gui import places
from parapluie_gui.errors import MetricError, printable
from parapluie_gui.files import write_text
from parapluie_gui.metrics import user
from parapluie_gui.metrics.base import Metric
from parapluie_gui.metrics.spec import MetricSpec
from parapluie_gui.metrics.variants import WrappedMetric
from parapluie_gui.own_files import read_json_or_none

VERSION = 1
#: Maximum number of modules listed in the question for consent.
_MOST_SHOWN = 20


@dataclass(frozen=True)
class MetricFile:
    """The Python file that a spec names, with its present contents.

    Attributes:
        path: The absolute path.
        sha256: The hexadecimal checksum of its contents and of the modules that it imports from its folder.
        modules: Paths of these modules relative to the folder.
    """

    path: str
    sha256: str
    modules: tuple[str, ...] = ()

    @classmethod
    def from_spec(cls, spec: str) -> MetricFile:
        """Read the file that a spec names.

        Raises:
            MetricError: The file cannot be read.
        """
        metric = user.UserMetric(_path(spec))
        return cls(_path(spec), metric.sha256, tuple(metric.modules))

    @property
    def shown(self) -> str:
        """The path as shown to the user: � replaces invisible characters, such as line breaks that fake a sentence."""
        return printable(self.path)

    @property
    def shown_modules(self) -> str:
        """The modules as shown to the user: the first 20 by name."""
        rest = len(self.modules) - _MOST_SHOWN
        names = [printable(name) for name in self.modules[:_MOST_SHOWN]]
        return ", ".join([*names, *([f"… (+{rest})"] if rest > 0 else [])])

    @property
    def is_allowed(self) -> bool:
        """Whether the user has allowed this file, with these contents, to run."""
        return self.sha256 in _read_checksums().get(self.path, ())

    def allow(self) -> None:
        """Store the user's consent; if the data folder cannot be written, the user is asked again next time."""
        checksums = _read_checksums()
        checksums[self.path] = [*checksums.get(self.path, ()), self.sha256]
        with contextlib.suppress(OSError):
            text = json.dumps({"version": VERSION, "allowed": checksums}, ensure_ascii=False, indent=1)
            write_text(_consent_file(), text, private=True)


def names_file(spec: str) -> bool:
    """Return whether a spec names a metric file, which is a program."""
    return MetricSpec.parse(spec).id == user.UserMetric.info.id


def absolute(spec: str) -> str:
    """Return a spec with the absolute path of its metric file; any other spec unchanged."""
    parsed = MetricSpec.parse(spec)
    return str(replace(parsed, argument=_path(spec))) if names_file(spec) and parsed.argument else str(parsed)


def is_allowed(spec: str) -> bool:
    """Return whether a metric may be computed without asking; a file that was never allowed is not even read."""
    if not names_file(spec):
        return True
    if _path(spec) not in _read_checksums():
        return False
    try:
        return MetricFile.from_spec(spec).is_allowed
    except MetricError:
        return False


def was_allowed(spec: str) -> bool:
    """Return whether a metric file was ever allowed to run, with any contents, without reading it."""
    return names_file(spec) and _path(spec) in _read_checksums()


def allowed_files(specs: Iterable[str]) -> dict[str, str]:
    """Return, by spec, the SHA-256 of each metric file that may run, for `check`."""
    return {spec: MetricFile.from_spec(spec).sha256 for spec in specs if names_file(spec) and is_allowed(spec)}


def check(spec: str, metric: Metric, allowed: Mapping[str, str]) -> None:
    """Check that a metric file still has the contents that were allowed.

    Raises:
        MetricError: The file has changed since then.
    """
    while isinstance(metric, WrappedMetric):
        metric = metric.metric
    if isinstance(metric, user.UserMetric) and allowed.get(spec) != metric.sha256:
        raise MetricError(
            f"{metric.path} or a module that it imports changed after you allowed it to run. Start scoring again."
        )


def _path(spec: str) -> str:
    # Not resolved: before the user consents, no link is followed and no network drive is contacted.
    return os.path.normpath(places.expand_user_path(MetricSpec.parse(spec).argument).absolute())


def _consent_file() -> Path:
    return places.user_data() / "allowed-metric-files.json"


def _read_checksums() -> dict[str, list[str]]:
    """Return the allowed checksums by path; {} if their file is missing, damaged or of a newer version."""
    data = read_json_or_none(_consent_file())
    if not isinstance(data, dict) or data.get("version") != VERSION or not isinstance(data.get("allowed"), dict):
        return {}
    return {path: [*map(str, sums)] for path, sums in data["allowed"].items() if isinstance(sums, list)}
