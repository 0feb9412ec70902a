"""Copy as Python: the script that recomputes what the window shows, with the package's public functions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from parapluie_gui import __version__

#: Rows of a set that are written out on a line.
_ACROSS = 20

#: What a script may use of the package, by module; it imports what it names.
_MODULES = {
    "parapluie_gui": ("places",),
    "parapluie_gui.analysis.evaluations.human": ("meta_tables",),
    "parapluie_gui.analysis.material": ("edit_distance",),
    "parapluie_gui.analysis.protocols.mixed_balanced": ("mixed_balanced",),
    "parapluie_gui.analysis.protocols.parascore": ("meta",),
    "parapluie_gui.analysis.protocols.raters": ("raters_of", "study_raters"),
    "parapluie_gui.analysis.score_column": ("parts", "score_column"),
    "parapluie_gui.analysis.study": ("Studied", "study"),
    "parapluie_gui.judgements.columns": ("asked",),
    "parapluie_gui.judgements.scheme": ("load_schemes",),
    "parapluie_gui.pairs": ("read",),
    "parapluie_gui.pairs.pool": ("pool",),
    "parapluie_gui.pluie.judge_settings": ("JudgeSettings",),
    "parapluie_gui.pluie.templates": ("find_templates", "load_templates"),
    "parapluie_gui.analysis.evaluations.balanced": ("balanced_table",),
    "parapluie_gui.analysis.evaluations.raters": ("agreement_tables",),
    "parapluie_gui.report.evaluation": ("evaluation_grids",),
    "parapluie_gui.analysis.table": ("table_text",),
    "parapluie_gui.storage.session": ("Session",),
    "parapluie_gui.work.local": ("compute",),
}


@dataclass(frozen=True)
class Judge:
    """A model and how it was run, with the templates it judged by."""

    model: str
    precision: str
    exact: bool
    templates: tuple[str, ...]


@dataclass(frozen=True)
class Recipe:
    """What a script recomputes.

    Attributes:
        files: The files of the corpus in their order, several are pooled; empty: it is read from the session.
        session: The session file that holds the corpus and its scores, and the corpus's number there; or None.
        pairs: The number of pairs, checked by the script.
        metrics, judges: The metrics to compute and the models to score with.
        stored: Scores that are read from the session as they are.
        columns: Scores that are the corpus's own columns.
        distances: Scores that are distances though their names do not say so.
        scores: All scores, in their order.
        parts: The corpora that are analysed; empty: all.
        rows: Only these pairs, called `set_name`; or None.
        given: A threshold by score.
        draws: Resamples.
        balanced: Pairs per label, draws and seed of the mixed balanced dataset; None where it is not computed.
        human: Are there human scores?
        judged: Is there something that people said, which is in the session?
    """

    files: tuple[Path, ...] = ()
    session: tuple[Path, int] | None = None
    pairs: int = 0
    metrics: tuple[str, ...] = ()
    judges: tuple[Judge, ...] = ()
    stored: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    distances: tuple[str, ...] = ()
    scores: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    rows: Sequence[int] | None = None
    set_name: str = ""
    given: Mapping[str, float] = field(default_factory=dict)
    draws: int = 0
    balanced: tuple[int, int, int] | None = None
    human: bool = False
    judged: bool = False


def python_script(recipe: Recipe) -> str:
    """Return the script's text; it prints the tables and leaves everything in variables for more."""
    body = [*_reading(recipe), "", *_scoring(recipe), "", *_analysing(recipe)]
    lines = [
        '"""Recomputes an evaluation that was looked at in ParaPLUIE Inspector."""',
        "",
        f"# Written by ParaPLUIE Inspector {__version__}; needs the Python package parapluie_gui.",
        *_imports(body),
        "",
        *body,
    ]
    return "\n".join(lines) + "\n"


def _imports(body: Sequence[str]) -> list[str]:
    text = "\n".join(body)
    used = {module: [name for name in names if re.search(rf"\b{name}\b", text)] for module, names in _MODULES.items()}
    lines = [f"from {module} import {', '.join(names)}" for module, names in used.items() if names]
    return ["from pathlib import Path", "", "import numpy as np", "", *lines]


def _needs_session(recipe: Recipe) -> bool:
    return recipe.session is not None and (bool(recipe.stored) or recipe.judged or not recipe.files)


def _reading(recipe: Recipe) -> list[str]:
    lines = ["# The pairs"]
    if len(recipe.files) == 1:
        lines.append(f"corpus = read(Path({str(recipe.files[0])!r}))")
    elif recipe.files:
        lines.append("corpus = pool([")
        lines += [f"    read(Path({str(path)!r}))," for path in recipe.files]
        lines.append("])")
    if _needs_session(recipe) and recipe.session is not None:
        path, number = recipe.session
        lines.append(f"with Session.open(Path({str(path)!r}), reading=True) as session:")
        if recipe.judged:
            lines.append(f"    corpus = session.judged_corpus({number})  # with what people said as columns")
            lines.append(f"    answers = session.judgements({number})  # each with annotator and time")
        elif not recipe.files:
            lines.append(f"    corpus = session.corpus({number})")
        lines.append(f"    stored = session.score_table({number})")
    lines.append(f'assert len(corpus) == {recipe.pairs}, f"the corpus has {{len(corpus)}} pairs now"')
    return lines


def _scoring(recipe: Recipe) -> list[str]:
    lines = ["# The scores, an array by name", "table = {}"]
    computed = "table |= {name: computed[name] for name in computed}"
    if recipe.metrics:
        lines += [f"computed = compute(corpus, {_tuple(recipe.metrics)})", computed]
    for judge in recipe.judges:
        lines += [
            f"templates = find_templates({_tuple(judge.templates)}, load_templates(places.user_templates())[0])",
            f"judge = JudgeSettings({judge.model!r}, precision={judge.precision!r}, exact={judge.exact})",
            "computed = compute(corpus, (), judge, templates)",
            computed,
        ]
    if recipe.stored:
        lines.append("# Kept in the session, not computed again")
        lines.append(f"table |= {{name: stored[name] for name in {_tuple(recipe.stored)}}}")
    if recipe.columns:
        lines.append("# Columns of the corpus")
        lines.append(f"table |= {{name: corpus.numbers(name) for name in {_tuple(recipe.columns)}}}")
    return lines


def _analysing(recipe: Recipe) -> list[str]:
    lines = [
        "# The evaluation",
        f"distances = {_tuple(recipe.distances)}",
        f"columns = [score_column(name, table[name], name in distances or None) for name in {_tuple(recipe.scores)}]",
        "labels = np.full(len(corpus), -1) if corpus.label is None else corpus.label",
        "chosen = parts(corpus)",
    ]
    if recipe.parts:
        lines.append(f"chosen = {{name: chosen[name] for name in {_tuple(recipe.parts)}}}")
    if recipe.rows is not None:
        rows = list(recipe.rows)
        lines += [
            f"# Only the set {' '.join(recipe.set_name.split())!r}",
            "only = np.zeros(len(corpus), dtype=bool)",
            "only[[",
            *("    " + " ".join(f"{row}," for row in rows[at : at + _ACROSS]) for at in range(0, len(rows), _ACROSS)),
            "]] = True",
            "chosen = {name: mask & only for name, mask in chosen.items()}",
        ]
    lines += [
        "material = Studied(",
        "    score_columns=columns,",
        "    labels=labels,",
        "    parts=chosen,",
        "    human=corpus.human,",
        "    distance=edit_distance(corpus),",
        f"    given={dict(recipe.given)!r},",
        ")",
        f"studies = study(material, draws={recipe.draws}, seed=0)",
        "for grid in evaluation_grids(studies):",
        "    print(table_text(grid))",
    ]
    if recipe.balanced is not None:
        per_label, draws, seed = recipe.balanced
        lines += [
            f"balanced = mixed_balanced(columns, labels, chosen, per_label={per_label}, draws={draws}, seed={seed})",
            "print(table_text(balanced_table(balanced)))",
        ]
    if recipe.human:
        where = "np.any(list(chosen.values()), axis=0)"
        lines += [
            f"evaluation = meta(columns, corpus, where={where}, draws={recipe.draws})",
            "for grid in meta_tables(evaluation):",
            "    print(table_text(grid))",
        ]
    if recipe.judged:
        lines += [
            "# What people said",
            "for question in asked(answers, load_schemes(places.user_schemes())[0]):",
            "    truth = labels if corpus.labelled else question.majority(len(corpus))",
            f"    raters = raters_of(question, labels, columns, truth, {dict(recipe.given)!r}, len(corpus))",
            f"    agreement = study_raters(raters, question, len(corpus), draws={recipe.draws})",
            "    for grid in agreement_tables(agreement):",
            "        print(table_text(grid))",
        ]
    return lines


def _tuple(names: Sequence[str]) -> str:
    return f"({', '.join(map(repr, names))}{',' if len(names) == 1 else ''})"
