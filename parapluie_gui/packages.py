"""Optional packages: whether they are installed, and the message where one is missing."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from functools import cache

from parapluie_gui.children import portable
from parapluie_gui.errors import MissingPackageError

#: The distribution that this program is installed as.
PROGRAM = "parapluie_gui"

#: What is installed together, for those of models that are computed here.
_MODELS = ("torch", "transformers", "accelerate", "gguf", "huggingface_hub")
#: What pip is to be asked for where one of these cannot be imported.
TOGETHER = {**dict.fromkeys(_MODELS, _MODELS), "pandas": ("pandas",)}
_TITLES = {"torch": "PyTorch"}


@cache
def installed(name: str) -> bool:
    """Return whether a package can be found; it is not imported."""
    return importlib.util.find_spec(name) is not None


def is_light() -> bool:
    """Return whether this is an installation without what computes models here, which is one that misses nothing."""
    return not installed("torch") and not installed("transformers")


def need(*names: str, what: str = "This") -> None:
    """Refuse to go on without packages; `what` needs them.

    Raises:
        MissingPackageError: One of them is not installed.
    """
    for name in names:
        if not installed(name):
            raise MissingPackageError(sentence(name, what))


def missing(error: BaseException | None) -> MissingPackageError | None:
    """Return an error as a sentence if it came of one of these packages, which is not installed; None otherwise."""
    while error is not None:
        name = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
        if name in TOGETHER and not installed(name):
            return MissingPackageError(sentence(name))
        error = error.__cause__ or error.__context__
    return None


def sentence(name: str, what: str = "This") -> str:
    """Return what is missing, and how to get it."""
    title = _TITLES.get(name, name)
    if portable():
        server = "" if name not in _MODELS else "Connect to a server that runs models (parapluie models connect), or i"
        return (
            f"{what} needs {title}, which the portable application does not have. {server or 'I'}nstall the program "
            "with pip."
        )
    asked = " ".join(f"'{wanted(each)}'" for each in TOGETHER[name] if not installed(each))
    return f"{what} needs {title}, which is not installed. Install it: pip install {asked}"


def wanted(name: str) -> str:
    """Return what pip is to be asked for to get a package that this program works with ("torch<2.14,>=2.6")."""
    from packaging.requirements import Requirement

    try:
        needed = map(Requirement, importlib.metadata.requires(PROGRAM) or [])
    except importlib.metadata.PackageNotFoundError:
        return name
    return next((f"{each.name}{each.specifier}" for each in needed if each.name == name), name)
