"""The command line always ends with a sentence, never with a traceback."""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from parapluie_gui.commands import models, net
from parapluie_gui.commands.main import main

COMMAND = [sys.executable, "-m", "parapluie_gui"]
posix = pytest.mark.skipif(os.name == "nt", reason="streams, signals and names as POSIX has them")


@pytest.fixture(autouse=True)
def hooks(monkeypatch):
    """Leave Python's own hooks in place after a test."""
    for owner, name in ((sys, "excepthook"), (sys, "unraisablehook"), (threading, "excepthook")):
        monkeypatch.setattr(owner, name, getattr(owner, name))


def fail_with(monkeypatch, error: BaseException) -> None:
    def command(options):
        raise error

    monkeypatch.setattr(models, "list_models", command)


@pytest.mark.parametrize("error", [KeyError("a\nb\x1b[2J"), RecursionError("too deep"), SystemError("odd")])
def test_an_unexpected_error_gives_one_sentence_and_a_private_log(error, monkeypatch, capsys, home):
    fail_with(monkeypatch, error)
    assert net.run(["models"]) == 1
    out, err = capsys.readouterr()
    log = home / "errors.log"
    assert out == "" and err.count("\n") == 1 and err.removesuffix("\n").isprintable()
    assert err.startswith(f"parapluie: Internal error ({type(error).__name__}: ")
    assert err.endswith(f"The details are in {log}; please report them.\n")
    text = log.read_text(encoding="utf-8")
    assert "Traceback" in text and "in command" in text and type(error).__name__ in text
    assert os.name == "nt" or stat.S_IMODE(log.stat().st_mode) == 0o600


def test_the_log_grows_up_to_a_limit(monkeypatch, home):
    fail_with(monkeypatch, KeyError("x"))
    net.run(["models"])
    size = (home / "errors.log").stat().st_size
    net.run(["models"])
    assert (home / "errors.log").stat().st_size > 2 * size
    (home / "errors.log").write_bytes(b" " * 1_000_001)
    net.run(["models"])
    assert (home / "errors.log").stat().st_size < 10 * size


@posix
def test_the_log_follows_no_links_and_does_not_wait_for_pipes(monkeypatch, capsys, home, tmp_path):
    fail_with(monkeypatch, KeyError("x"))
    home.mkdir()
    (tmp_path / "victim").write_text("kept")
    (home / "errors.log").symlink_to(tmp_path / "victim")
    assert net.run(["models"]) == 1
    assert (tmp_path / "victim").read_text() == "kept"
    (home / "errors.log").unlink()
    os.mkfifo(home / "errors.log")
    assert net.run(["models"]) == 1
    assert capsys.readouterr().err.count("PARAPLUIE_DEBUG=1 prints the details.\n") == 2


def test_details_are_printed_on_request(monkeypatch, capsys):
    fail_with(monkeypatch, KeyError("x"))
    monkeypatch.setenv("PARAPLUIE_DEBUG", "1")
    assert net.run(["models"]) == 1
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_tests_see_the_original_exception(monkeypatch):
    fail_with(monkeypatch, KeyError("x"))
    with pytest.raises(KeyError):
        main(["models"])


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("can't start new thread")])
def test_running_out_of_memory_is_reported_in_one_sentence(monkeypatch, capsys, error):
    fail_with(monkeypatch, error)
    assert net.run(["models"]) == 2
    assert capsys.readouterr().err.startswith("parapluie: There is not enough memory for this. ")


def test_ctrl_c_is_recognised_even_if_a_library_converts_it(monkeypatch, capsys):
    fail_with(monkeypatch, ImportError("numpy was interrupted"))
    assert net.run(["models"], lambda: True) == 130
    assert capsys.readouterr().err == "\nparapluie: stopped.\n"


def test_errors_in_slots_threads_and_destructors_are_reported(monkeypatch, capsys, home):
    class Doomed:
        def __del__(self):
            raise ValueError("in a destructor")

    def command(options):
        thread = threading.Thread(target=lambda: 1 / 0)
        thread.start()
        thread.join()
        Doomed()
        return 0

    monkeypatch.setattr(models, "list_models", command)
    assert net.run(["models"]) == 0
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "ZeroDivisionError" in err
    assert "in a destructor" in (home / "errors.log").read_text(encoding="utf-8")


# The real program


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.csv"
    path.write_text("source,hypothesis,label\na cat,a cat,1\na cat,one dog,0\n", encoding="utf-8")
    return path


def shell(command: str, cwd: Path) -> tuple[int, str, str]:
    """Run a line of the shell in which P is the program; not `sh`, which has no PIPESTATUS."""
    line = f'P() {{ {" ".join(COMMAND)} "$@"; }}\n{command}'
    done = subprocess.run(["bash", "-c", line], cwd=cwd, capture_output=True, timeout=120, check=False)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


@posix
@pytest.mark.parametrize("closed", ["2>&-", ">&-", "<&- >&- 2>&-"])
def test_closed_streams_cause_no_traceback(closed, pairs, tmp_path):
    status, _, err = shell(f"P score {pairs} -o out.csv --metric edit_distance {closed}", tmp_path)
    assert (status, err) == (0, "")
    assert (tmp_path / "out.csv").read_text().count("\n") == 3


@posix
@pytest.mark.parametrize("words", ["help metrics", "score --help"])
def test_a_pipe_closed_at_once_causes_no_traceback(words, tmp_path):
    assert shell(f"P {words} | true; exit ${{PIPESTATUS[0]}}", tmp_path) == (0, "", "")


@posix
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk that is always full")
def test_output_to_a_full_disk_is_reported_in_one_sentence(tmp_path):
    status, _, err = shell("P help metrics >/dev/full", tmp_path)
    assert status == 2 and err.count("\n") == 1 and "No space left on device" in err
    assert shell("P score absent.csv -o out.csv 2>/dev/full", tmp_path)[0] == 2


@posix
def test_an_analysis_is_written_entirely_or_not_at_all(pairs, tmp_path):
    """Files may not grow beyond 30 kB, as on a full disk; a partial compiled file would remain for the next test."""
    rows = "".join(f"a cat {n},one dog {n},{n % 2}\n" for n in range(5000))
    pairs.write_text(f"source,hypothesis,label\n{rows}")
    assert main(["score", str(pairs), "-o", str(tmp_path / "scored.csv"), "--metric", "edit_distance"]) == 0
    (tmp_path / "an").mkdir()
    (tmp_path / "an" / "analysis.json").write_text("of yesterday")
    status, _, err = shell(
        "ulimit -f 30; export PYTHONDONTWRITEBYTECODE=1; P analyse scored.csv --draws 0 --out an", tmp_path
    )
    assert status == 2 and err.count("\n") == 1
    todo = r"Free disk space there, or choose a different folder\."
    assert re.fullmatch(rf"parapluie: an/\w+\.\w+: File too large\. {todo}\n", err)
    assert [file.name for file in (tmp_path / "an").iterdir()] == ["analysis.json"]
    assert (tmp_path / "an" / "analysis.json").read_text() == "of yesterday"


def test_names_cannot_control_the_terminal(pairs, capsys):
    text = 'source,hypothesis,label,"bl\x1b[2Jeu\nx"\n' + "a cat,one dog,0,0.5\na cat,a cat,1,0.75\n" * 9
    pairs.write_text(text)
    assert net.run(["analyse", str(pairs), "--draws", "0", "--score", "bl\x1b[2Jeu\nx", "--by", "label"]) == 0
    out, err = capsys.readouterr()
    assert "bl\ufffd[2Jeu x" in out
    assert "\x1b" not in out + err


@posix
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_non_utf8_names_are_printed(ending, pairs, tmp_path):
    pairs.rename(os.fsdecode(bytes(tmp_path) + b"/in\xff.csv"))
    score = f"P score in$'\\xff'.csv -o out$'\\xff'.{ending} --metric edit_distance"
    status, out, err = shell(f"{score} && P analyse out$'\\xff'.{ending} --draws 0 --out an$'\\xff'", tmp_path)
    assert (status, err.count("\n")) == (0, 1), err
    assert (tmp_path / os.fsdecode(b"an\xff") / "analysis.json").stat().st_size > 1000
    assert "UnicodeEncodeError" not in out + err


_SLOW_IMPORT = """
    import os, sys, signal
    class Finder:
        def find_spec(self, name, path=None, target=None):
            if name == {name!r}:
                os.kill(os.getpid(), signal.SIGINT)
    sys.meta_path.insert(0, Finder())
    sys.argv = ["parapluie", "score", "pairs.csv", "-o", "out.csv"]
    from parapluie_gui.__main__ import main
    sys.exit(main())
"""


@posix
@pytest.mark.parametrize("name", ["argparse", "parapluie_gui.commands.options", "numpy", "rapidfuzz"])
def test_ctrl_c_during_loading_prints_no_traceback(name, pairs, tmp_path):
    script = textwrap.dedent(_SLOW_IMPORT.format(name=name))
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 130
    assert "parapluie: stopped" in done.stderr and "Traceback" not in done.stderr


@posix
def test_ctrl_c_during_shutdown_prints_no_traceback(tmp_path):
    script = """
        import atexit, os, signal, sys
        atexit.register(os.kill, os.getpid(), signal.SIGINT)
        sys.argv = ["parapluie", "help"]
        from parapluie_gui.__main__ import main
        sys.exit(main())
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, b"")


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_no_partial_file_is_left_when_the_command_is_terminated(name, tmp_path):
    program = (
        "import os, signal, sys, time; from pathlib import Path; from parapluie_gui import __main__, files;"
        "from parapluie_gui.commands import net\n"
        "def write(*arguments):\n"
        "    with files.atomic_write(Path('o.csv')) as part:\n"
        f"        os.kill(os.getpid(), signal.{name}); time.sleep(10)\n"
        "net.main = write\n"
        "sys.exit(__main__.main())"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr.strip()) == (130, "parapluie: stopped.")
    assert list(tmp_path.glob("[!h]*")) == [] and list(tmp_path.glob(".*")) == []
