"""Options of metrics, analyses and commands: fields of a frozen dataclass that say all that is shown and read of them.

No Qt and no argparse: the window makes controls of them (`ui.widgets.option_control`), the command line arguments
(`commands.arguments`), a metric its spec and its name (`metrics.spec`), the manual its tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, TypeVar

from parapluie_gui.errors import ParapluieError, listed, with_advice

Options = TypeVar("Options")

#: Returns the keys to choose among, with their titles, of what the options are for: the material of an analysis.
Offered = Callable[[Any], Mapping[str, str]]

#: How a switch is written where it has a value, as in the spec of a metric.
SWITCH = ("off", "on")
_ON, _OFF = ("on", "yes", "true", "1"), ("off", "no", "false", "0")


@dataclass(frozen=True)
class Option:
    """One option: its kind, its range, its default and its words.

    Attributes:
        name: The field's.
        kind: A whole number, a number, one of some keys, yes or no, a text, or ("value") what `reader` makes of a text.
        label: What stands before it in a form; an option without one is in none.
        help: What it does, a phrase: the tip in the window, the help of the command line, a row of the manual.
        default: Its value where nothing is chosen; of a choice "" means the usual one of the material.
        low, high: The range of a number, both allowed; `high` may be infinite where no form has it.
        decimals: Of a number.
        special: What stands for the lowest number ("automatic"), or "".
        offered: Returns what a choice offers of some material; None where that is all `keys`.
        usual: Returns the key that is chosen at first.
        keys: A choice's keys and their titles; empty where only the material knows them.
        only_shown: Nothing has to be computed anew when it changes.
        flag: Its name on the command line ("--bin-width"), "" for none there.
        metavar: What stands for its value in the help; several words for several values.
        short: A second, short flag ("-o").
        reader: Returns the value that a text of the command line stands for.
        rest: What else argparse is told of a command's own argument (`nargs`, `const`, `required`, `action`).
        positional: On the command line it stands without a flag.
    """

    name: str
    kind: Literal["integer", "number", "choice", "switch", "text", "value"]
    label: str
    help: str
    default: Any
    low: float = 0
    high: float = 0
    decimals: int = 2
    special: str = ""
    offered: Offered | None = None
    usual: Callable[[Any], str] | None = None
    keys: Mapping[str, str] = field(default_factory=dict)
    only_shown: bool = False
    flag: str = ""
    metavar: str | tuple[str, ...] | None = ""
    short: str = ""
    reader: Callable[[str], Any] | None = None
    rest: Mapping[str, Any] = field(default_factory=dict)
    positional: bool = False

    def choices(self, material: Any) -> Mapping[str, str]:
        """Return the keys that a choice offers, with their titles."""
        return self.keys if self.offered is None else self.offered(material)

    def resolved(self, value: Any, material: Any) -> Any:
        """Return the value, of a choice the usual key where none is chosen or it is no longer offered."""
        if self.kind != "choice":
            return value
        keys = self.choices(material)
        if value in keys and value != "":
            return value
        usual = self.usual(material) if self.usual is not None else ""
        return usual if usual in keys else next(iter(keys), "")

    @property
    def expected(self) -> str:
        """What a value has to be, in words: "a whole number from 1 to 40", "treebank or whitespace"."""
        if self.kind in ("integer", "number"):
            number = "whole number" if self.kind == "integer" else "number"
            if math.isinf(self.high):
                return f"a {number} of {self.low:,} or more"
            return f"a {number} from {self.low:,} to {self.high:,}"
        if self.kind == "choice" and self.keys:
            return listed(list(filter(None, self.keys)), "or")
        return "on or off" if self.kind == "switch" else "a text"

    @property
    def default_words(self) -> str:
        """The default for a person: "5", "automatic"; "" where there is none to name."""
        if self.kind == "switch":
            return SWITCH[1] if self.default else ""
        if self.special and self.default == self.low:
            return self.special
        return "" if self.default is None or self.default in ("", ()) else self.write(self.default)

    @property
    def description(self) -> str:
        """What it does, its keys or range, and its default: "weight of the source, 0 to 1; 0.2 by default"."""
        named = [key if title == key else f"{key} ({title})" for key, title in self.keys.items() if key]
        keys = f": {listed(named, 'or')}" if named else ": on or off" if self.kind == "switch" else ""
        if self.kind in ("integer", "number") and math.isfinite(self.high) and not self.special:
            keys = f", {self.low:,} to {self.high:,}"
        default = SWITCH[0] if self.kind == "switch" and not self.default else self.default_words
        default = f"; {default} by default" if default else ""
        return f"{self.help}{keys}{default}"

    def read(self, text: str) -> Any:
        """Return the value that a text stands for.

        Raises:
            ValueError: It is not what is expected.
        """
        value: Any = text
        if self.kind == "switch":
            if text.lower() not in (*_ON, *_OFF):
                raise ValueError(f"{text} is not {self.expected}")
            value = text.lower() in _ON
        elif self.kind in ("integer", "number"):
            try:
                value = int(text) if self.kind == "integer" else float(text)
            except ValueError:
                value = math.nan
            if not self.low <= value <= self.high or math.isinf(value):
                raise ValueError(f"{text} is not {self.expected}")
        elif self.kind == "choice" and self.keys and text not in self.keys:
            raise ValueError(f"{text} is not {self.expected}")
        elif self.reader is not None:
            value = self.reader(text)
        return value

    def write(self, value: Any) -> str:
        """Return a value as a text that `read` takes."""
        if self.kind == "switch":
            return SWITCH[bool(value)]
        return f"{value:.12g}" if self.kind == "number" else str(value)


@dataclass(frozen=True)
class NoOptions:
    """The options of what has none."""


def _option(default: Any, flag: str | None, **words: Any) -> Any:
    return field(default=default, metadata={"option": words | {"default": default, "flag": flag}})


def integer(
    label: str,
    low: int,
    high: float,
    default: int | None,
    help: str,
    *,
    special: str = "",
    only_shown: bool = False,
    flag: str | None = None,
    metavar: str = "N",
) -> Any:
    """Return a field for a whole number from `low` to `high`."""
    words = {"kind": "integer", "label": label, "help": help, "low": low, "high": high, "special": special}
    return _option(default, flag, **words, only_shown=only_shown, metavar=metavar)


def decimal(
    label: str,
    low: float,
    high: float,
    default: float,
    help: str,
    *,
    decimals: int = 2,
    special: str = "",
    only_shown: bool = False,
    flag: str | None = None,
    metavar: str = "X",
) -> Any:
    """Return a field for a number from `low` to `high`."""
    words = {"kind": "number", "label": label, "help": help, "low": low, "high": high, "decimals": decimals}
    return _option(default, flag, **words, special=special, only_shown=only_shown, metavar=metavar)


def choice(
    label: str,
    offered: Offered | Mapping[str, str],
    help: str,
    *,
    keys: Mapping[str, str] | None = None,
    usual: Callable[[Any], str] | None = None,
    default: str | None = "",
    only_shown: bool = False,
    flag: str | None = None,
    metavar: str = "KEY",
) -> Any:
    """Return a field for one of some keys: fixed ones with their titles, or those that the material has.

    `keys` are all that some material may have, where that is known.
    """
    offer = {"offered": offered, "keys": keys or {}} if callable(offered) else {"keys": offered}
    words = {"kind": "choice", "label": label, "help": help, "usual": usual, **offer}
    return _option(default, flag, **words, only_shown=only_shown, metavar=metavar)


def switch(label: str, help: str, *, default: bool = False, only_shown: bool = False, flag: str | None = None) -> Any:
    """Return a field for yes or no."""
    return _option(default, flag, kind="switch", label=label, help=help, only_shown=only_shown)


def text(label: str, help: str, *, default: str = "", flag: str | None = None, metavar: str = "TEXT") -> Any:
    """Return a field for a text."""
    return _option(default, flag, kind="text", label=label, help=help, metavar=metavar)


def described(kind: type[Any]) -> Iterator[Option]:
    """Yield the options that a dataclass has, in their order."""
    for each in fields(kind):
        if "option" in each.metadata:
            words = dict(each.metadata["option"])
            flag = words.pop("flag")
            yield Option(name=each.name, flag=f"--{each.name.replace('_', '-')}" if flag is None else flag, **words)


def resolved(options: Options, material: Any) -> Options:
    """Return options in which each choice is one that the material offers."""
    values = {each.name: each.resolved(getattr(options, each.name), material) for each in described(type(options))}
    return replace(options, **values)  # type: ignore[type-var]


def checked(options: Options, material: Any) -> Options:
    """Return options resolved.

    Raises:
        ParapluieError: A number is out of its range, or a key is none of those offered.
    """
    for each in described(type(options)):
        value = getattr(options, each.name)
        if each.kind == "choice" and value != "" and value not in (keys := each.choices(material)):
            raise ParapluieError(with_advice(f'There is no "{value}" for {_plain(each)}', _advice(keys, each)))
        if each.kind in ("integer", "number") and not each.low <= value <= each.high:
            raise ParapluieError(f"{value} is not {each.expected} for {_plain(each)}.")
    return resolved(options, material)


def _advice(keys: Iterable[str], option: Option) -> str:
    """Return which keys there are, or what to do where there is none but "none"."""
    offered = [key for key in keys if key]
    if set(offered) <= {"none"}:
        return f"leave {_plain(option)} out, or take a file with a column for it: this one has none"
    return "choose among " + ", ".join(f'"{key}"' for key in offered[:20])


def _plain(option: Option) -> str:
    return option.flag or option.name


def titled(keys: Sequence[str]) -> dict[str, str]:
    """Return keys that are their own titles."""
    return {key: key for key in keys}
