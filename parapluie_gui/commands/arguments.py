"""Declares a command's arguments as the fields of a frozen dataclass: argparse fills it, and the command reads it."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import field, fields, replace
from itertools import product
from typing import Any, TypeVar

from parapluie_gui import options
from parapluie_gui.feature import brought
from parapluie_gui.options import Option, list_options
from parapluie_gui.places import expand_user_path
from parapluie_gui.report import figure_style
from parapluie_gui.shipped import corpus_path

Options = TypeVar("Options")


def argument(help: str, metavar: str | None = None, **rest: Any) -> Any:
    """Return a field for a positional argument; the rest as `ArgumentParser.add_argument` takes it."""
    return field(metadata={"option": {**_words(help, metavar, rest), "positional": True, "flag": ""}})


def option(
    help: str, metavar: str | tuple[str, ...] | None = None, *, short: str = "", flag: str | None = None, **rest: Any
) -> Any:
    """Return a field for an option: `short` is a second name ("-o"), `flag` its name if it is not the field's.

    The rest is as `ArgumentParser.add_argument` takes it; the default is None, or () if the option may be repeated.
    """
    if rest.get("action") == "append":
        rest.setdefault("default", ())
    words = {**_words(help, metavar, rest), "short": short, "flag": flag}
    return field(default=words["default"], metadata={"option": words})


def _words(help: str, metavar: str | tuple[str, ...] | None, rest: dict[str, Any]) -> dict[str, Any]:
    """Return an option of the kind "value", from what argparse is told."""
    words = {"kind": "value", "label": "", "help": help, "metavar": metavar}
    return {**words, "default": rest.pop("default", None), "reader": rest.pop("type", None), "rest": rest}


def many(help: str, metavar: str, **rest: Any) -> Any:
    """Return a field for an option that may be repeated."""
    return option(help, metavar, action="append", **rest)


def switch(help: str, flag: str | None = None) -> Any:
    """Return a field for an option without a value."""
    return options.switch("", help, flag=flag)


def integer(help: str, metavar: str = "N", *, least: int = 1, default: int | None = None) -> Any:
    """Return a field for a whole number without an upper bound."""
    return options.integer("", least, math.inf, default, help, metavar=metavar)


def seed(help: str) -> Any:
    """Return a field for the seed of random numbers."""
    return integer(help, least=0, default=0)


def file(help: str, metavar: str | None = None, **rest: Any) -> Any:
    """Return a field for an option whose value is a path, ~ expanded."""
    return option(help, metavar, type=expand_user_path, **rest)


def files(help: str, metavar: str) -> Any:
    """Return a field for one or more paths as positional arguments."""
    return argument(help, metavar, nargs="+", type=expand_user_path)


def corpus_file(help: str, metavar: str = "CORPUS", **rest: Any) -> Any:
    """Return a field for a corpus as positional argument: a path, or the name of one that ships."""
    return argument(help, metavar, type=corpus_path, **rest)


def shared(kind: type[Any], title: str = "", *, without: Collection[str] = (), first: str = "") -> Any:
    """Return a field for a dataclass of options that several commands have, or that an analysis has.

    A title makes it a group in the help. The command lacks the options in `without`; the one called `first` is
    positional.
    """
    words = {"shared": kind, "title": title, "without": frozenset(without), "first": first}
    return field(default_factory=kind, metadata=words)


def later(kind: Callable[[], Any]) -> Any:
    """Return a field that is no argument; `main` fills it."""
    return field(default_factory=kind, metadata={"later": True})


def extended() -> Any:
    """Return a field for the further options that features bring for the command: an object of each class."""
    return field(default=(), metadata={"extended": True})


def _extensions(command: str) -> list[type[Any]]:
    return [part.load() for part in brought("extensions") if part.command == command]


def declare(
    parser: argparse._ActionsContainer, kind: type[Any], without: Collection[str] = (), *, command: str = ""
) -> None:
    """Add the fields of a dataclass of options to the parser of a command, but for those named."""
    groups: dict[str, argparse._ActionsContainer] = {"": parser}
    for title, each in _titled(kind, without, command=command):
        group = groups.get(title) or groups.setdefault(title, parser.add_argument_group(title))
        words = {"default": list(each.default) if each.default == () else each.default, **_argument(each)}
        if each.positional:
            group.add_argument(each.name, **{**words, "metavar": each.metavar})
        else:
            group.add_argument(*filter(None, (each.short, each.flag)), dest=_destination(each), **words)


def _destination(option: Option) -> str:
    """Return the attribute that argparse fills: two dataclasses of a command may have fields of one name."""
    return option.name if option.flag in ("", f"--{option.name.replace('_', '-')}") else option.flag


def _titled(
    kind: type[Any], without: Collection[str], first: str = "", command: str = ""
) -> Iterator[tuple[str, Option]]:
    """Yield the options of a dataclass, each with the title of its group; groups of features come last."""
    last: list[tuple[str, Option]] = []
    own = {each.name: each for each in list_options(kind)}
    for each in fields(kind):
        if "later" in each.metadata or each.name in without:
            continue
        if "extended" in each.metadata:
            for extension in _extensions(command):
                options = [inner for _, inner in _titled(extension, without)]
                if extension.title:
                    last += [(extension.title, inner) for inner in options]
                else:
                    yield from (("", inner) for inner in options)
        elif "shared" in each.metadata:
            words = each.metadata
            for title, inner in _titled(words["shared"], {*without, *words["without"]}, words["first"]):
                yield words["title"] or title, inner
        elif each.name == first:
            yield "", replace(own[each.name], positional=True, metavar=each.name.upper())
        elif own[each.name].flag or own[each.name].positional:
            yield "", own[each.name]
    yield from last


def filled(
    kind: type[Options],
    parsed: argparse.Namespace,
    without: Collection[str] = (),
    *,
    inside: Collection[str] = (),
    command: str = "",
) -> Options:
    """Return a dataclass of options with what was parsed; lists become tuples, what is left out has its default."""
    values = {}
    own = {each.name: each for each in list_options(kind)}
    for each in fields(kind):  # type: ignore[arg-type]
        if "later" in each.metadata or each.name in without:
            continue
        if "extended" in each.metadata:
            value: Any = tuple(filled(extension, parsed, without) for extension in _extensions(command))
        elif "shared" in each.metadata:
            words = each.metadata
            value = filled(words["shared"], parsed, {*without, *words["without"]}, inside=(words["first"],))
        elif own[each.name].flag or own[each.name].positional or each.name in inside:
            value = getattr(parsed, _destination(own[each.name]) if each.name not in inside else each.name)
        else:
            continue
        values[each.name] = tuple(value) if isinstance(value, list) else value
    return kind(**values)


def flags(kind: type[Any], without: Collection[str] = (), *, command: str = "") -> set[str]:
    """Return the names of all options of a command ("--label"), but for the groups named."""
    return {each.flag for _, each in _titled(kind, without, command=command) if each.flag}


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
        words = _argument(option) | ({"action": "append"} if option.offered is not None else {})
        group.add_argument(flag, dest=_place(flag), default=None, **words)


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
        for each in list_options(kind):
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
    if option.kind == "value":
        reader = {} if option.reader is None else {"type": option.reader}
        return {"help": option.help, "metavar": option.metavar, **reader, **option.rest}
    default = "" if option.kind == "switch" or not option.default_words else f" ({option.default_words})"
    words: dict[str, Any] = {"help": (option.help + default).replace("%", "%%")}
    if option.kind == "switch":
        return words | {"action": "store_const", "const": True}
    words["metavar"] = option.metavar
    if option.kind == "choice" and option.keys:
        return words | {"choices": tuple(filter(None, option.keys)), "metavar": None}
    return words | {"type": _reader(option)}


def _reader(option: Option) -> Callable[[str], Any]:
    """Return what reads a value, and says to argparse what is wrong with it."""

    def read(text: str) -> Any:
        try:
            return option.read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


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


def figure_size(text: str) -> tuple[float, float | None]:
    """Read the size of a figure: a name, or centimetres such as 12x8."""
    try:
        return figure_style.parse_figure_size(text)
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
