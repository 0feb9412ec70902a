"""Names of scores for people: on axes, in tables, filters, reports and certificates."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.base import FOREIGN
from parapluie_gui.models.catalogue import POCKET
from parapluie_gui.models.catalogue import entry as catalogue_entry
from parapluie_gui.models.sources import find_source
from parapluie_gui.scores.identity import ColumnIdentity, ScoreKind, ScoreMaker, quantisation
from parapluie_gui.scores.table import ScoreTable

#: The only template of the pocket judge, whose scores have the judge's name without the template's.
_POCKET_TEMPLATE = "CLOZE"

_OWN = {"human": "Human score", "label": "Label", "length": "Length"}


def judge_title(model: str) -> str:
    """Return a judge's name in the names of its scores: "SmolLM2" for smollm2-135m, the last part of a path or hub id.

    It does not include the quantisation of a file.
    """
    if (source := find_source(model)) is not None:
        return source.short_name(model)
    known = catalogue_entry(model)
    if known is not None:
        return known.short or known.title
    return quantisation(_last_part(model))[0]


def _last_part(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2].rpartition(":")[2]


def judge_with_weights(model: str) -> str:
    """Return a judge's name with the quantisation of its weights, if the model's name has one: "Mistral · Q4_K_M"."""
    weights = quantisation(model)[1]
    return judge_title(model) + (f" · {weights}" if weights else "")


def template_words(name: str) -> str:
    """Return a template's name for people: "P1, four examples" for P1-ICL_K4, other names unchanged."""
    return name.replace("-ICL_K4", ", four examples")


def shown_name(identity: ColumnIdentity, others: Iterable[ColumnIdentity] = ()) -> str:
    """Return the name of a column as shown to people: "FS-DIRECT · SmolLM2", "Edit distance".

    A judge's score has the template's name and the judge's, with precision and revision if they distinguish it from
    `others`. Scores of the pocket judge, which has one template, have only the judge's name; those of an unknown judge
    are called "ParaPLUIE FS-DIRECT".
    """
    if identity.maker is not None:
        return _judge_name(identity, identity.maker, [other.maker for other in others if other.maker])
    if identity.kind is ScoreKind.EVIDENCE:
        return f"{identity.score}, {_answer(identity)}"
    if identity.called:
        return identity.called
    column = identity.column
    info = catalogue.info(column)
    if info is not None and info.family in FOREIGN and "." in column:
        # Columns of the corpus and the user's own metrics keep their names.
        name = column.partition(".")[2].removeprefix("closer_lower.")
        against = name.removeprefix("ref.")
        return name if against == name else f"{against} vs reference"
    return _OWN.get(column) or (column if info is None else info.title)


def shown_names(table: ScoreTable) -> dict[str, str]:
    """Return the name of each column of a table for people, distinguished from the others."""
    others = list(map(table.identity, table.signatures))
    return {column: shown_name(table.identity(column), others) for column in table}


def judge_heads(scores: Iterable[ColumnIdentity]) -> dict[str, tuple[str, str]]:
    """Return the names of judge and template for each score of a known judge; empty for a single judge."""
    makers = {score.column: score.maker for score in scores if score.maker and score.maker.judge}
    if len({maker.who for maker in makers.values()}) < 2:
        return {}
    return {
        column: (who_words(maker, makers.values()), template_words(maker.template) + _order_words(maker))
        for column, maker in makers.items()
    }


def further_names(identity: ColumnIdentity) -> tuple[str, ...]:
    """Return further shown names of a judge's score that filters accept, whether or not other judges have scores.

    "DIRECT" is the score of the first judge; earlier versions wrote "SmolLM2 · DIRECT".
    """
    maker, name = identity.maker, shown_name(identity)
    if maker is None or not maker.judge or name.startswith(judge_title(maker.judge)):
        return ()
    template = template_words(maker.template)
    ending = name.removeprefix(f"{template} · {who_words(maker, ())}")
    short = template + ending
    judges = [judge_title(maker.judge)]
    if maker.weights:  # earlier versions left the weights in the judge's name
        judges += [f"{judges[0]} · {maker.weights}", _last_part(maker.judge)]
    names = tuple(name for judge in judges for name in (f"{template} · {judge}{ending}", f"{judge} · {short}"))
    return names if identity.word else (short, *names)


def who_words(maker: ScoreMaker, others: Iterable[ScoreMaker]) -> str:
    """Return a judge's name with its quantisation and what else distinguishes it from others: "SmolLM2 · float32".

    It is "" for an unknown judge.
    """
    others = [other for other in others if other.judge and other.who != maker.who]
    if not maker.judge:
        return ""
    words = [judge_title(maker.judge), maker.weights]
    like = [other for other in others if [judge_title(other.judge), other.weights] == words]
    if any(other.precision != maker.precision for other in like):
        words.append(maker.precision)
    if same := [other for other in like if other.precision == maker.precision]:
        words.append(maker.revision[:8] if any(other.judge == maker.judge for other in same) else maker.judge)
    return " · ".join(word for word in words if word)


def _judge_name(identity: ColumnIdentity, maker: ScoreMaker, others: Collection[ScoreMaker]) -> str:
    template, who = template_words(maker.template), who_words(maker, others)
    if maker.judge == POCKET.name and template == _POCKET_TEMPLATE:
        name = who
    elif not maker.judge:
        name = f"ParaPLUIE {template}"
    else:
        name = f"{template} · {who}"
    name += _order_words(maker, gap=identity.kind is ScoreKind.GAP)
    if identity.kind is ScoreKind.EVIDENCE:
        return f"{name}, {_answer(identity)}"
    return f"{name}, bound" if identity.kind is ScoreKind.BOUND else name


def _order_words(maker: ScoreMaker, *, gap: bool = False) -> str:
    """Return the suffix of a score's name: " (reverse)"; "" with the source first."""
    more = [word for word, applies in {"gap": gap, "reverse": maker.reverse}.items() if applies]
    return f" ({', '.join(more)})" if more else ""


def _answer(identity: ColumnIdentity) -> str:
    return "p(yes)" if identity.yes else "p(no)"
