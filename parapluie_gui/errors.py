"""The errors a user can meet; each one's text is a sentence fit to be shown, saying what is wrong and what to do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

#: Exit status of the commands for input that cannot be used; argparse ends with the same one.
BAD_INPUT = 2

#: Exit status after Ctrl+C, as shells have it.
INTERRUPTED = 130


#: What would break a sentence in two, and what else could command a terminal: both may come out of a column's name.
_LINE_BREAKS = re.compile(r"[\t-\r\x1c-\x1e\x85\u2028\u2029]+")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


class ParapluieError(Exception):
    """Base of every error whose text is written for the user; it is one line, whatever names it quotes."""

    def __init__(self, sentence: str = "") -> None:
        super().__init__(one_line(sentence))


def one_line(text: str | Path) -> str:
    """Return a sentence or a file's name as text that can be shown and written anywhere, in one line.

    Line breaks become spaces. Control characters become U+FFFD, and so do the lone surrogates that stand in a path for
    bytes which are not UTF-8: no file takes them, and Qt leaves them out or dies of them (PySide6 6.11).
    """
    return _CONTROLS.sub("\ufffd", _LINE_BREAKS.sub(" ", str(text)))


def first_line(error: Exception) -> str:
    """Return what an error of another library says, shortened to fit into a sentence; its kind if it is silent."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def with_advice(what: str, todo: str) -> str:
    """Return what is wrong and what to do as two sentences; both come without a full stop, a question with its mark."""
    return f"{what}. {todo[:1].upper()}{todo[1:]}{'' if todo.endswith('?') else '.'}"


def listed(words: Sequence[str], last: str = "and") -> str:
    """Return words as a sentence lists them: "A", "A and B", "A, B and C"."""
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


class InternalError(ParapluieError):
    """What nobody foresaw, as a sentence; its cause is the error itself."""

    @classmethod
    def of(cls, error: Exception, what: str = "{0}") -> InternalError:
        """Return an error as a sentence for the user; {0} in `what` stands for it."""
        words = f"Internal error ({type(error).__name__}: {first_line(error)})."
        made = cls(what.format(f"{words} Try again. If it comes again, please report the details."))
        made.__cause__ = error
        return made


class CorpusError(ParapluieError):
    """A file of pairs that cannot be read as asked.

    Args:
        what: What is wrong, without a full stop.
        todo: What the user can do about it, without a full stop.
        path: The file, or None for pasted text.
        line: 1-based line (or record) the problem is at, or None when it concerns the whole file.
    """

    def __init__(self, what: str, todo: str, path: Path | str | None = None, line: int | None = None) -> None:
        self.what, self.todo, self.path, self.line = what, todo, path, line
        place = (Path(path).name or str(path)) if path is not None else "The text"
        if line is not None:
            place += f", line {line}"
        super().__init__(f"{place}: {with_advice(what, todo)}")


class EncodingError(CorpusError):
    """The text is neither marked by a byte order mark nor UTF-8: the user has to name its encoding."""


class LabelError(CorpusError):
    """The column of labels holds values of which nothing says what they mean: the user has to."""


class NoPairsError(CorpusError):
    """No row holds a pair of sentences."""


class OwnFileError(ParapluieError):
    """A file of the user's own that cannot be used.

    Attributes:
        line: The line of its file that the sentence is about, counted from 1; None when it is none in particular.
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
    """A package that is not installed, and what can be done: most of the program runs without it."""


class MetricError(ParapluieError):
    """A metric that does not exist or cannot be computed here."""


class SessionError(ParapluieError):
    """A session file that cannot be opened or written."""


class DamagedError(SessionError):
    """A session file or score store whose bytes are not those that were written."""


class UnwritableError(SessionError):
    """A session that cannot be written now, and may be later: a full disk, a folder without rights, another writer."""


class DocumentError(SessionError):
    """A session file that is not what this program last saved: changed by another program, gone, or open elsewhere."""


class InUseError(DocumentError):
    """A session file that is open in another window or program."""


class FilterError(ParapluieError):
    """A filter expression that cannot be understood."""


class WorkerError(ParapluieError):
    """The process that computes scores ended unexpectedly."""


class HelpError(ParapluieError):
    """A page of the manual that does not exist."""
