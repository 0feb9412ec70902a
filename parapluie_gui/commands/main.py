"""`parapluie`: score corpora, fetch models and open the window from the command line."""

from __future__ import annotations

import argparse
import errno
import io
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pkgutil import resolve_name
from typing import Any, NoReturn

from parapluie_gui.commands.arguments import (
    asked_by_option,
    declare,
    declare_analyses,
    filled,
    filled_analyses,
    flags,
)
from parapluie_gui.commands.options import (
    Analysing,
    Certify,
    Concordance,
    ConnectServer,
    Doctor,
    Explain,
    ExportJudgements,
    GetModel,
    Gui,
    Help,
    Merge,
    MergeJudgements,
    ModelInfo,
    Nothing,
    Paraphrase,
    Paraphrasus,
    RaterAgreement,
    Score,
    Sweep,
)
from parapluie_gui.commands.saying import say
from parapluie_gui.commands.train_options import TrainJudge, TrainPem
from parapluie_gui.errors import BAD_INPUT, INTERRUPTED, ParapluieError, one_line
from parapluie_gui.version import __version__


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status: 0, 2 (one sentence on stderr says what is wrong) or 130 (Ctrl+C).

    What is unforeseen is raised; `net.py` makes a sentence of it for the user.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Where "±" or a corpus's name cannot be printed, a question mark is better than an error after hours of work.
        sys.stdout.reconfigure(errors="replace")
    try:
        options = _parser().parse_args(arguments)
        status: int = options.run(options)
    except ParapluieError as error:
        say(str(error))
        return BAD_INPUT
    except KeyboardInterrupt:
        print("\nparapluie: stopped.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        raise
    except OSError as error:
        say(_sentence(error))
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


def _add_judgements(commands: argparse._SubParsersAction[_Parser]) -> None:
    people = commands.add_parser("judgements", help="what people said: export, merge, agreement")
    people.description = "What people said of pairs in the window."
    actions = people.add_subparsers(required=True, metavar="ACTION", help="what to do")
    _add(actions, "export", "write all answers as a table", "judgements:export", ExportJudgements)
    _add(actions, "merge", "merge the answers in copies of a session", "judgements:merge", MergeJudgements)
    _add(actions, "agreement", "how far annotators, labels and scores agree", "judgements:agree", RaterAgreement)


def _parser() -> _Parser:
    parser = _Parser(prog="parapluie", description="Inspect how metrics judge paraphrases.")
    parser.add_argument("--version", action="version", version=f"parapluie {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add(commands, "score", "score a corpus of sentence pairs into a table", "score:run", Score)
    _add(commands, "merge", "put the parts of a large corpus together", "merge:run", Merge)
    _analysis(
        commands, "analyse", "evaluate scores: thresholds, curves, correlations, comparisons", without=("extend",)
    )
    _add(commands, "explain", "which of the words that differ decided a score", "explain:run", Explain)
    _analysis(
        commands,
        "errors",
        "what errors have in common, and labels that may be wrong",
        ("errors",),
        _EXTEND,
        apart=True,
        draws=0,
        selecting=True,
    )
    _add(commands, "paraphrasus", "the PARAPHRASUS benchmark's table of errors", "paraphrasus:run", Paraphrasus)
    _analysis(
        commands,
        "meta",
        "correlation of scores with human scores, by ParaScore's protocol",
        ("human",),
        apart=True,
        draws=0,
    )
    _add_judgements(commands)
    _add(commands, "certify", "what scores do with pairs whose answer is known", "certify:run", Certify)
    _add(commands, "sweep", "one question in many forms: wordings, answers, orders, examples", "sweep:run", Sweep)
    _add(commands, "paraphrase", "write paraphrases of sentences with a judge", "paraphrase:run", Paraphrase)
    _analysis(commands, "describe", "what corpora are like: labels, lengths, wording, languages", ("corpus",), _SCORES)
    _add(commands, "concordance", "where words stand in pairs, and among which others", "concordance:run", Concordance)
    _analysis(
        commands,
        "systems",
        "writers of paraphrases compared, by people and by scores",
        ("systems",),
        _EXTEND,
        apart=True,
    )
    _add(commands, "gui", "open the window", "gui:run", Gui)
    pem = commands.add_parser("pem", help="train the metric PEM on a parallel text of your own")
    pem.description = "PEM, the paraphrase metric with a second language as the pivot (Liu et al., EMNLP 2010)."
    actions = pem.add_subparsers(required=True, metavar="ACTION", help="what to do")
    _add(actions, "train", "train a model from a parallel text and human scores", "pem:run", TrainPem)
    _add(commands, "train-judge", "train a small judge from labelled corpora", "train_judge:run", TrainJudge)
    _add(commands, "metrics", "list the metrics, what each needs and whether it is ready", "metrics:run", Nothing)
    models = _add(commands, "models", "list, fetch and describe judge models", "models:list_models", Nothing)
    actions = models.add_subparsers(metavar="ACTION", help="list, if none is named")
    _add(actions, "list", "list the models", "models:list_models", Nothing)
    _add(actions, "get", "fetch a model", "models:get_model", GetModel)
    _add(actions, "recommend", "which judges fit into this computer's memory", "models:recommend", Nothing)
    _add(actions, "connect", "connect to a server that runs a judge", "models:connect", ConnectServer)
    _add(actions, "info", "describe a model", "models:model_info", ModelInfo)
    _add(commands, "doctor", "check this installation, and say what to do about problems", "doctor:run", Doctor)
    _add(commands, "help", "print a page of the manual", "help:run", Help)
    return parser


def _add(
    commands: argparse._SubParsersAction[_Parser], name: str, help: str, function: str, kind: type[Any]
) -> _Parser:
    """Add a command: `function` names its module in `commands` and the function there, loaded when the command runs."""

    def run(parsed: argparse.Namespace) -> int:
        if kind in (Score, Explain, Paraphrasus, Certify, Paraphrase, Sweep):
            # Nothing is fetched while scoring; `parapluie models get` is the one command that downloads.
            os.environ["HF_HUB_OFFLINE"] = "1"
        return int(resolve_name(f"parapluie_gui.commands.{function}")(filled(kind, parsed)))

    parser = commands.add_parser(name, help=help, description=kind.__doc__)
    declare(parser, kind)
    parser.set_defaults(run=run)
    return parser


#: What `describe` cannot be given, and what only `meta` can.
_SCORES, _EXTEND = ("scores", "scoring", "extend"), ("extend",)


def _analysis(
    commands: argparse._SubParsersAction[_Parser],
    name: str,
    help: str,
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
    parser = commands.add_parser(name, help=help)
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
        return int(resolve_name("parapluie_gui.commands.analysis:run")(options))

    parser.later = declare_all
    parser.set_defaults(run=run)
