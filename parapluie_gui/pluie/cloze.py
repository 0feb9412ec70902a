"""Cloze templates for one masked model's tokeniser: pairs turned into token ids with a gap for the answer."""

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

#: Longest text in tokens, whatever the model could take: sentences are cut to fit, as these models were trained.
MOST_TOKENS = 256

#: Where a token stands in a row that reads both sentences alike: in one of them, or in the words of the cloze behind.
FIRST, SECOND, CLOZE = 0, 1, 2

_MARKS = {SOURCE: SOURCE_MARK, HYPOTHESIS: HYPOTHESIS_MARK}
_PARTS = re.compile("|".join(f"({re.escape(part)})" for part in (SOURCE, HYPOTHESIS, SEPARATOR, GAP)))


@dataclass(frozen=True)
class ClozeRow:
    """The token ids of one pair's text.

    Attributes:
        ids: The whole text, with the model's own control tokens around it.
        types: 0 for the first sentence and its separator, 1 for all that follows; where both sentences are read alike,
            FIRST, SECOND or CLOZE. As long as `ids`.
        gap: Where in `ids` the mask token stands.
        neutralised: Whether control tokens inside the sentences were broken up.
        cut: How many tokens of the sentences were left out to fit.
    """

    ids: list[int]
    types: list[int]
    gap: int
    neutralised: bool = False
    cut: int = 0


@dataclass(frozen=True)
class _Piece:
    """A part of the text between two others: ids that are always the same, or a sentence (`mark`)."""

    ids: tuple[int, ...] = ()
    mark: str = ""
    space: str = ""
    type: int = 0


class ClozeEncoder:
    """Encodes the pairs of one cloze template, for scoring and for training alike.

    Every part of the text is encoded apart, and a sentence only as plain text, so the text holds the control tokens of
    the template and no other, whatever the sentences say. Where a pair is too long, the longer sentence is cut at its
    end first, so that the words of the template and the gap always stay whole.

    With `symmetric` the text is that of a judge that reads both sentences alike: each of them between the model's own
    control tokens, in the order in which the template names them, and then its words.

    Attributes:
        spellings: Those of yes and those of no, one token each; `yes` and `no` are the ids of the first ones.

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
        # Not the unknown token: ordinary text that the vocabulary lacks turns into it.
        self._controls = frozenset(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
        opening, between, closing = _own_tokens(tokenizer)
        self._pieces: list[_Piece] = []
        if symmetric:
            self._apart(template, opening, between, closing)
        else:
            self._pieces.append(_Piece(opening))
            self._pieces.append(_Piece(closing, type=self._split(template.cloze, between)))
        fixed = sum(len(piece.ids) for piece in self._pieces)
        self._room = self.most_tokens - fixed
        if self._room < 2:
            raise TemplateError(
                f"{template.name}: its own words take {fixed} of the {self.most_tokens} tokens that this model reads. "
                "Shorten it."
            )
        # A byte-level or sentencepiece vocabulary has a word of its own for "yes" behind a space.
        before = template.cloze[: template.cloze.index(GAP)]
        space = " " if before[-1:].isspace() else ""
        yes, no = self.spellings = self._answers(template, space)
        self.yes, self.no = yes[0].ids[0], no[0].ids[0]
        self.frame = self._shown(template, opening, between, closing, symmetric=symmetric)

    def encode(self, sources: Sequence[str], hypotheses: Sequence[str]) -> list[ClozeRow]:
        """Return the texts of n pairs, in their order."""
        texts = {SOURCE_MARK: sources, HYPOTHESIS_MARK: hypotheses}
        encoded = {
            piece.mark: self._sentences([piece.space + clean(text) for text in texts[piece.mark]])
            for piece in self._pieces
            if piece.mark
        }
        return [
            self._row(first, second, broken or also)
            for (first, broken), (second, also) in zip(encoded[SOURCE_MARK], encoded[HYPOTHESIS_MARK], strict=True)
        ]

    def _row(self, source: list[int], hypothesis: list[int], neutralised: bool) -> ClozeRow:
        lengths = fit_lengths(len(source), len(hypothesis), self._room)
        kept = {SOURCE_MARK: source[: lengths[0]], HYPOTHESIS_MARK: hypothesis[: lengths[1]]}
        ids: list[int] = []
        types: list[int] = []
        for piece in self._pieces:
            part = kept[piece.mark] if piece.mark else piece.ids
            ids += part
            types += [piece.type] * len(part)
        gap = ids.index(self._tokenizer.mask_token_id)
        return ClozeRow(ids, types, gap, neutralised, len(source) + len(hypothesis) - sum(lengths))

    def _apart(
        self, template: Template, opening: tuple[int, ...], between: tuple[int, ...], closing: tuple[int, ...]
    ) -> None:
        """Put each sentence between control tokens of its own, and the template's words behind both."""
        for kind, mark in zip((FIRST, SECOND), map(_MARKS.__getitem__, _in_order(template)), strict=True):
            self._pieces += [_Piece(opening, type=kind), _Piece(mark=mark, type=kind), _Piece(closing, type=kind)]
        self._split(_words(template), between, CLOZE)

    def _split(self, text: str, between: tuple[int, ...], kind: int = 0) -> int:
        """Cut a cloze into what is always the same and the two sentences; returns the type of what comes behind it."""
        add = self._pieces.append
        space = ""
        for part in _PARTS.split(text):
            if not part:  # a group of the expression that did not take part, or nothing between two parts
                continue
            if part in _MARKS:
                add(_Piece(mark=_MARKS[part], space=space, type=kind))
                space = ""
            elif part in (SEPARATOR, GAP):
                add(_Piece(between if part == SEPARATOR else (self._tokenizer.mask_token_id,), type=kind))
                # Control tokens stand alone: white space beside them is there for the reader only.
                kind, space = (1 if part == SEPARATOR else kind), ""
            else:
                # White space belongs to the word behind it, as in every vocabulary that knows of white space.
                words = part if self._pieces and self._pieces[-1].mark else part.lstrip()
                space = words[len(words.rstrip()) :]
                if words := words.rstrip():
                    add(_Piece(tuple(self._encoded([words])[0]), type=kind))
        return kind

    def _sentences(self, texts: list[str]) -> list[tuple[list[int], bool]]:
        """Return the ids of sentences, and whether there were control tokens in them that had to be broken up."""
        strings = [token for token in self._tokenizer.all_special_tokens if len(token) > 1]
        found = []
        for text, ids in zip(texts, self._encoded(texts), strict=True):
            if not self._controls.isdisjoint(ids):
                # A normaliser made a control token out of something that was none; no string of two letters is left.
                ids = [id for id in self._encoded([" ".join(text)])[0] if id not in self._controls]
            found.append((ids, any(string in text for string in strings)))
        return found

    def _encoded(self, texts: list[str]) -> list[list[int]]:
        """Return the ids of plain texts: a control token written out in them is cut into its letters."""
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

    def _answers(self, template: Template, space: str) -> tuple[tuple[AnswerSpelling, ...], tuple[AnswerSpelling, ...]]:
        """Return the spellings of yes and of no that are different words for this model ("Yes" may be its "yes")."""
        yes, no = (
            {self._answer(template, space, word): word for word in reversed(words)} for words in template.spellings
        )
        for same in yes.keys() & no.keys():
            raise TemplateError(f"{template.name}: “{yes[same]}” and “{no[same]}” are the same word for this model.")
        yes_words, no_words = (
            tuple(AnswerSpelling(word, (id,)) for id, word in reversed(side.items())) for side in (yes, no)
        )
        return yes_words, no_words

    def _answer(self, template: Template, space: str, word: str) -> int:
        ids = self._encoded([space + word.strip()])[0]
        if len(ids) != 1 or ids[0] == self._tokenizer.unk_token_id:
            raise TemplateError(
                f"{template.name}: “{word}” is not one word of this model's vocabulary, and a gap takes one. "
                "Choose shorter answers."
            )
        return ids[0]

    def _shown(
        self,
        template: Template,
        opening: tuple[int, ...],
        between: tuple[int, ...],
        closing: tuple[int, ...],
        *,
        symmetric: bool,
    ) -> PromptFrame:
        """Return what a person sees of the text: the model's own tokens in the places of [SEP] and [MASK]."""
        first, middle, last = (
            "".join(map(str, self._tokenizer.convert_ids_to_tokens(list(ids)))) for ids in (opening, between, closing)
        )
        parts = [first, template.cloze, last]
        if symmetric:
            one, other = _in_order(template)
            parts = [first, one, last, first, other, last, _words(template)]
        text = clean(" ".join(part for part in parts if part)).replace(SEPARATOR, middle)
        text = text.replace(GAP, str(self._tokenizer.mask_token))
        for placeholder, mark in _MARKS.items():
            text = text.replace(placeholder, mark)
        return PromptFrame(text)


def _in_order(template: Template) -> list[str]:
    """Return the places of the two sentences as a cloze names them."""
    return sorted((SOURCE, HYPOTHESIS), key=template.cloze.index)


def _words(template: Template) -> str:
    """Return what a cloze says beside the sentences, the gap among it."""
    text = template.cloze
    for part in (SOURCE, HYPOTHESIS, SEPARATOR):
        text = text.replace(part, " ")
    return " ".join(text.split())


def fit_lengths(first: int, second: int, room: int) -> tuple[int, int]:
    """Return how many tokens of two sentences are kept: the longer one is cut until both fit or are alike."""
    if first + second <= room:
        return first, second
    shorter = min(first, second, room // 2)
    if first <= second:
        return shorter, min(second, room - shorter)
    return min(first, room - shorter), shorter


def _own_tokens(
    tokenizer: PreTrainedTokenizerBase | WordPieces,
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Return what the tokeniser itself puts before, between and after two texts ([CLS], [SEP], [SEP] for BERT)."""
    ids, text = tokenizer("a")["input_ids"], tokenizer("a", add_special_tokens=False)["input_ids"]
    start = next((place for place in range(len(ids)) if ids[place : place + len(text)] == text), 0)
    opening, closing = ids[:start], ids[start + len(text) :]
    pair = tokenizer("a", "a")["input_ids"]
    between = pair[start + len(text) : len(pair) - len(closing) - len(text)]
    separator = tokenizer.sep_token_id
    if not between and separator is not None:
        between = [separator]
    return tuple(opening), tuple(between), tuple(closing)
