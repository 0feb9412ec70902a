"""Small files whose columns or rows can be read in several ways."""

from __future__ import annotations

import json

SENTENCES = [
    ("The lamp stands on the desk.", "A lamp is standing on the table."),
    ("Two boys throw a ball.", "A ball is thrown by two boys."),
    ("She never drinks tea.", "She drinks tea every day."),
    ("The train left at noon.", "At noon the train departed."),
    ("He lost his keys again.", "His keys were found."),
    ("Rain fell all night long.", "It rained through the night."),
]


def rows(head: str, *columns: list[object]) -> str:
    lines = zip(*zip(*SENTENCES, strict=True), *columns, strict=True)
    return "\n".join([head, *("\t".join(map(str, line)) for line in lines)]) + "\n"


QUESTIONS = {
    "minus.tsv": rows("sentence1\tsentence2\tlabel", [1, 0, -1, 1, 0, -1]),
    "inference.tsv": rows("premise\thypothesis\tlabel", [0, 0, 2, 1, 0, 2]),
    "classes.tsv": rows("sentence1\tsentence2\tlabel", [0, 0, 2, 1, 0, 2]),
    "words.tsv": rows("sentence1\tsentence2\tlabel", ["near", "far"] * 3),
    "two.json": json.dumps([{"source": b, "premise": a, "hypothesis": b} for a, b in SENTENCES]),
    "unrelated.tsv": "".join(f"Who wrote book number {n}?\tNobody remembers {n * 7} of them.\tx\n" for n in range(9)),
}

PEOPLE = "sentence1,sentence2,who,first,second\n" + "".join(
    f"A man {row} walks on.,On walks a man {row}.,{name},{(row + len(name)) % 2},{row % 2 + place}\n"
    for row in range(4)
    for place, name in enumerate(("Anna", "Benno"))
)
