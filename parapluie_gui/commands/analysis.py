"""Every command that prints analyses: pairs and scores in, tables out, as text, LaTeX, JSON or files."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from parapluie_gui.analysis.base import HUMAN, LABELS, SCORES, Note, analyse
from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.own_scores import own_scores
from parapluie_gui.analysis.protocols.parascore_extension import extend
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.table import Table, count_formulas, table_csv, table_text
from parapluie_gui.api.material import given_thresholds, material_of, no_known_score
from parapluie_gui.api.notices import count, progress
from parapluie_gui.commands.corpora import read_corpus
from parapluie_gui.commands.judge import score_now
from parapluie_gui.commands.options import Analysing, Writing
from parapluie_gui.commands.output import json_text
from parapluie_gui.commands.saying import say
from parapluie_gui.errors import CorpusError, ParapluieError
from parapluie_gui.files import atomic_write
from parapluie_gui.pairs import Corpus
from parapluie_gui.pairs.formulas import formula_sentence
from parapluie_gui.pairs.pool import pool
from parapluie_gui.pairs.reading.evaluation_set import LAYOUT
from parapluie_gui.report.latex import booktabs
from parapluie_gui.report.results import Done, record
from parapluie_gui.report.signatures import read_signatures
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable


def run(options: Analysing) -> int:
    """Analyse, print, and write the files asked for. Returns the exit status.

    Raises:
        ParapluieError: Something asked for is not there, or nothing can be analysed.
    """
    for folder in (options.writing.out, options.writing.csv):
        if folder is not None and folder.exists() and not folder.is_dir():
            raise ParapluieError(f"{folder} is a file. Name a folder.")
    apart = [replace(options, corpus=(path,)) for path in options.corpus] if options.apart else [options]
    done: list[Done] = []
    for each in apart:
        material = material_for(each)
        with progress() as tick:
            done += [_done(name, material, own, each.corpus[0], tick) for name, own in options.analyses.items()]
    show(done, options.writing)
    return 0


def _done(name: str, material: Material, options: Any, path: Path, tick: Tick) -> Done:
    """Compute one analysis; where something is missing, the error names the file and the option that says where it is.

    Raises:
        ParapluieError: Something is missing, or an option is wrong.
    """
    found = analysis(name)
    need = found.missing(material)
    if need is SCORES:
        raise no_known_score(material.corpus, path)
    if need is HUMAN:
        raise CorpusError("no column holds human scores", "name it with --human", path)
    if need is LABELS:
        raise CorpusError("no pair has a label", "name a column with --label", path)
    run = analyse(found, material, options, tick)
    if not found.tables(run):
        for block in found.blocks(run):
            if isinstance(block, Note):
                say(block.text)
    return found, run


def material_for(options: Analysing) -> Material:
    """Read the files, compute the scores asked for, and return what an analysis computes from.

    Raises:
        ParapluieError: A file cannot be read as asked, or a score is not there or cannot be computed.
    """
    choosing, path = options.scores, options.corpus[0]
    corpora = [read_corpus(each, options.reading, choosing.named) for each in options.corpus]
    if options.extend:
        corpora = list(map(extend, corpora))
    signatures = _signatures(options.corpus)
    corpus = pool(corpora)
    scoring = options.scoring
    table = score_now(corpus, scoring.metric, scoring) if scoring.asked else ScoreTable(len(corpus))
    material = material_of(
        corpus,
        table,
        signatures,
        scores=choosing.named,
        distances=choosing.distance,
        known=dict.fromkeys(name for each in corpora for name in _known(each)),
        filter=options.filter,
        draws=choosing.draws,
        seed=choosing.seed,
        path=path,
    )
    return replace(material, given=given_thresholds(choosing.threshold, material.names))


def _known(corpus: Corpus) -> Iterable[str]:
    """Return the scores of a file: of a folder of WMT's metrics tasks all columns but those of people."""
    if corpus.layout == LAYOUT:
        return (name for name in corpus.extra if not name.startswith("human "))
    return own_scores(corpus)


def _signatures(paths: Sequence[Path]) -> dict[str, Signature]:
    """Return the signatures of all tables; says which scores were not computed alike."""
    found: dict[str, Signature] = {}
    for path in paths:
        for name, signature in read_signatures(path).items():
            if found.setdefault(name, signature) != signature:
                say(f"{name} of {path.name} was computed with different settings than in the earlier tables.")
    return found


def show(done: Sequence[Done], writing: Writing) -> None:
    """Print analyses as they are asked for, and write their files.

    Raises:
        OSError: A file cannot be written.
    """
    tables = list(_tables(done))
    if writing.json:
        print(json_text(record(done)), end="")
    elif writing.latex:
        print("\n".join(booktabs(table, table.digits, lines) for table, lines in tables), end="")
    else:
        blocks = [table_text(table, table.digits) for table, _ in tables]
        lines = dict.fromkeys(line for _, some in tables for line in some)
        print("\n".join([*blocks, *(["".join(f"{line}\n" for line in lines)] if lines else [])]), end="")
    texts: dict[Path, str] = {}
    if writing.out is not None:
        texts |= {writing.out / "analysis.json": json_text(record(done))}
        texts |= {writing.out / f"{table.name}.tex": booktabs(table, table.digits, lines) for table, lines in tables}
    for folder in filter(None, dict.fromkeys((writing.out, writing.csv))):
        texts |= {folder / f"{each.name}.csv": table_csv(each, mark_formulas=writing.no_formulas) for each, _ in tables}
    if texts:
        write_all(texts)
        where = ", ".join(dict.fromkeys(str(path.parent) for path in texts))
        print(f"{count(len(tables), 'table', 'tables')} → {where}", file=sys.stderr)
        if formulas := sum(count_formulas(table) for table, _ in tables):
            say(formula_sentence(formulas, writing.no_formulas))


def write_all(texts: dict[Path, str]) -> None:
    """Write files, all of them or none; their folders are made."""
    with contextlib.ExitStack() as files:
        for path, content in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            part = files.enter_context(atomic_write(path))
            half = "xmlcharrefreplace" if path.suffix == ".html" else "replace"  # half characters, of odd file names
            part.write_text(content, encoding="utf-8", errors=half, newline="")


def _tables(done: Sequence[Done]) -> Iterator[tuple[Table, tuple[str, ...]]]:
    """Yield each table with the lines that say what its scores were computed with, and which are bounds."""
    for each, run in done:
        material = run.material
        for table in each.tables(run):
            names = material.names if table.scores is None else table.scores
            bounds = (material.score_column(name) for name in names if name in material.names)
            sentences = (column.bounds_sentence for column in bounds)
            yield table, (*material.signature_lines(names), *filter(None, sentences))
