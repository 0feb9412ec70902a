"""The supplement: pairs and scores as one page, in which a reader without the program looks around in a browser."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain
from math import isnan
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from parapluie_gui import files, places
from parapluie_gui.analysis.columns import Column, ColumnMaterial, columns_of
from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.arrays import Rows
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.talks.talk import Talk
from parapluie_gui.judgements.columns import JudgementColumn
from parapluie_gui.pairs.column import NumberColumn, TextColumn
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.pool import ORIGIN
from parapluie_gui.report.edits import EditsOfPairs
from parapluie_gui.report.html import analysis_sections, citation_html, signatures_html
from parapluie_gui.report.palette import DARK, LIGHT, Theme
from parapluie_gui.report.record import AnalysisRun
from parapluie_gui.report.template import fill_template, markup
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.version import __version__

#: What the page runs, in this order: one script.
_SCRIPTS = ("data.js", "filter.js", "plot.js", "table.js", "pair.js", "talk.js", "page.js")

#: What a link to the page says.
LINK = "All pairs, to look through"

#: A word with the blank before it, or any other letter.
_WORD = re.compile(r" ?\w+|\W")

#: Steps of the colours for numbers.
_STEPS = 5


@dataclass(frozen=True, eq=False)
class Supplement:
    """What goes into a page.

    Attributes:
        material: The scores, labels and corpora; of the pairs, those in `where`.
        licence: The licence under which the sentences are passed on; "" leaves them out, and with them references and
            the words that decided.
        title: The page's; "" is the corpus's name.
        columns: Further columns of the corpus to be shown, by their names.
        people: Also what people said, with their names?
        done: Analyses whose tables and figures are folded in.
        edits: Gives what decided the scores of the pairs that are shared; None where that is not wanted.
        note: What was left out ("only the set …"), or "".
        report: Where the report is, as a link from the page; "" for none.
        talk: A talk whose pairs are among those of the page, to be given with it; the speaker's notes stay out.
    """

    material: Material
    licence: str
    title: str = ""
    columns: tuple[str, ...] = ()
    people: bool = False
    done: Sequence[AnalysisRun] = ()
    edits: EditsOfPairs | None = None
    note: str = ""
    report: str = ""
    talk: Talk | None = None


def supplement_html(page: Supplement) -> str:
    """Return the page: one HTML document that loads nothing, and is the same for the same pairs and scores.

    Sentences are data: they are packed, and the page shows them as text. A content security policy lets the page's own
    script and style act, by their hashes, and nothing else.

    Raises:
        ParapluieError: There is no score, or a column is not there.
    """
    material = page.material
    if not material.score_columns or not len(_rows(material)):
        raise ParapluieError("There is nothing to share yet. Score the pairs first.")
    style, script = _style(), "\n".join(map(_file, _SCRIPTS))
    about, parts = _packed(page)
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; base-uri 'none'; form-action 'none'"
    )
    pairs, program = (
        f"{about['rows']:,} pairs of {material.corpus.name}",
        f"Written by ParaPLUIE Inspector {__version__}",
    )
    first = about["columns"][0]
    return fill_template(
        "share/page.html",
        policy=policy,
        title=page.title or material.corpus.name,
        style=markup(style),
        words=(pairs, page.note, program),
        links=[("Report", page.report)] if page.report else [],
        licence=page.licence,
        example=f"{first['key']}<{first['threshold']:.3g}",
        names=[each["key"] for each in about["columns"]],
        signatures=signatures_html(material),
        citation=citation_html(material),
        analyses=analysis_sections(page.done),
        about=about,
        parts={name: _pack(part) for name, part in parts.items()},
        script=markup(script),
    )


def write_supplement(path: Path, page: Supplement) -> Path:
    """Write the page.

    Raises:
        ParapluieError: There is nothing to write, or the file cannot be written.
    """
    text = supplement_html(page)
    try:
        files.write_text(path, text, errors="xmlcharrefreplace")
    except OSError as error:
        raise ParapluieError(
            f"{path}: the page could not be written ({error.strerror or error}). Choose another folder or name."
        ) from error
    return path


def link_to(target: Path, source: Path) -> str:
    """Return where a file is as a link from another one, so that both can move together."""
    try:
        way = Path(os.path.relpath(target.absolute(), source.absolute().parent))
    except ValueError:  # another drive
        return target.absolute().as_uri()
    return quote(way.as_posix())


def _file(name: str) -> str:
    return (places.resources() / "share" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _pack(data: bytes) -> str:
    """Return bytes as zlib's format in base64: DEFLATE with a checksum, which a browser's DecompressionStream reads."""
    return base64.b64encode(zlib.compress(data, 9)).decode("ascii")


# Looks


def _style() -> str:
    return (
        f":root {{ {_colours(LIGHT)} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {_colours(DARK)} }} }}\n"
        + (_file("style.css"))
    )


def _colours(theme: Theme) -> str:
    """Return a theme as variables: its colours, those side by side, and steps from orange over grey to blue."""
    found = {each.name: getattr(theme, each.name) for each in fields(theme)}
    named = {name: value for name, value in found.items() if isinstance(value, str) and value.startswith("#")}
    named |= {f"score{place}": colour for place, colour in enumerate(theme.scores)}
    for step in range(_STEPS):
        part = step / (_STEPS - 1) * 2
        ends = (theme.other, theme.unlabelled) if part < 1 else (theme.unlabelled, theme.paraphrase)
        named[f"scale{step}"] = _between(*ends, part % 1 if part < 2 else 1.0)
    return " ".join(f"--{name}: {value};" for name, value in named.items())


def _between(one: str, two: str, part: float) -> str:
    mixed = (round(int(one[at : at + 2], 16) * (1 - part) + int(two[at : at + 2], 16) * part) for at in (1, 3, 5))
    return "#" + "".join(f"{value:02x}" for value in mixed)


# Data


def _rows(material: Material) -> Rows:
    """Return the pairs that are shared."""
    count = len(material.corpus)
    return np.arange(count) if material.where is None else np.flatnonzero(material.where)


def _packed(page: Supplement) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the page's description of its pairs, and the pairs themselves by the names of the parts."""
    material, rows = page.material, _rows(page.material)
    corpus, labels = material.corpus.take(rows), material.labels[rows]
    columns = list(_score_columns(material))
    values = [each.values[rows] for each in material.score_columns]
    for column, numbers in _own_numbers(material.corpus, page.columns):
        columns.append({"key": column.key, "title": column.title, "decimals": column.decimals, "signed": False})
        values.append(numbers[rows])
    texts = {key: (title, [cells[row] for row in rows.tolist()]) for key, title, cells in _texts(page)}
    up, across = _axes(material, columns)
    kinds: list[str] = []
    about: dict[str, Any] = {
        "format": 3,
        "rows": len(rows),
        "columns": columns,
        "texts": [{"key": key, "title": title} for key, (title, _) in texts.items()],
        "across": across,
        "up": up,
        "kinds": kinds,
        **({} if page.talk is None else {"talk": _talk(page.talk, corpus, page.licence)}),
    }
    parts = {"numbers": np.concatenate(values).astype("<f4").tobytes(), "id": _encoded(corpus.id)}
    if (labels >= 0).any():
        parts["labels"] = np.where((labels == 0) | (labels == 1), labels, -1).astype(np.int8).tobytes()
    if texts:
        parts["texts"] = _encoded({key: cells for key, (_, cells) in texts.items()})
    if page.licence:
        # A hypothesis behind its source: what they have in common is packed once.
        pairs = zip(corpus.source, corpus.hypothesis, strict=True)
        parts["words"], parts["sentences"] = _numbered([text for pair in pairs for text in pair])
        if edits := _edits(page, rows, kinds):
            parts["edits"] = _encoded(edits)
    return about, parts


def _encoded(data: object) -> bytes:
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


def _numbered(texts: Sequence[str]) -> tuple[bytes, bytes]:
    """Return the words of texts, the frequent ones first, and the texts as their numbers, which pack into less.

    A number is in bytes of seven bits, the highest first, all but the last with 128 added. A word's is its place + 1; 0
    ends a text.
    """
    split = [_WORD.findall(text) for text in texts]
    words = [word for word, _ in Counter(chain.from_iterable(split)).most_common()]
    number = {word: place for place, word in enumerate(words, 1)}
    numbers = np.fromiter((each for line in split for each in (*map(number.__getitem__, line), 0)), dtype=np.uint32)
    shifts = np.array([21, 14, 7, 0], dtype=np.uint32)
    groups = numbers[:, None] >> shifts
    kept = (groups > 0) | (shifts == 0)
    return _encoded(words), (groups & 127 | np.where(shifts > 0, 128, 0))[kept].astype(np.uint8).tobytes()


def _score_columns(material: Material) -> Iterator[dict[str, Any]]:
    table = ScoreTable(len(material.corpus))
    for each in material.score_columns:
        table.declare(each.name, material.signatures.get(each.name))
        table.put(np.arange(table.rows), {each.name: each.values})
    defined = columns_of(ColumnMaterial(replace(material.corpus, extra={}), table))
    for each in material.score_columns:
        column = defined[each.name]
        threshold = material.threshold(each, material.where)
        yield {
            "key": each.name,
            "title": each.title,
            "decimals": column.decimals,
            "signed": column.signed,
            "score": True,
            "judge": each.judged,
            "whence": _whence(material, each, threshold),
            "higher": each.higher_is_closer,
            "threshold": float(np.nanmedian(each.values)) if isnan(threshold) else threshold,
        }


def _whence(material: Material, score: ScoreColumn, threshold: float) -> str:
    """Return the note on a threshold other than the score's natural one."""
    if score.name in material.given or score.threshold is not None or isnan(threshold):
        return ""
    return ", the best for these pairs"


def _talk(talk: Talk, corpus: Corpus, licence: str) -> dict[str, Any]:
    """Return the steps of a talk, each pair by its place in the page.

    Raises:
        ParapluieError: The sentences are left out, or a pair is not in the page.
    """
    if not licence:
        raise ParapluieError("A talk shows sentences. Name their licence, or leave the talk out.")
    place = {pair: at for at, pair in enumerate(zip(corpus.source, corpus.hypothesis, strict=True))}
    for each in talk.pairs:
        if (each.source, each.hypothesis) not in place:
            raise ParapluieError(
                f"The talk has a pair that is not in the page: “{each.source[:60]}”. Share a corpus that has it."
            )
    pairs = [{"row": place[each.source, each.hypothesis], "steps": list(each.steps)} for each in talk.pairs]
    return {"title": talk.title, "pairs": pairs}


def _own_numbers(corpus: Corpus, wanted: Sequence[str]) -> Iterator[tuple[Column, Any]]:
    """Yield the human scores, and the columns of numbers that are wanted."""
    defined = columns_of(ColumnMaterial(corpus, ScoreTable(len(corpus))))
    for key, column in defined.items():
        if key == "human" or (column.own in wanted and isinstance(corpus.extra[column.own], NumberColumn)):
            yield column, np.asarray(column.values(), dtype=np.float64)


def _texts(page: Supplement) -> Iterator[tuple[str, str, Sequence[object]]]:
    """Yield key, title and cells of each column of texts: groups, corpora, what is wanted, and what people said."""
    corpus, people = page.material.corpus, page.material.people
    for name in page.columns:
        if name not in corpus.extra:
            has = ", ".join(f'"{each}"' for each in corpus.extra)
            raise ParapluieError(
                f'There is no column "{name}" to share. {f"Choose among {has}." if has else ""}'.strip()
            )
    if corpus.group is not None:
        yield "group", "Group", corpus.group
    if corpus.reference is not None and page.licence:
        yield "reference", "Reference", corpus.reference
    for name in dict.fromkeys([*([ORIGIN] if ORIGIN in corpus.extra else []), *page.columns]):
        column = corpus.extra[name]
        if isinstance(column, TextColumn):
            yield name, name, column
    if page.people:
        for name, said in people.columns.items():
            if people.holds[name] in (JudgementColumn.NOTES, JudgementColumn.ANSWER, JudgementColumn.ONE):
                yield name, name, said.cells()


def _axes(material: Material, columns: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Return the vertical and the horizontal score: the one looked at, otherwise a judge's, and another one."""
    scores = material.score_columns
    judged = [each.name for each in scores if each.judged]
    up = material.y if material.y in material.names else [*judged, scores[0].name][0]
    others = [each["key"] for each in columns if each["key"] != up]
    return up, (others or [up])[0]


def _edits(page: Supplement, rows: Rows, kinds: list[str]) -> dict[str, dict[int, list[list[Any]]]]:
    """Return the edits that decided the scores of pairs, by score and place in the page.

    Each edit is where it is in source and hypothesis, its value and its kind, a number in `kinds`, which is filled.
    """
    corpus, found, numbers = page.material.corpus, dict[str, dict[int, list[list[Any]]]](), dict[str, int]()
    places_of = {row: place for place, row in enumerate(rows.tolist())}
    for score, row, edits in page.edits(page.material, rows) if page.edits else ():
        lines = []
        for edit, value, kind in edits:
            here, there = _units(corpus.source[row], edit.source_at), _units(corpus.hypothesis[row], edit.hypothesis_at)
            lines.append([*here, *there, round(value, 4), numbers.setdefault(kind, len(numbers))])
        found.setdefault(score, {})[places_of[row]] = sorted(lines, key=lambda line: -abs(line[4]))
    kinds += numbers
    return found


def _units(text: str, at: tuple[int, int]) -> tuple[int, ...]:
    """Return offsets in a text as browsers count them, in units of UTF-16."""
    return tuple(end + sum(letter > "\uffff" for letter in text[:end]) for end in at)
