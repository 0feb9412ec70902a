"""Errors for the user, whose messages say in a sentence what is wrong and what to do."""

from __future__ import annotations

import contextlib
import errno
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

#: Exit status of commands for unusable input, the same as that of argparse.
BAD_INPUT = 2

#: Exit status after Ctrl+C, as in shells.
INTERRUPTED = 130


#: Error numbers for lack of space: the disk is full, the quota is used up, or the file is too large for the disk.
NO_ROOM = frozenset({errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EFBIG})

#: Characters that would break a line, and control characters of terminals, which a column's name may contain.
_LINE_BREAKS = re.compile(r"[\t-\r\x1c-\x1e\x85\u2028\u2029]+")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


class ParapluieError(Exception):
    """Base of all errors whose message is for the user; the message is one line, whatever names it quotes."""

    def __init__(self, sentence: str = "") -> None:
        super().__init__(one_line(sentence))


def one_line(text: str | Path) -> str:
    """Convert a sentence or a file's name to one line that can be shown and written anywhere.

    Line breaks become spaces. Control characters become U+FFFD. So do lone surrogates, which stand for bytes of a path
    that are not UTF-8: files cannot contain them, and Qt omits them or crashes (PySide6 6.11).
    """
    return _CONTROLS.sub("\ufffd", _LINE_BREAKS.sub(" ", str(text)))


def printable(text: str) -> str:
    """Replace invisible characters and line breaks, with which a text could fake a message, by U+FFFD."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def first_line(error: BaseException) -> str:
    """Return the first line of a library's error for use in a sentence; if it has no message, its class."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def with_advice(what: str, todo: str) -> str:
    """Join a problem and advice into two sentences; both are given without full stop, a question with its mark."""
    return f"{what}. {todo[:1].upper()}{todo[1:]}{'' if todo.endswith('?') else '.'}"


def join_words(words: Sequence[str], last: str = "and") -> str:
    """Join words as in a sentence: "A", "A and B", "A, B and C"."""
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


class InternalError(ParapluieError):
    """An unexpected error, worded for the user; the original error is its cause."""

    @classmethod
    def from_error(cls, error: Exception, what: str = "{0}") -> InternalError:
        """Word an error for the user; {0} in `what` is replaced by the description of the error."""
        sentence = f"Internal error ({type(error).__name__}: {first_line(error)})."
        internal = cls(what.format(f"{sentence} Try again. If it happens again, please report the details."))
        internal.__cause__ = error
        return internal


class CorpusError(ParapluieError):
    """A file of pairs that cannot be read.

    Args:
        what: The problem, without a full stop.
        todo: Advice to the user, without a full stop.
        path: The file, or None for pasted text.
        line: 1-based line (or record) of the problem, or None if it concerns the whole file.
    """

    def __init__(self, what: str, todo: str, path: Path | str | None = None, line: int | None = None) -> None:
        self.what, self.todo, self.path, self.line = what, todo, path, line
        place = (Path(path).name or str(path)) if path is not None else "The text"
        if line is not None:
            place += f", line {line}"
        super().__init__(f"{place}: {with_advice(what, todo)}")


class EncodingError(CorpusError):
    """A text that is not UTF-8 and has no byte order mark, so that the user has to choose its encoding."""


class LabelError(CorpusError):
    """A column of labels with unknown values, whose meaning the user has to choose."""


class UndecidedError(CorpusError):
    """A file that can be read in two ways that are nearly as likely, of which the user has to choose one."""


class UndecidedLabelError(UndecidedError):
    """A file whose labels can be read in two ways, of which the user has to choose one."""


class NoPairsError(CorpusError):
    """A file without any row that holds a pair of sentences."""


class OwnFileError(ParapluieError):
    """A file of the user's own that cannot be used.

    Attributes:
        line: The 1-based line of the problem, or None if it concerns no particular line.
    """

    def __init__(self, sentence: str = "", line: int | None = None) -> None:
        super().__init__(sentence)
        self.line = line


class TemplateError(OwnFileError):
    """A prompt template that cannot be used, or does not exist."""


class SchemeError(OwnFileError):
    """A scheme of questions for people that cannot be used, or does not exist."""


class ModelError(ParapluieError):
    """A model that cannot be found, downloaded, verified, loaded or used as a judge."""


class MissingPackageError(ModelError):
    """An optional package that is not installed; most of the program works without it."""


class MetricError(ParapluieError):
    """A metric that does not exist or cannot be computed here."""


class SessionError(ParapluieError):
    """A session file that cannot be opened or written."""


class DamagedError(SessionError):
    """A corrupt session file or score store."""


class UnwritableError(SessionError):
    """A session that cannot be written now: the disk is full, permission is missing, or another program is writing."""


class DocumentError(SessionError):
    """A session file that differs from what this window saved: changed by another program, deleted, or in use."""


class InUseError(DocumentError):
    """A session file that is open in another window or program."""


class FilterError(ParapluieError):
    """A filter expression that cannot be understood."""


class WorkerError(ParapluieError):
    """The process that computes scores ended unexpectedly."""


class HelpError(ParapluieError):
    """A page of the manual that does not exist."""


@contextlib.contextmanager
def explain_write_errors(path: Path) -> Iterator[None]:
    """Turn an OSError into a ParapluieError that says why the user's file cannot be written, and what to do."""
    try:
        yield
    except OSError as error:
        raise ParapluieError(_why_unwritable(path, error)) from error


def _why_unwritable(path: Path, error: OSError) -> str:
    if not path.parent.is_dir():
        return f"There is no folder {path.parent}. Create it first, or choose a different folder."
    if isinstance(error, PermissionError):
        return f"There is no permission to write {path}. Close it in other programs, or choose a different folder."
    if error.errno in NO_ROOM:
        return f"{path} cannot be written ({error.strerror}). Free disk space there, or choose a different folder."
    return f"{path} cannot be written ({error.strerror or error}). Choose another folder or name."
