"""A fetch runs in a process of its own and says how it goes; here it is the real command."""

from __future__ import annotations

import pytest

from parapluie_gui.ui.setup.model_download import ModelDownload


@pytest.fixture
def download(qtbot):
    download = ModelDownload()
    yield download
    download.stop(wait=True)


def test_progress_and_the_end_are_heard(download, qtbot):
    steps: list[tuple[int, str]] = []
    download.progressed.connect(lambda percent, text: steps.append((percent, text)))
    with qtbot.waitSignal(download.ended, timeout=60_000) as ended:
        download.start("pocket")
        assert download.running
    assert ended.args == [""]
    assert len(steps) == 1 and steps[0][0] == 100 and steps[0][1].startswith("pocket is part of the program")


def test_why_it_failed_is_heard_as_one_sentence(download, qtbot, home):
    home.mkdir(parents=True)
    (home / "models").write_text("a file where the folder of the models is to be")
    with qtbot.waitSignal(download.ended, timeout=60_000) as ended:
        download.start("smollm2-135m")
    (error,) = ended.args
    assert error.startswith(str(home / "models")) and "\n" not in error and error.endswith("that you may use it.")


def test_a_process_that_dies_says_what_to_do(download, qtbot, monkeypatch):
    monkeypatch.setattr("sys.executable", "/bin/false")
    with qtbot.waitSignal(download.ended, timeout=60_000) as ended:
        download.start("pocket")
    assert "Try again" in ended.args[0]


def test_what_is_stopped_says_nothing_more(download, qtbot):
    ended: list[str] = []
    download.ended.connect(ended.append)
    download.start("pocket")
    download.stop(wait=True)
    assert not download.running and ended == []
