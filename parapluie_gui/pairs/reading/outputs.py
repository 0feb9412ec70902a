"""Converts tables with several outputs for each source, in columns or in a list, to one row per pair."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from parapluie_gui.pairs.reading.content import ColumnContent, are_related, count_words, sample_contents
from parapluie_gui.pairs.reading.mapping import (
    OTHER_NAMES,
    SOURCE_WORDS,
    Columns,
    index_names,
    list_columns,
    normalise_name,
)
from parapluie_gui.pairs.reading.people import parse_cell
from parapluie_gui.pairs.reading.raw_table import RawTable, as_text
from parapluie_gui.pairs.reading.values import quote_value

#: Names of three columns: a sentence, a sentence with the same meaning, and a sentence with another meaning.
_TRIPLETS = (
    ("anchor", "positive", "negative"),
    ("query", "positive", "negative"),
    ("query", "title", "neg title"),
    ("sentence", "positive", "negative"),
    ("sent0", "sent1", "hard neg"),
)
#: Minimum number of columns of sentences in a file without a header for several outputs of each source.
_FEWEST_UNNAMED = 4
#: Names of lists of texts with the meaning of the source (1) or with another meaning (0).
_LISTED_MEANINGS = {"pos": 1, "positive": 1, "positives": 1, "neg": 0, "negative": 0, "negatives": 0}
#: A name that ends in a counter: "neutral_comment1", "rewrite_a".
_COUNTED = re.compile(r"(.+?)[\s_.\-]*(?:\d{1,3}|(?<=[\s_.\-])[A-Za-z]|(?<=[a-z])[A-Z])")
#: Names of objects with an output of each system: {"outputs": {"gpt": …, "t5": …}}.
_OUTPUTS = frozenset(["outputs", "hypotheses", "predictions", "paraphrases", "systems", "candidates", "generations"])
#: Names of the text of an output that is an object, the most certain first.
_TEXTS = ("generated_text", "text", "output", "hypothesis", "paraphrase", "sentence", "content")
#: Minimum number of words of an output, on average.
_WORDS = 2


def pair_outputs(table: RawTable, named: Mapping[str, Columns]) -> RawTable:
    """Make a pair of a source and each of its outputs, with the column or the place of the output as the group.

    Outputs are columns whose names differ in a counter, a list in a cell, or the texts of a triplet, of which
    the second has the same meaning as the first and the third a different one. Any other table is returned unchanged.
    """
    by_plain = index_names(table.names)
    for names in _TRIPLETS:
        if all(name in by_plain for name in names) and named.get("hypothesis") not in table.names:
            source, same, other = (by_plain[name] for name in names)
            return _make_pairs(table, source, {same: table.column(same), other: table.column(other)}, (1, 0))
    if named.get("hypothesis") in table.names:
        return table
    contents = sample_contents(table)
    for outputs in _families(table, contents, named):
        sentences = _find_source(table, contents, named, set(outputs))
        if sentences is not None:
            return _make_pairs(table, sentences, {name: table.column(name) for name in outputs})
    if outputs := _unnamed_outputs(table, contents, named):
        return _make_pairs(table, outputs[0], {name: table.column(name) for name in outputs[1:]})
    return _pair_listed(table, contents, named)


def _unnamed_outputs(
    table: RawTable, contents: Mapping[str, ColumnContent], named: Mapping[str, Columns]
) -> tuple[str, ...]:
    """Return the source and its outputs in a file without a header: four or more columns of related sentences."""
    free = [name for name in table.names if name not in list_columns(named.values()) and contents[name].holds_sentences]
    source = named.get("source")
    columns = (source, *free) if isinstance(source, str) and source in table.names else tuple(free)
    if table.origin.has_header or len(columns) < _FEWEST_UNNAMED:
        return ()
    first = table.column(columns[0])
    return columns if all(are_related(first, table.column(name)) for name in columns[1:]) else ()


def _families(
    table: RawTable, contents: Mapping[str, ColumnContent], named: Mapping[str, Columns]
) -> list[tuple[str, ...]]:
    """Return the groups of columns of texts whose names differ in a counter or a system, the largest first."""
    families: defaultdict[str, list[str]] = defaultdict(list)
    for name in table.names:
        match = _COUNTED.fullmatch(name.strip())
        listed = name.rpartition(".")[0] if name.rpartition(".")[0] in _OUTPUTS else ""
        base = listed or (match[1] if match else "")
        if base and name not in list_columns(named.values()) and _holds_texts(contents[name]):
            families[normalise_name(base)].append(name)
    fitting = [
        tuple(names) for base, names in families.items() if len(names) > 1 and base not in OTHER_NAMES["reference"]
    ]
    return sorted(fitting, key=len, reverse=True)


def _holds_texts(content: ColumnContent) -> bool:
    return content.words >= _WORDS and not content.holds_numbers and not content.holds_no_sentences


def _find_source(
    table: RawTable, contents: Mapping[str, ColumnContent], named: Mapping[str, Columns], outputs: set[str]
) -> str | None:
    """Return the source column: the user's choice, one with a usual name, or the only other column of sentences."""
    if isinstance(chosen := named.get("source"), str):
        return chosen if chosen in table.names else None
    others = [name for name in table.names if name not in outputs and contents[name].holds_sentences]
    by_plain = index_names(others)
    usual = next((by_plain[word] for word in SOURCE_WORDS if word in by_plain), None)
    return usual or (others[0] if len(others) == 1 else None)


def _pair_listed(table: RawTable, contents: Mapping[str, ColumnContent], named: Mapping[str, Columns]) -> RawTable:
    """Make a pair of each text in the only column of lists of texts, or in a list of positives and one of negatives."""
    listed: dict[str, list[list[str]]] = {}
    remarks = list(table.origin.remarks)
    for name, column in zip(table.names, table.columns, strict=True):
        first = next((cell for cell in column if as_text(cell).strip()), None)
        if name in list_columns(named.values()) or not isinstance(first, str) or not first.startswith("["):
            continue
        lists = [parse_cell(cell) for cell in column]
        if (member := _text_member(lists)) is not None:
            text, others = member
            lists = [[output[text] for output in value] for value in lists]
            if others:
                remarks.append(f'only "{text}" of "{name}" was read, not {", ".join(map(quote_value, others))}')
        if all(isinstance(value, list) and all(isinstance(text, str) for text in value) for value in lists):
            listed[name] = lists
    meanings = {name: _LISTED_MEANINGS.get(normalise_name(name)) for name in listed}
    if len(listed) != 1 and sorted(map(str, meanings.values())) != ["0", "1"]:
        return table
    source = _find_source(table, contents, named, set(listed))
    texts = [text for lists in listed.values() for value in lists[:20] for text in value]
    if source is None or not any(count_words(text) >= _WORDS for text in texts):
        return table
    places: dict[str, list[object]] = {}
    labels: list[int] = []
    for name, lists in listed.items():
        for at in range(max(map(len, lists), default=0)):
            places[f"{name} {at + 1}"] = [value[at] if at < len(value) else None for value in lists]
            labels += [label] if (label := meanings[name]) is not None else []
    shorter = replace(
        table,
        origin=replace(table.origin, remarks=tuple(remarks)),
        names=[column for column in table.names if column not in listed],
        columns=[cells for column, cells in zip(table.names, table.columns, strict=True) if column not in listed],
    )
    return _make_pairs(shorter, source, places, labels)


def _text_member(lists: list[Any]) -> tuple[str, list[str]] | None:
    """Return the member with the text of outputs that are objects, as those of a beam, and the other members."""
    outputs = [output for value in lists if isinstance(value, list) for output in value]
    if not outputs or not all(isinstance(output, dict) for output in outputs):
        return None
    key = next((key for key in _TEXTS if all(isinstance(output.get(key), str) for output in outputs)), None)
    return None if key is None else (key, [name for name in dict.fromkeys(chain(*outputs)) if name != key])


def _make_pairs(
    table: RawTable, source: str, outputs: Mapping[str, Sequence[object]], labels: Sequence[int] = ()
) -> RawTable:
    """Return a row for each output that is not empty; other cells of a row belong to the source, not to the pair."""
    cells = [(row, name) for row in range(len(table)) for name in outputs if as_text(outputs[name][row]).strip()]
    common = [name for name in table.names if name not in outputs]
    columns: dict[str, list[object]] = {name: [] for name in common}
    for name in common:
        column = table.column(name)
        columns[name] = [column[row] for row, _ in cells]
    hypothesis, output, label = _free_names(common, "hypothesis", "output", "label")
    columns[hypothesis] = [outputs[name][row] for row, name in cells]
    columns[output] = [name for _, name in cells]
    roles: dict[str, str | None] = {"source": source, "hypothesis": hypothesis, "group": output, "human": None}
    roles |= {"label": None, "id": None}
    if labels:
        meaning = dict(zip(outputs, labels, strict=True))
        columns[label] = [meaning[name] for _, name in cells]
        roles["label"] = label
    return replace(
        table,
        names=list(columns),
        columns=list(columns.values()),
        lines=[table.lines[row] for row, _ in cells],
        roles=roles,
    )


def _free_names(taken: Sequence[str], *names: str) -> list[str]:
    return [name if name not in taken else f"{name} of the pair" for name in names]
