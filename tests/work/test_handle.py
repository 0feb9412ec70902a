"""A request's handle: who is connected hears, and what was given up is silent."""

from __future__ import annotations

import numpy as np

from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.work import events
from parapluie_gui.work.events import Batch, ColumnStarted, Failed, Finished, Notice, StageChanged
from parapluie_gui.work.handle import Handle

#: What the driver keeps to itself.
OF_THE_WORKER = {"Event", "Ready", "Heartbeat", "Ending"}


def test_whatever_is_said_of_a_request_has_a_place_where_it_is_heard():
    kinds = {
        each.__name__ for each in vars(events).values() if isinstance(each, type) and issubclass(each, events.Event)
    }
    heard: list[events.Event] = []
    handle = Handle(otherwise=heard.append)
    for name in kinds - OF_THE_WORKER:
        kind = getattr(events, name)
        handle.deliver(object.__new__(kind))
    assert {type(event).__name__ for event in heard} == kinds - OF_THE_WORKER


def test_scores_fill_a_table_and_the_rest_goes_to_who_is_connected():
    rest, stages = [], []
    handle, table = Handle(otherwise=rest.append), ScoreTable(3)
    handle.fill(table)
    handle.staged.connect(lambda event: stages.append(event.text))
    signature = Signature.of("bleu", {"name": "bleu"})
    handle.deliver(StageChanged(1, "Loading …"))
    handle.deliver(ColumnStarted(1, "bleu", signature))
    handle.deliver(Batch(1, np.array([2, 0]), {"bleu": np.array([0.5, 0.25])}))
    handle.deliver(Notice(1, "Half the batch."))
    np.testing.assert_array_equal(table["bleu"], [0.25, np.nan, 0.5])
    assert (
        table.signatures == {"bleu": signature} and stages == ["Loading …"] and rest == [Notice(1, "Half the batch.")]
    )


def test_a_cancelled_request_says_its_end_and_one_that_was_given_up_nothing():
    cancelled, ends = [], []
    for act in (Handle.cancel, Handle.give_up, Handle.ignore):
        handle = Handle(lambda act=act: cancelled.append(act))
        handle.finished.connect(lambda event, act=act: ends.append(act))
        act(handle)
        handle.deliver(Finished(1, cancelled=True))
        assert handle.over
        handle.cancel()  # it has ended: there is nothing to cancel
    assert cancelled == [Handle.cancel, Handle.give_up] and ends == [Handle.cancel]


def test_a_failure_is_an_end():
    handle = Handle()
    handle.deliver(Failed(1, "The disk is full."))
    assert handle.over
