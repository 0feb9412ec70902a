"""Converts tables with one row per judgement, and annotation tools' exports, to tables with one row per pair."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any

from parapluie_gui.own_files import parse_json
from parapluie_gui.pairs.column import number
from parapluie_gui.pairs.reading.cells import to_json_cell
from parapluie_gui.pairs.reading.layouts import recognise
from parapluie_gui.pairs.reading.mapping import Columns, list_columns, normalise_name
from parapluie_gui.pairs.reading.raw_table import RawTable, as_text
from parapluie_gui.pairs.reading.roles import guess_sentences
from parapluie_gui.pairs.reading.values import quote_value

#: Names of the columns for person, pair, question and answer, the most certain first.
PERSON = (
    *("annotator", "annotator id", "annotator name", "rater", "rater id", "worker", "worker id", "workerid", "judge"),
    *("judge id", "coder", "coder id", "participant", "participant id", "person", "labeler", "labeller", "assessor"),
    *("user", "user id", "userid", "user name", "username", "completed by", "annotated by", "reviewer", "evaluator"),
)
PAIR = ("pair", "pair id", "pairid", "item", "item id", "itemid", "hit id", "hitid", "task id", "id", "idx", "index")
QUESTION = ("question", "criterion", "dimension", "aspect")
ANSWER = (
    *("answer", "response", "judgement", "judgment", "verdict", "choice", "rating", "grade", "annotation", "vote"),
    *("label", "score", "value", "human", "paraphrase"),
)


#: A table with more different pairs than this share of its rows is one of pairs.
_REPEATED = 2 / 3
#: Maximum number of characters of a person's name or of an answer.
_LONGEST_PERSON = 40
#: Numbers up to this may be grades; larger ones may be numbers of persons.
_HIGHEST_GRADE = 100
#: Maximum number of different answers to a question: the grades 0 to 10, and one more.
_MOST_GRADES = 12
#: Words in the names of columns that are noted with an answer.
_NOTED = re.compile(r"\b(?:time|duration|seconds|minutes|date|created|updated|id|page)\b|time\Z|id\Z")
#: Prodigy's decisions, with the label that each gives.
_DECISIONS = {"accept": 1, "reject": 0, "ignore": None}
#: Ends the names of Argilla's columns of responses.
_RESPONSES = ".responses"
#: Begins the names of a crowd's answers in Amazon Mechanical Turk's results: "Answer.adequacy".
_TURK_ANSWER = "answer."
#: Roles of columns in a table with one row per judgement, in addition to those of a pair.
JUDGEMENT_ROLES = ("person", "answer", "question")


@dataclass(frozen=True)
class JudgementColumns:
    """The columns with person, answer, pair and question in a table with one row per judgement.

    `more_answers` are further columns, each with the person's answer to a different question.
    """

    person: str
    answer: str
    pair: str | None = None
    question: str | None = None
    more_answers: tuple[str, ...] = ()

    @property
    def answers(self) -> tuple[str, ...]:
        """All columns of answers."""
        return (self.answer, *self.more_answers)


def judgement_columns(names: Sequence[str], named: Mapping[str, Columns] | None = None) -> JudgementColumns | None:
    """Recognise the columns of judgements by their names; None without a column of persons or answers.

    `named` has the columns that the user chose by role; a column with another role is none of these.
    """
    chosen = {role: value for role, value in (named or {}).items() if isinstance(value, str)}
    others = {value for role, value in chosen.items() if role not in (*JUDGEMENT_ROLES, "human", "label", "id")}
    actual: dict[str, str] = {}
    for name in names:
        if name not in others:
            actual.setdefault(normalise_name(name), name)

    def first(role: str, words: Sequence[str]) -> str | None:
        return chosen.get(role) or next((actual[word] for word in words if word in actual), None)

    turk = [name for name in names if name.casefold().startswith(_TURK_ANSWER) and name not in others]
    person, answer = first("person", PERSON), first("answer", ANSWER)
    if turk and "answer" not in chosen:
        answer = turk[0]
    if person is None or answer is None:
        return None
    return JudgementColumns(
        person,
        answer,
        first("pair", PAIR),
        first("question", QUESTION),
        tuple(turk[1:]) if turk[:1] == [answer] else (),
    )


def unfold_judgements(table: RawTable, named: Mapping[str, Columns] | None = None) -> RawTable:
    """Convert a table with one row per judgement to one with one row per pair and a column for each person.

    `named` has the columns that the user chose by role, among them those of JUDGEMENT_ROLES.

    Other tables are returned unchanged. If a person answers a question about a pair twice, the last answer counts, and
    the table's origin says so.
    """
    named = named or {}
    columns = judgement_columns(table.names, named) or _guess_columns(table, named).columns
    if columns is None or (not named and recognise(table) is not None):
        return table
    guess = guess_sentences(table, named)
    if guess.source is None or guess.hypothesis is None or not {guess.source, guess.hypothesis} <= set(table.names):
        return table
    sentences = guess.source, guess.hypothesis
    if not set(columns.answers).isdisjoint(sentences) or not {columns.person, *columns.answers} <= set(table.names):
        return table
    keys = _pairs(table, columns.pair, sentences)
    first: dict[object, int] = {}
    for row, key in enumerate(keys):
        first.setdefault(key, row)
    if len(first) == len(table):
        return table
    rows = list(first.values())
    places = {key: at for at, key in enumerate(first)}
    people = [as_text(cell).strip() or "unnamed" for cell in table.column(columns.person)]
    own = {columns.person, *columns.answers, columns.question, columns.pair, *sentences}
    varying = [name for name in table.names if _varies(table.column(name), keys, first)]
    more = [name for name in varying if name not in own and normalise_name(name) not in PAIR]
    unfolded = _UnfoldedAnswers(len(rows))
    for place, answer in enumerate(columns.answers):
        attached = {name: table.column(name) for name in (() if place else more)}
        questions = _questions(table, columns, answer)
        for row, (key, question, person, cell) in enumerate(
            zip(keys, questions, people, table.column(answer), strict=True)
        ):
            unfolded.add(
                f"{question}.{person}", places[key], cell, {name: cells[row] for name, cells in attached.items()}
            )
    common = [
        name for name in table.names if name not in (*varying, columns.person, *columns.answers, columns.question)
    ]
    result: dict[str, list[object]] = {name: [table.column(name)[row] for row in rows] for name in common}
    description = "one row per judgement"
    if twice := len(columns.answers) * len(table) - unfolded.answers:
        description += f", {twice:,} of them by a person who had already answered (the last answer counts)"
    result |= unfolded.columns()
    return replace(
        table,
        names=list(result),
        columns=list(result.values()),
        lines=[table.lines[row] for row in rows],
        origin=replace(table.origin, reshaped=description),
        annotators=dict.fromkeys(unfolded.people, nan),
    )


@dataclass(frozen=True)
class _ColumnGuess:
    """The columns of judgements as guessed by their contents, or a remark to the user if several fit."""

    columns: JudgementColumns | None = None
    remark: str = ""


def describe_repeats(table: RawTable, named: Mapping[str, Columns]) -> str:
    """Return a remark on pairs that are in several rows, which may be judgements; "" if they are not."""
    return _guess_columns(table, named).remark if judgement_columns(table.names, named) is None else ""


def _guess_columns(table: RawTable, named: Mapping[str, Columns]) -> _ColumnGuess:
    """Guess the columns of person and answer in a table in which most pairs are in several rows, by their contents.

    A person answers each pair once, and answers are a few words or whole numbers.
    """
    guess = guess_sentences(table, named)
    if not guess.certain or guess.source is None or guess.hypothesis is None or len(table) < 2:
        return _ColumnGuess()
    sentences = guess.source, guess.hypothesis
    if not set(sentences) <= set(table.names):
        return _ColumnGuess()
    texts = [table.column(name) for name in sentences]
    if any(len(set(column)) > _REPEATED * len(table) for column in texts):
        return _ColumnGuess()
    keys = list(zip(*(map(as_text, column) for column in texts), strict=True))
    first: dict[object, int] = {}
    for row, key in enumerate(keys):
        first.setdefault(key, row)
    if len(first) > _REPEATED * len(table):
        return _ColumnGuess()
    chosen = set(list_columns(named.values())) - {named.get("person"), named.get("answer")}
    varying = [
        name for name in table.names if name not in (*sentences, *chosen) and _varies(table.column(name), keys, first)
    ]
    values = {name: [as_text(cell).strip() for cell in table.column(name)] for name in varying}
    people = [name for name in varying if _are_people(values[name], keys)]
    if len(people) > 1:  # the finest: a country or a language follows from the person
        people = [name for name in people if all(_determines(values[name], values[other]) for other in people)][:1]
    usual = next((name for word in PERSON for name in varying if normalise_name(name) == word), None)
    person = _chosen_column(named, "person") or usual or next(iter(people), None)
    by_person = [name for name in varying if person in values and _determines(values[person], values[name])]
    free = [name for name in varying if name not in by_person and not _NOTED.search(normalise_name(name))]
    if person is not None and not free:  # people may agree on all pairs
        free = [name for name in table.names if name not in (*sentences, *chosen, *varying)]
        free = [name for name in free if not _NOTED.search(normalise_name(name))]
        values |= {name: [as_text(cell).strip() for cell in table.column(name)] for name in free}
    answers = [name for name in free if _are_answers(values[name])]
    answer = _chosen_column(named, "answer") or (answers[0] if len(answers) == 1 else None)
    if person is not None and answer is not None:
        return _ColumnGuess(JudgementColumns(person, answer))
    if not varying or len(table) - len(first) < 2:  # one repeated pair is no evidence about the others
        return _ColumnGuess()
    listed = ", ".join(quote_value(name) for name in varying[:6])
    proposed = answer or next((name for name in answers or varying if name != person), varying[-1])
    return _ColumnGuess(
        remark=f"{len(table):,} rows have only {len(first):,} different pairs; if they are judgements, choose the "
        f"columns of the person and of the answer among {listed} (--person {quote_value(person or varying[0])} "
        f"--answer {quote_value(proposed)})"
    )


def _chosen_column(named: Mapping[str, Columns], role: str) -> str | None:
    column = named.get(role)
    return column if isinstance(column, str) else None


def _are_people(values: Sequence[str], keys: Sequence[object]) -> bool:
    """Return whether values can be persons: at least two, each with several pairs and once for each pair."""
    kinds = set(values)
    if "" in kinds or len(kinds) < 2 or 2 * len(kinds) > len(values) or max(map(len, kinds)) > _LONGEST_PERSON:
        return False
    return len(set(zip(values, keys, strict=True))) == len(values) and not all(map(_is_grade, kinds))


def _is_grade(text: str) -> bool:
    value = number(text)
    return value is not None and abs(value) <= _HIGHEST_GRADE


def _are_answers(values: Sequence[str]) -> bool:
    """Return whether values can be answers: labels, or a few grades or short words."""
    kinds = set(values) - {""}
    return 1 < len(kinds) <= _MOST_GRADES and max(map(len, kinds)) <= _LONGEST_PERSON


def _determines(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether a value of one column always goes with the same value of the other."""
    return len(set(zip(one, other, strict=True))) == len(set(one))


class _UnfoldedAnswers:
    """The columns of each person's answers to each question, and of the notes on each answer."""

    def __init__(self, pairs: int) -> None:
        self._pairs = pairs
        self.people: dict[str, list[object]] = {}
        self._attached: dict[str, dict[str, list[object]]] = {}
        self._seen: set[tuple[int, str]] = set()

    def add(self, name: str, pair: int, answer: object, attached: Mapping[str, object]) -> None:
        self._seen.add((pair, name))
        self.people.setdefault(name, [None] * self._pairs)[pair] = answer
        for column, cell in attached.items():
            self._attached.setdefault(name, {}).setdefault(column, [None] * self._pairs)[pair] = cell

    @property
    def answers(self) -> int:
        """The number of answers, of which no two are a person's to the same question about the same pair."""
        return len(self._seen)

    def columns(self) -> dict[str, list[object]]:
        """Return the columns of answers, each followed by its notes."""
        return {
            column: cells
            for name, answers in self.people.items()
            for column, cells in (
                (name, answers),
                *((f"{name}.{other}", cells) for other, cells in self._attached.get(name, {}).items()),
            )
        }


def _pairs(table: RawTable, pair: str | None, sentences: tuple[str, str]) -> list[object]:
    """Return the key of each row's pair: its name if the same sentences always go with it, otherwise the sentences."""
    texts: list[object] = list(zip(*(map(as_text, table.column(name)) for name in sentences), strict=True))
    if pair is not None:
        names = [as_text(cell).strip() for cell in table.column(pair)]
        if all(names) and len(set(zip(names, texts, strict=True))) == len(set(names)) < len(names):
            return list(names)
    return texts


def _questions(table: RawTable, columns: JudgementColumns, answer: str) -> Sequence[str]:
    name = normalise_name(answer[len(_TURK_ANSWER) :] if answer.casefold().startswith(_TURK_ANSWER) else answer)
    if columns.question is None:
        return [name] * len(table)
    return [as_text(cell).strip() or name for cell in table.column(columns.question)]


def _varies(column: Sequence[object], keys: Sequence[object], first: Mapping[object, int]) -> bool:
    return any(column[first[key]] != cell for key, cell in zip(keys, column, strict=True))


def unfold_tasks(table: RawTable) -> RawTable:
    """Convert Label Studio's tasks to rows: the data, the majority choice as label, and each annotator's answers."""
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


def read_decisions(table: RawTable) -> RawTable:
    """Convert Prodigy's decisions: those about one label become labels, and accepted choices become answers."""
    actual = {normalise_name(name): name for name in table.names}
    if table.origin.kind.startswith("json") and {"answer", "accept"} <= set(actual):
        return _read_choices(table, actual["answer"], actual["accept"])
    if not table.origin.kind.startswith("json") or "answer" not in actual or "label" not in actual:
        return table
    answers = [as_text(cell).strip() for cell in table.column(actual["answer"])]
    if not {*answers} <= set(_DECISIONS) or len({as_text(cell) for cell in table.column(actual["label"])}) > 1:
        return table
    labels: list[object] = [_DECISIONS[answer] for answer in answers]
    label = table.names.index(actual["label"])
    names = [
        f"{name} asked" if at == label else "label" if name == actual["answer"] else name
        for at, name in enumerate(table.names)
    ]
    columns = [labels if name == "label" else column for name, column in zip(names, table.columns, strict=True)]
    remark = f'Prodigy\'s answers about "{as_text(table.columns[label][0])}" are the label: accept is 1, reject is 0'
    origin = replace(table.origin, remarks=(*table.origin.remarks, remark))
    return replace(table, names=names, columns=columns, origin=origin)


def _read_choices(table: RawTable, answer: str, accept: str) -> RawTable:
    """Put the accepted choices, such as ["same"], in place of the decisions accept, reject and ignore."""
    choices = [parse_cell(cell) for cell in table.column(accept)]
    if not all(isinstance(choice, list) for choice in choices):
        return table
    given: list[object] = [
        ", ".join(map(as_text, choice)) if as_text(decision).strip() == "accept" else None
        for choice, decision in zip(choices, table.column(answer), strict=True)
    ]
    kept = {name: column for name, column in zip(table.names, table.columns, strict=True) if name != accept}
    kept[answer] = given
    return replace(table, names=list(kept), columns=list(kept.values()))


def unfold_responses(table: RawTable) -> RawTable:
    """Convert Argilla's responses to a column for each user: lists of records, or of values with a list of users."""
    people: dict[str, list[object]] = {}
    gone: list[str] = []
    for name in table.names:
        if name.endswith(_RESPONSES) and (users := f"{name}.users") in table.names:
            rows = [_zip_responses(*cells) for cells in zip(*map(table.column, (name, users)), strict=True)]
            own = [other for other in table.names if other == name or other.startswith(f"{name}.")]
            answered = [[(name.removesuffix(_RESPONSES), user, value) for user, value in row] for row in rows]
        elif name == "responses":
            answered, own = [list(_read_submitted(parse_cell(cell))) for cell in table.column(name)], [name]
        else:
            continue
        if not any(answered):
            continue
        gone += own
        for row, answers in enumerate(answered):
            for question, user, value in answers:
                people.setdefault(f"{question}.{user}", [None] * len(table))[row] = value
    if not people:
        return table
    kept = {name: column for name, column in zip(table.names, table.columns, strict=True) if name not in gone}
    return replace(
        table,
        names=[*kept, *people],
        columns=[*kept.values(), *people.values()],
        annotators=dict.fromkeys(people, nan),
    )


def _zip_responses(values: object, users: object) -> list[tuple[str, object]]:
    values, users = parse_cell(values), parse_cell(users)
    if not isinstance(values, list) or not isinstance(users, list) or len(values) != len(users):
        return []
    return [
        (_person(user, at), to_json_cell(value)) for at, (user, value) in enumerate(zip(users, values, strict=True), 1)
    ]


def _read_submitted(responses: object) -> Iterator[tuple[str, str, object]]:
    """Yield question, person and answer of Argilla's submitted responses to one record."""
    for place, response in enumerate(responses if isinstance(responses, list) else [], start=1):
        if not isinstance(response, dict) or response.get("status", "submitted") != "submitted":
            continue
        values = response.get("values")
        for question, value in values.items() if isinstance(values, dict) else ():
            answer = value.get("value") if isinstance(value, dict) else value
            if answer is not None:
                yield question.replace(".", " "), _person(response.get("user_id"), place), to_json_cell(answer)


def _answers(annotations: object) -> Iterator[tuple[str, str, object]]:
    """Yield question, person and answer for the annotations of one task; unnamed persons are numbered."""
    for place, annotation in enumerate(annotations if isinstance(annotations, list) else [], start=1):
        if not isinstance(annotation, dict) or annotation.get("was_cancelled"):
            continue
        results = annotation.get("result", [])
        for result in results if isinstance(results, list) else []:
            value = result.get("value", {}) if isinstance(result, dict) else {}
            answer = _answer(value) if isinstance(value, dict) else None
            if answer is not None:
                question = as_text(result.get("from_name")).replace(".", " ").strip() or "choice"
                yield question, _person(annotation.get("completed_by"), place), answer


def _answer(value: Mapping[str, Any]) -> object:
    choices = value.get("choices")
    if isinstance(choices, list) and choices:
        return choices[0]
    return next((value[key] for key in ("rating", "number") if isinstance(value.get(key), int | float)), None)


def _person(who: object, place: int) -> str:
    if isinstance(who, dict):
        name = " ".join(filter(None, (as_text(who.get("first_name")), as_text(who.get("last_name")))))
        who = name or who.get("username") or who.get("email") or who.get("id")
    text = as_text(who).replace(".", " ").strip()
    return f"annotator {text}" if text.isdecimal() else text or f"annotator {place}"


def _majority_choice(answers: Sequence[tuple[str, str, object]]) -> str:
    """Return the choice of most annotators, or "" if there is no choice or a tie."""
    best = Counter(str(answer) for _, _, answer in answers if isinstance(answer, str)).most_common(2)
    return best[0][0] if best and (len(best) == 1 or best[0][1] > best[1][1]) else ""


def _parse_python_list(cell: str) -> Any:
    """Parse a list of texts as pandas writes it into CSV; return any other cell unchanged."""
    if not _PYTHON_LIST.match(cell) or len(cell) > _LONGEST_LIST:
        return cell
    try:
        return ast.literal_eval(cell)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return cell


#: The beginning of a list of texts in Python, and the maximum number of characters of such a list.
_PYTHON_LIST = re.compile(r"\[\s*['\"]")
_LONGEST_LIST = 100_000


def parse_cell(cell: object) -> Any:
    """Parse a list or object in a cell's JSON text; return any other cell unchanged."""
    if isinstance(cell, str) and cell[:1] in ("[", "{"):
        try:
            return parse_json(cell)
        except ValueError:
            return _parse_python_list(cell)
    return cell
