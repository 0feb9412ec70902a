"""Internet sockets forbidden: in this process, where attempts are recorded, and by the kernel in child programs."""

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

#: Audit events of Python that mean an attempt to use the network.
_EVENTS = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.bind")

_heard: list[list[str]] = []


def _listen(event: str, arguments: tuple[object, ...]) -> None:
    """Forbid internet sockets while attempts are recorded; an audit hook cannot be removed."""
    if _heard and event.startswith("socket."):
        family = arguments[1] if event == "socket.__new__" else getattr(arguments[0], "family", _INTERNET[0])
        if (event == "socket.__new__" or event in _EVENTS) and family in _INTERNET:
            _heard[-1].append(f"{event} {arguments[1:]!r}")
            raise OSError("the network is forbidden here")


sys.addaudithook(_listen)


@contextmanager
def forbid_network() -> Iterator[list[str]]:
    """Forbid Python's internet sockets in all threads of this process, and yield the attempts."""
    attempts: list[str] = []
    _heard.append(attempts)
    try:
        yield attempts
    finally:
        _heard.remove(attempts)


#: The kernel's numbers of the call `socket` and of the architecture, by Python's name of the machine.
_SOCKET = {"x86_64": (41, 0xC000003E), "aarch64": (198, 0xC00000B7)}


def can_forbid_to_programs() -> bool:
    """Return whether `forbid_to_program` works on this computer."""
    return sys.platform == "linux" and platform.machine() in _SOCKET


def forbid_to_program() -> None:
    """Let the kernel kill this process and its children when one creates an internet socket (for `preexec_fn`).

    This covers Python, Qt and native libraries. It uses seccomp with a BPF filter.
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
    buffer = ctypes.create_string_buffer(code)
    program = struct.pack("HL", len(steps), ctypes.addressof(buffer))
    library = ctypes.CDLL(None, use_errno=True)
    no_new_privileges, set_seccomp, with_filter = 38, 22, 2
    if library.prctl(no_new_privileges, 1, 0, 0, 0) or library.prctl(set_seccomp, with_filter, program, 0, 0):
        raise OSError(ctypes.get_errno(), "no seccomp here")


def without_interfaces() -> list[str]:
    """Return a command prefix that removes all network interfaces; [] if that is impossible here."""
    for command in (["unshare", "-n"], ["unshare", "-rn"]):
        try:
            if subprocess.run([*command, "true"], capture_output=True).returncode == 0:
                return command
        except FileNotFoundError:
            break
    return []
