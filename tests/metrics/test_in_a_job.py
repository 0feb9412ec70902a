"""Neural metrics in a job: loaded once, interrupted within a pass, reused, and isolated from each other's failures."""

from __future__ import annotations

import weakref

import numpy as np
import pytest
import torch
from listening import scoring_job

from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.lexical.bleu import Bleu
from parapluie_gui.metrics.neural import classifier, encoder, loading, model_metric
from parapluie_gui.metrics.neural.encoder import Encoder
from parapluie_gui.work import score_pairs
from parapluie_gui.work.events import ColumnStarted, JobFailed, JobFinished, JobNotice, ScoreBatch
from parapluie_gui.work.gate import BatchInterrupted, JobCancelled, WorkGate
from parapluie_gui.work.runner import JobRunner

SOURCES = tuple(f"The cat {'and the dog ' * (row % 7)}sat on mat {row}." for row in range(30))
HYPOTHESES = tuple(f"A dog {'and the cat ' * (row % 5)}ran." for row in range(30))


@pytest.fixture
def passes(monkeypatch) -> list[int]:
    """Count the sentences read by any encoder."""
    read: list[int] = []
    plain = Encoder._pass

    def spy(self, texts, ids, request):
        yield from plain(self, texts, ids, request)
        read.append(len(texts))

    monkeypatch.setattr(Encoder, "_pass", spy)
    return read


def run(*metrics: str, gate: WorkGate | None = None, runner: JobRunner | None = None, **more) -> tuple[list, dict]:
    events: list = []
    runner = runner or JobRunner(events.append, gate)
    runner.emit = events.append
    job = scoring_job(SOURCES, HYPOTHESES, metrics=metrics, device="cpu", **more)
    runner.run(job)
    columns: dict[str, np.ndarray] = {}
    for event in events:
        if isinstance(event, ScoreBatch):
            for name, values in event.values.items():
                columns.setdefault(name, np.full(len(job.request.pairs), np.nan))[event.rows] = values
    return events, columns


def names(bert, *ids: str) -> list[str]:
    return [f"{id}:{bert}" for id in ids]


def test_metrics_with_the_same_encoder_read_every_sentence_once(bert, passes):
    specs = names(bert, "sbert", "bertscore", "bertscore,part=p", "parascore_free", "bert_ibleu")
    events, columns = run(*specs)
    assert isinstance(events[-1], JobFinished)
    assert sum(passes) == len({*SOURCES, *HYPOTHESES})
    for spec in specs:
        expected = catalogue.metric(spec).score(SOURCES, HYPOTHESES)
        np.testing.assert_allclose(columns[catalogue.column(spec)], expected, atol=1e-6)
    started = [event for event in events if isinstance(event, ColumnStarted)]
    assert [event.column for event in started] == [catalogue.column(spec) for spec in specs]
    assert all(event.signature.column == event.column for event in started)


def test_a_pause_within_a_pass_does_not_change_the_scores(bert):
    class Restless(WorkGate):
        """Interrupts a batch at the layers with these numbers."""

        def __init__(self) -> None:
            self.seen = 0

        def check(self) -> None:
            self.seen += 1
            if self.seen in (2, 3, 5):
                raise BatchInterrupted

        def guard(self, work):
            while True:
                try:
                    return work()
                except BatchInterrupted:
                    pass

    gate = Restless()
    (spec,) = names(bert, "bertscore")
    events, columns = run(spec, gate=gate)
    assert isinstance(events[-1], JobFinished) and gate.seen > 5
    expected = catalogue.metric(spec).score(SOURCES, HYPOTHESES)
    np.testing.assert_allclose(columns[catalogue.column(spec)], expected, atol=1e-6)


@pytest.mark.parametrize("kind", ["sbert", "bartscore", "classifier"])
def test_a_cancel_within_a_pass_ends_the_job(bert, bart, make_classifier, kind):
    class Ending(WorkGate):
        layers = 0

        def check(self) -> None:
            Ending.layers += 1
            if Ending.layers == 2:
                raise JobCancelled

    folder = {"sbert": bert, "bartscore": bart, "classifier": None}[kind] or make_classifier("no", "yes")
    events, columns = run(f"{kind}:{folder}", gate=Ending())
    assert isinstance(events[-1], JobFinished) and events[-1].cancelled
    assert columns == {}


def test_stored_scores_need_no_model(bert, tmp_path, passes):
    store = (tmp_path / "scores.sqlite",)
    specs = names(bert, "sbert", "bertscore")
    _, first = run(*specs, stores=store)
    passes.clear()
    _, again = run(*specs, stores=store)
    assert passes == []
    for name, values in first.items():
        np.testing.assert_array_equal(again[name], values)


def test_an_encoder_stays_loaded_between_jobs_without_its_embeddings(bert):
    runner = JobRunner(lambda event: None)
    run(*names(bert, "sbert"), runner=runner)
    assert runner.models.loaded is not None
    loaded = runner.models.loaded[1]
    assert not loaded._cache
    run(*names(bert, "bertscore"), runner=runner)
    assert runner.models.loaded[1] is loaded


def test_only_one_model_is_loaded_at_a_time(bert, bart):
    runner = JobRunner(lambda event: None)
    events, columns = run(f"sbert:{bert}", f"bartscore:{bart}", runner=runner)
    assert isinstance(events[-1], JobFinished) and len(columns) == 2
    assert runner.models.loaded is not None and runner.models.loaded[0][0] == "AutoModelForSeq2SeqLM"


@pytest.fixture
def alive(monkeypatch) -> list:
    """Record at each loading of a network how many earlier networks are still in memory."""
    counts: list[int] = []
    networks: list[weakref.ref] = []
    plain = loading.load

    def spy(*arguments):
        counts.append(sum(model() is not None for model in networks))
        loaded = plain(*arguments)
        networks.append(weakref.ref(loaded.model))
        return loaded

    for module in (encoder, model_metric):
        monkeypatch.setattr(module, "load", spy)
    return counts


def test_the_previous_network_is_freed_before_the_next_is_loaded(bert, bart, make_classifier, alive):
    events, columns = run(f"sbert:{bert}", f"bartscore:{bart}", f"classifier:{make_classifier('no', 'yes')}")
    assert isinstance(events[-1], JobFinished) and len(columns) == 3
    assert alive == [0, 0, 0]


def test_the_network_of_a_failed_metric_is_freed_too(bert, bart, alive, monkeypatch):
    monkeypatch.setattr(Encoder, "embed", lambda self, *_: 1 / 0)
    events, columns = run(f"sbert:{bert}", f"bartscore:{bart}")
    assert isinstance(events[-1], JobFailed) and len(columns) == 1
    assert "ZeroDivisionError" in events[-1].detail or "division" in events[-1].text
    assert alive == [0, 0]


def small_memory(monkeypatch, module, most: int) -> list[int]:
    """Make a network's passes run out of memory above `most` rows; returns the rows of the passes that succeed."""
    passes: list[int] = []
    plain = module.pad_ids

    def padded(rows, *more):
        if len(rows) > most:
            raise torch.OutOfMemoryError("CUDA out of memory")
        passes.append(len(rows))
        return plain(rows, *more)

    monkeypatch.setattr(module, "pad_ids", padded)
    return passes


@pytest.mark.parametrize("kind", ["sbert", "bertscore", "classifier"])
def test_a_network_that_runs_out_of_memory_uses_smaller_batches(bert, make_classifier, kind, monkeypatch):
    spec = f"{kind}:{make_classifier('no', 'yes') if kind == 'classifier' else bert}"
    expected = catalogue.metric(spec).score(SOURCES, HYPOTHESES)
    passes = small_memory(monkeypatch, classifier if kind == "classifier" else encoder, 3)
    events, columns = run(spec)
    assert isinstance(events[-1], JobFinished) and max(passes) <= 3
    np.testing.assert_allclose(columns[catalogue.column(spec)], expected, atol=1e-5)
    assert all(event.text.startswith("Memory ran out with ") for event in events if isinstance(event, JobNotice))


def test_insufficient_memory_for_one_pair_is_reported(bert, monkeypatch):
    small_memory(monkeypatch, encoder, 0)
    events, _ = run(f"sbert:{bert}")
    assert events[-1].text.startswith("Not even one pair fits into the memory of cpu.")


def test_no_float64_is_used_on_apple_gpus(bert, bart, make_classifier, monkeypatch):
    to_cpu, to_double = torch.Tensor.cpu, torch.Tensor.double

    def cpu(tensor):
        brought = to_cpu(tensor).clone()
        brought.brought = True
        return brought

    def double(tensor):
        if not getattr(tensor, "brought", False):
            raise TypeError(
                "Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't support float64."
            )
        return to_double(tensor)

    monkeypatch.setattr(torch.Tensor, "cpu", cpu)
    monkeypatch.setattr(torch.Tensor, "double", double)
    specs = [*names(bert, "sbert", "bertscore"), f"bartscore:{bart}", f"classifier:{make_classifier('no', 'yes')}"]
    events, columns = run(*specs)
    assert isinstance(events[-1], JobFinished) and len(columns) == len(specs)


def test_an_unavailable_metric_stops_no_other_metric(bert):
    events, columns = run("nli", "bleu", f"sbert:{bert}", "parascore", "bertscore:/nowhere")
    assert isinstance(events[-1], JobFailed)
    messages = [event.text.split(". ")[0] for event in events if isinstance(event, JobNotice | JobFailed)]
    assert sorted(messages) == [
        "An encoder is needed, but there is none on this computer",
        "An entailment model is needed, but FacebookAI/roberta-large-mnli is not on this computer",
        "There is no folder /nowhere",
    ]
    assert set(columns) == {"bleu", "sbert.tiny-bert"}


def test_missing_references_are_reported(bert):
    events, columns = run(f"parascore:{bert}", "bleu.ref", "bleu")
    assert "ParaScore (tiny-bert) needs a reference for each pair, but this corpus has none" in events[-1].text
    assert set(columns) == {"bleu"}
    assert [event.column for event in events if isinstance(event, ColumnStarted)] == ["bleu"]
    kinds = [type(event) for event in events]
    assert kinds.index(JobNotice) < kinds.index(ColumnStarted), (
        "unavailable metrics are reported before the rest is computed"
    )
    messages = [event.text for event in events if isinstance(event, JobNotice)]
    assert events[-1].text == messages[0] and messages[1].startswith("BLEU vs reference needs a reference")


def test_a_metric_with_slow_calls_gets_large_batches(monkeypatch):
    clock, calls = [0.0], []

    class SlowToStart(Bleu):
        def score(self, sources, hypotheses, references=None):
            calls.append(len(sources))
            clock[0] += 0.5 + 0.0001 * len(sources)
            return np.zeros(len(sources))

    monkeypatch.setattr(score_pairs.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(catalogue, "metric", lambda name: SlowToStart())
    events: list = []
    rows = tuple(f"A cat {row}." for row in range(1000))
    JobRunner(events.append).run(scoring_job(rows, rows, metrics=("slow",), device="cpu"))
    assert isinstance(events[-1], JobFinished) and sum(calls) == 1000
    assert len(calls) <= 10 and max(calls) >= 256


def test_references_belong_to_the_scores_that_use_them(bert, tmp_path):
    store, specs = (tmp_path / "scores.sqlite",), ("bleu.ref", f"parascore:{bert}", "bleu")
    run(*specs, stores=store, references=("the cat",) * 30)
    events, columns = run(*specs, stores=store, references=("a dog",) * 29 + (None,))
    fresh = {name for event in events if isinstance(event, ScoreBatch) and event.fresh for name in event.values}
    assert fresh == {"bleu.ref", "parascore.tiny-bert"}
    assert np.flatnonzero(np.isnan(columns["bleu.ref"])).tolist() == [29]


def test_a_user_metric_runs_in_a_job(tmp_path):
    (tmp_path / "good.py").write_text("def score(s, h): return [len(x) for x in s]")
    (tmp_path / "bad.py").write_text("def score(s, h):\n    raise ValueError('no')")
    events, columns = run(f"user:{tmp_path / 'bad.py'}", f"user:{tmp_path / 'good.py'}")
    assert events[-1].text == "bad.py, line 2: ValueError: no. Correct the file."
    assert columns["user.good"].tolist() == [len(text) for text in SOURCES]
