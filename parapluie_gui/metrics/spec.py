"""How a metric is asked for in one string: `bleu`, `bleu.ref`, `bertscore,layer=9:FOLDER`, `external:COLUMN`."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from parapluie_gui.errors import MetricError
from parapluie_gui.options import Option, described
from parapluie_gui.scores.identity import Kind, identify

#: Behind an id: the hypothesis is scored against the corpus's reference instead of the source.
REFERENCE = ".ref"

#: The option that names the column, which every metric has.
AS = "as"

#: The option whose value stands in the column without its name: bertscore.p.
BARE = "part"

_SPEC = re.compile(
    r"(?P<id>\w[\w-]*)(?P<reference>\.ref)?(?P<options>(?:,[a-z_]+=[^,:]*)*)(?::(?P<argument>.*))?", re.DOTALL
)
#: Values as they stand in a column's name, by the option's kind.
_VALUES = {
    "integer": r"-?\d+",
    "number": r"-?\d*\.?\d+(?:e-?\d+)?",
    "switch": "(?i:on|off|yes|no|true|false|1|0)",
}
_FOREIGN = re.compile(r"[^\w.-]+")
_PARTED = re.compile(r"[.-]*[.][.-]*|-{2,}")


@dataclass(frozen=True)
class Spec:
    """The specification of a metric, `ID[.ref][,OPTION=VALUE]...[:ARGUMENT]`.

    Attributes:
        id: The metric's id in the catalogue.
        reference: Whether the hypothesis is scored against the reference (`.ref`).
        options: Names and values in the order given; `as` names the column.
        argument: What stands after the colon: a model's folder or hub id, a column, a file; "" for none.
    """

    id: str
    reference: bool = False
    options: tuple[tuple[str, str], ...] = ()
    argument: str = ""

    @classmethod
    def parse(cls, text: str) -> Spec:
        """Read a spec.

        Raises:
            MetricError: It is not of that form.
        """
        found = _SPEC.fullmatch(text.strip())
        if found is None:
            raise MetricError(
                f'"{text}" names no metric. Write an id, then what it takes: bleu, bleu.ref, bertscore,layer=9:FOLDER.'
            )
        options = tuple(
            (name, value) for name, _, value in (part.partition("=") for part in found["options"].split(",")[1:])
        )
        return cls(found["id"], bool(found["reference"]), options, found["argument"] or "")

    def __str__(self) -> str:
        options = "".join(f",{name}={value}" for name, value in self.options)
        return f"{self.id}{REFERENCE if self.reference else ''}{options}{f':{self.argument}' if self.argument else ''}"

    def values(self, title: str, kind: type[Any]) -> dict[str, Any]:
        """Return the values of its options by their names, as a dataclass of options has them.

        Raises:
            MetricError: The metric, called `title`, has no such option, or it takes no such value.
        """
        own = {each.name: each for each in described(kind)}
        found = {}
        for name, text in self.options:
            if name == AS:
                continue
            if name not in own:
                there = f"its options are {', '.join(own)}" if own else f"it has none but {AS}=NAME"
                raise MetricError(f'{title} has no option "{name}"; {there}.')
            try:
                found[name] = own[name].read(text)
            except ValueError:
                raise MetricError(f'{title} takes {own[name].expected} for {name}, not "{text}".') from None
        return found

    @property
    def column(self) -> str:
        """The score column: `bleu`, `bleu.ref`, `bertscore.layer_9.bert-base-uncased`, `external.gpt4_P1`.

        Made of word characters, dots and inner hyphens, so that a filter needs no backticks. Two specs can have the
        same column (two folders of one name); the option `as` then names one of them: `bertscore,as=mine:FOLDER`.
        """
        head = f"{self.id}{REFERENCE if self.reference else ''}"
        own = dict(self.options).get(AS)
        if own is not None:
            return _tidy(f"{head}.{_word(own)}")
        parts = [_word(value if name == BARE else f"{name}_{value}") for name, value in self.options]
        if self.argument:
            parts.append(_word(_last_name(self.argument)))
        return _tidy(".".join([head, *parts]))


def chosen_words(column: str, kind: type[Any]) -> list[str]:
    """Return what the name of a variant's column says that was chosen, for a person: "layer 9", "p", a model's name.

    Args:
        column: What follows the metric's id and `.ref`: "layer_9.p.bert-base-uncased".
        kind: The dataclass of the metric's options.
    """
    rest, words = column, []
    left = {each.name: each for each in described(kind)}
    while found := next(filter(None, (_leading(option, rest) for option in left.values())), None):
        name, value, rest = found
        del left[name]
        words.append(value if name == BARE else f"{name} {value}")
    return [*words, rest] if rest else words


def _leading(option: Option, text: str) -> tuple[str, str, str] | None:
    """Return the option's name, its value and what follows, where a column's name begins with it."""
    if option.kind == "choice" and option.keys:
        value = "|".join(sorted((re.escape(_word(key)) for key in option.keys if key), key=len, reverse=True))
    else:
        value = _VALUES.get(option.kind, "[^.]+")
    prefix = "" if option.name == BARE else f"{option.name}_"
    found = re.match(rf"{prefix}({value})(?:\.|$)", text)
    return None if found is None else (option.name, found[1], text[found.end() :])


def _last_name(argument: str) -> str:
    """Return what a person would call a folder, file, hub id or column."""
    if "/" in argument or "\\" in argument or argument.endswith(".py"):
        path = PureWindowsPath(argument) if "\\" in argument else PurePosixPath(argument)
        return path.name.removesuffix(".py") or argument
    return argument


def _word(text: str) -> str:
    """Return a text as a part of a column's name; one of signs only becomes a number that stands for it."""
    word = _FOREIGN.sub("_", text).strip("_.-")
    return word or hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=3).hexdigest()


def _tidy(column: str) -> str:
    column = _PARTED.sub(lambda found: "." if "." in found[0] else "-", column)
    return f"{column}_" if identify(column).kind is Kind.EVIDENCE else column
