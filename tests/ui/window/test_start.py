"""The window starts whatever its files contain: unusable values are put aside or left out, and reported in one line."""

from __future__ import annotations

import json
import math
import os
import random

import pytest
from finding import find_part
from PySide6.QtCore import QByteArray, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QToolButton

from parapluie_gui import places
from parapluie_gui.models.kind import CAUSAL, MASKED
from parapluie_gui.pairs import open_text
from parapluie_gui.storage.session import Session
from parapluie_gui.storage.working_copies import WorkingCopies
from parapluie_gui.ui.setup.model_box import ModelChoice
from parapluie_gui.ui.state.driver import WorkerDriver
from parapluie_gui.ui.state.preferences import UserPreferences
from parapluie_gui.ui.window.window_state import WindowState

PAIRS = "source\thypothesis\tlabel\na cat\tone cat\t1\na cat\ta dog\t0\n"

#: JSON values that are read differently, under every name that the window and a session use; `test_stored_values` has
#: more numbers and the empty values.
ODD = [None, True, 2**70, 0.5, math.nan, "word", "\udcff", "\0", [], [[], 3, "a"], {"a": []}]


@pytest.fixture
def start(open_window, qtbot):
    """Return a function that opens the window at startup and shows the last corpus of the session."""

    def begin():
        window = open_window()
        window.state.corpora.show_last()
        qtbot.waitUntil(lambda: not window.state.queue.busy, timeout=10_000)
        return window

    return begin


def keep_session(corpora=1, **settings):
    """Write an unsaved session with corpora and these settings; "bench" is the Bench's history."""
    copies = WorkingCopies(places.user_data())
    with Session.from_copy(copies, copies.new()) as session:
        for _ in range(corpora):
            session.add_corpus(open_text(PAIRS).read())
        session.set_bench(settings.pop("bench", []))
        for key, value in settings.items():
            session.set_setting(key.replace("__", "."), value)


def keep_settings(**values):
    (places.user_data() / "window.json").write_text(json.dumps({"version": 1, **values}))


@pytest.mark.parametrize("value", ODD, ids=lambda value: repr(value)[:20])
def test_settings_of_a_session_and_of_the_window_may_have_any_content(start, qtbot, value):
    """The first corpus has unusual values in its view, the second an unusual view."""
    view = dict.fromkeys(("x", "y", "threshold", "filter", "primary"), value)
    bench = [value, {"source": "a", "hypothesis": value, "values": {"bleu": value}}]
    keep_session(corpora=2, metrics=value, view__1=view, view__2=value, files__1=value, bench=bench, what=value)
    setup = {"judge": dict.fromkeys(("model", "device", "precision", "exact"), value), "templates": {"DIRECT": value}}
    shape = {"geometry": value, "panels": {"scatter": value}, "checksum": value}
    table, filters = {"columns": value}, {"history": value}
    keep_settings(setup=setup, table=table, filter=filters, recent=value, theme=value, arrangement=shape)
    window = start()
    window.files.recent_files()
    of_window, of_session, *of_second = window.banner.text.split("\n")
    assert "window.json.damaged-1" in of_window and "bench 1" in of_session
    assert window.workspace.corpus is not None
    assert all("view.2" in line for line in of_second) and len(of_second) <= 1
    window.state.corpora.show_corpus(0)
    qtbot.waitUntil(lambda: window.state.corpora.number == 1 and not window.state.queue.busy, timeout=10_000)
    of_first = window.banner.text.split("\n")[2 + len(of_second) :]
    assert all("view.1" in line for line in of_first) and len(of_first) <= 1
    assert window.workspace.selection.primary == 0
    assert window.state.corpora.files() is not None
    window.close()
    assert UserPreferences().troubles == []


def test_values_left_out_of_a_session_are_named_once_and_the_rest_is_used(start):
    good = {"source": "a", "hypothesis": "b", "values": {"bleu": 0.25}}
    keep_session(
        metrics=["chrf", "nonsense,", "magic:3", "external,closer=sideways:a", 4],
        view__1={"x": "length", "y": "edit_distance", "threshold": "high", "primary": 1},
        bench=[good, [], good],
    )
    window = start()
    assert list(window.setup.plan.metrics) == ["edit_distance", "chrf"]
    assert window.workspace.x == "length"
    assert window.workspace.selection.primary == 1
    assert len(window.bench.history) == 2
    text = window.banner.text
    named = ("metrics", "metrics: nonsense,", "metrics: magic:3", "sideways", "bench 2", "view.1.threshold")
    assert all(text.count(name) >= 1 for name in named), text
    assert "bench 1" not in text and "bench 3" not in text


@pytest.mark.parametrize("values", [(True, math.nan, "\udcff", [[]]), [{"a": []}] * 4], ids=["no objects", "objects"])
def test_every_part_of_the_settings_may_have_any_content(start, values):
    parts = ("setup", "table", "filter", "arrangement")
    keep_settings(**dict(zip(parts, values, strict=True)))
    text = start().banner.text
    assert "window.json.damaged-1" in text
    assert isinstance(values[0], dict) or all(part in text for part in parts), text


def test_damaged_settings_and_a_damaged_template_do_not_prevent_the_start(start):
    (places.user_data() / "window.json").write_text("[" * 100_000)
    places.user_templates().mkdir()
    (places.user_templates() / "x.toml").write_text("a = " + "[" * 20_000)
    keep_session()
    window = start()
    assert window.workspace.corpus is not None
    assert "window.json.damaged-1" in window.banner.text, "still present when the last corpus is shown"


def test_a_warning_stays_with_later_messages_until_it_is_closed(start, qtbot):
    (places.user_data() / "window.json").write_text("?")
    window = start()
    warning = window.banner.text
    window.banner.tell("Done.")
    assert window.banner.text == f"{warning}\nDone."
    window.banner.clear()
    assert window.banner.text == warning and window.banner.isVisible()
    close = find_part(window.banner, QToolButton, "Close this message")
    qtbot.mouseClick(close, Qt.MouseButton.LeftButton)
    assert window.banner.text == "" and not window.banner.isVisible()


def test_a_file_with_a_name_that_is_not_utf_8_is_opened_shown_and_remembered(start, qtbot, tmp_path):
    path = tmp_path / os.fsdecode(b"bad\xff.tsv")
    try:
        path.write_text(PAIRS)
    except (OSError, UnicodeError):
        pytest.skip("this file system takes no such names")
    window = start()
    window.files.open_paths([path])
    qtbot.waitUntil(lambda: window.workspace.corpus is not None, timeout=10_000)
    assert window.workspace.corpus.name == "bad\ufffd"
    window.close()
    window = start()
    assert window.workspace.corpus.name == "bad\ufffd"
    ((name, open_it),) = window.files.recent_files()
    assert name.endswith("bad\ufffd.tsv")
    window.files.remove_corpus()
    open_it()
    qtbot.waitUntil(lambda: window.workspace.corpus is not None, timeout=10_000)


class Panels:
    """The panels of a window with one tab."""

    def __init__(self, window):
        self.window = window

    def states(self):
        return {"scatter": self.window.saveState()}

    def usual(self):
        return ["scatter"]

    def restore(self, states, usual):
        assert self.window.restoreState(states["scatter"]) and usual == ["scatter"]


def test_an_arrangement_with_a_changed_byte_is_not_given_to_qt(qtbot, tmp_path):
    """It crashes Qt; see tests/faults."""

    def make(kept):
        window = QMainWindow()
        qtbot.addWidget(window)
        dock = QDockWidget("dock", window)
        dock.setObjectName("dock")
        window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
        return WindowState(window, Panels(window), kept, {})

    path = tmp_path / "window.json"
    make(UserPreferences(path)).keep("dark")
    good = path.read_text()
    draw = random.Random(7)
    for _ in range(200):
        damaged = json.loads(good)
        kept = damaged["arrangement"]
        where, key = draw.choice(((kept, "geometry"), (kept["panels"], "scatter")))
        data = bytearray(QByteArray.fromBase64(where[key].encode()).data())
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        where[key] = bytes(QByteArray(bytes(data)).toBase64().data()).decode()
        path.write_text(json.dumps(damaged))
        preferences = UserPreferences(path)
        make(preferences).restore()
        assert "arrangement" in preferences.troubles[0]
    path.write_text(good)
    preferences = UserPreferences(path)
    make(preferences).restore()
    assert preferences.troubles == []


def test_pytorch_is_loaded_ahead_only_for_a_language_model(start, monkeypatch):
    asked = []
    monkeypatch.setattr(WorkerDriver, "warm", lambda self, *, libraries=False: asked.append(libraries))
    keep_session()
    window = start()
    assert window.setup.judge.name == "pocket" and asked and not any(asked)
    window.setup.set_models([ModelChoice("chat", "Chat", kind=CAUSAL), ModelChoice("gaps", "Gaps", kind=MASKED)])
    window.setup.judge.set_model("gaps")
    assert not any(asked)
    window.setup.judge.set_model("chat")
    assert asked[-1], "its templates have no scores yet"
