"""Token ids of pairs in a cloze template, with a gap for the answer, for the tokeniser of one masked model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parapluie_gui.errors import TemplateError
from parapluie_gui.pluie.examples import HYPOTHESIS, SOURCE
from parapluie_gui.pluie.prompt import HYPOTHESIS_MARK, SOURCE_MARK, PromptFrame, clean
from parapluie_gui.pluie.rendering import AnswerSpelling
from parapluie_gui.pluie.templates import GAP, SEPARATOR, Template

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

    from parapluie_gui.models.word_pieces import WordPieces

#: Maximum length of a text in tokens, even for models that read more, since judges are trained with sentences cut to
#: it.
MOST_TOKENS = 256

#: For a symmetric judge, the part that a token belongs to: the first or second sentence, or the words after both.
FIRST, SECOND, CLOZE = 0, 1, 2

_MARKS = {SOURCE: SOURCE_MARK, HYPOTHESIS: HYPOTHESIS_MARK}
_PARTS = re.compile("|".join(f"({re.escape(part)})" for part in (SOURCE, HYPOTHESIS, SEPARATOR, GAP)))


@dataclass(frozen=True)
class ClozeRow:
    """The token ids of one pair's text.

    Attributes:
        ids: The complete text, with the model's own control tokens around it.
        types: 0 for the first sentence and its separator, 1 for everything after them; for a symmetric judge FIRST,
            SECOND or CLOZE. As long as `ids`.
        gap: Index of the mask token in `ids`.
        neutralised: Whether control tokens inside the sentences were broken up.
        cut: Number of tokens of the sentences that were left out to fit.
    """

    ids: list[int]
    types: list[int]
    gap: int
    neutralised: bool = False
    cut: int = 0


@dataclass(frozen=True)
class _ClozePiece:
    """A part of the text of a cloze: ids that are always the same, or the place of a sentence (`mark`)."""

    ids: tuple[int, ...] = ()
    mark: str = ""
    space: str = ""
    type: int = 0


class ClozeEncoder:
    """Encodes the pairs of one cloze template, for scoring and for training.

    Each part of the text is encoded separately, and a sentence only as plain text, so the text contains only the
    control tokens of the template, whatever is in the sentences. If a pair is too long, the longer sentence is cut at
    its end first; the words of the template and the gap are never cut.

    With `symmetric` the text is for a judge that reads both sentences in the same way: each sentence is between the
    model's own control tokens, in the order of the template, and the words of the template follow.

    Attributes:
        spellings: The spellings of yes and of no, one token each; `yes` and `no` are the ids of the first spellings.

    Raises:
        TemplateError: The tokeniser has no mask token, or an answer is not one token of its vocabulary.
    """

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerBase | WordPieces,
        template: Template,
        most_tokens: int = MOST_TOKENS,
        *,
        symmetric: bool = False,
    ) -> None:
        if tokenizer.mask_token_id is None:
            raise TemplateError(f"{template.name}: this model has no mask token, so it cannot fill a gap.")
        self._tokenizer = tokenizer
        self.most_tokens = min(most_tokens, tokenizer.model_max_length, MOST_TOKENS)
        # Without the unknown token: it replaces ordinary text that is not in the vocabulary.
        self._controls = frozenset(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
        opening, between, closing = _read_control_tokens(tokenizer)
        self._pieces: list[_ClozePiece] = []
        if symmetric:
            self._add_sentences_apart(template, opening, between, closing)
        else:
            self._pieces.append(_ClozePiece(opening))
            self._pieces.append(_ClozePiece(closing, type=self._add_cloze(template.cloze, between)))
        fixed = sum(len(piece.ids) for piece in self._pieces)
        self._room = self.most_tokens - fixed
        if self._room < 2:
            raise TemplateError(
                f"{template.name}: its own text takes {fixed} of the {self.most_tokens} tokens that this model reads. "
                "Shorten the template."
            )
        # Byte-level and sentencepiece vocabularies have a different token for "yes" after a space.
        before = template.cloze[: template.cloze.index(GAP)]
        space = " " if before[-1:].isspace() else ""
        yes, no = self.spellings = self._encode_answers(template, space)
        self.yes, self.no = yes[0].ids[0], no[0].ids[0]
        self.frame = self._visible_frame(template, opening, between, closing, symmetric=symmetric)

    def encode(self, sources: Sequence[str], hypotheses: Sequence[str]) -> list[ClozeRow]:
        """Return the encoded texts of n pairs, in their order."""
        texts = {SOURCE_MARK: sources, HYPOTHESIS_MARK: hypotheses}
        encoded = {
            piece.mark: self._encode_sentences([piece.space + clean(text) for text in texts[piece.mark]])
            for piece in self._pieces
            if piece.mark
        }
        return [
            self._make_row(first, second, broken or also)
            for (first, broken), (second, also) in zip(encoded[SOURCE_MARK], encoded[HYPOTHESIS_MARK], strict=True)
        ]

    def _make_row(self, source: list[int], hypothesis: list[int], neutralised: bool) -> ClozeRow:
        lengths = fit_lengths(len(source), len(hypothesis), self._room)
        sentences = {SOURCE_MARK: source[: lengths[0]], HYPOTHESIS_MARK: hypothesis[: lengths[1]]}
        ids: list[int] = []
        types: list[int] = []
        for piece in self._pieces:
            part = sentences[piece.mark] if piece.mark else piece.ids
            ids += part
            types += [piece.type] * len(part)
        gap = ids.index(self._tokenizer.mask_token_id)
        return ClozeRow(ids, types, gap, neutralised, len(source) + len(hypothesis) - sum(lengths))

    def _add_sentences_apart(
        self, template: Template, opening: tuple[int, ...], between: tuple[int, ...], closing: tuple[int, ...]
    ) -> None:
        """Add each sentence between its own control tokens, and then the template's words."""
        for kind, mark in zip((FIRST, SECOND), map(_MARKS.__getitem__, _order_placeholders(template)), strict=True):
            self._pieces += [
                _ClozePiece(opening, type=kind),
                _ClozePiece(mark=mark, type=kind),
                _ClozePiece(closing, type=kind),
            ]
        self._add_cloze(_question_text(template), between, CLOZE)

    def _add_cloze(self, text: str, between: tuple[int, ...], kind: int = 0) -> int:
        """Add the pieces of a cloze: fixed words and the two sentences. Return the type of the tokens after it."""
        add = self._pieces.append
        space = ""
        for part in _PARTS.split(text):
            if not part:  # a group of the expression that did not match, or no text between two parts
                continue
            if part in _MARKS:
                add(_ClozePiece(mark=_MARKS[part], space=space, type=kind))
                space = ""
            elif part in (SEPARATOR, GAP):
                add(_ClozePiece(between if part == SEPARATOR else (self._tokenizer.mask_token_id,), type=kind))
                # White space next to control tokens is only there for human readers.
                kind, space = (1 if part == SEPARATOR else kind), ""
            else:
                # White space is encoded with the word after it, as in vocabularies whose tokens include leading space.
                words = part if self._pieces and self._pieces[-1].mark else part.lstrip()
                space = words[len(words.rstrip()) :]
                if words := words.rstrip():
                    add(_ClozePiece(tuple(self._encode([words])[0]), type=kind))
        return kind

    def _encode_sentences(self, texts: list[str]) -> list[tuple[list[int], bool]]:
        """Return the ids of sentences, and whether control tokens in them were broken up."""
        strings = [token for token in self._tokenizer.all_special_tokens if len(token) > 1]
        encoded = []
        for text, ids in zip(texts, self._encode(texts), strict=True):
            if not self._controls.isdisjoint(ids):
                # A normaliser made a control token from other text: separate all letters, so that no control token can
                # form.
                ids = [id for id in self._encode([" ".join(text)])[0] if id not in self._controls]
            encoded.append((ids, any(string in text for string in strings)))
        return encoded

    def _encode(self, texts: list[str]) -> list[list[int]]:
        """Return the ids of plain texts; a control token written out in them is split into its letters."""
        if not texts:
            return []
        ids: list[list[int]] = self._tokenizer(
            texts,
            add_special_tokens=False,
            split_special_tokens=True,
            return_attention_mask=False,
            return_token_type_ids=False,
            verbose=False,
        )["input_ids"]
        return ids

    def _encode_answers(
        self, template: Template, space: str
    ) -> tuple[tuple[AnswerSpelling, ...], tuple[AnswerSpelling, ...]]:
        """Return the spellings of yes and of no, without duplicates ("Yes" and "yes" have one id in some models)."""
        yes, no = (
            {self._encode_answer(template, space, word): word for word in reversed(words)}
            for words in template.spellings
        )
        for same in yes.keys() & no.keys():
            raise TemplateError(f"{template.name}: “{yes[same]}” and “{no[same]}” are the same word for this model.")
        yes_words, no_words = (
            tuple(AnswerSpelling(word, (id,)) for id, word in reversed(side.items())) for side in (yes, no)
        )
        return yes_words, no_words

    def _encode_answer(self, template: Template, space: str, word: str) -> int:
        ids = self._encode([space + word.strip()])[0]
        if len(ids) != 1 or ids[0] == self._tokenizer.unk_token_id:
            raise TemplateError(
                f"{template.name}: “{word}” is not a single token in this model's vocabulary, and the gap holds "
                "exactly one token. "
                "Choose shorter answers."
            )
        return ids[0]

    def _visible_frame(
        self,
        template: Template,
        opening: tuple[int, ...],
        between: tuple[int, ...],
        closing: tuple[int, ...],
        *,
        symmetric: bool,
    ) -> PromptFrame:
        """Return the text as a person sees it, with the model's own tokens in place of [SEP] and [MASK]."""
        first, middle, last = (
            "".join(map(str, self._tokenizer.convert_ids_to_tokens(list(ids)))) for ids in (opening, between, closing)
        )
        parts = [first, template.cloze, last]
        if symmetric:
            one, other = _order_placeholders(template)
            parts = [first, one, last, first, other, last, _question_text(template)]
        text = clean(" ".join(part for part in parts if part)).replace(SEPARATOR, middle)
        text = text.replace(GAP, str(self._tokenizer.mask_token))
        for placeholder, mark in _MARKS.items():
            text = text.replace(placeholder, mark)
        return PromptFrame(text)


def _order_placeholders(template: Template) -> list[str]:
    """Return the placeholders of the two sentences in the order of a cloze."""
    return sorted((SOURCE, HYPOTHESIS), key=template.cloze.index)


def _question_text(template: Template) -> str:
    """Return the text of a cloze without the sentences and separators, but with the gap."""
    text = template.cloze
    for part in (SOURCE, HYPOTHESIS, SEPARATOR):
        text = text.replace(part, " ")
    return " ".join(text.split())


def fit_lengths(first: int, second: int, room: int) -> tuple[int, int]:
    """Return how many tokens of two sentences fit into `room`: the longer is cut until both fit or are equally long."""
    if first + second <= room:
        return first, second
    shorter = min(first, second, room // 2)
    if first <= second:
        return shorter, min(second, room - shorter)
    return min(first, room - shorter), shorter


def _read_control_tokens(
    tokenizer: PreTrainedTokenizerBase | WordPieces,
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Return the control tokens before, between and after two texts ([CLS], [SEP], [SEP] for BERT)."""
    ids, text = tokenizer("a")["input_ids"], tokenizer("a", add_special_tokens=False)["input_ids"]
    start = next((place for place in range(len(ids)) if ids[place : place + len(text)] == text), 0)
    opening, closing = ids[:start], ids[start + len(text) :]
    pair = tokenizer("a", "a")["input_ids"]
    between = pair[start + len(text) : len(pair) - len(closing) - len(text)]
    separator = tokenizer.sep_token_id
    if not between and separator is not None:
        between = [separator]
    return tuple(opening), tuple(between), tuple(closing)
