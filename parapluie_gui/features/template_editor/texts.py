"""Reading and writing the texts of templates."""

from __future__ import annotations

from pathlib import Path

from parapluie_gui import places
from parapluie_gui.errors import ParapluieError
from parapluie_gui.files import atomic_write
from parapluie_gui.pluie.templates import parse_template
from parapluie_gui.ui.state.watched_templates import TemplateFolder


def read_text(origin: str) -> str:
    """Return the text of a file, or that of the built-in template of this name.

    Raises:
        ParapluieError: It cannot be read.
    """
    path = Path(origin)
    if not path.is_absolute():
        path = places.resources() / "templates" / f"{origin.lower()}.toml"
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ParapluieError(f"{path.name} cannot be read as UTF-8 text ({error}). Open the folder.") from error


def save_text(folder: TemplateFolder, text: str, path: Path | None) -> Path:
    """Write a template into its file, without one into a new file that is called as the template; return the file.

    Raises:
        ParapluieError: It is no template, its name is taken by another file, or it cannot be written.
    """
    template = parse_template(text, origin=str(folder.path / "template.toml"))
    target = path or folder.path / f"{template.name.lower()}.toml"
    taken = [each for each in folder.templates if each.name.lower() == template.name.lower()]
    if any(each.origin != str(target) for each in taken) or (path is None and target.exists()):
        raise ParapluieError(f"There is a template {template.name} already. Write another name.")
    try:
        folder.make()
        with atomic_write(target) as part:
            part.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ParapluieError(f"{target} cannot be written ({error.strerror or error}).") from error
    folder.read()
    return target
