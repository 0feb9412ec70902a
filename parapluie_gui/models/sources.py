"""Sources of models that features add beside the catalogue, folders, GGUF files and the hub.

A name belongs to a source by how it begins, so that looking at names imports nothing of a feature.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from parapluie_gui.feature import ModelSource, brought


@dataclass(frozen=True)
class RemoteModel:
    """A causal model that another program runs, on this computer or elsewhere; there are no files of it.

    Attributes:
        address: What the user calls it.
        name: What its scores are known by, wherever it runs.
        title: Its line in lists.
        host: Where sentences are sent.
        revision: What identifies its version, as far as that is known.
        note: What is known of it as a judge, in sentences.
        fields: Further fields of its scores' signature.
        record: What its judge needs to reach it, in the source's own form.
    """

    address: str
    name: str
    title: str
    host: str
    revision: str
    note: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    record: object = None


class Source(ABC):
    """Models that are found in a way of their own."""

    @abstractmethod
    def find(self, model: str) -> RemoteModel:
        """Return a model by what the user calls it; nothing is sent anywhere.

        Raises:
            ModelError: It is not known here; the message says how to make it known.
        """

    @abstractmethod
    def known(self) -> list[RemoteModel]:
        """Return the models that the user has used, the last one first; nothing is sent anywhere."""

    @abstractmethod
    def short_name(self, model: str) -> str:
        """Return a model's name in those of its scores, by what the user calls it."""

    @abstractmethod
    def prepare(self, model: str, say: Callable[[str], None]) -> None:
        """Make a model known that is not yet; `say` takes sentences, first of all on where the user's texts will go.

        Raises:
            ModelError: It cannot be used.
        """


def declared(model: str) -> ModelSource | None:
    """Return the declaration of the source that a model's name belongs to, if there is one."""
    parts: tuple[ModelSource, ...] = brought("model_sources")
    return next((part for part in parts if model.lower().startswith(part.prefixes)), None)


def source_of(model: str) -> Source | None:
    """Return the source that a model's name belongs to, if there is one."""
    part = declared(model)
    return None if part is None else _made(part)


def known_models() -> list[RemoteModel]:
    """Return the models of all sources that the user has used."""
    return [model for part in brought("model_sources") for model in _made(part).known()]


def prepare(model: str, say: Callable[[str], None]) -> None:
    """Make a model of a source known that is not yet; of any other name nothing is asked. See `Source.prepare`."""
    if (source := source_of(model)) is not None:
        source.prepare(model, say)


def _made(part: ModelSource) -> Source:
    source: Source = part.load()()
    return source
