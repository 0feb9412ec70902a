"""Draws the solved examples in a prompt, for each pair, from a file of labelled pairs."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, zip_longest
from pathlib import Path

from parapluie_gui.errors import ParapluieError, TemplateError

#: Placeholders for the sentences and the answer in the text of one example.
SOURCE, HYPOTHESIS, ANSWER = "{source}", "{hypothesis}", "{answer}"
_PLACEHOLDERS = re.compile("|".join(map(re.escape, (SOURCE, HYPOTHESIS, ANSWER))))

Pair = tuple[str, str]


@dataclass(frozen=True)
class ExampleSettings:
    """The settings of a template's examples.

    Attributes:
        file: A corpus with labels.
        sha256: Checksum of the file when the template was read.
        positives, negatives: Numbers of examples with label 1 and with label 0 that are drawn for each pair.
        text: Text of one example, with {source}, {hypothesis} and {answer}.
        seed: Random seed.
    """

    file: str
    sha256: str
    positives: int
    negatives: int
    text: str
    seed: int = 0

    @property
    def identity(self) -> list[object]:
        """The values on which the prompts depend; the path of the file is not among them."""
        return [self.sha256, self.positives, self.negatives, self.text, self.seed]


class ExampleDrawer:
    """Draws the examples of a template.

    The examples of a pair depend only on the pair, the file and the seed, so scores can be reproduced for any number of
    pairs in any order.

    Raises:
        TemplateError: The file has changed since the template was read, or holds too few labelled pairs.
    """

    def __init__(self, name: str, examples: ExampleSettings, yes: str, no: str) -> None:
        self._examples = examples
        self._answers = yes, no
        try:
            changed = hash_file(Path(examples.file)) != examples.sha256
        except OSError as error:
            raise TemplateError(f"{name}: its examples cannot be read from {examples.file} ({error}).") from error
        if changed:
            raise TemplateError(
                f"{name}: {examples.file} has changed since the template was read. Restart the program."
            )
        self._read_pools = _read_pools(examples.file, examples.sha256)
        for pool, wanted, label in zip(self._read_pools, (examples.positives, examples.negatives), (1, 0), strict=True):
            # One more than is drawn, because a pair is never its own example.
            if len(pool) <= wanted:
                raise TemplateError(
                    f"{name}: {examples.file} has {len(pool)} pairs with label {label}, but {wanted} are drawn for "
                    f"each pair. Add pairs until it has at least {wanted + 1}."
                )

    def draw(self, source: str, hypothesis: str) -> str:
        """Return the examples of one pair, alternating between labels 1 and 0, label 1 first."""
        examples = self._examples
        seed = hashlib.sha256(f"{examples.seed}\0{source}\0{hypothesis}".encode("utf-8", "surrogatepass")).hexdigest()
        chance = random.Random(seed)
        own = (source, hypothesis)
        drawn = (
            [(pair, answer) for pair in _draw_pairs(pool, count, chance, own)]
            for pool, count, answer in zip(
                self._read_pools, (examples.positives, examples.negatives), self._answers, strict=True
            )
        )
        turns = (example for example in chain.from_iterable(zip_longest(*drawn)) if example is not None)
        return "".join(_format_example(examples.text, pair, answer) for pair, answer in turns)


def hash_file(file: Path) -> str:
    """Return the SHA-256 of a file."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@lru_cache(maxsize=2)
def _read_pools(file: str, sha256: str) -> tuple[Sequence[Pair], Sequence[Pair]]:
    """Return the pairs with label 1 and those with label 0."""
    from parapluie_gui.pairs.reading.reader import read

    try:
        corpus = read(Path(file))
    except ParapluieError as error:
        raise TemplateError(f"The examples cannot be used. {error}") from error
    if corpus.label is None:
        raise TemplateError(f"{file}: the examples have no labels. Name the column of 0 and 1 label.")
    rows = list(zip(corpus.source, corpus.hypothesis, corpus.label.tolist(), strict=True))
    yes, no = (
        list(dict.fromkeys((source, hypothesis) for source, hypothesis, label in rows if label == wanted))
        for wanted in (1, 0)
    )
    return yes, no


def _draw_pairs(pool: Sequence[Pair], count: int, chance: random.Random, own: Pair) -> list[Pair]:
    drawn: dict[Pair, None] = {}
    while len(drawn) < count:
        # Only random() is used, because its numbers are the same in all versions of Python.
        if (pair := pool[int(chance.random() * len(pool))]) != own:
            drawn[pair] = None
    return list(drawn)


def _format_example(text: str, pair: Pair, answer: str) -> str:
    parts = {SOURCE: pair[0], HYPOTHESIS: pair[1], ANSWER: answer}
    return _PLACEHOLDERS.sub(lambda match: parts[match[0]], text)
