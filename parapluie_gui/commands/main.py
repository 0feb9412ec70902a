"""The command line of `parapluie`: parse the arguments and run a command."""

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

from parapluie_gui import children, places
from parapluie_gui.commands import saying
from parapluie_gui.commands.arguments import (
    check_outputs,
    declare_analyses,
    declare_options,
    fill_analyses,
    fill_options,
    find_requested_analyses,
    list_flags,
)
from parapluie_gui.commands.catalogue import commands, format_listing
from parapluie_gui.commands.saying import say_error
from parapluie_gui.commands.streams import redirect_dashes
from parapluie_gui.errors import BAD_INPUT, INTERRUPTED, ParapluieError, one_line
from parapluie_gui.feature import AnalysisCommand, Command
from parapluie_gui.files import remove_leftovers
from parapluie_gui.version import __version__
from parapluie_gui.work import bars


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit status: 0, 2 (after a one-sentence error on stderr) or 130 (Ctrl+C).

    Unexpected errors are raised; `net.py` words them for the user.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A question mark in place of "±", or of a letter in a corpus's name, is better than an error after hours of
        # work.
        sys.stdout.reconfigure(errors="replace")
    children.limit_spinning()
    try:
        options, unknown = _build_parser().parse_known_args(arguments)
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
        say_error(_describe_os_error(error))
        return BAD_INPUT
    return status


#: Errors for a full disk, an exhausted quota, and a file that may not grow.
_FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EFBIG)


def _describe_os_error(error: OSError) -> str:
    place = f"{error.filename}: " if error.filename else ""
    if error.errno in _FULL:
        todo = "Free disk space there, or choose a different folder"
    elif place:
        todo = "Check that it exists and that you have permission to use it"
    else:
        todo = "Check the disk and the output's location"
    return f"{place}{error.strerror or error}. {todo}."


class _HelpFormatter(argparse.HelpFormatter):
    """A help formatter that shows only required arguments in the usage line and does not wrap lists and examples."""

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: Any = None) -> None:
        needed = [action for action in actions if not action.option_strings or action.required]
        super().add_usage(usage, needed, (), prefix)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n  " in text:
            return "".join(indent + line for line in text.splitlines(keepends=True))
        return super()._fill_text(text, width, indent)


class _ArgumentParser(argparse.ArgumentParser):
    """An argument parser that reports errors in one sentence, without argparse's usage lines.

    Attributes:
        later: The function that declares arguments with slow imports, called when the parser is first used.
    """

    later: Callable[[], None] | None = None

    def complete(self) -> _ArgumentParser:
        """Return the parser with all its arguments."""
        later, self.later = self.later, None
        if later is not None:
            later()
        return self

    def parse_known_args(self, *arguments: Any, **more: Any) -> Any:
        return super(_ArgumentParser, self.complete()).parse_known_args(*arguments, **more)

    def format_help(self) -> str:
        return super(_ArgumentParser, self.complete()).format_help()

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"parapluie: {one_line(message)}; `{self.prog} --help` lists the options.\n")


def _build_parser() -> _ArgumentParser:
    parser = _ArgumentParser(prog="parapluie", usage="parapluie COMMAND ...", formatter_class=_HelpFormatter)
    parser.description = f"Inspect how metrics judge paraphrases.\n\n{format_listing()}"
    parser.epilog = "`parapluie COMMAND --help` shows a command's options and examples, `parapluie help` the manual."
    parser.add_argument("--version", action="version", version=f"parapluie {__version__}")
    parsers = parser.add_subparsers(required=True, metavar="COMMAND", prog="parapluie", help=argparse.SUPPRESS)
    for command in commands().values():
        if isinstance(command, AnalysisCommand):
            _add_analysis(parsers, command)
        else:
            _add_command(parsers, command)
    return parser


Parsers: TypeAlias = "argparse._SubParsersAction[_ArgumentParser]"


def _add_command(parsers: Parsers, command: Command, of: str = "") -> None:
    """Add a command, or an action `of` a command; its options are declared when it is used."""
    parser = _add_parser(parsers, command, of)
    if command.place:

        def declare_all() -> None:
            kind = command.load_options()
            parser.description = command.description or kind.__doc__
            declare_options(parser, kind, command=command.name)

        def run(parsed: argparse.Namespace) -> int:
            if command.offline:
                # Nothing is downloaded while scoring; only `parapluie models get` downloads.
                os.environ["HF_HUB_OFFLINE"] = "1"
            return _run_command(command, fill_options(command.load_options(), parsed, command=command.name))

        parser.later = declare_all
        parser.set_defaults(run=run)
    else:
        parser.description = command.description
    if command.actions:
        help = "(default: list)" if command.place else "what to do"
        actions = parser.add_subparsers(required=not command.place, metavar="ACTION", help=help)
        for action in command.actions:
            _add_command(actions, action, of=command.name)


def _add_parser(parsers: Parsers, command: Command, of: str = "") -> _ArgumentParser:
    """Add the parser of a command or an action, with the options of all commands."""
    if of:
        parser = parsers.add_parser(command.name, formatter_class=_HelpFormatter, help=command.about)
    else:
        parser = parsers.add_parser(command.name, formatter_class=_HelpFormatter, epilog=command.epilog)
    parser.set_defaults(parser=parser, quiet=False, color="auto")
    parser.add_argument("--quiet", action="store_true", default=argparse.SUPPRESS, help="print only errors on stderr")
    parser.add_argument(
        "--color",
        choices=get_args(saying.Color),
        default=argparse.SUPPRESS,
        help="print titles in bold and errors in colour (auto: on a terminal, unless NO_COLOR is set)",
    )
    return parser


def _run_command(command: Command, options: Any) -> int:
    """Load a command's module and run it; "-" as a file is standard input or output."""
    with redirect_dashes(options) as replaced:
        check_outputs(replaced)
        return int(command.load()(replaced))


def _add_analysis(parsers: Parsers, command: AnalysisCommand) -> None:
    """Add a command that prints analyses, with the options of these analyses."""
    parser = _add_parser(parsers, command)
    without = (*(("only",) if command.analyses else ()), *command.without)

    def objects() -> dict[str, Any]:
        from parapluie_gui.analysis import catalogue

        analyses = {analysis: catalogue.analysis(analysis) for analysis in command.analyses or catalogue.names()}
        return {key: analysis for key, analysis in analyses.items() if command.analyses or not analysis.standalone}

    def declare_all() -> None:
        kind = command.load_options()
        analyses = objects()
        own = f"{command.about[:1].upper()}{command.about[1:]}."
        about = [f"{analysis.about}." for analysis in analyses.values()] if command.analyses else [own]
        parser.description = " ".join(about).replace("%", "%%")
        declare_options(parser, kind, without, command=command.name)
        if command.draws is not None:
            parser.set_defaults(draws=command.draws)
        taken = list_flags(kind, without, command=command.name)
        declare_analyses(parser, {key: analysis.options for key, analysis in analyses.items()}, taken)

    def run(parsed: argparse.Namespace) -> int:
        os.environ["HF_HUB_OFFLINE"] = "1"
        kind = command.load_options()
        kinds = {key: analysis.options for key, analysis in objects().items()}
        taken = list_flags(kind, without, command=command.name)
        options = fill_options(kind, parsed, without, command=command.name)
        options = replace(
            options,
            only=command.analyses or options.only,
            analyses=fill_analyses(kinds, taken, parsed),
            asked=find_requested_analyses(kinds, taken, parsed),
            apart=command.apart,
        )
        return _run_command(command, options)

    parser.later = declare_all
    parser.set_defaults(run=run)
