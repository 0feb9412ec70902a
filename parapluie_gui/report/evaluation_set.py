"""Writes pairs and scores as a folder of WMT's metrics tasks (mt-metrics-eval), for its own tools."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from parapluie_gui.analysis.protocols.systems import Layout
from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.arrays import Floats, Rows
from parapluie_gui.errors import ParapluieError
from parapluie_gui.files import write_text
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.reading.evaluation_set import REFERENCE, SCORES, SOURCE_ONLY

#: How the column of a distance is called, whose scores are written with the other sign: there, higher is better.
MINUS = "minus_"

#: The name of the human scores.
HUMAN = "human"


def write_evaluation_set(
    folder: Path, pair: str, corpus: Corpus, layout: Layout, score_columns: Sequence[ScoreColumn]
) -> int:
    """Write a corpus with systems into a folder and return the number of files.

    Args:
        folder: Made if it is not there; files of the same names are replaced.
        pair: The languages, "en-en".
        corpus: The pairs.
        layout: Their systems and items; each system has one hypothesis for each item.
        score_columns: Scores without gaps.

    Raises:
        ParapluieError: A system lacks a source or has several hypotheses for one, or a score is missing.
    """
    rows = _grid(corpus, layout)
    systems = _safe_names(layout.systems, "systems")
    first = rows[0]
    files: dict[str, Iterable[str]] = {f"sources/{pair}.txt": [_line(corpus.source[row]) for row in first]}
    files[f"documents/{pair}.docs"] = _documents(corpus, first)
    if corpus.reference is not None:
        files[f"references/{pair}.{REFERENCE}.txt"] = [_line(corpus.reference[row] or "") for row in first]
    for name, own in zip(systems, rows, strict=True):
        files[f"system-outputs/{pair}/{name}.txt"] = [_line(corpus.hypothesis[row]) for row in own]
    if corpus.human is not None:
        files |= _score_files(f"human-scores/{pair}.{HUMAN}", systems, corpus.human[rows])
    metrics = _safe_names([_metric_name(each) for each in score_columns], "scores")
    for name, each in zip(metrics, score_columns, strict=True):
        values = (each.values if each.higher_is_closer else -each.values)[rows]
        if missing := int(np.isnan(values).sum()):
            raise ParapluieError(
                f'"{each.name}" lacks {missing:,} scores, and such a folder may have no gaps. Score these pairs first, '
                "or choose other scores with --score."
            )
        files |= _score_files(f"metric-scores/{pair}/{name}", systems, values)
    for name, lines in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, "".join(f"{line}\n" for line in lines))
    return len(files)


def _grid(corpus: Corpus, layout: Layout) -> Rows:
    """Return the row of each system and item, (systems, items)."""
    count = np.zeros((len(layout.systems), layout.items), dtype=np.int64)
    rows = np.zeros_like(count)
    there = np.flatnonzero(layout.system >= 0)
    np.add.at(count, (layout.system[there], layout.item[there]), 1)
    rows[layout.system[there], layout.item[there]] = there
    if not len(layout.systems):
        raise ParapluieError("No column says which system wrote a hypothesis. Name it with --system.")
    if (count != 1).any():
        system, item = map(int, np.argwhere(count != 1)[0])
        source = corpus.source[int(np.flatnonzero(layout.item == item)[0])]
        has = "no hypothesis" if count[system, item] == 0 else f"{count[system, item]} hypotheses"
        raise ParapluieError(
            f'System "{layout.systems[system]}" has {has} for "{_line(source)[:60]}". In such a folder each system has '
            "one for each source: leave the others out with --filter."
        )
    return rows


def _documents(corpus: Corpus, rows: Rows) -> list[str]:
    """Return domain and document of each source; those of an evaluation set that was read stay as they were."""
    if "domain" in corpus.extra and "document" in corpus.extra:
        domain, document = (corpus.extra[name].cells() for name in ("domain", "document"))
        return [f"{_word(domain[row])}\t{_word(document[row])}" for row in rows]
    return [f"all\tsource{number}" for number in range(1, len(rows) + 1)]


def _score_files(start: str, systems: Sequence[str], values: Floats) -> Mapping[str, list[str]]:
    """Return a score of every system and source, and each system's mean, as lines."""
    means = [float(np.mean(own[~np.isnan(own)])) if (~np.isnan(own)).any() else float("nan") for own in values]
    single = [f"{name}\t{_number(value)}" for name, own in zip(systems, values, strict=True) for value in own.tolist()]
    return {
        f"{start}{SCORES}": single,
        f"{start}.sys.score": [f"{name}\t{_number(mean)}" for name, mean in zip(systems, means, strict=True)],
    }


def _metric_name(each: ScoreColumn) -> str:
    sign = "" if each.higher_is_closer else MINUS
    against = each.name.endswith(f".{REFERENCE}")
    name = each.name.removesuffix(f".{REFERENCE}") if against else each.name
    return f"{sign}{name}-{REFERENCE if against else SOURCE_ONLY}"


def _safe_names(names: Sequence[str], what: str) -> list[str]:
    """Return names as such files may have them: without white space, slashes and the like."""
    safe = [re.sub(r"[^\w.+-]+", "_", name).strip(".") or "_" for name in names]
    doubled = next((name for at, name in enumerate(safe) if name in safe[:at]), None)
    if doubled is not None:
        raise ParapluieError(f'Two {what} would be called "{doubled}" in the files. Rename one of them.')
    return safe


def _line(text: str) -> str:
    return " ".join(text.split())


def _word(cell: object) -> str:
    return re.sub(r"\s+", "_", str(cell)) if cell is not None else "none"


def _number(value: float) -> str:
    return "None" if np.isnan(value) else repr(value)
