"""The user's choice of a judge and of the way to run it, as it is sent to the worker process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from parapluie_gui.models.catalogue import ModelFiles, find_model

#: Separates the name of the code that computes a judge from the rest of its description.
COMPUTED_BY = ", computed by "


@dataclass(frozen=True)
class JudgeSettings:
    """The settings of a judge: its model, device and precision.

    Attributes:
        model: A catalogue name, a folder, a GGUF file or a hub id.
        device: "auto", "cpu", "cuda", "cuda:1", "cuda:all", "cuda:each", "mps".
        precision: "auto", "float32", "bfloat16", "float16".
        exact: Whether to score one pair at a time without a shared cache, for reproduction.
        batch_tokens: Maximum number of tokens in one forward pass; 0 = the device's default.
        located: The model's files, if they have been looked up.
    """

    model: str
    device: str = "auto"
    precision: str = "auto"
    exact: bool = False
    batch_tokens: int = 0
    located: ModelFiles | None = field(default=None, compare=False, repr=False)

    @property
    def files(self) -> ModelFiles:
        """The model's files, looked up unless `located` holds them.

        Raises:
            ModelError: The model is not on this computer.
        """
        return find_model(self.model) if self.located is None else self.located

    def locate(self, say: Callable[[str], None] = lambda text: None) -> JudgeSettings:
        """Return these settings with the model's files, so that they are not looked up again; `say` as `find_model`.

        Raises:
            ModelError: The model is not on this computer.
        """
        return self if self.located is not None else replace(self, located=find_model(self.model, say))

    def by_name(self) -> JudgeSettings:
        """Return these settings without the files, for another computer or for files that may change."""
        return replace(self, located=None)
