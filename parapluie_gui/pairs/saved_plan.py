"""Reading plans that the user saved, next to a file or under a name, for that file and others with the same columns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parapluie_gui import places
from parapluie_gui.errors import ParapluieError, explain_write_errors
from parapluie_gui.files import write_text
from parapluie_gui.own_files import read_json, read_json_or_none
from parapluie_gui.pairs.corpus import ROLES
from parapluie_gui.pairs.plan import ReadingPlan

#: Name that saves a plan next to its file, and name that reads a file without the plan next to it.
BESIDE, NO_PLAN = "beside", "none"

_ENDING = ".plan.json"
#: Decisions about a text or workbook that are made again for another file, unless the user made them.
_OF_THE_FILE = ("encoding", "delimiter", "quoting", "sheet")
#: Options of `parapluie_gui.read` that are one text, and those that are a list of texts.
_TEXTS = frozenset({"layout", "encoding", "delimiter", "quoting", "sheet", "shape"})
_LISTS = frozenset({"positive", "missing", "annotator"})
#: Maximum length of a text in a plan, which appears in messages.
_LONGEST = 1_000
_FORBIDDEN = frozenset('/\\:*?"<>|')


@dataclass(frozen=True)
class SavedPlan:
    """A plan that was saved.

    Attributes:
        name: Its name, or the name of its file if it is next to a file of pairs.
        columns: The names of the columns of the file for which it was made; () if that has no header.
        options: Its decisions, as arguments of `parapluie_gui.read`.
    """

    name: str
    columns: tuple[str, ...]
    options: Mapping[str, Any]


def save_plan(plan: ReadingPlan, name: str) -> Path:
    """Save a plan under a name, or next to its file if the name is "beside", and return the path of the new file.

    Raises:
        ParapluieError: The name cannot be used, the plan does not belong to a file, or it cannot be written.
    """
    path = _path_of(plan, name.strip())
    options = plan.options()
    decisions = {key: value for key, value in options.items() if key not in _OF_THE_FILE or key in plan.chosen}
    if decisions.get("header") == 1 and "header" not in plan.chosen:
        del decisions["header"]
    if decisions.get("header") == 0:
        decisions["header"] = "none"
    content = {"columns": list(plan.columns), "options": decisions}
    with explain_write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")
    return path


def find_plan(name: str) -> SavedPlan:
    """Return the plan with a name, or in a file.

    Raises:
        ParapluieError: There is no such plan, or it is damaged.
    """
    path = Path(name) if name.endswith(_ENDING) else places.plans() / f"{name}{_ENDING}"
    if not path.is_file():
        names = ", ".join(plan.name for plan in saved_plans())
        has = f"Choose one of {names}." if names else "Save one first, or leave it out."
        raise ParapluieError(f'There is no reading plan called "{name}". {has}')
    plan = _parse(path, read_json(path))
    if plan is None:
        raise ParapluieError(f"{path.name} is not a reading plan. Correct it, or move it elsewhere.")
    return plan


def plan_beside(path: Path) -> SavedPlan | None:
    """Return the plan that was saved next to a file, or None.

    Raises:
        ParapluieError: It is damaged.
    """
    beside = _beside(path)
    return find_plan(str(beside)) if beside.is_file() else None


def saved_plans() -> list[SavedPlan]:
    """Return the plans that were saved under a name, without damaged ones."""
    plans = (_parse(path, read_json_or_none(path)) for path in sorted(places.plans().glob(f"*{_ENDING}")))
    return [plan for plan in plans if plan is not None]


def fitting_plans(columns: Sequence[str]) -> list[SavedPlan]:
    """Return the plans that were saved under a name for a file with these columns; none without a header."""
    return [plan for plan in saved_plans() if columns and plan.columns == tuple(columns)]


def _path_of(plan: ReadingPlan, name: str) -> Path:
    if name == BESIDE:
        if plan.path is None:
            raise ParapluieError("Pairs without a file have no place for a plan beside it. Give the plan a name.")
        return _beside(plan.path)
    if not name or name == NO_PLAN or name.startswith(".") or not _FORBIDDEN.isdisjoint(name) or not name.isprintable():
        raise ParapluieError(f'A reading plan cannot be called "{name}". Use letters, digits and spaces.')
    return places.plans() / f"{name}{_ENDING}"


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}{_ENDING}")


def _parse(path: Path, data: object) -> SavedPlan | None:
    if not isinstance(data, dict):
        return None
    columns, options = data.get("columns"), data.get("options")
    if not isinstance(columns, list) or not isinstance(options, dict) or not _are_texts(columns):
        return None
    if not all(_is_option(option, value) for option, value in options.items()):
        return None
    name = path.name.removesuffix(_ENDING) if path.parent == places.plans() else path.name
    return SavedPlan(name, tuple(columns), options)


def _is_option(option: str, value: object) -> bool:
    if option in _LISTS:
        return isinstance(value, list) and _are_texts(value)
    if option == "header":
        return isinstance(value, str) or (isinstance(value, int) and value >= 0)
    if option == "role":
        return isinstance(value, dict) and _are_texts(value.values())
    if option in ROLES and isinstance(value, list):
        return _are_texts(value)
    return (option in _TEXTS or option in ROLES) and _are_texts([value])


def _are_texts(values: Iterable[object]) -> bool:
    return all(isinstance(value, str) and len(value) <= _LONGEST for value in values)
