"""What a column of numbers is and who made it, and the plain name that says so in files, filters and sessions.

Only this file reads or writes endings of names ("pluie.fs-direct.reverse.p_yes"): they are a format of files.
Everywhere else a column is asked for its `Identity`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import lru_cache

from parapluie_gui.errors import listed
from parapluie_gui.scores.signature import Signature

_JUDGE, _BY = "pluie.", "@"
_P_YES, _P_NO = ".p_yes", ".p_no"
_REVERSE, _GAP, _BOUND = ".reverse", ".gap", ".bound"


#: A name that ends in a type of GGUF's weights, perhaps with the number of the file's first part behind it.
_QUANTISED = re.compile(
    r"(.+?)[-._]((?:I?Q|TQ)[1-8](?:_\w+)?|MXFP4(?:_MOE)?|NVFP4|BF16|F16|F32)(?:-\d{5}-of-\d{5})?(?:\.gguf)?",
    re.IGNORECASE,
)

#: What a bound is called, where the probability of no was not told and where that of yes was not.
BOUNDS = ("at least", "at most")


class Kind(Enum):
    """What a column of numbers is."""

    JUDGE = auto()  # log p(yes) − log p(no) of a judge under a template
    EVIDENCE = auto()  # the probability of yes, or of no, behind a judge's score
    GAP = auto()  # between a judge's scores in both orders
    BOUND = auto()  # which of a judge's scores are bounds, in words
    OTHER = auto()  # a metric's score, or any column of the corpus


@dataclass(frozen=True)
class Maker:
    """Who gave a judge's scores: two columns that differ in any of this hold different scores.

    Attributes:
        template: What it was asked ("FS-DIRECT").
        judge: The model as its signature names it; "" where that is not known.
        precision: In which precision or quantisation it computed; "" where that is not known.
        reverse: Whether it read the hypothesis first.
        revision: Which revision of the model it was, and on which server.
        weights: How its weights are quantised ("Q4_K_M"); "" where they are not, or it is not known.
    """

    template: str
    judge: str = ""
    precision: str = ""
    reverse: bool = False
    revision: str = ""
    weights: str = ""

    @property
    def who(self) -> tuple[str, str, str]:
        """Who judged, whatever was asked: judge, precision and revision."""
        return self.judge, self.precision, self.revision

    @property
    def key(self) -> str:
        """A text that is equal for what one judge answered under one template, as sessions hold it."""
        return "|".join((self.template, "False", *self.who))

    @property
    def words(self) -> tuple[str, ...]:
        """What tells the judge from others in plain names, from the shortest to the fullest."""
        judge, precision, revision = map(judge_word, self.who)
        weights = self.weights.lower()
        said = "" if judge.endswith(weights) else judge_word(weights)
        parts = [part for part in (judge, said, precision, revision[:8]) if part]
        return tuple("-".join(parts[: count + 1]) for count in range(len(parts)))


@dataclass(frozen=True)
class Identity:
    """What a column is.

    Attributes:
        column: Its plain name.
        kind: What it holds.
        maker: Who gave the score that it holds or belongs to; None for what is no judge's.
        yes: Whether probabilities are those of yes.
        called: What the author of a metric of the user's calls it; "" for any other.
    """

    column: str
    kind: Kind
    maker: Maker | None = None
    yes: bool = False
    called: str = ""

    @property
    def judged(self) -> bool:
        """Whether it holds a judge's scores."""
        return self.kind is Kind.JUDGE

    @property
    def reverse(self) -> bool:
        """Whether it holds a judge's scores of pairs shown with the hypothesis first."""
        return self.judged and self.maker is not None and self.maker.reverse

    @property
    def is_score(self) -> bool:
        """Whether it may hold scores, rather than what belongs to one."""
        return self.kind in (Kind.JUDGE, Kind.OTHER)

    @property
    def score(self) -> str:
        """The score that it belongs to (of a gap, the one with the source first); itself for a score."""
        if self.kind is Kind.EVIDENCE:
            return self.column.removesuffix(_P_YES if self.yes else _P_NO)
        return self.column.removesuffix(_GAP if self.kind is Kind.GAP else _BOUND) if not self.is_score else self.column

    @property
    def evidence(self) -> tuple[str, str]:
        """The columns of p(yes) and p(no) behind a judge's scores."""
        return self.column + _P_YES, self.column + _P_NO

    @property
    def bound(self) -> str:
        """The column that says which of a judge's scores are bounds."""
        return self.column + _BOUND

    @property
    def orders(self) -> tuple[str, str]:
        """The scores with the source first and with the hypothesis first, of either of them or of their gap."""
        forward = self.score.removesuffix(_REVERSE)
        return forward, forward + _REVERSE

    @property
    def gap(self) -> str:
        """The column of the gap between a judge's scores in both orders."""
        return self.orders[0] + _GAP

    @property
    def word(self) -> str:
        """What its plain name says of the judge; "" where it says nothing."""
        return _split(self.column)[0].partition(_BY)[2]

    def named(self, word: str) -> str:
        """Return its plain name with another word for the judge, "" for none ("pluie.direct@mistral-7b.p_yes")."""
        head, ending = _split(self.column)
        return head.partition(_BY)[0] + (_BY + word if word else "") + ending

    @property
    def names(self) -> tuple[str, ...]:
        """The plain names that fit it: its own, the one without a judge, and those with more and more of it."""
        words = () if self.maker is None else ("", *self.maker.words)
        return tuple(dict.fromkeys([self.column, *map(self.named, words)]))

    def by(self, judge: str) -> Identity:
        """Return it as of a judge, if it is a judge's."""
        if self.maker is None:
            return self
        return replace(self, maker=replace(self.maker, judge=judge, weights=quantisation(judge)[1]))


@lru_cache(maxsize=4096)
def identify(column: str, signature: Signature | None = None) -> Identity:
    """Return what a column is by its plain name; the signature of its score says who made it, where there is one."""
    if column.endswith((_P_YES, _P_NO)):
        yes = column.endswith(_P_YES)
        maker = identify(column.removesuffix(_P_YES if yes else _P_NO), signature).maker
        return Identity(column, Kind.EVIDENCE, maker, yes)
    fields = {} if signature is None else dict(signature.fields)
    if not column.startswith(_JUDGE):
        against = " vs reference" if fields.get("against") == "reference" else ""
        return Identity(column, Kind.OTHER, called=fields["title"] + against if "title" in fields else "")
    for ending, kind in ((_GAP, Kind.GAP), (_BOUND, Kind.BOUND)):
        if column.endswith(ending):
            return Identity(column, kind, identify(column.removesuffix(ending), signature).maker)
    name = column.removeprefix(_JUDGE)
    reverse, name = name.endswith(_REVERSE), name.removesuffix(_REVERSE)
    template, _, judge = name.partition(_BY)
    judge, precision = fields.get("model", judge), fields.get("precision", "")
    revision = " ".join(fields[name] for name in ("revision", "server") if fields.get(name))
    weights = fields.get("weights") or quantisation(judge)[1]
    return Identity(column, Kind.JUDGE, Maker(template.upper(), judge, precision, reverse, revision, weights))


def judge_column(template: str, judge: str = "") -> str:
    """Return the column of a template's scores ("pluie.fs-direct.reverse" for FS-DIRECT,reverse).

    `judge` tells it from that of another judge under the same template; the only judge of a table needs none.
    """
    name, _, order = template.lower().partition(",")
    return _JUDGE + name + (_BY + judge if judge else "") + ("." + order if order else "")


def without_judge(column: str) -> str:
    """Return the plain name without the judge: that of the template's column in signatures and stores."""
    return identify(column).named("") if column.startswith(_JUDGE) else column


def moved(column: str, old: str, new: str) -> str:
    """Return what a column is called when the score that it is or belongs to is called otherwise."""
    return new + column.removeprefix(old) if identify(column).score == old else column


def apart(word_lists: Collection[tuple[str, ...]], taken: Iterable[str] = ()) -> list[str]:
    """Return a word for each of several judges that tells it from the others, the shortest that does.

    Args:
        word_lists: What may be said of each, from the shortest to the fullest, as `Maker.words`.
        taken: Words that are not free.
    """
    taken = set(taken)
    found: list[str] = []
    for words in word_lists:
        others = [other for other in word_lists if other is not words]
        free = (word for word in words if word not in taken and not any(word in other for other in others))
        fullest = words[-1] if words else "judge"
        word, number = next(free, fullest), 2
        while word in found or word in taken:
            word, number = f"{fullest}-{number}", number + 1
        found.append(word)
    return found


def fitting(name: str, columns: Iterable[str]) -> list[str]:
    """Return the columns that a plain name without a judge may mean: those of several judges under one template."""
    return [column for column in columns if column != name and without_judge(column) == name]


def both_named(name: str, columns: Iterable[str]) -> str:
    """Return what to say of a name that fits several columns; "" where it fits one or none."""
    found = fitting(name, columns)
    if len(found) < 2:
        return ""
    return f"{name} is the score of {len(found)} judges, {listed(found)}"


def reserved_ending(template: str) -> str:
    """Return the ending of a template's name that the program gives to a judge's columns; "" where it has none."""
    reserved = (_P_YES, _P_NO, _REVERSE, _GAP, _BOUND)
    return next((ending for ending in reserved if template.lower().endswith(ending)), "")


def quantisation(model: str) -> tuple[str, str]:
    """Return a model's name without, and then with nothing but, the quantisation that it ends in.

    ("Mistral-7B", "Q4_K_M") for "Mistral-7B.Q4_K_M.gguf"; (the name, "") where it ends in none.
    """
    found = _QUANTISED.fullmatch(model)
    return (found[1], found[2].upper()) if found else (model, "")


def judge_word(text: str) -> str:
    """Return a name as it can stand in a plain name: the last part of a path or hub id, in small letters."""
    last = text.partition("#")[2] or text
    last = last.replace("\\", "/").rstrip("/").rpartition("/")[2].lower().removesuffix(".gguf")
    return re.sub(r"[^\w.]+", "-", last).strip("-.")


def _split(column: str) -> tuple[str, str]:
    """Return a judge's column without its endings, and these."""
    head, more = column, True
    while more:
        more = False
        for ending in (_P_YES, _P_NO, _GAP, _BOUND, _REVERSE):
            if head.endswith(ending):
                head, more = head.removesuffix(ending), True
    return head, column.removeprefix(head)
