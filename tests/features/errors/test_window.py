"""What decided the errors of a score, in the whole window."""

from __future__ import annotations

import fake_workers
import numpy as np
import two_judges

from parapluie_gui.features.errors.page import ErrorsPage, ErrorsWanted


def test_the_errors_of_each_of_two_judges_are_explained(open_window, qtbot, tmp_path):
    window = open_window(fake_workers.light)
    two_judges.choose(window, tmp_path)
    two_judges.scored(window, qtbot)
    window.tabs.show_named("errors")
    page, explaining, blames = window.analysis.page_of(ErrorsPage), window.features["errors"].experiment, []
    for column in (two_judges.FIRST, two_judges.SECOND):
        wanted = ErrorsWanted(window.workspace.judged, np.arange(3), column, 0.0)
        with qtbot.waitSignal(explaining.done, timeout=60_000) as done:
            page.wanted.emit(wanted)
        qtbot.waitUntil(lambda: not explaining.busy)
        blames.append(done.args[0].blame)
    assert blames[0] and [each.kind for each in blames[0]] == [each.kind for each in blames[1]]
    page.wanted.emit(ErrorsWanted(window.workspace.judged, np.arange(3), "gpt4", 0.0))
    assert "not chosen in Setup" in page.stage.full_text
