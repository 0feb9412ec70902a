"""Converts sets of sentences, families, candidates and annotation exports to tables with one pair in each row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs.corpus import SkippedRow
from parapluie_gui.pairs.reading.cells import to_json_cell
from parapluie_gui.pairs.reading.mapping import OTHER_NAMES, Columns, guess_mapping, normalise_name
from parapluie_gui.pairs.reading.marked_errors import fold_errors
from parapluie_gui.pairs.reading.nested import spread_references, unpack_objects
from parapluie_gui.pairs.reading.outputs import pair_outputs
from parapluie_gui.pairs.reading.people import (
    parse_cell,
    read_decisions,
    unfold_judgements,
    unfold_responses,
    unfold_tasks,
)
from parapluie_gui.pairs.reading.raw_table import RawTable, Shape, as_text, excerpt

#: Column names for sets of sentences with the same meaning, for pairs in two rows, and for their sentences.
_SETS = frozenset(["paraphrase set id", "set id", "cluster id", "group id"])
_TWO_ROWS = frozenset(["pair id", "pair", "pairid", "item id", "item", "id"])
_MEMBERS = ("paraphrase", "sentence", "text")
#: The sentences of a family with two meanings, a and b, and the pairs made from them, paraphrases first.
_FAMILY = ("a1", "a2", "a3", "b1", "b2")
_RELATIONS = sorted(combinations(_FAMILY, 2), key=lambda pair: pair[0][0] != pair[1][0])
#: Names of columns that give the right candidate.
_RIGHT = frozenset(["label", "gold", "answer", "correct", "gold index", "correct index"])


def reshape(table: RawTable, named: Mapping[str, Columns] | None = None, shape: Shape | None = None) -> RawTable:
    """Convert a table to one of pairs; if it already is, or if no rule applies, return it unchanged.

    `named` has the columns that the user chose, by role; `shape` is the kind of the rows, if the user chose it.

    Raises:
        CorpusError: The rows have not the shape that the user chose.
    """
    named = named or {}
    for prepare in (
        _add_mutual_entailment,
        unfold_tasks,
        unfold_responses,
        read_decisions,
        _unpack_labels,
        unpack_objects,
        lambda rows: spread_references(rows, named.get("reference")),
    ):
        table = prepare(table)
    if shape == "pairs":
        return table
    rules: dict[Shape, Callable[[RawTable], RawTable]] = {
        "judgements": lambda rows: unfold_judgements(rows, named),
        "errors": lambda rows: fold_errors(rows, named),
        "families": _pair_families,
        "candidates": _pair_candidates,
        "sets": _pair_sets,
        "outputs": lambda rows: pair_outputs(rows, named),
    }
    for name, rule in rules.items() if shape is None else [(shape, rules[shape])]:
        if shape is None and name not in ("judgements", "errors") and _has_pairs(table, named):
            return table
        result = rule(table)
        if result is not table:
            return replace(result, origin=replace(result.origin, shape=name))
    if shape is not None:
        todo = "leave the shape out (--shape), or name the columns (--source, --hypothesis)"
        raise CorpusError(f"the rows are not {shape}", todo, table.origin.path)
    return table


def _has_pairs(table: RawTable, named: Mapping[str, Columns]) -> bool:
    # a column that only the reshaped table has is no evidence about this table
    present = {role: value for role, value in named.items() if not isinstance(value, str) or value in table.names}
    return guess_mapping(table.names)[0].with_roles(present).complete


def _add_mutual_entailment(table: RawTable) -> RawTable:
    """Add a column to SICK's two directions of entailment: whether both hold."""
    actual = {normalise_name(name): name for name in table.names}
    ways = [actual.get("entailment ab"), actual.get("entailment ba")]
    if None in ways or "entailed both ways" in table.names:
        return table
    first, second = (map(as_text, table.column(str(way))) for way in ways)
    both: list[object] = [int("entails" in ab and "entails" in ba) for ab, ba in zip(first, second, strict=True)]
    return replace(table, names=[*table.names, "entailed both ways"], columns=[*table.columns, both])


def _unpack_labels(table: RawTable) -> RawTable:
    """Unpack labels that are lists of one element, as doccano writes them."""
    columns = []
    for name, column in zip(table.names, table.columns, strict=True):
        # a column whose first cell is not a list is left unchanged without reading the other cells
        named = normalise_name(name) in ("label", "labels") and isinstance(
            parse_cell(column[0]) if column else "", list
        )
        lists = list(map(parse_cell, column)) if named else []
        alone = all(isinstance(cell, list) and len(cell) <= 1 for cell in lists)
        columns.append([to_json_cell(cell[0]) if cell else "" for cell in lists] if lists and alone else column)
    return replace(table, columns=columns)


def _pair_candidates(table: RawTable) -> RawTable:
    """Make a pair for each candidate if one column lists them and another gives the right one, as number or text."""
    lists = {name: _lists(column) for name, column in zip(table.names, table.columns, strict=True)}
    listed = [name for name, cells in lists.items() if cells is not None]
    right = [name for name in table.names if normalise_name(name) in _RIGHT]
    texts = [name for name in table.names if name not in (*listed, *right) and _are_sentences(table.column(name))]
    if len(listed) != 1 or len(right) != 1 or len(texts) != 1:
        return table
    candidates, gold = lists[listed[0]] or [], [as_text(cell).strip() for cell in table.column(right[0])]
    rows = [(row, at) for row, cell in enumerate(candidates) for at in range(len(cell))]
    labels = [int(gold[row] in (str(at), candidates[row][at])) for row, at in rows]
    if sum(labels) != len(table):
        return table
    renamed = {listed[0]: "hypothesis", texts[0]: "source", right[0]: "label"}
    columns: list[list[object]] = []
    for name, column in zip(table.names, table.columns, strict=True):
        if name == listed[0]:
            columns.append([candidates[row][at] for row, at in rows])
        else:
            columns.append(list(labels) if name == right[0] else [column[row] for row, _ in rows])
    names = [renamed.get(name, name) for name in table.names]
    lines = [table.lines[row] for row, _ in rows]
    origin = replace(table.origin, reshaped="a pair for each candidate")
    return replace(table, names=names, columns=columns, lines=lines, origin=origin)


def _pair_sets(table: RawTable) -> RawTable:
    """Pair each set's first sentence with its others if sentences with the same meaning share an id.

    Two rows with the same pair id are a pair, too, but without a label.
    """
    actual = {normalise_name(name): name for name in table.names}
    sets = next((actual[name] for name in actual if name in _SETS), None)
    member = next((actual[name] for name in _MEMBERS if name in actual), None)
    of_one_meaning = sets is not None
    if sets is None:
        sets = next(
            (actual[name] for name in actual if name in _TWO_ROWS and _in_two_rows(table.column(actual[name]))), None
        )
    if sets is None or member is None:
        return table
    first: dict[str, int] = {}
    pairs = []
    for row, cell in enumerate(table.column(sets)):
        begin = first.setdefault(as_text(cell), row)
        if begin != row:
            pairs.append((begin, row))
    if not pairs or not (of_one_meaning or _differ_as_pairs(table, member, pairs)):
        return table
    source = [table.column(member)[begin] for begin, _ in pairs]
    others = [name for name in table.names if name != member]
    columns = [[table.column(name)[row] for _, row in pairs] for name in others]
    hypothesis = [table.column(member)[row] for _, row in pairs]
    made: dict[str, list[object]] = {
        "source": source,
        "hypothesis": hypothesis,
        **({"label": [1] * len(pairs)} if of_one_meaning else {}),
    }
    lines = [table.lines[row] for _, row in pairs]
    if of_one_meaning:
        reshaped, alone = "pairs of each set's first sentence with the other sentences", []
    else:
        reshaped, alone = "two rows per pair", sorted(set(range(len(table))) - {row for pair in pairs for row in pair})
    texts = table.column(member)
    skipped = [SkippedRow(table.lines[row], "the only row with its id", excerpt([texts[row]])) for row in alone]
    return replace(
        table,
        names=[*made, *others],
        columns=[*made.values(), *columns],
        lines=lines,
        origin=replace(table.origin, reshaped=reshaped),
        skipped=[*table.skipped, *skipped],
    )


def _in_two_rows(ids: Sequence[object]) -> bool:
    """Return whether each id is in two rows; the last may be in one, as in the first rows of a file."""
    rows = Counter(map(as_text, ids))
    return bool(ids) and rows.pop(as_text(ids[-1])) <= 2 and set(rows.values()) == {2}


def _differ_as_pairs(table: RawTable, member: str, pairs: Sequence[tuple[int, int]]) -> bool:
    """Return whether the two rows of each pair have different sentences and the same label and human score."""
    texts = table.column(member)
    of_pairs = {*OTHER_NAMES["label"], *OTHER_NAMES["human"]}
    same = [column for name, column in zip(table.names, table.columns, strict=True) if normalise_name(name) in of_pairs]
    return all(texts[a] != texts[b] and all(column[a] == column[b] for column in same) for a, b in pairs)


def _pair_families(table: RawTable) -> RawTable:
    """Make ten pairs of each family of five sentences: a1, a2 and a3 share one meaning, b1 and b2 a second one."""
    actual = {normalise_name(name): name for name in table.names}
    if not actual.keys() >= set(_FAMILY):
        return table
    sentences = {place: table.column(actual[place]) for place in _FAMILY}
    rows = [(row, pair) for row in range(len(table)) for pair in _RELATIONS]
    names = table.column(actual["id"]) if "id" in actual else [f"family {line}" for line in table.lines]
    others = [name for place, name in actual.items() if place not in (*_FAMILY, "id")]
    columns: dict[str, list[object]] = {
        "id": [f"{as_text(names[row])}.{'-'.join(pair)}" for row, pair in rows],
        "source": [sentences[pair[0]][row] for row, pair in rows],
        "hypothesis": [sentences[pair[1]][row] for row, pair in rows],
        "label": [int(pair[0][0] == pair[1][0]) for _, pair in rows],
        **{name: [table.column(name)[row] for row, _ in rows] for name in others},
        "relation": ["-".join(pair) for _, pair in rows],
        "group": [as_text(names[row]) for row, _ in rows],
    }
    lines = [table.lines[row] for row, _ in rows]
    return replace(table, names=list(columns), columns=list(columns.values()), lines=lines)


def _are_sentences(column: Sequence[object]) -> bool:
    return all(isinstance(cell, str) and len(cell.split(None, 1)) > 1 for cell in column)


def _lists(column: Sequence[object]) -> list[list[str]] | None:
    """Return a column of lists of two or more texts, or None if it holds anything else."""
    lists = list(map(parse_cell, column))
    valid = all(isinstance(cell, list) and len(cell) > 1 and all(isinstance(x, str) for x in cell) for cell in lists)
    return lists if lists and valid else None
