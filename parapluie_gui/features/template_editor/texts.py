"""Reading and saving the text of templates."""

from __future__ import annotations

from pathlib import Path

from parapluie_gui import own_files, places
from parapluie_gui.errors import OwnFileError, ParapluieError, explain_write_errors
from parapluie_gui.files import write_text
from parapluie_gui.pluie.templates import parse_template
from parapluie_gui.ui.state.watched_templates import TemplateFolder


def read_text(origin: str) -> str:
    """Return the text of a template file, or of the built-in template with this name.

    Raises:
        ParapluieError: The file cannot be read.
    """
    path = Path(origin)
    if not path.is_absolute():
        path = places.resources() / "templates" / f"{origin.lower()}.toml"
    try:
        return own_files.read_text(path)
    except (OSError, OwnFileError) as error:
        raise ParapluieError(f"{path.name} cannot be read as UTF-8 text ({error}). Open the folder.") from error


def save_text(folder: TemplateFolder, text: str, path: Path | None) -> Path:
    """Save a template in its file, or in a new file named after the template; return the file.

    Raises:
        ParapluieError: The text is not a template, its name is in use, or the file cannot be written.
    """
    template = parse_template(text, origin=str(folder.path / "template.toml"))
    target = path or folder.path / f"{template.name.lower()}.toml"
    namesakes = [entry for entry in folder.templates if entry.name.lower() == template.name.lower()]
    if any(entry.origin != str(target) for entry in namesakes) or (path is None and target.exists()):
        raise ParapluieError(f"There is already a template {template.name}. Choose a different name.")
    with explain_write_errors(target):
        folder.make()
        write_text(target, text)
    folder.read()
    return target
