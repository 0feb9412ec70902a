"""What starts this program, or a function of it, as a process of its own; the portable application has no Python."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from pkgutil import resolve_name

#: The first argument with which the portable application calls one of its functions.
_CALL = "--call"


def portable() -> bool:
    """Return whether this is the portable application, which brings its own Python and lends it to nothing else."""
    return bool(getattr(sys, "frozen", False))


def interpreter() -> str:
    """Return the path of what runs this program."""
    return sys.executable


def program(*arguments: str) -> list[str]:
    """Return what starts the program, with these arguments of its command line."""
    return [sys.executable, *arguments] if portable() else python("-m", "parapluie_gui", *arguments)


def call(function: str, *arguments: str) -> list[str]:
    """Return what calls "module:function" of the program; the function finds the arguments in `sys.argv[1:]`."""
    if portable():
        return [sys.executable, _CALL, function, *arguments]
    module, _, name = function.partition(":")
    return python("-c", f"from {module} import {name}; {name}()", *arguments)


def python(*arguments: str) -> list[str]:
    """Return what starts Python with these arguments, as the portable application cannot."""
    return [sys.executable, *arguments]


def answer(arguments: Sequence[str]) -> bool:
    """Do what another process of the portable application started this one for; returns whether there was anything.

    This comes before anything else: what multiprocessing has started does not return from here. The application that is
    started without arguments, as by a double click, opens its window.
    """
    if not portable():
        return False
    multiprocessing.freeze_support()
    _keep_data_beside()
    if not arguments:
        sys.argv.append("gui")  # a double click
    if len(arguments) < 2 or arguments[0] != _CALL or not arguments[1].startswith("parapluie_gui."):
        return False
    sys.argv = list(arguments[1:])
    resolve_name(arguments[1])()
    return True


def _keep_data_beside() -> None:
    """Have the user's data in the folder of that name beside the application, if there is one."""
    program = Path(sys.executable)
    application = next((folder for folder in program.parents if folder.suffix == ".app"), program)
    beside = application.with_name("parapluie-data")
    if beside.is_dir():
        os.environ.setdefault("PARAPLUIE_HOME", str(beside))
