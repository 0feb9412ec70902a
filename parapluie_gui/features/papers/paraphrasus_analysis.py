"""The share of wrong verdicts in each part of the PARAPHRASUS benchmark (tables 2 and 5 of its paper)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from parapluie_gui.analysis.base import PAIRS, Analysis, Block, Remark, Run
from parapluie_gui.analysis.evaluations.shared import SHARED, SHARED_NOTE, shared_cells
from parapluie_gui.analysis.languages import languages
from parapluie_gui.analysis.link import Link, PairsLink
from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.plain import plain
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.statistics.shared_errors import SharedErrors
from parapluie_gui.analysis.table import Cell, Table, percent
from parapluie_gui.features.papers.grades_analysis import METHODS
from parapluie_gui.features.papers.paraphrasus import (
    GROUPS,
    PART_KEYS,
    PARTS,
    BenchmarkTask,
    ErrorTable,
    Method,
    MethodErrors,
    PartError,
    by_language,
    paraphrasus,
    prediction_columns,
    prediction_method,
    score_method,
    shared,
    shared_mask,
    tasks,
    wrong_mask,
)
from parapluie_gui.scores.identity import identify

#: Methods that a title names, at most.
_NAMED = 8

#: Errors of each method, by language and part.
ByLanguage = Mapping[str, Mapping[str, Mapping[str, PartError]]]

_NOTHING = (
    "No PARAPHRASUS part was recognised by file name. Open the benchmark's files (File, Add corpus to this one… adds "
    "more) or give the corpus a column “part” (MRPC, STS-H, TRUE …)."
)
_HINT = (
    "A score is judged at the chosen threshold, otherwise at its natural threshold or, without one, at its best. "
    "Columns of predictions (1, 0, −100 for no answer) are methods too. Click an error or a count to select the wrong "
    "pairs."
)


@dataclass(frozen=True)
class Options:
    """Nothing can be chosen."""


@dataclass(frozen=True, eq=False)
class ParaphrasusResult:
    """What each method gets wrong.

    Attributes:
        tasks: The benchmark's parts that the corpus holds.
        methods: What each method says.
        table: The errors; None without parts.
        together: The methods taken together: the templates if there are two, otherwise the chosen scores or all.
        shared: What those get wrong together, by part.
        languages: The errors by method, language and part, where the corpus tells languages.
    """

    tasks: tuple[BenchmarkTask, ...] = ()
    methods: tuple[Method, ...] = ()
    table: ErrorTable | None = None
    together: tuple[Method, ...] = ()
    shared: Mapping[str, SharedErrors] = field(default_factory=dict)
    languages: ByLanguage = field(default_factory=dict)


class Paraphrasus(Analysis[Options, ParaphrasusResult]):
    """An error or a count clicked selects the pairs that are wrong."""

    name = "paraphrasus"
    title = "PARAPHRASUS"
    group = "Judges"
    about = "Share of wrong verdicts in each part of PARAPHRASUS (tables 2 and 5 of its paper)"
    manual = "paraphrasus"
    needs = (PAIRS, METHODS)
    options = Options
    follows_threshold = True
    in_analyse = False
    in_report = False

    def compute(self, material: Material, options: Options, tick: Tick) -> ParaphrasusResult:
        corpus = material.corpus
        tick(0, 3)
        found = tasks(corpus, material.where)
        if not found:
            return ParaphrasusResult()
        tick(1, 3)
        methods, templates = [], []
        for each in material.score_columns:
            threshold = material.threshold(each, material.where)
            if threshold == threshold:  # NaN where a score has no threshold and there are no labels
                methods.append(replace(score_method(each, threshold), name=each.title))
                templates += [methods[-1]] if identify(each.name).judged else []
        chosen = list(methods)
        for name in prediction_columns(corpus):
            if name not in material.names:
                methods.append(prediction_method(name, corpus, [name]))
        tick(2, 3)
        together = tuple(next((each for each in (templates, chosen) if len(each) > 1), methods))
        codes = languages(corpus)
        return ParaphrasusResult(
            tasks=found,
            methods=tuple(methods),
            table=paraphrasus(corpus, methods, where=material.where),
            together=together,
            shared=shared(found, together) if len(together) > 1 else {},
            languages={} if codes is None else {each.name: by_language(found, each, codes) for each in methods},
        )

    def finding(self, run: Run[Options, ParaphrasusResult]) -> str:
        methods = () if run.result.table is None else run.result.table.methods
        if totals := {each.name: each.total for each in methods if each.total is not None}:
            best = min(totals, key=totals.__getitem__)
            return f"{best} is wrong least often: {totals[best]:.1f} % of its verdicts, on average over the parts."
        parts = [(each.name, key, part) for each in methods for key, part in each.parts.items() if part.wrong]
        if not parts:
            return ""
        name, key, part = max(parts, key=lambda one: one[2].wrong / one[2].scored)
        return f"{name} is wrong most often on {key}: {percent(part.wrong / part.scored, part.scored)} of its verdicts."

    def blocks(self, run: Run[Options, ParaphrasusResult]) -> Sequence[Block]:
        found = run.result
        if found.table is None:
            return (Remark(_NOTHING),)
        return (_errors(found, found.table), _together(found), languages_table(found.languages), Remark(_HINT))

    def details(self, run: Run[Options, ParaphrasusResult]) -> dict[str, object]:
        found = run.result
        if found.table is None:
            return {}
        methods = {
            each.name: {"parts": plain(each.parts), "averages": plain(each.averages), "total": each.total}
            for each in found.table.methods
        }
        parts = {"present": list(found.table.present), "missing": list(found.table.missing)}
        return {**parts, "methods": methods, "shared_errors": plain(found.shared), "languages": plain(found.languages)}


def _errors(found: ParaphrasusResult, table: ErrorTable) -> Table:
    errors = errors_table(table)
    parts = {task.part.key: task for task in found.tasks}

    def link(row: int, column: int) -> Link | None:
        task, method = parts.get(errors.header[column]), found.methods[row]
        if task is None:
            return None
        return PairsLink(f"{task.part.key} wrong by {method.name}", lambda now: wrong_mask(task, method))

    return replace(errors, link=link)


def _together(found: ParaphrasusResult) -> Table:
    table = shared_parts_table(found.shared, [each.name for each in found.together])

    def link(row: int, column: int) -> Link:
        key = table.rows[row][0]
        chosen = [task for task in found.tasks if key in (task.part.key, "all")]
        every = table.header[column] in ("wrong by all", "% wrong by all")
        masks = [shared_mask(task, found.together, every=every) for task in chosen]
        title = f"{key} wrong by all" if every else f"{key} wrong by at least one"
        return PairsLink(title, lambda now: np.asarray(np.any(masks, axis=0)))

    return replace(table, link=link)


def errors_table(table: ErrorTable) -> Table:
    """Return the error table (table 2 of the paper)."""
    rows = tuple(
        (
            each.name,
            *(each.parts[key].error if key in each.parts else None for key in table.present),
            *(each.averages[group].error for group in GROUPS),
            each.total,
        )
        for each in table.methods
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
    """Return a note on the averages: which parts are missing, and which methods lack pairs."""
    sentences = []
    if table.missing:
        over = {
            title: [part.key for part in PARTS if part.group == group and part.key in table.present]
            for group, title in GROUPS.items()
        }
        named = "; ".join(f"{title} {', '.join(keys) or 'nothing'}" for title, keys in over.items())
        sentences.append(
            f"Missing: {', '.join(table.missing)}. The averages are over other parts than the paper's: {named}."
        )
    for each in table.methods:
        sentences += _gaps(each, table)
    return " ".join(sentences)


def _gaps(each: MethodErrors, table: ErrorTable) -> Iterable[str]:
    absent = [key for key in table.present if key not in each.parts]
    if absent:
        yield f"{each.name} has no verdicts on {', '.join(absent)}: its averages lack them."
    partly = [f"{part.unscored:,} of {key}" for key, part in each.parts.items() if part.unscored]
    if partly:
        yield f"{each.name} lacks verdicts on {', '.join(partly)}."


def shared_parts_table(found: Mapping[str, SharedErrors], methods: Sequence[str]) -> Table:
    """Return what all methods get wrong in each part, and in all of them; no rows for one method."""
    keys = [key for key in PART_KEYS if key in found and found[key].pairs]
    total = sum((found[key] for key in keys), SharedErrors())
    rows: list[tuple[Cell, ...]] = [(key, *shared_cells(found[key])) for key in keys]
    if len(keys) > 1:
        rows.append(("all", *shared_cells(total)))
    named = ", ".join(methods) if len(methods) <= _NAMED else f"{len(methods)} methods"
    return Table(
        "shared-errors",
        f"Wrong together: {named}",
        ("part", *SHARED),
        tuple(rows) if len(methods) > 1 else (),
        SHARED_NOTE,
        digits=1,
    )


def languages_table(found: ByLanguage) -> Table:
    """Return the error of each method in each language and part; no rows where there are not two languages."""
    codes = list(dict.fromkeys(code for errors in found.values() for code in errors))
    there = {key for errors in found.values() for parts in errors.values() for key in parts}
    keys = [key for key in PART_KEYS if key in there]
    rows: list[tuple[Cell, ...]] = [
        (method, code, *(errors[code][key].error if key in errors.get(code, {}) else None for key in keys))
        for method, errors in found.items()
        for code in codes
    ]
    return Table(
        "paraphrasus-languages",
        "PARAPHRASUS by language, wrong verdicts in per cent",
        ("method", "language", *keys),
        tuple(rows) if len(codes) > 1 else (),
        digits=1,
    )
