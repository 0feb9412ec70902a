"""What `parapluie train-judge` can be told; light, so that every start of `parapluie` can afford it."""

from __future__ import annotations

import argparse

from parapluie_gui.places import expand_user_path


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.description = "Train a small masked language model as a judge, on labelled or graded corpora."
    parser.add_argument("base", metavar="BASE", help="model to begin with: a catalogue name or a folder")
    parser.add_argument(
        "corpus", nargs="+", metavar="FILE[@X]", help="corpus to learn from; @0.5 = half of it an epoch"
    )
    parser.add_argument(
        "-o", "--output", required=True, type=expand_user_path, metavar="FOLDER", help="where the judge goes"
    )
    parser.add_argument(
        "--held-out", action="append", type=expand_user_path, default=[], metavar="FILE", help="corpus to be judged"
    )
    parser.add_argument(
        "--calibrate",
        type=expand_user_path,
        metavar="FILE",
        help="held-out corpus on which 0 becomes the threshold of equal errors",
    )
    parser.add_argument(
        "--average",
        type=expand_user_path,
        metavar="JUDGE",
        help="folder of a judge of the same base; the mean of both is saved",
    )
    parser.add_argument("--template", default="CLOZE", metavar="NAME", help="cloze to be filled (CLOZE)")
    parser.add_argument("--easy", type=float, default=0.1, metavar="X", help="share of easy negatives (0.1)")
    parser.add_argument("--rules", type=float, default=0.4, metavar="X", help="share of pairs made by rule (0.4)")
    parser.add_argument("--edits", type=float, default=0.0, metavar="X", help="share of changed corpus sentences (0)")
    parser.add_argument(
        "--graded", type=float, nargs=2, default=(3.0, 4.8), metavar=("NO", "YES"), help="grades of 0..5 that mean so"
    )
    parser.add_argument("--epochs", type=float, default=3.0, metavar="N", help="passes over the corpora (3)")
    parser.add_argument("--rate", type=float, default=1e-4, metavar="R", help="highest learning rate (1e-4)")
    parser.add_argument("--batch", type=int, default=32, metavar="N", help="pairs a step (32)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of every draw (0)")
    parser.add_argument("--threads", type=int, metavar="N", help="processor threads (all)")
    parser.add_argument("--precision", default="auto", choices=("auto", "float32", "bfloat16"), help="of the passes")
    parser.add_argument("--resume", action="store_true", help="go on with the unfinished run in FOLDER")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from parapluie_gui.commands import train_judge

    return train_judge.run(options)
