"""`parapluie metrics`: every metric with what its numbers mean, what it needs and whether it is ready."""

from __future__ import annotations

from collections.abc import Iterator

from parapluie_gui.commands.listing import Record, print_list
from parapluie_gui.commands.options import ListModels
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.base import COSTS, FAMILIES, MetricInfo
from parapluie_gui.options import list_options


def run(options: ListModels) -> int:
    """Print the list."""
    return print_list([_record(info) for info in catalogue.metrics()], lines(), options)


def _record(info: MetricInfo) -> Record:
    missing = "" if info.argument_needed else catalogue.ready(info.id).missing
    return {
        "id": info.id,
        "usage": _usage(info),
        "title": info.title,
        "family": info.family,
        "range": info.range,
        "higher_is_closer": info.higher_is_closer,
        "threshold": info.threshold,
        "cost": COSTS[info.cost],
        "about": info.summary,
        "options": {each.name: each.description for each in list_options(info.options)},
        "needs": info.needs,
        "ready": not missing,
        "missing": missing,
    }


def lines() -> Iterator[str]:
    """Yield the list line by line: by family, details indented; nothing heavy is loaded."""
    for family in FAMILIES:
        members = [info for info in catalogue.metrics() if info.family == family]
        if members:
            yield family
        for info in members:
            yield from _of(info)
    yield ""
    yield "A metric is named ID[.ref][,OPTION=VALUE]...[:ARGUMENT]: bleu, bleu.ref (against the reference instead of"
    yield "the source), bertscore,layer=9:FOLDER, external:COLUMN; as=NAME names the column."


def _of(info: MetricInfo) -> Iterator[str]:
    sense = "higher" if info.higher_is_closer else "lower"
    threshold = "" if info.threshold is None else f", threshold {info.threshold:g}"
    yield f"  {_usage(info)}"
    yield f"      {info.title}: {info.range}, {sense} is better{threshold}, {COSTS[info.cost]}"
    yield f"      {info.summary}"
    for each in list_options(info.options):
        yield f"      {each.name}= {each.description}"
    if info.needs:
        yield f"      needs {info.needs}"
    yield f"      {_state(info)}"


def _usage(info: MetricInfo) -> str:
    """Return the id with what may stand behind it: "bertscore[.ref][:MODEL]"."""
    word = "MODEL" if info.takes_model else info.argument.split()[0].upper() if info.argument else ""
    argument = "" if not word else f":{word}" if info.argument_needed else f"[:{word}]"
    return f"{info.id}{'[.ref]' if info.reference_form else ''}{argument}"


def _state(info: MetricInfo) -> str:
    if info.argument_needed:
        return f"ready where a {info.argument} is named"
    missing = catalogue.ready(info.id).missing
    return f"not ready: {missing}" if missing else "ready"
