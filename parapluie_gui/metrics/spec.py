"""Specs, the strings that name metrics: `bleu`, `bleu.ref`, `bertscore,layer=9:FOLDER`, `external:COLUMN`."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from parapluie_gui.errors import MetricError
from parapluie_gui.options import Option, list_options
from parapluie_gui.scores.identity import ScoreKind, identify

#: The suffix of an id that scores the hypothesis against the corpus's reference instead of the source.
REFERENCE = ".ref"

#: The option of every metric that names its column.
AS = "as"

#: The option whose value alone, without its name, is shown in the column's name: bertscore.p.
BARE = "part"

_SPEC = re.compile(
    r"(?P<id>\w[\w-]*)(?P<reference>\.ref)?(?P<options>(?:,[a-z_]+=[^,:]*)*)(?::(?P<argument>.*))?", re.DOTALL
)
#: Patterns of values in a column's name, by the option's kind.
_VALUES = {
    "integer": r"-?\d+",
    "number": r"-?\d*\.?\d+(?:e-?\d+)?",
    "switch": "(?i:on|off|yes|no|true|false|1|0)",
}
_FOREIGN = re.compile(r"[^\w.-]+")
_PARTED = re.compile(r"[.-]*[.][.-]*|-{2,}")


@dataclass(frozen=True)
class MetricSpec:
    """The specification of a metric, `ID[.ref][,OPTION=VALUE]...[:ARGUMENT]`.

    Attributes:
        id: The metric's id in the catalogue.
        reference: Whether the hypothesis is scored against the reference (`.ref`).
        options: Names and values in the order given; `as` names the column.
        argument: The text after the colon: a model's folder or hub id, a column, or a file; "" if there is none.
    """

    id: str
    reference: bool = False
    options: tuple[tuple[str, str], ...] = ()
    argument: str = ""

    @classmethod
    def parse(cls, text: str) -> MetricSpec:
        """Parse a spec.

        Raises:
            MetricError: The spec is malformed.
        """
        match = _SPEC.fullmatch(text.strip())
        if match is None:
            raise MetricError(
                f'"{text}" names no metric. Write an id, followed by its options: bleu, bleu.ref, '
                "bertscore,layer=9:FOLDER."
            )
        options = tuple(
            (name, value) for name, _, value in (part.partition("=") for part in match["options"].split(",")[1:])
        )
        return cls(match["id"], bool(match["reference"]), options, match["argument"] or "")

    def __str__(self) -> str:
        options = "".join(f",{name}={value}" for name, value in self.options)
        return f"{self.id}{REFERENCE if self.reference else ''}{options}{f':{self.argument}' if self.argument else ''}"

    def values(self, title: str, kind: type[Any]) -> dict[str, Any]:
        """Return the option values by name, with the types that the dataclass `kind` declares.

        Raises:
            MetricError: The metric, called `title`, has no such option, or the value does not fit the option.
        """
        known = {option.name: option for option in list_options(kind)}
        values = {}
        for name, text in self.options:
            if name == AS:
                continue
            if name not in known:
                alternatives = f"its options are {', '.join(known)}" if known else f"its only option is {AS}=NAME"
                raise MetricError(f'{title} has no option "{name}"; {alternatives}.')
            try:
                values[name] = known[name].read(text)
            except ValueError:
                raise MetricError(f'{title} needs {known[name].expected_values} for {name}, not "{text}".') from None
        return values

    @property
    def column(self) -> str:
        """The score column: `bleu`, `bleu.ref`, `bertscore.layer_9.bert-base-uncased`, `external.gpt4_P1`.

        It consists of word characters, dots and inner hyphens, so that a filter needs no backticks. If two specs would
        have the same column (two folders of the same name), the option `as` renames one: `bertscore,as=mine:FOLDER`.
        """
        head = f"{self.id}{REFERENCE if self.reference else ''}"
        alias = dict(self.options).get(AS)
        if alias is not None:
            return _tidy_column(f"{head}.{_column_word(alias)}")
        parts = [_column_word(value if name == BARE else f"{name}_{value}") for name, value in self.options]
        if self.argument:
            parts.append(_column_word(_short_name(self.argument)))
        return _tidy_column(".".join([head, *parts]))


def describe_variant(column: str, kind: type[Any]) -> list[str]:
    """Return the options and the argument that a variant's column shows, in words: "layer 9", "p", a model's name.

    Args:
        column: The column after the metric's id and `.ref`: "layer_9.p.bert-base-uncased".
        kind: The dataclass of the metric's options.
    """
    rest, words = column, []
    unused = {option.name: option for option in list_options(kind)}
    while match := next(filter(None, (_parse_option(option, rest) for option in unused.values())), None):
        name, value, rest = match
        del unused[name]
        words.append(value if name == BARE else f"{name} {value}")
    return [*words, rest] if rest else words


def _parse_option(option: Option, text: str) -> tuple[str, str, str] | None:
    """Return the option's name, its value and the remaining text if a column begins with the option."""
    if option.kind == "choice" and option.keys:
        value = "|".join(sorted((re.escape(_column_word(key)) for key in option.keys if key), key=len, reverse=True))
    else:
        value = _VALUES.get(option.kind, "[^.]+")
    prefix = "" if option.name == BARE else f"{option.name}_"
    match = re.match(rf"{prefix}({value})(?:\.|$)", text)
    return None if match is None else (option.name, match[1], text[match.end() :])


def _short_name(argument: str) -> str:
    """Return the short name of a folder, file, hub id or column."""
    if "/" in argument or "\\" in argument or argument.endswith(".py"):
        path = PureWindowsPath(argument) if "\\" in argument else PurePosixPath(argument)
        return path.name.removesuffix(".py") or argument
    return argument


def _column_word(text: str) -> str:
    """Return a text as a part of a column's name; a text without letters or digits becomes a hash."""
    word = _FOREIGN.sub("_", text).strip("_.-")
    return word or hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=3).hexdigest()


def _tidy_column(column: str) -> str:
    column = _PARTED.sub(lambda match: "." if "." in match[0] else "-", column)
    return f"{column}_" if identify(column).kind is ScoreKind.EVIDENCE else column
