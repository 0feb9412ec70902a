"""Sharing in the window: the dialog, the page, and the link to it in the report."""

from __future__ import annotations

import fake_workers
import pytest
from waiting import at_rest

from parapluie_gui.features.share.dialog import ShareChoice, ShareDialog
from parapluie_gui.features.talks.talk import SETTING, Talk, TalkPair


def corpus_file(folder):
    """Write 40 pairs, every other one a paraphrase."""
    path = folder / "one.csv"
    pairs = (f"the cat sleeps {n},the dog sleeps {n % 7} {n},{n % 2}" for n in range(40))
    path.write_text("\n".join(("source,hypothesis,label", *pairs)), encoding="utf-8")
    return path


@pytest.fixture
def window(open_window, qtbot, tmp_path):
    window = open_window(fake_workers.light, setup={"templates": {"DIRECT": False, "CLOZE": False}})
    with qtbot.waitSignal(window.state.corpora.corpora_changed, timeout=10_000):
        window.files.open_paths([corpus_file(tmp_path)])
    with qtbot.waitSignal(window.scoring.ended, timeout=60_000):
        window.run()
    qtbot.waitUntil(lambda: at_rest(window.workspace))
    return window


def test_pairs_are_shared_as_a_page_after_the_licence_is_chosen(window, qtbot, tmp_path):
    window.features["share"].ask()
    qtbot.waitUntil(lambda: window.findChild(ShareDialog) is not None)
    dialog = window.findChild(ShareDialog)
    assert not dialog.button.isEnabled() and not dialog.people.isVisible() and not dialog.talk.isVisible()
    dialog.licence.setText("CC0")
    dialog.included.setChecked(True)
    assert dialog.button.isEnabled() and dialog.choice() == ShareChoice("CC0", False, False)
    dialog.left_out.setChecked(True)
    assert dialog.choice().licence == ""
    dialog.reject()
    with qtbot.waitSignal(window.features["share"].written, timeout=20_000):
        window.features["share"].write(tmp_path / "page.html", ShareChoice("CC0", False, True))
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "40 pairs of one" in text and 'id="part-sentences"' in text and "<summary>Thresholds</summary>" in text
    qtbot.waitUntil(lambda: window.status.text == "")
    with qtbot.waitSignal(window.reporter.written, timeout=20_000):
        window.reporter.write(tmp_path / "report.html")
    assert 'href="page.html"' in (tmp_path / "report.html").read_text(encoding="utf-8")
    qtbot.waitUntil(lambda: window.status.text == "")


def test_a_page_is_shared_with_the_talk_of_its_pairs(window, qtbot, tmp_path):
    corpus = window.workspace.corpus
    pair = TalkPair(corpus.source[3], corpus.hypothesis[3], note="only for me")
    window.state.settings.keep(SETTING, Talk("Cats", (pair,)).as_dict())
    window.features["share"].ask()
    qtbot.waitUntil(lambda: window.findChild(ShareDialog) is not None)
    dialog = window.findChild(ShareDialog)
    dialog.licence.setText("CC0")
    dialog.included.setChecked(True)
    assert dialog.talk.isVisible() and "Cats" in dialog.talk.text()
    dialog.talk.setChecked(True)
    choice = dialog.choice()
    dialog.left_out.setChecked(True)
    assert choice.talk and not dialog.talk.isEnabled() and not dialog.choice().talk
    dialog.reject()
    with qtbot.waitSignal(window.features["share"].written, timeout=20_000):
        window.features["share"].write(tmp_path / "page.html", choice)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert '"talk":{"title":"Cats","pairs":[{"row":3,' in text and "only for me" not in text
    qtbot.waitUntil(lambda: window.status.text == "")
