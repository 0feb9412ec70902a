"""Builds command lines that run this program or one of its functions in a child process, even without Python."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess

#: The first argument with which the portable application calls one of its functions.
_CALL = "--call"


def limit_spinning() -> None:
    """Limit how long threads of PyTorch and llama.cpp wait busily for each other, here and in child processes.

    By default they spin for milliseconds, hundreds of times per pair, and take the processor from the threads that they
    wait for: on a busy computer a pair takes up to three times as long. To be called before either is loaded.
    """
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", "1000")


def is_portable() -> bool:
    """Return whether this is the portable application, whose built-in Python can only run the application."""
    return bool(getattr(sys, "frozen", False))


def interpreter() -> str:
    """Return the path of the executable that runs this program."""
    return sys.executable


def program(*arguments: str) -> list[str]:
    """Return the command that starts the program with arguments."""
    return [sys.executable, *arguments] if is_portable() else python("-m", "parapluie_gui", *arguments)


def call(function: str, *arguments: str) -> list[str]:
    """Return the command that calls "module:function" of the program with arguments in `sys.argv[1:]`."""
    if is_portable():
        return [sys.executable, _CALL, function, *arguments]
    module, _, name = function.partition(":")
    return python("-c", f"from {module} import {name}; {name}()", *arguments)


def start(function: str, *arguments: str, quiet: bool = False, **variables: str) -> subprocess.Popen[bytes]:
    """Start "module:function" of the program as a child process with pipes for its input and output.

    Args:
        function: The function, which finds the arguments in `sys.argv[1:]`.
        *arguments: The arguments.
        quiet: Whether to discard the child's output to stderr.
        **variables: Environment variables in addition to those of this process; the child inherits sys.path.
    """
    import subprocess

    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **variables}
    pipe, errors = subprocess.PIPE, subprocess.DEVNULL if quiet else None
    return subprocess.Popen(call(function, *arguments), stdin=pipe, stdout=pipe, stderr=errors, env=environment)


def python(*arguments: str) -> list[str]:
    """Return the command that starts Python with arguments; the portable application cannot run it."""
    return [sys.executable, *arguments]


def run_requested_call(arguments: Sequence[str]) -> bool:
    """Run the function for which the portable application started this process, and return whether there is one.

    This has to run first. It does not return in a child of multiprocessing. Started without arguments, as by a double
    click, the application opens its window.
    """
    if not is_portable():
        return False
    multiprocessing.freeze_support()
    _use_data_folder()
    if not arguments:
        sys.argv.append("gui")  # started by a double click
    if len(arguments) < 2 or arguments[0] != _CALL or not arguments[1].startswith("parapluie_gui."):
        return False
    sys.argv = list(arguments[1:])
    resolve_name(arguments[1])()
    return True


def _use_data_folder() -> None:
    """Use the folder "parapluie-data" next to the application for the user's data, if it exists."""
    program = Path(sys.executable)
    application = next((folder for folder in program.parents if folder.suffix == ".app"), program)
    data = application.with_name("parapluie-data")
    if data.is_dir():
        os.environ.setdefault("PARAPLUIE_HOME", str(data))
