"""The one name that a person sees for a score: on axes, in tables, in filters, in reports and certificates."""

from __future__ import annotations

from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.base import FOREIGN
from parapluie_gui.models.catalogue import POCKET
from parapluie_gui.models.catalogue import entry as catalogue_entry
from parapluie_gui.models.server import host_of, is_address
from parapluie_gui.scores.identity import Identity, Kind, Maker

#: The only template that the pocket judge was taught: its scores are called by the judge alone.
_POCKET_TEMPLATE = "CLOZE"

_OWN = {"human": "Human score", "label": "Label", "length": "Length"}


def judge_title(model: str) -> str:
    """Return a judge's name in those of its scores: "SmolLM2" for smollm2-135m, the last part of a path or hub id."""
    if is_address(model):
        return model.partition("#")[2].rpartition("/")[2] or host_of(model)
    known = catalogue_entry(model)
    return model.replace("\\", "/").rstrip("/").rpartition("/")[2] if known is None else known.short or known.title


def template_words(name: str) -> str:
    """Return a template's name for a person: "P1, four examples" for P1-ICL_K4, the others as they are."""
    return name.replace("-ICL_K4", ", four examples")


def shown_name(identity: Identity) -> str:
    """Return what a column is called: "SmolLM2 · FS-DIRECT", "Pocket, p(yes)", "Edit distance".

    A judge's score has the judge's name and the template's; the judge's alone where it knows one template, and
    "ParaPLUIE FS-DIRECT" where it is not known which judge it was.
    """
    if identity.maker is not None:
        return _judge_name(identity, identity.maker)
    if identity.kind is Kind.EVIDENCE:
        return f"{identity.score}, {_answer(identity)}"
    if identity.called:
        return identity.called
    column = identity.column
    info = catalogue.info(column)
    if info is not None and info.family in FOREIGN and "." in column:
        # Columns of the corpus and the user's own metrics are known by their own names.
        name = column.partition(".")[2].removeprefix("closer_lower.")
        against = name.removeprefix("ref.")
        return name if against == name else f"{against} vs reference"
    return _OWN.get(column) or (column if info is None else info.title)


def _judge_name(identity: Identity, maker: Maker) -> str:
    template = template_words(maker.template)
    if maker.judge == POCKET.name and template == _POCKET_TEMPLATE:
        name = judge_title(maker.judge)
    else:
        name = f"{judge_title(maker.judge)} · {template}" if maker.judge else f"ParaPLUIE {template}"
    more = {"gap": identity.kind is Kind.GAP, "reverse": maker.reverse, "then": maker.second}
    if any(more.values()):
        name += f" ({', '.join(word for word, said in more.items() if said)})"
    if identity.kind is Kind.EVIDENCE:
        return f"{name}, {_answer(identity)}"
    return f"{name}, bound" if identity.kind is Kind.BOUND else name


def _answer(identity: Identity) -> str:
    return "p(yes)" if identity.yes else "p(no)"
