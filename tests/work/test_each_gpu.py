"""One job on several devices: here two that are both the CPU, with the judge that needs no PyTorch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from parapluie_gui.models import catalogue
from parapluie_gui.models.device import EACH_GPU
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import find_templates, load_templates
from parapluie_gui.work import local
from parapluie_gui.work.events import Failed
from parapluie_gui.work.local import EachGpu, LocalScorer
from parapluie_gui.work.score_pairs import ScorePairs
from parapluie_gui.work.scoring_plan import ScoringPlan

pytestmark = pytest.mark.skipif(not catalogue.is_ready(catalogue.POCKET), reason="no pocket judge here")

PAIRS = [(f"It rained on day {day}.", f"Day {day} was {'wet' if day % 2 else 'dry'}.") for day in range(9)]
CORPUS = Corpus("rain", tuple(map(str, range(9))), tuple(one for one, _ in PAIRS), tuple(two for _, two in PAIRS))
JUDGE = JudgeSettings(model="pocket", device="cpu")
TEMPLATES = tuple(find_templates(["CLOZE"], load_templates(None)[0]))


def test_two_devices_score_as_one_does_and_keep_what_they_scored(tmp_path, monkeypatch, capfd):
    _, alone, _ = LocalScorer(quiet=True).score(CORPUS, ScoringPlan(("edit_distance",), JUDGE, TEMPLATES))
    monkeypatch.setattr(local, "gpu_devices", lambda: ["cpu", "cpu"])
    scorer = LocalScorer((tmp_path / "scores.sqlite",))
    everywhere = replace(JUDGE, device=EACH_GPU)
    _, table, errors = scorer.score(CORPUS, ScoringPlan(("edit_distance",), everywhere, TEMPLATES))
    assert errors == [] and list(table) == list(alone) and table.signatures == alone.signatures
    for column in alone:
        np.testing.assert_allclose(table[column], alone[column], atol=1e-4)
    shown = capfd.readouterr().err
    assert shown.count("pocket: 22.") == 2 and shown.count(catalogue.POCKET.note) == 1
    # The same processes, which find all of it; a file of PyTorch's is not even looked for.
    _, again, _ = scorer.score(CORPUS.take(range(3)), ScoringPlan((), everywhere, TEMPLATES))
    np.testing.assert_array_equal(again["pluie.cloze"], table["pluie.cloze"][:3])
    assert "pocket: 22." not in capfd.readouterr().err
    scorer._each_gpu.end()


def test_an_error_and_a_process_that_ends_are_said(monkeypatch):
    heard: list[object] = []
    request = ScorePairs.of(CORPUS, ScoringPlan((), replace(JUDGE, model="nonsense"), TEMPLATES), ())
    processes = EachGpu(["cpu"])
    processes.run(request, heard.append, lambda: None)
    assert isinstance(heard[-1], Failed) and "nonsense is neither" in heard[-1].text and not processes.lost
    processes._workers[0]._process.kill()
    processes.run(request, heard.append, lambda: None)
    assert heard[-1].text == "The process of cpu ended. What was scored is kept; score again." and processes.lost


def test_ctrl_c_ends_the_processes(monkeypatch):
    def stop() -> None:
        raise KeyboardInterrupt

    processes = EachGpu(["cpu"])
    with pytest.raises(KeyboardInterrupt):
        processes.run(ScorePairs.of(CORPUS, ScoringPlan((), JUDGE, TEMPLATES), ()), lambda event: None, stop)
    assert processes.lost
