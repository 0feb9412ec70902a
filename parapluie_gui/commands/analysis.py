"""Commands that print analyses of pairs and scores: tables as text, LaTeX, JSON or files."""

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from parapluie_gui import places
from parapluie_gui.analysis.base import HUMAN, LABELS, SCORES, Analysis, AnalysisRemark, AnalysisRequirement, analyse
from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.analysis.evaluations.corpus import CorpusItself
from parapluie_gui.analysis.evaluations.thresholds import ThresholdAnalysis
from parapluie_gui.analysis.evaluations.transfer import random_halves
from parapluie_gui.analysis.filter.words import OUTCOME
from parapluie_gui.analysis.kept_threshold import (
    KeptThreshold,
    check_threshold_name,
    fitting_thresholds,
    forget_threshold,
    keep_thresholds,
    read_kept_thresholds,
)
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.own_scores import own_scores
from parapluie_gui.analysis.score_column import VERDICT_THRESHOLD
from parapluie_gui.analysis.score_languages import describe_strange_language, languages_of_columns, templates_of_columns
from parapluie_gui.analysis.table import Table, count_formulas, number, table_csv, table_text
from parapluie_gui.analysis.threshold import best_threshold
from parapluie_gui.api.corpora import combine_files
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
from parapluie_gui.commands.options import AnalyseOptions, OutputOptions
from parapluie_gui.commands.saying import TITLE, say, style_text
from parapluie_gui.errors import CorpusError, ParapluieError, join_words, one_line
from parapluie_gui.files import atomic_write
from parapluie_gui.pairs import Corpus
from parapluie_gui.pairs.corpus import UNLABELLED
from parapluie_gui.pairs.formulas import formula_sentence
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


def run(options: AnalyseOptions, *, select: str | None = None, figures: Mapping[str, Path] | None = None) -> int:
    """Run analyses, print them, and write the requested files; return the exit status.

    Args:
        options: Options shared by all commands that print analyses.
        select: Expression for the selected pairs, for analyses of a selection.
        figures: The files for figures, by the figure's name.

    Raises:
        ParapluieError: A requested column, file or analysis does not exist, or nothing can be analysed.
    """
    check_folders(options.writing)
    for name in options.only:
        if analysis(name).name not in options.analyses:
            raise ParapluieError(
                f"{name} generates its own pairs, so it has a separate command: `parapluie {name}`. Choose another "
                "analysis."
            )
    figures = figures or {}
    for path in figures.values():
        check_ending(path)
    apart = [replace(options, corpus=(path,)) for path in options.corpus] if options.apart else [options]
    done: list[AnalysisRun] = []
    for group in apart:
        material = build_analysed_material(group, select)
        with progress() as tick:
            for item in _choose_analyses(group, material):
                own_options = options.analyses[item.name]
                chosen = item.usual(material) if own_options == (item.options(),) else own_options
                done += [(item, analyse(item, material, own, tick)) for own in chosen or own_options]
    asked = {*options.only, *options.asked}
    quiet = [evaluation.name for evaluation, _ in done if not evaluation.printed and evaluation.name not in asked]
    texts = print_analyses(done, options.writing, quiet, options.drawing.style)
    if options.writing.out is not None and not options.only:
        texts |= _extra_files(options.writing, done)
    write_files(texts)
    drawn = {figure.name: (figure, run) for evaluation, run in done for figure in evaluation.figures(run)}
    for name, path in figures.items():
        if name not in drawn:
            raise ParapluieError(f"There is nothing to draw in {path}. Leave it out, or choose other pairs or scores.")
        figure, run = drawn[name]
        signatures = run.material.signature_lines(figure.scores)
        write_figure(path, figure, style=options.drawing.style, footer=signatures)
    return 0


def check_folders(writing: OutputOptions) -> None:
    """Raise a ParapluieError if an output folder is a file."""
    for folder in (writing.out, writing.csv):
        if folder is not None and folder.exists() and not folder.is_dir():
            raise ParapluieError(f"{folder} is a file. Choose a folder.")


def _choose_analyses(options: AnalyseOptions, material: AnalysisMaterial) -> list[Analysis[Any, Any]]:
    """Return the analyses named by `--only`, or all that can be computed plus those requested by an option.

    Raises:
        ParapluieError: A requirement of an analysis is not met; the error names the file and the option that meets it.
    """
    asked = {*options.only, *options.asked}
    possible = []
    for evaluation in map(analysis, dict.fromkeys(options.only or options.analyses)):
        if evaluation.name in asked or (evaluation.in_analyse and not options.only and evaluation.usual(material)):
            need = evaluation.missing(material)
            if need is None:
                possible.append(evaluation)
            elif evaluation.name in asked or need is SCORES:
                raise _missing_error(need, material, options.corpus[0])
    return possible


def _missing_error(need: AnalysisRequirement, material: AnalysisMaterial, path: Path) -> ParapluieError:
    if need is SCORES:
        return no_known_score(material.corpus, path)
    if need is HUMAN:
        return CorpusError("no column contains human scores", "name it with --human", path)
    if need is LABELS:
        return CorpusError("no pair has a label", "name a column with --label", path)
    return ParapluieError(need.todo or need.sentence)


def build_analysed_material(options: AnalyseOptions, select: str | None = None) -> AnalysisMaterial:
    """Read the files, compute the requested scores, and return the material for the analyses.

    Raises:
        ParapluieError: A file cannot be read with these options, or a score does not exist or cannot be computed.
    """
    choosing, path = options.scores, options.corpus[0]
    # `describe` runs the analyses of the corpus itself, not those of scores
    describes = CorpusItself.name in options.analyses and ThresholdAnalysis.name not in options.analyses
    corpora = [
        read_corpus(file, options.reading, choosing.named_columns, always_say_plan=describes) for file in options.corpus
    ]
    for extension in options.more:
        corpora = list(map(extension.change_corpus, corpora))
    signatures = _read_all_signatures(options.corpus)
    corpus = combine_files(corpora, say)
    if not options.only and corpus.label is None and corpus.human is None:
        say("no column contains labels or human scores. Name one with --label or --human.")
    table, scoring = ScoreTable(len(corpus)), options.scoring
    if scoring.asks_for_scores:
        # Imported here because it takes an eighth of a second, which is not needed for tables with scores.
        from parapluie_gui.commands.judge import compute_scores

        table = compute_scores(corpus, scoring.metric, scoring)
    put_expressions(corpus, table, options.defining.column, signatures)
    named = parse_score_thresholds(choosing.score, {*table, *corpus.extra})
    build = partial(
        build_material,
        corpus,
        table,
        signatures,
        scores=tuple(dict.fromkeys([*named, *choosing.distance])),
        distances=choosing.distance,
        known=dict.fromkeys(name for corpus in corpora for name in _list_known_scores(corpus)),
        draws=choosing.draws,
        seed=choosing.seed,
        path=path,
    )
    own = {name: x for name, x in named.items() if x is not None}
    by_outcome = any(text is not None and OUTCOME in text.casefold() for text in (options.filter, select))
    given = own | _read_thresholds(options, build())[0] if by_outcome else own
    material = build(filter=options.filter, select=select, given=given)
    known = languages_of_columns(material.names, material.signatures)
    templates = templates_of_columns(material.names, material.signatures)
    if strange := describe_strange_language(known, corpus.source, corpus.hypothesis, templates):
        say(strange)
    if choosing.forget_threshold is not None:
        _forget_thresholds(choosing.forget_threshold)
    if choosing.keep_threshold is not None:
        _keep_thresholds(material, choosing.keep_threshold, choosing.keep_from, options.filter)
    elif choosing.keep_from is not None:
        raise ParapluieError(
            "--keep-from chooses the pairs for a kept threshold. Name the threshold, too: --keep-threshold NAME."
        )
    given, kept = _read_thresholds(options, material)
    return replace(material, given=own | given, kept=kept)


def _read_thresholds(
    options: AnalyseOptions, material: AnalysisMaterial
) -> tuple[dict[str, float], tuple[KeptThreshold, ...]]:
    """Return the thresholds of `--threshold` by score, and the kept thresholds of these scores."""
    kept = fitting_thresholds(read_kept_thresholds(places.thresholds()), material.names, material.signatures)
    return parse_thresholds(options.scores.threshold, material.names, kept), kept


def _forget_thresholds(name: str) -> None:
    thresholds = read_kept_thresholds(places.thresholds())
    if not (gone := [threshold for threshold in thresholds if threshold.name == name]):
        names = join_words(list(dict.fromkeys(threshold.name for threshold in thresholds))) or "none"
        raise ParapluieError(f"No threshold is kept as {name}. The kept thresholds are {names}.")
    for threshold in gone:
        forget_threshold(places.thresholds(), threshold)
        say(f"forgotten: {name}, {threshold.score} from {number(threshold.threshold)} ({threshold.origin}).")


def _select_part(material: AnalysisMaterial, part: str | None) -> tuple[str, Mask]:
    """Return the title and the mask of the pairs that `--keep-from` names.

    Raises:
        ParapluieError: It names no part of the pairs.
    """
    every, name = np.ones(len(material.corpus), dtype=bool), material.corpus.name
    if part is None:
        return name, every
    word, _, seed = part.partition("=")
    if part in material.parts and len(material.parts) > 1:
        return part, material.parts[part]
    if word == "half" and (seed.isdecimal() or not seed) and len(seed) < 10:
        scored = np.any([~np.isnan(column.values) for column in material.score_columns], axis=0)
        half = random_halves(scored & (material.labels != UNLABELLED), int(seed or 0))
        return f"a random half (seed {seed or 0}) of {name}", half["first half"]
    there = join_words(["half", "half=SEED", *(material.parts if len(material.parts) > 1 else ())])
    raise ParapluieError(f"--keep-from {part} names no part of these pairs. The parts are {there}.")


def _keep_thresholds(material: AnalysisMaterial, name: str, part: str | None, filter: str | None) -> None:
    """Save each score's best threshold on these pairs, or on a part of them, under a name, and print it.

    Raises:
        ParapluieError: The name is empty or a number, the part does not exist, or its pairs do not have both labels.
    """
    check_threshold_name(name)
    some = "" if filter is None else f" ({filter})"
    called, where = _select_part(material, part)
    new = []
    for column in material.score_columns:
        threshold, right = best_threshold(column.values[where], material.labels[where], column.higher_is_closer)
        if column.holds_verdicts:
            threshold = VERDICT_THRESHOLD
        if not (right.tp + right.fn and right.fp + right.tn):
            raise ParapluieError(
                "A threshold can only be learnt from scored pairs with both labels. Choose different pairs or scores."
            )
        origin = f"best accuracy on {called}{some}, {count(right.counted, 'labelled pair', 'labelled pairs')}"
        signature = material.signatures.get(column.name)
        new.append(KeptThreshold(name, column.name, threshold, origin, "" if signature is None else str(signature)))
        say(f"kept as {name}: {column.name} from {number(threshold)}, {origin}.")
    keep_thresholds(places.thresholds(), new)


def _list_known_scores(corpus: Corpus) -> Iterable[str]:
    """Return the score columns of a file; a feature's reader decides for the corpora it reads."""
    for reader in readers():
        if corpus.layout == reader.layout:
            return reader.scores(corpus.extra)
    return own_scores(corpus)


def _read_all_signatures(paths: Sequence[Path]) -> dict[str, Signature]:
    """Return the signatures of all tables, and print a notice for scores computed with different settings."""
    signatures: dict[str, Signature] = {}
    for path in paths:
        for name, signature in read_signatures(path).items():
            if signatures.setdefault(name, signature) != signature:
                say(f"{name} of {path.name} was computed with different settings than in the earlier tables.")
            for remark in signature.remarks:
                say(remark)
    return signatures


def print_analyses(
    done: Sequence[AnalysisRun], writing: OutputOptions, quiet: Collection[str] = (), style: FigureStyle = USUAL
) -> dict[Path, str]:
    """Print analyses in the requested format, without the tables of those in `quiet`; return the files to write."""
    tables = list(_list_tables(done))
    printed = [item for item in done if item[0].name not in quiet]
    if writing.json:
        print(to_json(record_analyses(done)), end="")
    elif writing.latex:
        print("\n".join(_list_latex(printed)), end="")
    else:
        lines = dict.fromkeys(line for _, some in _list_tables(printed) for line in some)
        notes = ["".join(f"{line}\n" for line in lines)] if lines else []
        print("\n".join([*_list_texts(printed), *notes]), end="")
    for evaluation, run in done:
        has_tables = bool(evaluation.tables(run))
        for block in evaluation.blocks(run):
            if isinstance(block, AnalysisRemark) and block.text and (block.result or not has_tables):
                say(block.text)
    texts: dict[Path, str] = {}
    if writing.out is not None:
        texts[writing.out / "analysis.json"] = to_json(record_analyses(done))
        for table, some in tables:
            texts[_unused_path(texts, writing.out, table.name, ".tex")] = booktabs(table, table.digits, some)
        for evaluation, run in done:
            for figure in evaluation.figures(run):
                signatures = run.material.signature_lines(figure.scores)
                texts[_unused_path(texts, writing.out, figure.name, ".svg")] = figure_svg(
                    figure,
                    size=style.pixels,
                    type_size=style.type_pixels,
                    dark=style.dark,
                    transparent=style.transparent,
                    footer=signatures if style.size is None else (),
                    about=() if style.size is None else signatures,
                )
    for folder in filter(None, dict.fromkeys((writing.out, writing.csv))):
        _add_csv(texts, folder, [table for table, _ in tables], writing)
    return texts


def _list_texts(printed: Sequence[AnalysisRun]) -> Iterator[str]:
    """Yield the finding of each analysis, above its tables, and the tables as text."""
    plain = not sys.stdout.isatty()
    for item in printed:
        if finding := item[0].finding(item[1]):
            yield f"{one_line(finding)}\n"
        for table, _ in _list_tables([item]):
            yield _embolden_title(table_text(table, table.digits, plain=plain))


def _list_latex(printed: Sequence[AnalysisRun]) -> Iterator[str]:
    """Yield the finding of each analysis as a comment, and its tables for LaTeX."""
    for item in printed:
        if finding := item[0].finding(item[1]):
            yield f"% {one_line(finding)}\n"
        for table, lines in _list_tables([item]):
            yield booktabs(table, table.digits, lines)


def _embolden_title(block: str) -> str:
    """Return a printed table with its title, the first line, in bold if the output shows it."""
    title, *rest = block.split("\n")
    return "\n".join([style_text(title, TITLE, sys.stdout), *rest])


def to_json(data: object) -> str:
    """Return data as indented JSON; raises an error for NaN."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def _add_csv(texts: dict[Path, str], folder: Path, tables: Sequence[Table], writing: OutputOptions) -> None:
    for table in tables:
        texts[_unused_path(texts, folder, table.name, ".csv")] = table_csv(table, mark_formulas=writing.no_formulas)
    if formulas := sum(map(count_formulas, tables)):
        say(formula_sentence(formulas, writing.no_formulas))


def _unused_path(taken: Collection[Path], folder: Path, name: str, ending: str) -> Path:
    """Return a path that no other table or figure has: the same analysis may be computed twice."""
    plain = re.sub(r"[^\w.-]+", "-", name)
    names = (folder / f"{plain}{number or ''}{ending}" for number in (0, *range(2, len(taken) + 3)))
    return next(path for path in names if path not in taken)


def _extra_files(writing: OutputOptions, done: Sequence[AnalysisRun]) -> dict[Path, str]:
    """Return the tables for other programs (CSV) and the HTML report."""
    assert writing.out is not None
    texts: dict[Path, str] = {}
    material = done[0][1].material
    tables: list[Table] = []
    for name in ("every-threshold", "pairs"):
        evaluation = analysis(name)
        tables += evaluation.tables(analyse(evaluation, material, evaluation.options()))
    _add_csv(texts, writing.out, tables, writing)
    now = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")
    reported = [item for item in done if item[0].in_report]
    columns = pair_columns(places.score_cache())
    report = Report(material, reported, date=now, command=saying.command, pair_columns=columns)
    return texts | {writing.out / "report.html": report_html(report)}


def write_files(texts: dict[Path, str]) -> None:
    """Write files, all or none of them, and print their folders; missing folders are created."""
    with contextlib.ExitStack() as files:
        for path, content in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            part = files.enter_context(atomic_write(path))
            # Names of files may contain lone surrogates.
            errors = "xmlcharrefreplace" if path.suffix == ".html" else "replace"
            part.write_text(content, encoding="utf-8", errors=errors, newline="")
    if texts:
        where = ", ".join(dict.fromkeys(str(path.parent) for path in texts))
        print(f"{count(len(texts), 'file', 'files')} → {where}", file=sys.stderr)


def _list_tables(done: Sequence[AnalysisRun]) -> Iterator[tuple[Table, tuple[str, ...]]]:
    """Yield each table with its notes: signatures and costs of its scores, and remarks on scores that are bounds."""
    for evaluation, run in done:
        material = run.material
        for table in evaluation.tables(run):
            names = material.names if table.scores is None else table.scores
            bounds = (material.score_column(name) for name in names if name in material.names)
            sentences = (column.bounds_sentence for column in bounds)
            costs = [(name, signature.cost) for name in names if (signature := material.signatures.get(name))]
            yield (
                table,
                (
                    *material.signature_lines(names),
                    *filter(None, sentences),
                    *(f"{name}: {cost}" for name, cost in costs if cost),
                ),
            )
