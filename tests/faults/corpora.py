"""Corpora of every kind, randomly damaged or maliciously crafted: `python tests/faults/corpora.py`.

Counts the outcomes. A corpus may be read, or refused with a one-line error; it may not raise any other exception,
take more than 20 seconds of CPU time or two gigabytes, or crash the program. The trials run in processes of their
own, one per core, which are restarted when they end. With two idle cores this takes four minutes.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

import crafted
import fuzzed

from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs import ColumnMapping, open_corpus, open_text, read_parallel

#: Limits of CPU time, of wall-clock time (the computer may be busy), and of memory.
SECONDS, CLOCK, GIGABYTES = 20, 120, 2.0
#: Possible outcomes of reading a corpus.
GOOD = ("read", "refused in a sentence")


class _TooSlow(BaseException):
    pass


def attempt(act: Callable[[], object]) -> tuple[str, str]:
    """Return the outcome of reading a corpus, and the error message or the traceback."""
    signal.alarm(CLOCK)
    begun = _processor()
    try:
        act()
    except CorpusError as error:
        raw = {unicodedata.category(letter) for letter in str(error)} & {"Cc", "Cs", "Zl", "Zp"}
        return ("A RAW LINE BREAK IN THE SENTENCE" if raw else "refused in a sentence"), str(error)
    except _TooSlow:
        return f"OVER {CLOCK} s OF THE CLOCK", ""
    except BaseException:
        return "TRACEBACK", traceback.format_exc()
    finally:
        signal.alarm(0)
    return ("read", "") if _processor() - begun < SECONDS else (f"OVER {SECONDS} s", "")


def _processor() -> float:
    """Return the CPU seconds of this process and of the children it waited for."""
    return sum(os.times()[:4])


def read_any(kind: str, paths: list[Path]) -> None:
    """Read a corpus, with the first two columns as sentences if the roles cannot be guessed."""
    if kind == "parallel":
        read_parallel(paths[0], paths[-1])
        return
    opened = open_text(paths[0].read_bytes().decode("utf-8", "replace")) if kind == "pasted" else open_corpus(paths[0])
    seen = opened.preview
    if kind == "preview":
        assert len(seen.rows) <= 20 and all(len(row) == len(seen.columns) for row in seen.rows)
        return
    certain = seen.certain or len(seen.columns) < 2
    corpus = opened.read(mapping=None if certain else ColumnMapping(source=seen.columns[0], hypothesis=seen.columns[1]))
    assert len(corpus) == len(set(corpus.id)) == len(corpus.source) == len(corpus.hypothesis) > 0


def chance(seed: int) -> tuple[str, str, str]:
    """Create and read a random corpus; return its kind and the outcome."""
    rng = random.Random(seed)
    kind = fuzzed.KINDS[seed % len(fuzzed.KINDS)]
    with tempfile.TemporaryDirectory() as folder:
        paths = fuzzed.write(kind, Path(folder), rng)
        return kind, *attempt(lambda: read_any(kind, paths))


def bombs() -> dict[str, Callable[[Path], object]]:
    """Return writers of small files that unpack into huge ones or demand too much in other ways."""
    pair, far = crafted.PAIR, '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    head = crafted.ods_row("source", "hypothesis") + crafted.ods_row("A cat.", "A dog.")
    columns, rows = "table:number-columns-repeated", "table:number-rows-repeated"

    def text(name: str, *parts: tuple[str, int]) -> Callable[[Path], object]:
        return lambda folder: (folder / name).write_text("".join(part * times for part, times in parts))

    def xlsx(name: str, more: str) -> Callable[[Path], object]:
        return lambda folder: crafted.xlsx(folder / f"{name}.xlsx", pair + more)

    def ods(name: str, more: str) -> Callable[[Path], object]:
        return lambda folder: crafted.ods(folder / f"{name}.ods", head + more)

    def parquet(name: str, count: int, shared: str, **more: object) -> Callable[[Path], object]:
        return lambda folder: _parquet(folder / f"{name}.parquet", count, shared, more)

    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10 if n else "ha" * 50}">' for n in range(12))
    return {
        "a far cell": xlsx("far", far),
        "a far cell with a prefix": xlsx("prefix", far.replace("<c", "<x:c").replace("</c", "</x:c")),
        "a far cell in other quotes": xlsx("quotes", far.replace('"', "'")),
        "a row beyond all": xlsx("tall", '<row r="4294967000"><c><v>1</v></c></row>'),
        "a row of eight digits": xlsx("eight", '<row r="99999999"><c r="A99999999"><v>1</v></c></row>'),
        "a cell of 4 GB": lambda folder: crafted.xlsx(
            folder / "cell.xlsx", (b"a" * 2**20 if n else b'<row r="1"><c r="A1"><is><t>' for n in range(4096))
        ),
        "rows of 10 GB": lambda folder: crafted.xlsx(
            folder / "rows.xlsx", (b'<row r="3"><c r="A3"><v>1</v></c></row>' * 27_000 for _ in range(9500))
        ),
        "shared texts of 4 GB": lambda folder: crafted.xlsx(
            folder / "shared.xlsx", pair, shared=[b"<si><t>", *[b"a" * 2**20] * 4096, b"</t></si>"]
        ),
        "entities": lambda folder: crafted.xlsx(folder / "entities.xlsx", f"<!DOCTYPE a [{entities}]>{pair}&l11;"),
        "repeated columns": ods("columns", crafted.ods_row("x", cells=f'{columns}="2000000000"')),
        "repeated rows": ods("rows", crafted.ods_row("x", "y", row=f'{rows}="2000000000"')),
        "a far cell in .ods": ods(
            "far",
            f'<table:table-row {rows}="1048570"><table:table-cell/></table:table-row><table:table-row>'
            f'<table:table-cell {columns}="16383"/>{crafted.ods_row("x")[18:]}',
        ),
        "rows of Parquet": parquet("rows", 100_000_000, "b"),
        "a shared text of Parquet": parquet("shared", 1_000_000, "b" * 1_000_000, dictionary_pagesize_limit=10**9),
        "blank lines": text("blank.csv", ("source,hypothesis", 1), ("\n", 100_000_000)),
        "columns": text("columns.csv", ("a,", 5_000_000)),
        "a wide header over short rows": text("wide.csv", ("a,", 90_000), ("\na,b", 500_000)),
        "quotation marks": text("quotes.csv", ('"', 3_000_000)),
        "brackets": text("brackets.json", ("[", 200_000)),
        "empty records": text("records.json", ("[", 1), ("{},", 20_000_000), ("{}]", 1)),
        "records of other keys": text("keys.jsonl", *((f'{{"k{n}": 1}}\n', 1) for n in range(99_000))),
        "a long number": text("number.json", ('[{"source": ', 1), ("9", 100_000), ("}]", 1)),
        "a large file": lambda folder: os.truncate(_touch(folder / "large.csv"), 10**12),
        "a pipe": lambda folder: os.mkfifo(folder / "pipe.csv"),
        "a device": lambda folder: (folder / "zero.csv").symlink_to("/dev/zero"),
    }


def bomb(name: str) -> tuple[str, str, str]:
    """Create and read a crafted file."""
    with tempfile.TemporaryDirectory() as folder:
        bombs()[name](Path(folder))
        return name, *attempt(lambda: open_corpus(next(Path(folder).iterdir())).read())


def _touch(path: Path) -> Path:
    path.touch()
    return path


def _parquet(path: Path, count: int, shared: str, options: dict[str, object]) -> None:
    import pyarrow
    import pyarrow.parquet

    group = min(count, 1_000_000)
    column = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] + [1] * (group - 1)), ["short", shared])
    batch = pyarrow.table({"source": column, "hypothesis": column})
    with pyarrow.parquet.ParquetWriter(path, batch.schema, compression="zstd", **options) as writer:
        for _ in range(count // group):
            writer.write_table(batch)


# The processes


def serve(trials: list[str]) -> None:
    """Run trials and print their outcomes."""

    def stop(number: int, frame: object) -> None:
        raise _TooSlow

    signal.signal(signal.SIGALRM, stop)
    os.environ["PARAPLUIE_LIMIT_GB"] = str(GIGABYTES / 2)
    for trial in trials:
        print(f"begin {trial}", flush=True)
        start = time.process_time()
        kind, outcome, words = chance(int(trial)) if trial.isdecimal() else bomb(trial)
        used = [resource.getrusage(who).ru_maxrss / 1e6 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        if max(used) > GIGABYTES:
            outcome = f"OVER {GIGABYTES:g} GB"
        if outcome not in GOOD:
            print(words, file=sys.stderr)
        print("\t".join(("end", outcome, kind, f"{time.process_time() - start:.2f}", f"{max(used):.2f}", words[:300])))
        if outcome not in GOOD:
            return  # memory and other leftovers would count for the next trial


def results(trials: list[str], together: int = 250) -> Iterator[list[str]]:
    """Yield the outcomes of trials, a number of them per process, and print the progress."""
    parts = [trials[begin : begin + together] for begin in range(0, len(trials), together)]
    with ThreadPoolExecutor(os.cpu_count()) as cores:
        for number, part in enumerate(cores.map(_results, parts), start=1):
            yield from part
            print(f"{min(number * together, len(trials)):,} of {len(trials):,}", file=sys.stderr, flush=True)


def _results(trials: list[str]) -> list[list[str]]:
    """Return the outcomes of trials, in as many processes as necessary."""
    result = []
    while trials:
        command = [sys.executable, __file__, "--serve", *trials]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, errors="replace", check=False)
        lines = [line.split("\t") for line in done.stdout.split("\n")]
        ended = [line[1:] for line in lines if line[0] == "end"]
        result += ended
        begun = sum(line[0].startswith("begin ") for line in lines)
        if begun > len(ended):
            result.append([f"THE PROGRAM DIED ({done.returncode})", trials[begun - 1], "0", "0", ""])
        trials = trials[max(begun, 1) :]
    return result


def main() -> int:
    """Run the trials; the exit status is 1 if any outcome is not allowed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=12_000, help="corpora made by chance")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--no-bombs", action="store_true", help="leave the crafted ones out: making them takes a minute"
    )
    parser.add_argument("--serve", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve)
        return 0
    first = options.seed * 1_000_000
    bad = 0
    for name, trials in (
        ("by chance", [str(first + number) for number in range(options.count)]),
        ("crafted", [] if options.no_bombs else list(bombs())),
    ):
        outcomes, sentences, kinds = Counter[str](), set[str](), Counter[str]()
        slowest = most = 0.0
        for outcome, kind, seconds, gigabytes, words in results(trials, 250 if name == "by chance" else 3):
            outcomes[outcome] += 1
            kinds[kind] += outcome == "read"
            sentences.add(words)
            slowest, most = max(slowest, float(seconds)), max(most, float(gigabytes))
            if name == "crafted" or outcome not in GOOD:
                print(f"{kind}: {outcome} ({seconds} s of processor, {gigabytes} GB) {words}")
        print(f"{len(trials)} corpora {name}: {dict(outcomes.most_common())}")
        print(
            f"  slowest {slowest:.2f} s of processor, most memory {most:.2f} GB, {len(sentences)} different sentences"
        )
        if name == "by chance":
            print(f"  read: {dict(kinds)}")
        bad += sum(number for outcome, number in outcomes.items() if outcome not in GOOD)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
