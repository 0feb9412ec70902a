"""Session files are self-contained: dialogs, copies, other windows and damage to the disk lose nothing."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from damage import BLEU, content, corpus, damage, fill

from parapluie_gui import places
from parapluie_gui.errors import DocumentError, ParapluieError, SessionError
from parapluie_gui.scores.signature import pair_key
from parapluie_gui.storage.session import Session
from parapluie_gui.storage.store import ScoreStore
from parapluie_gui.storage.working_copies import WorkingCopies


@pytest.fixture
def path(tmp_path) -> Path:
    with Session.open(tmp_path / "s.pluie", create=True) as session:
        fill(session)
    return tmp_path / "s.pluie"


def read(path: Path) -> dict[str, object]:
    with Session.open(path, reading=True) as session:
        return content(session)


IN_A_PROCESS = """
import sys
from pathlib import Path
from parapluie_gui.storage.session import Session
with Session.open(Path(sys.argv[1]), reading=sys.argv[2] == "reading") as session:
    session.corpora() if sys.argv[2] == "reading" else session.set_note(1, 0, "from elsewhere")
"""


def in_a_process(path: Path, how: str, home: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PARAPLUIE_HOME": str(home)}
    return subprocess.run(
        [sys.executable, "-c", IN_A_PROCESS, str(path), how],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_file_dialogs_and_other_programs_do_no_harm(path, home):
    """A file dialog once destroyed sessions: closing a descriptor drops all locks of this process on the file."""
    with Session.open(path) as session:
        for file in (path, session.path):
            file.open("rb").close()
        assert in_a_process(path, "reading", home).returncode == 0
        with ScoreStore(session.path) as worker:  # as the worker does when a run ends
            worker.put(BLEU, [pair_key("new", "one")], [0.5])
        session.set_note(1, 0, "after that")
        session.save()
        assert session.notes(1)[0].text == "after that"
    with Session.open(path) as again:
        assert again.notes(1)[0].text == "after that" and again.notices == []


def test_a_copy_taken_at_any_moment_opens(path, tmp_path):
    with Session.open(path) as session:
        for number in range(20):
            session.set_note(1, 0, f"note {number}")
            session.save()
            shutil.copyfile(path, tmp_path / "copy.pluie")
            with Session.open(tmp_path / "copy.pluie", reading=True) as copy:
                assert copy.notes(1)[0].text == f"note {number}"
    assert not [each for each in path.parent.glob("*") if each.name.endswith(("-wal", "-shm", "-journal", ".part"))]


def test_each_opening_keeps_the_previous_version(path):
    first = read(path)
    with Session.open(path) as session:
        for number in range(3):
            session.set_note(1, 0, f"second time {number}")
            session.save()
    shutil.copyfile(path.with_name("s.pluie~"), path.with_name("before.pluie"))
    assert read(path.with_name("before.pluie")) == first


@pytest.mark.parametrize("kept", [0, 3])
def test_the_user_chooses_how_many_versions_are_kept(tmp_path, kept):
    copies = WorkingCopies(places.user_data(), generations=kept)
    path = tmp_path / "s.pluie"
    for number in range(5):
        with Session.from_copy(copies, copies.open(path, create=True)) as session:
            session.set_setting("time", number)
    older = sorted(each.name for each in tmp_path.glob("s.pluie~*"))
    assert older == (["s.pluie~", "s.pluie~2", "s.pluie~3"] if kept else [])
    for place, name in enumerate(older):
        shutil.copyfile(tmp_path / name, tmp_path / "old.pluie")
        with Session.open(tmp_path / "old.pluie", reading=True) as session:
            assert session.settings() == {"time": 3 - place}


def test_unchanged_sessions_are_not_written(path):
    before = path.stat()
    with Session.open(path) as session:
        session.corpora()
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


def test_a_link_stays_a_link(path, tmp_path):
    link = tmp_path / "folder" / "link.pluie"
    link.parent.mkdir()
    link.symlink_to(path)
    with Session.open(link) as session:
        session.set_note(1, 0, "through a link")
    assert link.is_symlink()
    with Session.open(path) as session:
        assert session.notes(1)[0].text == "through a link"


# Several programs


def test_one_window_at_a_time(path, home):
    with Session.open(path), pytest.raises(DocumentError, match=r"s.pluie is open in another window or program"):
        Session.open(path)
    with Session.open(path) as session:
        result = in_a_process(path, "writing", home)
        assert result.returncode == 1 and "is open in another window or program" in result.stderr
        session.set_note(1, 0, "mine")
    with Session.open(path) as session:
        assert session.notes(1)[0].text == "mine"


def test_changes_by_another_program_are_not_overwritten(path, tmp_path):
    with Session.open(path) as session:
        session.set_note(1, 0, "mine")
        # Another user, or another computer, has a different data folder.
        assert in_a_process(path, "writing", tmp_path / "other home").returncode == 0
        with pytest.raises(DocumentError, match="was changed by another program"):
            session.save()
        assert read(path)["mine"][4][0].text == "from elsewhere"
        session.save(over=True)
        assert read(path)["mine"][4][0].text == "mine"
    shutil.copyfile(path.with_name("s.pluie~"), tmp_path / "theirs.pluie")
    assert read(tmp_path / "theirs.pluie")["mine"][4][0].text == "from elsewhere", "kept as the previous version"


def test_a_missing_file_is_noticed(path):
    session = Session.open(path)
    session.set_note(1, 0, "mine")
    path.rename(path.with_name("moved.pluie"))
    with pytest.raises(DocumentError, match="no longer exists: it was moved, renamed or deleted"):
        session.save()
    with pytest.raises(DocumentError):
        session.close()
    # the next start recovers the unsaved work
    copies = WorkingCopies(places.user_data())
    with Session.from_copy(copies, copies.last_unsaved()) as unsaved:
        assert "is now in s (recovered).pluie" in " ".join(unsaved.notices)
    assert read(path.with_name("s (recovered).pluie"))["mine"][4][0].text == "mine"


def test_a_copy_with_a_different_date_counts_as_the_same_file(path):
    with Session.open(path) as session:
        shutil.copyfile(path, path.with_name("synced"))
        path.with_name("synced").replace(path)  # as a sync client does
        session.set_note(1, 0, "mine")
        session.save()


KILLED = """
import os, sys
from pathlib import Path
from parapluie_gui.storage import document
from parapluie_gui.storage.session import Session
session = Session.open(Path(sys.argv[1]))
session.set_note(1, 2, "just before the end")
if sys.argv[2] == "written":
    keep, document.write = document.write, lambda *a, **k: (keep(*a, **k), os._exit(9))
    session.save()
os._exit(9)
"""


@pytest.mark.parametrize("moment", ["changed", "written"])
def test_work_of_a_killed_program_is_in_its_file_at_the_next_start(path, home, moment):
    environment = {**os.environ, "PARAPLUIE_HOME": str(home)}
    done = subprocess.run([sys.executable, "-c", KILLED, str(path), moment], env=environment, timeout=60)
    assert done.returncode == 9
    copies = WorkingCopies(places.user_data())
    with Session.from_copy(copies, copies.last_unsaved()) as session:
        assert session.document is None and session.is_empty and list(session.notices) == []
    assert [each.name for each in path.parent.glob("*.pluie")] == ["s.pluie"]
    with Session.open(path) as session:
        assert session.notes(1)[2].text == "just before the end"


def test_unsaved_sessions_are_kept_and_empty_ones_deleted(home):
    copies = WorkingCopies(places.user_data())
    with Session.from_copy(copies, copies.last_unsaved()) as session:
        fill(session)
        before = content(session)
    with Session.from_copy(copies, copies.last_unsaved()) as session:
        assert content(session) == before
        with Session.from_copy(copies, copies.last_unsaved()) as second:
            assert second.is_empty and second.path != session.path
    assert len(list((home / "sessions").glob("*.sqlite"))) == 1


# Damage


@pytest.mark.parametrize("seed", range(60))
def test_damage_is_always_reported(path, tmp_path, seed):
    before = read(path)
    broken = tmp_path / "broken.pluie"
    broken.write_bytes(damage(path.read_bytes(), random.Random(seed)))
    try:
        with Session.open(broken) as session:
            after, notices = content(session), session.notices
    except SessionError as error:
        assert str(error).startswith("broken.pluie")
        return
    assert after == before or (notices and "broken.pluie is damaged" in notices[0])


def test_intact_records_are_recovered_and_lost_ones_reported(path, tmp_path):
    raw = path.read_bytes()
    place = raw.index("Träume".encode())
    (tmp_path / "broken.pluie").write_bytes(raw[:place] + b"X" + raw[place + 1 :])
    before = (tmp_path / "broken.pluie").read_bytes()
    with Session.open(tmp_path / "broken.pluie") as session:
        assert session.document is None
        (sentence,) = session.notices
        assert sentence == (
            "broken.pluie is damaged. Its intact parts are open as an unsaved session. Lost or changed: 1 note or "
            "answer. broken.pluie is unchanged; save this session under another name."
        )
        assert {row: (note.text, note.verdict) for row, note in session.notes(1).items()} == {1: ("", "same_meaning")}
        assert session.selections(1)["odd"].tolist() == [1, 3]
        assert session.score_table(1)["bleu"].tolist() == [row / 8 for row in range(5)]
    assert (tmp_path / "broken.pluie").read_bytes() == before


def test_the_rest_of_a_corpus_survives_a_damaged_text(path, tmp_path):
    raw = path.read_bytes()
    place = raw.index(b"Source sentence 3.")
    (tmp_path / "broken.pluie").write_bytes(raw[:place] + b"s" + raw[place + 1 :])
    with Session.open(tmp_path / "broken.pluie") as session:
        assert "some texts of “mine” (characters in them may be wrong)" in session.notices[0]
        assert session.corpus(1).hypothesis == corpus().hypothesis
        assert session.notes(1)[1].text == "Träume"


def test_the_message_names_the_previous_version(path):
    with Session.open(path) as session:
        session.set_note(1, 0, "second time")
    path.write_bytes(b"SQLite format 3\0" + bytes(5000))
    with pytest.raises(SessionError, match=r"The version of 20.* is next to it: s.pluie~\."):
        Session.open(path)


@pytest.mark.parametrize(
    "what", ["TRIGGER t AFTER INSERT ON judgement BEGIN DELETE FROM judgement; END", "VIEW v AS SELECT 1"]
)
def test_triggers_and_views_are_refused(tmp_path, what):
    path = tmp_path / "s.sqlite"
    with Session.connect(path, create=True) as session:
        fill(session)
        session._database.write(f"CREATE {what}")
    with pytest.raises(ParapluieError, match=r"s\.sqlite is damaged or was tampered with"):
        Session.connect(path)


@pytest.mark.parametrize("name", ["1.sqlite", "1.json", "1.lock"])
def test_a_folder_in_place_of_a_file_is_refused(home, name):
    (home / "sessions" / name).mkdir(parents=True)
    copies = WorkingCopies(home)
    with Session.from_copy(copies, copies.last_unsaved()) as session:
        session.set_bench([{"source": "s"}])
        assert bool(session.notices) == (name == "1.sqlite")
    with Session.from_copy(copies, copies.last_unsaved()) as session:
        assert session.bench() == [{"source": "s"}]
