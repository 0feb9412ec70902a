"""Masked judges in jobs: the runner, the real worker with its pauses and urgent pairs, and the command line."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from listening import AT_ONCE, make_job, replace_fields, wait_for_end, worker_pid
from masked_models import save_masked
from tiny import save_model

from parapluie_gui import places
from parapluie_gui.commands.main import main
from parapluie_gui.models import catalogue
from parapluie_gui.models.catalogue import find_model
from parapluie_gui.models.kind import MASKED
from parapluie_gui.models.loading import load_files, quiet
from parapluie_gui.models.manifest import checksums, list_checksum, write_manifest
from parapluie_gui.models.quantised import save_int8
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.prompt import PromptFrame
from parapluie_gui.pluie.templates import find_templates, load_templates
from parapluie_gui.storage.store import ScoreStore
from parapluie_gui.work import worker
from parapluie_gui.work.events import ColumnStarted, JobFailed, JobFinished, JudgeLoaded, ScoreBatch
from parapluie_gui.work.gate import BatchInterrupted, JobCancelled, WorkGate
from parapluie_gui.work.job import Job
from parapluie_gui.work.runner import JobRunner

COLUMNS = {"pluie.cloze", "pluie.cloze.p_yes", "pluie.cloze.p_no"}


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    return save_masked(tmp_path_factory.mktemp("models") / "gaps")


@pytest.fixture
def pocket(model, tmp_path, monkeypatch) -> Path:
    """Install a substitute for the trained judge where the program looks for it."""
    with quiet():
        save_int8(*load_files(find_model(str(model)), torch.device("cpu"), "float32", MASKED), tmp_path / "pocket")
    write_manifest(tmp_path / "pocket")
    monkeypatch.setattr(places, "pocket", lambda: tmp_path / "pocket")
    known = list_checksum(checksums(tmp_path / "pocket"))
    monkeypatch.setattr(catalogue, "POCKET", replace(catalogue.POCKET, files_sha256=known))
    return tmp_path / "pocket"


def judged(model: Path | str, count: int = 12, names=("CLOZE",), **rest) -> Job:
    judge = JudgeSettings(str(model), device="cpu", precision="float32", exact=rest.pop("exact", False))
    templates = find_templates(names, load_templates(Path("none"))[0])
    return make_job(count, metrics=(), judge=judge, templates=templates, **rest)


def run(job: Job, gate: WorkGate | None = None) -> list:
    events: list = []
    JobRunner(events.append, gate).run(job)
    return events


def column(events: list, name: str, count: int) -> np.ndarray:
    values = np.full(count, np.nan)
    for batch in (event for event in events if isinstance(event, ScoreBatch)):
        values[batch.rows] = batch.values[name]
    return values


def test_a_masked_judge_gives_the_events_and_stored_scores_of_any_judge(model, tmp_path):
    job = judged(model, 30, stores=(tmp_path / "scores.sqlite",), urgent=True)
    events = run(job)
    assert isinstance(events[-1], JobFinished), events[-1]
    (said,) = [event for event in events if isinstance(event, JudgeLoaded)]
    assert said.description.startswith("gaps: 0.0 M parameters, float32 on cpu, computed by transformers")
    batches = [event for event in events if isinstance(event, ScoreBatch)]
    assert all(batch.values.keys() == COLUMNS and len(batch.evidence) == len(batch.rows) for batch in batches)
    score, p_no, p_yes = (column(events, name, 30) for name in sorted(COLUMNS))
    np.testing.assert_allclose(score, np.log(p_yes) - np.log(p_no), atol=1e-4)
    (started,) = [event for event in events if isinstance(event, ColumnStarted)]
    with ScoreStore(tmp_path / "scores.sqlite") as store:
        frame = PromptFrame.from_json(store.frame(started.signature))
    assert frame.fill("The cat.", "It")[0] == "[CLS] The cat. [SEP] It [SEP] same meaning : [MASK] [SEP]"
    again = run(job)
    assert not any(isinstance(event, JudgeLoaded) for event in again)
    np.testing.assert_array_equal(column(again, "pluie.cloze", 30), column(events, "pluie.cloze", 30))
    exact = run(judged(model, 30, exact=True))
    np.testing.assert_allclose(column(exact, "pluie.cloze", 30), column(events, "pluie.cloze", 30), atol=1e-4)


def test_a_batch_is_repeated_if_the_gate_closed_during_it(model):
    expected = column(run(judged(model, 30)), "pluie.cloze", 30)

    class Closing(WorkGate):
        """A gate that closes once, before the second layer of every batch."""

        def __init__(self) -> None:
            self.layers = 0

        def check(self) -> None:
            self.layers += 1
            if self.layers % 4 == 2:
                raise BatchInterrupted

        def guard(self, work):
            try:
                return work()
            except BatchInterrupted:
                return work()

    gate = Closing()
    np.testing.assert_allclose(column(run(judged(model, 30), gate), "pluie.cloze", 30), expected, atol=1e-5)
    assert gate.layers >= 4


def test_cancelling_takes_effect_within_a_batch(model):
    class Stopped(WorkGate):
        def check(self) -> None:
            raise JobCancelled

        def guard(self, work):
            return work()

    end = run(judged(model), Stopped())[-1]
    assert isinstance(end, JobFinished) and end.cancelled


@pytest.mark.parametrize("names", [("DIRECT",), ("CLOZE", "DIRECT")])
def test_a_template_for_a_different_kind_of_judge_is_refused(model, names):
    end = run(judged(model, names=names))[-1]
    assert isinstance(end, JobFailed)
    assert end.text == "gaps fills gaps in texts, and DIRECT is a conversation. Use CLOZE or a different judge."
    assert not end.detail


def loaded_pytorch() -> bool:
    """Return whether the worker process has PyTorch's library in its memory."""
    return re.search(r"/libtorch", Path(f"/proc/{worker_pid()}/maps").read_text()) is not None


def test_a_real_worker_loads_pytorch_for_the_first_pair_without_a_score(drive, model, tmp_path):
    """PyTorch is loaded neither for stored scores nor for the pocket judge; pauses and urgent pairs work as usual."""
    store = (tmp_path / "scores.sqlite",)
    recorder = drive(worker.main)
    recorder.driver.warm()
    for judge, template in ((model, "CLOZE"), (save_model(tmp_path / "tiny"), "DIRECT")):
        known = judged(judge, 4, names=(template,), stores=store)
        assert isinstance(run(known)[-1], JobFinished)
        recorder.driver.submit(known)
        assert isinstance(wait_for_end(recorder, known, seconds=120), JobFinished)
        assert recorder.rows(known.id) and not recorder.events(known.id, JudgeLoaded)
    pocket = judged("pocket", 4, stores=store)
    recorder.driver.submit(pocket)
    assert isinstance(wait_for_end(recorder, pocket, seconds=120), JobFinished)
    assert len(recorder.events(pocket.id, JudgeLoaded)) == 1
    assert sys.platform != "linux" or not loaded_pytorch()

    job = replace_fields(judged(model, 20_000, stores=store), seed=1)
    recorder.driver.submit(job)
    recorder.wait(job.id, ScoreBatch, 3, seconds=200)
    assert not recorder.events(job.id, ScoreBatch)[0].fresh and recorder.events(job.id, ScoreBatch)[1].fresh
    assert sys.platform != "linux" or loaded_pytorch(), "the check detects PyTorch once it is loaded"
    recorder.driver.pause()
    recorder.listen(AT_ONCE)
    before = len(recorder.events(job.id, ScoreBatch))
    urgent = judged(model, 1, urgent=True)
    recorder.driver.submit(urgent)
    assert isinstance(wait_for_end(recorder, urgent), JobFinished)
    (batch,) = recorder.events(urgent.id, ScoreBatch)
    assert len(batch.evidence) == 1 and len(batch.evidence[0].top) == 5
    assert len(recorder.events(job.id, ScoreBatch)) == before, "the pause continues"
    recorder.driver.resume()
    recorder.wait(job.id, ScoreBatch, before + 1)
    recorder.driver.cancel(job.id)
    assert wait_for_end(recorder, job).cancelled


def score(tmp_path: Path, *options: str) -> int:
    (tmp_path / "pairs.tsv").write_text("source\thypothesis\nThe cat sat.\tThe mat.\nIs it fine?\tyes\n")
    return main(["score", str(tmp_path / "pairs.tsv"), "-o", str(tmp_path / "out.csv"), "--device", "cpu", *options])


def test_the_command_line_accepts_fitting_judges_and_templates(pocket, tmp_path, capsys):
    for options in (["--judge", "pocket"], ["--template", "cloze"], ["--judge", "pocket", "--template", "CLOZE"]):
        assert score(tmp_path, "--metric", "edit_distance", *options) == 0, capsys.readouterr().err
        header = (tmp_path / "out.csv").read_text(encoding="utf-8-sig").splitlines()[0]
        assert header.endswith("edit_distance,pluie.cloze,pluie.cloze.p_yes,pluie.cloze.p_no")
    capsys.readouterr()
    assert score(tmp_path, "--judge", "pocket", "--template", "DIRECT") == 2
    assert capsys.readouterr().err == (
        "parapluie: pocket fills gaps in texts, and DIRECT is a conversation. Use CLOZE or a different judge.\n"
    )
    assert score(tmp_path, "--template", "DIRECT") == 2
    assert "smollm2-135m is not on this computer yet" in capsys.readouterr().err
    assert main(["gui", "--screenshot", str(tmp_path / "x.png"), "--judge", "pocket", "--template", "P1"]) == 2
    assert "P1 is a conversation. Use CLOZE" in capsys.readouterr().err


def test_the_pocket_judge_is_listed(pocket, capsys):
    assert main(["models"]) == 0
    assert capsys.readouterr().out.startswith("pocket\n    Pocket judge, research use, built in\n")
    assert main(["models", "info", "pocket"]) == 0
    assert "\nkind:" in (out := capsys.readouterr().out) and " masked\n" in out
    assert main(["models", "get", "pocket"]) == 0
    assert "is part of the program" in capsys.readouterr().err
