"""Computing a job in this process: stored scores, storing, order, and how it ends."""

from __future__ import annotations

import dataclasses
import weakref
from pathlib import Path

import numpy as np
import pytest
from fake_workers import FakeMetric
from listening import replace_fields, scoring_job
from tiny import FEW_TURNS, save_model

from parapluie_gui.metrics import catalogue
from parapluie_gui.models.kind import CAUSAL
from parapluie_gui.pluie import judge as judge_kinds
from parapluie_gui.pluie.causal import CausalJudge
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import find_templates, load_templates, parse_template
from parapluie_gui.storage.store import ScoreStore
from parapluie_gui.work.events import (
    ColumnStarted,
    JobFailed,
    JobFinished,
    JobNotice,
    JobProgress,
    JudgeLoaded,
    PromptShown,
    ScoreBatch,
    StageChanged,
)
from parapluie_gui.work.gate import JobCancelled, WorkGate
from parapluie_gui.work.job import Job
from parapluie_gui.work.runner import JobRunner
from parapluie_gui.work.score_pairs import CHUNK
from parapluie_gui.work.show_prompt import ShowPrompt


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    return save_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def loads(monkeypatch) -> list[str]:
    """Note each loading of a model."""
    names: list[str] = []
    load = CausalJudge.load

    def spy(files, *arguments):
        names.append(files.name)
        return load(files, *arguments)

    monkeypatch.setattr(CausalJudge, "load", spy)
    return names


@pytest.fixture
def offer(monkeypatch):
    """Return a function that adds a metric to the catalogue."""

    def add(metric) -> str:
        more = (*catalogue.shipped_metrics(), (metric.info, lambda: metric))
        monkeypatch.setattr(catalogue, "shipped_metrics", lambda: more)
        return metric.info.id

    return add


def templates(*names: str):
    return find_templates(names, load_templates(Path("none"))[0])


def pairs(count: int = 12, **rest) -> Job:
    sources = tuple(f"The cat number {row} sleeps." for row in range(count))
    hypotheses = tuple(f"The dog number {row} sleeps{'!' * (row % 5)}" for row in range(count))
    return scoring_job(sources, hypotheses, **rest)


def judged(model: Path, count: int = 12, names=("DIRECT",), **rest) -> Job:
    judge = JudgeSettings(str(model), device="cpu", precision="float32")
    return pairs(count, judge=judge, templates=templates(*names), **rest)


def run(job: Job, runner: JobRunner | None = None, gate: WorkGate | None = None) -> list:
    events: list = []
    runner = runner or JobRunner(events.append, gate)
    runner.emit = events.append
    runner.run(job)
    ends = [event for event in events if isinstance(event, JobFinished | JobFailed)]
    assert ends == events[-1:], "exactly one end, and nothing after it"
    assert all(event.job == job.id for event in events)
    return events


def of(events: list, kind: type) -> list:
    return [event for event in events if isinstance(event, kind)]


def column(events: list, name: str, count: int) -> np.ndarray:
    values = np.full(count, np.nan)
    for batch in of(events, ScoreBatch):
        if name in batch.values:
            assert np.isnan(values[batch.rows]).all(), "a pair was emitted twice"
            values[batch.rows] = batch.values[name]
    return values


def test_metrics_come_before_templates(model):
    events = run(judged(model, metrics=("edit_distance", "bleu"), names=("DIRECT", "P1")))
    names = [event.column for event in of(events, ColumnStarted)]
    assert names == ["edit_distance", "bleu", "pluie.direct", "pluie.p1"]
    assert isinstance(events[-1], JobFinished)
    kinds = [type(event) for event in events]
    assert kinds.index(StageChanged) < kinds.index(JudgeLoaded)
    for name in ("edit_distance", "pluie.direct", "pluie.direct.p_yes", "pluie.direct.p_no", "pluie.p1"):
        assert not np.isnan(column(events, name, 12)).any()
    assert of(events, JobProgress)[-1].done == 48


def test_the_reverse_is_the_score_of_the_swapped_pair(model):
    job = judged(model, names=("DIRECT,reverse", "P1,reverse"))
    pairs = job.request.pairs
    exchanged = replace_fields(job, sources=pairs.hypotheses, hypotheses=pairs.sources, templates=templates("DIRECT"))
    result, expected = run(job), run(exchanged)
    assert column(result, "pluie.direct.reverse", 12) == pytest.approx(column(expected, "pluie.direct", 12), abs=1e-4)
    (first, second) = of(result, ColumnStarted)
    assert dict(first.signature.fields)["template"].startswith("DIRECT,reverse@")
    assert second.column == "pluie.p1.reverse"


def test_the_previous_judge_is_freed_before_the_next_is_loaded(model, tmp_path, monkeypatch):
    other, made, alive = save_model(tmp_path / "other"), [], []
    load = CausalJudge.load

    def spy(*arguments):
        alive.append(sum(each() is not None for each in made))
        judge = load(*arguments)
        made.extend([weakref.ref(judge.model), weakref.ref(judge.model.model.layers[0].mlp)])
        return judge

    monkeypatch.setattr(CausalJudge, "load", spy)
    runner = JobRunner(lambda event: None)
    run(judged(model), runner)
    run(judged(other, names=("INDIRECT",)), runner)
    with monkeypatch.context() as broken:
        broken.setattr(CausalJudge, "answer_logits", lambda *_: 1 / 0)
        assert isinstance(run(judged(other), runner)[-1], JobFailed)
    run(judged(model), runner)
    assert alive == [0, 0, 0]


def test_a_cancelled_job_keeps_its_judge(model, loads):
    class Ending(WorkGate):
        looks = 0

        def check(self) -> None:
            self.looks += 1
            if self.looks == 5:
                raise JobCancelled

    gate = Ending()
    runner = JobRunner(lambda event: None, gate)
    ended = run(judged(model, 40), runner)[-1]
    assert ended.cancelled and gate.looks == 5
    assert not run(judged(model, 40), runner)[-1].cancelled
    assert loads == ["tiny"]


def test_stored_scores_cost_nothing(model, tmp_path, loads):
    job = judged(model, metrics=("edit_distance",), stores=(tmp_path / "scores.sqlite",))
    first = run(job)
    again = run(job)
    assert loads == ["tiny"], "the model is loaded for the first run only"
    assert not of(again, JudgeLoaded) and not of(again, StageChanged)
    assert not any(batch.fresh for batch in of(again, ScoreBatch))
    for name in ("edit_distance", "pluie.direct", "pluie.direct.p_yes", "pluie.direct.p_no"):
        np.testing.assert_array_equal(column(first, name, 12), column(again, name, 12))


def test_only_missing_scores_are_computed(model, tmp_path):
    store = tmp_path / "scores.sqlite"
    run(judged(model, 5, stores=(store,)))
    known, *fresh = of(run(judged(model, 12, stores=(store,))), ScoreBatch)
    assert not known.fresh and known.rows.tolist() == [0, 1, 2, 3, 4]
    assert sorted(np.concatenate([batch.rows for batch in fresh]).tolist()) == list(range(5, 12))


def test_a_loaded_model_is_reused_by_the_next_job(model, loads):
    runner = JobRunner(print)
    run(judged(model), runner)
    run(judged(model, names=("P1",)), runner)
    assert loads == ["tiny"]
    other = judged(model)
    bfloat16 = dataclasses.replace(other.request.plan.judgings[0].judge, precision="bfloat16")
    run(replace_fields(other, judge=bfloat16), runner)
    assert loads == ["tiny", "tiny"]


def test_scores_are_kept_in_every_store_with_evidence_and_prompt(model, tmp_path):
    job = judged(model, 3, stores=(tmp_path / "a.sqlite", tmp_path / "b.pluie"))
    (started,) = of(run(job), ColumnStarted)
    keys = job.request.pairs.keys()
    for path in job.request.stores:
        with ScoreStore(path) as store:
            assert store.known(started.signature, keys).known.all()
            assert all('"top":' in text for text in store.evidence(started.signature, keys))
            assert store.frame(started.signature)


def test_urgent_jobs_carry_their_evidence(model, tmp_path):
    job = judged(model, 1, urgent=True, stores=(tmp_path / "scores.sqlite",))
    (fresh,) = of(run(job), ScoreBatch)
    (known,) = of(run(job), ScoreBatch)
    assert fresh.fresh and not known.fresh
    assert len(fresh.evidence[0].top) == 5
    assert known.evidence == fresh.evidence
    (plain,) = of(run(judged(model, 1)), ScoreBatch)
    assert plain.evidence == ()


@pytest.mark.parametrize("kind", ["damaged", "folder"])
def test_an_unusable_store_gives_a_notice(tmp_path, kind):
    bad = tmp_path / "bad.sqlite"
    if kind == "folder":
        bad.mkdir()
    else:
        bad.write_bytes(b"\0" * 5000)
    events = run(pairs(metrics=("edit_distance",), stores=(bad, tmp_path / "good.sqlite")))
    (notice,) = of(events, JobNotice)
    said = {"folder": "Scores are not stored in bad.sqlite: ", "damaged": "The stored scores are damaged. They"}
    assert notice.text.startswith(said[kind])
    assert (tmp_path / "bad.sqlite.damaged-1").exists() == (kind == "damaged")
    assert isinstance(events[-1], JobFinished)
    assert not any(
        batch.fresh for batch in of(run(pairs(metrics=("edit_distance",), stores=job_stores(tmp_path))), ScoreBatch)
    )


def job_stores(folder: Path) -> tuple[Path, ...]:
    return (folder / "good.sqlite",)


def test_stored_nan_is_not_computed_again(offer, tmp_path):
    class Undefined(FakeMetric):
        def _score(self, sources, hypotheses, references):
            return np.full(len(sources), np.nan)

    name = offer(Undefined("undefined", lambda count: None))
    job = pairs(metrics=(name,), stores=(tmp_path / "scores.sqlite",))
    assert any(batch.fresh for batch in of(run(job), ScoreBatch))
    (batch,) = of(run(job), ScoreBatch)
    assert not batch.fresh and np.isnan(batch.values[name]).all()


def test_order_is_random_and_seeded():
    def order(seed: int) -> list[int]:
        events = run(pairs(200, metrics=("edit_distance",), seed=seed))
        return np.concatenate([batch.rows for batch in of(events, ScoreBatch)]).tolist()

    assert order(1) == order(1)
    assert order(1) != order(2)
    assert order(1) != sorted(order(1)) == list(range(200))


def test_references_are_part_of_the_key_only_if_used(offer, tmp_path):
    metric = FakeMetric("aware", lambda count: None)
    metric.info = dataclasses.replace(metric.info, uses_reference=True)
    names = (offer(metric), "edit_distance")
    store = (tmp_path / "scores.sqlite",)
    run(pairs(2, metrics=names, stores=store, references=("one", None)))
    events = run(pairs(2, metrics=names, stores=store, references=("another", None)))
    fresh = {next(iter(batch.values)): batch.rows.tolist() for batch in of(events, ScoreBatch) if batch.fresh}
    assert fresh == {"aware": [0]}


def test_batches_of_a_slow_metric_stay_short(offer):
    import time

    name = offer(FakeMetric("slow", lambda count: time.sleep(0.004 * count)))
    sizes = [len(batch.rows) for batch in of(run(pairs(200, metrics=(name,))), ScoreBatch)]
    assert max(sizes) <= 50
    sizes = [len(batch.rows) for batch in of(run(pairs(5000, metrics=("edit_distance",))), ScoreBatch)]
    assert max(sizes) <= CHUNK and len(sizes) < 40


def test_a_failing_metric_does_not_stop_the_others(model, offer):
    def fail(count):
        raise ValueError("first line.\nsecond line")

    name = offer(FakeMetric("broken", fail))
    events = run(judged(model, metrics=(name, "edit_distance")))
    assert events[-1].text == "broken failed: first line."
    assert "Traceback" in events[-1].detail
    for done in ("edit_distance", "pluie.direct"):
        assert not np.isnan(column(events, done, 12)).any()


def test_an_error_without_a_message_is_named(offer):
    def fail(count):
        raise ZeroDivisionError

    assert run(pairs(metrics=(offer(FakeMetric("broken", fail)),)))[-1].text == "broken failed: ZeroDivisionError."


def test_a_refused_template_does_not_stop_the_others(tmp_path):
    model = save_model(tmp_path / "tiny", FEW_TURNS)
    events = run(judged(model, names=("FS-DIRECT", "DIRECT")))
    assert isinstance(events[-1], JobFailed) and "FS-DIRECT" in events[-1].text
    assert not np.isnan(column(events, "pluie.direct", 12)).any()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (JudgeSettings("no/such-model"), "is not on this computer"),
        (JudgeSettings("nowhere"), "neither a model of the catalogue"),
        (JudgeSettings("MODEL", device="abacus"), "no device called abacus"),
        (JudgeSettings("MODEL", precision="float3"), "no precision called float3"),
    ],
)
def test_an_unusable_judge_is_reported(model, settings, words):
    settings = dataclasses.replace(settings, model=settings.model.replace("MODEL", str(model)))
    (end,) = of(run(pairs(judge=settings, templates=templates("DIRECT"))), JobFailed)
    assert words in end.text and not end.detail


def test_a_judge_without_templates_is_not_loaded(loads):
    assert isinstance(run(pairs(judge=JudgeSettings("nowhere"), metrics=("edit_distance",)))[-1], JobFinished)
    assert not loads


def test_cancelling_keeps_computed_scores(tmp_path):
    class Closing(WorkGate):
        passes = 4

        def guard(self, work):
            self.passes -= 1
            if not self.passes:
                raise JobCancelled
            return work()

    job = pairs(1000, metrics=("edit_distance",), stores=(tmp_path / "scores.sqlite",))
    events = run(job, gate=Closing())
    assert events[-1].cancelled
    scored = sum(len(batch.rows) for batch in of(events, ScoreBatch))
    assert 0 < scored < 1000
    known = next(batch for batch in of(run(job), ScoreBatch) if not batch.fresh)
    assert len(known.rows) == scored


def test_notices_are_emitted_once(model):
    long = "word " * 5000
    job = judged(model, 3)
    job = replace_fields(
        job, sources=(long, long, long), judge=dataclasses.replace(job.request.plan.judgings[0].judge, exact=True)
    )
    events = run(job)
    assert [notice.text for notice in of(events, JobNotice) if "longer than" in notice.text] == [
        "DIRECT: pairs longer than the model's 4,096 tokens get no score."
    ]
    assert np.isnan(column(events, "pluie.direct", 3)).all()
    assert isinstance(events[-1], JobFinished)


def test_ctrl_c_passes_through(offer):
    def interrupt(count):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        JobRunner(lambda event: None).run(pairs(metrics=(offer(FakeMetric("interrupted", interrupt)),)))


def test_a_judge_of_a_features_kind_needs_no_pytorch(model, monkeypatch, tmp_path):
    monkeypatch.setitem(judge_kinds._CLASSES, CAUSAL, ("plain_judge:PlainJudge",))
    job = judged(model, urgent=True, stores=(tmp_path / "scores.sqlite",))
    events = run(job)
    assert isinstance(events[-1], JobFinished), events[-1]
    assert [event.description for event in of(events, JudgeLoaded)] == ["tiny on a server"]
    assert column(events, "pluie.direct", 12) == pytest.approx([np.log(3)] * 12)
    assert column(events, "pluie.direct.p_no", 12) == pytest.approx([0.25] * 12)
    assert all(
        each.top == () and each.explanation is None for batch in of(events, ScoreBatch) for each in batch.evidence
    )
    assert not of(run(job), JudgeLoaded), "stored scores are not computed again"


BESIDE = """
name = "BESIDE"
[[turn]]
role = "user"
text = 'Told: REFERENCE. Does "{source}" say what "{hypothesis}" says?'
"""


def beside(reference: str):
    return (parse_template(BESIDE.replace("REFERENCE", reference), "beside.toml"),)


def test_a_template_shows_the_reference_of_each_pair(model, tmp_path):
    references = ["A cat.", None, "A dog.", "A cat."]
    job = replace_fields(
        judged(model, 4, references=references, stores=(tmp_path / "s.sqlite",)), templates=beside("{reference}")
    )
    scores = column(run(job), "pluie.beside", 4)
    expected = [np.nan] * 4
    for row, text in enumerate(references):
        if text:
            expected[row] = column(run(replace_fields(job, templates=beside(text))), "pluie.beside", 4)[row]
    assert scores == pytest.approx(expected, abs=1e-4, nan_ok=True)
    other = replace_fields(job, references=["A dog.", "A dog.", "A dog.", None])
    again = column(run(other), "pluie.beside", 4)
    assert again[0] != scores[0] and again[2] == scores[2] and np.isnan(again[3]), (
        "the three texts together identify a stored score"
    )
    end = run(replace_fields(job, references=None))[-1]
    assert isinstance(end, JobFailed) and end.text.startswith(
        "BESIDE shows the judge each pair's reference, but these pairs"
    )


def test_a_template_shows_several_columns_of_the_corpus(model, tmp_path):
    more = {"instruction": ("Shorten.", "Shorten.", None, "Shorten."), "age (of it)": ("7", "8", "7", "7")}
    job = judged(model, 4, more=more, stores=(tmp_path / "s.sqlite",))
    asked = "{instruction} {age (of it)} {instruction}"
    events = run(replace_fields(job, templates=beside(asked)))
    scores = column(events, "pluie.beside", 4)
    assert '1 pair has no score under BESIDE, which shows the judge "instruction" and "age (of it)": a cell' in (
        " ".join(each.text for each in of(events, JobNotice))
    )
    for row, age in ((0, 7), (1, 8), (3, 7)):
        said = column(run(replace_fields(job, templates=beside(f"Shorten. {age} Shorten."))), "pluie.beside", 4)
        assert scores[row] == pytest.approx(said[row], abs=1e-4)
    assert np.isnan(scores[2])
    other = replace_fields(job, templates=beside(asked), more={**more, "age (of it)": ("7", "7", "7", "9")})
    again = column(run(other), "pluie.beside", 4)
    assert again[0] == scores[0] and not {again[1], again[3]} & set(scores), (
        "all texts together identify a stored score"
    )
    end = run(replace_fields(other, more={"instruction": more["instruction"]}))[-1]
    assert isinstance(end, JobFailed) and end.text == (
        'BESIDE shows the judge the column "age (of it)" of each pair, which is missing or '
        "empty. Choose a different template, or pairs that have this column."
    )


def test_the_reference_is_in_the_prompt_without_acting_as_control(model):
    judge = JudgeSettings(str(model), device="cpu", precision="float32")
    (template,) = beside("{reference}")
    events = run(Job(1, ShowPrompt("One.", "Two.", judge, template, ("Three <s> {source} \ue006.",)), urgent=True))
    (shown,) = of(events, PromptShown)
    assert "Told: Three" in shown.prompt and '{source} \ufffd.. Does "One." say what "Two." says?' in shown.prompt
