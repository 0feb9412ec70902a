"""A download runs in its own process and reports progress; these tests run the real command."""

from __future__ import annotations

import pytest

from parapluie_gui.ui.setup.model_download import ModelDownload


@pytest.fixture
def download(qtbot):
    download = ModelDownload()
    yield download
    download.stop(wait=True)


def test_progress_and_completion_are_reported(download, qtbot):
    steps: list[tuple[int, str]] = []
    download.progressed.connect(lambda percent, text: steps.append((percent, text)))
    with qtbot.waitSignal(download.ended, timeout=60_000) as ended:
        download.start("pocket")
        assert download.running
    assert ended.args == [""]
    assert len(steps) == 1 and steps[0][0] == 100 and steps[0][1].startswith("pocket is part of the program")


def test_a_failure_is_reported_as_one_sentence(download, qtbot, home):
    home.mkdir(parents=True)
    (home / "models").write_text("a file where the folder of the models is to be")
    with qtbot.waitSignal(download.ended, timeout=60_000) as ended:
        download.start("smollm2-135m")
    (error,) = ended.args
    assert (
        error.startswith(str(home / "models"))
        and "\n" not in error
        and error.endswith("that you have permission to use it.")
    )


def test_a_crashed_download_process_says_what_to_do(download, qtbot, monkeypatch):
    monkeypatch.setattr("sys.executable", "/bin/false")
    with qtbot.waitSignal(download.ended, timeout=60_000) as ended:
        download.start("pocket")
    assert "Try again" in ended.args[0]


def test_a_stopped_download_reports_nothing_more(download, qtbot):
    ended: list[str] = []
    download.ended.connect(ended.append)
    download.start("pocket")
    download.stop(wait=True)
    assert not download.running and ended == []
