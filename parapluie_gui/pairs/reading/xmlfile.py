"""Reads XML that is a list of records (ETPC): each record is a row, its attributes and children are columns."""

from __future__ import annotations

import re
import sys
from collections import Counter
from xml.etree import ElementTree

from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs.reading.limits import check_columns, check_memory
from parapluie_gui.pairs.reading.raw_table import TICK_ROWS, FileOrigin, RawTable, Tick, unique_names

_EXPECTED = "give a list of records, such as <pairs><pair><source>…</source> <hypothesis>…</hypothesis></pair>…</pairs>"

#: Memory for a text: the number of copies of it, and bytes for each element.
_COPIES, _ELEMENT = 3, 400
#: Number of characters at the end among which the last tag is; comments may follow.
_END = 2_000
_FIRST_TAG = re.compile(r"\s*<([^\W\d][\w.:-]*)(?:\s[^<>]*)?>\s*<?")


def looks_like_xml(text: str) -> bool:
    """Return whether a text has an XML declaration, or begins and ends with tags of one name."""
    if text.lstrip()[:5] == "<?xml":
        return True
    first = _FIRST_TAG.match(text)
    return first is not None and f"</{first[1]}>" in text[-_END:] and text.rstrip()[-1] == ">"


def _name(part: ElementTree.Element) -> str:
    """Return the column of an element: its attribute "name" (ParaPhraser's <value name="text_1">), or its tag."""
    return part.attrib.get("name") or part.tag


def read_xml(text: str, origin: FileOrigin, *, limit: int | None = None, tick: Tick | None = None) -> RawTable:
    """Read at most `limit` records; the lines of the table are record numbers.

    Raises:
        CorpusError: The XML is broken, is not a list of records, or defines entities, which could fill the memory.
    """
    path = origin.path
    check_memory(_COPIES * sys.getsizeof(text) + _ELEMENT * text.count("<") // 2, path)
    if "<!ENTITY" in text:
        raise CorpusError("the XML defines entities, which are not read", "save it without them, or as CSV", path)
    try:
        root = ElementTree.fromstring(text.lstrip())
    except ElementTree.ParseError as error:
        line, column = error.position
        what = f"the XML is invalid at column {column + 1} ({str(error).partition(':')[0]})"
        raise CorpusError(what, "correct the file there, or download it again", path, line) from error
    # records may be inside an element that holds all of them
    while len(root) == 1 and len(root[0]) > 1 and any(len(child) for child in root[0]):
        root = root[0]
    # such as TMX's body, next to a header
    root = max((root, *root), key=lambda part: sum(len(child) > 0 for child in part))
    kinds = Counter(child.tag for child in root if len(child) or child.attrib)
    if not kinds:
        raise CorpusError("it has no records", _EXPECTED, path)
    records: list[dict[str, object]] = []
    for child in root.iter(kinds.most_common(1)[0][0]):
        own, _ = unique_names([*child.attrib, *map(_name, child)])  # such as two sentences of the same tag
        texts = [*child.attrib.values(), *("".join(part.itertext()).strip() for part in child)]
        records.append(dict(zip(own, texts, strict=True)))
        if len(records) == limit:
            break
        if tick is not None and len(records) % TICK_ROWS == 0:
            tick(len(records))
    names = list(dict.fromkeys(name for record in records for name in record))
    check_columns(len(names), path)
    columns: list[list[object]] = [[record.get(name) for record in records] for name in names]
    return RawTable(
        names, columns, range(1, len(records) + 1), FileOrigin("xml", path, origin.encoding, origin.encoding_from)
    )
