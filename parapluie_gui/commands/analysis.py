"""Every command that prints analyses: pairs and scores in, tables out, as text, LaTeX, JSON or files."""

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from parapluie_gui import places
from parapluie_gui.analysis.base import HUMAN, LABELS, SCORES, Analysis, Need, Remark, analyse
from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.analysis.evaluations.transfer import random_halves
from parapluie_gui.analysis.kept_threshold import (
    KeptThreshold,
    check_threshold_name,
    fitting_thresholds,
    forget_threshold,
    keep_thresholds,
    read_kept_thresholds,
)
from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.own_scores import own_scores
from parapluie_gui.analysis.score_languages import describe_strange_language, languages_of_columns, templates_of_columns
from parapluie_gui.analysis.table import Table, count_formulas, number, table_csv, table_text
from parapluie_gui.analysis.threshold import best_threshold
from parapluie_gui.api.material import (
    build_material,
    no_known_score,
    parse_score_thresholds,
    parse_thresholds,
    put_expressions,
)
from parapluie_gui.api.notices import count, progress
from parapluie_gui.arrays import Mask
from parapluie_gui.commands import saying
from parapluie_gui.commands.corpora import read_corpus
from parapluie_gui.commands.options import Analysing, Writing
from parapluie_gui.commands.saying import TITLE, say, styled
from parapluie_gui.errors import CorpusError, ParapluieError, join_words
from parapluie_gui.files import atomic_write
from parapluie_gui.pairs import Corpus
from parapluie_gui.pairs.corpus import UNLABELLED
from parapluie_gui.pairs.formulas import formula_sentence
from parapluie_gui.pairs.pool import pool
from parapluie_gui.pairs.reading.collections import readers
from parapluie_gui.report.figure_style import USUAL, FigureStyle
from parapluie_gui.report.html import Report, pair_columns, report_html
from parapluie_gui.report.latex import booktabs
from parapluie_gui.report.record import AnalysisRun, record_analyses
from parapluie_gui.report.signatures import read_signatures
from parapluie_gui.report.svg import figure_svg
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.widgets.svg_file import check_ending, write_figure


def run(options: Analysing, *, select: str | None = None, figures: Mapping[str, Path] | None = None) -> int:
    """Analyse, print, and write the files asked for. Returns the exit status.

    Args:
        options: The options of every command that prints analyses.
        select: An expression for the pairs that are selected, where an analysis is about these.
        figures: Figures that are drawn into files, by name.

    Raises:
        ParapluieError: Something asked for is not there, or nothing can be analysed.
    """
    check_folders(options.writing)
    for name in options.only:
        if analysis(name).name not in options.analyses:
            raise ParapluieError(f"{name} makes its own pairs: it has a command of that name. Choose another.")
    figures = figures or {}
    for path in figures.values():
        check_ending(path)
    apart = [replace(options, corpus=(path,)) for path in options.corpus] if options.apart else [options]
    done: list[AnalysisRun] = []
    for each in apart:
        material = material_for(each, select)
        with progress() as tick:
            for found in _chosen(each, material):
                given = options.analyses[found.name]
                chosen = found.usual(material) if given == (found.options(),) else given
                done += [(found, analyse(found, material, own, tick)) for own in chosen or given]
    asked = {*options.only, *options.asked}
    quiet = [each.name for each, _ in done if not each.printed and each.name not in asked]
    texts = show(done, options.writing, quiet, options.drawing.style)
    if options.writing.out is not None and not options.only:
        texts |= _whole(options.writing, done)
    write(texts)
    drawn = {figure.name: figure for each, run in done for figure in each.figures(run)}
    for name, path in figures.items():
        if name not in drawn:
            raise ParapluieError(f"There is nothing to draw in {path}.")
        write_figure(path, drawn[name], style=options.drawing.style)
    return 0


def check_folders(writing: Writing) -> None:
    """Raise a ParapluieError where a folder to be written to is a file."""
    for folder in (writing.out, writing.csv):
        if folder is not None and folder.exists() and not folder.is_dir():
            raise ParapluieError(f"{folder} is a file. Name a folder.")


def _chosen(options: Analysing, material: Material) -> list[Analysis[Any, Any]]:
    """Return the analyses that are named, or all that can be computed and those that an option asks for.

    Raises:
        ParapluieError: Something is missing; the error names the file and the option that says where it is.
    """
    asked = {*options.only, *options.asked}
    possible = []
    for each in map(analysis, dict.fromkeys(options.only or options.analyses)):
        if each.name in asked or (each.in_analyse and not options.only and each.usual(material)):
            need = each.missing(material)
            if need is None:
                possible.append(each)
            elif each.name in asked or need is SCORES:
                raise _lacking(need, material, options.corpus[0])
    return possible


def _lacking(need: Need, material: Material, path: Path) -> ParapluieError:
    if need is SCORES:
        return no_known_score(material.corpus, path)
    if need is HUMAN:
        return CorpusError("no column holds human scores", "name it with --human", path)
    if need is LABELS:
        return CorpusError("no pair has a label", "name a column with --label", path)
    return ParapluieError(need.todo or need.sentence)


def material_for(options: Analysing, select: str | None = None) -> Material:
    """Read the files, compute the scores asked for, and return what an analysis computes from.

    Raises:
        ParapluieError: A file cannot be read as asked, or a score is not there or cannot be computed.
    """
    choosing, path = options.scores, options.corpus[0]
    corpora = [read_corpus(each, options.reading, choosing.named) for each in options.corpus]
    for each in options.more:
        corpora = list(map(each.change_corpus, corpora))
    signatures = _signatures(options.corpus)
    corpus = pool(corpora)
    if not options.only and corpus.label is None and corpus.human is None:
        say("no column holds labels or human scores. Name one with --label or --human.")
    table, scoring = ScoreTable(len(corpus)), options.scoring
    if scoring.asked:
        # Here, since loading it takes an eighth of a second that tables with scores need not wait for.
        from parapluie_gui.commands.judge import score_now

        table = score_now(corpus, scoring.metric, scoring)
    put_expressions(corpus, table, options.defining.column, signatures)
    named = parse_score_thresholds(choosing.score, {*table, *corpus.extra})
    material = build_material(
        corpus,
        table,
        signatures,
        scores=tuple(dict.fromkeys([*named, *choosing.distance])),
        distances=choosing.distance,
        known=dict.fromkeys(name for each in corpora for name in _known(each)),
        filter=options.filter,
        select=select,
        draws=choosing.draws,
        seed=choosing.seed,
        path=path,
    )
    known = languages_of_columns(material.names, material.signatures)
    templates = templates_of_columns(material.names, material.signatures)
    if strange := describe_strange_language(known, corpus.source, corpus.hypothesis, templates):
        say(strange)
    own = {name: x for name, x in named.items() if x is not None}
    if choosing.forget_threshold is not None:
        _forget_thresholds(choosing.forget_threshold)
    if choosing.keep_threshold is not None:
        _keep_thresholds(material, choosing.keep_threshold, choosing.keep_from, options.filter)
    elif choosing.keep_from is not None:
        raise ParapluieError(
            "--keep-from says which pairs choose a kept threshold. Name it too: --keep-threshold NAME."
        )
    kept = fitting_thresholds(read_kept_thresholds(places.thresholds()), material.names, material.signatures)
    return replace(material, given=own | parse_thresholds(choosing.threshold, material.names, kept), kept=kept)


def _forget_thresholds(name: str) -> None:
    kept = read_kept_thresholds(places.thresholds())
    if not (gone := [each for each in kept if each.name == name]):
        names = join_words(list(dict.fromkeys(each.name for each in kept))) or "none"
        raise ParapluieError(f"No threshold is kept as {name}. There are: {names}.")
    for each in gone:
        forget_threshold(places.thresholds(), each)
        say(f"forgotten: {name}, {each.score} from {number(each.threshold)} ({each.origin}).")


def _part(material: Material, part: str | None) -> tuple[str, Mask]:
    """Return some of the pairs by what `--keep-from` says, with what they are called.

    Raises:
        ParapluieError: There is no such part.
    """
    every, name = np.ones(len(material.corpus), dtype=bool), material.corpus.name
    if part is None:
        return name, every
    word, _, seed = part.partition("=")
    if part in material.parts and len(material.parts) > 1:
        return part, material.parts[part]
    if word == "half" and (seed.isdecimal() or not seed) and len(seed) < 10:
        scored = np.any([~np.isnan(each.values) for each in material.score_columns], axis=0)
        half = random_halves(scored & (material.labels != UNLABELLED), int(seed or 0))
        return f"a random half (seed {seed or 0}) of {name}", half["first half"]
    there = join_words(["half", "half=SEED", *(material.parts if len(material.parts) > 1 else ())])
    raise ParapluieError(f"--keep-from {part} names no part of these pairs. There are: {there}.")


def _keep_thresholds(material: Material, name: str, part: str | None, filter: str | None) -> None:
    """Keep each score's best threshold on these pairs, or a part of them, under a name, and say what it is.

    Raises:
        ParapluieError: The name is empty or a number, there is no such part, or its pairs do not have both labels.
    """
    check_threshold_name(name)
    some = "" if filter is None else f" ({filter})"
    called, where = _part(material, part)
    new = []
    for each in material.score_columns:
        threshold, right = best_threshold(each.values[where], material.labels[where], each.higher_is_closer)
        if not (right.tp + right.fn and right.fp + right.tn):
            raise ParapluieError(
                "A threshold is learnt from scored pairs of both labels. Choose other pairs or scores."
            )
        origin = f"best accuracy on {called}{some}, {count(right.counted, 'labelled pair', 'labelled pairs')}"
        signature = material.signatures.get(each.name)
        new.append(KeptThreshold(name, each.name, threshold, origin, "" if signature is None else str(signature)))
        say(f"kept as {name}: {each.name} from {number(threshold)}, {origin}.")
    keep_thresholds(places.thresholds(), new)


def _known(corpus: Corpus) -> Iterable[str]:
    """Return the scores of a file: of a corpus that a feature reads those that its reader names."""
    for reader in readers():
        if corpus.layout == reader.layout:
            return reader.scores(corpus.extra)
    return own_scores(corpus)


def _signatures(paths: Sequence[Path]) -> dict[str, Signature]:
    """Return the signatures of all tables; says which scores were not computed alike."""
    found: dict[str, Signature] = {}
    for path in paths:
        for name, signature in read_signatures(path).items():
            if found.setdefault(name, signature) != signature:
                say(f"{name} of {path.name} was computed with different settings than in the earlier tables.")
    return found


def show(
    done: Sequence[AnalysisRun], writing: Writing, quiet: Collection[str] = (), style: FigureStyle = USUAL
) -> dict[Path, str]:
    """Print analyses as they are asked for, their tables but for those in `quiet`; return the files to be written."""
    tables, printed = list(_tables(done)), list(_tables([each for each in done if each[0].name not in quiet]))
    if writing.json:
        print(json_text(record_analyses(done)), end="")
    elif writing.latex:
        print("\n".join(booktabs(table, table.digits, lines) for table, lines in printed), end="")
    else:
        plain = not sys.stdout.isatty()
        blocks = [table_text(table, table.digits, plain=plain) for table, _ in printed]
        blocks = list(map(_titled, blocks))
        lines = dict.fromkeys(line for _, some in printed for line in some)
        print("\n".join([*blocks, *(["".join(f"{line}\n" for line in lines)] if lines else [])]), end="")
    for each, run in done:
        has_tables = bool(each.tables(run))
        for block in each.blocks(run):
            if isinstance(block, Remark) and block.text and (block.result or not has_tables):
                say(block.text)
    texts: dict[Path, str] = {}
    if writing.out is not None:
        texts[writing.out / "analysis.json"] = json_text(record_analyses(done))
        for table, some in tables:
            texts[_file(texts, writing.out, table.name, ".tex")] = booktabs(table, table.digits, some)
        for each, run in done:
            for figure in each.figures(run):
                footer = run.material.signature_lines(figure.scores)
                texts[_file(texts, writing.out, figure.name, ".svg")] = figure_svg(
                    figure,
                    size=style.pixels,
                    type_size=style.type_pixels,
                    dark=style.dark,
                    transparent=style.transparent,
                    footer=footer,
                )
    for folder in filter(None, dict.fromkeys((writing.out, writing.csv))):
        _add_csv(texts, folder, [table for table, _ in tables], writing)
    return texts


def _titled(block: str) -> str:
    """Return a printed table with its title, the first line, in bold where that is shown."""
    title, *rest = block.split("\n")
    return "\n".join([styled(title, TITLE, sys.stdout), *rest])


def json_text(data: object) -> str:
    """Return data as JSON for people and programs; NaN is refused."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def _add_csv(texts: dict[Path, str], folder: Path, tables: Sequence[Table], writing: Writing) -> None:
    for table in tables:
        texts[_file(texts, folder, table.name, ".csv")] = table_csv(table, mark_formulas=writing.no_formulas)
    if formulas := sum(map(count_formulas, tables)):
        say(formula_sentence(formulas, writing.no_formulas))


def _file(taken: Collection[Path], folder: Path, name: str, ending: str) -> Path:
    """Return a file's name that no other table or figure has: the same analysis may have been computed twice."""
    plain = re.sub(r"[^\w.-]+", "-", name)
    names = (folder / f"{plain}{number or ''}{ending}" for number in (0, *range(2, len(taken) + 3)))
    return next(path for path in names if path not in taken)


def _whole(writing: Writing, done: Sequence[AnalysisRun]) -> dict[Path, str]:
    """Return the lists for other programs, and the report."""
    assert writing.out is not None
    texts: dict[Path, str] = {}
    material = done[0][1].material
    tables: list[Table] = []
    for name in ("every-threshold", "pairs"):
        each = analysis(name)
        tables += each.tables(analyse(each, material, each.options()))
    _add_csv(texts, writing.out, tables, writing)
    made = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")
    found = [each for each in done if each[0].in_report]
    columns = pair_columns(places.score_cache())
    report = Report(material, found, made=made, command=saying.command, pair_columns=columns)
    return texts | {writing.out / "report.html": report_html(report)}


def write(texts: dict[Path, str]) -> None:
    """Write files, all of them or none, and say where; their folders are made."""
    with contextlib.ExitStack() as files:
        for path, content in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            part = files.enter_context(atomic_write(path))
            half = "xmlcharrefreplace" if path.suffix == ".html" else "replace"  # half characters, of odd file names
            part.write_text(content, encoding="utf-8", errors=half, newline="")
    if texts:
        where = ", ".join(dict.fromkeys(str(path.parent) for path in texts))
        print(f"{count(len(texts), 'file', 'files')} → {where}", file=sys.stderr)


def _tables(done: Sequence[AnalysisRun]) -> Iterator[tuple[Table, tuple[str, ...]]]:
    """Yield each table with the lines that say what its scores were computed with, and which are bounds."""
    for each, run in done:
        material = run.material
        for table in each.tables(run):
            names = material.names if table.scores is None else table.scores
            bounds = (material.score_column(name) for name in names if name in material.names)
            sentences = (column.bounds_sentence for column in bounds)
            yield table, (*material.signature_lines(names), *filter(None, sentences))
