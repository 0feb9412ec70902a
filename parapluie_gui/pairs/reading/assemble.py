"""Builds the corpus out of a table and a mapping: sentences, labels, scores, ids, and the skipped rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import nan
from typing import Any

from parapluie_gui.errors import CorpusError, NoPairsError
from parapluie_gui.pairs.annotators import annotators_of, said_of
from parapluie_gui.pairs.column import Column, TextColumn, odd_cells, typed
from parapluie_gui.pairs.corpus import Corpus, MixedColumn, SkippedRow
from parapluie_gui.pairs.reading.conventions import find_convention
from parapluie_gui.pairs.reading.mapping import ColumnMapping
from parapluie_gui.pairs.reading.raw_table import RawTable, as_text, as_texts, excerpt
from parapluie_gui.pairs.reading.values import read_labels, read_scores

#: Characters of a sentence. A longer one is a whole book, or a table whose quotation marks do not close, and no metric
#: would come to its end with it.
MOST_CHARACTERS = 2_000_000


def assemble(
    table: RawTable,
    mapping: ColumnMapping,
    name: str,
    layout: str,
    group: str | None = None,
    positive: Sequence[str] = (),
) -> Corpus:
    """Build a corpus.

    Args:
        table: The rows.
        mapping: The roles of its columns.
        name: What the corpus is called.
        layout: What it was recognised as.
        group: The group of all pairs if no column has groups.
        positive: Values of the label that mean a paraphrase, where the user named them.

    Raises:
        CorpusError: A column of the mapping is missing, a sentence has none, a label or score makes no sense, or no row
            holds a pair.
    """
    path, (source, hypothesis, reference) = table.origin.path, _sentences(table, mapping)
    keep, skipped = _usable(table, source, hypothesis, reference)
    everything = len(keep) == len(table)
    lines = table.lines if everything else [table.lines[row] for row in keep]

    def pick(values: Sequence[Any]) -> list[Any]:
        return list(values) if everything else [values[row] for row in keep]

    table, label, human, convention = _mended_table(table), None, None, None
    if mapping.label is not None:
        cells = pick(table.column(mapping.label))
        if not positive and (convention := find_convention(cells, pick(source), pick(hypothesis))):
            cells, human = list(convention.labels), convention.scores()
        label = read_labels(cells, lines, path, mapping.label, positive)
    if mapping.human is not None:
        human = read_scores(pick(table.column(mapping.human)), lines, path, mapping.human)
    groups = None if mapping.group is None else _texts(pick(table.column(mapping.group)))
    groups = [group] * len(keep) if groups is None and group is not None else groups
    others = _without_role(table, mapping)
    extra = {name: typed(pick(values)) for name, values in others.items()}
    corpus = Corpus(
        name=name,
        id=pick(unique_ids(_identities(table, mapping))),
        source=pick(source),
        hypothesis=pick(hypothesis),
        reference=None if reference is None else _texts(pick(reference)),
        label=label,
        human=human,
        group=groups,
        extra=extra,
        skipped=skipped,
        mixed=tuple(_mixed_columns(extra, others, table.lines)),
        path=path,
        layout=layout,
        annotators=table.annotators or dict.fromkeys(annotators_of(extra), nan),
    )
    guesses = (*table.origin.guesses, convention.said if convention else "", *said_of(corpus, table.repeated))
    return replace(corpus, guessed=", ".join(filter(None, guesses)))


def _without_role(table: RawTable, mapping: ColumnMapping) -> dict[str, list[object]]:
    """Return the columns that play no role, and those that a joined id is made of, which say more (file, year)."""
    used = {column for column in mapping.columns if not isinstance(mapping.id, tuple) or column not in mapping.id}
    return {name: values for name, values in zip(table.names, table.columns, strict=True) if name not in used}


def _sentences(table: RawTable, mapping: ColumnMapping) -> tuple[list[str], list[str], list[str] | None]:
    missing = [column for column in mapping.columns if column not in table.names]
    if missing:
        has = ", ".join(f'"{column}"' for column in table.names[:30])
        raise CorpusError(f'there is no column "{missing[0]}"', f"choose among {has}", table.origin.path)
    if mapping.source is None or mapping.hypothesis is None:
        todo = "choose source and hypothesis"
        raise CorpusError("no column is chosen for one of the sentences", todo, table.origin.path)
    reference = None if mapping.reference is None else as_texts(table.column(mapping.reference))
    return as_texts(table.column(mapping.source)), as_texts(table.column(mapping.hypothesis)), reference


def _usable(
    table: RawTable, source: list[str], hypothesis: list[str], reference: list[str] | None
) -> tuple[list[int], tuple[SkippedRow, ...]]:
    """Return the rows that hold a pair, and why each of the others does not."""
    whole = [bool(s and h and not s.isspace() and not h.isspace()) for s, h in zip(source, hypothesis, strict=True)]
    endless = _endless(source, hypothesis, *([reference] if reference else []))
    odd = _unprintable(source) | _unprintable(hypothesis)
    keep = [row for row, good in enumerate(whole) if good and row not in odd and row not in endless]
    skipped = [
        SkippedRow(
            table.lines[row],
            endless.get(row) or _reason(source[row], hypothesis[row]),
            excerpt(column[row] for column in table.columns),
        )
        for row in sorted(set(range(len(table))) - set(keep))
    ]
    skipped = sorted([*table.skipped, *skipped], key=lambda item: item.line)
    if not keep:
        first = f" ({skipped[0].reason})" if skipped else ""
        todo = "check which columns hold the sentences"
        line = skipped[0].line if skipped else None
        raise NoPairsError(f"no row holds a pair of sentences{first}", todo, table.origin.path, line)
    return keep, tuple(skipped)


def _mixed_columns(
    extra: Mapping[str, Column], cells: Mapping[str, Sequence[object]], lines: Sequence[int]
) -> Iterator[MixedColumn]:
    for name, column in extra.items():
        if isinstance(column, TextColumn) and (mixed := _mixed(name, cells[name], lines)) is not None:
            yield mixed


def _mixed(name: str, cells: Sequence[object], lines: Sequence[int]) -> MixedColumn | None:
    odd = odd_cells(cells)
    return MixedColumn(name, len(odd), lines[odd[0]], excerpt([cells[odd[0]]], 40)) if odd else None


def _identities(table: RawTable, mapping: ColumnMapping) -> list[str]:
    """Return the ids as the file has them; the row's number where it has none."""
    if mapping.id is None:
        return [str(number) for number in range(1, len(table) + 1)]
    columns = (mapping.id,) if isinstance(mapping.id, str) else mapping.id
    cells = [list(map(str.strip, as_texts(table.column(column)))) for column in columns]
    joined = cells[0] if len(cells) == 1 else ["-".join(filter(None, parts)) for parts in zip(*cells, strict=True)]
    return joined if all(joined) else [text or str(number) for number, text in enumerate(joined, start=1)]


def unique_ids(ids: list[str]) -> list[str]:
    """Return ids that differ: the second "7" becomes "7#2" (or the next number that is free)."""
    taken = set(ids)
    if len(taken) == len(ids):
        return ids
    copies: dict[str, int] = {}
    result: list[str] = []
    for text in ids:
        if text not in copies:
            copies[text] = 1
            result.append(text)
            continue
        name = text
        while name in taken:
            copies[text] += 1
            name = f"{text}#{copies[text]}"
        taken.add(name)
        result.append(name)
    return result


def _texts(values: list[object]) -> list[str | None] | None:
    """Return texts with None where there is none; None when there is none at all."""
    texts = [text if text.strip() else None for text in map(as_text, values)]
    return texts if any(texts) else None


def _reason(source: str, hypothesis: str) -> str:
    if source.strip() and hypothesis.strip():
        return "a sentence holds half a character or a NUL"
    if not source.strip():
        return "no source" if hypothesis.strip() else "neither source nor hypothesis"
    return "no hypothesis"


def _endless(*columns: list[str]) -> dict[int, str]:
    """Return the rows with a text of more than MOST_CHARACTERS, and what is to be said of each."""
    return {
        row: f"a sentence of {len(text):,} characters, and no more than {MOST_CHARACTERS:,} are read"
        for texts in columns
        if max(map(len, texts), default=0) > MOST_CHARACTERS
        for row, text in enumerate(texts)
        if len(text) > MOST_CHARACTERS
    }


def _unprintable(texts: list[str]) -> set[int]:
    """Return the rows whose text could be neither stored nor shown: lone surrogates and NUL, which JSON can hold."""
    if _storable("".join(texts)):
        return set()
    return {row for row, text in enumerate(texts) if not _storable(text)}


def _mended_table(table: RawTable) -> RawTable:
    if not table.origin.kind.startswith("json"):
        return table
    return replace(table, columns=[_mended(column) for column in table.columns])


def _mended(values: list[object]) -> list[object]:
    """Replace the half characters that JSON can hold by question marks; sentences with any were skipped before."""
    if _storable("".join(value for value in values if isinstance(value, str))):
        return values
    return [
        value.encode("utf-8", "replace").decode("utf-8").replace("\0", "?") if isinstance(value, str) else value
        for value in values
    ]


def _storable(text: str) -> bool:
    if "\0" in text:
        return False
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
