"""From a template to a model's own chat format: the frame of the prompt and the token ids of the two answers."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

from parapluie_gui.errors import TemplateError, join_words
from parapluie_gui.pluie.prompt import (
    ANSWER_MARK,
    EXPLANATION_MARK,
    HYPOTHESIS_MARK,
    MARKS,
    SOURCE_MARK,
    PromptFrame,
)
from parapluie_gui.pluie.templates import Template, mark_text
from parapluie_gui.pluie.thoughts import closing_of_open_thought
from parapluie_gui.pluie.turns import Turn

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

#: Turn markers as chat templates write them, for those that are plain text to the tokeniser ("[INST]" of Mistral v0.2).
_MARKUP = re.compile(r"<\|[^|<>\s]{1,40}\|>|\[/?[A-Z_]{2,30}\]|<</?SYS>>|</?s>|<(?:start|end)_of_turn>")
_PLAIN_ROLES = {"system": "System", "user": "User", "assistant": "Assistant"}
#: Longest line of a chat format between two turns that counts as a turn marker.
_MARKER_LENGTH = 40
#: For chat templates that print today's date: a score must not change overnight. Llama 3's own default.
_TODAY = datetime.date(2024, 7, 26)
_DATE = re.compile(r"""strftime_now\(\s*(["'])(.*?)\1\s*\)""")

Message = dict[str, str]


@dataclass(frozen=True)
class AnswerSpelling:
    """One spelling of an answer, and its token ids where it stands after the prompt."""

    text: str
    ids: tuple[int, ...]


@dataclass(frozen=True)
class RenderedTemplate:
    """A template as one model reads it.

    Attributes:
        frame: The prompt up to the answer.
        before: The prompt up to the generated turn (INDIRECT), or None.
        spellings: Those of yes and those of no, one or more each.
        drop: How many of the prompt's last tokens melt into the answers' first token and belong to them (usually 0).
        notices: Sentences on what had to be done otherwise than the template says, for the user.
    """

    frame: PromptFrame
    before: PromptFrame | None
    spellings: tuple[tuple[AnswerSpelling, ...], tuple[AnswerSpelling, ...]]
    drop: int = 0
    max_new_tokens: int = 128
    notices: tuple[str, ...] = ()

    @property
    def one_token(self) -> bool:
        """True if all answers are single tokens, so that one position holds them."""
        return self.most_tokens == 1

    @property
    def most_tokens(self) -> int:
        """Tokens of the longest answer."""
        return max(len(each.ids) for side in self.spellings for each in side)


class TemplateRenderer:
    """Renders templates for one tokeniser; `control_ids` may be in the frame of a prompt only, never in a sentence."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase) -> None:
        self.tokenizer = tokenizer
        self._notices: list[str] = []
        form = _chat_template(tokenizer)
        self.has_chat = bool(form)
        self._chat_template = _DATE.sub(lambda found: repr(_TODAY.strftime(found[2])), form)
        self._dated = self._chat_template != form
        self._controls = tuple(sorted({*control_strings(tokenizer), *self._turn_markers()}))
        # Not the unknown token: ordinary text that the vocabulary lacks may turn into it.
        self.control_ids = frozenset(
            id
            for id, token in tokenizer.added_tokens_decoder.items()
            if token.content in self._controls and id != tokenizer.unk_token_id
        )

    def render(self, template: Template) -> RenderedTemplate:
        """Return the template's frame and answers for this model.

        Raises:
            TemplateError: The model's chat template cannot render this conversation.
        """
        self._notices.clear()
        if not self.has_chat:
            self._notice("This model has no chat template: the turns are given as plain text (User: … Assistant: …).")
        if self._dated:
            self._notice(f"This model's chat format prints the date; it is always given {_TODAY:%d %B %Y}.")
        messages = [_message(turn, template.mark_turn(turn)) for turn in template.turns]
        prompt, glue = self._opened(messages, template.name)
        # What a chat format writes before an answer belongs to the prompt, but white space may melt into the answer.
        for kept in (glue, glue.rstrip()):
            space = glue[len(kept) :]
            spellings, drop = self._answers(prompt + kept, space, template)
            if not drop:
                break
        if any(len(each.ids) > 1 for side in spellings for each in side):
            words = [f"“{each.text}”" for each in _parted(spellings)]
            several = "are not one token each" if len(words) > 1 else "is not one token"
            self._notice(
                f"{template.name}: {join_words(words)} {several} for this model; "
                "the log-probabilities of the tokens are summed."
            )
        before, limit = None, 0
        for number, turn in enumerate(template.turns):
            if turn.generate:
                before = replace(self._before(messages[:number], template.name), columns=template.columns)
                limit = turn.max_new_tokens
        frame = PromptFrame(prompt + kept, self._controls, template.columns)
        return RenderedTemplate(frame, before, spellings, drop, limit, tuple(self._notices))

    def render_opening(self, turns: Sequence[Turn], name: str) -> tuple[PromptFrame, tuple[str, ...]]:
        """Return the prompt after which the judge writes, and sentences on what had to be done otherwise.

        Raises:
            TemplateError: The model's chat template cannot render this conversation.
        """
        self._notices.clear()
        return self._before([_message(turn, mark_text(turn.text)) for turn in turns], name), tuple(self._notices)

    def _before(self, messages: list[Message], name: str) -> PromptFrame:
        return PromptFrame("".join(self._opened(messages, name)).rstrip(" "), self._controls)

    def extract_own_turn(self, written: str) -> str:
        """Return what the judge wrote in its own turn; without a chat template it may go on with the user's next."""
        if not self.has_chat:
            written = re.split(rf"\n(?:{'|'.join(_PLAIN_ROLES.values())}):", f"\n{written}", maxsplit=1)[0]
        return written.strip()

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the token ids of rendered prompts; special tokens are those already written in the text."""
        ids: list[list[int]] = self.tokenizer(list(texts), add_special_tokens=False)["input_ids"]
        return ids

    def _text(self, messages: list[Message], name: str) -> tuple[str, list[Message]]:
        """Render messages up to the place where the assistant speaks next; also return them as the format takes them.

        Raises:
            TemplateError: The model's chat template cannot render this conversation.
        """
        if not self.has_chat:
            return self._plain(messages, answer=False), messages
        system = messages[0]["content"] if messages[0]["role"] == "system" else None
        try:
            text = self._chat(messages, answer=False)
        except Exception as error:  # chat templates raise whatever their author wrote
            if system is None:
                raise _refused(name, error) from error
        else:
            if system is None or system.strip() in text:
                return self._whole(text, messages, name), messages
        self._notice("This model takes no system turn: it is put at the head of the first user turn.")
        folded = [{"role": "user", "content": f"{system}\n\n{messages[1]['content']}"}, *messages[2:]]
        try:
            text = self._chat(folded, answer=False)
        except Exception as error:
            raise _refused(name, error) from error
        return self._whole(text, folded, name), folded

    def _chat(self, messages: list[Message], *, answer: bool) -> str:
        text = self.tokenizer.apply_chat_template(
            messages,
            chat_template=self._chat_template,
            tokenize=False,
            add_generation_prompt=not answer,
            enable_thinking=False,
        )
        assert isinstance(text, str)
        return text

    def _whole(self, text: str, messages: list[Message], name: str) -> str:
        """Return the rendering, provided that the judge sees the sentences in it."""
        for message in messages:
            if message["content"].strip() in text:
                continue
            if any(mark in message["content"] and mark not in text for mark in MARKS):
                raise TemplateError(
                    f"{name}: this model's chat template leaves out the sentences. Use another template."
                )
            self._notice(f"{name}: this model's chat template leaves out or changes a turn of the conversation.")
        return text

    def _plain(self, messages: list[Message], *, answer: bool) -> str:
        bos = self.tokenizer.bos_token_id
        begins = bos is not None and self.tokenizer("a")["input_ids"][:1] == [bos]
        turns = [f"{_PLAIN_ROLES[message['role']]}: {message['content']}\n" for message in messages]
        return ((self.tokenizer.bos_token or "") if begins else "") + "".join(turns) + ("" if answer else "Assistant:")

    def _opened(self, messages: list[Message], name: str) -> tuple[str, str]:
        """Return the prompt, and what the model's format writes between it and an answer (" " for Mistral).

        Raises:
            TemplateError: The format opens a thought that it cannot leave empty.
        """
        prompt, asked = self._text(messages, name)
        glue = self._glue(prompt, asked)
        closing = closing_of_open_thought(_tail(prompt, asked) + (glue or ""))
        if closing is not None:
            added = {token.content for token in self.tokenizer.added_tokens_decoder.values()}
            if closing not in self._chat_template and closing not in added:
                raise TemplateError(
                    f"{name}: this model thinks before it answers, and its chat format has nothing that ends a "
                    "thought. Choose another model."
                )
            self._notice("This model's chat format opens a thought: it is closed empty, so that the answer comes next.")
            return prompt + ("" if prompt.endswith("\n") else "\n") + f"\n{closing}\n\n", ""
        if glue is None:
            self._notice(
                "This model's chat format opens an answer differently from how it records one. The opening is used."
            )
        return prompt, glue or ""

    def _glue(self, prompt: str, asked: list[Message]) -> str | None:
        """Return what the format writes between the prompt and an answer, None where it records answers otherwise."""
        answered = [*asked, {"role": "assistant", "content": ANSWER_MARK}]
        if not self.has_chat:
            whole = self._plain(answered, answer=True)
        else:
            try:
                whole = self._chat(answered, answer=True)
            except Exception:  # a format that records no answers, or none here
                return None
        answer = whole.rfind(ANSWER_MARK)
        if answer < 0:
            return None
        # Mistral since 0.3 puts the system turn at the last turn, where that is the user's: only the ends are compared.
        for opened, recorded in ((prompt, whole[:answer]), (_tail(prompt, asked), _tail(whole[:answer], asked))):
            if opened and recorded.startswith(opened):
                return recorded[len(opened) :]
        return None

    def _turn_markers(self) -> set[str]:
        """Return the lines that the chat format writes between turns, plain text to the tokeniser as they may be."""
        marks = [SOURCE_MARK, HYPOTHESIS_MARK, EXPLANATION_MARK]
        turns = [
            {"role": role, "content": mark} for role, mark in zip(("user", "assistant", "user"), marks, strict=True)
        ]
        if not self.has_chat:
            return set()
        try:
            text = self._chat(turns, answer=False)
        except Exception:  # a format for other conversations; rendering the template will say so
            return set()
        between = re.split("|".join(marks), text)[1:]
        lines = {line.strip() for part in between for line in part.splitlines()}
        return {line for line in lines if 4 <= len(line) <= _MARKER_LENGTH and not line.isalnum()}

    def _answers(
        self, prompt: str, space: str, template: Template
    ) -> tuple[tuple[tuple[AnswerSpelling, ...], tuple[AnswerSpelling, ...]], int]:
        """Take the answers' ids from the rendered conversation, where they stand right after the prompt."""
        texts = [text for side in template.spellings for text in side]
        ids, *whole = self.encode([prompt, *(prompt + space + text for text in texts)])
        shared = min(common_prefix(ids, each) for each in whole)
        found = [AnswerSpelling(text, tuple(each[shared:])) for text, each in zip(texts, whole, strict=True)]
        cut = len(template.spellings[0])
        yes, no = _distinct(found[:cut]), _distinct(found[cut:])
        for one, other in product(yes, no):
            if one.ids == other.ids:
                raise TemplateError(
                    f"{template.name}: “{one.text}” and “{other.text}” are the same word for this model."
                )
        return (yes, no), len(ids) - shared

    def _notice(self, text: str) -> None:
        if text not in self._notices:
            self._notices.append(text)


def control_strings(tokenizer: PreTrainedTokenizerBase) -> tuple[str, ...]:
    """Return every string that this model would take for more than text: special tokens and turn markers."""
    chat = _chat_template(tokenizer)
    found = set(tokenizer.all_special_tokens)
    for token in tokenizer.added_tokens_decoder.values():
        if token.special or (len(token.content.strip()) > 2 and token.content in chat):
            found.add(token.content)
    found.update(_MARKUP.findall(chat))
    if not chat:
        found.update(f"\n{role}:" for role in _PLAIN_ROLES.values())
    return tuple(sorted(text for text in found if len(text.strip()) > 1))


def _chat_template(tokenizer: PreTrainedTokenizerBase) -> str:
    """Return the chat template, of several the default one; "" where there is none."""
    found = getattr(tokenizer, "chat_template", None) or ""
    return str(found.get("default", "")) if isinstance(found, dict) else str(found)


def common_prefix(first: Sequence[int], second: Sequence[int]) -> int:
    """Return how many leading ids two token sequences share."""
    for position, (a, b) in enumerate(zip(first, second, strict=False)):
        if a != b:
            return position
    return min(len(first), len(second))


def _refused(name: str, error: Exception) -> TemplateError:
    return TemplateError(f"{name}: this model's chat template refuses the conversation ({error}).")


def _tail(text: str, messages: list[Message]) -> str:
    """Return what a format writes after the last turn of a conversation, "" where that is not found."""
    last = messages[-1]["content"].strip()
    place = text.rfind(last)
    return text[place + len(last) :] if place >= 0 else ""


def _parted(spellings: tuple[tuple[AnswerSpelling, ...], tuple[AnswerSpelling, ...]]) -> list[AnswerSpelling]:
    """Return the two words that are compared; of several spellings those of more than one token."""
    every = [each for side in spellings for each in side]
    return every if len(every) == 2 else [each for each in every if len(each.ids) > 1]


def _distinct(spellings: Sequence[AnswerSpelling]) -> tuple[AnswerSpelling, ...]:
    """Leave out the spellings that begin with another one: that one's probability holds theirs."""
    return tuple(
        each
        for place, each in enumerate(spellings)
        if not any(
            each.ids[: len(other.ids)] == other.ids and (each.ids != other.ids or before < place)
            for before, other in enumerate(spellings)
            if before != place
        )
    )


def _message(turn: Turn, text: str) -> Message:
    return {"role": turn.role, "content": EXPLANATION_MARK if turn.generate else text}
