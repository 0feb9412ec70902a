"""A job that compares all pairs with one pair: vectors of the pocket judge's encoder, kept in the store."""

from __future__ import annotations

import pytest

from parapluie_gui.features.alike.request import CompareWithOne, PairsCompared
from parapluie_gui.features.alike.vectors import PairEncoder
from parapluie_gui.work.events import JobFinished, JobProgress
from parapluie_gui.work.gate import JobCancelled, WorkGate
from parapluie_gui.work.job import Job
from parapluie_gui.work.request import PairTexts
from parapluie_gui.work.runner import JobRunner

SOURCES = ("Shares fell 3 percent.", "He likes cats.", "The stock rose 4 percent.", "Rain is expected.")
HYPOTHESES = ("The share lost 3 percent.", "He is fond of cats.", "The stock gained 4 percent.", "It may \ud800 rain.")


def run(store, gate=None) -> list:
    heard: list = []
    JobRunner(heard.append, gate or WorkGate()).run(Job(1, CompareWithOne(PairTexts(SOURCES, HYPOTHESES), 0, (store,))))
    return heard


def test_similar_pairs_are_found_and_their_vectors_are_computed_once(tmp_path, monkeypatch):
    first = run(tmp_path / "cache.sqlite")
    (result,) = [event for event in first if isinstance(event, PairsCompared)]
    values = result.likeness
    assert len(values) == 4 and values[0] == pytest.approx(1)
    assert values[1:].argmax() + 1 == 2
    assert [event.done for event in first if isinstance(event, JobProgress)] == [4]
    monkeypatch.setattr(PairEncoder, "load", None)
    (again,) = [event for event in run(tmp_path / "cache.sqlite") if isinstance(event, PairsCompared)]
    assert again.likeness.tolist() == values.tolist()


def test_the_job_can_be_cancelled(tmp_path, monkeypatch):
    def refuse(self, sources, hypotheses, check):
        raise JobCancelled

    monkeypatch.setattr(PairEncoder, "encode", refuse)
    last = run(tmp_path / "cache.sqlite")[-1]
    assert isinstance(last, JobFinished) and last.cancelled
