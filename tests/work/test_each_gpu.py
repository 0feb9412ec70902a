"""One job on several devices: here two that are both the CPU, with the judge that needs no PyTorch."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
from dataclasses import replace

import numpy as np
import pytest
from masked_models import save_symmetric
from safetensors.numpy import load_file, save_file
from waiting import in_time

from parapluie_gui.errors import ParapluieError
from parapluie_gui.models import catalogue
from parapluie_gui.models.device import EACH_GPU
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import find_templates, load_templates
from parapluie_gui.work import each_gpu
from parapluie_gui.work.each_gpu import EachGpu
from parapluie_gui.work.events import ScoreBatch
from parapluie_gui.work.gate import JobCancelled
from parapluie_gui.work.local import LocalScorer
from parapluie_gui.work.score_pairs import ScorePairs
from parapluie_gui.work.scoring_plan import JudgeTemplates, ScoringPlan

pytestmark = pytest.mark.skipif(not catalogue.is_ready(catalogue.POCKET), reason="no pocket judge here")

PAIRS = [(f"It rained on day {day}.", f"Day {day} was {'wet' if day % 2 else 'dry'}.") for day in range(9)]
CORPUS = Corpus("rain", tuple(map(str, range(9))), tuple(one for one, _ in PAIRS), tuple(two for _, two in PAIRS))
JUDGE = JudgeSettings(model="pocket", device="cpu")
TEMPLATES = tuple(find_templates(["CLOZE"], load_templates(None)[0]))
WEIGHTS = "model.safetensors"
EVERYWHERE = replace(JUDGE, device=EACH_GPU)


def run(processes: EachGpu, plan: ScoringPlan, check=lambda: None) -> list[object]:
    """Return the events of the processes for the corpus under a plan."""
    heard: list[object] = []

    def ask(rows, device):
        return ScorePairs.from_corpus(
            CORPUS.take(rows), replace(plan, judgings=(JudgeTemplates(replace(JUDGE, device=device), TEMPLATES),)), ()
        )

    shares = processes.shares(np.arange(len(CORPUS)), ask)
    processes.run(shares, lambda rows, event: heard.append(event), check, urgent=False)
    return heard


def test_two_devices_give_the_scores_of_one_and_store_them(tmp_path, monkeypatch, capfd):
    alone, _ = LocalScorer(quiet=True).score(CORPUS, ScoringPlan.from_judge(JUDGE, TEMPLATES, ("edit_distance",)))
    monkeypatch.setattr(each_gpu, "gpu_devices", lambda: ["cpu", "cpu"])
    scorer = LocalScorer((tmp_path / "scores.sqlite",))
    table, errors = scorer.score(CORPUS, ScoringPlan.from_judge(EVERYWHERE, TEMPLATES, ("edit_distance",)))
    assert errors == [] and list(table) == list(alone) and table.signatures == alone.signatures
    for column in alone:
        np.testing.assert_allclose(table[column], alone[column], atol=1e-4)
    shown = capfd.readouterr().err
    assert shown.count("pocket: 22.") == 2 and shown.count(catalogue.POCKET.note) == 1
    # The same processes find all scores stored.
    again, _ = scorer.score(CORPUS.take(range(3)), ScoringPlan.from_judge(EVERYWHERE, TEMPLATES))
    np.testing.assert_array_equal(again["pluie.cloze"], table["pluie.cloze"][:3])
    assert "pocket: 22." not in capfd.readouterr().err
    end(scorer)


def test_an_error_in_a_process_is_reported_once(monkeypatch, capfd, tmp_path):
    monkeypatch.setattr(each_gpu, "gpu_devices", lambda: ["cpu", "cpu"])
    folder = save_symmetric(tmp_path)
    weights = {name: each for name, each in load_file(folder / WEIGHTS).items() if "transform.dense" not in name}
    save_file(weights, folder / WEIGHTS, {"parapluie": "parapluie-int8", "parapluie_version": "1"})
    (folder / "parapluie-model.json").unlink(missing_ok=True)
    two = (*TEMPLATES, replace(TEMPLATES[0], name="OTHER", cloze="{source} [SEP] {hypothesis} [SEP] same : [MASK]"))
    scorer = LocalScorer()
    judge = JudgeSettings(str(folder), EACH_GPU)
    table, errors = scorer.score(CORPUS, ScoringPlan.from_judge(judge, two, ("edit_distance",)))
    assert len(errors) == 1 and "lacks weights" in str(errors[0]) and np.isfinite(table["edit_distance"]).all()
    assert str(errors[0]) not in capfd.readouterr().err
    end(scorer)


def test_a_lost_process_is_reported_and_the_next_job_starts_new_ones():
    processes, plan = EachGpu(["cpu"]), ScoringPlan.from_judge(JUDGE, TEMPLATES)

    def kill() -> None:  # closed between the shares and their scores
        processes._workers[0]._process.kill()

    with pytest.raises(
        ParapluieError, match=r"^The process of cpu ended. Scores computed so far are kept; start scoring again\.$"
    ):
        run(processes, plan, kill)
    assert processes.lost
    assert any(isinstance(event, ScoreBatch) for event in run(processes, plan))
    first = processes._workers[0]
    first._process.kill()
    first.wait(10)
    for thread in first._threads[1:]:  # the event for a process that has ended
        thread.join(10)
    assert any(isinstance(event, ScoreBatch) for event in run(processes, plan)), (
        "a process that ended before is restarted"
    )
    processes.end()


def test_ctrl_c_ends_the_processes_but_stop_keeps_them():
    def stop(error: type[BaseException]):
        def raised() -> None:
            raise error

        return raised

    processes = EachGpu(["cpu"])
    plan = ScoringPlan.from_judge(JUDGE, TEMPLATES)
    with pytest.raises(JobCancelled):
        run(processes, plan, stop(JobCancelled))
    assert not processes.lost
    assert sum(len(event.rows) for event in run(processes, plan) if isinstance(event, ScoreBatch)) == len(CORPUS)
    with pytest.raises(KeyboardInterrupt):
        run(processes, plan, stop(KeyboardInterrupt))
    assert processes.lost


def test_the_processes_end_with_the_last_reference():
    processes = EachGpu(["cpu", "cpu"])
    started = [worker._process for worker in processes._workers]
    assert all(each.is_alive() for each in started)
    assert all(each.daemon for each in started), "a program that ends while one is being started would wait for it"
    del processes
    gc.collect()
    for process in started:
        with contextlib.suppress(ValueError):  # closed: it is gone
            assert not process.is_alive()


def end(scorer: LocalScorer) -> None:
    scorer._runner._context.judges.loaded[1].end()


def test_a_hanging_process_counts_as_lost():
    processes = EachGpu(["cpu", "cpu"], patience=in_time(3))
    plan = ScoringPlan.from_judge(JUDGE, TEMPLATES)
    assert run(processes, plan)
    os.kill(processes._workers[1]._process.pid, signal.SIGSTOP)
    stopped = processes._workers[1]._process
    with pytest.raises(
        ParapluieError, match=r"^The process of cpu no longer responds. Scores computed so far are kept"
    ):
        run(processes, plan)
    assert processes.lost
    with contextlib.suppress(ValueError):  # closed: it is gone
        assert not stopped.is_alive()
    assert sum(len(event.rows) for event in run(processes, plan) if isinstance(event, ScoreBatch)) == len(CORPUS)
    processes.end()
