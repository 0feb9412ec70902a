"""Templates that let a judge write: a conversation about one sentence, whose next turn is a paraphrase of it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from parapluie_gui import places
from parapluie_gui.errors import TemplateError
from parapluie_gui.own_files import BUILT_IN, BrokenFile, read_folder
from parapluie_gui.pluie.examples import HYPOTHESIS, SOURCE
from parapluie_gui.pluie.turns import Turn, open_template, read_turns

#: Folder of these templates within the folder of templates, the program's or the user's.
FOLDER = "paraphrase"

#: Where the paraphrase stands in an answer.
PARAPHRASE = "{paraphrase}"

_KEYS = {"name", "title", "provenance", "answer", "max_new_tokens", "turn"}
_ORDER = ("MISTRAL-NAIVE", "LLAMA2-NAIVE")


@dataclass(frozen=True)
class WritingTemplate:
    """A conversation that a judge goes on with.

    Attributes:
        turns: With {source} where the sentence goes; the last is the user's.
        answer: The form of an answer, with {paraphrase} in it once; what stands around is taken off where it is there.
        max_new_tokens: Most tokens of an answer.
        origin: "built-in" or the user's file.
    """

    name: str
    turns: tuple[Turn, ...]
    answer: str = PARAPHRASE
    max_new_tokens: int = 128
    title: str = ""
    provenance: str = ""
    origin: str = BUILT_IN

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits that change with every word and limit."""
        text = json.dumps([[t.role, t.text] for t in self.turns] + [self.answer, self.max_new_tokens])
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    def paraphrase(self, written: str) -> str:
        """Return the paraphrase in what a judge wrote: its first line, without the form of an answer around it."""
        text = written.strip()
        before, _, after = (part.strip() for part in self.answer.partition(PARAPHRASE))
        pattern = r"\s*".join(map(re.escape, before.split()))
        if before and (found := re.match(pattern, text)):
            text = text[found.end() :]
        text = next(filter(None, map(str.strip, text.splitlines())), "")
        place = text.rfind(after) if after else -1
        return text[:place].strip() if place > 0 else text


def parse_writing_template(text: str, file: str = "template", origin: str = BUILT_IN) -> WritingTemplate:
    """Read one template from TOML text.

    Raises:
        TemplateError: It is not TOML, or no conversation in which a paraphrase of {source} comes next.
    """
    toml = open_template(text, file, _KEYS)
    data = toml.data
    answer, limit = data.get("answer", PARAPHRASE), data.get("max_new_tokens", 128)
    if not isinstance(answer, str) or answer.count(PARAPHRASE) != 1:
        raise toml.wrong(f'"answer" must be text in quotes with {PARAPHRASE} in it once', "answer")
    if type(limit) is not int or limit < 1:
        raise toml.wrong('"max_new_tokens" must be a whole number of 1 or more', "max_new_tokens")
    turns = read_turns(toml)
    words = "".join(turn.text for turn in turns)
    if any(turn.generate for turn in turns):
        raise toml.wrong("no turn is generated: the judge writes the one that comes after the last")
    if SOURCE not in words:
        raise toml.wrong(f"no turn contains {SOURCE}, so the judge would not see the sentence")
    if HYPOTHESIS in words:
        raise toml.wrong(f"there is no {HYPOTHESIS} yet: it is what the judge is to write")
    title, provenance = data.get("title", ""), data.get("provenance", "").strip()
    return WritingTemplate(data["name"], turns, answer, limit, title, provenance, origin)


def load_writing_templates(user_folder: Path | None = None) -> tuple[list[WritingTemplate], list[BrokenFile]]:
    """Return the built-in templates and those in `paraphrase` of the user's folder, and the files that are broken."""
    built_in = (places.resources() / "templates" / FOLDER).iterdir()
    good = [parse_writing_template(file.read_text(encoding="utf-8"), file.name) for file in built_in]
    good.sort(key=lambda template: _ORDER.index(template.name))
    own = None if user_folder is None else user_folder / FOLDER
    broken = read_folder(own, parse_writing_template, good)
    return good, broken


def find_writing_template(name: str, templates: Iterable[WritingTemplate]) -> WritingTemplate:
    """Return the template of this name, whatever its letters' case.

    Raises:
        TemplateError: It is not there; the message lists those that are.
    """
    there = list(templates)
    for template in there:
        if template.name.lower() == name.lower():
            return template
    names = ", ".join(template.name for template in there)
    raise TemplateError(f"There is no template {name} for writing; there are {names}.")
