"""Tables with a row for each judgement, and exports of annotation tools: a row a pair, a column a person."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any

from parapluie_gui.pairs.reading.layouts import recognise
from parapluie_gui.pairs.reading.mapping import guess_mapping, plain
from parapluie_gui.pairs.reading.raw_table import RawTable, as_text

#: Columns that say who answered, what the pair is called, what was asked, and what was answered; the surest first.
PERSON = (
    *("annotator", "annotator id", "annotator name", "rater", "rater id", "worker", "worker id", "workerid", "judge"),
    *("judge id", "coder", "coder id", "participant", "participant id", "person", "labeler", "labeller", "assessor"),
)
PAIR = ("pair", "pair id", "pairid", "item", "item id", "itemid", "hit id", "hitid", "task id", "id", "idx", "index")
QUESTION = ("question", "criterion", "dimension", "aspect")
ANSWER = (
    *("answer", "response", "judgement", "judgment", "verdict", "choice", "rating", "grade", "annotation", "vote"),
    *("label", "score", "value", "human", "paraphrase"),
)


@dataclass(frozen=True)
class JudgementColumns:
    """Which columns of a table with a row for each judgement say what."""

    person: str
    answer: str
    pair: str | None = None
    question: str | None = None


def judgement_columns(names: Sequence[str]) -> JudgementColumns | None:
    """Return which columns say who answered what, by their names; None where none says who or what."""
    actual: dict[str, str] = {}
    for name in names:
        actual.setdefault(plain(name), name)

    def first(words: Sequence[str]) -> str | None:
        return next((actual[word] for word in words if word in actual), None)

    person, answer = first(PERSON), first(ANSWER)
    if person is None or answer is None:
        return None
    return JudgementColumns(person, answer, first(PAIR), first(QUESTION))


def unfolded(table: RawTable) -> RawTable:
    """Return a table with a row for each judgement as one of pairs, a column a person; any other as it is.

    A person who answers a question twice of one pair is said to; the last answer counts.
    """
    columns = judgement_columns(table.names)
    mapping, _ = guess_mapping(table.names)
    if columns is None or mapping.source is None or mapping.hypothesis is None or recognise(table) is not None:
        return table
    if columns.answer in (mapping.source, mapping.hypothesis):
        return table
    keys = _pairs(table, columns.pair, (mapping.source, mapping.hypothesis))
    first: dict[object, int] = {}
    for row, key in enumerate(keys):
        first.setdefault(key, row)
    if len(first) == len(table):
        return table
    rows, places = list(first.values()), {key: at for at, key in enumerate(first)}
    people = [as_text(cell).strip() or "unnamed" for cell in table.column(columns.person)]
    asked = _questions(table, columns)
    own = {columns.person, columns.answer, columns.question, columns.pair, mapping.source, mapping.hypothesis}
    varying = [name for name in table.names if _varies(table.column(name), keys, first)]
    more = [name for name in varying if name not in own and plain(name) not in PAIR]
    given: dict[str, dict[str, list[object]]] = {}
    seen: set[tuple[object, str]] = set()
    for row, (key, person, question) in enumerate(zip(keys, people, asked, strict=True)):
        name = f"{question}.{person}"
        made = given.setdefault(name, {each: [None] * len(rows) for each in (columns.answer, *more)})
        seen.add((key, name))
        for each, cells in made.items():
            cells[places[key]] = table.column(each)[row]
    kept = [name for name in table.names if name not in (*varying, columns.person, columns.answer, columns.question)]
    found: dict[str, list[object]] = {name: [table.column(name)[row] for row in rows] for name in kept}
    for name, made in given.items():
        found |= {name: made[columns.answer], **{f"{name}.{each}": made[each] for each in more}}
    said = "a row for each judgement"
    if twice := len(table) - len(seen):
        said += f", {twice:,} of them by a person who had answered already (the last counts)"
    return replace(
        table,
        names=list(found),
        columns=list(found.values()),
        lines=[table.lines[row] for row in rows],
        origin=replace(table.origin, reshaped=said),
        annotators=dict.fromkeys(given, nan),
    )


def _pairs(table: RawTable, pair: str | None, sentences: tuple[str, str]) -> list[object]:
    """Return the key of each row's pair: its name if that always has the same sentences, otherwise the sentences."""
    texts: list[object] = list(zip(*(map(as_text, table.column(name)) for name in sentences), strict=True))
    if pair is not None:
        names = [as_text(cell).strip() for cell in table.column(pair)]
        if all(names) and len(set(zip(names, texts, strict=True))) == len(set(names)) < len(names):
            return list(names)
    return texts


def _questions(table: RawTable, columns: JudgementColumns) -> Sequence[str]:
    if columns.question is None:
        return [plain(columns.answer)] * len(table)
    return [as_text(cell).strip() or plain(columns.answer) for cell in table.column(columns.question)]


def _varies(column: Sequence[object], keys: Sequence[object], first: Mapping[object, int]) -> bool:
    return any(column[first[key]] != cell for key, cell in zip(keys, column, strict=True))


def tasks(table: RawTable) -> RawTable:
    """Unfold Label Studio's tasks: what was shown, the choice of most annotators, and each one's own answers."""
    if not table.origin.kind.startswith("json") or not {"data", "annotations"} <= set(table.names):
        return table
    shown, judged = (list(map(unpacked, table.column(name))) for name in ("data", "annotations"))
    if not all(isinstance(each, dict) for each in shown):
        return table
    keys = list(dict.fromkeys(key for each in shown for key in each))
    names = [*(["id"] if "id" in table.names and "id" not in keys else []), *keys, "label"]
    columns: list[list[object]] = [table.column("id")] if names[0] == "id" and "id" not in keys else []
    columns += [[cell_of(each.get(key)) for each in shown] for key in keys]
    answers = [list(_answers(each)) for each in judged]
    columns.append([_usual(each) for each in answers])
    people: dict[str, list[object]] = {}
    for row, each in enumerate(answers):
        for question, person, answer in each:
            people.setdefault(f"{question}.{person}", [None] * len(table))[row] = answer
    people = {name: cells for name, cells in people.items() if name not in names}
    return replace(
        table, names=[*names, *people], columns=[*columns, *people.values()], annotators=dict.fromkeys(people, nan)
    )


def _answers(annotations: object) -> Iterator[tuple[str, str, object]]:
    """Yield what was asked, who answered and what, of one task; who is not named is numbered."""
    for number, annotation in enumerate(annotations if isinstance(annotations, list) else [], start=1):
        if not isinstance(annotation, dict) or annotation.get("was_cancelled"):
            continue
        results = annotation.get("result", [])
        for result in results if isinstance(results, list) else []:
            value = result.get("value", {}) if isinstance(result, dict) else {}
            answer = _answer(value) if isinstance(value, dict) else None
            if answer is not None:
                asked = as_text(result.get("from_name")).replace(".", " ").strip() or "choice"
                yield asked, _person(annotation.get("completed_by"), number), answer


def _answer(value: Mapping[str, Any]) -> object:
    choices = value.get("choices")
    if isinstance(choices, list) and choices:
        return choices[0]
    return next((value[key] for key in ("rating", "number") if isinstance(value.get(key), int | float)), None)


def _person(who: object, number: int) -> str:
    if isinstance(who, dict):
        name = " ".join(filter(None, (as_text(who.get("first_name")), as_text(who.get("last_name")))))
        who = name or who.get("username") or who.get("email") or who.get("id")
    text = as_text(who).replace(".", " ").strip()
    return f"annotator {text}" if text.isdecimal() else text or f"annotator {number}"


def _usual(answers: Sequence[tuple[str, str, object]]) -> str:
    """Return the choice of most annotators, or "" without any or with several."""
    best = Counter(str(answer) for _, _, answer in answers if isinstance(answer, str)).most_common(2)
    return best[0][0] if best and (len(best) == 1 or best[0][1] > best[1][1]) else ""


def unpacked(cell: object) -> Any:
    """Return the list or object that a cell holds as JSON, otherwise the cell."""
    if isinstance(cell, str) and cell[:1] in ("[", "{"):
        try:
            return json.loads(cell)
        except ValueError:
            return cell
    return cell


def cell_of(value: object) -> object:
    """Return a value as a cell: lists and objects become JSON again."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value
