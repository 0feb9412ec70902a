"""Copy as Python: the script that recomputes what the window shows, with the package's public functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from parapluie_gui import __version__

#: Rows of a set that are written out on a line.
_ACROSS = 20


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
        pairs: How many pairs there are, checked by the script.
        metrics: Specs of metrics that are computed anew.
        judges: Models that score anew.
        stored: Scores that are taken from the session as they are.
        columns: Scores that are the corpus's own columns.
        distances: Those of all scores whose smaller numbers mean closer though their names do not say so.
        scores: All scores, in their order.
        parts: The corpora that are analysed; empty: all.
        rows: Only these pairs, or None.
        set_name: What they are called.
        given: A threshold by score.
        draws: Resamples.
        balanced: Pairs per label, draws and seed of the mixed balanced dataset; None where it is not computed.
        human: Whether there are human scores.
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


def python_script(recipe: Recipe) -> str:
    """Return the script's text; it prints the tables and leaves everything in variables for more."""
    body = [*_reading(recipe), "", *_scoring(recipe), "", *_analysing(recipe)]
    lines = [
        '"""Recomputes an evaluation that was looked at in ParaPLUIE Inspector."""',
        "",
        f"# Written by ParaPLUIE Inspector {__version__}; needs the Python package parapluie_gui.",
        *_imports(recipe),
        "",
        *body,
    ]
    return "\n".join(lines) + "\n"


def _imports(recipe: Recipe) -> list[str]:
    lines = ["from pathlib import Path", "", "import numpy as np", ""]
    if recipe.balanced is not None:
        lines.append("from parapluie_gui.analysis.protocols.mixed_balanced import mixed_balanced")
    lines.append("from parapluie_gui.analysis.score_column import parts, score_column")
    if recipe.human:
        lines.append("from parapluie_gui.analysis.protocols.parascore import meta")
    lines.append("from parapluie_gui.analysis.study import Material, study")
    lines.append("from parapluie_gui.metrics import catalogue")
    if recipe.files:
        lines.append("from parapluie_gui.pairs import read")
        lines += ["from parapluie_gui.pairs.pool import pool"] if len(recipe.files) > 1 else []
    if recipe.judges:
        lines += [
            "from parapluie_gui import places",
            "from parapluie_gui.pluie.judge_settings import JudgeSettings",
            "from parapluie_gui.pluie.templates import find_templates, load_templates",
        ]
    benchmarks = [
        *(["balanced_grid"] if recipe.balanced is not None else []),
        *(["meta_grids"] if recipe.human else []),
    ]
    if benchmarks:
        lines.append(f"from parapluie_gui.report.benchmarks import {', '.join(benchmarks)}")
    lines += [
        "from parapluie_gui.report.evaluation import evaluation_grids",
        "from parapluie_gui.report.grid import grid_text",
    ]
    if _needs_session(recipe):
        lines.append("from parapluie_gui.scores.session import Session")
    lines.append("from parapluie_gui.scores.table import ScoreTable")
    if recipe.metrics or recipe.judges:
        lines.append("from parapluie_gui.work.local import compute")
    return lines


def _needs_session(recipe: Recipe) -> bool:
    return recipe.session is not None and (bool(recipe.stored) or not recipe.files)


def _reading(recipe: Recipe) -> list[str]:
    lines = ["# The pairs"]
    if len(recipe.files) == 1:
        lines.append(f"corpus = read(Path({_text(recipe.files[0])}))")
    elif recipe.files:
        lines.append("corpus = pool([")
        lines += [f"    read(Path({_text(path)}))," for path in recipe.files]
        lines.append("])")
    if _needs_session(recipe) and recipe.session is not None:
        path, number = recipe.session
        lines.append(f"with Session.open(Path({_text(path)})) as session:")
        if not recipe.files:
            lines.append(f"    corpus = session.corpus({number})")
        lines.append(f"    stored = session.score_table({number})")
    lines.append(f'assert len(corpus) == {recipe.pairs}, f"the corpus has {{len(corpus)}} pairs now"')
    return lines


def _scoring(recipe: Recipe) -> list[str]:
    lines = ["# The scores", "table = ScoreTable(len(corpus))", "rows = np.arange(len(corpus))"]
    if recipe.metrics:
        lines.append(f"computed = compute(corpus, {_tuple(recipe.metrics)})")
        lines += ["for name in computed:", "    table.put(rows, {name: computed[name]})"]
    for judge in recipe.judges:
        lines += [
            f"templates = find_templates({_tuple(judge.templates)}, load_templates(places.user_templates())[0])",
            f"judge = JudgeSettings({judge.model!r}, precision={judge.precision!r}, exact={judge.exact})",
            "computed = compute(corpus, (), judge, templates)",
            "for name in computed:",
            "    table.put(rows, {name: computed[name]})",
        ]
    if recipe.stored:
        lines += [
            f"for name in {_tuple(recipe.stored)}:  # kept in the session; not computed anew",
            "    table.put(rows, {name: stored[name]})",
        ]
    if recipe.columns:
        lines += [
            f"for name in {_tuple(recipe.columns)}:  # columns of the corpus",
            "    table.put(rows, {name: corpus.numbers(name)})",
        ]
    return lines


def _analysing(recipe: Recipe) -> list[str]:
    lines = ["# The evaluation"]
    lines.append(f"distances = {_tuple(recipe.distances)}" if recipe.distances else "distances = ()")
    lines += [
        f"columns = [score_column(name, table[name], name in distances or None) for name in {_tuple(recipe.scores)}]",
        "labels = np.full(len(corpus), -1) if corpus.label is None else corpus.label",
    ]
    lines.append("chosen = parts(corpus)")
    if recipe.parts:
        lines.append(f"chosen = {{name: chosen[name] for name in {_tuple(recipe.parts)}}}")
    if recipe.rows is not None:
        lines.append(f"# Only the set {' '.join(recipe.set_name.split())!r}")
        lines.append("only = np.zeros(len(corpus), dtype=bool)")
        lines.append("only[[")
        rows = list(recipe.rows)
        lines += [
            "    " + " ".join(f"{row}," for row in rows[at : at + _ACROSS]) for at in range(0, len(rows), _ACROSS)
        ]
        lines.append("]] = True")
        lines.append("chosen = {name: mask & only for name, mask in chosen.items()}")
    lines += [
        'distance = catalogue.metric("edit_distance").score(corpus.source, corpus.hypothesis)',
        "material = Material(",
        "    score_columns=columns,",
        "    labels=labels,",
        "    parts=chosen,",
        "    human=corpus.human,",
        "    distance=distance,",
        f"    given={dict(recipe.given)!r},",
        ")",
        f"studies = study(material, draws={recipe.draws}, seed=0)",
        "for grid in evaluation_grids(studies):",
        "    print(grid_text(grid))",
    ]
    if recipe.balanced is not None:
        per_label, draws, seed = recipe.balanced
        lines += [
            f"balanced = mixed_balanced(columns, labels, chosen, per_label={per_label}, draws={draws}, seed={seed})",
            "print(grid_text(balanced_grid(balanced)))",
        ]
    if recipe.human:
        where = "np.any(list(chosen.values()), axis=0)"
        lines += [
            f"evaluation = meta(columns, corpus, where={where}, draws={recipe.draws})",
            "for grid in meta_grids(evaluation):",
            "    print(grid_text(grid))",
        ]
    return lines


def _tuple(names: Sequence[str]) -> str:
    return f"({', '.join(map(repr, names))}{',' if len(names) == 1 else ''})"


def _text(path: Path) -> str:
    return repr(str(path))
