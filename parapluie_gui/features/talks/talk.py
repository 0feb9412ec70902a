"""A talk: chosen pairs in order, each shown in steps; read from and written to a `.talk.toml` file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parapluie_gui.errors import OwnFileError
from parapluie_gui.own_files import TomlFile, Where, read_text

#: Ending of a talk file's name.
ENDING = ".talk.toml"

#: Setting of the session with its talk.
SETTING = "talk"

#: Steps of a pair, in the order shown, and those that show the verdict.
STEPS = ("sentences", "guess", "judge", "baselines", "words")
REVEALED = frozenset({"judge", "baselines", "words"})

#: Metrics shown in addition to the judge by default.
BASELINES = ("edit_distance", "bleu")

#: Words of the file for an expected verdict.
VERDICTS = {"paraphrase": True, "not a paraphrase": False}

#: Maximum number of pairs in a talk: more than fit into an evening.
_MOST = 500

#: Longest planned length of a talk, in minutes.
LONGEST_MINUTES = 600

#: Size limit of a talk file, in bytes.
_LARGEST = 2**20

_KEYS = ("title", "minutes", "judge", "template", "baselines", "pair")
_PAIR_KEYS = ("source", "hypothesis", "steps", "note", "label", "expected")


class TalkError(OwnFileError):
    """A talk that cannot be read."""


@dataclass(frozen=True)
class TalkPair:
    """A pair of a talk.

    Attributes:
        source, hypothesis: The sentences.
        steps: The steps shown, in the order of `STEPS`; at least one.
        note: Note for the speaker.
        expected: The expected verdict, True for "paraphrase"; None for no expectation.
        label: The label of the pair in its corpus, True for "paraphrase"; None without a label.
    """

    source: str
    hypothesis: str
    steps: tuple[str, ...] = STEPS
    note: str = ""
    expected: bool | None = None
    label: bool | None = None


@dataclass(frozen=True)
class Talk:
    """A talk.

    Attributes:
        title: The title.
        pairs: The pairs, in the order shown.
        judge: The model whose stored scores are shown; "" for the model chosen in Setup.
        template: Its template; "" for the one chosen in Setup.
        baselines: The other metrics, named as in a filter ("bleu").
        minutes: The planned length in minutes; 0 if it is not planned.
    """

    title: str = ""
    pairs: tuple[TalkPair, ...] = ()
    judge: str = ""
    template: str = ""
    baselines: tuple[str, ...] = BASELINES
    minutes: int = 0

    def as_dict(self) -> dict[str, object]:
        """Return the talk as JSON values, read back by `talk_from_dict`."""
        return _entries(self) | {"pair": [_pair_entries(pair) for pair in self.pairs]}

    def toml(self) -> str:
        """Return the talk as TOML text, read back by `parse_talk`."""
        lines = [f"{key} = {_toml_value(value)}" for key, value in _entries(self).items()]
        for pair in self.pairs:
            lines += ["", "[[pair]]", *(f"{key} = {_toml_value(value)}" for key, value in _pair_entries(pair).items())]
        return "\n".join(lines) + "\n"


def _entries(talk: Talk) -> dict[str, object]:
    entries = {"title": talk.title, "minutes": talk.minutes, "judge": talk.judge, "template": talk.template}
    return {key: entry for key, entry in entries.items() if entry} | {"baselines": list(talk.baselines)}


def _pair_entries(pair: TalkPair) -> dict[str, object]:
    entries: dict[str, object] = {"source": pair.source, "hypothesis": pair.hypothesis}
    if pair.steps != STEPS:
        entries["steps"] = list(pair.steps)
    for key, answer in (("label", pair.label), ("expected", pair.expected)):
        if answer is not None:
            entries[key] = next(words for words, verdict in VERDICTS.items() if verdict == answer)
    if pair.note:
        entries["note"] = pair.note
    return entries


def _toml_value(value: object) -> str:
    """Return a string, a list of strings or a number in TOML: as in JSON, but with DEL escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def talk_from_dict(data: Mapping[str, object]) -> Talk:
    """Return the talk that `as_dict` returned as values.

    Raises:
        TalkError: The values are not a talk.
    """
    try:
        text = "\n".join(_toml_lines(data))
    except (TypeError, ValueError) as error:
        raise TalkError("The talk of this session is invalid.") from error
    return parse_talk(text, "The talk of this session")


def session_talk(settings: Mapping[str, object]) -> Talk:
    """Return the talk in the settings of a session, one without pairs if there is none.

    Raises:
        TalkError: The setting is not a talk.
    """
    stored = settings.get(SETTING)
    if stored is None:
        return Talk()
    if not isinstance(stored, Mapping):
        raise TalkError("The talk of this session is invalid.")
    return talk_from_dict(stored)


def _toml_lines(data: Mapping[str, object]) -> list[str]:
    pairs = data.get("pair", [])
    if not isinstance(pairs, list):
        raise TypeError("not a list of pairs")
    lines = [f"{_checked_key(key)} = {_toml_value(value)}" for key, value in data.items() if key != "pair"]
    for pair in pairs:
        lines += ["[[pair]]", *(f"{_checked_key(key)} = {_toml_value(value)}" for key, value in dict(pair).items())]
    return lines


def _checked_key(key: object) -> str:
    if key not in {*_KEYS, *_PAIR_KEYS}:
        raise ValueError(f"unknown entry {key!r}")
    return str(key)


def parse_talk(text: str, file: str = "talk") -> Talk:
    """Read a talk from TOML text.

    Raises:
        TalkError: It is not TOML, or not a talk; the message names the line.
    """
    return _TalkReader(TomlFile(text, file, TalkError)).read()


def read_talk(path: Path) -> Talk:
    """Read a talk file.

    Raises:
        TalkError: The file cannot be read, or is not a talk.
    """
    try:
        return parse_talk(read_text(path, _LARGEST), path.name)
    except TalkError:
        raise
    except OwnFileError as error:
        raise TalkError(f"{error} A talk is a short text file.") from error
    except OSError as error:
        raise TalkError(f"{path.name} cannot be read ({error.strerror or error}).") from error


class _TalkReader:
    def __init__(self, file: TomlFile) -> None:
        self._file, self._data = file, file.data

    def read(self) -> Talk:
        file, data = self._file, self._data
        file.check_keys(data, _KEYS, "a talk")
        entries = file.tables(data, "pair")
        if not entries:
            raise file.wrong("it has no pairs. Add a [[pair]] with source and hypothesis", "pair")
        if len(entries) > _MOST:
            raise file.wrong(f"it has more than {_MOST} pairs", "pair", (("pair", _MOST),))
        return Talk(
            title=file.text(data, "title"),
            pairs=tuple(self._pair(entry, (("pair", at),)) for at, entry in enumerate(entries)),
            judge=file.text(data, "judge"),
            template=file.text(data, "template").upper(),
            baselines=self._texts(data, "baselines", (), BASELINES),
            minutes=self._minutes(data),
        )

    def _minutes(self, data: dict[str, Any]) -> int:
        minutes = data.get("minutes", 0)
        if type(minutes) is not int or not 0 <= minutes <= LONGEST_MINUTES:
            raise self._file.wrong(f"minutes is not a whole number from 0 to {LONGEST_MINUTES}", "minutes")
        return minutes

    def _pair(self, entry: dict[str, Any], where: Where) -> TalkPair:
        file = self._file
        file.check_keys(entry, _PAIR_KEYS, "a pair", where)
        source, hypothesis = (file.text(entry, key, where, needed=True) for key in ("source", "hypothesis"))
        label, expected = (self._answer(entry, key, where) for key in ("label", "expected"))
        steps, note = self._steps(entry, where), file.text(entry, "note", where)
        return TalkPair(source, hypothesis, steps, note, expected, label)

    def _answer(self, entry: dict[str, Any], key: str, where: Where) -> bool | None:
        text = self._file.text(entry, key, where)
        if text and text not in VERDICTS:
            raise self._file.wrong(f'{key} is neither "paraphrase" nor "not a paraphrase"', key, where)
        return VERDICTS.get(text)

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
            raise self._file.wrong(f'{key} is not a list of texts, such as ["{usual[0]}"]', key, where)
        return tuple(dict.fromkeys(texts))
