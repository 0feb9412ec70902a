"""The Ray engine on a local cluster: two workers, one of which is killed during its work."""

from __future__ import annotations

import contextlib
import importlib.util
import signal
import sys
import types
from pathlib import Path

import pytest

from parapluie_gui.commands.main import main
from parapluie_gui.features.parts import ray_engine

needs_ray = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="the extra `ray` is not installed")

#: A metric that kills its own process the first time it sees the sentences of one part.
DEADLY = """
import os, signal
from pathlib import Path
mark = Path({mark!r})
def score(sources, hypotheses):
    if any("number 37 " in text for text in sources) and not mark.exists():
        mark.write_text(str(os.getpid()), encoding="utf-8")
        os.kill(os.getpid(), signal.SIGKILL)
    return [len(one) - len(two) for one, two in zip(sources, hypotheses)]
"""

BROKEN = "def score(sources, hypotheses):\n    return 1 / 0\n"


def parts(folder: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def score(folder: str, *how: str) -> int:
    metrics = ("--metric", "edit_distance", "--metric", "user:metric.py")
    return main(["score", "pairs.parquet", "-o", folder, "--part", "10", *metrics, *how])


@pytest.fixture
def cluster(work_folder, monkeypatch):
    """One cluster for several commands, started as the first command would."""
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    with ray_engine._connection("ray") as ray:
        monkeypatch.setattr(ray_engine, "_connection", lambda engine: contextlib.nullcontext(ray))
        yield


@needs_ray
@pytest.mark.timeout(600)
def test_a_killed_worker_changes_no_byte(work_folder, capsys, cluster):
    mark = work_folder / "killed"
    Path("metric.py").write_text(DEADLY.format(mark=str(mark)), encoding="utf-8")
    assert score("parts", "--engine", "ray", "--workers", "2") == 0
    assert mark.exists(), "no worker was killed"
    assert "6 parts, 50 pairs" in capsys.readouterr().out
    assert score("alone", "--shard", "1/1") == 0
    assert parts("parts") == parts("alone")
    # Existing parts are not scored again, whatever the engine.
    capsys.readouterr()
    assert score("parts", "--shard", "1/1") == 0
    assert "6 of the parts already existed" in capsys.readouterr().out
    # An error sentence is passed on unchanged by a worker.
    Path("metric.py").write_text(BROKEN, encoding="utf-8")
    assert score("broken", "--engine", "ray", "--workers", "1") == 2
    err = capsys.readouterr().err.splitlines()[-1]
    assert err.startswith("parapluie: Part ") and "ZeroDivisionError" in err
    assert [path.name[:10] for path in Path("broken").glob("part-*")] in ([], ["part-00001"])  # the part without a pair


@pytest.mark.parametrize(("failures", "engine"), [(1, "ray"), (2, "ray"), (1, "ray://nowhere:1")])
def test_a_cluster_that_does_not_start_in_time_is_tried_once_more(work_folder, capsys, monkeypatch, failures, engine):
    class Slow(types.ModuleType):
        tries = 0

        def init(self, *arguments, **settings):
            self.tries += 1
            if self.tries <= failures:
                raise Exception("The current node timed out during startup.")  # as Ray 2.60 does
            signal.signal(signal.SIGTERM, lambda *_: sys.exit(15))  # the same here

        def shutdown(self):
            pass

    Path("metric.py").write_text(BROKEN, encoding="utf-8")
    slow = Slow("ray")
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setitem(sys.modules, "ray", slow)
    monkeypatch.setitem(sys.modules, "ray.data", types.ModuleType("ray.data"))
    if failures == 1 and engine == "ray":
        before = signal.getsignal(signal.SIGTERM)
        with ray_engine._connection(engine) as ray:
            assert ray is slow and slow.tries == 2
            assert signal.getsignal(signal.SIGTERM) is before
        return
    assert score("parts", "--engine", engine) == 2
    words = "could not be started on this computer" if engine == "ray" else "The Ray cluster ray://nowhere:1 cannot"
    assert words in (said := capsys.readouterr().err) and "timed out during startup)" in said
    assert slow.tries == failures


def test_without_ray_a_sentence_says_how_to_install_it(work_folder, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    Path("metric.py").write_text(BROKEN, encoding="utf-8")
    assert score("parts", "--engine", "ray") == 2
    assert "pip install 'parapluie_gui[ray]'" in capsys.readouterr().err
    assert not Path("parts").exists()


@needs_ray
def test_an_unknown_engine_is_refused_in_one_sentence(work_folder, capsys):
    Path("metric.py").write_text(BROKEN, encoding="utf-8")
    assert score("parts", "--engine", "spark") == 2
    assert 'There is no engine "spark"' in capsys.readouterr().err
