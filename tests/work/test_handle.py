"""A request's handle: connected functions are called, and nothing is delivered after giving up."""

from __future__ import annotations

import numpy as np

from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.work import events
from parapluie_gui.work.events import ColumnStarted, JobFailed, JobFinished, JobNotice, ScoreBatch, StageChanged
from parapluie_gui.work.handle import EventHook, RequestHandle

#: Events that the driver does not pass on.
OF_THE_DRIVER = {"Event", "WorkerReady", "Heartbeat", "JobEnding"}


def test_every_event_of_a_request_has_a_hook():
    kinds = {
        kind.__name__ for kind in vars(events).values() if isinstance(kind, type) and issubclass(kind, events.Event)
    }
    handle, delivered = RequestHandle(), list[events.Event]()
    for hook in vars(handle).values():
        if isinstance(hook, EventHook):
            hook.connect(delivered.append)
    for name in kinds - OF_THE_DRIVER:
        handle.deliver(object.__new__(getattr(events, name)))
    assert {type(event).__name__ for event in delivered} == kinds - OF_THE_DRIVER


def test_scores_fill_a_table_and_other_events_go_to_connected_functions():
    notices, stages = [], []
    handle, table = RequestHandle(), ScoreTable(3)
    handle.fill(table)
    handle.noticed.connect(notices.append)
    handle.staged.connect(lambda event: stages.append(event.text))
    signature = Signature.from_fields("bleu", {"name": "bleu"})
    handle.deliver(StageChanged(1, "Loading …"))
    handle.deliver(ColumnStarted(1, "bleu", signature))
    handle.deliver(ScoreBatch(1, np.array([2, 0]), {"bleu": np.array([0.5, 0.25])}))
    handle.deliver(JobNotice(1, "Half the batch."))
    np.testing.assert_array_equal(table["bleu"], [0.25, np.nan, 0.5])
    assert table.signatures == {"bleu": signature}
    assert stages == ["Loading …"] and notices == [JobNotice(1, "Half the batch.")]


def test_a_cancelled_request_reports_its_end_and_an_ignored_request_nothing():
    cancelled, ends = [], []
    for act in (RequestHandle.cancel, RequestHandle.give_up, RequestHandle.ignore):
        handle = RequestHandle(lambda act=act: cancelled.append(act))
        handle.finished.connect(lambda event, act=act: ends.append(act))
        act(handle)
        handle.deliver(JobFinished(1, cancelled=True))
        assert handle.over
        handle.cancel()  # the request has ended, so there is nothing to cancel
    assert cancelled == [RequestHandle.cancel, RequestHandle.give_up] and ends == [RequestHandle.cancel]


def test_a_failure_ends_a_request():
    handle = RequestHandle()
    handle.deliver(JobFailed(1, "The disk is full."))
    assert handle.over
