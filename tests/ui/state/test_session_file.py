"""The session file: opened, saved and written in threads while the window stays responsive."""

from __future__ import annotations

import sqlite3
import threading
import time
from contextlib import closing

import numpy as np
import pytest
from no_worker import NoWorker
from PySide6.QtCore import Qt, QTimer
from waiting import in_time

from parapluie_gui import places
from parapluie_gui.errors import SessionError, UnwritableError
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.evidence import AnswerEvidence
from parapluie_gui.pluie.prompt import PromptFrame
from parapluie_gui.scores.signature import Signature, pair_key
from parapluie_gui.storage import database
from parapluie_gui.storage.session import Session
from parapluie_gui.storage.store import ScoreStore
from parapluie_gui.storage.working_copies import WorkingCopies
from parapluie_gui.ui.state.client import WorkerClient
from parapluie_gui.ui.state.scoring import CorpusScoring
from parapluie_gui.ui.state.session_state import SessionState
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.work.events import JobFailed, ScoreBatch
from parapluie_gui.work.scoring_plan import ScoringPlan

CORPUS = Corpus("three", ["1", "2", "3"], ["a", "b", "c"], ["A", "B", "C"])
BLEU = Signature.from_fields("bleu", {"name": "bleu"})
BLEU_ALONE = ScoringPlan(("bleu",))


class State(SessionState):
    """The session of a window, without the window."""

    def __init__(self, folder) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.failures: list[str] = []
        self.worker = NoWorker()
        self.workspace = CorpusWorkspace()
        self.scoring = CorpusScoring(self.workspace, WorkerClient(self.worker))
        super().__init__(self.workspace, self.scoring, WorkingCopies(folder), self.workspace)
        for part in (self.session, self.queue, self.corpora):
            part.failed.connect(self.failures.append)


@pytest.fixture
def state(qtbot, home):
    state = State(home)
    qtbot.waitUntil(lambda: state.session.copy is not None)
    yield state
    state.close()


@pytest.fixture
def loaded(qtbot, home):
    """The last unsaved session, with a corpus."""
    copies = WorkingCopies(home)
    with Session.from_copy(copies, copies.last_unsaved()) as session:
        session.add_corpus(CORPUS)
    state = State(home)
    state.session.opened.connect(state.corpora.show_last, Qt.ConnectionType.SingleShotConnection)
    qtbot.waitUntil(lambda: state.workspace.corpus is not None)
    yield state
    state.close()


def score(path, row: int, value: float, evidence: str | None = None) -> None:
    """Write a score into a file as a worker does."""
    key = pair_key(CORPUS.source[row], CORPUS.hypothesis[row])
    with ScoreStore(path) as store:
        store.put(BLEU, [key], [value], evidence=None if evidence is None else [evidence])


def scores(path) -> list[float]:
    with Session.open(path, reading=True) as session:
        return session.score_table(1)["bleu"].tolist()


def save(state, qtbot, path) -> None:
    with qtbot.waitSignal(state.session.saved):
        state.session.save_as(path)


@pytest.mark.parametrize("failing", [False, True], ids=["stopped", "failed"])
def test_a_session_saved_during_a_job_receives_the_rest_of_the_job(loaded, qtbot, tmp_path, failing):
    loaded.scoring.start(CORPUS, BLEU_ALONE, loaded.session.stores())
    (job,) = loaded.worker.jobs
    score(job.request.stores[1], 0, 0.25)
    save(loaded, qtbot, tmp_path / "first.pluie")
    score(job.request.stores[1], 1, 0.5)
    save(loaded, qtbot, tmp_path / "second.pluie")
    score(job.request.stores[1], 2, 0.75)
    if failing:
        loaded.worker.received.emit(JobFailed(job.id, "The memory ran out."))
    else:
        loaded.scoring.stop()
    assert loaded.scoring.state == "idle"
    assert loaded.worker.jobs == [job], "nothing is computed again"
    qtbot.waitUntil(lambda: scores(tmp_path / "second.pluie") == [0.25, 0.5, 0.75])
    np.testing.assert_array_equal(scores(tmp_path / "first.pluie"), [0.25, np.nan, np.nan])
    assert loaded.failures == []


def test_scores_are_saved_when_the_window_closes_during_a_job(qtbot, home, tmp_path):
    state = State(home)
    qtbot.waitUntil(lambda: state.session.copy is not None)
    with Session.connect(state.session.copy) as session:
        session.add_corpus(CORPUS)
    state.scoring.start(CORPUS, BLEU_ALONE, state.session.stores())
    (job,) = state.worker.jobs
    save(state, qtbot, tmp_path / "new.pluie")
    score(job.request.stores[1], 2, 0.5)
    state.close()
    np.testing.assert_array_equal(scores(tmp_path / "new.pluie"), [np.nan, np.nan, 0.5])


def test_the_file_is_updated_within_a_second(loaded, qtbot, tmp_path):
    save(loaded, qtbot, tmp_path / "s.pluie")
    loaded.notes.write(0, "typed", "")

    def notes() -> dict[int, str]:
        with Session.open(tmp_path / "s.pluie", reading=True) as session:
            return {row: note.text for row, note in session.notes(1).items()}

    qtbot.waitUntil(lambda: notes() == {0: "typed"}, timeout=4000)


def test_saving_on_request_is_confirmed(loaded, qtbot, tmp_path):
    save(loaded, qtbot, tmp_path / "s.pluie")
    loaded.notes.write(0, "typed", "")
    with qtbot.waitSignal(loaded.session.saved) as told:
        loaded.session.save()
    assert told.args == [tmp_path / "s.pluie", False]
    with Session.open(tmp_path / "s.pluie", reading=True) as session:
        assert session.notes(1)[0].text == "typed"


def changed_elsewhere(path, tmp_path) -> None:
    """Write into a session file as a user on a different computer does."""
    copies = WorkingCopies(tmp_path / "to a different folder")
    with Session.from_copy(copies, copies.open(path)) as session:
        session.set_note(1, 0, "theirs")


def test_a_file_changed_by_another_program_raises_a_question_and_neither_version_is_lost(loaded, qtbot, tmp_path):
    path = tmp_path / "s.pluie"
    save(loaded, qtbot, path)
    stuck, asked, messages = [], [], []
    loaded.session.stuck.connect(stuck.append)
    loaded.session.message.connect(messages.append)
    loaded.session.asked.connect(asked.append)
    changed_elsewhere(path, tmp_path)
    loaded.notes.write(0, "mine", "")
    qtbot.waitUntil(lambda: bool(asked), timeout=4000)
    assert asked == [f"{path} was changed by another program."]
    assert stuck == [f"{path} was changed by another program. Your work is kept, but not in that file."]
    with qtbot.waitSignal(loaded.session.opened):
        loaded.session.open_changed_file()
    assert stuck[-1] == "" and loaded.session.path == path
    assert messages == ["Your version is now in s (recovered).pluie."]
    for name, note in (("s.pluie", "theirs"), ("s (recovered).pluie", "mine")):
        with Session.open(tmp_path / name, reading=True) as session:
            assert session.notes(1)[0].text == note


def test_a_deleted_file_is_written_again_if_the_user_agrees(loaded, qtbot, tmp_path):
    path = tmp_path / "s.pluie"
    save(loaded, qtbot, path)
    path.unlink()
    with qtbot.waitSignal(loaded.session.asked):
        loaded.session.look()
    assert not path.exists()
    with qtbot.waitSignal(loaded.session.saved):
        loaded.session.save(over=True)
    assert path.exists()


def test_a_write_failure_is_reported_until_writing_succeeds(loaded, qtbot, tmp_path, monkeypatch):
    monkeypatch.setattr("parapluie_gui.ui.state.session_file.RETRY_MS", 50)
    loaded.session._retry.setInterval(50)
    stuck, refused = [], []
    loaded.session.stuck.connect(stuck.append)
    with monkeypatch.context() as patch:

        def refuse(self, *arguments) -> None:
            refused.append(arguments)
            raise UnwritableError("The disk is full. Make room and try again.")

        patch.setattr(Session, "set_note", refuse)
        loaded.notes.write(0, "first", "")
        loaded.notes.write(0, "second", "")
        qtbot.waitUntil(lambda: bool(stuck) and len(refused) >= 4)
        assert stuck == ["The note could not be written: The disk is full. Make room and try again."]
    qtbot.waitUntil(lambda: stuck[-1] == "")
    with Session.connect(loaded.session.flush_changes()) as session:
        assert session.notes(1)[0].text == "second", "in their original order"
    assert loaded.failures == []


def test_the_last_unsaved_session_is_opened_in_a_thread(qtbot, home, monkeypatch):
    opened_in = []
    opening = database.Database._prepare

    def prepare(self, *arguments) -> None:
        opened_in.append(threading.current_thread())
        opening(self, *arguments)

    monkeypatch.setattr(database.Database, "_prepare", prepare)
    state = State(home)
    qtbot.waitUntil(lambda: state.session.copy is not None)
    assert opened_in and threading.main_thread() not in opened_in
    state.close()


def test_a_locked_file_does_not_block_the_window(loaded, qtbot):
    ticks: list[float] = []
    timer = QTimer(interval=10)
    timer.timeout.connect(lambda: ticks.append(time.monotonic()))
    path = loaded.session.copy
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        timer.start()
        loaded.notes.write(1, "typed meanwhile", "same_meaning")
        loaded.sets.keep("two", np.array([0, 2]))
        loaded.settings.keep_view(loaded.corpora.number, {"x": "bleu"})
        loaded.settings.keep_bench([{"source": "s"}])
        assert loaded.evidence.evidence("bleu", 0) is None
        qtbot.wait(1500)
        timer.stop()
        other.execute("ROLLBACK")
    assert max(np.diff(ticks)) < in_time(0.5), "the event loop kept running"
    assert loaded.notes.note_and_verdict(1) == ("typed meanwhile", "same_meaning")
    loaded.session.flush_changes()
    with Session.connect(path) as session:
        assert session.notes(1)[1].text == "typed meanwhile"
        assert session.selections(1)["two"].tolist() == [0, 2]
        assert session.settings()["view.1"] == {"x": "bleu"}
        assert session.bench() == [{"source": "s"}]
    assert loaded.failures == []


def test_a_write_failure_is_reported(loaded, qtbot, monkeypatch):
    def refuse(self, *arguments) -> None:
        raise SessionError("The disk is full. Make room and try again.")

    monkeypatch.setattr(Session, "set_note", refuse)
    loaded.notes.write(0, "lost", "")
    qtbot.waitUntil(lambda: bool(loaded.failures))
    assert loaded.failures == ["The note could not be written: The disk is full. Make room and try again."]


def test_a_failure_while_the_window_closes_is_printed_in_the_terminal(qtbot, home, monkeypatch, capsys):
    def refuse(self, *arguments) -> None:
        raise SessionError("The disk is full.")

    state = State(home)
    qtbot.waitUntil(lambda: state.session.copy is not None)
    monkeypatch.setattr(Session, "set_bench", refuse)
    state.settings.keep_bench([{"source": "s"}])
    state.close()
    assert "The disk is full." in capsys.readouterr().err


def test_a_note_is_not_written_into_a_different_session(loaded, qtbot, tmp_path):
    with Session.open(tmp_path / "other.pluie", create=True) as other:
        other.add_corpus(CORPUS)
    with qtbot.waitSignal(loaded.session.opened):
        loaded.session.open(tmp_path / "other.pluie")
    # As at the moment when the new session is open and the window has not been notified yet.
    loaded.session.generation -= 1
    loaded.session.write(lambda session: session.set_note(1, 0, "of the old one"), "Lost: {0}")
    loaded.session.generation += 1
    qtbot.waitUntil(lambda: bool(loaded.failures))
    assert loaded.failures == ["Lost: The session has been closed."]
    with Session.open(tmp_path / "other.pluie", reading=True) as session:
        assert session.notes(1) == {}


def test_typed_text_is_written_before_a_different_corpus_is_shown(loaded, qtbot):
    def write() -> None:
        loaded.notes.write(2, "of the first", "")

    loaded.notes.leaving.connect(write, Qt.ConnectionType.SingleShotConnection)
    loaded.corpora.open_demo()
    qtbot.waitUntil(lambda: loaded.corpora.number == 2)
    with Session.connect(loaded.session.flush_changes()) as session:
        assert session.notes(1)[2].text == "of the first" and session.notes(2) == {}


def test_a_session_that_cannot_be_opened_leaves_the_current_session(loaded, qtbot, tmp_path):
    path, corpus = loaded.session.copy, loaded.workspace.corpus
    loaded.session.open(tmp_path / "missing.pluie")
    qtbot.waitUntil(lambda: bool(loaded.failures))
    assert "missing.pluie" in loaded.failures[0]
    assert (loaded.session.copy, loaded.workspace.corpus) == (path, corpus)
    loaded.notes.write(0, "still kept", "")
    loaded.session.flush_changes()
    with Session.connect(path) as session:
        assert session.notes(1)[0].text == "still kept"


def test_a_damaged_unsaved_session_is_reported_and_put_aside(qtbot, home):
    (home / "sessions").mkdir(parents=True)
    (home / "sessions" / "1.sqlite").write_bytes(b"no database at all, but long enough to be looked at" * 20)
    state = State(home)
    messages = []
    state.session.message.connect(messages.append)
    qtbot.waitUntil(lambda: bool(messages))
    aside = home / "sessions" / "1.sqlite.damaged-1"
    assert messages == [f"The unsaved session is damaged. Nothing in it can be read. The damaged file is now {aside}."]
    assert aside.exists() and state.session.copy is not None
    state.close()


def test_a_damaged_score_cache_does_not_affect_the_session(qtbot, home):
    home.mkdir(parents=True)
    places.score_cache().write_bytes(b"no database at all, but long enough to be looked at" * 20)
    state = State(home)
    qtbot.waitUntil(lambda: not state.queue.busy)
    assert state.session.copy is not None
    assert state.failures == []
    state.close()


def test_evidence_is_read_from_the_cache_and_from_the_session(loaded, qtbot):
    key = pair_key("a", "A")
    evidence = AnswerEvidence(0.75, 0.125, tokens=3)
    loaded.workspace.declare("bleu", BLEU)
    assert loaded.evidence.evidence("bleu", 0) is None
    score(loaded.session.copy, 0, 1.5, evidence.to_json())
    assert loaded.evidence.evidence("bleu", 0) == evidence
    other = AnswerEvidence(0.5, 0.25, tokens=4)
    with ScoreStore(places.score_cache()) as cache:
        cache.put(BLEU, [key], [1.5], evidence=[other.to_json()])
    assert loaded.evidence.evidence("bleu", 0) == other, "the cache has the newest evidence"
    assert loaded.evidence.prompt("bleu", 0) is None


def test_the_prompt_contains_the_sampled_examples(loaded):
    evidence = AnswerEvidence(0.75, 0.125, tokens=3, examples="One example.\n")
    loaded.workspace.declare("bleu", BLEU)
    score(loaded.session.copy, 0, 1.5, evidence.to_json())
    with ScoreStore(loaded.session.copy) as store:
        store.put_frame(BLEU, PromptFrame("\ue004Now: \ue000, \ue001?").to_json())
    assert loaded.evidence.prompt("bleu", 0) == "One example.\nNow: a, A?"


def test_scores_of_a_different_session_with_the_same_number_are_not_shown(loaded, qtbot, tmp_path):
    with Session.open(tmp_path / "other.pluie", create=True) as other:
        other.add_corpus(CORPUS)
    loaded.scoring.start(CORPUS, BLEU_ALONE, loaded.session.stores())
    before = loaded.workspace.key
    loaded.session.open(tmp_path / "other.pluie", loaded.corpora.show_last)
    qtbot.waitUntil(lambda: loaded.workspace.key not in (before, None))
    assert loaded.corpora.number == 1
    loaded.worker.received.emit(ScoreBatch(loaded.worker.jobs[0].id, np.array([0]), {"bleu": np.array([0.5])}))
    assert "bleu" not in loaded.workspace.table
