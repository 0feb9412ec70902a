"""The command `parapluie metrics`: list metrics with their range, requirements and state."""

from __future__ import annotations

from collections.abc import Iterator

from parapluie_gui.commands.listing import Record, print_list
from parapluie_gui.commands.options import ListOptions
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.base import COSTS, FAMILIES, MetricInfo
from parapluie_gui.options import list_options


def run(options: ListOptions) -> int:
    """Print the list of metrics; return the exit status."""
    return print_list([_to_record(info) for info in catalogue.metrics()], describe_metrics(), options)


def _to_record(info: MetricInfo) -> Record:
    missing = "" if info.argument_needed else catalogue.ready(info.id).missing
    return {
        "id": info.id,
        "usage": _format_usage(info),
        "title": info.title,
        "family": info.family,
        "range": info.range,
        "higher_is_closer": info.higher_is_closer,
        "threshold": info.threshold,
        "cost": COSTS[info.cost],
        "about": info.summary,
        "options": {option.name: option.description for option in list_options(info.options)},
        "needs": info.needs,
        "ready": not missing,
        "missing": missing,
    }


def describe_metrics() -> Iterator[str]:
    """Yield the lines of the list: by family, details indented; no model is loaded."""
    for family in FAMILIES:
        members = [info for info in catalogue.metrics() if info.family == family]
        if members:
            yield family
        for info in members:
            yield from _describe_metric(info)
    yield ""
    yield "A metric is named ID[.ref][,OPTION=VALUE]...[:ARGUMENT]: bleu, bleu.ref (against the reference instead of"
    yield "the source), bertscore,layer=9:FOLDER, external:COLUMN; as=NAME names the column."


def _describe_metric(info: MetricInfo) -> Iterator[str]:
    sense = "higher" if info.higher_is_closer else "lower"
    threshold = "" if info.threshold is None else f", threshold {info.threshold:g}"
    yield f"  {_format_usage(info)}"
    yield f"      {info.title}: {info.range}, {sense} is better{threshold}, {COSTS[info.cost]}"
    yield f"      {info.summary}"
    for option in list_options(info.options):
        yield f"      {option.name}= {option.description}"
    if info.needs:
        yield f"      needs {info.needs}"
    yield f"      {_describe_state(info)}"


def _format_usage(info: MetricInfo) -> str:
    """Return the id with its optional parts: "bertscore[.ref][:MODEL]"."""
    word = "MODEL" if info.takes_model else info.argument.split()[0].upper() if info.argument else ""
    argument = "" if not word else f":{word}" if info.argument_needed else f"[:{word}]"
    return f"{info.id}{'[.ref]' if info.reference_form else ''}{argument}"


def _describe_state(info: MetricInfo) -> str:
    if info.argument_needed:
        return f"ready if you name a {info.argument}"
    missing = catalogue.ready(info.id).missing
    return f"not ready: {missing}" if missing else "ready"
