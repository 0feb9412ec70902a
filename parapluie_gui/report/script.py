"""Writes a Python script that recomputes the window's evaluation with the package's public functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from parapluie_gui.analysis.base import analyse
from parapluie_gui.analysis.catalogue import analyses
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.errors import ParapluieError
from parapluie_gui.metrics import catalogue
from parapluie_gui.models.catalogue import entry
from parapluie_gui.models.hub_cache import hub_name
from parapluie_gui.models.sources import find_source
from parapluie_gui.options import resolve_options
from parapluie_gui.pairs import ROLES, Corpus, read
from parapluie_gui.pairs.reading.several_people import combine
from parapluie_gui.scores.identity import identify
from parapluie_gui.version import __version__

_SCRIPT = '''"""Recompute an evaluation that was shown in ParaPLUIE Inspector."""

# Written by ParaPLUIE Inspector {version}; needs the Python package parapluie_gui.
import parapluie_gui as pp

# The pairs and their scores
{scores}
assert len(corpus) == {pairs}, f"the corpus has {{len(corpus)}} pairs now"

# What is analysed{only}
{left_out}chosen = {{
{chosen}
}}

# The analyses; each has .tables and .figures
results = [
{results}
]
for result in results:
    print(result)
'''


def python_script(
    inputs: AnalysisMaterial,
    session: tuple[Path, int] | None,
    judges: Sequence[str],
    files: Sequence[Path],
    on_pages: Mapping[str, Mapping[str, Any]],
    set_name: str,
) -> str:
    """Return a script that recomputes the analyses of a report.

    Args:
        inputs: The scores and pairs.
        session: The session file with the corpus and its scores, and the corpus's number there; or None.
        judges: The chosen models, the first of which is used for a score that does not name its judge.
        files: The files of the corpus, which are read to check whether they have changed.
        on_pages: The options of analyses to copy from their pages, by analysis and option.
        set_name: The name of the set of pairs, or "" for all.

    Raises:
        ParapluieError: The scores cannot be computed from the files alone, and there is no session yet.
    """
    judged = inputs.people.answered_here  # judgements are only in the session
    scoring = None if judged or not _are_unchanged(files, inputs.corpus) else _scoring(inputs, judges)
    if scoring is not None:
        scores = [f"scores = corpus = pp.read({', '.join(repr(str(path)) for path in files)})", *scoring]
    elif session is not None:
        path, number = session
        scores = [f"with pp.open_session({str(path)!r}) as session:", f"    scores = session.scores({number})"]
        scores += [f"    judgements = session.judgements({number})"] * judged
        scores += ["corpus = scores.corpus"]
    else:
        raise ParapluieError("The scores are not in a session that a script can open. Save the session and try again.")
    return _SCRIPT.format(
        version=__version__,
        scores="\n".join(scores),
        pairs=len(inputs.corpus),
        left_out=f"# {' '.join(left_out.split())}\n" if (left_out := inputs.describe_left_out()) else "",
        only=f": only the set {' '.join(set_name.split())!r}" if set_name else "",
        chosen="\n".join(f'    "{name}": {value},' for name, value in _shared_arguments(inputs, judged)),
        results="\n".join(f"    pp.analyse(scores, {arguments})," for arguments in _analyses(inputs, on_pages)),
    )


def _scoring(inputs: AnalysisMaterial, models: Sequence[str]) -> list[str] | None:
    """Return the lines that score the corpus; None if a score cannot be recomputed from its name and signature."""
    metrics = []
    judges: dict[str, list[str]] = {}
    for name in inputs.names:
        signature = inputs.signatures.get(name)
        settings = {} if signature is None else dict(signature.fields)
        if name in inputs.own or (name in inputs.corpus.extra and signature is None):
            continue  # such a score is read with the corpus
        if identify(name).is_from_judge and "template" in settings:
            judge = _judge_of_signature(settings.get("model", models[0]), models)
            if judge is None:
                return None
            how = f"{judge!r}, precision={settings.get('precision', 'auto')!r}, exact={settings.get('mode') == 'exact'}"
            judges.setdefault(how, []).append(settings["template"].partition("@")[0])
        elif catalogue.metric_of_column(name) is not None:
            metrics.append(name)
        else:
            return None
    calls = [f"pp.score(corpus, metrics={metrics})"] if metrics else []
    calls += [f"pp.score(corpus, judge=pp.Judge({how}, templates={names}))" for how, names in judges.items()]
    return [f"scores {'|=' if number else '='} {call}" for number, call in enumerate(calls)]


def _judge_of_signature(name: str, models: Sequence[str]) -> str | None:
    """Return the judge to name in the script, or None if it is ambiguous or may not be named.

    A signature comes from a session, which may come from anyone. A server or a folder is named only if the user has
    chosen it here; the signature of a judge in a folder has only the folder's name.
    """
    chosen = {model for model in models if name in (model, Path(model).name)}
    if chosen:
        return chosen.pop() if len(chosen) == 1 else None
    return name if entry(name) is not None or (hub_name(name) and find_source(name) is None) else None


def _shared_arguments(inputs: AnalysisMaterial, judged: bool) -> Iterator[tuple[str, object]]:
    """Yield the arguments that all analyses share, each with its value."""
    yield "columns", inputs.names
    turned = [column.name for column in inputs.score_columns if not column.higher_is_closer]
    if distances := [name for name in turned if catalogue.info(name) is None]:
        yield "distances", distances
    if thresholds := {name: float(value) for name, value in inputs.given.items() if name in inputs.names}:
        yield "thresholds", thresholds
    if len(inputs.parts) < len(inputs.corpus_parts.parts):
        yield "parts", list(inputs.parts)
    if any(not np.array_equal(mask, inputs.corpus_parts.parts[name]) for name, mask in inputs.parts.items()):
        yield "rows", np.flatnonzero(np.any(list(inputs.parts.values()), axis=0)).tolist()
    if judged:
        yield "judgements", "judgements"
    yield "draws", inputs.draws


def _analyses(inputs: AnalysisMaterial, on_pages: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield the other arguments of each analysis: its name and the options that differ from the defaults."""
    alone = replace(inputs, y=inputs.names[0])
    for analysis in analyses():
        if not analysis.in_report or analysis.missing(inputs) is not None:
            continue
        usual = resolve_options(analysis.options(), alone)
        for options in analysis.usual(inputs):
            if analysis.as_on_page:
                options = replace(options, **on_pages.get(analysis.name, {}))
                try:  # the corpus may be too small for it
                    analyse(analysis, inputs, analysis.trial(options))
                except ParapluieError:
                    continue
            values: dict[str, Any] = vars(resolve_options(options, inputs))
            other = {name: value for name, value in values.items() if value != getattr(usual, name)}
            yield ", ".join([repr(analysis.name), "**chosen", *(f"{name}={value!r}" for name, value in other.items())])


def _are_unchanged(files: Sequence[Path], corpus: Corpus) -> bool:
    try:
        current = combine([read(path) for path in files]).corpus if files else None
    except ParapluieError:
        return False
    if current is None or len(current) != len(corpus):
        return False
    return all(_equal(getattr(corpus, role), getattr(current, role)) for role in ROLES)


def _equal(ours: Sequence[object] | None, theirs: Sequence[object] | None) -> bool:
    if ours is None or theirs is None:
        return ours is theirs
    if isinstance(ours, np.ndarray) and isinstance(theirs, np.ndarray):
        return bool(np.array_equal(ours, theirs, equal_nan=ours.dtype.kind == "f"))
    return list(ours) == list(theirs)
