"""Speed and remaining time, measured with a simulated clock."""

from __future__ import annotations

import pytest

from parapluie_gui.work.meter import EVERY, SPAN, ProgressMeter


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_rate_and_remaining_time_are_estimated(clock):
    meter = ProgressMeter(100, clock)
    meter.begin()
    clock.now += 2
    progress = meter.count(7, 10, "pluie.direct", fresh=True)
    assert (progress.job, progress.done, progress.total, progress.column) == (7, 10, 100, "pluie.direct")
    assert progress.rate == pytest.approx(5)
    assert progress.remaining == pytest.approx(18)


def test_stored_scores_count_as_done_but_not_towards_the_speed(clock):
    meter = ProgressMeter(100, clock)
    clock.now += 1
    progress = meter.count(1, 50, "a", fresh=False)
    assert (progress.done, progress.rate, progress.remaining) == (50, 0, None)
    clock.now += 1
    assert meter.count(1, 10, "a", fresh=True).rate == pytest.approx(5)


def test_reports_are_throttled_except_the_last(clock):
    meter = ProgressMeter(1000, clock)
    reports = []
    for _ in range(100):
        clock.now += EVERY / 10
        reports.append(meter.count(1, 10, "a", fresh=True))
    given = [report for report in reports if report]
    assert 10 <= len(given) <= 12
    assert reports[-1].done == 1000
    assert reports[-1].remaining == 0


def test_the_rate_covers_only_the_last_seconds(clock):
    meter = ProgressMeter(100_000, clock)
    for _ in range(60):
        clock.now += 1
        meter.count(1, 1, "a", fresh=True)
    for _ in range(int(SPAN) + 2):
        clock.now += 1
        progress = meter.count(1, 100, "a", fresh=True)
    assert progress.rate == pytest.approx(100, rel=0.02)


def test_loading_a_model_does_not_lower_the_rate(clock):
    meter = ProgressMeter(100, clock)
    clock.now += 300
    meter.begin()
    clock.now += 1
    assert meter.count(1, 10, "a", fresh=True).rate == pytest.approx(10)


def test_a_metrics_speed_does_not_predict_a_following_model(clock):
    meter = ProgressMeter(200, clock)
    meter.begin(typical=False)
    clock.now += 1
    progress = meter.count(1, 100, "bleu", fresh=True)
    assert progress.rate == pytest.approx(100)
    assert progress.remaining is None
    meter.begin()
    clock.now += 10
    assert meter.count(1, 10, "pluie.direct", fresh=True).remaining == pytest.approx(90)


def test_pairs_are_counted_by_the_current_score(clock):
    meter = ProgressMeter(300, clock, pairs=100)
    meter.count(1, 100, "edit_distance", fresh=True)
    meter.count(1, 20, "pluie.direct", fresh=False)
    clock.now += 1
    progress = meter.count(1, 30, "bleu", fresh=True)
    assert (progress.column_done, progress.pairs, progress.step, progress.steps) == (30, 100, 2, 3)
    clock.now += 1
    progress = meter.count(1, 70, "bleu", fresh=True)
    clock.now += 1
    progress = meter.count(1, 1, "pluie.direct", fresh=True)
    assert (progress.column_done, progress.step) == (21, 3)


def test_empty_jobs_have_no_rate(clock):
    progress = ProgressMeter(0, clock).count(1, 0, "a", fresh=True)
    assert (progress.done, progress.rate, progress.remaining) == (0, 0, None)
