"""Sockets of the internet forbidden and counted: in this process, and by the system in programs that are started."""

from __future__ import annotations

import ctypes
import platform
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_INTERNET = (int(socket.AF_INET), int(socket.AF_INET6))

#: Python's own events that mean somebody wants the network.
_EVENTS = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.bind")

_heard: list[list[str]] = []


def _listen(event: str, arguments: tuple[object, ...]) -> None:
    """An audit hook; it cannot be taken away again, so it only acts while somebody counts."""
    if _heard and event.startswith("socket."):
        family = arguments[1] if event == "socket.__new__" else getattr(arguments[0], "family", _INTERNET[0])
        if (event == "socket.__new__" or event in _EVENTS) and family in _INTERNET:
            _heard[-1].append(f"{event} {arguments[1:]!r}")
            raise OSError("the network is forbidden here")


sys.addaudithook(_listen)


@contextmanager
def forbidden() -> Iterator[list[str]]:
    """Forbid Python's sockets of the internet in this process, all its threads included; yields the attempts."""
    attempts: list[str] = []
    _heard.append(attempts)
    try:
        yield attempts
    finally:
        _heard.remove(attempts)


#: Kernel's numbers: of the call `socket` and of the architecture, by Python's name of the machine.
_SOCKET = {"x86_64": (41, 0xC000003E), "aarch64": (198, 0xC00000B7)}


def can_forbid_to_programs() -> bool:
    """Return whether `forbid_to_program` works on this computer."""
    return sys.platform == "linux" and platform.machine() in _SOCKET


def forbid_to_program() -> None:
    """Have the kernel kill this process and its children if one makes a socket of the internet (`preexec_fn`).

    Whatever makes it: Python, Qt, a library in another language. The way is seccomp with a filter of the BPF machine.
    """
    call, machine = _SOCKET[platform.machine()]
    load, equal, back = 0x20, 0x15, 0x06
    allow, kill = 0x7FFF0000, 0x80000000
    steps = [
        (load, 0, 0, 4),  # the architecture
        (equal, 0, 5, machine),
        (load, 0, 0, 0),  # the call's number
        (equal, 0, 3, call),
        (load, 0, 0, 16),  # its first argument: the family
        (equal, 2, 0, _INTERNET[0]),
        (equal, 1, 0, _INTERNET[1]),
        (back, 0, 0, allow),
        (back, 0, 0, kill),
    ]
    code = b"".join(struct.pack("HBBI", *step) for step in steps)
    kept = ctypes.create_string_buffer(code)
    program = struct.pack("HL", len(steps), ctypes.addressof(kept))
    library = ctypes.CDLL(None, use_errno=True)
    no_new_privileges, set_seccomp, with_filter = 38, 22, 2
    if library.prctl(no_new_privileges, 1, 0, 0, 0) or library.prctl(set_seccomp, with_filter, program, 0, 0):
        raise OSError(ctypes.get_errno(), "no seccomp here")


def without_interfaces() -> list[str]:
    """Return what to put before a command so that it runs without any network interface; [] where that cannot be."""
    for command in (["unshare", "-n"], ["unshare", "-rn"]):
        try:
            if subprocess.run([*command, "true"], capture_output=True).returncode == 0:
                return command
        except FileNotFoundError:
            break
    return []
