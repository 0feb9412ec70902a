"""Share of wrong verdicts in each part of the PARAPHRASUS benchmark (tables 2 and 5 of its paper)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from parapluie_gui.analysis.base import PAIRS, Analysis, AnalysisRemark, Block, Run
from parapluie_gui.analysis.evaluations.shared import SHARED, SHARED_NOTE, shared_cells
from parapluie_gui.analysis.finding import name_some, share_words
from parapluie_gui.analysis.languages import languages
from parapluie_gui.analysis.link import Link, PairsLink
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.plain import plain
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.statistics.shared_errors import SharedErrors
from parapluie_gui.analysis.table import Cell, Table
from parapluie_gui.features.papers.grades_analysis import METHODS
from parapluie_gui.features.papers.paraphrasus import (
    GROUPS,
    PART_KEYS,
    PARTS,
    BenchmarkMethod,
    BenchmarkTask,
    ErrorTable,
    MethodErrors,
    PartError,
    find_tasks,
    order_parts,
    paraphrasus,
    prediction_columns,
    prediction_method,
    score_method,
    shared_mask,
    tally_by_language,
    tally_shared_errors,
    wrong_mask,
)
from parapluie_gui.scores.identity import identify

#: Maximum number of methods named in a title.
_MOST_NAMED = 8

#: Errors of each method, by language and part.
ByLanguage = Mapping[str, Mapping[str, Mapping[str, PartError]]]

_NOTHING = (
    "No file is named after a part of PARAPHRASUS. Open the benchmark's files (File, Add corpus to this one… adds "
    "more) or give the corpus a column “part” (MRPC, STS-H, TRUE …)."
)
_HINT = (
    "Each score uses its chosen threshold; failing that, its natural threshold; failing that, the best on the "
    "corpus. "
    "Columns of predictions (1, 0, −100 for no answer) are methods too. Click an error or a count to select the wrong "
    "pairs."
)


@dataclass(frozen=True)
class ParaphrasusOptions:
    """No options: the analysis is always computed in the same way."""


@dataclass(frozen=True, eq=False)
class ParaphrasusResult:
    """Errors of each method, and errors that methods share.

    Attributes:
        tasks: Parts of the benchmark in the corpus.
        methods: Verdicts of each method.
        table: Errors by method and part; None without parts.
        together: Methods whose shared errors are counted: the judges' templates if there are two or more, otherwise
            the chosen scores, otherwise all methods.
        shared: Shared errors by part.
        languages: Errors by method, language and part; empty if the languages of the pairs are unknown.
    """

    tasks: tuple[BenchmarkTask, ...] = ()
    methods: tuple[BenchmarkMethod, ...] = ()
    table: ErrorTable | None = None
    together: tuple[BenchmarkMethod, ...] = ()
    shared: Mapping[str, SharedErrors] = field(default_factory=dict)
    languages: ByLanguage = field(default_factory=dict)


class ParaphrasusAnalysis(Analysis[ParaphrasusOptions, ParaphrasusResult]):
    """Shows the errors in each part of PARAPHRASUS; clicking an error or a count selects the wrong pairs."""

    name = "paraphrasus"
    title = "PARAPHRASUS"
    group = "Judges"
    about = "Share of wrong verdicts in each part of PARAPHRASUS (tables 2 and 5 of its paper)"
    manual = "paraphrasus"
    needs = (PAIRS, METHODS)
    options = ParaphrasusOptions
    follows_threshold = True
    in_analyse = False
    in_report = False

    def compute(self, material: AnalysisMaterial, options: ParaphrasusOptions, tick: Tick) -> ParaphrasusResult:
        corpus = material.corpus
        tick(0, 3)
        corpus_tasks = find_tasks(corpus, material.where)
        if not corpus_tasks:
            return ParaphrasusResult()
        tick(1, 3)
        methods, templates = [], []
        for score_column in material.score_columns:
            threshold = material.threshold(score_column, material.where)
            if threshold == threshold:  # NaN if a score has no threshold and there are no labels
                methods.append(replace(score_method(score_column, threshold), name=score_column.title))
                templates += [methods[-1]] if identify(score_column.name).is_from_judge else []
        chosen = list(methods)
        for name in prediction_columns(corpus):
            if name not in material.names:
                methods.append(prediction_method(name, corpus, [name]))
        tick(2, 3)
        together = tuple(next((group for group in (templates, chosen) if len(group) > 1), methods))
        codes = languages(corpus)
        return ParaphrasusResult(
            tasks=corpus_tasks,
            methods=tuple(methods),
            table=paraphrasus(corpus, methods, where=material.where),
            together=together,
            shared=tally_shared_errors(corpus_tasks, together) if len(together) > 1 else {},
            languages={}
            if codes is None
            else {method.name: tally_by_language(corpus_tasks, method, codes) for method in methods},
        )

    def finding(self, run: Run[ParaphrasusOptions, ParaphrasusResult]) -> str:
        methods = () if run.result.table is None else run.result.table.methods
        totals = {method.name: method.total for method in methods if method.total is not None}
        if len(totals) > 1:
            ordered = sorted(totals, key=totals.__getitem__)
            listed = name_some([f"{name} {totals[name]:.1f} %" for name in ordered])
            return f"Wrong verdicts, as the mean of the three groups of parts: {listed}."
        if totals:
            [(name, total)] = totals.items()
            return f"{name} is wrong in {total:.1f} % of its verdicts, as the mean of the three groups of parts."
        parts = [(method.name, key, part) for method in methods for key, part in method.parts.items() if part.scored]
        if not parts:
            return ""
        name, key, part = max(parts, key=lambda one: one[2].wrong / one[2].scored)
        highest = f", the highest share of {len(parts)}" if len(parts) > 1 else ""
        return f"{name} is wrong on {share_words(part.wrong, part.scored)} of {key}{highest}."

    def blocks(self, run: Run[ParaphrasusOptions, ParaphrasusResult]) -> Sequence[Block]:
        result = run.result
        if result.table is None:
            return (AnalysisRemark(_NOTHING),)
        return (
            _errors(result, result.table),
            _together(result),
            languages_table(result.languages),
            AnalysisRemark(_HINT),
        )

    def details(self, run: Run[ParaphrasusOptions, ParaphrasusResult]) -> dict[str, object]:
        result = run.result
        if result.table is None:
            return {}
        methods = {
            method.name: {"parts": plain(method.parts), "averages": plain(method.averages), "total": method.total}
            for method in result.table.methods
        }
        parts = {"present": list(result.table.present), "missing": list(result.table.missing)}
        return {
            **parts,
            "methods": methods,
            "shared_errors": plain(result.shared),
            "languages": plain(result.languages),
        }


def _errors(result: ParaphrasusResult, table: ErrorTable) -> Table:
    errors = errors_table(table)
    parts = {task.part.key: task for task in result.tasks}

    def link(row: int, column: int) -> Link | None:
        task, method = parts.get(errors.header[column]), result.methods[row]
        if task is None:
            return None
        return PairsLink(f"{task.part.key} wrong by {method.name}", lambda now: wrong_mask(task, method))

    return replace(errors, link=link)


def _together(result: ParaphrasusResult) -> Table:
    table = shared_parts_table(result.shared, [method.name for method in result.together])

    def link(row: int, column: int) -> Link:
        key = table.rows[row][0]
        chosen = [task for task in result.tasks if key in (task.part.key, "all")]
        every = table.header[column] in ("wrong by all", "% wrong by all")
        masks = [shared_mask(task, result.together, every=every) for task in chosen]
        title = f"{key} wrong by all" if every else f"{key} wrong by at least one"
        return PairsLink(title, lambda now: np.asarray(np.any(masks, axis=0)))

    return replace(table, link=link)


def errors_table(table: ErrorTable) -> Table:
    """Return the error table (table 2 of the paper)."""
    rows = tuple(
        (
            method.name,
            *(method.parts[key].error if key in method.parts else None for key in table.present),
            *(method.averages[group].error for group in GROUPS),
            method.total,
        )
        for method in table.methods
    )
    return Table(
        "paraphrasus",
        "PARAPHRASUS, wrong verdicts in per cent",
        ("method", *table.present, *GROUPS.values(), "total"),
        rows,
        errors_note(table),
        digits=1,
    )


def errors_note(table: ErrorTable) -> str:
    """Return a note on the averages: missing parts, and methods without verdicts on some pairs."""
    sentences = []
    if table.missing:
        over = {
            title: [part.key for part in PARTS if part.group == group and part.key in table.present]
            for group, title in GROUPS.items()
        }
        named = "; ".join(f"{title} {', '.join(keys) or 'nothing'}" for title, keys in over.items())
        sentences.append(
            f"Missing: {', '.join(table.missing)}. The averages are over fewer parts than the paper's: {named}."
        )
    if own := [key for key in table.present if key not in PART_KEYS]:
        sentences.append(f"The paper does not have {', '.join(own)}; the averages leave it out.")
    for method in table.methods:
        sentences += _gaps(method, table)
    return " ".join(sentences)


def _gaps(method: MethodErrors, table: ErrorTable) -> Iterable[str]:
    absent = [key for key in table.present if key not in method.parts]
    if absent:
        yield f"{method.name} has no verdicts on {', '.join(absent)}, so its averages do not include them."
    partly = [f"{part.unscored:,} of {key}" for key, part in method.parts.items() if part.unscored]
    if partly:
        yield f"{method.name} lacks verdicts on {', '.join(partly)}."


def shared_parts_table(by_part: Mapping[str, SharedErrors], methods: Sequence[str]) -> Table:
    """Return a table of the errors shared by all methods, by part and in total; without rows for a single method."""
    keys = [key for key in order_parts(by_part) if by_part[key].pairs]
    total = sum((by_part[key] for key in keys), SharedErrors())
    rows: list[tuple[Cell, ...]] = [(key, *shared_cells(by_part[key])) for key in keys]
    if len(keys) > 1:
        rows.append(("all", *shared_cells(total)))
    named = ", ".join(methods) if len(methods) <= _MOST_NAMED else f"{len(methods)} methods"
    return Table(
        "shared-errors",
        f"Errors shared by {named}",
        ("part", *SHARED),
        tuple(rows) if len(methods) > 1 else (),
        SHARED_NOTE,
        digits=1,
    )


def languages_table(by_method: ByLanguage) -> Table:
    """Return a table of the error of each method by language and part; it has no rows for fewer than two languages."""
    codes = list(dict.fromkeys(code for errors in by_method.values() for code in errors))
    keys = order_parts(key for errors in by_method.values() for parts in errors.values() for key in parts)
    rows: list[tuple[Cell, ...]] = [
        (method, code, *(errors[code][key].error if key in errors.get(code, {}) else None for key in keys))
        for method, errors in by_method.items()
        for code in codes
    ]
    return Table(
        "paraphrasus-languages",
        "PARAPHRASUS by language, wrong verdicts in per cent",
        ("method", "language", *keys),
        tuple(rows) if len(codes) > 1 else (),
        digits=1,
    )
