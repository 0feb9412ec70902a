"""Declares a command's arguments as the fields of a frozen dataclass: argparse fills it, and the command reads it."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import field, fields
from itertools import product
from typing import Any, TypeVar

from parapluie_gui.analysis.options import Option, described
from parapluie_gui.places import corpus_path, expand_user_path
from parapluie_gui.report import figure_style

Options = TypeVar("Options")


def argument(help: str, metavar: str | None = None, **rest: Any) -> Any:
    """Return a field for a positional argument; the rest as `ArgumentParser.add_argument` takes it."""
    return field(metadata={"argument": {"help": help, "metavar": metavar, **rest}})


def option(
    help: str, metavar: str | tuple[str, ...] | None = None, *, short: str = "", flag: str = "", **rest: Any
) -> Any:
    """Return a field for an option: `short` is a second name ("-o"), `flag` its name if it is not the field's.

    The rest is as `ArgumentParser.add_argument` takes it; the default is None, or () if the option may be repeated.
    """
    many = rest.get("action") == "append"
    rest.setdefault("default", [] if many else None)
    metadata = {"flags": (short, flag), "argument": {"help": help, "metavar": metavar, **rest}}
    return field(default=() if many else rest["default"], metadata=metadata)


def many(help: str, metavar: str, **rest: Any) -> Any:
    """Return a field for an option that may be repeated."""
    return option(help, metavar, action="append", **rest)


def switch(help: str, flag: str = "") -> Any:
    """Return a field for an option without a value."""
    metadata = {"flags": ("", flag), "argument": {"help": help, "action": "store_true"}}
    return field(default=False, metadata=metadata)


def file(help: str, metavar: str | None = None, **rest: Any) -> Any:
    """Return a field for an option whose value is a path, ~ expanded."""
    return option(help, metavar, type=expand_user_path, **rest)


def files(help: str, metavar: str) -> Any:
    """Return a field for one or more paths as positional arguments."""
    return argument(help, metavar, nargs="+", type=expand_user_path)


def corpus_file(help: str, metavar: str = "CORPUS", **rest: Any) -> Any:
    """Return a field for a corpus as positional argument: a path, or the name of one that ships."""
    return argument(help, metavar, type=corpus_path, **rest)


def shared(kind: type[Any], title: str = "") -> Any:
    """Return a field for a dataclass of options that several commands have; a title makes it a group in the help."""
    return field(default_factory=kind, metadata={"shared": kind, "title": title})


def later(kind: Callable[[], Any]) -> Any:
    """Return a field that is no argument; `main` fills it."""
    return field(default_factory=kind, metadata={"later": True})


def declare(parser: argparse._ActionsContainer, kind: type[Any], without: Collection[str] = ()) -> None:
    """Add the fields of a dataclass of options to a parser, but for the groups named."""
    for each in fields(kind):
        if "later" in each.metadata or each.name in without:
            continue
        if "shared" in each.metadata:
            title = each.metadata["title"]
            declare(parser.add_argument_group(title) if title else parser, each.metadata["shared"], without)
        elif "flags" in each.metadata:
            short, flag = each.metadata["flags"]
            names = [short] if short else []
            names.append(flag or f"--{each.name.replace('_', '-')}")
            parser.add_argument(*names, dest=each.name, **each.metadata["argument"])
        else:
            parser.add_argument(each.name, **each.metadata["argument"])


def filled(kind: type[Options], parsed: argparse.Namespace, without: Collection[str] = ()) -> Options:
    """Return a dataclass of options with what was parsed; lists become tuples, groups left out have their defaults."""
    values = {}
    for each in fields(kind):  # type: ignore[arg-type]
        if "later" in each.metadata or each.name in without:
            continue
        inner = each.metadata.get("shared")
        value = filled(inner, parsed, without) if inner is not None else getattr(parsed, each.name)
        values[each.name] = tuple(value) if isinstance(value, list) else value
    return kind(**values)


def flags(kind: type[Any], without: Collection[str] = ()) -> set[str]:
    """Return the names of all options of a dataclass ("--label"), but for the groups named."""
    found = set()
    for each in fields(kind):
        if each.name in without or "argument" not in each.metadata:
            if "shared" in each.metadata and each.name not in without:
                found |= flags(each.metadata["shared"], without)
        elif "flags" in each.metadata:
            found.add(each.metadata["flags"][1] or f"--{each.name.replace('_', '-')}")
    return found


# Options of analyses


def declare_analyses(parser: argparse.ArgumentParser, kinds: Mapping[str, type[Any]], taken: Collection[str]) -> None:
    """Add the options of analyses, given by name; one that several of them have is one argument for all.

    Where the command itself has an option of that name (`taken`), or another analysis means something else by it, the
    analysis stands before it: --curves-score.
    """
    groups: dict[str, argparse._ArgumentGroup] = {}
    for flag, (owners, option) in _options(kinds, taken).items():
        title = ", ".join(owners)
        group = groups.get(title) or groups.setdefault(title, parser.add_argument_group(title))
        group.add_argument(flag, dest=_place(flag), default=None, **_argument(option))


def filled_analyses(
    kinds: Mapping[str, type[Any]], taken: Collection[str], parsed: argparse.Namespace
) -> dict[str, tuple[Any, ...]]:
    """Return the options of each analysis with what was parsed: one for each value of an option that was repeated."""
    given: dict[str, dict[str, list[Any]]] = {name: {} for name in kinds}
    for flag, (owners, option) in _options(kinds, taken).items():
        value = getattr(parsed, _place(flag))
        for name in owners if value is not None else ():
            given[name][option.name] = value if isinstance(value, list) else [value]
    return {
        name: tuple(kinds[name](**dict(zip(own, values, strict=True))) for values in product(*own.values()))
        for name, own in given.items()
    }


def asked_by_option(
    kinds: Mapping[str, type[Any]], taken: Collection[str], parsed: argparse.Namespace
) -> tuple[str, ...]:
    """Return the analyses of which an option was given that no other has."""
    given = (found for flag, found in _options(kinds, taken).items() if getattr(parsed, _place(flag)) is not None)
    return tuple(owners[0] for owners, _ in given if len(owners) == 1)


def _options(kinds: Mapping[str, type[Any]], taken: Collection[str]) -> dict[str, tuple[list[str], Option]]:
    """Return each option by its flag, with the analyses that have it."""
    found: dict[str, tuple[list[str], Option]] = {}
    for name, kind in kinds.items():
        for each in described(kind):
            if not each.flag:
                continue
            other = found.get(each.flag)
            alike = other is None or _alike(other[1], each)
            flag = each.flag if alike and each.flag not in taken else f"--{name}-{each.flag.removeprefix('--')}"
            found.setdefault(flag, ([], each))[0].append(name)
    return found


def _alike(one: Option, two: Option) -> bool:
    """Tell whether two options of one flag are the same to those who type them."""
    return all(getattr(one, name) == getattr(two, name) for name in ("name", "kind", "keys", "low", "high", "metavar"))


def _place(flag: str) -> str:
    return f"option {flag}"


def _argument(option: Option) -> dict[str, Any]:
    """Return an option as `ArgumentParser.add_argument` takes it."""
    usual = option.default
    if option.special and option.default == option.low:
        usual = option.special
    said = "" if option.kind == "switch" or usual == "" else f" ({usual})"
    words: dict[str, Any] = {"help": (option.help + said).replace("%", "%%")}
    if option.kind == "switch":
        return words | {"action": "store_const", "const": True}
    words["metavar"] = option.metavar
    if option.kind == "choice" and option.keys:
        return words | {"choices": tuple(filter(None, option.keys)), "metavar": None}
    if option.kind == "choice":
        return words | {"action": "append"}
    if option.kind in ("integer", "number"):
        words["type"] = _within(option)
    return words


def _within(option: Option) -> Callable[[str], float]:
    read: Callable[[str], float] = int if option.kind == "integer" else float

    def within(text: str) -> float:
        try:
            value = read(text)
        except ValueError:
            value = math.nan
        if not option.low <= value <= option.high:
            whole = "whole number" if option.kind == "integer" else "number"
            raise argparse.ArgumentTypeError(f"{text} is not a {whole} from {option.low:,} to {option.high:,}")
        return value

    return within


def at_least(least: int) -> Callable[[str], int]:
    """Return a reader of whole numbers from `least` on."""

    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text} is not a whole number of {least} or more")
        return int(text)

    return read


def number(above: float = -math.inf, below: float = math.inf, *, or_equal: bool = False) -> Callable[[str], float]:
    """Return a reader of finite numbers above one bound, or equal to it, and below another."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise argparse.ArgumentTypeError(f"{text} is not a number")
        if not (above < value < below or (or_equal and value == above)):
            low = f" of {above:g} or more" if or_equal else f" above {above:g}"
            raise argparse.ArgumentTypeError(
                f"{text} is not a number{low}{f' and below {below:g}' if math.isfinite(below) else ''}"
            )
        return value

    return read


def share(text: str) -> float:
    """Read a number above 0 and up to 1."""
    value = number(0)(text)
    if value > 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number above 0 and up to 1")
    return value


def device(text: str) -> str:
    """Return the name of a device; whether this computer has it shows when something is to be computed there."""
    if not _DEVICE.fullmatch(text):
        raise argparse.ArgumentTypeError(
            f"{text} is no device. Use auto, cpu, cuda, cuda:1, cuda:all, cuda:each or mps"
        )
    return text


_DEVICE = re.compile(r"auto|cpu|mps|cuda(:(\d+|all|each))?")


def shard(text: str) -> tuple[int, int]:
    """Read the number of a shard, from 1, and how many there are, such as 3/16."""
    number, slash, count = text.partition("/")
    if not (slash and number.isdecimal() and count.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text} is not of the form 3/16")
    if not 1 <= int(number) <= int(count):
        raise argparse.ArgumentTypeError(f"there is no shard {number} of {count}: they are numbered from 1")
    return int(number), int(count)


def figure_size(text: str) -> tuple[float, float | None]:
    """Read the size of a figure: a name, or centimetres such as 12x8."""
    try:
        return figure_style.figure_size(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text} is no size of a figure: {error}") from None


def width_and_height(text: str) -> tuple[int, int]:
    """Read a width and a height in pixels, such as 1440x900."""
    try:
        width, height = (int(part) for part in text.lower().split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is not of the form 1440x900") from None
    if not (320 <= width <= 8192 and 240 <= height <= 8192):
        raise argparse.ArgumentTypeError("must be between 320x240 and 8192x8192")
    return width, height
