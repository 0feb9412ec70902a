"""Tables of scored pairs, and what `parapluie analyse` makes of them in this process."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np

from parapluie_gui.commands.main import main

WORDS = ("cat", "dog", "sun", "rain", "sleeps", "shines", "falls", "barks")


def write_two(folder: Path) -> None:
    """Write two tables, one.csv and two.csv."""
    write(folder / "one.csv", rows(80, 1))
    write(folder / "two.csv", rows(60, 2))


def rows(pairs: int, seed: int) -> list[dict[str, object]]:
    """Return scored pairs with ties and gaps, as `parapluie score` would write them."""
    random = np.random.default_rng(seed)
    result = []
    for number in range(pairs):
        label = int(random.integers(0, 2))
        result.append(
            {
                "id": f"{seed}-{number}",
                "source": " ".join(random.choice(WORDS, 4)),
                "hypothesis": " ".join(random.choice(WORDS, 5)),
                "label": "" if number % 17 == 0 else label,
                "human": "" if number % 13 == 0 else round(float(random.normal(label)), 2),
                "kind": "news" if number % 3 else "web",
                "edit_distance": round(float(random.random()), 3),
                "pluie.direct": "" if number % 19 == 0 else round(float(random.normal(2 * label - 1)), 1),
                "pluie.direct.p_yes": 0.5,
                "pluie.direct.p_no": 0.5,
                "mine": round(float(random.normal(-label)), 1),
            }
        )
    return result


def write(path: Path, table: list[dict[str, object]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(table[0]))
        writer.writeheader()
        writer.writerows(table)
    return path


def columns(table: list[dict[str, object]], *names: str) -> list[np.ndarray]:
    return [np.array([math.nan if row[name] == "" else row[name] for row in table], dtype=float) for name in names]


def analyse(capsys, *arguments: object) -> str:
    assert main(["analyse", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def analysed(capsys, *arguments: object) -> dict:
    return json.loads(analyse(capsys, *arguments, "--json"))


def table_of(printed: dict, name: str, run: int = 0, **wanted: object) -> list[dict]:
    """Return the rows of a table as dicts by the column, those with the wanted cells; `run` of several of that name."""
    tables = [analysis["tables"][name] for analysis in printed["analyses"] if name in analysis["tables"]]
    rows = [dict(zip(tables[run]["header"], row, strict=True)) for row in tables[run]["rows"]]
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def names(printed: dict) -> list[str]:
    return [analysis["name"] for analysis in printed["analyses"]]


def refused(capsys, *arguments: object) -> str:
    try:
        status = main(["analyse", *map(str, arguments)])
    except SystemExit as end:
        status = end.code
    out, err = capsys.readouterr()
    assert status == 2 and out == ""
    assert err.startswith("parapluie: ") and err.endswith(".\n") and err.count("\n") == 1, err
    return err
