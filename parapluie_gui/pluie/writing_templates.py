"""Templates for writing: a conversation about one sentence, whose next turn is a paraphrase of it."""

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
from parapluie_gui.pluie.turns import ChatTurn, open_template, read_turns

#: Subfolder of these templates in the folders of templates, the program's and the user's.
FOLDER = "paraphrase"

#: The placeholder for the paraphrase in an answer.
PARAPHRASE = "{paraphrase}"

_KEYS = {"name", "title", "provenance", "answer", "max_new_tokens", "turn"}
_ORDER = ("MISTRAL-NAIVE", "LLAMA2-NAIVE")


@dataclass(frozen=True)
class WritingTemplate:
    """A conversation that a judge continues with a paraphrase.

    Attributes:
        turns: The conversation, with {source} in place of the sentence; the last turn is the user's.
        answer: The form of an answer, which contains {paraphrase} once; the text around it is removed from answers.
        max_new_tokens: Maximum number of tokens of an answer.
        origin: "built-in" or the user's file.
    """

    name: str
    turns: tuple[ChatTurn, ...]
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
        """Return the paraphrase in a judge's text: the first line, without the words that surround it in `answer`."""
        text = written.strip()
        before, _, after = (part.strip() for part in self.answer.partition(PARAPHRASE))
        pattern = r"\s*".join(map(re.escape, before.split()))
        if before and (match := re.match(pattern, text)):
            text = text[match.end() :]
        text = next(filter(None, map(str.strip, text.splitlines())), "")
        place = text.rfind(after) if after else -1
        return text[:place].strip() if place > 0 else text


def parse_writing_template(text: str, file: str = "template", origin: str = BUILT_IN) -> WritingTemplate:
    """Read one template from TOML text.

    Raises:
        TemplateError: The text is not TOML, or is not a conversation that a paraphrase of {source} can continue.
    """
    toml = open_template(text, file, _KEYS)
    data = toml.data
    answer, limit = data.get("answer", PARAPHRASE), data.get("max_new_tokens", 128)
    if not isinstance(answer, str) or answer.count(PARAPHRASE) != 1:
        raise toml.wrong(f'"answer" must be text in quotes with {PARAPHRASE} in it once', "answer")
    if type(limit) is not int or limit < 1:
        raise toml.wrong('"max_new_tokens" must be a whole number of at least 1', "max_new_tokens")
    turns = read_turns(toml)
    words = "".join(turn.text for turn in turns)
    if any(turn.generate for turn in turns):
        raise toml.wrong("a turn is generated, but the judge writes only the turn after the last. Remove generate")
    if SOURCE not in words:
        raise toml.wrong(f"no turn contains {SOURCE}, so the judge would not see the sentence")
    if HYPOTHESIS in words:
        raise toml.wrong(f"a turn contains {HYPOTHESIS}, which the judge has yet to write. Remove it")
    title, provenance = data.get("title", ""), data.get("provenance", "").strip()
    return WritingTemplate(data["name"], turns, answer, limit, title, provenance, origin)


def load_writing_templates(user_folder: Path | None = None) -> tuple[list[WritingTemplate], list[BrokenFile]]:
    """Return the built-in templates and those in the user's subfolder `paraphrase`, and the broken files in it."""
    built_in = (places.resources() / "templates" / FOLDER).iterdir()
    good = [parse_writing_template(file.read_text(encoding="utf-8"), file.name) for file in built_in]
    good.sort(key=lambda template: _ORDER.index(template.name))
    own = None if user_folder is None else user_folder / FOLDER
    broken = read_folder(own, parse_writing_template, good)
    return good, broken


def find_writing_template(name: str, templates: Iterable[WritingTemplate]) -> WritingTemplate:
    """Return the template with this name, ignoring case.

    Raises:
        TemplateError: There is no template with this name; the message lists the names.
    """
    choices = list(templates)
    for template in choices:
        if template.name.lower() == name.lower():
            return template
    names = ", ".join(template.name for template in choices)
    raise TemplateError(f"There is no template {name} for writing; the templates are {names}.")
