"""Fills the HTML templates in `resources`, escaping every text."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from parapluie_gui import places

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup


def fill_template(name: str, **values: object) -> str:
    """Render a template.

    Args:
        name: The template's path in `resources`.
        values: The values of its variables; all except `Markup` are escaped.
    """
    return _template(name).render(values)


def fill_part(part: str, *values: object) -> Markup:
    """Render a macro of `report/parts.html`."""
    filled: Markup = getattr(_template("report/parts.html").module, part)(*values)
    return filled


def markup(text: str) -> Markup:
    """Mark HTML that this program created, such as a drawing, as safe to insert without escaping."""
    from markupsafe import Markup

    return Markup(text)


def join_markup(parts: Iterable[Markup]) -> Markup:
    """Concatenate parts of a page."""
    return markup("").join(parts)


@cache
def _environment() -> Any:
    import jinja2  # imported only when a page is written

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(places.resources()),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    return environment


def _template(name: str) -> Template:
    template: Template = _environment().get_template(name)
    return template
