"""The last net under the commands: what nobody foresaw becomes a sentence, and its details a file."""

from __future__ import annotations

import contextlib
import os
import platform
import select
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TextIO

from parapluie_gui import places
from parapluie_gui.commands.main import main
from parapluie_gui.errors import BAD_INPUT, INTERRUPTED, InternalError, first_line, one_line
from parapluie_gui.files import PRIVATE
from parapluie_gui.packages import find_missing_package
from parapluie_gui.version import __version__

#: Exit status for what is the program's fault and not the input's.
_UNFORESEEN = 1

#: The file of the data folder that holds the details of errors; a longer one is begun anew.
LOG = "errors.log"
_LONGEST_LOG = 1_000_000


def run(arguments: Sequence[str], is_stopped: Callable[[], bool] = lambda: False) -> int:
    """Run one command; returns the exit status, whatever happens.

    Args:
        arguments: What stands behind `parapluie`.
        is_stopped: Whether Ctrl+C was pressed, for libraries that make an error of their own out of it.
    """
    _install_hooks()
    try:
        status = main(arguments)
    except SystemExit as end:  # argparse has said what there is to say
        status = end.code if isinstance(end.code, int) else 0
    except KeyboardInterrupt:
        status = _stopped()
    except BrokenPipeError as error:
        # Whoever read the output has enough, unless it is a pipe of the program's own.
        status = 0 if _is_broken(sys.stdout) or _is_broken(sys.stderr) else report(error)
    except MemoryError:
        _say("There is not enough memory for this. Close other programs, or take fewer pairs at a time.")
        status = BAD_INPUT
    except BaseException as error:  # also those that Rust's libraries raise when they panic
        status = _stopped() if is_stopped() else report(error)
    return _flush(status)


def report(error: BaseException) -> int:
    """Report an internal error and where its details are, or a missing package; returns the status."""
    if (lacking := find_missing_package(error)) is not None:
        _say(str(lacking))
        return BAD_INPUT
    log = _keep(error)
    where = f"The details are in {log}; please report them" if log else "PARAPLUIE_DEBUG=1 prints the details"
    words = first_line(error) if isinstance(error, Exception) else str(error)
    if not isinstance(error, InternalError):  # whose words are whole sentences
        words = f"Internal error ({type(error).__name__}: {words})."
    _say(f"{words} {where}.")
    if os.environ.get("PARAPLUIE_DEBUG"):
        traceback.print_exception(error)
    return _UNFORESEEN


def _stopped() -> int:
    print("\nparapluie: stopped.", file=sys.stderr)
    return INTERRUPTED


def _say(sentence: str) -> None:
    with contextlib.suppress(OSError):
        print(f"parapluie: {one_line(sentence)}", file=sys.stderr)


def _keep(error: BaseException) -> Path | None:
    """Add the details of an error to the log, which only the user may read; None where it cannot be written."""
    lines = [
        time.strftime("%Y-%m-%d %H:%M:%S"),
        f"parapluie {__version__}, Python {platform.python_version()}, {platform.platform()}",
        " ".join(map(repr, sys.argv[1:])),
        "".join(traceback.format_exception(error)),
    ]
    try:
        log = places.user_data() / LOG
        with contextlib.suppress(FileNotFoundError):
            if log.stat().st_size > _LONGEST_LOG:
                log.unlink()
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        with os.fdopen(os.open(log, flags, PRIVATE), "w", encoding="utf-8", errors="replace") as file:
            file.write("\n".join(lines) + "\n")
    except (OSError, RuntimeError):  # RuntimeError: there is no home
        return None
    return log


def _install_hooks() -> None:
    """Catch in the same way what Python would print: errors in the window's slots, in threads and in destructors."""

    def unforeseen(kind: type[BaseException], error: BaseException | None, where: TracebackType | None) -> None:
        if isinstance(error, KeyboardInterrupt):
            _stopped()
        elif error is not None:
            report(error)

    def in_thread(arguments: threading.ExceptHookArgs) -> None:
        unforeseen(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)

    def in_destructor(arguments: sys.UnraisableHookArgs) -> None:
        if arguments.exc_value is not None:  # nothing that a user did or can mend
            _keep(arguments.exc_value)

    sys.excepthook, threading.excepthook, sys.unraisablehook = unforeseen, in_thread, in_destructor


def _is_broken(stream: TextIO) -> bool:
    """Return whether nobody reads from the pipe any more; True where that cannot be asked (Windows)."""
    if not hasattr(select, "poll"):
        return True
    poll = select.poll()
    poll.register(stream, 0)  # errors alone
    return bool(poll.poll(0))


def _flush(status: int) -> int:
    """Write out what is printed; Python would complain of a full disk or a closed pipe with a traceback."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError) as error:
            with contextlib.suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            if not isinstance(error, BrokenPipeError) and stream is sys.stdout:
                _say(f"The output cannot be written ({first_line(error)}). Send it elsewhere, or make room.")
                status = status or BAD_INPUT
    return status
