"""Which judge is asked for and how it is run: what the user chooses, as it crosses to the worker process."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from parapluie_gui.models.catalogue import ModelFiles, find_model


@dataclass(frozen=True)
class JudgeSettings:
    """Which language model judges, and how it is run.

    Attributes:
        model: A catalogue name, a folder, a GGUF file or a hub id.
        device: "auto", "cpu", "cuda", "cuda:1", "cuda:all", "cuda:each", "mps".
        precision: "auto", "float32", "bfloat16", "float16".
        exact: One pair at a time without a shared cache, for reproduction.
        batch_tokens: Most tokens in one forward pass; 0 = chosen for the device.
        located: The model's files, once they were looked up; None before.
    """

    model: str
    device: str = "auto"
    precision: str = "auto"
    exact: bool = False
    batch_tokens: int = 0
    located: ModelFiles | None = field(default=None, compare=False, repr=False)

    @property
    def files(self) -> ModelFiles:
        """The model's files; they are looked up unless that was done before.

        Raises:
            ModelError: The model is not on this computer.
        """
        return find_model(self.model) if self.located is None else self.located

    def locate(self) -> JudgeSettings:
        """Return these settings with the model's files, which are then not looked up again.

        Raises:
            ModelError: The model is not on this computer.
        """
        return self if self.located is not None else replace(self, located=find_model(self.model))

    def by_name(self) -> JudgeSettings:
        """Return these settings without the files: for another computer, or for files that may change meanwhile."""
        return replace(self, located=None)
