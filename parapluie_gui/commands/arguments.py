"""Declares a command's arguments as fields of a frozen dataclass, and fills it from argparse's result."""

from __future__ import annotations

import argparse
import math
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import field, fields, replace
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

from parapluie_gui import options
from parapluie_gui.errors import ParapluieError
from parapluie_gui.feature import collect_parts
from parapluie_gui.options import Option, list_options
from parapluie_gui.places import expand_user_path
from parapluie_gui.report import figure_style
from parapluie_gui.shipped import corpus_path

Options = TypeVar("Options")


def argument(help: str, metavar: str | None = None, **rest: Any) -> Any:
    """Return a field for a positional argument; `rest` holds keyword arguments of `ArgumentParser.add_argument`."""
    return field(metadata={"option": {**_option_metadata(help, metavar, rest), "positional": True, "flag": ""}})


def option(
    help: str, metavar: str | tuple[str, ...] | None = None, *, short: str = "", flag: str | None = None, **rest: Any
) -> Any:
    """Return a field for an option: `short` is a second name ("-o"), `flag` its name if that differs from the field's.

    `rest` holds keyword arguments of `ArgumentParser.add_argument`; the default is None, or () for a repeatable option.
    """
    if rest.get("action") == "append":
        rest.setdefault("default", ())
    words = {**_option_metadata(help, metavar, rest), "short": short, "flag": flag}
    return field(default=words["default"], metadata={"option": words})


def _option_metadata(help: str, metavar: str | tuple[str, ...] | None, rest: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata of an option of the kind "value", from argparse's keyword arguments."""
    words = {"kind": "value", "label": "", "help": help, "metavar": metavar}
    return {**words, "default": rest.pop("default", None), "reader": rest.pop("type", None), "rest": rest}


def repeatable(help: str, metavar: str, **rest: Any) -> Any:
    """Return a field for an option that can be repeated."""
    return option(help, metavar, action="append", **rest)


def switch(help: str, flag: str | None = None) -> Any:
    """Return a field for an option without a value."""
    return options.switch("", help, flag=flag)


def integer(help: str, metavar: str = "N", *, least: int = 1, default: int | None = None) -> Any:
    """Return a field for a whole number without an upper bound."""
    return options.integer("", least, math.inf, default, help, metavar=metavar)


def seed(help: str) -> Any:
    """Return a field for a random seed."""
    return integer(help, least=0, default=0)


def file(help: str, metavar: str | None = None, **rest: Any) -> Any:
    """Return a field for an option whose value is a path, with ~ expanded."""
    return option(help, metavar, type=expand_user_path, **rest)


def output_file(help: str, metavar: str | None = None, **rest: Any) -> Any:
    """Return a field for an option whose value is a file to write; see `check_outputs`."""
    words = file(help, metavar, **rest)
    return field(default=words.default, metadata={**words.metadata, "writes": True})


def list_outputs(options: Any) -> Iterator[tuple[str, Path]]:
    """Yield the flag and path of each file that a command is to write."""
    for option in fields(options):
        value = getattr(options, option.name)
        if "shared" in option.metadata:
            yield from list_outputs(value)
        elif option.metadata.get("writes") and value is not None:
            words = option.metadata["option"]
            yield words["flag"] or words["short"] or f"--{option.name.replace('_', '-')}", value


def check_outputs(options: Any) -> None:
    """Refuse two outputs with the same path, because the second would replace the first.

    Raises:
        ParapluieError: Two options name the same file.
    """
    flags: dict[str, str] = {}
    for flag, path in list_outputs(options):
        name = os.path.normcase(os.path.realpath(path))
        if name in flags:
            raise ParapluieError(
                f"{flags[name]} and {flag} both write to {path}. Choose a different name for one of them."
            )
        flags[name] = flag


def files(help: str, metavar: str) -> Any:
    """Return a field for one or more paths as positional arguments."""
    return argument(help, metavar, nargs="+", type=expand_user_path)


def corpus_file(help: str, metavar: str = "CORPUS", **rest: Any) -> Any:
    """Return a field for a corpus as positional argument: a path, or the name of a corpus that ships."""
    return argument(help, metavar, type=corpus_path, **rest)


def option_group(kind: type[Any], title: str = "", *, without: Collection[str] = (), first: str = "") -> Any:
    """Return a field for a dataclass of options that several commands share, or for the options of an analysis.

    With a title the options form a group in the help. Options in `without` are left out; the option `first` is a
    positional argument.
    """
    words = {"shared": kind, "title": title, "without": frozenset(without), "first": first}
    return field(default_factory=kind, metadata=words)


def unparsed_field(kind: Callable[[], Any]) -> Any:
    """Return a field without an argument, which `main` fills."""
    return field(default_factory=kind, metadata={"later": True})


def extension_options() -> Any:
    """Return a field for the options that features add to the command, with one object for each `CommandExtension`."""
    return field(default=(), metadata={"extended": True})


def _load_extensions(command: str) -> list[type[Any]]:
    return [part.load() for part in collect_parts("extensions") if part.command == command]


def declare_options(
    parser: argparse._ActionsContainer, kind: type[Any], without: Collection[str] = (), *, command: str = ""
) -> None:
    """Add the options of a dataclass to the parser of a command, except those in `without`."""
    groups: dict[str, argparse._ActionsContainer] = {"": parser}
    for title, option in _list_with_titles(kind, without, command=command):
        group = groups.get(title) or groups.setdefault(title, parser.add_argument_group(title))
        words = {"default": list(option.default) if option.default == () else option.default, **_argparse_words(option)}
        if option.positional:
            group.add_argument(option.name, **{**words, "metavar": option.metavar})
        else:
            group.add_argument(*filter(None, (option.short, option.flag)), dest=_destination(option), **words)


def _destination(option: Option) -> str:
    """Return the attribute that argparse fills: the flag, because two dataclasses may have fields of the same name."""
    return option.name if option.flag in ("", f"--{option.name.replace('_', '-')}") else option.flag


def _list_with_titles(
    kind: type[Any], without: Collection[str], first: str = "", command: str = ""
) -> Iterator[tuple[str, Option]]:
    """Yield the options of a dataclass, each with the title of its group; groups of features come last."""
    last: list[tuple[str, Option]] = []
    own = {option.name: option for option in list_options(kind)}
    for item in fields(kind):
        if "later" in item.metadata or item.name in without:
            continue
        if "extended" in item.metadata:
            for extension in _load_extensions(command):
                options = [inner for _, inner in _list_with_titles(extension, without)]
                if extension.title:
                    last += [(extension.title, inner) for inner in options]
                else:
                    yield from (("", inner) for inner in options)
        elif "shared" in item.metadata:
            words = item.metadata
            for title, inner in _list_with_titles(words["shared"], {*without, *words["without"]}, words["first"]):
                yield words["title"] or title, inner
        elif item.name == first:
            yield "", replace(own[item.name], positional=True, metavar=item.name.upper())
        elif own[item.name].flag or own[item.name].positional:
            yield "", own[item.name]
    yield from last


def fill_options(
    kind: type[Options],
    parsed: argparse.Namespace,
    without: Collection[str] = (),
    *,
    inside: Collection[str] = (),
    command: str = "",
) -> Options:
    """Return a dataclass of options with the parsed values; lists become tuples, omitted options get defaults."""
    values = {}
    own = {option.name: option for option in list_options(kind)}
    for item in fields(kind):  # type: ignore[arg-type]
        if "later" in item.metadata or item.name in without:
            continue
        if "extended" in item.metadata:
            value: Any = tuple(fill_options(extension, parsed, without) for extension in _load_extensions(command))
        elif "shared" in item.metadata:
            words = item.metadata
            value = fill_options(words["shared"], parsed, {*without, *words["without"]}, inside=(words["first"],))
        elif own[item.name].flag or own[item.name].positional or item.name in inside:
            value = getattr(parsed, _destination(own[item.name]) if item.name not in inside else item.name)
        else:
            continue
        values[item.name] = tuple(value) if isinstance(value, list) else value
    return kind(**values)


def list_flags(kind: type[Any], without: Collection[str] = (), *, command: str = "") -> set[str]:
    """Return the flags of all options of a command ("--label"), except those in `without`."""
    return {option.flag for _, option in _list_with_titles(kind, without, command=command) if option.flag}


# Options of analyses


def declare_analyses(parser: argparse.ArgumentParser, kinds: Mapping[str, type[Any]], taken: Collection[str]) -> None:
    """Add the options of analyses, by name; an option that several of them share is one argument for all of them.

    If the command itself has an option of that name (`taken`), or a different analysis uses the name with a different
    meaning, the flag begins with the analysis: --curves-score.
    """
    groups: dict[str, argparse._ArgumentGroup] = {}
    for flag, (owners, option) in _collect_options(kinds, taken).items():
        title = ", ".join(owners)
        group = groups.get(title) or groups.setdefault(title, parser.add_argument_group(title))
        words = _argparse_words(option) | ({"action": "append"} if option.offered is not None else {})
        group.add_argument(flag, dest=_attribute(flag), default=None, **words)


def fill_analyses(
    kinds: Mapping[str, type[Any]], taken: Collection[str], parsed: argparse.Namespace
) -> dict[str, tuple[Any, ...]]:
    """Return the options of each analysis with the parsed values, one object for each value of a repeated option."""
    values_by_name: dict[str, dict[str, list[Any]]] = {name: {} for name in kinds}
    for flag, (owners, option) in _collect_options(kinds, taken).items():
        value = getattr(parsed, _attribute(flag))
        for name in owners if value is not None else ():
            values_by_name[name][option.name] = value if isinstance(value, list) else [value]
    return {
        name: tuple(kinds[name](**dict(zip(own, values, strict=True))) for values in product(*own.values()))
        for name, own in values_by_name.items()
    }


def find_requested_analyses(
    kinds: Mapping[str, type[Any]], taken: Collection[str], parsed: argparse.Namespace
) -> tuple[str, ...]:
    """Return the analyses requested by options that no other analysis has."""
    used = (
        entry for flag, entry in _collect_options(kinds, taken).items() if getattr(parsed, _attribute(flag)) is not None
    )
    return tuple(owners[0] for owners, _ in used if len(owners) == 1)


def _collect_options(kinds: Mapping[str, type[Any]], taken: Collection[str]) -> dict[str, tuple[list[str], Option]]:
    """Return the options of analyses by flag, each with the analyses that have it."""
    by_flag: dict[str, tuple[list[str], Option]] = {}
    for name, kind in kinds.items():
        for option in list_options(kind):
            if not option.flag:
                continue
            other = by_flag.get(option.flag)
            alike = other is None or _are_alike(other[1], option)
            flag = option.flag if alike and option.flag not in taken else f"--{name}-{option.flag.removeprefix('--')}"
            by_flag.setdefault(flag, ([], option))[0].append(name)
    return by_flag


def _are_alike(one: Option, two: Option) -> bool:
    """Return whether two options with the same flag accept the same values."""
    return all(getattr(one, name) == getattr(two, name) for name in ("name", "kind", "keys", "low", "high", "metavar"))


def _attribute(flag: str) -> str:
    return f"option {flag}"


def _argparse_words(option: Option) -> dict[str, Any]:
    """Return an option as keyword arguments of `ArgumentParser.add_argument`."""
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
    """Return a function that reads a value and reports errors to argparse."""

    def read(text: str) -> Any:
        try:
            return option.read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


def integer_reader(least: int) -> Callable[[str], int]:
    """Return a reader of whole numbers from `least` up."""

    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text} is not a whole number of at least {least}")
        return int(text)

    return read


def number_reader(
    above: float = -math.inf, below: float = math.inf, *, or_equal: bool = False
) -> Callable[[str], float]:
    """Return a reader of finite numbers above `above` (or equal, if `or_equal`) and below `below`."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise argparse.ArgumentTypeError(f"{text} is not a number")
        if not (above < value < below or (or_equal and value == above)):
            low = f" of at least {above:g}" if or_equal else f" above {above:g}"
            raise argparse.ArgumentTypeError(
                f"{text} is not a number{low}{f' and below {below:g}' if math.isfinite(below) else ''}"
            )
        return value

    return read


def read_share(text: str) -> float:
    """Read a number above 0 and up to 1."""
    value = number_reader(0)(text)
    if value > 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number above 0 and up to 1")
    return value


def read_device(text: str) -> str:
    """Read the name of a device; whether it exists is checked when something is computed on it."""
    if not _DEVICE.fullmatch(text):
        raise argparse.ArgumentTypeError(
            f"{text} is not a device. Use auto, cpu, cuda, cuda:1, cuda:all, cuda:each or mps"
        )
    return text


_DEVICE = re.compile(r"auto|cpu|mps|cuda(:(\d+|all|each))?")


def read_figure_size(text: str) -> tuple[float, float | None]:
    """Read the size of a figure: a name, or centimetres such as 12x8."""
    try:
        return figure_style.parse_figure_size(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text} is not a figure size: {error}") from None


def read_window_size(text: str) -> tuple[int, int]:
    """Read a width and a height in pixels, such as 1440x900."""
    try:
        width, height = (int(part) for part in text.lower().split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} does not have the form 1440x900") from None
    if not (320 <= width <= 8192 and 240 <= height <= 8192):
        raise argparse.ArgumentTypeError("must be between 320x240 and 8192x8192")
    return width, height
