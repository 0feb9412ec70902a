"""Prompt templates, read from TOML files: a conversation that ends in the judge's yes or no, or a text with a gap."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from parapluie_gui import places
from parapluie_gui.errors import TemplateError
from parapluie_gui.models.kind import CAUSAL, MASKED
from parapluie_gui.own_files import BUILT_IN, BrokenFile, TomlFile, read_folder
from parapluie_gui.pairs.language_names import language_name
from parapluie_gui.pluie.examples import ANSWER, HYPOTHESIS, SOURCE, ExampleDrawer, ExampleSettings, digest
from parapluie_gui.pluie.prompt import COLUMN_MARKS, EXAMPLES_MARK, HYPOTHESIS_MARK, SOURCE_MARK, clean
from parapluie_gui.pluie.turns import Turn, open_template, read_turns
from parapluie_gui.scores.identity import judge_column, reserved_ending

EXAMPLES = "{examples}"

#: Where the text of a further column of the corpus goes: its name in braces.
_PLACE = re.compile(r"\{([^\W\d_][^{}\n\"']*)\}")
_PAIR = (SOURCE, HYPOTHESIS, EXAMPLES)

_EXAMPLE_KEYS = {"file", "positives", "negatives", "seed", "text"}
_KEYS = {"name", "title", "provenance", "language", "yes", "no", "turn", "cloze", "examples"}

#: Behind a template's name: the judge reads the hypothesis where the source stands, and the source after it.
REVERSE = ",reverse"

#: In a cloze: where the model's own separator stands, and the gap that the answer fills.
SEPARATOR, GAP = "[SEP]", "[MASK]"


@dataclass(frozen=True)
class Template:
    """A ParaPLUIE template.

    Attributes:
        name: As on the command line ("FS-DIRECT").
        turns: The conversation up to the answer.
        yes, no: The two answers whose log-probabilities are compared; the paper compares one word with one word.
        origin: "built-in" or the user's file.
        cloze: The text with a gap, for masked models, with {source}, {hypothesis}, [SEP] and [MASK]; it has no turns.
        more_yes, more_no: Other spellings of the two answers; the probabilities of all spellings of one are summed.
        examples: Those drawn for each pair into the place of {examples}, if there are any.
        language: The ISO 639 code of the language it asks in; "" where it does not say.
    """

    name: str
    turns: tuple[Turn, ...]
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
        """All spellings of yes, and of no."""
        return (self.yes, *self.more_yes), (self.no, *self.more_no)

    @property
    def kind(self) -> str:
        """What judges it is for: CAUSAL or MASKED."""
        return MASKED if self.cloze else CAUSAL

    @property
    def columns(self) -> tuple[str, ...]:
        """The further columns of the corpus that the judge is shown, in the order in which they first stand there."""
        return _columns("\n".join(turn.text for turn in self.turns))

    def mark_turn(self, turn: Turn) -> str:
        """Return a turn's text with marks where the sentences, columns and drawn examples go."""
        return mark_text(turn.text, self.columns, drawn=self.examples is not None)

    @property
    def column(self) -> str:
        """The score column this template fills ("pluie.fs-direct")."""
        return judge_column(self.name)

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits that change with every word the judge is shown or compared on."""
        turns = [[t.role, t.text, t.generate, t.max_new_tokens if t.generate else 0] for t in self.turns]
        shown: list[object] = [self.cloze or turns, self.yes, self.no]
        # Added only where there are any: the digests of all other templates stay what they were.
        if self.more_yes or self.more_no:
            shown.append([self.more_yes, self.more_no])
        if self.examples is not None:
            shown.append(self.examples.identity)
        text = json.dumps(shown, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    def make_drawer(self) -> Callable[[str, str], str] | None:
        """Return what draws the examples for a source and a hypothesis, None where it has none.

        Raises:
            TemplateError: As `ExampleDrawer`.
        """
        return None if self.examples is None else ExampleDrawer(self.name, self.examples, self.yes, self.no).draw

    def swap_sentences(self) -> Template:
        """Return the template that asks the same with the two sentences in each other's places."""
        turns = tuple(replace(turn, text=_exchanged(turn.text)) for turn in self.turns)
        return replace(self, name=self.name + REVERSE, turns=turns, cloze=_exchanged(self.cloze))


def mark_text(text: str, columns: Sequence[str] = (), *, drawn: bool = False) -> str:
    """Return the text of a turn with marks where the sentences, columns and drawn examples go; see `Frame`."""
    marks = {SOURCE: SOURCE_MARK, HYPOTHESIS: HYPOTHESIS_MARK} | ({EXAMPLES: EXAMPLES_MARK} if drawn else {})
    marks |= {f"{{{name}}}": mark for name, mark in zip(columns, COLUMN_MARKS, strict=False)}
    return re.sub("|".join(map(re.escape, marks)), lambda found: marks[found[0]], clean(text))


def _columns(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found[1] for found in _PLACE.finditer(text) if found[0] not in _PAIR))


def _exchanged(text: str) -> str:
    others = {SOURCE: HYPOTHESIS, HYPOTHESIS: SOURCE}
    return re.sub("|".join(map(re.escape, others)), lambda found: others[found[0]], text)


def parse_template(text: str, file: str = "template", origin: str = BUILT_IN) -> Template:
    """Read one template from TOML text.

    Raises:
        TemplateError: It is not TOML, or neither a conversation that can end in an answer nor a text with a gap.
    """
    toml = open_template(text, file, _KEYS)
    name = toml.data["name"]
    if reserved_ending(name):
        what = f'the name ends in "{name[name.rindex(".") :]}", as columns of this program do. Choose another'
        raise toml.wrong(what, "name")
    language = toml.data.get("language", "")
    if not isinstance(language, str) or (language and language_name(language) == language):
        raise toml.wrong('"language" must be an ISO 639 code that is known here, such as "en"', "language")
    yes, no = (_spellings(toml, key, word) for key, word in (("yes", "Yes"), ("no", "No")))
    if not {each.strip() for each in yes}.isdisjoint(each.strip() for each in no):
        raise toml.wrong('"yes" and "no" must be two different words', "yes" if "yes" in toml.data else "no")
    turns: tuple[Turn, ...] = ()
    if "cloze" in toml.data:
        _check_cloze(toml)
    else:
        turns = read_turns(toml, "it has neither [[turn]] sections nor a cloze")
        _check_conversation(toml, turns)
    examples = _examples(toml, turns, origin)
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


def _spellings(toml: TomlFile, key: str, usual: str) -> tuple[str, ...]:
    """Return how an answer is spelt, the first spelling first."""
    given = toml.data.get(key, usual)
    found = given if isinstance(given, list) else [given]
    if not found or not all(isinstance(each, str) for each in found):
        raise toml.wrong(f'"{key}" must be text in quotes, or a list of such texts', key)
    if not all(each.strip() for each in found):
        raise toml.wrong('"yes" and "no" must be two different words', key)
    spellings: dict[str, str] = {}
    for each in found:
        spellings.setdefault(each.strip(), each)
    return tuple(spellings.values())


def _examples(toml: TomlFile, turns: tuple[Turn, ...], origin: str) -> ExampleSettings | None:
    placed = sum(turn.text.count(EXAMPLES) for turn in turns)
    table, where = toml.data.get("examples"), (("examples", 0),)
    if table is None:
        return None
    if not isinstance(table, dict) or not turns:
        raise toml.wrong("[examples] is a section of a template with [[turn]] sections", where=where)
    if unknown := sorted(set(table) - _EXAMPLE_KEYS):
        raise toml.wrong(
            f'[examples] has an unknown entry "{unknown[0]}"; it has {", ".join(sorted(_EXAMPLE_KEYS))}', where=where
        )
    if placed != 1:
        what = f"one turn must contain {EXAMPLES} once, where the examples go, and they contain it {placed} times"
        raise toml.wrong(what)
    file, text = table.get("file"), table.get("text")
    numbers = [table.get("positives", 2), table.get("negatives", 2), table.get("seed", 0)]
    if not all(type(number) is int and number >= 0 for number in numbers) or not sum(numbers[:2]):
        raise toml.wrong("[examples]: positives, negatives and seed are whole numbers, not all examples 0", where=where)
    if not isinstance(text, str) or not all(text.count(each) == 1 for each in (SOURCE, HYPOTHESIS, ANSWER)):
        raise toml.wrong(f"[examples]: text must contain {SOURCE}, {HYPOTHESIS} and {ANSWER} once each", where=where)
    if not isinstance(file, str) or not file:
        raise toml.wrong('[examples]: name the file of labelled pairs (file = "train.tsv")', where=where)
    path = Path(origin).parent / places.expand_user_path(file)
    try:
        if not path.is_file():
            raise OSError("there is no such file")
        checksum = digest(path)
    except OSError as error:
        raise toml.wrong(f"[examples]: {path} cannot be read ({error})", where=where) from error
    return ExampleSettings(str(path), checksum, numbers[0], numbers[1], text, numbers[2])


def _check_conversation(toml: TomlFile, turns: tuple[Turn, ...]) -> None:
    if sum(turn.generate for turn in turns) > 1:
        raise toml.wrong("only one turn can be generated")
    text = "".join(turn.text for turn in turns)
    for placeholder in (SOURCE, HYPOTHESIS):
        if placeholder not in text:
            raise toml.wrong(f"no turn contains {placeholder}, so the judge would not see that sentence")
    if len(columns := _columns(text)) > len(COLUMN_MARKS):
        raise toml.wrong(f"it shows {len(columns)} columns of the corpus, and {len(COLUMN_MARKS)} is the most")
    generated = next((number for number, turn in enumerate(turns) if turn.generate), None)
    if generated is not None and any(
        each in turn.text or _columns(turn.text) for turn in turns[generated:] for each in (SOURCE, HYPOTHESIS)
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
            raise toml.wrong(f"the cloze must contain {placeholder} once, and it contains it {count} times", "cloze")
    if columns := _columns(text):
        what = f"a cloze shows two sentences: {{{columns[0]}}} is for templates with [[turn]] sections"
        raise toml.wrong(what, "cloze")


def load_templates(user_folder: Path | None = None) -> tuple[list[Template], list[BrokenFile]]:
    """Return the built-in templates and those of the user's folder, if it is there, and the files that are broken."""
    good = list(built_in_templates())
    return good, read_folder(user_folder, parse_template, good)


@cache
def built_in_templates() -> tuple[Template, ...]:
    """Return the templates that come with the program."""
    files = [file for file in (places.resources() / "templates").iterdir() if file.name.endswith(".toml")]
    good = [parse_template(file.read_text(encoding="utf-8"), file.name) for file in files]
    places_of = {name: place for place, name in enumerate(_ORDER)}
    return tuple(sorted(good, key=lambda each: (places_of.get(each.name, len(_ORDER)), each.name)))


#: The order of every list; the paper's own templates come first.
_ORDER = (
    *("DIRECT", "INDIRECT", "FS-DIRECT", "FS-DIRECT_FR"),
    *("P1", "P2", "P3", "P1-ICL_K4", "P2-ICL_K4", "P3-ICL_K4"),
    "CLOZE",
)


def find_templates(names: Iterable[str], templates: Iterable[Template]) -> tuple[Template, ...]:
    """Return the templates of these names, whatever their letters' case; NAME,reverse is one with the hypothesis first.

    Raises:
        TemplateError: A name is not there; the message lists those that are.
    """
    by_name = {template.name.lower(): template for template in templates}
    found: dict[str, Template] = {}
    for wanted in names:
        name, _, variant = wanted.lower().partition(",")
        if name not in by_name:
            there = ", ".join(template.name for template in by_name.values())
            raise TemplateError(f"There is no template {wanted.partition(',')[0]}; there are {there}.")
        if variant not in ("", REVERSE[1:]):
            raise TemplateError(f'A template has no variant "{variant}". Write {by_name[name].name}{REVERSE}.')
        one = by_name[name].swap_sentences() if variant else by_name[name]
        found[one.name] = one
    return tuple(found.values())


def check_template_kinds(kind: str, name: str, templates: Sequence[Template]) -> tuple[Template, ...]:
    """Return the templates, provided that all of them are for judges of this kind, CAUSAL or MASKED.

    Raises:
        TemplateError: One asks for a conversation with a model that fills gaps, or the other way round.
    """
    for template in templates:
        if template.kind != kind:
            what = "fills gaps in texts, and" if kind == MASKED else "writes text, and"
            other = "a conversation" if template.kind == CAUSAL else "a cloze"
            usual = ", ".join(USUAL_TEMPLATES[kind])
            raise TemplateError(f"{name} {what} {template.name} is {other}. Use {usual} or another judge.")
    return tuple(templates)


#: What is asked when the user names no template.
USUAL_TEMPLATES = {CAUSAL: ("DIRECT", "FS-DIRECT"), MASKED: ("CLOZE",)}
