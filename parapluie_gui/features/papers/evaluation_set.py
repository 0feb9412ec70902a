"""Reader of evaluation sets of WMT's metrics tasks (mt-metrics-eval): sources, system outputs, human and metric scores.

    FOLDER/sources/SRC-TGT.txt                          FOLDER/references/SRC-TGT.NAME.txt
    FOLDER/system-outputs/SRC-TGT/SYSTEM.txt            FOLDER/documents/SRC-TGT.docs
    FOLDER/human-scores/SRC-TGT.NAME.seg.score          FOLDER/metric-scores/SRC-TGT/NAME-REF.seg.score

A line of a score file has the system and the score, in the order of the sources; "None" is a missing score.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs.reading.encoding import decode
from parapluie_gui.pairs.reading.filekind import load_bytes
from parapluie_gui.pairs.reading.mapping import ColumnMapping
from parapluie_gui.pairs.reading.quoting import split_lines
from parapluie_gui.pairs.reading.raw_table import FileOrigin, RawTable

#: Layout of such a corpus.
LAYOUT = "mt-metrics-eval"

#: Endings of a score file's name for scores against the source only, and against a reference named "ref".
_SOURCE_ONLY, _REFERENCE = "src", "ref"
_SCORES = ".seg.score"


def find_evaluation_set(path: Path) -> Path | None:
    """Return the source file of an evaluation set, given that file or the folder; None for anything else.

    Raises:
        CorpusError: The folder holds several language pairs.
    """
    if path.is_dir():
        sources = sorted(path.glob("sources/*.txt")) if (path / "system-outputs").is_dir() else []
        if len(sources) > 1:
            names = ", ".join(f"sources/{source_file.name}" for source_file in sources[:10])
            raise CorpusError("it contains several language pairs", f"choose one of {names}", path)
        return sources[0] if sources else None
    inside = path.parent.name == "sources" and path.suffix == ".txt"
    return path if inside and (path.parent.parent / "system-outputs" / path.stem).is_dir() else None


def set_name(path: Path) -> str:
    """Return the title of the evaluation set with this source file."""
    return f"{path.parent.parent.name} {path.stem}"


def read_evaluation_set(path: Path) -> tuple[RawTable, ColumnMapping]:
    """Read an evaluation set: a row for each source and system, systems in the order of their names.

    The first human score by name takes the role "human", and the first reference the role "reference"; all of them
    are columns too.

    Args:
        path: The source file.

    Raises:
        CorpusError: There is no system, or lines are missing or malformed.
    """
    folder, pair = path.parent.parent, path.stem
    sources = _lines(path)
    outputs = {file.stem: file for file in sorted((folder / "system-outputs" / pair).glob("*.txt"))}
    if not outputs:
        raise CorpusError(
            "no system has outputs there", "add them, one .txt file each", folder / "system-outputs" / pair
        )
    systems = list(outputs)
    columns: dict[str, list[object]] = {
        "id": [f"{system}-{line}" for system in systems for line in range(1, len(sources) + 1)],
        "source": sources * len(systems),
        "hypothesis": [text for output in outputs.values() for text in _lines(output, len(sources), path)],
        "system": [system for system in systems for _ in sources],
    }
    roles: dict[str, str] = {"id": "id", "source": "source", "hypothesis": "hypothesis"}
    documents = folder / "documents" / f"{pair}.docs"
    if documents.is_file():
        parts = [str(line).split() for line in _lines(documents, len(sources), path)]
        for place, name in enumerate(("domain", "document")):
            cells: list[object] = [part[place] if len(part) > place else None for part in parts]
            columns[name] = cells * len(systems)
    for file in sorted((folder / "references").glob(f"{pair}.*.txt")):
        name = file.name.removeprefix(f"{pair}.").removesuffix(".txt")
        roles.setdefault("reference", f"reference {name}")
        columns[f"reference {name}"] = _lines(file, len(sources), path) * len(systems)
    for file in sorted((folder / "human-scores").glob(f"{pair}.*{_SCORES}")):
        name = f"human {file.name.removeprefix(f'{pair}.').removesuffix(_SCORES)}"
        roles.setdefault("human", name)
        columns[name] = _scores(file, systems, len(sources))
    for file in sorted((folder / "metric-scores" / pair).glob(f"*{_SCORES}")):
        columns[_metric_name(file.name.removesuffix(_SCORES))] = _scores(file, systems, len(sources))
    count = len(sources) * len(systems)
    origin = FileOrigin("several files", path, "UTF-8", has_header=False)
    return RawTable(list(columns), list(columns.values()), range(1, count + 1), origin), ColumnMapping(**roles)


class EvaluationSets:
    """Reader of evaluation sets for `pairs.reading.collections`."""

    layout = LAYOUT

    def find(self, path: Path) -> Path | None:
        """Return the source file; see `find_evaluation_set`."""
        return find_evaluation_set(path)

    def name(self, path: Path) -> str:
        """Return the title of the set with this source file."""
        return set_name(path)

    def read(self, path: Path) -> tuple[RawTable, ColumnMapping]:
        """Read the set with this source file; see `read_evaluation_set`."""
        return read_evaluation_set(path)

    def scores(self, columns: Iterable[str]) -> list[str]:
        """Return the columns that are not human scores."""
        return [name for name in columns if not name.startswith("human ")]


READER = EvaluationSets()


def _metric_name(text: str) -> str:
    """Return the column name of a metric: "bleu" for bleu-src, "bleu.ref" for bleu-ref, "BLEU-refA" unchanged."""
    name, _, reference = text.rpartition("-")
    if reference == _SOURCE_ONLY:
        return name
    return f"{name}.{_REFERENCE}" if reference == _REFERENCE else text


def _lines(path: Path, count: int | None = None, sources: Path | None = None) -> list[object]:
    text, *_ = decode(load_bytes(path), path, None)
    lines: list[object] = list(split_lines(text))
    if count is not None and len(lines) != count:
        name = sources.name if sources is not None else "the sources"
        raise CorpusError(f"it has {len(lines):,} lines but {name} has {count:,}", "get or write the file again", path)
    return lines


def _scores(path: Path, systems: list[str], count: int) -> list[object]:
    """Return the scores of a file for every system and source, None where a score is missing."""
    by_system: dict[str, list[object]] = {}
    for line, (system, score) in _score_lines(path):
        if system not in systems:
            continue
        cells = by_system.setdefault(system, [])
        cells.append(score)
        if len(cells) > count:
            what = f'it has more scores for "{system}" than there are sources'
            raise CorpusError(what, "get or write the file again", path, line)
    for system, cells in by_system.items():
        if len(cells) != count:
            what = f'it has {len(cells):,} scores for "{system}" but {count:,} sources'
            raise CorpusError(what, "get or write the file again", path)
    nothing: list[object] = [None] * count
    return [cell for system in systems for cell in by_system.get(system, nothing)]


def _score_lines(path: Path) -> Iterator[tuple[int, tuple[str, float | None]]]:
    for line, text in enumerate(_lines(path), start=1):
        parts = str(text).split()
        try:
            system, score = parts[0], None if parts[-1] == "None" else float(parts[-1])
            good = len(parts) == 2
        except (IndexError, ValueError):
            good = False
        if not good:
            raise CorpusError(f'"{text}" is not a system name and a score', "write them with a TAB between", path, line)
        yield line, (system, score)
