"""Prompt templates, read from TOML files: conversations that end in the judge's yes or no, or texts with a gap."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from parapluie_gui import places
from parapluie_gui.errors import TemplateError
from parapluie_gui.models.kind import CAUSAL, MASKED
from parapluie_gui.own_files import BUILT_IN, BrokenFile, TomlFile, read_folder
from parapluie_gui.pairs.language_names import language_name
from parapluie_gui.pluie.examples import ANSWER, HYPOTHESIS, SOURCE, ExampleDrawer, ExampleSettings, hash_file
from parapluie_gui.pluie.prompt import COLUMN_MARKS, EXAMPLES_MARK, HYPOTHESIS_MARK, SOURCE_MARK, clean
from parapluie_gui.pluie.turns import ChatTurn, open_template, read_turns
from parapluie_gui.scores.identity import judge_column, reserved_ending

EXAMPLES = "{examples}"

#: The placeholder for a further column's text: the column's name in braces.
_COLUMN_PLACE = re.compile(r"\{([^\W\d_][^{}\n\"']*)\}")
_PAIR = (SOURCE, HYPOTHESIS, EXAMPLES)

_EXAMPLE_KEYS = {"file", "positives", "negatives", "seed", "text"}
_KEYS = {"name", "title", "provenance", "language", "yes", "no", "turn", "cloze", "examples"}

#: Ending of a template's name for the variant in which the two sentences are swapped.
REVERSE = ",reverse"

#: Placeholders in a cloze for the model's own separator and for the answer.
SEPARATOR, GAP = "[SEP]", "[MASK]"


@dataclass(frozen=True)
class Template:
    """A ParaPLUIE template.

    Attributes:
        name: The name, as on the command line ("FS-DIRECT").
        turns: The conversation up to the answer; () for a cloze.
        yes, no: The two answers whose log-probabilities are compared; in the paper, each answer is one word.
        origin: "built-in" or the user's file.
        cloze: The text with a gap, for masked models, with {source}, {hypothesis}, [SEP] and [MASK]; "" for turns.
        more_yes, more_no: Further spellings of the two answers; the probabilities of an answer's spellings are summed.
        examples: The settings of the examples that replace {examples}, or None.
        language: ISO 639 code of the template's language; "" if it is not named.
    """

    name: str
    turns: tuple[ChatTurn, ...]
    yes: str = "Yes"
    no: str = "No"
    title: str = ""
    provenance: str = ""
    origin: str = BUILT_IN
    cloze: str = ""
    more_yes: tuple[str, ...] = ()
    more_no: tuple[str, ...] = ()
    examples: ExampleSettings | None = None
    language: str = ""

    @property
    def spellings(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """All spellings of yes and of no."""
        return (self.yes, *self.more_yes), (self.no, *self.more_no)

    @property
    def kind(self) -> str:
        """The kind of judges that the template is for: CAUSAL or MASKED."""
        return MASKED if self.cloze else CAUSAL

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the further corpus columns in the turns, in the order of their first occurrence."""
        return _find_columns("\n".join(turn.text for turn in self.turns))

    def mark_turn(self, turn: ChatTurn) -> str:
        """Return a turn's text with placeholders for the sentences, columns and drawn examples."""
        return mark_text(turn.text, self.columns, drawn=self.examples is not None)

    @property
    def column(self) -> str:
        """Name of the template's score column ("pluie.fs-direct")."""
        return judge_column(self.name)

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits that change with every word of the prompt and the answers."""
        turns = [[t.role, t.text, t.generate, t.max_new_tokens if t.generate else 0] for t in self.turns]
        shown: list[object] = [self.cloze or turns, self.yes, self.no]
        # Added only if there are any, so that the digests of all other templates stay the same.
        if self.more_yes or self.more_no:
            shown.append([self.more_yes, self.more_no])
        if self.examples is not None:
            shown.append(self.examples.identity)
        text = json.dumps(shown, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    def make_drawer(self) -> Callable[[str, str], str] | None:
        """Return the function that draws the examples for a source and a hypothesis, None without examples.

        Raises:
            TemplateError: The examples cannot be drawn; see `ExampleDrawer`.
        """
        return None if self.examples is None else ExampleDrawer(self.name, self.examples, self.yes, self.no).draw

    def swap_sentences(self) -> Template:
        """Return the template with the two sentences swapped."""
        turns = tuple(replace(turn, text=_exchange_places(turn.text)) for turn in self.turns)
        return replace(self, name=self.name + REVERSE, turns=turns, cloze=_exchange_places(self.cloze))


def mark_text(text: str, columns: Sequence[str] = (), *, drawn: bool = False) -> str:
    """Return the text of a turn with placeholders for sentences, columns and drawn examples; see `PromptFrame`."""
    marks = {SOURCE: SOURCE_MARK, HYPOTHESIS: HYPOTHESIS_MARK} | ({EXAMPLES: EXAMPLES_MARK} if drawn else {})
    marks |= {f"{{{name}}}": mark for name, mark in zip(columns, COLUMN_MARKS, strict=False)}
    return re.sub("|".join(map(re.escape, marks)), lambda match: marks[match[0]], clean(text))


def _find_columns(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(match[1] for match in _COLUMN_PLACE.finditer(text) if match[0] not in _PAIR))


def _exchange_places(text: str) -> str:
    others = {SOURCE: HYPOTHESIS, HYPOTHESIS: SOURCE}
    return re.sub("|".join(map(re.escape, others)), lambda match: others[match[0]], text)


def parse_template(text: str, file: str = "template", origin: str = BUILT_IN) -> Template:
    """Read one template from TOML text.

    Raises:
        TemplateError: The text is not TOML, or is neither a conversation that leads to an answer nor a text with a gap.
    """
    toml = open_template(text, file, _KEYS)
    name = toml.data["name"]
    if reserved_ending(name):
        what = f'the name ends in "{name[name.rindex(".") :]}", like columns of this program. Choose another name'
        raise toml.wrong(what, "name")
    language = toml.data.get("language", "")
    if not isinstance(language, str) or (language and language_name(language) == language):
        raise toml.wrong('"language" must be a known ISO 639 code, such as "en"', "language")
    yes, no = (_read_spellings(toml, key, word) for key, word in (("yes", "Yes"), ("no", "No")))
    if not {word.strip() for word in yes}.isdisjoint(word.strip() for word in no):
        raise toml.wrong('"yes" and "no" must be two different words', "yes" if "yes" in toml.data else "no")
    turns: tuple[ChatTurn, ...] = ()
    if "cloze" in toml.data:
        _check_cloze(toml)
    else:
        turns = read_turns(toml, "it has neither [[turn]] sections nor a cloze")
        _check_conversation(toml, turns)
    examples = _read_examples(toml, turns, origin)
    return Template(
        name=name,
        turns=turns,
        yes=yes[0],
        no=no[0],
        title=toml.data.get("title", ""),
        provenance=toml.data.get("provenance", "").strip(),
        origin=origin,
        cloze=toml.data.get("cloze", ""),
        more_yes=yes[1:],
        more_no=no[1:],
        examples=examples,
        language=language,
    )


def _read_spellings(toml: TomlFile, key: str, usual: str) -> tuple[str, ...]:
    """Return the spellings of an answer, without repetitions."""
    value = toml.data.get(key, usual)
    words = value if isinstance(value, list) else [value]
    if not words or not all(isinstance(word, str) for word in words):
        raise toml.wrong(f'"{key}" must be text in quotes, or a list of such texts', key)
    if not all(word.strip() for word in words):
        raise toml.wrong('"yes" and "no" must be two different words', key)
    spellings: dict[str, str] = {}
    for word in words:
        spellings.setdefault(word.strip(), word)
    return tuple(spellings.values())


def _read_examples(toml: TomlFile, turns: tuple[ChatTurn, ...], origin: str) -> ExampleSettings | None:
    placed = sum(turn.text.count(EXAMPLES) for turn in turns)
    table, where = toml.data.get("examples"), (("examples", 0),)
    if table is None:
        return None
    if not isinstance(table, dict) or not turns:
        raise toml.wrong("[examples] is allowed only in a template with [[turn]] sections", where=where)
    if unknown := sorted(set(table) - _EXAMPLE_KEYS):
        raise toml.wrong(
            f'[examples] has an unknown entry "{unknown[0]}"; it has {", ".join(sorted(_EXAMPLE_KEYS))}', where=where
        )
    if placed != 1:
        what = (
            f"one turn must contain {EXAMPLES} once, as the place of the examples, but the turns contain it "
            f"{placed} times"
        )
        raise toml.wrong(what)
    file, text = table.get("file"), table.get("text")
    numbers = [table.get("positives", 2), table.get("negatives", 2), table.get("seed", 0)]
    if not all(type(number) is int and number >= 0 for number in numbers) or not sum(numbers[:2]):
        raise toml.wrong(
            "[examples]: positives, negatives and seed must be whole numbers, and positives and negatives must not "
            "both be 0",
            where=where,
        )
    if not isinstance(text, str) or not all(text.count(place) == 1 for place in (SOURCE, HYPOTHESIS, ANSWER)):
        raise toml.wrong(f"[examples]: text must contain {SOURCE}, {HYPOTHESIS} and {ANSWER} once each", where=where)
    if not isinstance(file, str) or not file:
        raise toml.wrong('[examples]: name the file of labelled pairs (file = "train.tsv")', where=where)
    path = Path(origin).parent / places.expand_user_path(file)
    try:
        if not path.is_file():
            raise OSError("there is no such file")
        checksum = hash_file(path)
    except OSError as error:
        raise toml.wrong(f"[examples]: {path} cannot be read ({error})", where=where) from error
    return ExampleSettings(str(path), checksum, numbers[0], numbers[1], text, numbers[2])


def _check_conversation(toml: TomlFile, turns: tuple[ChatTurn, ...]) -> None:
    if sum(turn.generate for turn in turns) > 1:
        raise toml.wrong("only one turn can be generated")
    text = "".join(turn.text for turn in turns)
    for placeholder in (SOURCE, HYPOTHESIS):
        if placeholder not in text:
            raise toml.wrong(f"no turn contains {placeholder}, so the judge would not see that sentence")
    if len(columns := _find_columns(text)) > len(COLUMN_MARKS):
        raise toml.wrong(f"it shows {len(columns)} columns of the corpus; the limit is {len(COLUMN_MARKS)}")
    generated = next((number for number, turn in enumerate(turns) if turn.generate), None)
    if generated is not None and any(
        place in turn.text or _find_columns(turn.text) for turn in turns[generated:] for place in (SOURCE, HYPOTHESIS)
    ):
        raise toml.wrong("sentences cannot come after the generated turn")


def _check_cloze(toml: TomlFile) -> None:
    text = toml.data["cloze"]
    if not isinstance(text, str):
        raise toml.wrong('"cloze" must be text in quotes', "cloze")
    if "turn" in toml.data:
        raise toml.wrong("a cloze has no [[turn]] sections: it is one text with a gap", "cloze")
    for placeholder in (SOURCE, HYPOTHESIS, GAP):
        if (count := text.count(placeholder)) != 1:
            raise toml.wrong(f"the cloze must contain {placeholder} once, but it contains it {count} times", "cloze")
    if columns := _find_columns(text):
        what = f"a cloze shows two sentences: {{{columns[0]}}} is for templates with [[turn]] sections"
        raise toml.wrong(what, "cloze")


def load_templates(user_folder: Path | None = None) -> tuple[list[Template], list[BrokenFile]]:
    """Return the built-in templates and those of the user's folder, if it exists, and the broken files in it."""
    good = list(built_in_templates())
    return good, read_folder(user_folder, parse_template, good)


@cache
def built_in_templates() -> tuple[Template, ...]:
    """Return the templates that come with the program."""
    files = [file for file in (places.resources() / "templates").iterdir() if file.name.endswith(".toml")]
    good = [parse_template(file.read_text(encoding="utf-8"), file.name) for file in files]
    ranks = {name: rank for rank, name in enumerate(_ORDER)}
    return tuple(sorted(good, key=lambda template: (ranks.get(template.name, len(_ORDER)), template.name)))


#: The order in lists; the paper's own templates come first.
_ORDER = (
    *("DIRECT", "INDIRECT", "FS-DIRECT", "FS-FRENCH"),
    *("P1", "P2", "P3", "P1-ICL_K4", "P2-ICL_K4", "P3-ICL_K4"),
    "CLOZE",
)


#: Former names of built-in templates, and the present ones. A template of the user with the former name comes first.
FORMER_NAMES = {"FS-DIRECT_FR": "FS-FRENCH"}


def current_template_name(name: str, names: Container[str]) -> str:
    """Return the present name of a template that was renamed, unless one of `names` is its former name."""
    return name if name in names else FORMER_NAMES.get(name.upper(), name)


def find_templates(names: Iterable[str], templates: Iterable[Template]) -> tuple[Template, ...]:
    """Return the templates with these names, ignoring case; NAME,reverse has the sentences swapped.

    Raises:
        TemplateError: There is no template with a name; the message lists the names.
    """
    by_name = {template.name.lower(): template for template in templates}
    chosen: dict[str, Template] = {}
    for wanted in names:
        name, _, variant = wanted.lower().partition(",")
        name = current_template_name(name, by_name).lower()
        if name not in by_name:
            there = ", ".join(template.name for template in by_name.values())
            raise TemplateError(f"There is no template {wanted.partition(',')[0]}; the templates are {there}.")
        if variant not in ("", REVERSE[1:]):
            raise TemplateError(f'A template has no variant "{variant}". Write {by_name[name].name}{REVERSE}.')
        template = by_name[name].swap_sentences() if variant else by_name[name]
        chosen[template.name] = template
    return tuple(chosen.values())


def check_template_kinds(kind: str, name: str, templates: Sequence[Template]) -> tuple[Template, ...]:
    """Return the templates after checking that all of them are for judges of this kind, CAUSAL or MASKED.

    Raises:
        TemplateError: A template is a conversation and the model fills gaps, or the other way round.
    """
    for template in templates:
        if template.kind != kind:
            what = "fills gaps in texts, and" if kind == MASKED else "writes text, and"
            other = "a conversation" if template.kind == CAUSAL else "a cloze"
            usual = ", ".join(USUAL_TEMPLATES[kind])
            raise TemplateError(f"{name} {what} {template.name} is {other}. Use {usual} or a different judge.")
    return tuple(templates)


#: The templates that are used if the user names none.
USUAL_TEMPLATES = {CAUSAL: ("DIRECT", "FS-DIRECT"), MASKED: ("CLOZE",)}
