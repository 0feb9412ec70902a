import contextlib
import errno
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from parapluie_gui import files, places
from parapluie_gui.commands.main import main
from parapluie_gui.files import atomic_write, put_aside, write_text
from parapluie_gui.pluie.templates import load_templates
from parapluie_gui.report.signatures import read_signatures

posix = pytest.mark.skipif(os.name == "nt", reason="rights and links as POSIX has them")


def rights(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_the_old_file_is_kept_until_the_new_one_is_complete(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("old")
    with atomic_write(path) as part:
        assert part.parent == tmp_path and part.suffix == ".csv" and part != path
        part.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new" and list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, OSError])
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, error):
    path = tmp_path / "table.csv"
    path.write_text("old")
    with pytest.raises(error), atomic_write(path) as part:
        part.write_text("half of the")
        raise error
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_an_error_names_the_file_that_the_user_knows(tmp_path):
    with pytest.raises(FileNotFoundError) as raised, atomic_write(tmp_path / "absent" / "table.csv"):
        pass
    assert raised.value.filename == str(tmp_path / "absent" / "table.csv")
    with pytest.raises(OSError) as raised, atomic_write(tmp_path / "table.csv"):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert raised.value.filename == str(tmp_path / "table.csv")


@posix
def test_permissions_follow_the_replaced_file_or_the_umask(tmp_path):
    kept = os.umask(0o027)
    try:
        write_text(tmp_path / "new", "")
        write_text(tmp_path / "private", "", private=True)
        (tmp_path / "old").touch()
        (tmp_path / "old").chmod(0o604)
        write_text(tmp_path / "old", "")
        (tmp_path / "narrowed").touch()
        write_text(tmp_path / "narrowed", "", private=True)
    finally:
        os.umask(kept)
    result = {path.name: rights(path) for path in tmp_path.iterdir()}
    assert result == {"new": 0o640, "private": 0o600, "old": 0o604, "narrowed": 0o600}


@posix
def test_private_files_are_private_while_they_are_written(tmp_path):
    with atomic_write(tmp_path / "window.json", private=True) as part:
        assert rights(part) == 0o600
    (tmp_path / "old").touch(0o600)
    with atomic_write(tmp_path / "old") as part:
        assert rights(part) == 0o600


@posix
def test_links_are_replaced_and_not_followed(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / "table.csv").symlink_to(victim)
    write_text(tmp_path / "table.csv", "new")
    assert victim.read_text() == "mine" and not (tmp_path / "table.csv").is_symlink()


@posix
def test_a_temporary_name_that_is_taken_is_refused(tmp_path, monkeypatch):
    """Even an attacker who guesses the name cannot make the program follow a link."""
    monkeypatch.setattr(files.secrets, "token_hex", lambda size: "foreseen")
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / ".parapluie-foreseen.csv").symlink_to(victim)
    with pytest.raises(FileExistsError):
        write_text(tmp_path / "table.csv", "new")
    assert victim.read_text() == "mine" and not (tmp_path / "table.csv").exists()


def test_two_concurrent_writers_leave_one_complete_file(tmp_path):
    path = tmp_path / "table.csv"
    with atomic_write(path) as first, atomic_write(path) as second:
        assert first != second
        first.write_text("one")
        second.write_text("two")
    assert path.read_text() == "one" and list(tmp_path.iterdir()) == [path]


@posix
def test_a_killed_writer_leaves_the_old_file(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("old")
    script = "import os, signal, sys; from pathlib import Path; from parapluie_gui.files import atomic_write\n"
    script += "with atomic_write(Path(sys.argv[1])) as part:\n part.write_text('half')\n os.kill(os.getpid(), 9)"
    assert subprocess.run([sys.executable, "-c", script, str(path)]).returncode == -9
    assert path.read_text() == "old"


@posix
def test_links_under_former_temporary_names_are_not_followed(tmp_path, capsys):
    """A link made with `ln -s victim .o.csv.PID.part` before `score -o o.csv` overwrote the victim."""
    from parapluie_gui.commands.main import main

    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / "pairs.tsv").write_text("source\thypothesis\na b\ta c\n")
    for name in (f".o.csv.{os.getpid()}.part", f".o.csv.signatures.json.{os.getpid()}.part"):
        (tmp_path / name).symlink_to(victim)
    command = ["score", str(tmp_path / "pairs.tsv"), "-o", str(tmp_path / "o.csv"), "--metric", "edit_distance"]
    assert main(command) == 0
    assert victim.read_text() == "mine" and not (tmp_path / "o.csv").is_symlink()


def _fifo(path: Path) -> Path:
    os.mkfifo(path)
    return path


@posix
def test_pipes_sockets_and_devices_are_not_files(tmp_path):
    files.check_is_file(_write(tmp_path / "plain"))
    files.check_is_file(tmp_path)  # the reader reports folders itself
    with pytest.raises(FileNotFoundError):
        files.check_is_file(tmp_path / "absent")
    with socket.socket(socket.AF_UNIX) as server, contextlib.chdir(tmp_path):
        server.bind("socket")
        for path, kind in (
            (_fifo(tmp_path / "fifo"), "a pipe"),
            (Path("/dev/zero"), "a device"),
            (Path("socket"), "a socket"),
        ):
            with pytest.raises(files.NotAFileError, match=f"{kind}, not a file"):
                files.check_is_file(path)


@posix
@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "command",
    [
        "score FIFO -o out.csv",
        "score pairs.tsv -o out.csv --metric user:FIFO",
        "score --parallel pairs.tsv FIFO -o out.csv",
        "score pairs.tsv -o out.csv --judge FIFO",
        "analyse FIFO",
        "models info FIFO",
        pytest.param("score pairs.tsv -o out.csv --metric pem:FIFO", marks=pytest.mark.needs("pem")),
        pytest.param("pem train FIFO --human pairs.tsv -o model.npz", marks=pytest.mark.needs("pem")),
        pytest.param("meta FIFO", marks=pytest.mark.needs("papers")),
        pytest.param("paraphrasus FIFO --score bleu=0.5", marks=pytest.mark.needs("papers")),
    ],
)
def test_no_command_waits_for_a_pipe(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("pairs.tsv").write_text("source\thypothesis\thuman\n" + "A b.\tC d.\t3\nE f.\tG h.\t4\n" * 50)
    _fifo(Path("FIFO"))
    assert main(command.split()) == 2
    sentence = capsys.readouterr().err.removesuffix("\n").split("\n")[-1]
    assert sentence.startswith("parapluie: ") and "FIFO" in sentence


@posix
@pytest.mark.timeout(60)
def test_the_window_does_not_wait_for_a_pipe(tmp_path):
    _fifo(tmp_path / "FIFO")
    run = [sys.executable, "-m", "parapluie_gui", "gui", "FIFO", "--screenshot", "out.png"]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, timeout=50)
    sentence = "parapluie: FIFO: this is a pipe, not a file. Save its output as a file.\n"
    assert (done.returncode, done.stderr) == (2, sentence)


@posix
@pytest.mark.timeout(20)
def test_pipes_among_templates_and_signatures_are_ignored(tmp_path):
    templates = tmp_path / "templates"
    templates.mkdir()
    _fifo(templates / "mine.toml")
    _, broken = load_templates(templates)
    assert [each.file for each in broken] == ["mine.toml"]
    _fifo(tmp_path / "scored.csv.signatures.json")
    assert read_signatures(tmp_path / "scored.csv") == {}


def _write(path: Path) -> Path:
    path.write_text("x")
    return path


def fill(folder: Path, rights_of_folder: int) -> None:
    folder.mkdir()
    for name in ("scores.sqlite", "scores.sqlite-wal", "unsaved-1.pluie", "window.json", "notes.txt", "my.json"):
        (folder / name).touch()
        (folder / name).chmod(0o644)
    (folder / "unsaved-2.pluie").symlink_to(folder.parent / "mine.json")
    folder.chmod(rights_of_folder)


@posix
def test_an_older_versions_data_folder_becomes_private(tmp_path, monkeypatch):
    (tmp_path / "mine.json").touch()
    (tmp_path / "mine.json").chmod(0o644)
    fill(tmp_path / "data", 0o755)
    monkeypatch.setenv("PARAPLUIE_HOME", str(tmp_path / "data"))
    assert rights(places.user_data()) == 0o700
    result = {path.name: rights(path) for path in (tmp_path / "data").iterdir() if not path.is_symlink()}
    assert {name: mode for name, mode in result.items() if mode != 0o600} == {"notes.txt": 0o644, "my.json": 0o644}
    assert rights(tmp_path / "mine.json") == 0o644


@posix
@pytest.mark.parametrize("mode", [0o775, 0o2770, 0o1777])
def test_a_deliberately_shared_folder_keeps_its_mode(tmp_path, monkeypatch, mode):
    fill(tmp_path / "data", mode)
    monkeypatch.setenv("PARAPLUIE_HOME", str(tmp_path / "data"))
    assert rights(places.user_data()) == mode and rights(tmp_path / "data" / "scores.sqlite") == 0o600


@posix
def test_the_home_folder_keeps_its_permissions(tmp_path, monkeypatch):
    fill(tmp_path / "me", 0o755)
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    monkeypatch.setenv("PARAPLUIE_HOME", str(tmp_path / "me"))
    assert rights(places.user_data()) == 0o755


@posix
def test_the_programs_own_files_are_private_but_tables_are_not(tmp_path, home, capsys):
    """With the usual umask, the data folder has mode 700, its files 600, and tables that of any other file."""
    from parapluie_gui.commands.main import main

    kept = os.umask(0o022)
    try:
        (tmp_path / "pairs.tsv").write_text("source\thypothesis\na b\ta c\n")
        output = ["-o", str(tmp_path / "o.csv"), "--metric", "edit_distance"]
        assert main(["score", str(tmp_path / "pairs.tsv"), *output]) == 0
    finally:
        os.umask(kept)
    assert rights(home) == 0o700
    assert {path.name: rights(path) for path in home.iterdir()} == {"scores.sqlite": 0o600, "writing": 0o700}
    assert rights(tmp_path / "o.csv") == rights(tmp_path / "o.csv.signatures.json") == 0o644


def test_files_put_aside_are_never_overwritten(tmp_path):
    for number in (1, 2, 3):
        path = tmp_path / "window.json"
        path.write_text(f"bad {number}")
        assert put_aside(path) == tmp_path / f"window.json.damaged-{number}"
        assert not path.exists()
    assert [(tmp_path / f"window.json.damaged-{number}").read_text() for number in (1, 2, 3)] == [
        "bad 1",
        "bad 2",
        "bad 3",
    ]


def test_folders_and_links_can_be_put_aside(tmp_path):
    folder, link = tmp_path / "a", tmp_path / "b"
    folder.mkdir()
    (folder / "inside").write_text("kept")
    link.symlink_to(tmp_path / "nowhere")
    (tmp_path / "b.damaged-1").symlink_to(tmp_path / "nowhere")
    assert (put_aside(folder) / "inside").read_text() == "kept"
    assert put_aside(link).name == "b.damaged-2", "a dangling link also occupies its name"


def test_putting_aside_a_missing_file_fails(tmp_path):
    with pytest.raises(FileNotFoundError):
        put_aside(tmp_path / "nothing")
