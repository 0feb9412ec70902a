"""Judges that return NaN or infinity: reported, and retried on the next run; single missing scores are counted."""

from __future__ import annotations

import math

import numpy as np
import pytest
from listening import replace_fields, scoring_job
from masked_models import save_masked
from tiny import save_model, spoil

from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import find_templates, load_templates
from parapluie_gui.storage.store import ScoreStore
from parapluie_gui.work.events import ColumnStarted, JobFailed, JobFinished, JobNotice, JudgeLoaded, ScoreBatch
from parapluie_gui.work.job import Job
from parapluie_gui.work.runner import JobRunner
from parapluie_gui.work.score_pairs import EARLY

ALL = "answers NaN for every pair"


def job(model, tmp_path, count=6, names=("DIRECT",), **rest) -> Job:
    sources = tuple(f"The cat number {row} sleeps." for row in range(count))
    hypotheses = tuple(f"The dog number {row} sleeps." for row in range(count))
    judge = JudgeSettings(str(model), device="cpu", precision=rest.pop("precision", "float32"))
    templates = find_templates(names, load_templates(tmp_path / "none")[0])
    return scoring_job(sources, hypotheses, judge=judge, templates=templates, stores=(tmp_path / "s.sqlite",), **rest)


def run(job: Job) -> list:
    events: list = []
    JobRunner(events.append).run(job)
    return events


def of(events: list, kind: type) -> list:
    return [event for event in events if isinstance(event, kind)]


def values(events: list, column: str, count: int) -> np.ndarray:
    result = np.full(count, math.inf)
    for batch in of(events, ScoreBatch):
        if column in batch.values:
            result[batch.rows] = batch.values[column]
    return result


def stored(events: list, job: Job) -> dict[str, list[bool]]:
    """Return the pairs with a stored score, for each column."""
    keys = job.request.pairs.keys()
    with ScoreStore(job.request.stores[0]) as store:
        return {each.column: store.known(each.signature, keys).known.tolist() for each in of(events, ColumnStarted)}


def letter(folder, text: str) -> int:
    """Return the token of a letter."""
    from transformers import AutoTokenizer

    (token,) = AutoTokenizer.from_pretrained(folder).encode(text, add_special_tokens=False)
    return token


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_judge_with_only_nan_fails_and_is_retried(tmp_path, value):
    model = spoil(save_model(tmp_path / "tiny"), "lm_head.weight", value)
    work = job(model, tmp_path, metrics=("edit_distance",))
    events = run(work)
    end = events[-1]
    assert isinstance(end, JobFailed) and not end.detail
    assert (
        end.text == f"tiny {ALL}. Its weights may be damaged. Fetch or copy the model again, or choose a different one."
    )
    assert np.isnan(values(events, "pluie.direct", 6)).all(), "empty values are sent for the cells"
    assert not np.isnan(values(events, "edit_distance", 6)).any()
    assert stored(events, work) == {"edit_distance": [True] * 6, "pluie.direct": [False] * 6}
    again = run(work)
    assert of(again, JudgeLoaded) and ALL in again[-1].text


def test_infinity_for_one_answer_counts_as_no_score(tmp_path):
    model = save_model(tmp_path / "tiny")
    model = spoil(model, "lm_head.weight", math.inf, letter(model, "Yes"))
    events = run(job(model, tmp_path))
    assert ALL in events[-1].text
    assert np.isnan(values(events, "pluie.direct", 6)).all()


def test_half_precision_is_named_as_the_first_cause(tmp_path):
    model = spoil(save_model(tmp_path / "tiny"), "lm_head.weight", math.nan)
    assert "Choose the precision float32." in run(job(model, tmp_path, precision="bfloat16"))[-1].text


def test_a_masked_judge_with_only_nan_fails(tmp_path):
    model = spoil(save_masked(tmp_path / "bert"), "cls.predictions.bias", math.nan)
    work = job(model, tmp_path, names=("CLOZE",))
    events = run(work)
    assert ALL in events[-1].text
    assert not any(stored(events, work)["pluie.cloze"])


def test_one_nan_among_good_scores_is_counted_and_stored(tmp_path):
    model = save_model(tmp_path / "tiny")
    spoil(model, "model.embed_tokens.weight", math.nan, letter(model, "~"))
    work = job(model, tmp_path)
    work = replace_fields(work, sources=("A ~ here.", *work.request.pairs.sources[1:]))
    events = run(work)
    assert isinstance(events[-1], JobFinished)
    assert [notice.text for notice in of(events, JobNotice)] == ["1 pair has no score under DIRECT: tiny answered NaN."]
    assert np.isnan(values(events, "pluie.direct", 6)).tolist() == [True] + [False] * 5
    assert stored(events, work)["pluie.direct"] == [True] * 6
    again = run(work)
    assert not of(again, JudgeLoaded), "stored scores need no model"
    assert np.isnan(values(again, "pluie.direct", 6)).tolist() == [True] + [False] * 5


def test_float16_overflow_is_reported(tmp_path):
    model = save_model(tmp_path / "tiny")
    spoil(model, "model.embed_tokens.weight", math.nan, letter(model, "~"))
    work = job(model, tmp_path, precision="float16")
    work = replace_fields(work, sources=("A ~ here.", "And ~ too.", *work.request.pairs.sources[2:]))
    (notice,) = of(run(work), JobNotice)
    assert notice.text.startswith(
        "2 pairs have no score under DIRECT: tiny answered NaN. Numbers became too large for "
    )
    assert notice.text.endswith("float16. Choose the precision bfloat16 or float32.")


def test_one_nan_does_not_fail_a_working_judge(tmp_path):
    model = save_model(tmp_path / "tiny")
    spoil(model, "model.embed_tokens.weight", math.nan, letter(model, "~"))
    run(job(model, tmp_path, 5))
    more = job(model, tmp_path, 6)
    more = replace_fields(more, hypotheses=(*more.request.pairs.hypotheses[:5], "A ~ here."))
    events = run(more)
    assert isinstance(events[-1], JobFinished)
    assert stored(events, more)["pluie.direct"] == [True] * 6


def test_only_the_templates_without_a_number_are_named(tmp_path):
    model = save_model(tmp_path / "tiny")
    templates = {each.name: each for each in load_templates(tmp_path / "none")[0]}
    texts = {name: "".join(turn.text for turn in templates[name].turns) for name in ("DIRECT", "P1", "P2", "P3")}
    # A letter that two of the templates contain, but neither DIRECT nor the sentences.
    marks = {
        mark: [name for name in texts if mark in texts[name]]
        for mark in set("".join(texts.values()))
        if mark.isascii() and mark.isalnum() and mark not in "The cat number dog sleeps.0123456789YesNo"
    }
    mark, broken = next((mark, names) for mark, names in sorted(marks.items()) if 0 < len(names) < 4)
    spoil(model, "model.embed_tokens.weight", math.nan, letter(model, mark))
    work = job(model, tmp_path, names=tuple(texts))
    events = run(work)
    assert f"{ALL} under {' and '.join(broken)}." in events[-1].text
    known = stored(events, work)
    for name in texts:
        assert known[templates[name].column] == [name not in broken] * 6


def test_the_second_of_two_failures_is_a_notice(tmp_path):
    model = spoil(save_model(tmp_path / "tiny"), "lm_head.weight", math.nan)
    events = run(job(model, tmp_path, metrics=("rouge-9000",)))
    assert "rouge-9000" in events[-1].text
    assert any(ALL in notice.text for notice in of(events, JobNotice))


def test_a_long_run_warns_early(tmp_path):
    model = spoil(save_model(tmp_path / "tiny"), "lm_head.weight", math.nan)
    events = run(job(model, tmp_path, 4 * EARLY))
    (notice,) = of(events, JobNotice)
    assert notice.text == "tiny has answered NaN for every pair so far with the template DIRECT."
    assert events.index(notice) < len(events) - 3


def test_nan_stored_by_an_older_version_is_recomputed(tmp_path):
    work = job(save_model(tmp_path / "tiny"), tmp_path)
    (started,) = of(run(work), ColumnStarted)
    work.request.stores[0].unlink()
    keys = work.request.pairs.keys()
    with ScoreStore(work.request.stores[0]) as store:
        store.put(started.signature, keys, np.full(6, np.nan))
    events = run(work)
    assert isinstance(events[-1], JobFinished)
    assert np.isfinite(values(events, "pluie.direct", 6)).all()
    assert not of(run(work), JudgeLoaded)


def test_a_repaired_judge_is_retried(tmp_path):
    good = save_model(tmp_path / "tiny")
    weights = (good / "model.safetensors").read_bytes()
    work = job(spoil(good, "lm_head.weight", math.nan), tmp_path)
    assert isinstance(run(work)[-1], JobFailed)
    (good / "model.safetensors").write_bytes(weights)
    events = run(work)
    assert isinstance(events[-1], JobFinished)
    assert np.isfinite(values(events, "pluie.direct", 6)).all()
