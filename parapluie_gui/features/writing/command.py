"""The command `parapluie paraphrase`, which writes a corpus of paraphrases of sentences with a judge."""

# Each call describes one argument of the command.
# ruff: noqa: RUF009

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

import numpy as np

from parapluie_gui import places
from parapluie_gui.api.notices import count
from parapluie_gui.commands.arguments import (
    corpus_file,
    integer,
    integer_reader,
    number_reader,
    option,
    option_group,
    output_file,
    read_device,
    read_share,
    repeatable,
    seed,
)
from parapluie_gui.commands.corpora import read_corpus
from parapluie_gui.commands.options import ReadingArguments
from parapluie_gui.commands.saying import say, say_error
from parapluie_gui.commands.score import check_output
from parapluie_gui.errors import INTERRUPTED, CorpusError, ParapluieError
from parapluie_gui.features.writing.choosing import FURTHEST, check_choice, keep_best
from parapluie_gui.features.writing.corpus import WrittenSource, build_corpus
from parapluie_gui.features.writing.request import WriteCandidates, count_sources_per_batch
from parapluie_gui.files import NotAFileError, atomic_write, check_is_file
from parapluie_gui.models.catalogue import POCKET, choose_default_judge
from parapluie_gui.models.kind import CAUSAL
from parapluie_gui.own_files import parse_json
from parapluie_gui.pairs.reading.quoting import split_lines
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.writing import (
    SamplingSettings,
    WrittenParaphrase,
    check_can_write,
    remark_on_candidates,
    writing_signature,
)
from parapluie_gui.pluie.writing_templates import (
    find_writing_template,
    load_writing_templates,
)
from parapluie_gui.report.table import write_table
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.work.handle import RequestHandle
from parapluie_gui.work.local import LocalScorer


@dataclass(frozen=True, kw_only=True)
class ParaphraseOptions:
    """Write paraphrases of sentences with a judge, like the corpus "LLM" of the ParaPLUIE paper."""

    sources: Path = corpus_file("text file with one sentence per line, or table of pairs", "SOURCES")
    output: Path = output_file(
        "corpus to write: .csv, .tsv, .jsonl, .parquet or .xlsx", "OUT.csv", short="-o", required=True
    )
    judge: tuple[str, ...] = repeatable("model that writes (smollm2-135m)", "MODEL")
    template: str = option("template for writing (MISTRAL-NAIVE)", "NAME", default="MISTRAL-NAIVE")
    candidates: int = option(
        "number of paraphrases per sentence (5)", "K", short="-k", type=integer_reader(1), default=5
    )
    temperature: float = option(
        "how random the choice of tokens is; 0: always the likeliest token (0.7)",
        "T",
        type=number_reader(0, or_equal=True),
        default=0.7,
    )
    top_p: float = option(
        "sample from the likeliest tokens with this total probability (0.95)", "P", type=read_share, default=0.95
    )
    seed: int = seed("random seed")
    limit: int | None = integer("only the first N sentences")
    draw: int | None = integer("only N sentences, drawn at random with --seed")
    best_of: int | None = integer("write K paraphrases of each sentence, and keep the best that is accepted", "K")
    by: str = option(
        "number by which the best is chosen, an expression of scores (edit_distance: the furthest)",
        "EXPRESSION",
        default=FURTHEST,
    )
    accepted_by: tuple[str, ...] = repeatable("judge that has to accept the best (pocket); may be repeated", "MODEL")
    metric: tuple[str, ...] = repeatable("variant of a metric that --by uses; may be repeated", "SPEC")
    device: str = option("auto, cpu, cuda, cuda:1, cuda:all, mps (auto)", "D", type=read_device, default="auto")
    precision: str = option("auto, float32, bfloat16, float16 (auto)", "P", default="auto")
    reading: ReadingArguments = option_group(ReadingArguments, "options for reading a table")


class CandidateFile:
    """The file `OUT.part` with the candidates so far: a header that identifies the run, then a line for each candidate.

    Attributes:
        path: The file.
        candidates: The candidates of each source so far, in the order of their numbers.
    """

    def __init__(self, path: Path, header: dict[str, object], sources: int) -> None:
        self.path = path
        self.candidates: list[list[WrittenParaphrase]] = [[] for _ in range(sources)]
        self._header = header
        self._file: IO[str] | None = None

    @classmethod
    @contextlib.contextmanager
    def open(cls, output: Path, signature: Signature, sources: Sequence[str], count: int) -> Iterator[CandidateFile]:
        """Open the partial file of an output table, with the candidates from an earlier run of the same command.

        Raises:
            ParapluieError: The file is from a run with different settings or sentences, or not from this program.
        """
        joined = json.dumps(list(sources)).encode()
        header: dict[str, object] = {
            "written with": str(signature),
            "sources": hashlib.sha256(joined).hexdigest(),
            "candidates": count,
        }
        part = cls(output.with_name(f"{output.name}.part"), header, len(sources))
        if part.path.exists():
            part._load()
        try:
            yield part
        finally:
            if part._file is not None:
                part._file.close()

    def drop_partial_batch(self, batch_size: int) -> int:
        """Return the number of sources in complete batches, and drop the candidates of all other sources."""
        count = self._header["candidates"]
        sizes = map(len, self.candidates)
        done = next((place for place, size in enumerate(sizes) if size != count), len(self.candidates))
        if done < len(self.candidates):
            done -= done % batch_size
        for candidates in self.candidates[done:]:
            candidates.clear()
        return done

    def add(self, rows: Sequence[int], candidates: Sequence[WrittenParaphrase]) -> None:
        """Append a batch, and return when it is on disk."""
        if self._file is None:
            self._begin()
        assert self._file is not None
        for row, candidate in zip(rows, candidates, strict=True):
            self.candidates[row].append(candidate)
        self._file.write("".join(map(_format_line, rows, candidates)))
        self._file.flush()
        os.fsync(self._file.fileno())

    def remove(self) -> None:
        """Delete the file, once the table is written."""
        if self._file is not None:
            self._file.close()
            self._file = None
        self.path.unlink(missing_ok=True)

    def _begin(self) -> None:
        """Rewrite the file without incomplete lines, and open it for appending."""
        with atomic_write(self.path) as temporary, temporary.open("w", encoding="utf-8") as file:
            file.write(json.dumps(self._header) + "\n")
            for row, candidates in enumerate(self.candidates):
                file.write("".join(_format_line(row, candidate) for candidate in candidates))
        self._file = self.path.open("a", encoding="utf-8")

    def _load(self) -> None:
        first, *lines = self.path.read_text(encoding="utf-8", errors="replace").split("\n")
        if _parse_line(first) != self._header:
            raise ParapluieError(
                f"{self.path} is from a run with different sentences or settings. Repeat that command, choose another "
                "name for the table, or delete the file."
            )
        for line in lines:
            match _parse_line(line):
                case [int(row), int(number), str(text), bool(cut)] if 0 <= row < len(self.candidates):
                    if number == len(self.candidates[row]) + 1:
                        self.candidates[row].append(WrittenParaphrase(number, text, cut))
                case _:
                    return  # the last line was cut when the process was killed


def _format_line(row: int, candidate: WrittenParaphrase) -> str:
    return json.dumps([row, candidate.number, candidate.text, candidate.cut]) + "\n"


def _parse_line(line: str) -> object:
    try:
        return parse_json(line)
    except ValueError:
        return None


def run(options: ParaphraseOptions) -> int:
    """Write paraphrases of sentences to a corpus file, and return the exit status.

    Raises:
        ParapluieError: A file, template or model is missing, or the judge cannot write.
    """
    check_output(options.output, (options.sources,))
    if options.best_of is not None:
        options = replace(options, candidates=options.best_of, accepted_by=options.accepted_by or (POCKET.name,))
        check_choice(
            options.by, options.accepted_by, options.metric, options.device
        )  # an error before hours of writing
    if not options.temperature and options.candidates > 1:
        raise ParapluieError(
            "At temperature 0, all candidates for a sentence are the same. Add -k 1, or a higher --temperature."
        )
    templates, broken_templates = load_writing_templates(places.user_templates())
    for broken in broken_templates:
        say_error(broken.error)
    template = find_writing_template(options.template, templates)
    if len(options.judge) > 1:
        raise ParapluieError(
            "Only one judge can write the paraphrases of a file. Name one, and run the command again for each of the "
            "others."
        )
    name = options.judge[0] if options.judge else choose_default_judge({CAUSAL})
    judge = JudgeSettings(name, options.device, options.precision).locate(say)
    files = judge.files
    check_can_write(files)
    sampling = SamplingSettings(options.temperature, options.top_p, options.seed)
    signature = writing_signature(files, template, sampling, judge)
    ids, sources = _read_sources(options)
    with CandidateFile.open(options.output, signature, sources, options.candidates) as part:
        done = part.drop_partial_batch(count_sources_per_batch(options.candidates))
        if done:
            say(f"{count(done, 'sentence is', 'sentences are')} already in {part.path.name}; continuing.")
        if done < len(sources):
            numbers = tuple(range(1, options.candidates + 1))
            request = WriteCandidates(tuple(sources[done:]), judge, template, sampling, numbers)
            handle = RequestHandle()
            handle.written.connect(lambda batch: part.add([row + done for row in batch.rows], batch.candidates))
            try:
                if errors := LocalScorer().run(request, handle):
                    raise errors[0]
            except KeyboardInterrupt:
                say(
                    f"stopped; the candidates written so far are in {part.path}, and the same command continues from "
                    "there."
                )
                return INTERRUPTED
        _save(options, ids, sources, part.candidates, signature)
        part.remove()
    return 0


def _read_sources(options: ParaphraseOptions) -> tuple[list[str], list[str]]:
    """Return ids and sentences, without repeated sentences.

    Raises:
        CorpusError: The file cannot be read with these options, or has no sentence.
    """
    path, ending = options.sources, options.sources.suffix.lower()
    lines: list[str] | None = None
    if ending == ".txt":
        lines = split_lines(_read_text(path))
    elif ending in _TABLES:
        lines = _read_column(path, options)
    if lines is not None:
        numbered = [(str(number), line.strip()) for number, line in enumerate(lines, start=1) if line.strip()]
    else:
        corpus = read_corpus(path, options.reading)
        numbered = list(zip(corpus.id, corpus.source, strict=True))
    first: dict[str, str] = {}
    for id, source in numbered:
        first.setdefault(source, id)
    if not first:
        raise CorpusError("it has no sentences", "write one sentence per line", path)
    if repeated := len(numbered) - len(first):
        say(f"{path.name}: {count(repeated, 'repeated sentence is', 'repeated sentences are')} left out.")
    sources = list(first)[: options.limit]
    if options.draw is not None and options.draw < len(sources):
        rows = np.random.default_rng(options.seed).choice(len(sources), options.draw, replace=False)
        sources = [sources[row] for row in sorted(rows.tolist())]
    return [first[source] for source in sources], sources


#: Endings of tables that may have only one column, and the usual names of that column.
_TABLES, _SENTENCES = (".csv", ".tsv"), ("source", "sentence", "text")


def _read_column(path: Path, options: ParaphraseOptions) -> list[str] | None:
    """Return the sentences of a table with one column, without its header; None if it has several columns."""
    text = _read_text(path)
    rows = list(csv.reader(io.StringIO(text, newline="")))
    if "\t" in text or any(len(row) > 1 for row in rows):
        return None
    cells = [" ".join(re.split(r"[\r\n]+", row[0])) if row else "" for row in rows]
    named = (*_SENTENCES, (options.reading.source or "").lower())
    return ["", *cells[1:]] if cells and cells[0].strip().lower() in named else cells


def _read_text(path: Path) -> str:
    try:
        check_is_file(path)
        return path.read_text(encoding="utf-8-sig")
    except NotAFileError as error:
        raise CorpusError(f"it cannot be read ({error.strerror})", "name a file", path) from error
    except FileNotFoundError as error:
        raise CorpusError("there is no such file", "check the path", path) from error
    except UnicodeDecodeError as error:
        raise CorpusError("it is not UTF-8 text", "save it as UTF-8", path) from error


def _save(
    options: ParaphraseOptions,
    ids: list[str],
    sources: list[str],
    written: list[list[WrittenParaphrase]],
    signature: Signature,
) -> None:
    """Write the table, and print how many candidates are empty, repeated or cut.

    Raises:
        ParapluieError: All candidates are empty, or the table cannot be written.
    """
    fields = dict(signature.fields)
    system = f"{fields['model']} {fields['template'].partition('@')[0]}"
    written_sources = [WrittenSource(*parts) for parts in zip(ids, sources, written, strict=True)]
    corpus = build_corpus(options.output.stem, written_sources, system, str(signature))
    if not len(corpus):
        raise ParapluieError(f"{fields['model']} wrote no text for any sentence. Choose another template or model.")
    table = ScoreTable(len(corpus))
    if options.best_of is not None:
        corpus, table = keep_best(corpus, options.by, options.accepted_by, options.metric, options.device)
    notes = Counter(
        note.rstrip("0123456789 ")
        for source in written_sources
        for note in remark_on_candidates(source.text, source.candidates)
    )
    for warning in write_table(options.output, corpus, table).warnings:
        say(warning)
    wordings = {
        "empty": "empty and left out",
        "same as the source": "the same as the source",
        "repeats candidate": "repeated",
        "cut": f"cut off at {fields['tokens']} tokens",
    }
    parts = [f"{number} {wordings[note]}" for note, number in sorted(notes.items()) if note]
    print(
        f"{count(len(sources), 'sentence', 'sentences')}, {count(len(corpus), 'candidate', 'candidates')}"
        f"{'; ' if parts else ''}{', '.join(parts)} → {options.output}"
    )
