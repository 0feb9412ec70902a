"""A job with a second judge: what is sent on, in which columns it comes, and what is kept where."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from listening import changed, make_job
from tiny import save_model

from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import Template, find_templates, load_templates
from parapluie_gui.scores.identity import CASCADE
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.storage.store import ScoreStore
from parapluie_gui.work.cascade import Cascade, decided_by
from parapluie_gui.work.events import Batch, ColumnStarted, Event, Finished, JudgeLoaded, Progress
from parapluie_gui.work.gate import Gate
from parapluie_gui.work.job import Job
from parapluie_gui.work.runner import Runner

pytestmark = pytest.mark.usefixtures("home")
N, FIRST, THEN = 12, "pluie.cloze", "pluie.direct.then"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory) -> JudgeSettings:
    return JudgeSettings(str(save_model(tmp_path_factory.mktemp("models") / "tiny")), "cpu", "float32")


def template(name: str) -> tuple[Template, ...]:
    return find_templates([name], load_templates(Path("none"))[0])


def job_of(tiny: JudgeSettings, folder: Path, **sent) -> Job:
    cascade = Cascade(tiny, template("DIRECT")[0], **sent)
    stores = (folder / "scores.sqlite", folder / "session.sqlite")
    pocket = JudgeSettings("pocket", "cpu", "float32")
    job = make_job(N, judge=pocket, templates=template("CLOZE"), stores=stores, metrics=("edit_distance",))
    return changed(job, cascade=cascade)


def run(job: Job) -> tuple[ScoreTable, list[Event]]:
    """Return what the window has after a job, and all that it heard."""
    table, said = ScoreTable(len(job.request.pairs)), []
    Runner(said.append, Gate()).run(job)
    for event in said:
        assert event.job == job.id
        if isinstance(event, ColumnStarted):
            table.declare(event.column, event.signature)
        elif isinstance(event, Batch):
            table.put(event.rows, event.values)
    assert isinstance(said[-1], Finished)
    return table, said


def kept(path: Path) -> set[str]:
    store = ScoreStore(path)
    columns = {signature.column for signature in store.signatures()}
    store.close()
    return columns


def test_the_second_judge_is_asked_what_the_first_is_not_sure_of(tiny, tmp_path):
    job = job_of(tiny, tmp_path, share=0.25)
    table, said = run(job)
    first, then = table[FIRST], table[THEN]
    sent = np.argsort(np.abs(first), kind="stable")[:3]
    assert sorted(np.flatnonzero(~np.isnan(then))) == sorted(sent)
    np.testing.assert_array_equal(table[CASCADE], np.where(np.isnan(then), first, then))
    assert list(decided_by(table)) == ["tiny" if row in sent else "pocket" for row in range(N)]
    assert table.scored(f"{THEN}.p_yes") == 3

    # The same scores as of this judge alone.
    alone = make_job(N, judge=tiny, templates=template("DIRECT"))
    np.testing.assert_allclose(then[sent], run(alone)[0]["pluie.direct"][sent], atol=1e-4)

    # Progress of both, and both loaded, one after the other.
    steps = [
        (each.column, each.column_done, each.pairs, each.step, each.steps)
        for each in said
        if isinstance(each, Progress)
    ]
    assert (FIRST, N, N, 2, 3) in steps and steps[-1] == (THEN, 3, 3, 3, 3)
    assert [each.description.split(":")[0] for each in said if isinstance(each, JudgeLoaded)] == ["pocket", "tiny"]

    # The session has no column of a judge that was asked about a few pairs; the score cache knows its scores.
    cache, session = job.request.stores
    assert kept(session) == {"edit_distance", FIRST, THEN, CASCADE}
    assert kept(cache) == kept(session) | {"pluie.direct"}
    again, said = run(changed(job, id=2))
    assert not any(isinstance(each, JudgeLoaded) for each in said)
    np.testing.assert_array_equal(again[CASCADE], table[CASCADE])

    # Nothing in the band: nobody is loaded, and the first decides.
    none, said = run(changed(job, id=3, cascade=replace(job.request.plan.cascade, share=None, band=(900, 901))))
    assert not any(isinstance(each, JudgeLoaded) for each in said)
    np.testing.assert_array_equal(none[CASCADE], first)
    assert set(decided_by(none)) == {"pocket"}
    assert job.request.plan.cascade.known(table, FIRST) and not job.request.plan.cascade.known(none, FIRST)


def test_what_the_second_judge_knows_alone_is_not_asked_again(tiny, tmp_path):
    job = job_of(tiny, tmp_path, share=1.0)
    run(changed(job, judge=tiny, templates=template("DIRECT"), cascade=None, stores=job.request.stores[:1]))
    table, said = run(changed(job, id=2))
    assert [each.description.split(":")[0] for each in said if isinstance(each, JudgeLoaded)] == ["pocket"]
    assert table.scored(THEN) == N
