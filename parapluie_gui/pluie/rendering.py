"""Renders templates in a model's own chat format: the frame of the prompt and the token ids of the two answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

from parapluie_gui.errors import TemplateError, join_words
from parapluie_gui.pluie.chat_template import TODAY, ChatTemplateRefusal, render_chat
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
from parapluie_gui.pluie.turns import ChatTurn

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

#: Turn markers in chat templates; some of them are plain text to the tokeniser ("[INST]" of Mistral v0.2).
_MARKUP = re.compile(r"<\|[^|<>\s]{1,40}\|>|\[/?[A-Z_]{2,30}\]|<</?SYS>>|</?s>|<(?:start|end)_of_turn>")
_PLAIN_ROLES = {"system": "System", "user": "User", "assistant": "Assistant"}
#: Maximum length of a line between two turns of a chat format that counts as a turn marker.
_MARKER_LENGTH = 40

Message = dict[str, str]


@dataclass(frozen=True)
class AnswerSpelling:
    """One spelling of an answer, and its token ids after the prompt."""

    text: str
    ids: tuple[int, ...]


@dataclass(frozen=True)
class RenderedTemplate:
    """A template rendered for one model.

    Attributes:
        frame: The prompt up to the answer.
        before: The prompt up to the generated turn (INDIRECT), or None.
        spellings: The spellings of yes and of no, at least one of each.
        drop: Number of the prompt's last tokens that merge with the first token of the answers (usually 0).
        max_new_tokens: Maximum number of tokens of the generated turn.
        notices: Sentences for the user about differences from the template.
    """

    frame: PromptFrame
    before: PromptFrame | None
    spellings: tuple[tuple[AnswerSpelling, ...], tuple[AnswerSpelling, ...]]
    drop: int = 0
    max_new_tokens: int = 128
    notices: tuple[str, ...] = ()

    @property
    def one_token(self) -> bool:
        """Whether all answers are single tokens, so that one position is enough."""
        return self.most_tokens == 1

    @property
    def most_tokens(self) -> int:
        """Number of tokens in the longest answer."""
        return max(len(spelling.ids) for side in self.spellings for spelling in side)


class TemplateRenderer:
    """Renders templates for one tokeniser.

    Attributes:
        has_chat: Whether the model has a chat template.
        control_ids: Ids that occur only in the frame of a prompt, never in a sentence.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase) -> None:
        self.tokenizer = tokenizer
        self._notices: list[str] = []
        chat_template = _chat_template(tokenizer)
        self.has_chat = bool(chat_template)
        self._chat_template = chat_template
        #: Strings and lists of strings, by name ("bos_token").
        self._special_tokens = {
            name: list(map(str, value)) if isinstance(value, list | tuple) else str(value)
            for name, value in tokenizer.special_tokens_map.items()
        }
        self._dated = "strftime_now(" in chat_template
        self._controls = tuple(sorted({*control_strings(tokenizer), *self._turn_markers()}))
        # Without the unknown token: it may stand for ordinary text that is not in the vocabulary.
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
            self._notice("This model has no chat template: the turns are written as plain text (User: … Assistant: …).")
        if self._dated:
            self._notice(f"This model's chat format prints the date; the program always writes {TODAY:%d %B %Y}.")
        messages = [_message(turn, template.mark_turn(turn)) for turn in template.turns]
        prompt, glue = self._open_answer(messages, template.name)
        # Text of the chat format before an answer belongs to the prompt, but white space may merge with the answer.
        for ending in (glue, glue.rstrip()):
            space = glue[len(ending) :]
            spellings, drop = self._encode_answers(prompt + ending, space, template)
            if not drop:
                break
        if any(len(spelling.ids) > 1 for side in spellings for spelling in side):
            words = [f"“{spelling.text}”" for spelling in _list_compared(spellings)]
            several = "are not single tokens" if len(words) > 1 else "is not a single token"
            self._notice(
                f"{template.name}: {join_words(words)} {several} for this model; "
                "the log-probabilities of the tokens are summed."
            )
        before, limit = None, 0
        for number, turn in enumerate(template.turns):
            if turn.generate:
                before = replace(self._opening_frame(messages[:number], template.name), columns=template.columns)
                limit = turn.max_new_tokens
        frame = PromptFrame(prompt + ending, self._controls, template.columns, tuple(self._notices))
        return RenderedTemplate(frame, before, spellings, drop, limit, tuple(self._notices))

    def render_opening(self, turns: Sequence[ChatTurn], name: str) -> tuple[PromptFrame, tuple[str, ...]]:
        """Return the prompt after which the judge writes, and sentences for the user about differences from the turns.

        Raises:
            TemplateError: The model's chat template cannot render this conversation.
        """
        self._notices.clear()
        return self._opening_frame([_message(turn, mark_text(turn.text)) for turn in turns], name), tuple(self._notices)

    def _opening_frame(self, messages: list[Message], name: str) -> PromptFrame:
        return PromptFrame("".join(self._open_answer(messages, name)).rstrip(" "), self._controls)

    def extract_own_turn(self, written: str) -> str:
        """Return the judge's own turn; without a chat template a judge may also write the user's next turn."""
        if not self.has_chat:
            written = re.split(rf"\n(?:{'|'.join(_PLAIN_ROLES.values())}):", f"\n{written}", maxsplit=1)[0]
        return written.strip()

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the token ids of rendered prompts; no special tokens are added to those in the text."""
        ids: list[list[int]] = self.tokenizer(list(texts), add_special_tokens=False)["input_ids"]
        return ids

    def _render_conversation(self, messages: list[Message], name: str) -> tuple[str, list[Message]]:
        """Return the conversation rendered up to the assistant's turn, and the messages in the form that was rendered.

        Raises:
            TemplateError: The model's chat template cannot render this conversation.
        """
        if not self.has_chat:
            return self._render_plainly(messages, answer=False), messages
        system = messages[0]["content"] if messages[0]["role"] == "system" else None
        try:
            text = self._apply_chat_template(messages, answer=False)
        except ChatTemplateRefusal as error:
            if system is None:
                raise _refusal(name, error) from error
        else:
            if system is None or system.strip() in text:
                return self._check_turns(text, messages, name), messages
        self._notice("This model has no system turn: its text is placed at the beginning of the first user turn.")
        folded = [{"role": "user", "content": f"{system}\n\n{messages[1]['content']}"}, *messages[2:]]
        try:
            text = self._apply_chat_template(folded, answer=False)
        except ChatTemplateRefusal as error:
            raise _refusal(name, error) from error
        return self._check_turns(text, folded, name), folded

    def _apply_chat_template(self, messages: list[Message], *, answer: bool) -> str:
        variables: dict[str, object] = {"tools": None, "documents": None, **self._special_tokens}
        variables |= {"add_generation_prompt": not answer, "enable_thinking": False}
        return render_chat(self._chat_template, messages, variables)

    def _check_turns(self, text: str, messages: list[Message], name: str) -> str:
        """Return the rendered text after checking that it contains the sentences."""
        for message in messages:
            if message["content"].strip() in text:
                continue
            if any(mark in message["content"] and mark not in text for mark in MARKS):
                raise TemplateError(
                    f"{name}: this model's chat template leaves out the sentences. Use another template."
                )
            self._notice(f"{name}: this model's chat template leaves out or changes a turn of the conversation.")
        return text

    def _render_plainly(self, messages: list[Message], *, answer: bool) -> str:
        bos = self.tokenizer.bos_token_id
        begins = bos is not None and self.tokenizer("a")["input_ids"][:1] == [bos]
        turns = [f"{_PLAIN_ROLES[message['role']]}: {message['content']}\n" for message in messages]
        return ((self.tokenizer.bos_token or "") if begins else "") + "".join(turns) + ("" if answer else "Assistant:")

    def _open_answer(self, messages: list[Message], name: str) -> tuple[str, str]:
        """Return the prompt, and the text of the model's format between it and an answer (" " for Mistral).

        Raises:
            TemplateError: The format opens a thought that it cannot leave empty.
        """
        prompt, rendered = self._render_conversation(messages, name)
        glue = self._find_glue(prompt, rendered)
        closing = closing_of_open_thought(_text_after(prompt, rendered) + (glue or ""))
        if closing is not None:
            added = {token.content for token in self.tokenizer.added_tokens_decoder.values()}
            if closing not in self._chat_template and closing not in added:
                raise TemplateError(
                    f"{name}: this model thinks before it answers, and its chat format cannot end a thought. Choose "
                    "another model."
                )
            self._notice(
                "This model's chat format starts with a thought; the thought is closed at once, and the answer follows."
            )
            return prompt + ("" if prompt.endswith("\n") else "\n") + f"\n{closing}\n\n", ""
        if glue is None:
            self._notice(
                "This model's chat format begins a new answer differently from a recorded one. The form for a new "
                "answer is used."
            )
        return prompt, glue or ""

    def _find_glue(self, prompt: str, messages: list[Message]) -> str | None:
        """Return the format's text between the prompt and an answer, None if answers change how a chat is rendered."""
        answered = [*messages, {"role": "assistant", "content": ANSWER_MARK}]
        if not self.has_chat:
            text = self._render_plainly(answered, answer=True)
        else:
            try:
                text = self._apply_chat_template(answered, answer=True)
            except ChatTemplateRefusal:  # a format without answers, or without an answer here
                return None
        place = text.rfind(ANSWER_MARK)
        if place < 0:
            return None
        recorded = text[:place]
        if prompt and recorded.startswith(prompt):
            return recorded[len(prompt) :]
        # Mistral since 0.3 moves the system turn to the last turn of the user: only the ends are compared.
        opening = _text_after(prompt, messages)
        ending = _text_after(recorded, messages)
        return ending[len(opening) :] if opening and ending.startswith(opening) else None

    def _turn_markers(self) -> set[str]:
        """Return the lines of the chat format between turns, which may be plain text to the tokeniser."""
        marks = [SOURCE_MARK, HYPOTHESIS_MARK, EXPLANATION_MARK]
        turns = [
            {"role": role, "content": mark} for role, mark in zip(("user", "assistant", "user"), marks, strict=True)
        ]
        if not self.has_chat:
            return set()
        try:
            text = self._apply_chat_template(turns, answer=False)
        except ChatTemplateRefusal:  # a format for other conversations; rendering the template reports the error
            return set()
        between = re.split("|".join(marks), text)[1:]
        lines = {line.strip() for part in between for line in part.splitlines()}
        return {line for line in lines if 4 <= len(line) <= _MARKER_LENGTH and not line.isalnum()}

    def _encode_answers(
        self, prompt: str, space: str, template: Template
    ) -> tuple[tuple[tuple[AnswerSpelling, ...], tuple[AnswerSpelling, ...]], int]:
        """Return the spellings with their ids after the prompt, and how many of its last tokens merge with them."""
        texts = [text for side in template.spellings for text in side]
        ids, *answered = self.encode([prompt, *(prompt + space + text for text in texts)])
        shared = min(common_prefix(ids, other) for other in answered)
        spellings = [AnswerSpelling(text, tuple(other[shared:])) for text, other in zip(texts, answered, strict=True)]
        count = len(template.spellings[0])
        yes, no = _drop_covered(spellings[:count]), _drop_covered(spellings[count:])
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
    """Return every string that this model does not read as plain text: special tokens and turn markers."""
    chat = _chat_template(tokenizer)
    strings = set(tokenizer.all_special_tokens)
    for token in tokenizer.added_tokens_decoder.values():
        if token.special or (len(token.content.strip()) > 2 and token.content in chat):
            strings.add(token.content)
    strings.update(_MARKUP.findall(chat))
    if not chat:
        strings.update(f"\n{role}:" for role in _PLAIN_ROLES.values())
    return tuple(sorted(text for text in strings if len(text.strip()) > 1))


def _chat_template(tokenizer: PreTrainedTokenizerBase) -> str:
    """Return the chat template, the default one of several; "" if there is none."""
    template = getattr(tokenizer, "chat_template", None) or ""
    return str(template.get("default", "")) if isinstance(template, dict) else str(template)


def common_prefix(first: Sequence[int], second: Sequence[int]) -> int:
    """Return how many leading ids two token sequences share."""
    for position, (a, b) in enumerate(zip(first, second, strict=False)):
        if a != b:
            return position
    return min(len(first), len(second))


def _refusal(name: str, error: ChatTemplateRefusal) -> TemplateError:
    return TemplateError(f"{name}: this model's chat template refuses the conversation ({error}).")


def _text_after(text: str, messages: list[Message]) -> str:
    """Return the part of a rendered conversation after its last message, "" if the message is not in it."""
    last = messages[-1]["content"].strip()
    place = text.rfind(last)
    return text[place + len(last) :] if place >= 0 else ""


def _list_compared(spellings: tuple[tuple[AnswerSpelling, ...], tuple[AnswerSpelling, ...]]) -> list[AnswerSpelling]:
    """Return the two spellings that are compared; if there are more than two, those of several tokens."""
    every = [spelling for side in spellings for spelling in side]
    return every if len(every) == 2 else [spelling for spelling in every if len(spelling.ids) > 1]


def _drop_covered(spellings: Sequence[AnswerSpelling]) -> tuple[AnswerSpelling, ...]:
    """Return the spellings that do not begin with the ids of another spelling, whose probability includes theirs."""
    return tuple(
        spelling
        for place, spelling in enumerate(spellings)
        if not any(
            spelling.ids[: len(other.ids)] == other.ids and (spelling.ids != other.ids or before < place)
            for before, other in enumerate(spellings)
            if before != place
        )
    )


def _message(turn: ChatTurn, text: str) -> Message:
    return {"role": turn.role, "content": EXPLANATION_MARK if turn.generate else text}
