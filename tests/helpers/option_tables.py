"""The manual's tables of options, generated from the options of commands and metrics.

`python tests/helpers/option_tables.py` writes them; `tests/test_manual.py` checks that they are current.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))  # this checkout's commands, not those of an installed package

from parapluie_gui.commands.main import _build_parser  # noqa: E402
from parapluie_gui.metrics import catalogue  # noqa: E402
from parapluie_gui.options import list_options  # noqa: E402

PAGE = ROOT / "resources" / "manual" / "command-line.md"
METRICS = PAGE.with_name("metrics.md")

_HEAD = "| option | meaning |\n|---|---|\n"
_TABLE = re.compile(re.escape(_HEAD) + r"(?:\|.*\n)*")

#: Pages or sections that describe options.
_LINKS = {
    "--layout": "corpora.md#known-corpora",
    "--positive": "corpora.md#labels",
    "--metric": "metrics.md#names-of-metrics",
    "--judge": "judges.md",
    "--template": "templates.md",
    "--filter": "table.md#the-filter-box",
    "--column": "table.md#computed-columns",
    "--no-formulas": "sessions.md#formulas-in-csv-and-tsv",
    "--types": "explain.md#kinds-of-change",
    "--controls": "pem.md#controls",
    "--device": "judges.md#gpus",
    "--meanings": "meanings.md",
    "--shard": "cluster.md",
    "--engine": "cluster.md#ray",
}

#: Options of every command, described once on the page.
EVERYWHERE = ("help", "quiet", "color")

#: Groups of options described only under `score`.
_ONCE = ("reading", "scoring", "options for reading a table", "scores to compute now", "methods to compute now")


def commands(parser: argparse.ArgumentParser, name: str = "") -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Yield every command and action with its full name ("pem train")."""
    yield name, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, inner in action.choices.items():
                yield from commands(inner.complete(), f"{name} {word}".strip())


def belongs_to_analysis(action: argparse.Action) -> bool:
    """Return whether an option of a command belongs to an analysis."""
    return action.dest.startswith("option ")


def update_tables(text: str, parsers: Mapping[str, argparse.ArgumentParser]) -> str:
    """Return the page with current tables: the first under each heading that is a command's name."""
    parts = re.split(r"(?m)^(?=##+ )", text)
    for place, part in enumerate(parts):
        name = part.partition("\n")[0].lstrip("# ")
        if name in parsers and _HEAD in part:
            rows = "".join(f"| {left} | {right} |\n" for left, right in _rows(name, parsers[name]))
            parts[place] = _TABLE.sub(lambda _, rows=rows: _HEAD + rows, part, count=1)
    return "".join(parts)


def update_metrics_table(text: str) -> str:
    """Return the page of metrics with its table of options, one row for an option that several share."""
    rows: dict[tuple[str, str], list[str]] = {}
    for info in catalogue.metrics():
        if f"| `{info.id}" not in text.partition("## Further metrics")[0]:
            continue  # the page describes it by itself
        for option in list_options(info.options):
            rows.setdefault((option.name, option.description), []).append(f"`{info.id},{option.name}=`")
    table = "".join(f"| {', '.join(metrics)} | {meaning} |\n" for (_, meaning), metrics in rows.items())
    return _TABLE.sub(lambda _: _HEAD + table, text, count=1)


def _rows(command: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    for group in parser._action_groups:
        actions = [group_action for group_action in group._group_actions if group_action.dest not in EVERYWHERE]
        if command == "analyse" and all(belongs_to_analysis(action) for action in actions):
            continue  # described with their analyses, on the page "analyse"
        if group.title in _ONCE and command != "score":
            yield (
                ", ".join(f"`{action.option_strings[-1]}`" for action in actions),
                f"{group.title}: [as for score](#score)",
            )
            continue
        for action in actions:
            if isinstance(action, argparse._SubParsersAction):
                continue
            meaning = str(action.help) % {"default": action.default}
            if action.choices is not None and not all(str(choice) in meaning for choice in action.choices):
                meaning += f": {', '.join(f'`{choice}`' for choice in action.choices)}"
            yield _name(action), meaning.replace("|", r"\|")


def _name(action: argparse.Action) -> str:
    metavar = action.metavar if isinstance(action.metavar, tuple) else (action.metavar or "",)
    value = " ".join(str(word) for word in metavar if word)
    if action.nargs == "?" and action.option_strings:
        value = f"[{value}]"
    if not action.option_strings:
        return f"`{value or action.dest}`"
    *others, last = action.option_strings
    names = ", ".join([*(f"`{other}`" for other in others), f"`{last} {value}`" if value else f"`{last}`"])
    page = _LINKS.get(last, "").partition("#")[0]
    exists = bool(page) and PAGE.with_name(page).is_file()  # the page of a feature may be absent
    return f"[{names}]({_LINKS[last]})" if exists else names


if __name__ == "__main__":
    METRICS.write_text(update_metrics_table(METRICS.read_text(encoding="utf-8")), encoding="utf-8")
    PAGE.write_text(update_tables(PAGE.read_text(encoding="utf-8"), dict(commands(_build_parser()))), encoding="utf-8")
