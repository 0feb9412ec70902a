"""A user's decisions about a file, from the options of the command line and of Python, and from a saved plan."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypedDict, cast, get_args

from parapluie_gui.errors import ParapluieError
from parapluie_gui.pairs.corpus import ROLES
from parapluie_gui.pairs.reading.mapping import Columns
from parapluie_gui.pairs.reading.people import JUDGEMENT_ROLES
from parapluie_gui.pairs.reading.raw_table import SHAPES, Quoting, Shape
from parapluie_gui.pairs.saved_plan import NO_PLAN, find_plan

#: An option of the command line in a sentence, with its value unless a mark of punctuation follows.
_OPTION = re.compile(r'--([a-z]+(?:-[a-z]+)*)(?: ("[^"]*"|[^\s,;()]+))?')


class ReadingDecisions(TypedDict, total=False):
    """A user's decisions about a file; the program decides where a value is None or missing.

    Attributes:
        layout: One of layouts.LAYOUT_NAMES.
        encoding: The text's encoding, for a file that is not UTF-8 and has no byte order mark.
        delimiter: The separator of the columns.
        quoting: "minimal" if quotation marks protect cells, "none" if they are text.
        header: The line of the columns' names, such as 1 (or True); 0 (or False) for a file without any.
        sheet: The workbook's sheet; by default the first.
        shape: The kind of the file's rows, one of `raw_table.SHAPES`.
        roles: The columns of single roles, in pairs (role, column); the other roles are guessed.
        without: Columns that get no guessed role.
        positive: The values of the label that mean a paraphrase; all others then mean the opposite.
        missing: Values that mean that a pair has no label or score.
        annotator: The columns of annotators, as in `annotators.mark_annotators`.
        plan: The name of the saved plan that these decisions come from; "none" ignores a plan beside the file.
    """

    layout: str | None
    encoding: str | None
    delimiter: str | None
    quoting: Quoting | None
    header: int | None
    sheet: str | None
    shape: Shape | None
    roles: tuple[tuple[str, Columns], ...]
    without: frozenset[str]
    positive: tuple[str, ...]
    missing: tuple[str, ...]
    annotator: tuple[str, ...]
    plan: str | None


def merge_decisions(saved: ReadingDecisions, chosen: ReadingDecisions) -> ReadingDecisions:
    """Return the decisions of a saved plan with those of the user, which take precedence.

    A column to which the user gives a role loses the role that it had in the plan.
    """
    given = {name: value for name, value in chosen.items() if value not in (None, (), frozenset())}
    roles = dict(chosen.get("roles", ()))
    kept = {role: column for role, column in saved.get("roles", ()) if column not in roles.values()}
    without = saved.get("without", frozenset()) | chosen.get("without", frozenset())
    return cast(ReadingDecisions, {**saved, **given, "roles": tuple({**kept, **roles}.items()), "without": without})


def to_decisions(reading: Mapping[str, Any], scores: Collection[str] = ()) -> ReadingDecisions:
    """Convert the options to decisions about a file; columns of `scores` get no guessed role.

    Raises:
        ParapluieError: An option has a value that it cannot have.
    """
    named = reading.get("reference") or ()
    references = (named,) if isinstance(named, str) else tuple(named)
    roles: dict[str, Columns] = {"reference": references if references[1:] else references[0]} if references else {}
    every = (*ROLES, *JUDGEMENT_ROLES)
    roles |= {role: str(name) for role in every if role != "reference" and (name := reading.get(role))}
    roles |= _read_further_roles(reading.get("role", ()))
    shape, quoting = reading.get("shape"), reading.get("quoting")
    for name, value, allowed in (("shape", shape, SHAPES), ("quoting", quoting, get_args(Quoting))):
        if value is not None and value not in allowed:
            raise ParapluieError(f'There is no {name} called "{value}". Choose one of {", ".join(allowed)}.')
    delimiter = reading.get("delimiter")
    annotator = tuple(reading.get("annotator") or ())
    chosen = ReadingDecisions(
        layout=reading.get("layout"),
        roles=tuple(roles.items()),
        without=frozenset({*scores, *annotator, *(text.rpartition("=")[0] for text in annotator)}),
        encoding=reading.get("encoding"),
        delimiter={"TAB": "\t", "\\t": "\t"}.get(delimiter or "", delimiter),
        quoting=cast("Quoting | None", quoting),
        header=_read_header(reading.get("header")),
        sheet=reading.get("sheet"),
        shape=cast("Shape | None", shape),
        positive=tuple(reading.get("positive") or ()),
        missing=tuple(reading.get("missing") or ()),
        annotator=annotator,
        plan=reading.get("plan"),
    )
    if not (name := reading.get("plan")) or name == NO_PLAN:
        return chosen
    plan = find_plan(name)
    return merge_decisions(to_decisions({**plan.options, "plan": None}), {**chosen, "plan": plan.name})


def rewrite_options(sentence: str, write: Callable[[str, str], str]) -> str:
    """Replace each option in a sentence for the user by what `write` returns for its name and value ("" for none)."""
    return _OPTION.sub(lambda match: write(match[1].replace("-", "_"), match[2] or ""), sentence)


def _read_further_roles(named: Mapping[str, str] | Sequence[str]) -> dict[str, str]:
    texts = [] if isinstance(named, Mapping) else [text.partition("=") for text in named]
    pairs = list(named.items()) if isinstance(named, Mapping) else [(role, column) for role, _, column in texts]
    every = (*ROLES, *JUDGEMENT_ROLES)
    for role, column in pairs:
        if role not in every or not column:
            raise ParapluieError(
                f'"{role}={column}" does not name a role. Write ROLE=COLUMN with one of {", ".join(every)}.'
            )
    return dict(pairs)


def _read_header(header: int | str | None) -> int | None:
    if header is None or isinstance(header, int):
        return header
    if header.strip().casefold() == "none":
        return 0
    if not header.strip().isdecimal() or not int(header):
        raise ParapluieError(f'"{header}" is not the line number of a header. Write a number from 1 up, or none.')
    return int(header)
