"""`parapluie`: score corpora, fetch models and open the window from the command line."""

from __future__ import annotations

import argparse
import errno
import io
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NoReturn, TypeAlias, get_args

from parapluie_gui import places
from parapluie_gui.commands import saying
from parapluie_gui.commands.arguments import (
    asked_by_option,
    declare,
    declare_analyses,
    filled,
    filled_analyses,
    flags,
)
from parapluie_gui.commands.catalogue import commands, listing
from parapluie_gui.commands.saying import say_error
from parapluie_gui.commands.streams import streamed
from parapluie_gui.errors import BAD_INPUT, INTERRUPTED, ParapluieError, one_line
from parapluie_gui.feature import AnalysisCommand, Command
from parapluie_gui.files import remove_leftovers
from parapluie_gui.version import __version__
from parapluie_gui.work import bars


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status: 0, 2 (one sentence on stderr says what is wrong) or 130 (Ctrl+C).

    What is unforeseen is raised; `net.py` makes a sentence of it for the user.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Where "±" or a corpus's name cannot be printed, a question mark is better than an error after hours of work.
        sys.stdout.reconfigure(errors="replace")
    try:
        options, unknown = _parser().parse_known_args(arguments)
        if unknown:
            options.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
        saying.quiet, saying.color, bars.lines = options.quiet, options.color, not options.quiet
        saying.command = shlex.join(["parapluie", *(sys.argv[1:] if arguments is None else arguments)])
        remove_leftovers(places.data_folder())
        status: int = options.run(options)
    except ParapluieError as error:
        say_error(str(error))
        return BAD_INPUT
    except KeyboardInterrupt:
        print("\nparapluie: stopped.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        raise
    except OSError as error:
        say_error(_sentence(error))
        return BAD_INPUT
    return status


#: No room on the disk, none in the user's share of it, none in the file.
_FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EFBIG)


def _sentence(error: OSError) -> str:
    place = f"{error.filename}: " if error.filename else ""
    if error.errno in _FULL:
        todo = "Make room there, or choose another place"
    elif place:
        todo = "Check that it is there and that you may use it"
    else:
        todo = "Check the disk, and where the output goes"
    return f"{place}{error.strerror or error}. {todo}."


class _Help(argparse.HelpFormatter):
    """Names what a command needs in its first line, and leaves lists of commands and examples as they are."""

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: Any = None) -> None:
        needed = [each for each in actions if not each.option_strings or each.required]
        super().add_usage(usage, needed, (), prefix)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n  " in text:
            return "".join(indent + line for line in text.splitlines(keepends=True))
        return super()._fill_text(text, width, indent)


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, without the lines of usage that argparse puts before it.

    Attributes:
        later: Declares further arguments when the parser is used: what takes time to import.
    """

    later: Callable[[], None] | None = None

    def whole(self) -> _Parser:
        """Return the parser with all its arguments."""
        later, self.later = self.later, None
        if later is not None:
            later()
        return self

    def parse_known_args(self, *arguments: Any, **more: Any) -> Any:
        return super(_Parser, self.whole()).parse_known_args(*arguments, **more)

    def format_help(self) -> str:
        return super(_Parser, self.whole()).format_help()

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"parapluie: {one_line(message)}; `{self.prog} --help` lists what there is.\n")


def _parser() -> _Parser:
    parser = _Parser(prog="parapluie", usage="parapluie COMMAND ...", formatter_class=_Help)
    parser.description = f"Inspect how metrics judge paraphrases.\n\n{listing()}"
    parser.epilog = "`parapluie COMMAND --help` has its options and examples, `parapluie help` the manual."
    parser.add_argument("--version", action="version", version=f"parapluie {__version__}")
    parsers = parser.add_subparsers(required=True, metavar="COMMAND", prog="parapluie", help=argparse.SUPPRESS)
    for command in commands().values():
        if isinstance(command, AnalysisCommand):
            _add_analysis(parsers, command)
        else:
            _add(parsers, command)
    return parser


Parsers: TypeAlias = "argparse._SubParsersAction[_Parser]"


def _add(parsers: Parsers, command: Command, of: str = "") -> None:
    """Add a command, or an action `of` one; its options are declared when it is the one that runs."""
    parser = _add_parser(parsers, command, of)
    if command.place:

        def declare_all() -> None:
            kind = command.load_options()
            parser.description = kind.__doc__
            declare(parser, kind, command=command.name)

        def run(parsed: argparse.Namespace) -> int:
            if command.offline:
                # Nothing is fetched while scoring; `parapluie models get` is the one command that downloads.
                os.environ["HF_HUB_OFFLINE"] = "1"
            return _run(command, filled(command.load_options(), parsed, command=command.name))

        parser.later = declare_all
        parser.set_defaults(run=run)
    else:
        parser.description = command.description
    if command.actions:
        help = "list, if none is named" if command.place else "what to do"
        actions = parser.add_subparsers(required=not command.place, metavar="ACTION", help=help)
        for action in command.actions:
            _add(actions, action, of=command.name)


def _add_parser(parsers: Parsers, command: Command, of: str = "") -> _Parser:
    """Add the parser of a command, or of an action, with the options that all of them take."""
    if of:
        parser = parsers.add_parser(command.name, formatter_class=_Help, help=command.about)
    else:
        parser = parsers.add_parser(command.name, formatter_class=_Help, epilog=command.epilog)
    parser.set_defaults(parser=parser, quiet=False, color="auto")
    parser.add_argument(
        "--quiet", action="store_true", default=argparse.SUPPRESS, help="print nothing on stderr but what goes wrong"
    )
    parser.add_argument(
        "--color",
        choices=get_args(saying.Color),
        default=argparse.SUPPRESS,
        help="titles in bold and errors in colour (auto: on a terminal, unless NO_COLOR is set)",
    )
    return parser


def _run(command: Command, options: Any) -> int:
    """Load a command's module and run it; "-" among its files is standard input or output."""
    with streamed(options) as given:
        return int(command.load()(given))


def _add_analysis(parsers: Parsers, command: AnalysisCommand) -> None:
    """Add a command that prints analyses, with their options."""
    parser = _add_parser(parsers, command)
    without = (*(("only",) if command.analyses else ()), *command.without)

    def objects() -> dict[str, Any]:
        from parapluie_gui.analysis import catalogue

        found = {each: catalogue.analysis(each) for each in command.analyses or catalogue.names()}
        return {key: each for key, each in found.items() if command.analyses or not each.standalone}

    def declare_all() -> None:
        kind = command.load_options()
        found = objects()
        own = f"{command.about[:1].upper()}{command.about[1:]}."
        about = [f"{each.about}." for each in found.values()] if command.analyses else [own]
        parser.description = " ".join(about).replace("%", "%%")
        declare(parser, kind, without, command=command.name)
        if command.draws is not None:
            parser.set_defaults(draws=command.draws)
        taken = flags(kind, without, command=command.name)
        declare_analyses(parser, {key: each.options for key, each in found.items()}, taken)

    def run(parsed: argparse.Namespace) -> int:
        os.environ["HF_HUB_OFFLINE"] = "1"
        kind = command.load_options()
        kinds = {key: each.options for key, each in objects().items()}
        taken = flags(kind, without, command=command.name)
        options = filled(kind, parsed, without, command=command.name)
        options = replace(
            options,
            only=command.analyses or options.only,
            analyses=filled_analyses(kinds, taken, parsed),
            asked=asked_by_option(kinds, taken, parsed),
            apart=command.apart,
        )
        return _run(command, options)

    parser.later = declare_all
    parser.set_defaults(run=run)
