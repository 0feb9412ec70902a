"""The user's own metrics, from a Python file or a package's entry point, and their errors."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint, version
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from parapluie_gui import __version__
from parapluie_gui.errors import MetricError
from parapluie_gui.metrics import catalogue, user
from parapluie_gui.metrics.base import Metric, MetricContext, MetricInfo, MetricReadiness
from parapluie_gui.scores.signature import Signature

GOOD = """
title = "Length ratio"
low, high = 0, 1
low = 0
high = 1.0
higher_is_closer = False
threshold = 0.5
version = "2.1"
import helper_beside_it
def score(sources, hypotheses):
    return [helper_beside_it.ratio(s, h) if s else None for s, h in zip(sources, hypotheses)]
"""


def written(folder: Path, text: str, name: str = "mine.py") -> str:
    (folder / name).write_text(text)
    return f"user:{folder / name}"


def test_a_file_can_define_a_metric(tmp_path):
    spec = written(tmp_path, GOOD)
    (tmp_path / "helper_beside_it.py").write_text("def ratio(s, h):\n    return len(h) / len(s)\n")
    metric = catalogue.metric(spec)
    values = metric.score(["abcd", ""], ["ab", "x"])
    assert values[0] == 0.5 and np.isnan(values[1])
    assert metric.why_missing("", "x") == "mine.py returned no number"
    signature = metric.signature()
    assert signature.column == "user.mine"
    assert dict(signature.fields)["version"] == "2.1" and len(dict(signature.fields)["sha256"]) == 12
    info = catalogue.info("user.mine", signature)
    assert info is not None
    assert (info.title, info.low, info.high, info.higher_is_closer, info.threshold) == (
        "Length ratio",
        0,
        1,
        False,
        0.5,
    )


def test_a_changed_file_is_a_different_metric(tmp_path):
    before = catalogue.metric(written(tmp_path, "def score(s, h): return [1.0] * len(s)")).signature()
    after = catalogue.metric(written(tmp_path, "def score(s, h): return [2.0] * len(s)")).signature()
    assert before.column == after.column and before.key != after.key


def test_naming_a_file_does_not_run_it(tmp_path):
    spec = written(tmp_path, f"open({str(tmp_path / 'ran')!r}, 'w')\ndef score(s, h): return [0] * len(s)")
    metric = catalogue.metric(spec)
    assert metric.signature() and catalogue.ready(spec) and not (tmp_path / "ran").exists()
    metric.score(["a"], ["b"])
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "def score(s, h):\n    return 1/0\n",
            "mine.py, line 2: ZeroDivisionError: division by zero. Correct the file.",
        ),
        ("x = 1\nimport not_there\n", "mine.py, line 2: ModuleNotFoundError: No module named 'not_there'. Correct"),
        ("def score(s, h):\n    return sum(s)\n", "mine.py, line 2: TypeError: unsupported operand"),
        ("raise GeneratorExit\n", "mine.py, line 1: GeneratorExit. Correct"),
        ("import sys\nsys.exit(3)\n", "mine.py, line 2: SystemExit: 3. Correct"),
        ("def points(s, h): return []", "mine.py has no function score(sources, hypotheses). Add it."),
        ("def score(s, h): return [1.0]", "mine.py: score returned 1 numbers for 2 pairs. Return one per pair."),
        ("def score(s, h): return 1.0", "mine.py: score returned float instead of a list with one number per pair."),
        ("def score(s, h): return ['x', 1]", "mine.py: score returned 'x' for a pair, not a number. Return None"),
    ],
)
def test_errors_are_reported_with_their_line(tmp_path, text, sentence):
    metric = catalogue.metric(written(tmp_path, text))
    with pytest.raises(MetricError) as caught:
        metric.score(["a", "b"], ["c", "d"])
    assert str(caught.value).startswith(sentence)


def test_a_file_with_invalid_python_is_refused(tmp_path):
    with pytest.raises(MetricError, match=r"mine.py, line 2: .*. Correct the file"):
        catalogue.metric(written(tmp_path, "x = 1\ndef score(:\n"))
    with pytest.raises(MetricError, match=r"nowhere\.py cannot be read \(No such file or directory\). Check its name"):
        catalogue.metric(f"user:{tmp_path / 'nowhere.py'}")
    assert "cannot be read" in catalogue.ready(f"user:{tmp_path / 'nowhere.py'}").missing


def test_unusual_numbers_are_converted(tmp_path):
    text = "import numpy as np\ndef score(s, h): return np.array([1, np.nan, np.inf, -2], dtype=np.float32)"
    values = catalogue.metric(written(tmp_path, text)).score(["a"] * 4, ["b"] * 4)
    np.testing.assert_array_equal(values, [1, np.nan, np.inf, -2])
    assert values.dtype == np.float64


# Packages


def half(sources, hypotheses):
    """A metric that is a function."""
    return [len(source) / 2 for source in sources]


class Whole:
    """A metric that follows the protocol."""

    info = MetricInfo("whole", "The whole", "user", 0, 10, threshold=3, higher_is_closer=False)

    def signature(self) -> Signature:
        return Signature.from_fields("whole", {"name": "whole", "version": "7"})

    def score(self, sources, hypotheses, references=None):
        return np.array([float(len(source)) for source in sources])


class Own(Metric):
    """A metric that inherits."""

    info = MetricInfo("own", "My own", "user", 0, 10)
    libraries = ("numpy",)

    def fields(self):
        return {"unit": "letter"}

    def _score(self, sources, hypotheses, references):
        return np.array([float(len(source)) for source in sources])


class Able(Whole):
    """A metric that does not inherit, with every optional method."""

    chunk = 3
    done: ClassVar[list[str]] = []

    def readiness(self) -> MetricReadiness:
        return MetricReadiness("a cup of tea is missing", "tea")

    def announce(self, context: MetricContext) -> None:
        self.done.append("announced")

    def prepare(self, context: MetricContext) -> None:
        self.done.append("prepared")

    def why_missing(self, source, hypothesis, reference=None) -> str:
        return "no tea"


@pytest.fixture
def packages(monkeypatch):
    """Return a function that installs a package with entry points for metrics."""

    def install(**values: str) -> None:
        points = [EntryPoint(name, value, user.GROUP) for name, value in values.items()]
        monkeypatch.setattr(user, "entry_points", lambda group: points)
        user.packages.cache_clear()

    monkeypatch.setitem(
        __import__("sys").modules,
        "own_package",
        __import__("types").SimpleNamespace(half=half, Whole=Whole, Own=Own, Able=Able),
    )
    yield install
    user.packages.cache_clear()


def test_packages_can_provide_metrics(packages):
    packages(half="own_package:half", whole="own_package:Whole", bleu="own_package:half")
    ids = [info.id for info in catalogue.metrics()]
    assert ids[-2:] == ["half", "whole"] and ids.count("bleu") == 1
    assert catalogue.metric("half").score(["abcd"], [""]).tolist() == [2]
    metric = catalogue.metric("whole")
    assert metric.score(["abcd"], [""]).tolist() == [4]
    assert str(metric.signature()) == "name:whole|version:7|title:The whole|closer:lower|low:0|high:10|threshold:3"
    info = catalogue.info("whole", metric.signature())
    assert info is not None and info.title == "The whole" and not info.higher_is_closer
    assert catalogue.metric("half.ref").score(["a"], ["b"], ["abcd"]).tolist() == [2]


def test_the_signature_follows_the_code_of_a_package(packages, tmp_path, monkeypatch):
    """A package installed in editable mode changes without a new version."""
    folder = tmp_path / "edited_package"
    folder.mkdir()
    (folder / "__init__.py").write_text("def score(a, b):\n    return [1.0] * len(a)\n")
    (folder / "helper.py").write_text("X = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "edited_package", raising=False)
    packages(edited="edited_package:score")
    first = catalogue.metric("edited").signature()
    assert "code" in dict(first.fields) and catalogue.metric("edited").signature() == first
    (folder / "helper.py").write_text("X = 2\n")
    assert catalogue.metric("edited").signature() != first


def test_a_metric_of_a_package_may_inherit(packages):
    packages(own="own_package:Own")
    metric = catalogue.metric("own")
    assert metric.score(["abcd"], [""]).tolist() == [4] and metric.readiness()
    fields = dict(metric.signature().fields)
    assert list(fields)[:4] == ["name", "unit", "version", "numpy"]
    assert fields["version"] == __version__ and fields["numpy"] == version("numpy")
    with pytest.raises(ValueError, match="2 sources but 1 hypotheses"):
        metric.score(["a", "b"], ["c"])


@pytest.mark.parametrize("spec", ["able", "able.ref"])
def test_optional_methods_of_a_plain_class_are_used(packages, spec):
    packages(able="own_package:Able")
    Able.done.clear()
    metric = catalogue.metric(spec)
    metric.announce(MetricContext())
    metric.prepare(MetricContext())
    assert Able.done == ["announced", "prepared"] and metric.chunk == 3
    assert metric.readiness() == MetricReadiness("a cup of tea is missing", "tea")
    assert metric.why_missing("a", "b", "c") == "no tea"


def test_listing_a_package_does_not_import_it(packages):
    packages(broken="no_such_package:thing")
    assert catalogue.metrics()[-1].id == "broken"
    with pytest.raises(MetricError, match="no_such_package:thing cannot be loaded: ModuleNotFoundError"):
        catalogue.metric("broken")
    assert "cannot be loaded" in catalogue.ready("broken").missing
