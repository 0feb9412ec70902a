"""Guesses the roles of a table's columns by their names and contents, and how certain the guess is."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from operator import eq
from pathlib import Path

from parapluie_gui.errors import CorpusError, UndecidedError, UndecidedLabelError, join_words
from parapluie_gui.pairs.column import MISSING
from parapluie_gui.pairs.corpus import UNLABELLED
from parapluie_gui.pairs.reading.content import ColumnContent, are_related, sample_column, sample_contents
from parapluie_gui.pairs.reading.conventions import follows_convention
from parapluie_gui.pairs.reading.mapping import (
    HYPOTHESIS_WORDS,
    OTHER_NAMES,
    SENTENCE_NAMES,
    SOURCE_WORDS,
    ColumnMapping,
    Columns,
    find_references,
    index_names,
    list_columns,
    normalise_name,
    sentence_pairs,
)
from parapluie_gui.pairs.reading.notation import read_any_number
from parapluie_gui.pairs.reading.raw_table import RawTable, as_text
from parapluie_gui.pairs.reading.values import quote_value, read_label

#: Names of the sentences of inference corpora, whose numbers mean entailment (0), neutral (1), contradiction (2).
_INFERENCE = ("premise", "context")
#: Up to this many different integers may be classes; more are grades.
_MOST_CLASSES = 3
#: A column with more different words, or longer ones, does not hold classes.
_MOST_WORDS, _LONGEST_WORD = 8, 30
#: What all prompts to a language model begin with, and how many cells are compared at first, and at least.
_PROMPT = re.compile(r"[^:\n]{3,200}:\s", re.DOTALL)
_PROMPTS, _FEWEST_PROMPTS = 200, 5
#: Minimum number of pairs of identical sentences labelled as different for asking about the labels.
_EQUAL_PAIRS = 3
#: Scores by people are not larger than this.
_LARGEST_SCORE = 100


@dataclass(frozen=True)
class RoleGuess:
    """The guessed roles of columns.

    Attributes:
        mapping: The roles; incomplete if a sentence has no column.
        certain: Whether the sentences need no confirmation.
        question: The error that asks the user, if two ways of reading are nearly as likely.
        remarks: Sentences about roles that a column of a usual name did not get, for the user.
        by_content: Whether the sentences were recognised by the contents of the columns alone.
    """

    mapping: ColumnMapping
    certain: bool
    question: CorpusError | None = None
    remarks: tuple[str, ...] = ()
    by_content: bool = False


@dataclass(frozen=True)
class SentenceGuess:
    """The columns of the two sentences, or None.

    `others` are pairs of columns that fit as well, `rejected` columns of usual names that hold no sentences. The
    names are not informative if the columns were recognised `by_content`.
    """

    source: str | None = None
    hypothesis: str | None = None
    certain: bool = False
    others: tuple[tuple[str, str], ...] = ()
    rejected: tuple[str, ...] = ()
    by_content: bool = False


def guess_sentences(table: RawTable, named: Mapping[str, Columns] | None = None) -> SentenceGuess:
    """Guess the columns of the two sentences; `named` has those that the user chose by role."""
    chosen = {role: value for role, value in (named or {}).items() if isinstance(value, str)}
    source, hypothesis = chosen.get("source"), chosen.get("hypothesis")
    if source is not None and hypothesis is not None:
        return SentenceGuess(source, hypothesis, certain=True)
    free = [name for name in table.names if name not in chosen.values()]
    contents = sample_contents(table)
    if source is None and hypothesis is None:
        return _guess_both(table, free, contents)
    return _guess_other(source, hypothesis, free, contents)


def _guess_other(
    source: str | None, hypothesis: str | None, free: Sequence[str], contents: Mapping[str, ColumnContent]
) -> SentenceGuess:
    """Guess one of the two sentences, given the other: by its name, or the only other column of sentences."""
    by_plain = index_names(free)
    pairs = [pair for pair in SENTENCE_NAMES if pair[0 if hypothesis else 1] in by_plain]
    words = [pair[0 if hypothesis else 1] for pair in pairs] or (SOURCE_WORDS if hypothesis else HYPOTHESIS_WORDS)
    names = [by_plain[word] for word in words if word in by_plain]
    sentences = [name for name in free if contents[name].holds_sentences]
    guess = next((name for name in names if name in sentences), sentences[0] if len(sentences) == 1 else None)
    if guess is None:
        guess = next(iter(names), None)
    return SentenceGuess(source or guess, hypothesis or guess, certain=guess is not None)


def _guess_both(table: RawTable, free: Sequence[str], contents: Mapping[str, ColumnContent]) -> SentenceGuess:
    by_plain = index_names(free)
    named = sentence_pairs(free) if table.origin.has_header else []
    fitting = [pair for pair in named if not any(contents[name].holds_no_sentences for name in pair)]
    rejected = tuple(dict.fromkeys(name for pair in named for name in pair if contents[name].holds_no_sentences))
    if named and not fitting:
        # columns of single words may be a corpus of words
        both = [contents[name] for name in named[0]]
        words = all(content.holds_no_sentences and not content.holds_numbers and content.present for content in both)
        fit = len(named) == 1 and (words or _is_our_own(table, named[0]))
        return SentenceGuess(*named[0], certain=fit, rejected=() if fit else rejected)
    if fitting:
        first = tuple(by_plain.get(name) for name in SENTENCE_NAMES[0])
        conflicts = tuple(pair for pair in fitting[1:] if pair[1] == fitting[0][1] and pair[0] != fitting[0][0])
        certain = len(fitting) == 1 or (fitting[0] == first and (not conflicts or _is_our_own(table, fitting[0])))
        return SentenceGuess(
            *fitting[0], certain=certain, others=tuple(fitting[1:2]) * (not certain), rejected=rejected
        )
    sentences = [name for name in free if contents[name].holds_sentences]
    left = [by_plain[word] for word in SOURCE_WORDS if by_plain.get(word) in sentences]
    right = [by_plain[word] for word in HYPOTHESIS_WORDS if by_plain.get(word) in sentences]
    pairs = [(one, two) for two in right for one in left if one != two] if table.origin.has_header else []
    references = {by_plain[word] for word in OTHER_NAMES["reference"] if word in by_plain}
    by_content = not pairs
    if not pairs and len(plain := [name for name in sentences if name not in references]) == 2:
        pairs = [(plain[0], plain[1])]
    if not pairs and not table.origin.has_header and table.origin.delimiter == "\t" and len(free) == 2:
        # two columns separated by TAB are the two sentences unless something else is in them
        fit = not any(contents[name].holds_no_sentences for name in free)
        return SentenceGuess(free[0], free[1], certain=fit) if fit else SentenceGuess()
    if not pairs:
        return SentenceGuess()
    only = not table.origin.has_header and table.origin.delimiter == "\t" and len(free) == 2
    related = only or are_related(table.column(pairs[0][0]), table.column(pairs[0][1]))
    return SentenceGuess(*pairs[0], certain=related, by_content=by_content)


def _is_our_own(table: RawTable, pair: tuple[str, str]) -> bool:
    """Return whether the columns stand where this program writes them: after the id, or first."""
    return [normalise_name(name) for name in table.names[:3]] == ["id", *SENTENCE_NAMES[0]] or tuple(
        table.names[:2]
    ) == pair


def guess_roles(
    table: RawTable,
    named: Mapping[str, Columns] | None = None,
    without: Collection[str] = (),
    positive: Sequence[str] = (),
    missing: Collection[str] = (),
) -> RoleGuess:
    """Guess the roles of a table's columns.

    Args:
        table: The table, with one row per pair.
        named: The columns that the user chose, by role; None for a role without a column.
        without: Columns that get no role by a guess.
        positive: The labels that the user chose as those of a paraphrase.
        missing: The values that the user chose as missing.
    """
    named = named or {}
    sentences = guess_sentences(table, named)
    taken = {sentences.source, sentences.hypothesis, *without}
    taken.update(list_columns(named.values()))
    free = [name for name in table.names if name not in taken]
    roles: dict[str, str | None] = {"source": sentences.source, "hypothesis": sentences.hypothesis}
    by_plain = index_names(table.names)
    for role, words in OTHER_NAMES.items():
        names = (by_plain[word] for word in words if word in by_plain) if table.origin.has_header else ()
        roles[role] = next((name for name in names if name in free and name not in roles.values()), None)
    remarks: list[str] = []
    if roles["reference"] and sample_column(table.column(roles["reference"])).holds_no_sentences:
        roles["reference"] = None
    if not table.origin.has_header:
        roles |= _guess_unnamed(table, free, named)
    question = None
    if roles["group"] is None:
        roles["group"] = next((name for name in sentences.rejected if name in free), None)
    if "label" not in named and roles["label"] is not None:
        question = _check_guessed_label(table, roles, named, positive, missing, remarks)
    elif isinstance(label := named.get("label"), str) and label in table.names:
        question = _ask_about_labels(table, label, roles["source"], positive, missing)
    if "human" not in named and roles["human"] is not None and not _holds_scores(table, roles["human"]):
        remarks.append(f'column "{roles["human"]}" contains values that are not numbers, so it is not the human score')
        roles["human"] = None
    mapping = ColumnMapping(**roles)
    if mapping.reference is not None:
        others = [name for name in free if not sample_column(table.column(name)).holds_no_sentences]
        mapping = replace(mapping, reference=find_references(others, mapping.references[0]))
    mapping = mapping.with_roles(named)
    if len(sentences.others) == 1 and question is None:
        question = _ask_about_sentences(sentences, table.origin.path)
    remarks += _describe_prompts(table, mapping)
    if not mapping.complete:  # first of all, the sentences
        question = None
    elif question is None and not positive:
        question = ask_about_equal_sentences(table, mapping)
    certain = sentences.certain and mapping.complete and question is None
    return RoleGuess(mapping, certain, question, tuple(remarks), sentences.by_content)


def _check_guessed_label(
    table: RawTable,
    roles: dict[str, str | None],
    named: Mapping[str, Columns],
    positive: Sequence[str],
    missing: Collection[str],
    remarks: list[str],
) -> CorpusError | None:
    """Make a guessed label that holds grades the human score; a guessed label with other values loses its role."""
    label = str(roles["label"])
    kinds = _kinds(table, label, missing)
    if positive or not kinds or follows_convention(kinds):
        return None
    if all(read_any_number(kind) is not None for kind in kinds) and _are_grades(kinds):
        by_plain = index_names(table.names)
        next_label = next(
            (
                name
                for word in OTHER_NAMES["label"]
                if (name := by_plain.get(word)) not in (None, label, *roles.values(), *named.values())
                and all(read_label(kind) is not None for kind in _kinds(table, str(name), missing))
            ),
            None,
        )
        roles["label"] = next_label
        if roles["human"] is None and "human" not in named:
            roles["human"] = label
            numbers = sorted(number for kind in kinds if (number := read_any_number(kind)) is not None)
            remarks.append(f'column "{label}" holds grades from {numbers[0]:g} to {numbers[-1]:g}: the human score')
        else:
            remarks.append(f'column "{label}" contains grades, so it is not the label')
        return None
    readable = [kind for kind in kinds if read_label(kind) is not None]
    few = len(kinds) <= _MOST_WORDS and max(map(len, kinds)) <= _LONGEST_WORD
    if not few and 2 * len(readable) < len(kinds):
        remarks.append(f'column "{label}" contains values that are not labels, so it is not the label')
        roles["label"] = None
        return None
    return _ask_about_labels(table, label, roles["source"], positive, missing)


def _kinds(table: RawTable, name: str, missing: Collection[str]) -> set[str]:
    """Return the different values of a column, without missing ones."""
    texts = {as_text(cell).strip().casefold() for cell in set(table.column(name))}
    return texts - MISSING - {value.strip().casefold() for value in missing}


def _are_grades(kinds: Collection[str]) -> bool:
    numbers = {read_any_number(kind) for kind in kinds} - {-1.0, -100.0}
    return len(numbers) > _MOST_CLASSES or any(number is not None and not number.is_integer() for number in numbers)


def _ask_about_labels(
    table: RawTable, label: str, source: str | None, positive: Sequence[str], missing: Collection[str]
) -> CorpusError | None:
    """Return the question about a column of numbers that can be labels in two ways, or None."""
    if positive:
        return None
    kinds = _kinds(table, label, missing)
    numbers = {read_any_number(kind) for kind in kinds}
    path = table.origin.path
    if not kinds or None in numbers or _are_grades(kinds):
        return None
    values = sorted(number for number in numbers if number is not None)
    listed = join_words([f"{value:g}" for value in values])
    if numbers == {-1.0, 0.0, 1.0}:
        count = sum(read_any_number(as_text(cell)) == -1.0 for cell in table.column(label))
        what = (
            f'column "{label}" contains −1 ({count:,} times) besides 0 and 1, so −1 may be a class or a missing label'
        )
        return UndecidedLabelError(
            what,
            "choose --positive 1 if only 1 means a paraphrase, or --missing -1 if pairs with −1 have no label",
            path,
        )
    if source is not None and normalise_name(source.rpartition(".")[2]) in _INFERENCE and numbers <= {0.0, 1.0, 2.0}:
        what = f'column "{label}" contains {listed} next to a premise, so 0 may mean entailment or “not a paraphrase”'
        todo = "choose --positive 0 if 0 means a paraphrase, --positive 1 if 1 does, or --label none"
        return UndecidedLabelError(what, todo, path)
    if not numbers <= {-100.0, -1.0, 0.0, 1.0}:
        what = f'column "{label}" contains {listed}, which may be classes or scores'
        todo = (
            f"choose --positive {values[-1]:g} if that means a paraphrase, or --human {quote_value(label)} --label none"
        )
        return UndecidedLabelError(what, todo, path)
    return None


def ask_about_equal_sentences(table: RawTable, mapping: ColumnMapping, share: float = 0.01) -> CorpusError | None:
    """Return the question about labels by which identical sentences differ, as if 0 meant “the same”.

    It is asked if at least this share of the pairs, and at least three, have identical sentences.
    """
    named = mapping.source, mapping.hypothesis, mapping.label
    if not set(named) <= set(table.names):
        return None
    columns = [table.column(str(name)) for name in named]
    cells = [as_text(label).strip() for label in compress(columns[2], map(eq, columns[0], columns[1]))]
    labels = [label for cell in cells if (label := read_label(cell)) in (0, 1)]
    if len(labels) < max(_EQUAL_PAIRS, share * len(table)) or sum(labels) > 0.1 * len(labels):
        return None
    no = next(cell for cell in cells if read_label(cell) == 0)
    yes = next((text for cell in columns[2] if read_label(text := as_text(cell).strip()) == 1), "1")
    what = f'column "{mapping.label}" has {no} for {labels.count(0):,} of {len(labels):,} pairs of identical sentences'
    todo = f"choose --positive {quote_value(no)} if that means a paraphrase, or --positive {quote_value(yes)} otherwise"
    return UndecidedLabelError(what, todo, table.origin.path)


def _describe_prompts(table: RawTable, mapping: ColumnMapping) -> list[str]:
    """Return a sentence about each side whose sentences all begin alike, as prompts to a language model do."""
    remarks = []
    for name in (mapping.source, mapping.hypothesis):
        cells = table.column(name) if name in table.names else ()
        texts = list(filter(None, map(as_text, cells[:_PROMPTS])))
        prompt = _PROMPT.match(texts[0]) if len(set(texts)) >= _FEWEST_PROMPTS else None
        if prompt and all(as_text(cell).startswith(prompt[0]) for cell in cells if cell):
            beginning = prompt[0].strip()
            remarks.append(f'all cells of "{name}" begin with “{beginning}”, which is scored as part of the sentence')
    return remarks


def _ask_about_sentences(guess: SentenceGuess, path: Path | None) -> CorpusError:
    pairs = [(str(guess.source), str(guess.hypothesis)), *guess.others]
    named = " or ".join(f'"{one}" and "{two}"' for one, two in pairs)
    options = ", or ".join(f"--source {quote_value(one)} --hypothesis {quote_value(two)}" for one, two in pairs)
    return UndecidedError(f"the two sentences may be in {named}", f"choose {options}", path)


def _holds_scores(table: RawTable, name: str) -> bool:
    """Return whether most values of a column are numbers; the few others are reported as errors with their line."""
    kinds = _kinds(table, name, ())
    return not kinds or 2 * sum(read_any_number(kind) is not None for kind in kinds) >= len(kinds)


def _guess_unnamed(table: RawTable, free: Sequence[str], named: Mapping[str, Columns]) -> dict[str, str | None]:
    """Guess label, human score and id among columns without names, by their contents."""
    kinds = {name: _kinds(table, name, ()) for name in free}
    labels = [name for name in free if len(kinds[name]) > 1 and _read_labels(kinds[name]) == {0, 1}]
    guess: dict[str, str | None] = {"label": labels[0] if len(labels) == 1 else None}
    numbers = {
        name: {number for kind in kinds[name] if (number := read_any_number(kind)) is not None}
        for name in free
        if kinds[name] and name not in labels and all(read_any_number(kind) is not None for kind in kinds[name])
    }
    scores = [name for name, values in numbers.items() if _are_scores(values, len(table))]
    guess["human"] = scores[0] if len(scores) == 1 and len(kinds[scores[0]]) > 2 else None
    ids = [
        name
        for name in free
        if name not in scores and len(table) > 1 and len(kinds[name]) == len(table) and _are_ids(table, name)
    ]
    guess["id"] = ids[0] if ids else None
    return guess


def _read_labels(kinds: Collection[str]) -> set[int | None]:
    return {read_label(kind) for kind in kinds} - {UNLABELLED}


def _are_scores(values: Collection[float], rows: int) -> bool:
    within = min(values) >= 0 and max(values) <= _LARGEST_SCORE
    return within and (len(values) < rows or not all(value.is_integer() for value in values))


def _are_ids(table: RawTable, name: str) -> bool:
    return all(len(as_text(cell).split()) == 1 for cell in table.column(name)[:100])
