"""What is known is looked up: no process loads PyTorch until a pair without a score wants it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from listening import changed, ended, make_job, worker_pid
from tiny import save_model

from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import find_templates, load_templates
from parapluie_gui.work import worker
from parapluie_gui.work.events import Finished, JudgeLoaded
from parapluie_gui.work.gate import Gate
from parapluie_gui.work.job import Job
from parapluie_gui.work.runner import Runner

pytestmark = [
    pytest.mark.usefixtures("home"),
    pytest.mark.skipif(sys.platform != "linux", reason="what a process has loaded is read from /proc"),
]


def loaded_pytorch() -> bool:
    """Return whether the worker process has PyTorch's library in its memory."""
    return re.search(r"/libtorch", Path(f"/proc/{worker_pid()}/maps").read_text()) is not None


def judged(model: str, template: str, store: Path, **rest) -> Job:
    templates = find_templates([template], load_templates(Path("none"))[0])
    return make_job(4, judge=JudgeSettings(model, "cpu", "float32"), templates=templates, stores=(store,), **rest)


def test_a_second_start_on_known_scores_loads_no_pytorch(drive, tmp_path):
    job = judged(str(save_model(tmp_path / "tiny")), "DIRECT", tmp_path / "scores.sqlite")
    said: list[object] = []
    Runner(said.append, Gate()).run(job)
    assert isinstance(said[-1], Finished)

    ear = drive(worker.main)
    ear.driver.warm()
    ear.driver.submit(job)
    assert isinstance(ended(ear, job, seconds=120), Finished)
    assert ear.rows(job.id) and not ear.events(job.id, JudgeLoaded)
    assert not loaded_pytorch()

    new = changed(job, id=job.id + 1000, sources=("A new one.",), hypotheses=("Another one.",))
    ear.driver.submit(new)
    assert isinstance(ended(ear, new, seconds=200), Finished)
    assert loaded_pytorch(), "the check sees PyTorch where it is"


def test_the_pocket_judge_scores_without_pytorch(drive, tmp_path):
    job = judged("pocket", "CLOZE", tmp_path / "scores.sqlite")
    ear = drive(worker.main)
    ear.driver.submit(job)
    assert isinstance(ended(ear, job, seconds=120), Finished)
    assert len(ear.events(job.id, JudgeLoaded)) == 1
    assert not loaded_pytorch()
