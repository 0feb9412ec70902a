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
from pkgutil import resolve_name
from typing import Any, NoReturn, get_args

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
from parapluie_gui.commands.catalogue import COMMANDS, listing
from parapluie_gui.commands.options import (
    Analysing,
    Certify,
    ConnectServer,
    Demo,
    Doctor,
    Explain,
    FindWords,
    GetModel,
    Gui,
    Help,
    ListModels,
    Merge,
    ModelInfo,
    Paraphrase,
    Replicate,
    RunParaphrasus,
    Score,
    Share,
    SweepWordings,
)
from parapluie_gui.commands.people_options import ExportJudgements, ImportJudgements, MergeJudgements, RaterAgreement
from parapluie_gui.commands.saying import say_error
from parapluie_gui.commands.streams import streamed
from parapluie_gui.commands.train_options import TrainJudge, TrainPem
from parapluie_gui.errors import BAD_INPUT, INTERRUPTED, ParapluieError, one_line
from parapluie_gui.files import sweep
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
        sweep(places.data_folder())
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
    commands = parser.add_subparsers(required=True, metavar="COMMAND", prog="parapluie", help=argparse.SUPPRESS)
    _add(commands, "gui", "gui:run", Gui)
    _add(commands, "demo", "demo:run", Demo)
    _add(commands, "score", "score:run", Score)
    _add(commands, "paraphrase", "paraphrase:run", Paraphrase)
    _add(commands, "explain", "explain:run", Explain)
    _analysis(commands, "errors", ("errors",), _EXTEND, apart=True, draws=0, selecting=True)
    _analysis(commands, "describe", ("corpus",), _SCORES)
    _add(commands, "concordance", "concordance:run", FindWords)
    _analysis(commands, "analyse", without=("extend",))
    _add(commands, "certify", "certify:run", Certify)
    _add(commands, "sweep", "sweep:run", SweepWordings)
    _analysis(commands, "systems", ("systems",), _EXTEND, apart=True)
    _analysis(commands, "meta", ("human",), apart=True, draws=0)
    _add(commands, "paraphrasus", "paraphrasus:run", RunParaphrasus)
    _add(commands, "share", "share:run", Share)
    _add(commands, "replicate", "replicate:run", Replicate)
    people = _actions(commands, "judgements", "What people said of pairs in the window.")
    _add(people, "export", "judgements:export", ExportJudgements, "write all answers as a table")
    _add(people, "merge", "judgements:merge", MergeJudgements, "merge the answers in copies of a session")
    _add(people, "import", "judgements:import_answers", ImportJudgements, "add answers of a table, by the pairs' ids")
    _add(people, "agreement", "judgements:agree", RaterAgreement, "how far annotators, labels and scores agree")
    _add(commands, "metrics", "metrics:run", ListModels)
    models = _add(commands, "models", "models:list_models", ListModels)
    actions = models.add_subparsers(metavar="ACTION", help="list, if none is named")
    _add(actions, "list", "models:list_models", ListModels, "list the models")
    _add(actions, "get", "models:get_model", GetModel, "fetch a model")
    _add(actions, "recommend", "models:recommend", ListModels, "which judges fit into this computer's memory")
    _add(actions, "connect", "models:connect", ConnectServer, "connect to a server that runs a judge")
    _add(actions, "info", "models:model_info", ModelInfo, "describe a model")
    pem = _actions(
        commands, "pem", "PEM, the paraphrase metric with a second language as the pivot (Liu et al., EMNLP 2010)."
    )
    _add(pem, "train", "pem:run", TrainPem, "train a model from a parallel text and human scores")
    _add(commands, "train-judge", "train_judge:run", TrainJudge)
    _add(commands, "merge", "merge:run", Merge)
    _add(commands, "doctor", "doctor:run", Doctor)
    _add(commands, "help", "help:run", Help)
    return parser


def _actions(
    commands: argparse._SubParsersAction[_Parser], name: str, description: str
) -> argparse._SubParsersAction[_Parser]:
    """Add a command that does nothing without one of its actions, and return where they are added."""
    parser = _named(commands, name)
    parser.description = description
    return parser.add_subparsers(required=True, metavar="ACTION", help="what to do")


def _named(commands: argparse._SubParsersAction[_Parser], name: str, about: str = "") -> _Parser:
    """Add a command, or (with `about`) an action of one, with what all of them take."""
    if about:
        parser = commands.add_parser(name, formatter_class=_Help, help=about)
    else:
        parser = commands.add_parser(name, formatter_class=_Help, epilog=COMMANDS[name].epilog)
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


def _add(
    commands: argparse._SubParsersAction[_Parser], name: str, function: str, kind: type[Any], about: str = ""
) -> _Parser:
    """Add a command: `function` names its module in `commands` and the function there, loaded when the command runs."""

    def run(parsed: argparse.Namespace) -> int:
        if kind in (Score, Explain, RunParaphrasus, Replicate, Certify, Paraphrase, SweepWordings):
            # Nothing is fetched while scoring; `parapluie models get` is the one command that downloads.
            os.environ["HF_HUB_OFFLINE"] = "1"
        return _do(function, filled(kind, parsed))

    parser = _named(commands, name, about)
    parser.description = kind.__doc__
    declare(parser, kind)
    parser.set_defaults(run=run)
    return parser


def _do(function: str, options: Any) -> int:
    """Load a command's module and run it; "-" among its files is standard input or output."""
    with streamed(options) as given:
        return int(resolve_name(f"parapluie_gui.commands.{function}")(given))


#: What `describe` cannot be given, and what only `meta` can.
_SCORES, _EXTEND = ("scores", "scoring", "extend"), ("extend",)


def _analysis(
    commands: argparse._SubParsersAction[_Parser],
    name: str,
    analyses: tuple[str, ...] = (),
    without: tuple[str, ...] = (),
    *,
    apart: bool = False,
    draws: int | None = None,
    selecting: bool = False,
) -> None:
    """Add a command that prints analyses, with their options; without names, those chosen of all.

    `without` are the fields of `Analysing` that it lacks; with `apart` it analyses each file by itself; `draws` are its
    usual resamples, where they are not those of the others; with `selecting` it takes `Selecting`.
    """
    parser, help = _named(commands, name), COMMANDS[name].about
    without = (
        *(("only",) if analyses else ()),
        *without,
        *(() if selecting else ("selecting",)),
    )
    taken = flags(Analysing, without)

    def objects() -> dict[str, Any]:
        from parapluie_gui.analysis import catalogue

        found = {each: catalogue.analysis(each) for each in analyses or catalogue.NAMES}
        return {key: each for key, each in found.items() if analyses or not each.standalone}

    def declare_all() -> None:
        found = objects()
        about = [f"{each.about}." for each in found.values()] if analyses else [f"{help[:1].upper()}{help[1:]}."]
        parser.description = " ".join(about).replace("%", "%%")
        declare(parser, Analysing, without)
        if draws is not None:
            parser.set_defaults(draws=draws)
        declare_analyses(parser, {key: each.options for key, each in found.items()}, taken)

    def run(parsed: argparse.Namespace) -> int:
        os.environ["HF_HUB_OFFLINE"] = "1"
        kinds = {key: each.options for key, each in objects().items()}
        options = filled(Analysing, parsed, without)
        options = replace(
            options,
            only=analyses or options.only,
            analyses=filled_analyses(kinds, taken, parsed),
            asked=asked_by_option(kinds, taken, parsed),
            apart=apart,
        )
        return _do("analysis:run", options)

    parser.later = declare_all
    parser.set_defaults(run=run)
