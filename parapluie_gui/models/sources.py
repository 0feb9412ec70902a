"""Sources of models that features add, besides the catalogue, folders, GGUF files and the hub.

A name belongs to a source by its prefix, so that checking a name imports no feature.
"""

from __future__ import annotations

import contextlib
import ipaddress
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from parapluie_gui.errors import ModelError
from parapluie_gui.feature import ModelSource, collect_parts


def is_this_computer(address: str) -> bool:
    """Return True if an address is on this computer."""
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:  # a host name
        return host == "localhost"


@dataclass(frozen=True)
class RemoteModel:
    """A causal model without files, which another program runs on this or another computer.

    Attributes:
        address: The name shown to the user.
        name: The name in the names of scores, independent of the address.
        title: The line that lists show for it.
        host: The host that receives the sentences.
        revision: Identifier of its version, as far as that is known.
        note: Sentences on its quality as a judge.
        fields: Further fields of the signatures of its scores.
        record: The data that its judge needs to reach it, in the source's format.
    """

    address: str
    name: str
    title: str
    host: str
    revision: str
    note: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    record: object = None

    @property
    def is_here(self) -> bool:
        """Whether the host is this computer."""
        return is_this_computer(f"//{self.host}")


class RemoteModelSource(ABC):
    """A source of models other than files."""

    @abstractmethod
    def find(self, model: str) -> RemoteModel:
        """Return the model with a name, without sending a request.

        Raises:
            ModelError: The model is unknown; the message says how to add it.
        """

    @abstractmethod
    def list_used(self) -> list[RemoteModel]:
        """Return the models that the user has used, the latest first, without sending a request."""

    @abstractmethod
    def short_name(self, model: str) -> str:
        """Return the short form of a model's name for the names of scores."""

    @abstractmethod
    def prepare(self, model: str, say: Callable[[str], None]) -> None:
        """Add an unknown model; `say` receives sentences for the user, the first of which names the receiving host.

        Raises:
            ModelError: The model cannot be used.
        """


def find_declaration(model: str) -> ModelSource | None:
    """Return the declaration of the source for a model's name, None if there is none."""
    parts: tuple[ModelSource, ...] = collect_parts("model_sources")
    return next((part for part in parts if model.lower().startswith(part.prefixes)), None)


def find_source(model: str) -> RemoteModelSource | None:
    """Return the source for a model's name, None if there is none."""
    declaration = find_declaration(model)
    return None if declaration is None else _load_source(declaration)


def receiving_host(model: str) -> str:
    """Return the other computer that receives the sentences that a model scores; "" if it is this computer.

    Args:
        model: A model's name, or its name in the names of scores.
    """
    remote: RemoteModel | None = None
    with contextlib.suppress(ModelError):
        source = find_source(model)
        used = (known for known in list_used_models() if known.name == model)
        remote = next(used, None) if source is None else source.find(model)
    return "" if remote is None or remote.is_here else remote.host


def list_used_models() -> list[RemoteModel]:
    """Return the models that the user has used, from all sources."""
    return [model for part in collect_parts("model_sources") for model in _load_source(part).list_used()]


def prepare(model: str, say: Callable[[str], None]) -> None:
    """Add a model if its name belongs to a source and it is unknown; arguments as in `RemoteModelSource.prepare`."""
    if (source := find_source(model)) is not None:
        source.prepare(model, say)


def _load_source(part: ModelSource) -> RemoteModelSource:
    source: RemoteModelSource = part.load()()
    return source
