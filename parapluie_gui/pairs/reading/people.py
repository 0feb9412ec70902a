"""Converts tables with a row for each judgement, and exports of annotation tools, to a row for each pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any

from parapluie_gui.own_files import parse_json
from parapluie_gui.pairs.reading.cells import to_json_cell
from parapluie_gui.pairs.reading.layouts import recognise
from parapluie_gui.pairs.reading.mapping import guess_mapping, normalise_name
from parapluie_gui.pairs.reading.raw_table import RawTable, as_text

#: Names of the columns of person, pair, question and answer, the surest first.
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
    """The columns with person, answer, pair and question in a table with a row for each judgement."""

    person: str
    answer: str
    pair: str | None = None
    question: str | None = None


def judgement_columns(names: Sequence[str]) -> JudgementColumns | None:
    """Recognise the columns of judgements by their names; None without a column of persons or answers."""
    actual: dict[str, str] = {}
    for name in names:
        actual.setdefault(normalise_name(name), name)

    def first(words: Sequence[str]) -> str | None:
        return next((actual[word] for word in words if word in actual), None)

    person, answer = first(PERSON), first(ANSWER)
    if person is None or answer is None:
        return None
    return JudgementColumns(person, answer, first(PAIR), first(QUESTION))


def unfold_judgements(table: RawTable) -> RawTable:
    """Convert a table with a row for each judgement to one with a row for each pair and a column for each person.

    Other tables are returned unchanged. If a person answers a question about a pair twice, the last answer counts, and
    the table's origin says so.
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
    rows = list(first.values())
    places = {key: at for at, key in enumerate(first)}
    people = [as_text(cell).strip() or "unnamed" for cell in table.column(columns.person)]
    questions = _questions(table, columns)
    own = {columns.person, columns.answer, columns.question, columns.pair, mapping.source, mapping.hypothesis}
    varying = [name for name in table.names if _varies(table.column(name), keys, first)]
    more = [name for name in varying if name not in own and normalise_name(name) not in PAIR]
    by_person: dict[str, dict[str, list[object]]] = {}
    seen: set[tuple[object, str]] = set()
    for row, (key, person, question) in enumerate(zip(keys, people, questions, strict=True)):
        name = f"{question}.{person}"
        answers = by_person.setdefault(name, {column: [None] * len(rows) for column in (columns.answer, *more)})
        seen.add((key, name))
        for column, cells in answers.items():
            cells[places[key]] = table.column(column)[row]
    common = [name for name in table.names if name not in (*varying, columns.person, columns.answer, columns.question)]
    unfolded: dict[str, list[object]] = {name: [table.column(name)[row] for row in rows] for name in common}
    for name, answers in by_person.items():
        unfolded |= {name: answers[columns.answer], **{f"{name}.{column}": answers[column] for column in more}}
    description = "a row for each judgement"
    if twice := len(table) - len(seen):
        description += f", {twice:,} of them by a person who had answered already (the last counts)"
    return replace(
        table,
        names=list(unfolded),
        columns=list(unfolded.values()),
        lines=[table.lines[row] for row in rows],
        origin=replace(table.origin, reshaped=description),
        annotators=dict.fromkeys(by_person, nan),
    )


def _pairs(table: RawTable, pair: str | None, sentences: tuple[str, str]) -> list[object]:
    """Return the key of each row's pair: its name if the same sentences always go with it, otherwise the sentences."""
    texts: list[object] = list(zip(*(map(as_text, table.column(name)) for name in sentences), strict=True))
    if pair is not None:
        names = [as_text(cell).strip() for cell in table.column(pair)]
        if all(names) and len(set(zip(names, texts, strict=True))) == len(set(names)) < len(names):
            return list(names)
    return texts


def _questions(table: RawTable, columns: JudgementColumns) -> Sequence[str]:
    if columns.question is None:
        return [normalise_name(columns.answer)] * len(table)
    return [as_text(cell).strip() or normalise_name(columns.answer) for cell in table.column(columns.question)]


def _varies(column: Sequence[object], keys: Sequence[object], first: Mapping[object, int]) -> bool:
    return any(column[first[key]] != cell for key, cell in zip(keys, column, strict=True))


def unfold_tasks(table: RawTable) -> RawTable:
    """Convert Label Studio's tasks: their data, the majority choice as the label, and each annotator's answers."""
    if not table.origin.kind.startswith("json") or not {"data", "annotations"} <= set(table.names):
        return table
    data, annotations = (list(map(parse_cell, table.column(name))) for name in ("data", "annotations"))
    if not all(isinstance(task, dict) for task in data):
        return table
    keys = list(dict.fromkeys(key for task in data for key in task))
    names = [*(["id"] if "id" in table.names and "id" not in keys else []), *keys, "label"]
    columns: list[list[object]] = [table.column("id")] if names[0] == "id" and "id" not in keys else []
    columns += [[to_json_cell(task.get(key)) for task in data] for key in keys]
    answers = [list(_answers(task)) for task in annotations]
    columns.append([_majority_choice(task) for task in answers])
    people: dict[str, list[object]] = {}
    for row, task in enumerate(answers):
        for question, person, answer in task:
            people.setdefault(f"{question}.{person}", [None] * len(table))[row] = answer
    people = {name: cells for name, cells in people.items() if name not in names}
    return replace(
        table, names=[*names, *people], columns=[*columns, *people.values()], annotators=dict.fromkeys(people, nan)
    )


def _answers(annotations: object) -> Iterator[tuple[str, str, object]]:
    """Yield question, person and answer for the annotations of one task; unnamed persons are numbered."""
    for number, annotation in enumerate(annotations if isinstance(annotations, list) else [], start=1):
        if not isinstance(annotation, dict) or annotation.get("was_cancelled"):
            continue
        results = annotation.get("result", [])
        for result in results if isinstance(results, list) else []:
            value = result.get("value", {}) if isinstance(result, dict) else {}
            answer = _answer(value) if isinstance(value, dict) else None
            if answer is not None:
                question = as_text(result.get("from_name")).replace(".", " ").strip() or "choice"
                yield question, _person(annotation.get("completed_by"), number), answer


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


def _majority_choice(answers: Sequence[tuple[str, str, object]]) -> str:
    """Return the choice of most annotators, or "" without choices or for a tie."""
    best = Counter(str(answer) for _, _, answer in answers if isinstance(answer, str)).most_common(2)
    return best[0][0] if best and (len(best) == 1 or best[0][1] > best[1][1]) else ""


def parse_cell(cell: object) -> Any:
    """Parse a list or object in a cell's JSON text; return any other cell unchanged."""
    if isinstance(cell, str) and cell[:1] in ("[", "{"):
        try:
            return parse_json(cell)
        except ValueError:
            return cell
    return cell
