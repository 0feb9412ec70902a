"""From a template to a model's own chat format: the frame of the prompt and the token ids of the two answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parapluie_gui.errors import TemplateError
from parapluie_gui.pluie.prompt import EXPLANATION_MARK, HYPOTHESIS_MARK, SOURCE_MARK, Frame
from parapluie_gui.pluie.templates import HYPOTHESIS, SOURCE, Template, Turn

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

#: Turn markers as chat templates write them, for those that are plain text to the tokeniser ("[INST]" of Mistral v0.2).
_MARKUP = re.compile(r"<\|[^|<>\s]{1,40}\|>|\[/?[A-Z_]{2,30}\]|<</?SYS>>|</?s>|<(?:start|end)_of_turn>")
_PLAIN_ROLES = {"system": "System", "user": "User", "assistant": "Assistant"}
_PLACEHOLDERS = re.compile("|".join(map(re.escape, (SOURCE, HYPOTHESIS))))

Message = dict[str, str]


@dataclass(frozen=True)
class Rendering:
    """A template as one model reads it.

    Attributes:
        frame: The prompt up to the answer.
        before: The prompt up to the generated turn (INDIRECT), or None.
        yes, no: Token ids of the answers where they stand after the prompt, one or more each.
        drop: How many of the prompt's last tokens melt into the answers' first token and belong to them (usually 0).
        max_new_tokens: Most tokens of the generated turn.
    """

    frame: Frame
    before: Frame | None
    yes: tuple[int, ...]
    no: tuple[int, ...]
    drop: int = 0
    max_new_tokens: int = 128

    @property
    def one_token(self) -> bool:
        """Whether both answers are single tokens, so that one position holds both."""
        return len(self.yes) == len(self.no) == 1


class Renderer:
    """Renders templates for one tokeniser.

    Attributes:
        notices: Sentences on what had to be done otherwise than the template says, for the user.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase) -> None:
        self.tokenizer = tokenizer
        self.notices: list[str] = []
        self.has_chat = bool(getattr(tokenizer, "chat_template", None))
        self._controls = control_strings(tokenizer)
        if not self.has_chat:
            self._notice("This model has no chat template: the turns are given as plain text (User: … Assistant: …).")

    def render(self, template: Template) -> Rendering:
        """Return the template's frame and answers for this model.

        Raises:
            TemplateError: The model's chat template cannot render this conversation.
        """
        messages = [_message(turn) for turn in template.turns]
        prompt = self._text(messages, template.name)
        glue = self._glue(messages, prompt, template)
        # What a chat template writes before an answer belongs to the prompt, but white space melts into the answer.
        prompt += glue.rstrip()
        space = glue[len(glue.rstrip()) :]
        yes, no, drop = self._answers(prompt, space + template.yes, space + template.no)
        if len(yes) > 1 or len(no) > 1:
            self._notice(
                f"{template.name}: “{template.yes}” and “{template.no}” are not one token each for this model; "
                "the log-probabilities of their tokens are summed."
            )
        before, limit = None, 0
        for number, turn in enumerate(template.turns):
            if turn.generate:
                before = Frame(self._text(messages[:number], template.name), self._controls)
                limit = turn.max_new_tokens
        return Rendering(Frame(prompt, self._controls), before, yes, no, drop, limit)

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the token ids of rendered prompts; special tokens are those already written in the text."""
        return self.tokenizer(list(texts), add_special_tokens=False)["input_ids"]

    def _text(self, messages: list[Message], name: str, *, answer: bool = False) -> str:
        """Render messages; unless they end in an answer, up to the place where the assistant speaks next."""
        if not self.has_chat:
            return self._plain(messages, answer=answer)
        system = messages[0]["content"] if messages[0]["role"] == "system" else None
        try:
            text = self._chat(messages, answer=answer)
            if system is None or system in text:
                return text
        except Exception as error:  # chat templates raise whatever their author wrote
            if system is None:
                raise TemplateError(
                    f"{name}: this model's chat template refuses the conversation ({error})."
                ) from error
        self._notice("This model takes no system turn: it is put at the head of the first user turn.")
        first = {"role": "user", "content": f"{system}\n\n{messages[1]['content']}"}
        try:
            return self._chat([first, *messages[2:]], answer=answer)
        except Exception as error:
            raise _refused(name, error) from error

    def _chat(self, messages: list[Message], *, answer: bool) -> str:
        text = self.tokenizer.apply_chat_template(
            messages, tokenize=False, add_generation_prompt=not answer, enable_thinking=False
        )
        assert isinstance(text, str)
        return text

    def _plain(self, messages: list[Message], *, answer: bool) -> str:
        bos = self.tokenizer.bos_token if self._adds_bos() else ""
        turns = [f"{_PLAIN_ROLES[message['role']]}: {message['content']}\n" for message in messages]
        return (bos or "") + "".join(turns) + ("" if answer else "Assistant:")

    def _adds_bos(self) -> bool:
        ids = self.tokenizer("a")["input_ids"]
        return bool(ids) and self.tokenizer.bos_token_id is not None and ids[0] == self.tokenizer.bos_token_id

    def _glue(self, messages: list[Message], prompt: str, template: Template) -> str:
        """Return what the model's format writes between the prompt and an answer (" " for Mistral)."""
        answer = {"role": "assistant", "content": template.yes}
        whole = self._text([*messages, answer], template.name, answer=True)
        if not whole.startswith(prompt):
            return ""
        rest = whole[len(prompt) :]
        return rest[: max(rest.find(template.yes), 0)]

    def _answers(self, prompt: str, yes: str, no: str) -> tuple[tuple[int, ...], tuple[int, ...], int]:
        """Take the answers' ids from the rendered conversation, where they stand right after the prompt."""
        ids, with_yes, with_no = self.encode([prompt, prompt + yes, prompt + no])
        shared = min(common_prefix(ids, with_yes), common_prefix(ids, with_no))
        return tuple(with_yes[shared:]), tuple(with_no[shared:]), len(ids) - shared

    def _notice(self, text: str) -> None:
        if text not in self.notices:
            self.notices.append(text)


def control_strings(tokenizer: PreTrainedTokenizerBase) -> tuple[str, ...]:
    """Return every string that this model would take for more than text: special tokens and turn markers."""
    chat = tokenizer.chat_template if isinstance(getattr(tokenizer, "chat_template", None), str) else ""
    found = set(tokenizer.all_special_tokens)
    for token in tokenizer.added_tokens_decoder.values():
        if token.special or (len(token.content.strip()) > 2 and token.content in chat):
            found.add(token.content)
    found.update(_MARKUP.findall(chat))
    if not chat:
        found.update(f"\n{role}:" for role in _PLAIN_ROLES.values())
    return tuple(sorted(text for text in found if len(text.strip()) > 1))


def common_prefix(first: Sequence[int], second: Sequence[int]) -> int:
    """Return how many leading ids two token sequences share."""
    for position, (a, b) in enumerate(zip(first, second, strict=False)):
        if a != b:
            return position
    return min(len(first), len(second))


def _refused(name: str, error: Exception) -> TemplateError:
    return TemplateError(f"{name}: this model's chat template refuses the conversation ({error}).")


def _message(turn: Turn) -> Message:
    marks = {SOURCE: SOURCE_MARK, HYPOTHESIS: HYPOTHESIS_MARK}
    text = EXPLANATION_MARK if turn.generate else _PLACEHOLDERS.sub(lambda found: marks[found[0]], turn.text)
    return {"role": turn.role, "content": text}
