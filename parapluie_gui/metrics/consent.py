"""The user's consent to metric files that a session names: for each file and checksum, remembered in the data folder.

A metric file is a program. Named on the command line or chosen in the window it is the user's own; named by a session,
which may come from anybody, it runs only after a yes. A file that changed since then is another one.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from parapluie_gui import places
from parapluie_gui.errors import MetricError
from parapluie_gui.files import write_text
from parapluie_gui.metrics import user
from parapluie_gui.metrics.base import Metric
from parapluie_gui.metrics.chosen import Wrapped
from parapluie_gui.metrics.spec import Spec

VERSION = 1


@dataclass(frozen=True)
class MetricFile:
    """A file of Python that a spec names, as it is now.

    Attributes:
        path: Absolute.
        sha256: Of its contents, hexadecimal.
    """

    path: str
    sha256: str

    @classmethod
    def of(cls, spec: str) -> MetricFile:
        """Read the file of a spec that names one.

        Raises:
            MetricError: It cannot be read.
        """
        return cls(_path(spec), user.UserMetric(_path(spec)).sha256)

    @property
    def shown(self) -> str:
        """The path for a person: what would not be seen, such as a line break that begins a false sentence, is �."""
        return "".join(sign if sign.isprintable() else "�" for sign in self.path)

    @property
    def allowed(self) -> bool:
        """Whether the user has allowed this file with these contents to run."""
        return self.sha256 in _kept().get(self.path, ())

    def allow(self) -> None:
        """Remember that the user allows it; where the data folder cannot be written, until the next question."""
        kept = _kept()
        kept[self.path] = [*kept.get(self.path, ()), self.sha256]
        with contextlib.suppress(OSError):
            text = json.dumps({"version": VERSION, "allowed": kept}, ensure_ascii=False, indent=1)
            write_text(_memory(), text, private=True)


def names_file(spec: str) -> bool:
    """Return True if a spec names a metric file, which is a program."""
    return Spec.parse(spec).id == user.UserMetric.info.id


def absolute(spec: str) -> str:
    """Return a spec with the whole path of the metric file that it names; any other as it is."""
    wanted = Spec.parse(spec)
    return str(replace(wanted, argument=_path(spec))) if names_file(spec) and wanted.argument else str(wanted)


def is_allowed(spec: str) -> bool:
    """Return whether a metric may be computed without a question. A file that was never allowed is not even read."""
    if not names_file(spec):
        return True
    if _path(spec) not in _kept():
        return False
    try:
        return MetricFile.of(spec).allowed
    except MetricError:
        return False


def was_allowed(spec: str) -> bool:
    """Return whether a metric file was allowed to run with its present or other contents; it is not read."""
    return names_file(spec) and _path(spec) in _kept()


def allowed_files(specs: Iterable[str]) -> dict[str, str]:
    """Return the SHA-256 of the metric files that may run, by their specs, for `check`."""
    return {spec: MetricFile.of(spec).sha256 for spec in specs if names_file(spec) and is_allowed(spec)}


def check(spec: str, metric: Metric, allowed: Mapping[str, str]) -> None:
    """Refuse a metric file that is not one of those allowed, as when it was replaced a moment ago.

    Raises:
        MetricError: It is another one.
    """
    while isinstance(metric, Wrapped):
        metric = metric.metric
    if isinstance(metric, user.UserMetric) and allowed.get(spec) != metric.sha256:
        raise MetricError(f"{metric.path} changed after you allowed it to run. Run the scoring again to be asked anew.")


def _path(spec: str) -> str:
    # Not resolved: on the way to a file that was not asked for yet, no link is followed and no network drive woken.
    return os.path.normpath(places.expand_user_path(Spec.parse(spec).argument).absolute())


def _memory() -> Path:
    return places.user_data() / "allowed-metric-files.json"


def _kept() -> dict[str, list[str]]:
    """Return the checksums allowed by path; {} where the memory is missing, damaged or of a newer version."""
    try:
        kept = json.loads(_memory().read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(kept, dict) or kept.get("version") != VERSION or not isinstance(kept.get("allowed"), dict):
        return {}
    return {path: [*map(str, sums)] for path, sums in kept["allowed"].items() if isinstance(sums, list)}
