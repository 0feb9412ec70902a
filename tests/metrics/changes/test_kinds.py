"""The column of kinds of change: its values, its sets of pairs, and its storage as a score."""

from __future__ import annotations

import numpy as np
from listening import scoring_job

from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.changes import kinds
from parapluie_gui.metrics.changes.types import change_types
from parapluie_gui.work.events import ScoreBatch
from parapluie_gui.work.runner import JobRunner

SOURCES = ["The answer is correct.", "It costs 3 euros.", "Nothing changes.", "He left on Friday."]
HYPOTHESES = ["The answer is not correct.", "It costs 4 euros.", "Nothing changes.", "He left early, on Monday."]


def test_a_pair_has_the_kinds_of_all_its_edits():
    numbers = kinds.ChangeKinds().score(SOURCES, HYPOTHESES)
    texts = kinds.kind_texts(numbers).tolist()
    assert texts[:3] == ["negation", "number", None]
    assert set(texts[3].split(kinds.JOIN)) >= {"time", "addition"}


def test_sets_of_pairs_by_kind_may_overlap():
    members = kinds.kind_members(kinds.ChangeKinds().score(SOURCES, HYPOTHESES))
    assert members["time"].tolist() == [False, False, False, True]
    assert members["addition"].tolist() == [False, False, False, True]
    assert all(mask.any() for mask in members.values())
    assert "spelling" not in members


def test_a_sentence_that_is_too_long_has_no_kinds():
    long = "word " * (kinds.LONGEST_SENTENCE + 1)
    numbers = kinds.ChangeKinds().score([long], ["word"])
    assert np.isnan(numbers[0])
    assert kinds.kind_texts(numbers)[0] is None
    assert kinds.kind_members(numbers) == {}


def test_a_job_stores_kinds_and_reuses_them(tmp_path, monkeypatch):
    events: list = []
    job = scoring_job(
        tuple(SOURCES), tuple(HYPOTHESES), metrics=(kinds.ChangeKinds.info.id,), stores=(tmp_path / "store",)
    )
    JobRunner(events.append).run(job)
    with monkeypatch.context() as nothing_is_computed:
        nothing_is_computed.setattr(kinds, "_kinds_of_pair", lambda *texts: 1 / 0)
        JobRunner(events.append).run(job)
    batches = [event for event in events if isinstance(event, ScoreBatch)]
    values = {
        row: value for batch in batches for row, value in zip(batch.rows, batch.values["change_kinds"], strict=True)
    }
    assert [values[row] for row in range(4)] == kinds.ChangeKinds().score(SOURCES, HYPOTHESES).tolist()
    assert not batches[-1].fresh


def test_kinds_are_not_offered_as_a_metric():
    assert kinds.ChangeKinds.info.id not in [info.id for info in catalogue.metrics()]
    assert catalogue.metric(kinds.ChangeKinds.info.id).info.parallel


def test_the_main_kind_of_a_pair_is_the_most_serious():
    ids = list(change_types())
    assert sorted(kinds.GRAVITY) == sorted(ids)
    numbers = [kinds.kinds_number(names) for names in (["synonym", "negation"], ["spacing"], [])]
    values = kinds.main_kinds(np.array([*numbers, np.nan])).tolist()
    assert values == [ids.index("negation"), ids.index("spacing"), -1, -1]
