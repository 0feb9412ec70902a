"""The entry points `parapluie` and `python -m parapluie_gui`; imports little, so that Ctrl+C works from the start."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

from parapluie_gui import children

#: Exit status after Ctrl+C, as in shells.
_STOPPED = 130

_pressed = False


def main() -> int:
    """Run the command line and return the exit status (1 after an internal error)."""
    if children.run_requested_call(sys.argv[1:]):
        return 0
    ends = [signal.SIGINT]
    for name in ("SIGTERM", "SIGHUP"):  # lets the program remove half-written files when it is terminated
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:  # nohup makes the process ignore SIGHUP
            ends.append(number)
    for number in ends:
        signal.signal(number, _press)
    _open_streams()
    try:
        from parapluie_gui.commands import net

        return net.run(sys.argv[1:], lambda: _pressed)
    except KeyboardInterrupt:
        sys.stderr.write("\nparapluie: stopped.\n")
        return _STOPPED
    finally:
        # An interruption during Python's shutdown would show a traceback.
        for number in ends:
            signal.signal(number, signal.SIG_DFL)


def main_gui() -> int:
    """Run `parapluie gui`, as the command `parapluie-gui`."""
    sys.argv[1:1] = ["gui"]
    return main()


def _press(number: int, frame: FrameType | None) -> None:
    # Recorded because a library that is being imported may turn the interruption into a different error.
    global _pressed
    _pressed = True
    raise KeyboardInterrupt


def _open_streams() -> None:
    """Connect closed (`2>&-`) or missing standard streams to the null device.

    Otherwise the next opened file would get the stream's number, and a library's output to stderr would end up in it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115


if __name__ == "__main__":
    sys.exit(main())
