"""`parapluie metrics`: every metric with what its numbers mean, what it needs and whether it is ready."""

from __future__ import annotations

from collections.abc import Iterator

from parapluie_gui.commands.options import Nothing
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.base import COSTS, FAMILIES, MetricInfo


def run(options: Nothing) -> int:
    """Print the list."""
    for line in lines():
        print(line)
    return 0


def lines() -> Iterator[str]:
    """Yield the list line by line: by family, details behind a tab; nothing heavy is loaded."""
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
    yield f"{_usage(info)}\t{info.title}: {info.range}, {sense} is better{threshold}, {COSTS[info.cost]}"
    yield f"\t{info.summary}"
    for name, words in info.options:
        yield f"\t{name}= {words}"
    if info.needs:
        yield f"\tneeds {info.needs}"
    yield f"\t{_state(info)}"


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
