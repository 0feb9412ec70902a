"""Compares the numbers of two checkouts: scores and analyses by their command lines are saved and compared.

    python tests/benchmarks/same_numbers.py run PYTHON CHECKOUT FOLDER [--inputs BEFORE] [--data DIR] [--only NAME ...]
    python tests/benchmarks/same_numbers.py compare BEFORE AFTER

`run` scores the demo corpus, MRPC test and the available corpora of DIR, and runs every analysis of the command
line. With --inputs the analyses read the score tables and the session of an earlier run, so that they are compared
on the same numbers. `compare` ends with status 1 if anything differs that is not named in RENAMED or GONE.
Lexical metrics, and analyses of given scores, must be equal to the last digit; numbers computed by a model, within
TOLERANCE.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from parapluie_gui.places import data_folder

#: Allowed deviation of a model's numbers (float32, different batches), and the digits that tables print.
TOLERANCE, PRINTED = 1e-3, 2e-3

#: Intentional renamings: a pattern in the old text, its replacement, and the reason.
RENAMED: tuple[tuple[str, str, str], ...] = (
    (r"\bCLOZE\b", "Pocket", "a score has one name, everywhere"),
    (r"\(tok_whitespace\)", "(tok whitespace)", "a metric with options has one name, everywhere"),
)

#: Keys of --json that are no longer written, with the reason; the numbers under them are not compared.
GONE: dict[str, str] = {
    "format": "the version of the record",
    "written_by": "the version of the program",
    "sweep": "the counts at every threshold are drawn (figures), and in sweep.csv",
}

#: Columns of CSV that are no longer written, with the reason.
LEFT_OUT: dict[str, str] = {
    "corpus": "where there is one corpus, its name is above the table",
    "column": "what pairs are divided by is above the table",
    "type": "the same value in another form, and what failed to happen, are known as such",
    "note": "the first pair of the demo is of the authors' model card, not of the paper",
}

#: Intended differences: a pattern of their beginning, and the reason.
MEANT: dict[str, str] = {
    "analyse-cascade": "the second judge that decided what a first one doubted is gone",
    "analyse-filter.txt": "a threshold that was chosen counts also where scores are compared and errors are shared",
    "errors-mrpc.txt": "errors are compared with right answers of the same verdict and about the same score",
    "paraphrasus-metrics": "grades: STS and SICK apart, a bin for the highest score, no codes of NLI; errors are equal",
    "lines.csv": "the lines of concordance are in the folder of --csv",
    "sweep.txt": "the digests in the names of forms; the numbers are the same",
    "analyse-human.txt: no number 95 of": "no interval is drawn where pairs have no labels",
    "concordance": "the log ratio has the sign of the shares; contractions are words with any apostrophe",
    "certify-pocket.txt: no number": "a model's revision covers all of its bytes",
    r"errors-mrpc.json: no number \S+ of /analyses/(tables/groups-|figures/error-groups/|figures/errors-by-change/)": (
        "kinds of change have revision 4"
    ),
}

#: Cohen's κ is computed from integers, so its last digits differ: the tolerance, and its columns and places.
LAST_DIGITS = 1e-12
KAPPA = ("kappa", "/analyses/tables/comparison/rows", "/analyses/figures/agreement-matrix/values")

LEXICAL = (
    *("edit_distance", "wer", "bleu", "bleu,tok=whitespace", "sacrebleu", "chrf", "rouge1", "rouge2", "rougeL"),
    *("meteor", "meteor_stem", "ibleu", "wpd", "ld"),
)
DIVIDED = ("edit_distance", "length")
NEURAL = ("sbert", "bertscore", "parascore_free", "bert_ibleu")

#: Creates a session in which two people judged ten pairs.
_SESSION = """
import importlib, sys
import numpy as np
from parapluie_gui.pairs.corpus import Corpus
for room in ("storage", "scores"):
    try:
        Session = importlib.import_module(f"parapluie_gui.{room}.session").Session
        break
    except ImportError:
        pass
answers = ("very_different", "slightly_similar", "mostly_similar", "same_meaning", "dont_know")
texts = [f"sentence {row}" for row in range(10)]
with Session.open(__import__("pathlib").Path(sys.argv[1]), create=True) as session:
    labels = np.array([0, 0, 1, 1, 1, 0, 0, 1, 0, 1], dtype=np.int8)
    number = session.add_corpus(Corpus("mine", [f"p{row}" for row in range(10)], texts, texts, label=labels))
    for row, pair in enumerate(zip([0, 1, 2, 3, 3, 0, 2, 4, 1, 3], [0, 2, 2, 3, 2, 1, 1, 3, 1, 3])):
        for name, answer in zip(("Anna", "Ben"), pair):
            session.judge(number, row, name, "parapluie", "verdict", answers[answer])
"""


@dataclass(frozen=True)
class Step:
    """One run of the command line.

    Attributes:
        name: Name of its files.
        arguments: Arguments of the command; OUT stands for its output file or folder, otherwise the text and --json
        are saved.
        needs: Required files, without which it is left out.
        model: Whether a model computes its numbers.
        record: Whether it accepts --json.
    """

    name: str
    arguments: tuple[str, ...]
    needs: tuple[Path, ...] = ()
    model: bool = False
    record: bool = True


def steps(checkout: Path, data: Path, made: Path, inputs: Path) -> Iterator[Step]:
    """Return the steps: scores into the folder `made`, and analyses of the score tables in the folder `inputs`."""
    old = not (checkout / "parapluie_gui" / "analysis" / "base.py").exists()
    demo = checkout / "resources" / "demo" / "demo.tsv"
    mrpc, twitter = data / "mrpc" / "msr_paraphrase_test.txt", data / "parascore" / "twitter-para.csv"
    sts, paraphrasus, pem = data / "stsb" / "sts-test.csv", data / "paraphrasus", checkout / "resources/pem/en.npz"
    pocket = ("--judge", "pocket", "--template", "CLOZE")
    small = ("--judge", "smollm2-135m")

    def metrics(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(word for name in names for word in ("--metric", name))

    def score(name: str, corpus: Path, *more: str, model: bool = False) -> Step:
        out = str(made / f"{name}.csv")
        return Step(name, ("score", str(corpus), "-o", out, *more), (corpus,), model, record=False)

    yield score("lexical-demo", demo, *metrics(LEXICAL), "--types")
    yield score("lexical-mrpc", mrpc, *metrics(LEXICAL), "--types")
    yield score("lexical-sts", sts, *metrics(LEXICAL), "--limit", "400")
    yield score("lexical-twitter", twitter, *metrics(("edit_distance", "rouge1", "rouge1.ref", "bleu", "ibleu")))
    yield score("controls-demo", demo, *metrics(("bleu",)), "--controls", "--seed", "3")
    yield score("pem-mrpc", mrpc, "--metric", f"pem,as=pem:{pem}", "--limit", "300", model=True)
    yield score("pocket-demo", demo, *pocket, model=True)
    yield score("pocket-mrpc", mrpc, *pocket, *metrics(("edit_distance", "bleu", "meteor")), model=True)
    yield score("pocket-reverse", mrpc, *pocket, "--template", "CLOZE,reverse", "--limit", "60", model=True)
    yield score("neural-mrpc", mrpc, *metrics(NEURAL), "--limit", "120", model=True)
    yield score("neural-twitter", twitter, *metrics(("parascore", "sbert.ref")), "--limit", "80", model=True)
    yield score("chat-mrpc", mrpc, *small, "--template", "DIRECT", "--template", "P1", "--limit", "24", model=True)
    yield score("exact-mrpc", mrpc, *small, "--template", "DIRECT", "--exact", "--limit", "8", model=True)

    scored, demo_scored = inputs / "pocket-mrpc.csv", inputs / "lexical-demo.csv"

    def of(name: str, command: str, *arguments: object, needs: tuple[Path, ...] = (), model: bool = False) -> Step:
        return Step(name, (*command.split(), *map(str, arguments)), needs, model)

    draws = ("--draws", "50", "--seed", "1")
    yield of(
        "analyse-mrpc", "analyse", scored, "--by", "length", *draws, "--out", made / "analyse-mrpc", needs=(scored,)
    )
    yield of("analyse-filter", "analyse", scored, "--filter", "bleu > 0.4", "--threshold", "bleu=0.6", *draws)
    two = (demo_scored, inputs / "lexical-mrpc.csv")
    balanced = made / "analyse-balanced"
    drawn = ("--balanced", 20, *(() if old else ("--balanced-seed", 1)))
    yield of("analyse-balanced", "analyse", *two, *drawn, *draws, "--out", balanced, needs=two)
    human, unlabelled = inputs / "lexical-sts.csv", made / "analyse-human"
    yield of("analyse-human", "analyse", human, "--grades", 1, *draws, "--out", unlabelled, needs=(human,))
    for by in () if old else DIVIDED:
        divided = ("--only", "buckets", "--by", by, "--csv", unlabelled / by)
        yield of(f"buckets-human-{by}", "analyse", human, *divided, "--draws", 0, needs=(human,))
    yield of("analyse-types", "analyse", demo_scored, "--by", "type", *draws, needs=(demo_scored,))
    yield of("errors-mrpc", "errors", scored, needs=(scored,))
    yield of("errors-labels", "errors", scored, "--labels", needs=(scored,))
    yield of("errors-set", "errors", demo_scored, "--set", "bleu > 0.5", needs=(demo_scored,))
    yield of("describe", "describe", demo, mrpc, sts, needs=(mrpc, sts))
    judged = made / "systems.csv"
    yield of("systems", "systems", judged, "--system", "who", "--draws", "50", needs=(judged,))
    yield of("systems-twitter", "systems", inputs / "lexical-twitter.csv", "--draws", 0, needs=(twitter,))
    yield of("meta", "meta", inputs / "lexical-twitter.csv", "--extend", "--draws", 5, needs=(twitter,))
    yield of("certify", "certify", "bleu", "edit_distance", "meteor", "--pairs", 300, "--seed", 1, "--worst")
    yield of("certify-pocket", "certify", *pocket, "--pairs", 100, "--seed", 1, model=True)
    yield of(
        *("sweep", "sweep", demo, *small, "--template", "DIRECT", "--order", "both", "--answers", "Yes/No"),
        *("--answers", "True/False", "--examples", 0, "--examples", 2, "--examples-from", demo, "--limit", 4),
        model=True,
    )
    session = inputs / "judged.pluie"
    for measure in ("kappa", "share"):
        yield of(
            f"agreement-{measure}", "judgements agreement", session, "--measure", measure, *draws, needs=(session,)
        )
    answers = made / "answers.csv"
    yield Step("answers", ("judgements", "export", str(session), "-o", str(answers)), (session,), record=False)
    published = paraphrasus / "published_predictions"
    named = ("--prediction", "P1=LLama3 zero-shot (Paraph)", "--prediction", "XLM-R=XLM-RoBERTa-EN-ORIG-*")
    yield of("paraphrasus", "paraphrasus", published, *named, needs=(published,))
    computed = ("--metric", "edit_distance@0.5", "--metric", "bleu@0.3", "--limit", 100, "--grades")
    yield of("paraphrasus-metrics", "paraphrasus", paraphrasus, *computed, needs=(paraphrasus,))
    yield of("concordance", "concordance", scored, "not", "--score", "bleu=0.4", needs=(scored,))
    pair = ("--pair", "The cat did not sleep at all.", "The cat slept all day.")
    yield Step("explain-pair", ("explain", *pair, *metrics(("bleu", "edit_distance"))), record=False)
    yield Step("explain-pocket", ("explain", *pair, *pocket), model=True, record=False)


def run(options: argparse.Namespace) -> int:
    """Run every step and save its output and files."""
    made = options.folder.absolute()
    made.mkdir(parents=True, exist_ok=True)
    inputs = (options.inputs or made).absolute()
    checkout, python = options.checkout.absolute(), options.python.absolute()
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "COLUMNS": "400", "PARAPLUIE_HOME": str(_home(made))}
    _write_systems(made / "systems.csv")
    if not (session := inputs / "judged.pluie").exists():
        subprocess.run([python, "-c", _SESSION, session], cwd=checkout, check=True, env=environment)
    for step in steps(checkout, options.data.absolute(), made, inputs):
        if options.only and step.name not in options.only:
            continue
        if missing := [str(path) for path in step.needs if not path.exists()]:
            print(f"{step.name}: left out, {', '.join(missing)} is not there", flush=True)
            continue
        started = time.monotonic()
        for extra, ending in ((), "txt"), *([(("--json",), "json")] if step.record else []):
            command = [python, "-m", "parapluie_gui", *step.arguments, *extra]
            done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True)
            if done.returncode:
                print(f"{step.name}: STATUS {done.returncode}: {done.stderr.strip()[-600:]}", flush=True)
                (made / f"{step.name}.failed").write_text(done.stderr, encoding="utf-8")
                break
            (made / f"{step.name}.failed").unlink(missing_ok=True)
            text = done.stdout.replace(str(checkout), "CHECKOUT").replace(str(inputs), "INPUTS")
            (made / f"{step.name}.{ending}").write_text(text.replace(str(made), "MADE"), encoding="utf-8")
        print(f"{step.name}: {time.monotonic() - started:.1f} s", flush=True)
    return 1 if any(made.glob("*.failed")) else 0


def _home(made: Path) -> Path:
    """Return a data folder with the user's models and without stored scores, so that each checkout computes its own."""
    home = made / "home"
    home.mkdir(exist_ok=True)
    for each in data_folder().glob("*"):
        if each.name == "models" or each.name.startswith("wordnet"):
            (home / each.name).unlink(missing_ok=True)
            (home / each.name).symlink_to(each, target_is_directory=True)
    return home


def _write_systems(path: Path) -> None:
    """Write hypotheses of three systems with human scores, the same ones each time."""
    rows = ["source,hypothesis,who,human,sbert,edit_distance"]
    for item in range(20):
        for place, system in enumerate(("big", "middle", "small")):
            human = 1 + (7 * item + 3 * place) % 5
            near = round(human / 6 + ((13 * item + 5 * place) % 11) / 40, 4)
            rows.append(f"Text {item},Text {item} by {system},{system},{human},{near},{round(1 - near / 2, 4)}")
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")


# Comparing

_NUMBER = re.compile(r"[-−+]?\d+(?:,\d+)*(?:\.\d+)?(?:[eE][-+]?\d+)?")


def compare(options: argparse.Namespace) -> int:
    """Print the differences between two folders; return 1 if there are any."""
    models = {step.name for step in steps(*[Path("x")] * 4) if step.model}
    found: list[str] = []
    laid_out: list[str] = []
    looked = 0
    for path in sorted(options.before.rglob("*")):
        name = path.relative_to(options.before)
        if path.suffix not in (".csv", ".tex", ".txt", ".json") or name.name.endswith(".signatures.json"):
            continue
        # A table's CSV has the contents of its LaTeX, with all digits.
        if name.parts[0] == "home" or (path.suffix == ".tex" and path.with_suffix(".csv").exists()):
            continue
        model = name.parts[0].removesuffix(path.suffix) in models
        others = sorted((options.after / name).parent.rglob(f"{path.stem}*{path.suffix}"))
        before = path.read_text(encoding="utf-8")
        if not others and before.count("\n") > 1:
            found.append(f"{name}: not there")
            continue
        looked += 1
        texts = [each.read_text(encoding="utf-8") for each in others]
        if path.suffix == ".json":
            was, now = json.loads(before), [json.loads(text) for text in texts]
            if any(each.get("format") != was.get("format") for each in now if isinstance(each, dict)):
                laid_out.append(str(name))
                continue
            differences = _records(was, now, TOLERANCE if model else 0.0)
        elif path.suffix == ".csv":
            parts = path.name != "buckets.csv"  # tables of several corpora are split by corpus now
            differences = _tables(before, texts, TOLERANCE if model else 0.0, parts=parts)
        else:
            differences = _texts(before, texts, PRINTED if model else 0.0)
        found += [f"{name}: {difference}" for difference in differences]
    meant = [each for each in found if re.match("|".join(MEANT), each)]
    found = [each for each in found if each not in meant]
    print("\n".join(found))
    print(f"{len(meant)} differences are meant: {'; '.join(MEANT.values())}")
    if laid_out:
        print(f"Records in another format, not compared, since tables and text are: {', '.join(laid_out)}")
    print(f"{looked} files compared, {len(found)} differences", file=sys.stderr)
    return 1 if found or not looked else 0


def _tables(before: str, after: Iterable[str], tolerance: float, *, parts: bool = True) -> Iterator[str]:
    """Check that every old row exists with all its numbers and names; the order of rows may differ.

    With parts=False, rows of one of several corpora are ignored.
    """
    rows = [dict.fromkeys(row.values()) for text in after for row in csv.DictReader(text.splitlines())]
    exact = [set(row) for row in rows]
    known: dict[str, list[int]] = {}
    for place, row in enumerate(exact):
        for cell in row:
            known.setdefault(cell, []).append(place)
    wanted_rows = list(csv.DictReader(_renamed(before).splitlines()))
    several = len({row.get("corpus") for row in wanted_rows}) > 1
    for number, row in enumerate(wanted_rows, start=1):
        if several and not parts and row["corpus"] != "Global":
            continue
        wanted = {cell for column, cell in row.items() if cell and column not in (*LEFT_OUT, *KAPPA)}
        kappas = [cell for column, cell in row.items() if cell and column in KAPPA]
        rarest = min((known.get(cell, []) for cell in wanted), key=len, default=[])
        equal = [exact[place] for place in rarest if wanted <= exact[place]]
        if not wanted or any(all(_in(cell, there, LAST_DIGITS) for cell in kappas) for there in equal):
            continue
        if tolerance and any(all(_in(cell, there, tolerance) for cell in wanted) for there in exact):
            continue
        yield f"no row {number}: {', '.join(sorted(wanted))[:160]}"


def _in(cell: str, there: set[str], tolerance: float) -> bool:
    return cell in there or any(_same(cell, each, tolerance) for each in there)


def _texts(before: str, after: Iterable[str], tolerance: float) -> Iterator[str]:
    """Check that every old number is printed, in any place: the layout of tables may differ."""
    there = set(_NUMBER.findall(_plain("\n".join(after))))
    for line in _plain(_renamed(before)).splitlines():
        for each in _NUMBER.findall(line):
            if each not in there and not (tolerance and any(_same(each, other, tolerance) for other in there)):
                yield f"no number {each} of {' '.join(line.split())[:120]!r}"


def _same(one: str | None, other: str | None, tolerance: float) -> bool:
    if one == other:
        return True
    if not tolerance or not one or not other or not (_NUMBER.fullmatch(one) and _NUMBER.fullmatch(other)):
        return False
    a, b = (float(text.replace("−", "-").replace(",", "")) for text in (one, other))
    return math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)


def _records(before: object, after: object, tolerance: float) -> Iterator[str]:
    """Check that every number of an old record is in the new one, in any place: the layout may differ."""
    there = {value for _, value in _numbers(after)}
    for path, value in _numbers(before):
        if value in there or -value in there:
            continue
        near = max(tolerance, LAST_DIGITS * (path in KAPPA))
        if near and any(math.isclose(value, each, rel_tol=near, abs_tol=near) for each in there):
            continue
        yield f"no number {value!r} of {path}"


def _numbers(value: object, path: str = "") -> Iterator[tuple[str, float]]:
    if isinstance(value, dict):
        for key, each in value.items():
            if key not in GONE and key != "signatures":
                yield from _numbers(each, f"{path}/{key}")
    elif isinstance(value, list):
        for each in value:
            yield from _numbers(each, path)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, float(value)


def _plain(text: str) -> str:
    """Return a text with numbers in machine-readable form, as commands now write them outside a terminal."""
    return re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text).replace("−", "-")


def _renamed(text: str) -> str:
    for pattern, now, _ in RENAMED:
        text = re.sub(pattern, now, text)
    return text


def main() -> int:
    """Run or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    running = commands.add_parser("run")
    for name in ("python", "checkout", "folder"):
        running.add_argument(name, type=Path)
    running.add_argument("--inputs", type=Path)
    shared = Path(__file__).resolve().parent / "../../../shared/data"
    running.add_argument("--data", type=Path, default=shared)
    running.add_argument("--only", nargs="*", default=[])
    running.set_defaults(work=run)
    comparing = commands.add_parser("compare")
    for name in ("before", "after"):
        comparing.add_argument(name, type=Path)
    comparing.set_defaults(work=compare)
    options = parser.parse_args()
    return int(options.work(options))


if __name__ == "__main__":
    sys.exit(main())
