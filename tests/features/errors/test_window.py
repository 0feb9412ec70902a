"""Explanations of the errors of a score, in the window."""

from __future__ import annotations

import fake_workers
import numpy as np
import two_judges

from parapluie_gui.features.errors.page import ErrorsPage, ErrorsRequest


def test_errors_of_both_of_two_judges_are_explained(open_window, qtbot, tmp_path):
    window = open_window(fake_workers.light)
    two_judges.choose(window, tmp_path)
    two_judges.score_with_both(window, qtbot)
    window.tabs.show_named("errors")
    page, explaining, effects = window.analysis.page_of(ErrorsPage), window.features["errors"].experiment, []
    for column in (two_judges.FIRST, two_judges.SECOND):
        request = ErrorsRequest(window.workspace.judged_corpus, np.arange(3), column, 0.0)
        with qtbot.waitSignal(explaining.done, timeout=60_000) as done:
            page.wanted.emit(request)
        qtbot.waitUntil(lambda: not explaining.busy)
        effects.append(done.args[0].kind_effects)
    assert effects[0] and [each.kind for each in effects[0]] == [each.kind for each in effects[1]]
    page.wanted.emit(ErrorsRequest(window.workspace.judged_corpus, np.arange(3), "gpt4", 0.0))
    assert "not chosen in Setup" in page.stage.full_text
