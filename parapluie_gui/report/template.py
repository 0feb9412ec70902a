"""HTML from the templates in `resources`; every text that is put into one is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from parapluie_gui import places

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup


def fill(name: str, **values: object) -> str:
    """Return a document or a part of one.

    Args:
        name: The template's path in `resources`.
        values: What it names, by name; only `Markup` is put in as it is.
    """
    return _template(name).render(values)


def fill_part(part: str, *values: object) -> Markup:
    """Return a part of a page, a macro of `report/parts.html`, called with values."""
    filled: Markup = getattr(_template("report/parts.html").module, part)(*values)
    return filled


def markup(text: str) -> Markup:
    """Return HTML of the program's own making, such as a drawing, that a template must not escape."""
    from markupsafe import Markup

    return Markup(text)


def joined(parts: Iterable[Markup]) -> Markup:
    """Return parts of a page, one behind the other."""
    return markup("").join(parts)


@cache
def _environment() -> Any:
    import jinja2  # only where a page is written

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
