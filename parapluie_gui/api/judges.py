"""Which judge, templates and metrics are asked for, by their names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from parapluie_gui import places
from parapluie_gui.api.notices import Notice, warn
from parapluie_gui.metrics import catalogue
from parapluie_gui.models.catalogue import find_model, usual_judge
from parapluie_gui.models.server import host_of, is_address, is_this_computer, known_server, tidy
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.served import connecting
from parapluie_gui.pluie.templates import USUAL_TEMPLATES, Template, find_templates, for_judge, load_templates


def choose_judge(
    model: str | None,
    templates: Sequence[str],
    device: str = "auto",
    precision: str = "auto",
    exact: bool = False,
    *,
    notice: Notice = warn,
) -> tuple[JudgeSettings | None, tuple[Template, ...]]:
    """Return the judge and the templates that are named; None and () if neither is.

    Raises:
        ParapluieError: One is not there, or they do not go together.
    """
    if not (templates or model):
        return None, ()
    available, broken = load_templates(places.user_templates())
    for template in broken:
        notice(str(template.error))
    chosen = find_templates(dict.fromkeys(templates), available)
    if model and is_address(model) and known_server(model) is None:
        connect_server(model, notice=notice)
    name = model or usual_judge({template.kind for template in chosen})
    files = find_model(name)
    usual = find_templates(USUAL_TEMPLATES[files.kind], available)
    return JudgeSettings(name, device, precision, exact), for_judge(files.kind, files.name, chosen or usual)


def connect_server(
    address: str, key: str = "", prices: tuple[float, float] | None = None, *, notice: Notice = warn
) -> None:
    """Connect to a server and say what it is; where sentences will be sent is said first.

    Raises:
        ModelError: It cannot be reached, or its numbers cannot be used.
    """
    if not is_this_computer(tidy(address)):
        notice(f"Sentences that it scores are sent to {host_of(address)}, which is not this computer.")
    server = connecting.connect(address, key, notice, prices)
    notice(f"{server.name} on {host_of(address)} is ready.{' ' + server.note if server.note else ''}")


def choose_metrics(specs: Iterable[str]) -> tuple[str, ...]:
    """Return the metrics named, each once.

    Raises:
        MetricError: There is no such metric, or two would fill the same column.
    """
    chosen = tuple(dict.fromkeys(specs))
    for spec in chosen:
        catalogue.find(spec)
    catalogue.check_distinct(chosen)
    return chosen


def names_of(names: str | Iterable[str]) -> tuple[str, ...]:
    """Return names, of which a single one may stand alone."""
    return (names,) if isinstance(names, str) else tuple(names)
