"""A talk: chosen pairs in an order, each told in steps; read from and written to a small file (`.talk.toml`)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parapluie_gui.errors import OwnFileError
from parapluie_gui.own_files import TomlFile, Where

#: How the name of a file of a talk ends.
ENDING = ".talk.toml"

#: The session's setting that holds its talk.
SETTING = "talk"

#: What can be shown of a pair, in the order in which it is shown, and those from which on the verdict is known.
STEPS = ("sentences", "guess", "judge", "baselines", "words")
REVEALED = frozenset({"judge", "baselines", "words"})

#: What stands beside the judge where the talk does not say.
BASELINES = ("edit_distance", "bleu")

#: What a verdict is expected to be, in the file.
VERDICTS = {"paraphrase": True, "not a paraphrase": False}

#: Pairs that a talk has at most: an evening has not more.
_MOST = 500

#: Bytes of the largest file of a talk.
_LARGEST = 2**20

_KEYS = ("title", "judge", "template", "baselines", "pair")
_PAIR_KEYS = ("source", "hypothesis", "steps", "note", "expected")


class TalkError(OwnFileError):
    """A talk that cannot be read."""


@dataclass(frozen=True)
class TalkPair:
    """One pair of a talk.

    Attributes:
        source, hypothesis: The sentences.
        steps: What is shown of it, of `STEPS` in their order; at least one.
        note: For the speaker alone.
        expected: Whether the judge is expected to call it a paraphrase; None where that is left open.
    """

    source: str
    hypothesis: str
    steps: tuple[str, ...] = STEPS
    note: str = ""
    expected: bool | None = None


@dataclass(frozen=True)
class Talk:
    """A talk.

    Attributes:
        title: What it is called.
        pairs: In the order in which they are shown.
        judge: The model whose stored scores are shown; "" for the one that is chosen in Setup.
        template: Its template; "" for the one that is chosen in Setup.
        baselines: The metrics beside it, as in a filter ("bleu").
    """

    title: str = ""
    pairs: tuple[TalkPair, ...] = ()
    judge: str = ""
    template: str = ""
    baselines: tuple[str, ...] = BASELINES

    def as_dict(self) -> dict[str, object]:
        """Return the talk as values that JSON can hold, read back by `talk_of`."""
        return _entries(self) | {"pair": [_pair(each) for each in self.pairs]}

    def toml(self) -> str:
        """Return the talk as the text of a file, read back by `parse_talk`."""
        lines = [f"{key} = {_written(value)}" for key, value in _entries(self).items()]
        for pair in self.pairs:
            lines += ["", "[[pair]]", *(f"{key} = {_written(value)}" for key, value in _pair(pair).items())]
        return "\n".join(lines) + "\n"


def _entries(talk: Talk) -> dict[str, object]:
    words = {"title": talk.title, "judge": talk.judge, "template": talk.template}
    return {key: text for key, text in words.items() if text} | {"baselines": list(talk.baselines)}


def _pair(pair: TalkPair) -> dict[str, object]:
    found: dict[str, object] = {"source": pair.source, "hypothesis": pair.hypothesis}
    if pair.steps != STEPS:
        found["steps"] = list(pair.steps)
    if pair.expected is not None:
        found["expected"] = next(words for words, verdict in VERDICTS.items() if verdict == pair.expected)
    if pair.note:
        found["note"] = pair.note
    return found


def _written(value: object) -> str:
    """Return a text, or a list of them, as TOML has it: JSON's strings, but for the one character that TOML forbids."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def talk_of(data: Mapping[str, object]) -> Talk:
    """Return a talk from what `as_dict` returned.

    Raises:
        TalkError: It is none.
    """
    try:
        text = "\n".join(_toml_lines(data))
    except (TypeError, ValueError) as error:
        raise TalkError("The talk of this session makes no sense.") from error
    return parse_talk(text, "The talk of this session")


def kept_talk(settings: Mapping[str, object]) -> Talk:
    """Return the talk that the settings of a session hold, one without pairs where they hold none.

    Raises:
        TalkError: They hold something else in its place.
    """
    kept = settings.get(SETTING)
    if kept is None:
        return Talk()
    if not isinstance(kept, Mapping):
        raise TalkError("The talk of this session makes no sense.")
    return talk_of(kept)


def _toml_lines(data: Mapping[str, object]) -> list[str]:
    pairs = data.get("pair", [])
    if not isinstance(pairs, list):
        raise TypeError("no list of pairs")
    lines = [f"{_key(key)} = {_written(value)}" for key, value in data.items() if key != "pair"]
    for pair in pairs:
        lines += ["[[pair]]", *(f"{_key(key)} = {_written(value)}" for key, value in dict(pair).items())]
    return lines


def _key(key: object) -> str:
    if key not in {*_KEYS, *_PAIR_KEYS}:
        raise ValueError(f"unknown entry {key!r}")
    return str(key)


def parse_talk(text: str, file: str = "talk") -> Talk:
    """Read a talk from TOML text.

    Raises:
        TalkError: It is not TOML, or no talk; the sentence names the line.
    """
    return _Reader(TomlFile(text, file, TalkError)).talk()


def read_talk(path: Path) -> Talk:
    """Read a file of a talk.

    Raises:
        TalkError: It cannot be read, or is none.
    """
    try:
        if path.stat().st_size > _LARGEST:
            raise TalkError(f"{path.name}: this is no talk; it is larger than {_LARGEST // 2**20} MB.")
        return parse_talk(path.read_text(encoding="utf-8-sig"), path.name)
    except UnicodeDecodeError as error:
        raise TalkError(f"{path.name} is no text in UTF-8. Save it as UTF-8.") from error
    except OSError as error:
        raise TalkError(f"{path.name} cannot be read ({error.strerror or error}).") from error


class _Reader:
    """Reads one file."""

    def __init__(self, file: TomlFile) -> None:
        self._file, self._data = file, file.data

    def talk(self) -> Talk:
        file, data = self._file, self._data
        file.check_keys(data, _KEYS, "a talk")
        entries = file.tables(data, "pair")
        if not entries:
            raise file.wrong("it has no pair. Add a [[pair]] with source and hypothesis", "pair")
        if len(entries) > _MOST:
            raise file.wrong(f"it has more than {_MOST} pairs", "pair", (("pair", _MOST),))
        return Talk(
            title=file.text(data, "title"),
            pairs=tuple(self._pair(entry, (("pair", at),)) for at, entry in enumerate(entries)),
            judge=file.text(data, "judge"),
            template=file.text(data, "template").upper(),
            baselines=self._texts(data, "baselines", (), BASELINES),
        )

    def _pair(self, entry: dict[str, Any], where: Where) -> TalkPair:
        file = self._file
        file.check_keys(entry, _PAIR_KEYS, "a pair", where)
        source, hypothesis = (file.text(entry, key, where, needed=True) for key in ("source", "hypothesis"))
        expected = file.text(entry, "expected", where)
        if expected and expected not in VERDICTS:
            raise file.wrong('expected is neither "paraphrase" nor "not a paraphrase"', "expected", where)
        steps, note = self._steps(entry, where), file.text(entry, "note", where)
        return TalkPair(source, hypothesis, steps, note, VERDICTS.get(expected))

    def _steps(self, entry: dict[str, Any], where: Where) -> tuple[str, ...]:
        steps = self._texts(entry, "steps", where, STEPS)
        if unknown := [step for step in steps if step not in STEPS]:
            known = ", ".join(STEPS)
            raise self._file.wrong(f'there is no step "{unknown[0]}"; the steps are {known}', "steps", where)
        if not steps:
            raise self._file.wrong("steps is empty. Leave it out for all steps", "steps", where)
        return tuple(step for step in STEPS if step in steps)

    def _texts(self, entry: dict[str, Any], key: str, where: Where, usual: tuple[str, ...]) -> tuple[str, ...]:
        texts = entry.get(key, usual)
        if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
            raise self._file.wrong(f'{key} is no list of texts, such as ["{usual[0]}"]', key, where)
        return tuple(dict.fromkeys(texts))
