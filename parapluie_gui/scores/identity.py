"""Identifies a column of numbers: its kind, the judge behind its scores, and its name in files, filters and sessions.

Only this module reads or writes the endings of names ("pluie.fs-direct.reverse.p_yes"), which are part of the file
format. All other code uses the `ColumnIdentity` that `identify` returns.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import lru_cache

from parapluie_gui.errors import join_words
from parapluie_gui.scores.signature import Signature

_JUDGE, _BY = "pluie.", "@"
_P_YES, _P_NO = ".p_yes", ".p_no"
_REVERSE, _GAP, _BOUND = ".reverse", ".gap", ".bound"


#: A name that ends in a GGUF type of weights, possibly followed by a part number, if the file is split.
_QUANTISED = re.compile(
    r"(.+?)[-._]((?:I?Q|TQ)[1-8](?:_\w+)?|MXFP4(?:_MOE)?|NVFP4|BF16|F16|F32)(?:-\d{5}-of-\d{5})?(?:\.gguf)?",
    re.IGNORECASE,
)

#: The words for a bound: where the probability of no is missing, and where that of yes is.
BOUNDS = ("at least", "at most")


class ScoreKind(Enum):
    """The kind of a column of numbers."""

    JUDGE = auto()  # log p(yes) − log p(no) of a judge under a template
    EVIDENCE = auto()  # the probability of yes or of no, from which a judge's score is computed
    GAP = auto()  # the difference between a judge's scores in both orders
    BOUND = auto()  # which of a judge's scores are bounds, as words
    OTHER = auto()  # a metric's score, or any column of the corpus


@dataclass(frozen=True)
class ScoreMaker:
    """The maker of a judge's scores: two columns that differ in any of these fields hold different scores.

    Attributes:
        template: The template's name ("FS-DIRECT").
        judge: The model as its signature names it; "" if unknown.
        precision: The precision or quantisation of the computation; "" if unknown.
        reverse: Whether the hypothesis came first.
        revision: The model's revision, and the server if it ran on one.
        weights: The quantisation of the weights ("Q4_K_M"); "" if there is none or it is unknown.
    """

    template: str
    judge: str = ""
    precision: str = ""
    reverse: bool = False
    revision: str = ""
    weights: str = ""

    @property
    def who(self) -> tuple[str, str, str]:
        """The judge without the template: model, precision and revision."""
        return self.judge, self.precision, self.revision

    @property
    def key(self) -> str:
        """A key for one judge under one template, in both orders, as stored in sessions."""
        return "|".join((self.template, "False", *self.who))

    @property
    def words(self) -> tuple[str, ...]:
        """Words that can identify the judge in column names, from the shortest to the fullest."""
        judge, precision, revision = map(judge_word, self.who)
        weights = self.weights.lower()
        quantised = "" if judge.endswith(weights) else judge_word(weights)
        parts = [part for part in (judge, quantised, precision, revision[:8]) if part]
        return tuple("-".join(parts[: count + 1]) for count in range(len(parts)))


@dataclass(frozen=True)
class ColumnIdentity:
    """The identity of a column.

    Attributes:
        column: Its name.
        kind: The kind of its numbers.
        maker: The maker of the score that it holds or belongs to; None if the score is not a judge's.
        yes: For evidence, whether it holds the probability of yes rather than no.
        called: The title given by the author of a user metric; "" for any other column.
    """

    column: str
    kind: ScoreKind
    maker: ScoreMaker | None = None
    yes: bool = False
    called: str = ""

    @property
    def is_from_judge(self) -> bool:
        """Whether it holds a judge's scores."""
        return self.kind is ScoreKind.JUDGE

    #: The earlier name.
    judged = is_from_judge

    @property
    def reverse(self) -> bool:
        """Whether it holds a judge's scores with the hypothesis first."""
        return self.is_from_judge and self.maker is not None and self.maker.reverse

    @property
    def is_score(self) -> bool:
        """Whether it can hold scores, rather than evidence, gaps or bounds of scores."""
        return self.kind in (ScoreKind.JUDGE, ScoreKind.OTHER)

    @property
    def score(self) -> str:
        """The score column that it belongs to: itself for a score, the column with the source first for a gap."""
        if self.kind is ScoreKind.EVIDENCE:
            return self.column.removesuffix(_P_YES if self.yes else _P_NO)
        return (
            self.column.removesuffix(_GAP if self.kind is ScoreKind.GAP else _BOUND)
            if not self.is_score
            else self.column
        )

    @property
    def evidence(self) -> tuple[str, str]:
        """The columns of p(yes) and p(no) of a judge's scores."""
        return self.column + _P_YES, self.column + _P_NO

    @property
    def bound(self) -> str:
        """The column that marks the bounds among a judge's scores."""
        return self.column + _BOUND

    @property
    def orders(self) -> tuple[str, str]:
        """The score columns with the source first and with the hypothesis first."""
        forward = self.score.removesuffix(_REVERSE)
        return forward, forward + _REVERSE

    @property
    def gap(self) -> str:
        """The column with the gap between a judge's scores in both orders."""
        return self.orders[0] + _GAP

    @property
    def word(self) -> str:
        """The word for the judge in its name, or ""."""
        return _split(self.column)[0].partition(_BY)[2]

    def with_word(self, word: str) -> str:
        """Return its name with a different word for the judge, "" for none ("pluie.direct@mistral-7b.p_yes")."""
        head, ending = _split(self.column)
        return head.partition(_BY)[0] + (_BY + word if word else "") + ending

    @property
    def names(self) -> tuple[str, ...]:
        """All names of the column: its own, the name without a judge, and the names with each word for the judge."""
        words = () if self.maker is None else ("", *self.maker.words)
        return tuple(dict.fromkeys([self.column, *map(self.with_word, words)]))

    def with_judge(self, judge: str) -> ColumnIdentity:
        """Return the identity with this judge, unchanged if the score is not a judge's."""
        if self.maker is None:
            return self
        return replace(self, maker=replace(self.maker, judge=judge, weights=quantisation(judge)[1]))


@lru_cache(maxsize=4096)
def identify(column: str, signature: Signature | None = None) -> ColumnIdentity:
    """Identify a column by its name, and its maker by the signature of its score, if there is one."""
    if column.endswith((_P_YES, _P_NO)):
        yes = column.endswith(_P_YES)
        maker = identify(column.removesuffix(_P_YES if yes else _P_NO), signature).maker
        return ColumnIdentity(column, ScoreKind.EVIDENCE, maker, yes)
    fields = {} if signature is None else dict(signature.fields)
    if not column.startswith(_JUDGE):
        against = " vs reference" if fields.get("against") == "reference" else ""
        return ColumnIdentity(column, ScoreKind.OTHER, called=fields["title"] + against if "title" in fields else "")
    for ending, kind in ((_GAP, ScoreKind.GAP), (_BOUND, ScoreKind.BOUND)):
        if column.endswith(ending):
            return ColumnIdentity(column, kind, identify(column.removesuffix(ending), signature).maker)
    name = column.removeprefix(_JUDGE)
    reverse, name = name.endswith(_REVERSE), name.removesuffix(_REVERSE)
    template, _, judge = name.partition(_BY)
    judge, precision = fields.get("model", judge), fields.get("precision", "")
    revision = " ".join(fields[name] for name in ("revision", "server") if fields.get(name))
    weights = fields.get("weights") or quantisation(judge)[1]
    return ColumnIdentity(
        column, ScoreKind.JUDGE, ScoreMaker(template.upper(), judge, precision, reverse, revision, weights)
    )


def judge_column(template: str, judge: str = "") -> str:
    """Return the column of a template's scores ("pluie.fs-direct.reverse" for FS-DIRECT,reverse).

    `judge` is the word that distinguishes several judges under one template; a single judge needs none.
    """
    name, _, order = template.lower().partition(",")
    return _JUDGE + name + (_BY + judge if judge else "") + ("." + order if order else "")


def without_judge(column: str) -> str:
    """Return a column's name without the judge, as used in signatures and stores."""
    return identify(column).with_word("") if column.startswith(_JUDGE) else column


def rename_column(column: str, old: str, new: str) -> str:
    """Return a column's new name after its score column `old` is renamed to `new`; other columns keep theirs."""
    return new + column.removeprefix(old) if identify(column).score == old else column


def distinguish_judges(word_lists: Collection[tuple[str, ...]], taken: Iterable[str] = ()) -> list[str]:
    """Return, for each of several judges, the shortest word that distinguishes it from the others.

    Args:
        word_lists: The possible words for each judge, from the shortest to the fullest, as in `ScoreMaker.words`.
        taken: Words already in use.
    """
    taken = set(taken)
    result: list[str] = []
    for words in word_lists:
        others = [other for other in word_lists if other is not words]
        free = (word for word in words if word not in taken and not any(word in other for other in others))
        fullest = words[-1] if words else "judge"
        word, number = next(free, fullest), 2
        while word in result or word in taken:
            word, number = f"{fullest}-{number}", number + 1
        result.append(word)
    return result


def matching_columns(name: str, columns: Iterable[str]) -> list[str]:
    """Return the columns that a name without a judge can mean: those of its template's judges."""
    return [column for column in columns if column != name and without_judge(column) == name]


def describe_ambiguity(name: str, columns: Iterable[str]) -> str:
    """Return a clause about a name that fits several columns; "" if it fits at most one."""
    matches = matching_columns(name, columns)
    if len(matches) < 2:
        return ""
    return f"{name} is the score of {len(matches)} judges, {join_words(matches)}"


def reserved_ending(template: str) -> str:
    """Return the ending of a template's name that is reserved for columns; "" if it has none."""
    reserved = (_P_YES, _P_NO, _REVERSE, _GAP, _BOUND)
    return next((ending for ending in reserved if template.lower().endswith(ending)), "")


def quantisation(model: str) -> tuple[str, str]:
    """Split a model's name into the name proper and its quantisation.

    ("Mistral-7B", "Q4_K_M") for "Mistral-7B.Q4_K_M.gguf"; (the name, "") without a quantisation.
    """
    match = _QUANTISED.fullmatch(model)
    return (match[1], match[2].upper()) if match else (model, "")


def judge_word(text: str) -> str:
    """Return a judge's word for column names: the last part of its path or hub id, in lower case."""
    last = text.partition("#")[2] or text
    last = last.replace("\\", "/").rstrip("/").rpartition("/")[2].lower().removesuffix(".gguf")
    return re.sub(r"[^\w.]+", "-", last).strip("-.")


def _split(column: str) -> tuple[str, str]:
    """Split a judge's column into its name without endings and the endings."""
    head, more = column, True
    while more:
        more = False
        for ending in (_P_YES, _P_NO, _GAP, _BOUND, _REVERSE):
            if head.endswith(ending):
                head, more = head.removesuffix(ending), True
    return head, column.removeprefix(head)
