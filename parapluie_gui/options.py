"""Options of metrics, analyses and commands, declared as fields of a frozen dataclass.

The window turns them into controls (`ui.widgets.option_control`), the command line into arguments
(`commands.arguments`), metrics into specs and names (`metrics.spec`), and the manual into tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, TypeVar

from parapluie_gui.errors import ParapluieError, join_words, with_advice

Options = TypeVar("Options")

#: A function that returns the keys and titles of a choice for some material, such as that of an analysis.
Offered = Callable[[Any], Mapping[str, str]]

#: The values of a switch, as written in the spec of a metric.
SWITCH = ("off", "on")
_ON, _OFF = ("on", "yes", "true", "1"), ("off", "no", "false", "0")


@dataclass(frozen=True)
class Option:
    """The declaration of one option: kind, range, default and texts.

    Attributes:
        name: The name of its field.
        kind: An integer, a number, a choice of keys, a switch, a text, or ("value") the result of `reader`.
        label: Its label in forms; an option without a label is not shown in forms.
        help: A phrase on its effect, for the tip in the window, the command line's help and the manual.
        default: The default value; for a choice "" means the usual key of the material.
        low, high: The range of a number, inclusive; `high` may be infinite if the option is not in a form.
        decimals: Decimal places of a number.
        special: A word for the lowest number ("automatic"), or "".
        offered: The function that returns the keys of a choice for some material; None if all `keys` are offered.
        usual: The function that returns the initially chosen key for some material.
        keys: The keys of a choice and their titles; empty if they depend on the material.
        only_shown: Whether changing it affects only the display, not the computation.
        flag: Its flag on the command line ("--bin-width"), or "" if it has none.
        metavar: The placeholder of its value in the help, or several for several values.
        short: A second, short flag ("-o").
        reader: The function that parses the text on the command line.
        rest: Further arguments for argparse (`nargs`, `const`, `required`, `action`).
        positional: Whether it is a positional argument of the command line.
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
        """Return the keys of a choice for some material, with their titles."""
        return self.keys if self.offered is None else self.offered(material)

    def resolve(self, value: Any, material: Any) -> Any:
        """Return the value; for a choice whose key is empty or no longer offered, return the usual key."""
        if self.kind != "choice":
            return value
        keys = self.choices(material)
        if value in keys and value != "":
            return value
        usual = self.usual(material) if self.usual is not None else ""
        return usual if usual in keys else next(iter(keys), "")

    @property
    def expected_values(self) -> str:
        """A phrase on the valid values: "a whole number from 1 to 40", "treebank or whitespace"."""
        if self.kind in ("integer", "number"):
            number = "whole number" if self.kind == "integer" else "number"
            if math.isinf(self.high):
                return f"a {number} of at least {self.low:,}"
            return f"a {number} from {self.low:,} to {self.high:,}"
        if self.kind == "choice" and self.keys:
            return join_words(list(filter(None, self.keys)), "or")
        return "on or off" if self.kind == "switch" else "a text"

    @property
    def default_words(self) -> str:
        """The default as text: "5", "automatic"; "" if it need not be mentioned."""
        if self.kind == "switch":
            return SWITCH[1] if self.default else ""
        if self.special and self.default == self.low:
            return self.special
        return "" if self.default is None or self.default in ("", ()) else self.write(self.default)

    @property
    def description(self) -> str:
        """Its help, keys or range, and default: "weight of the source, 0 to 1; 0.2 by default"."""
        named = [key if title == key else f"{key} ({title})" for key, title in self.keys.items() if key]
        keys = f": {join_words(named, 'or')}" if named else ": on or off" if self.kind == "switch" else ""
        if self.kind in ("integer", "number") and math.isfinite(self.high) and not self.special:
            keys = f", {self.low:,} to {self.high:,}"
        default = SWITCH[0] if self.kind == "switch" and not self.default else self.default_words
        default = f"; {default} by default" if default else ""
        return f"{self.help}{keys}{default}"

    def read(self, text: str) -> Any:
        """Parse a value.

        Raises:
            ValueError: The text is not a valid value.
        """
        value: Any = text
        if self.kind == "switch":
            if text.lower() not in (*_ON, *_OFF):
                raise ValueError(f"{text} is not {self.expected_values}")
            value = text.lower() in _ON
        elif self.kind in ("integer", "number"):
            try:
                value = int(text) if self.kind == "integer" else float(text)
            except ValueError:
                value = math.nan
            if not self.low <= value <= self.high or math.isinf(value):
                raise ValueError(f"{text} is not {self.expected_values}")
        elif self.kind == "choice" and self.keys and text not in self.keys:
            raise ValueError(f"{text} is not {self.expected_values}")
        elif self.reader is not None:
            value = self.reader(text)
        return value

    def write(self, value: Any) -> str:
        """Format a value as a text that `read` accepts."""
        if self.kind == "switch":
            return SWITCH[bool(value)]
        return f"{value:.12g}" if self.kind == "number" else str(value)


def finite_number(text: str | float) -> float:
    """Return a number that is neither infinite nor NaN, as a threshold has to be.

    Raises:
        ValueError: The text is not such a number.
    """
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is not a finite number")
    return value


@dataclass(frozen=True)
class NoOptions:
    """The options of an analysis or metric that has none."""


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
    """Declare an integer from `low` to `high`."""
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
    """Declare a number from `low` to `high`."""
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
    """Declare a choice of keys: fixed keys with their titles, or a function that returns the material's keys.

    `keys` are all keys that any material may have, if they are known.
    """
    offer = {"offered": offered, "keys": keys or {}} if callable(offered) else {"keys": offered}
    words = {"kind": "choice", "label": label, "help": help, "usual": usual, **offer}
    return _option(default, flag, **words, only_shown=only_shown, metavar=metavar)


def switch(label: str, help: str, *, default: bool = False, only_shown: bool = False, flag: str | None = None) -> Any:
    """Declare a switch."""
    return _option(default, flag, kind="switch", label=label, help=help, only_shown=only_shown)


def text(label: str, help: str, *, default: str = "", flag: str | None = None, metavar: str = "TEXT") -> Any:
    """Declare a text."""
    return _option(default, flag, kind="text", label=label, help=help, metavar=metavar)


def list_options(kind: type[Any]) -> Iterator[Option]:
    """Yield the options declared in a dataclass, in order."""
    for item in fields(kind):
        if "option" in item.metadata:
            words = dict(item.metadata["option"])
            flag = words.pop("flag")
            yield Option(name=item.name, flag=f"--{item.name.replace('_', '-')}" if flag is None else flag, **words)


def resolve_options(options: Options, material: Any) -> Options:
    """Replace the keys of choices that the material does not offer by the usual ones."""
    values = {
        option.name: option.resolve(getattr(options, option.name), material) for option in list_options(type(options))
    }
    return replace(options, **values)  # type: ignore[type-var]


def check_options(options: Options, material: Any) -> Options:
    """Check options against the material, and resolve their choices.

    Raises:
        ParapluieError: A number is out of range, or a key is not offered.
    """
    for option in list_options(type(options)):
        value = getattr(options, option.name)
        if option.kind == "choice" and value != "" and value not in (keys := option.choices(material)):
            raise ParapluieError(with_advice(f'There is no "{value}" for {_plain(option)}', _advice(keys, option)))
        if option.kind in ("integer", "number") and not option.low <= value <= option.high:
            raise ParapluieError(f"{value} is not {option.expected_values} for {_plain(option)}.")
    return resolve_options(options, material)


def _advice(keys: Iterable[str], option: Option) -> str:
    """Return advice that lists the keys, or the remedy if "none" is the only key."""
    offered = [key for key in keys if key]
    if set(offered) <= {"none"}:
        return f"leave out {_plain(option)}, or use a file that has a column for it"
    return "choose among " + ", ".join(f'"{key}"' for key in offered[:20])


def _plain(option: Option) -> str:
    return option.flag or option.name


def keys_as_titles(keys: Sequence[str]) -> dict[str, str]:
    """Use keys as their own titles."""
    return {key: key for key in keys}
