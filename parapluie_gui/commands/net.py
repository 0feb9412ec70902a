"""The last error handler of the commands: reports unexpected errors in one sentence and logs the details."""

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

#: Exit status for an error of the program, not of the input.
_INTERNAL_ERROR = 1

#: File in the data folder for the details of errors, and the size at which a new file is begun.
LOG = "errors.log"
_LONGEST_LOG = 1_000_000


def run(arguments: Sequence[str], is_stopped: Callable[[], bool] = lambda: False) -> int:
    """Run one command and return the exit status; never raises.

    Args:
        arguments: Command line after `parapluie`.
        is_stopped: The function that returns whether Ctrl+C was pressed, since some libraries turn it into a different
            error.
    """
    _install_hooks()
    try:
        status = main(arguments)
    except SystemExit as end:  # argparse has printed its message
        status = end.code if isinstance(end.code, int) else 0
    except KeyboardInterrupt:
        status = _print_stopped()
    except BrokenPipeError as error:
        # The reader of the output has closed it, unless the pipe is internal to the program.
        status = 0 if _is_broken(sys.stdout) or _is_broken(sys.stderr) else report(error)
    except BaseException as error:  # this includes panics of Rust libraries
        status = _print_stopped() if is_stopped() else report(error)
    return _flush(status)


def report(error: BaseException) -> int:
    """Report an internal error with the file of its details, a lack of memory or a package; return the exit status."""
    if isinstance(error, MemoryError) or "can't start new thread" in str(error):
        _say("There is not enough memory for this. Close other programs, or use fewer pairs at a time.")
        return BAD_INPUT
    if (lacking := find_missing_package(error)) is not None:
        _say(str(lacking))
        return BAD_INPUT
    log = _append_to_log(error)
    where = f"The details are in {log}; please report them" if log else "PARAPLUIE_DEBUG=1 prints the details"
    words = first_line(error) if isinstance(error, Exception) else str(error)
    if not isinstance(error, InternalError):  # the message is already a complete sentence
        words = f"Internal error ({type(error).__name__}: {words})."
    _say(f"{words} {where}.")
    if os.environ.get("PARAPLUIE_DEBUG"):
        traceback.print_exception(error)
    return _INTERNAL_ERROR


def _print_stopped() -> int:
    print("\nparapluie: stopped.", file=sys.stderr)
    return INTERRUPTED


def _say(sentence: str) -> None:
    with contextlib.suppress(OSError):
        print(f"parapluie: {one_line(sentence)}", file=sys.stderr)


def _append_to_log(error: BaseException) -> Path | None:
    """Append the details of an error to the log, which only the user may read; None if it cannot be written."""
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
    except (OSError, RuntimeError):  # RuntimeError is raised if there is no home folder
        return None
    return log


def _install_hooks() -> None:
    """Report in the same way errors that Python would print: in the window's slots, in threads and in destructors."""

    def report_uncaught(kind: type[BaseException], error: BaseException | None, where: TracebackType | None) -> None:
        if isinstance(error, KeyboardInterrupt):
            _print_stopped()
        elif error is not None:
            report(error)

    def report_from_thread(arguments: threading.ExceptHookArgs) -> None:
        report_uncaught(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)

    def log_from_destructor(arguments: sys.UnraisableHookArgs) -> None:
        if arguments.exc_value is not None:  # the user did not cause this and cannot fix it
            _append_to_log(arguments.exc_value)

    sys.excepthook, threading.excepthook, sys.unraisablehook = report_uncaught, report_from_thread, log_from_destructor


def _is_broken(stream: TextIO) -> bool:
    """Return whether the reading end of the pipe is closed; True if this cannot be determined (Windows)."""
    if not hasattr(select, "poll"):
        return True
    poll = select.poll()
    poll.register(stream, 0)  # polls for errors only
    return bool(poll.poll(0))


def _flush(status: int) -> int:
    """Flush the output; at exit, Python would report a full disk or a closed pipe with a traceback."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError) as error:
            with contextlib.suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            if not isinstance(error, BrokenPipeError) and stream is sys.stdout:
                _say(f"The output cannot be written ({first_line(error)}). Send it elsewhere, or free some space.")
                status = status or BAD_INPUT
    return status
