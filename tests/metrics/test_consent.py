"""Metric files that a session names: consent, its storage, and the files that the worker refuses."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from listening import make_job

from parapluie_gui.commands.main import main
from parapluie_gui.errors import MetricError
from parapluie_gui.metrics import catalogue, consent
from parapluie_gui.metrics.consent import MetricFile, absolute, allowed_files, is_allowed, was_allowed
from parapluie_gui.work.events import JobFailed, JobFinished
from parapluie_gui.work.runner import JobRunner

CODE = "from pathlib import Path\nPath({ran!r}).touch()\ndef score(s, h): return [{value}] * len(s)\n"


@pytest.fixture
def metric(tmp_path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(CODE.format(ran=str(tmp_path / "ran"), value=1.0))
    return path


def test_consent_is_for_one_file_with_one_content(metric, tmp_path, home):
    spec = f"user:{metric}"
    assert not is_allowed(spec) and not was_allowed(spec)
    MetricFile.from_spec(spec).allow()
    assert is_allowed(spec) and allowed_files([spec, "bleu"]) == {spec: MetricFile.from_spec(spec).sha256}
    other = tmp_path / "other.py"
    other.write_bytes(metric.read_bytes())
    assert not is_allowed(f"user:{other}")
    first = metric.read_text()
    metric.write_text(first + "# changed")
    assert not is_allowed(spec) and was_allowed(spec) and allowed_files([spec]) == {}
    MetricFile.from_spec(spec).allow()
    metric.write_text(first)
    assert is_allowed(spec)
    metric.unlink()
    assert not is_allowed(spec)


def test_consent_and_signature_cover_the_modules_next_to_a_file(metric, tmp_path):
    spec = f"user:{metric}"
    helper, package = tmp_path / "helper.py", tmp_path / "tools"
    package.mkdir()
    (package / "factor.py").write_text("FACTOR = 1.0\n")
    helper.write_text("def factor():\n    from tools.factor import FACTOR\n    return FACTOR\n")
    (tmp_path / "unrelated.py").write_text("")
    metric.write_text("import helper\ndef score(s, h): return [helper.factor()] * len(s)\n")
    file = MetricFile.from_spec(spec)
    assert file.modules == ("helper.py", "tools/factor.py") and file.shown_modules == "helper.py, tools/factor.py"
    file.allow()
    first = catalogue.metric(spec)
    assert is_allowed(spec) and first.score(["a"], ["b"]).tolist() == [1.0]
    (tmp_path / "unrelated.py").write_text("# changed")
    assert is_allowed(spec) and catalogue.metric(spec).signature() == first.signature()
    (package / "factor.py").write_text("FACTOR = 7.0\n")
    second = catalogue.metric(spec)
    assert not is_allowed(spec) and second.signature() != first.signature()
    # The code that was read is the code that runs, even with a newer version in the same process.
    assert second.score(["a"], ["b"]).tolist() == [7.0] and first.score(["a"], ["b"]).tolist() == [1.0]


def test_a_module_named_like_a_standard_module_never_runs(metric, tmp_path):
    for name in ("colorsys", "numpy"):
        (tmp_path / f"{name}.py").write_text(CODE.format(ran=str(tmp_path / f"{name} ran"), value=1.0))
    metric.write_text("import colorsys, numpy\ndef score(s, h): return [numpy.pi, colorsys.hls_to_rgb(0, 0, 0)[0]]\n")
    assert catalogue.metric(f"user:{metric}").score(["a", "b"], ["c", "d"]).tolist() == pytest.approx([3.14159265, 0.0])
    assert not list(tmp_path.glob("* ran"))


def test_only_explicit_imports_reach_the_folder(metric, tmp_path):
    (tmp_path / "helper.py").write_text("")
    metric.write_text(
        "import importlib\nimportlib.import_module('hel' + 'per')\ndef score(s, h): return [1] * len(s)\n"
    )
    with pytest.raises(MetricError, match="line 2: ModuleNotFoundError: No module named 'helper'"):
        catalogue.metric(f"user:{metric}").score(["a"], ["b"])


def test_only_metric_files_need_consent():
    assert is_allowed("bleu") and is_allowed("external:user") and is_allowed("sbert:/some/folder")
    assert not is_allowed("user:/some/file.py") and not is_allowed("user.ref,as=x:/some/file.py")


def test_stored_consent_belongs_to_the_user(metric, home):
    MetricFile.from_spec(f"user:{metric}").allow()
    memory = home / "allowed-metric-files.json"
    assert json.loads(memory.read_text())["allowed"] == {str(metric): [MetricFile.from_spec(f"user:{metric}").sha256]}
    if os.name == "posix":
        assert stat.S_IMODE(memory.stat().st_mode) == 0o600


@pytest.mark.parametrize("content", ["", "[]", '{"version": 2}', '{"version": 1, "allowed": [1]}', "[" * 100_000])
def test_a_damaged_consent_file_allows_nothing(metric, home, content):
    spec = f"user:{metric}"
    MetricFile.from_spec(spec).allow()
    (home / "allowed-metric-files.json").write_text(content)
    assert not is_allowed(spec)
    MetricFile.from_spec(spec).allow()
    assert is_allowed(spec)


def test_paths_are_resolved(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/me")
    assert absolute("user:folder/../mine.py") == f"user:{tmp_path / 'mine.py'}"
    assert absolute("user.ref,as=x:~/mine.py") == "user.ref,as=x:/home/me/mine.py"
    assert absolute("bleu") == "bleu" and absolute("sbert:folder") == "sbert:folder" and absolute("user") == "user"


def test_a_file_without_consent_is_not_even_read(metric, monkeypatch):
    monkeypatch.setattr(consent.user, "UserMetric", lambda *_: pytest.fail("read"))
    monkeypatch.setattr(consent, "names_file", lambda spec: True)
    assert not is_allowed(f"user:{metric}") and not was_allowed(f"user:{metric}")


def test_the_path_is_shown_without_misleading_characters(tmp_path):
    path = tmp_path / "mine\nThis program is safe.\u202epy"
    assert MetricFile(str(path), "0").shown == f"{tmp_path}/mine�This program is safe.�py"


def events_of(spec: str, allowed: dict[str, str]) -> list:
    events: list = []
    JobRunner(events.append).run(make_job(3, metrics=(spec,), metric_files=allowed))
    return events


def test_the_worker_runs_only_the_approved_file(metric, tmp_path):
    spec = f"user:{metric}"
    MetricFile.from_spec(spec).allow()
    allowed = allowed_files([spec])
    metric.write_text(metric.read_text() + "# replaced a moment later")
    for files in (allowed, {}):
        (failed,) = [event for event in events_of(spec, files) if isinstance(event, JobFailed)]
        words = "or a module that it imports changed after you allowed it to run. Start scoring again."
        assert failed.text == f"{metric} {words}"
    assert not (tmp_path / "ran").exists()
    against = f"user.ref:{metric}"
    assert any(isinstance(event, JobFailed) for event in events_of(against, {}))
    assert not (tmp_path / "ran").exists()
    assert isinstance(events_of(spec, {spec: MetricFile.from_spec(spec).sha256})[-1], JobFinished)
    assert (tmp_path / "ran").exists()


def test_on_the_command_line_naming_a_file_is_consent(metric, tmp_path, home):
    (tmp_path / "pairs.tsv").write_text("source\thypothesis\na b\ta c\n")
    table = tmp_path / "out.csv"
    assert main(["score", str(tmp_path / "pairs.tsv"), "-o", str(table), "--metric", f"user:{metric}"]) == 0
    assert (tmp_path / "ran").exists() and "1.0" in table.read_text()
    assert not is_allowed(f"user:{metric}")


def test_files_without_metrics_are_refused(tmp_path):
    (tmp_path / "large.py").write_bytes(b"#" * (4 * 2**20 + 1))
    (tmp_path / "deep.py").write_text("x = " + "-" * 200_000 + "1")
    for name, words in {"large.py": "is larger than 4 MB", "deep.py": "deep.py"}.items():
        with pytest.raises(MetricError, match=words):
            catalogue.metric(f"user:{tmp_path / name}")
