"""Options of an analysis: fields of a frozen dataclass that say what the form, the command line and the manual show.

No Qt and no argparse: the window makes a form of them (`ui.analysis.form`), the command line arguments
(`commands.arguments`), the manual its list.
"""

# Each call describes one option of one analysis; none is shared between dataclasses.

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from parapluie_gui.errors import ParapluieError, with_advice

if TYPE_CHECKING:
    from parapluie_gui.analysis.material import Material

Options = TypeVar("Options")

#: Returns the keys to choose among, with their titles, of some material.
Offered = Callable[["Material"], Mapping[str, str]]


@dataclass(frozen=True)
class Option:
    """What an option is.

    Attributes:
        name: The field's.
        kind: A whole number, a number, one of some keys, yes or no, or a text.
        label: What stands before it in the form.
        help: What it does, a phrase: the tip in the window, the help of the command line, a row of the manual.
        default: Its value where nothing is chosen; of a choice "" means the usual one of the material.
        low, high: The range of a number, both allowed.
        decimals: Of a number.
        special: What stands for the lowest number ("automatic"), or "".
        offered: Returns what a choice offers; None where `keys` are fixed.
        usual: Returns the key that is chosen at first.
        keys: A choice's fixed keys and their titles.
        only_shown: Nothing has to be computed anew when it changes.
        flag: Its name on the command line ("--bin-width"), "" for none there.
        metavar: What stands for its value in the help.
    """

    name: str
    kind: Literal["integer", "number", "choice", "switch", "text"]
    label: str
    help: str
    default: Any
    low: float = 0
    high: float = 0
    decimals: int = 2
    special: str = ""
    offered: Offered | None = None
    usual: Callable[[Material], str] | None = None
    keys: Mapping[str, str] = field(default_factory=dict)
    only_shown: bool = False
    flag: str = ""
    metavar: str = ""

    def choices(self, material: Material) -> Mapping[str, str]:
        """Return the keys that a choice offers, with their titles."""
        return self.keys if self.offered is None else self.offered(material)

    def resolved(self, value: Any, material: Material) -> Any:
        """Return the value, of a choice the usual key where none is chosen or it is no longer offered."""
        if self.kind != "choice":
            return value
        keys = self.choices(material)
        if value in keys and value != "":
            return value
        usual = self.usual(material) if self.usual is not None else ""
        return usual if usual in keys else next(iter(keys), "")


def _option(default: Any, flag: str | None, **words: Any) -> Any:
    return field(default=default, metadata={"option": words | {"default": default, "flag": flag}})


def integer(
    label: str,
    low: int,
    high: int,
    default: int,
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
    usual: Callable[[Material], str] | None = None,
    default: str = "",
    only_shown: bool = False,
    flag: str | None = None,
    metavar: str = "KEY",
) -> Any:
    """Return a field for one of some keys: fixed ones with their titles, or those that the material has."""
    keys = {"offered": offered} if callable(offered) else {"keys": offered}
    words = {"kind": "choice", "label": label, "help": help, "usual": usual, **keys}
    return _option(default, flag, **words, only_shown=only_shown, metavar=metavar)


def switch(label: str, help: str, *, only_shown: bool = False, flag: str | None = None) -> Any:
    """Return a field for yes or no; it is no at first."""
    return _option(False, flag, kind="switch", label=label, help=help, only_shown=only_shown)


def text(label: str, help: str, *, default: str = "", flag: str | None = None, metavar: str = "TEXT") -> Any:
    """Return a field for a text."""
    return _option(default, flag, kind="text", label=label, help=help, metavar=metavar)


def part(label: str = "o&n", *, only_shown: bool = False) -> Any:
    """Return a field for one of the pooled corpora; all of them at first."""
    return choice(
        label,
        lambda material: {name: name for name in material.parts},
        "the corpus, of several (default: all together)",
        usual=lambda material: list(material.parts)[-1],
        only_shown=only_shown,
        flag="--part",
        metavar="CORPUS",
    )


def score(
    label: str,
    help: str,
    *,
    usual: Callable[[Material], str] | None = None,
    only_shown: bool = False,
    flag: str | None = None,
) -> Any:
    """Return a field for one of the scores; the one on the scatter's y axis at first, or the first."""
    return choice(
        label,
        lambda material: {each.name: each.title for each in material.score_columns},
        help,
        usual=usual or (lambda material: material.y),
        only_shown=only_shown,
        flag=flag,
        metavar="COL",
    )


def described(kind: type[Any]) -> Iterator[Option]:
    """Yield what the options of a dataclass are, in their order."""
    for each in fields(kind):
        words = dict(each.metadata["option"])
        flag = words.pop("flag")
        yield Option(name=each.name, flag=f"--{each.name.replace('_', '-')}" if flag is None else flag, **words)


def resolved(options: Options, material: Material) -> Options:
    """Return options in which each choice is one that the material offers."""
    values = {each.name: each.resolved(getattr(options, each.name), material) for each in described(type(options))}
    return replace(options, **values)  # type: ignore[type-var]


def checked(options: Options, material: Material) -> Options:
    """Return options resolved.

    Raises:
        ParapluieError: A number is out of its range, or a key is none of those offered.
    """
    for each in described(type(options)):
        value = getattr(options, each.name)
        if each.kind == "choice" and value != "" and value not in (keys := each.choices(material)):
            raise ParapluieError(with_advice(f'There is no "{value}" for {_plain(each)}', _advice(keys, each)))
        if each.kind in ("integer", "number") and not each.low <= value <= each.high:
            raise ParapluieError(f"{value} is not a number from {each.low:,} to {each.high:,} for {_plain(each)}.")
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
