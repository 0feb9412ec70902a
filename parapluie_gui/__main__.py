"""`parapluie` and `python -m parapluie_gui`: the command line with a net under it; light, for the sake of Ctrl+C."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

from parapluie_gui import children

#: Exit status after Ctrl+C, as shells have it.
_STOPPED = 130

_pressed = False


def main() -> int:
    """Run the command line; returns the exit status (1 after an internal error)."""
    if children.answer(sys.argv[1:]):
        return 0
    ends = [signal.SIGINT]
    for name in ("SIGTERM", "SIGHUP"):  # ended from outside, files half written are still removed
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:  # `nohup` has the second one ignored
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
        # What is left is Python's own end, where an interruption would be shown as a traceback.
        for number in ends:
            signal.signal(number, signal.SIG_DFL)


def main_gui() -> int:
    """`parapluie-gui` is `parapluie gui`."""
    sys.argv[1:1] = ["gui"]
    return main()


def _press(number: int, frame: FrameType | None) -> None:
    # Kept, since libraries that are being imported turn the interruption into an error of their own.
    global _pressed
    _pressed = True
    raise KeyboardInterrupt


def _open_streams() -> None:
    """Put nothing in the place of standard streams that were closed (`2>&-`), or that a window's program never had.

    Otherwise the next file that is opened takes the number, and what a library says on stderr is written into it.
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
