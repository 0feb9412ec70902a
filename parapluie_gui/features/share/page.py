"""The supplement: pairs and scores as one HTML page that readers explore in a browser, without the program."""

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
from math import isfinite, isnan
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from parapluie_gui import files, places
from parapluie_gui.analysis.columns import Column, ColumnMaterial, columns_of
from parapluie_gui.analysis.filter.words import COMBINING, FUNCTIONS, KEYWORDS
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.arrays import Rows, Scores
from parapluie_gui.errors import ParapluieError, explain_write_errors
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

#: The files of the page's script, in order.
_SCRIPTS = ("data.js", "filter.js", "plot.js", "table.js", "pair.js", "talk.js", "cells.js", "page.js")

#: The text of a link to the page.
LINK = "Browse all pairs"

#: A word with the space before it, or a single other character.
_WORD = re.compile(r" ?\w+|\W")

#: Number of colours in the scale for numbers.
_STEPS = 5


@dataclass(frozen=True, eq=False)
class PageContents:
    """The contents of a page.

    Attributes:
        material: The pairs with scores and labels; only those in `where` are shared.
        licence: The licence under which the sentences are passed on; "" leaves out sentences, references and
            explanations.
        title: The title; "" for the name of the corpus.
        columns: The names of further columns of the corpus to show.
        people: Whether to include people's answers and notes, with their names.
        done: The analyses whose tables and figures are included.
        edits: The function that returns the edits that decided the scores of pairs; None leaves them out.
        note: A note on the choice of pairs ("only the set …"), or "".
        report: The link from the page to the report; "" for none.
        talk: A talk to include, without the speaker's notes; its pairs must be among those of the page.
    """

    material: AnalysisMaterial
    licence: str
    title: str = ""
    columns: tuple[str, ...] = ()
    people: bool = False
    done: Sequence[AnalysisRun] = ()
    edits: EditsOfPairs | None = None
    note: str = ""
    report: str = ""
    talk: Talk | None = None


def supplement_html(page: PageContents) -> str:
    """Return the page as one HTML document that loads nothing. Equal contents give an identical document.

    Sentences are compressed data that the page shows as text. A content security policy allows only the page's own
    script and style, by their hashes.

    Raises:
        ParapluieError: There is no score, or a column is missing.
    """
    material = page.material
    if not material.score_columns or not len(_rows(material)):
        raise ParapluieError("There is nothing to share yet. Score the pairs first.")
    style, script = _style(), "\n".join(map(_read_resource, _SCRIPTS))
    about, parts = _pack_data(page)
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; base-uri 'none'; form-action 'none'"
    )
    pairs = f"{about['rows']:,} pairs of {material.corpus.name}"
    program = f"Written by ParaPLUIE Inspector {__version__}"
    first = about["columns"][0]
    return fill_template(
        "share/page.html",
        policy=policy,
        title=page.title or material.corpus.name,
        style=markup(style),
        words=(pairs, page.material.describe_left_out(), page.note, program),
        links=[("Report", page.report)] if page.report else [],
        licence=page.licence,
        example=f"{_written_name(first)}<{first['threshold'] or 0.0:.3g}",
        names=list(map(_written_name, about["columns"])),
        signatures=signatures_html(material),
        citation=citation_html(material),
        analyses=analysis_sections(page.done),
        about=about,
        parts={name: _pack(part) for name, part in parts.items()},
        script=markup(script),
    )


def write_supplement(path: Path, page: PageContents) -> Path:
    """Write the page.

    Raises:
        ParapluieError: There is nothing to write, or the file cannot be written.
    """
    text = supplement_html(page)
    with explain_write_errors(path):
        files.write_text(path, text, errors="xmlcharrefreplace")
    return path


def link_to(target: Path, source: Path) -> str:
    """Return a relative link from the file `source` to the file `target`, so that both can be moved together."""
    try:
        relative = Path(os.path.relpath(target.absolute(), source.absolute().parent))
    except ValueError:  # raised if the files are on different drives
        return target.absolute().as_uri()
    return quote(os.fsencode(relative.as_posix()))


def filter_note(text: str | None, material: AnalysisMaterial, *, has_sentences: bool) -> str:
    """Return a note on the filter of the pairs, "" without a filter.

    A page without sentences quotes only a filter of columns, numbers and words of the filter language, because others
    may contain words of sentences, as `source contains "cat"` does.
    """
    if text is None:
        return ""
    columns = {*material.names, *map(material.title, material.names), *material.corpus.extra, "label", "human"}
    others = text
    for name in sorted(columns, key=len, reverse=True):
        others = others.replace(name, " ")
    if has_sentences or {*re.findall(r"[^\W\d_]\w*", others)} <= {*KEYWORDS, *FUNCTIONS, *COMBINING}:
        return f"only pairs that match {text}"
    return "only pairs that match a filter, which is not shown because it may quote sentences"


def _read_resource(name: str) -> str:
    return (places.resources() / "share" / name).read_text(encoding="utf-8")


def _written_name(column: Mapping[str, Any]) -> str:
    """Return a column's name as it is written in the page's filter: in quotes if it has spaces."""
    title = str(column["key"] if "(" in column["title"] else column["title"])
    return f'"{title}"' if " " in title else title


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _pack(data: bytes) -> str:
    """Return bytes compressed in zlib's format, which a browser's DecompressionStream reads, in base64."""
    return base64.b64encode(zlib.compress(data, 9)).decode("ascii")


# Style


def _style() -> str:
    return (
        f":root {{ {_colours(LIGHT)} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {_colours(DARK)} }} }}\n"
        + (_read_resource("style.css"))
    )


def _colours(theme: Theme) -> str:
    """Return a theme as CSS variables: its colours, those of scores, and a scale from orange through grey to blue."""
    values = {field.name: getattr(theme, field.name) for field in fields(theme)}
    colours = {name: value for name, value in values.items() if isinstance(value, str) and value.startswith("#")}
    colours |= {f"score{place}": colour for place, colour in enumerate(theme.scores)}
    for step in range(_STEPS):
        part = step / (_STEPS - 1) * 2
        ends = (theme.other, theme.unlabelled) if part < 1 else (theme.unlabelled, theme.paraphrase)
        colours[f"scale{step}"] = _mix(*ends, part % 1 if part < 2 else 1.0)
    return " ".join(f"--{name}: {value};" for name, value in colours.items())


def _mix(first: str, second: str, part: float) -> str:
    mixed = (round(int(first[at : at + 2], 16) * (1 - part) + int(second[at : at + 2], 16) * part) for at in (1, 3, 5))
    return "#" + "".join(f"{value:02x}" for value in mixed)


# Data


def _rows(material: AnalysisMaterial) -> Rows:
    """Return the rows of the pairs to share."""
    count = len(material.corpus)
    return np.arange(count) if material.where is None else np.flatnonzero(material.where)


def _pack_data(page: PageContents) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the description of the data for the page's script, and the data by the names of their parts."""
    material, rows = page.material, _rows(page.material)
    corpus, labels = material.corpus.take(rows), material.labels[rows]
    columns = list(_score_columns(material))
    values = [column.values[rows] for column in material.score_columns]
    for column, numbers in _number_columns(material.corpus, page.columns):
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
    about["wide"], numbers = _encode_numbers(np.concatenate(values))
    parts = {"numbers": numbers, "id": _encode(corpus.id)}
    if (labels >= 0).any():
        parts["labels"] = np.where((labels == 0) | (labels == 1), labels, -1).astype(np.int8).tobytes()
    if texts:
        parts["texts"] = _encode({key: cells for key, (_, cells) in texts.items()})
    if page.licence:
        # A hypothesis next to its source compresses better, because they share words.
        pairs = zip(corpus.source, corpus.hypothesis, strict=True)
        parts["words"], parts["sentences"] = _encode_texts([text for pair in pairs for text in pair])
        if edits := _edits(page, rows, kinds):
            parts["edits"] = _encode(edits)
    return about, parts


def _encode(data: object) -> bytes:
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


def _encode_numbers(values: Scores) -> tuple[bool, bytes]:
    """Return numbers in single precision, or in double precision (True) if some are too large or small for that."""
    with np.errstate(over="ignore", under="ignore"):
        single = values.astype("<f4")
    wide = bool(((np.isinf(single) & np.isfinite(values)) | ((single == 0) & (values != 0))).any())
    return wide, (values.astype("<f8") if wide else single).tobytes()


def _encode_texts(texts: Sequence[str]) -> tuple[bytes, bytes]:
    """Return the words of texts by descending frequency, and the texts as word numbers, which compress better.

    A number is written in groups of seven bits, highest first, one byte each, with the high bit set in all but the last
    byte. The number of a word is its index + 1; 0 ends a text.
    """
    split = [_WORD.findall(text) for text in texts]
    words = [word for word, _ in Counter(chain.from_iterable(split)).most_common()]
    number = {word: place for place, word in enumerate(words, 1)}
    sequence = (code for line in split for code in (*map(number.__getitem__, line), 0))
    numbers = np.fromiter(sequence, dtype=np.uint32)
    shifts = np.array([21, 14, 7, 0], dtype=np.uint32)
    groups = numbers[:, None] >> shifts
    used = (groups > 0) | (shifts == 0)
    return _encode(words), (groups & 127 | np.where(shifts > 0, 128, 0))[used].astype(np.uint8).tobytes()


def _score_columns(material: AnalysisMaterial) -> Iterator[dict[str, Any]]:
    table = ScoreTable(len(material.corpus))
    for score in material.score_columns:
        table.declare(score.name, material.signatures.get(score.name))
        table.put(np.arange(table.rows), {score.name: score.values})
    columns = columns_of(ColumnMaterial(replace(material.corpus, extra={}), table))
    for score in material.score_columns:
        column = columns[score.name]
        threshold = material.threshold(score, material.where)
        yield {
            "key": score.name,
            "title": score.title,
            "decimals": column.decimals,
            "signed": column.signed,
            "score": True,
            "judge": score.is_from_judge,
            "whence": _threshold_note(material, score, threshold),
            "higher": score.higher_is_closer,
            "threshold": _finite_threshold(score, threshold),
        }


def _finite_threshold(score: ScoreColumn, threshold: float) -> float | None:
    """Return the threshold, or the median of the scores if there is none; None, as JSON needs, if it is infinite."""
    finite = score.values[np.isfinite(score.values)]
    if isnan(threshold) and len(finite):
        with np.errstate(over="ignore"):
            threshold = float(np.median(finite))
    return threshold if isfinite(threshold) else None


def _threshold_note(material: AnalysisMaterial, score: ScoreColumn, threshold: float) -> str:
    """Return a note on a threshold that is the best one for the pairs, or ""."""
    if score.name in material.given or score.threshold is not None or not isfinite(threshold):
        return ""
    return ", the best for these pairs"


def _talk(talk: Talk, corpus: Corpus, licence: str) -> dict[str, Any]:
    """Return the steps of a talk for the page's script, with each pair's index in the page.

    Raises:
        ParapluieError: The sentences are left out, or a pair is not in the page.
    """
    if not licence:
        raise ParapluieError("A talk shows sentences. Name their licence, or leave the talk out.")
    place = {pair: at for at, pair in enumerate(zip(corpus.source, corpus.hypothesis, strict=True))}
    for pair in talk.pairs:
        if (pair.source, pair.hypothesis) not in place:
            raise ParapluieError(
                f"The talk has a pair that is not on the page: “{pair.source[:60]}”. Share a corpus that contains it."
            )
    pairs = [{"row": place[pair.source, pair.hypothesis], "steps": list(pair.steps)} for pair in talk.pairs]
    return {"title": talk.title, "pairs": pairs}


def _number_columns(corpus: Corpus, names: Sequence[str]) -> Iterator[tuple[Column, Any]]:
    """Yield the human scores and the named columns of numbers."""
    columns = columns_of(ColumnMaterial(corpus, ScoreTable(len(corpus))))
    for key, column in columns.items():
        if key == "human" or (column.own in names and isinstance(corpus.extra[column.own], NumberColumn)):
            yield column, np.asarray(column.values(), dtype=np.float64)


def _texts(page: PageContents) -> Iterator[tuple[str, str, Sequence[object]]]:
    """Yield key, title and cells of each column of texts: groups, references, corpora, named columns, judgements."""
    corpus, people = page.material.corpus, page.material.people
    for name in page.columns:
        if name not in corpus.extra:
            names = ", ".join(f'"{column}"' for column in corpus.extra)
            raise ParapluieError(
                f'There is no column "{name}" to share. {f"Choose among {names}." if names else ""}'.strip()
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
        for name, judgements in people.columns.items():
            if people.holds[name] in (JudgementColumn.NOTES, JudgementColumn.ANSWER, JudgementColumn.ONE):
                yield name, name, judgements.cells()


def _axes(material: AnalysisMaterial, columns: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Return the keys of the vertical axis (the current score, otherwise a judge's) and the horizontal axis.

    They are those of the scatter if the page has both.
    """
    scores = material.score_columns
    judged = [score.name for score in scores if score.is_from_judge]
    up = material.y if material.y in material.names else [*judged, scores[0].name][0]
    others = [column["key"] for column in columns if column["key"] != up]
    return up, material.x if material.x in others else (others or [up])[0]


def _edits(page: PageContents, rows: Rows, kinds: list[str]) -> dict[str, dict[int, list[list[Any]]]]:
    """Return the edits that decided the scores of pairs, by score and index in the page.

    Each edit has its offsets in source and hypothesis, its value, and the index of its kind in `kinds`, to which the
    names of kinds are added.
    """
    corpus = page.material.corpus
    edits_by_score: dict[str, dict[int, list[list[Any]]]] = {}
    numbers: dict[str, int] = {}
    places_of = {row: place for place, row in enumerate(rows.tolist())}
    for score, row, edits in page.edits(page.material, rows) if page.edits else ():
        lines = []
        for edit, value, kind in edits:
            source_at = _utf16_offsets(corpus.source[row], edit.source_at)
            hypothesis_at = _utf16_offsets(corpus.hypothesis[row], edit.hypothesis_at)
            lines.append([*source_at, *hypothesis_at, round(value, 4), numbers.setdefault(kind, len(numbers))])
        edits_by_score.setdefault(score, {})[places_of[row]] = sorted(lines, key=lambda line: -abs(line[4]))
    kinds += numbers
    return edits_by_score


def _utf16_offsets(text: str, at: tuple[int, int]) -> tuple[int, ...]:
    """Return offsets in a text in UTF-16 code units, as browsers count them."""
    return tuple(end + sum(letter > "\uffff" for letter in text[:end]) for end in at)
