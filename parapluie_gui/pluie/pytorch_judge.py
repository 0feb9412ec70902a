"""The common base of causal and masked judges: a Hugging Face model in this process."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Self

from parapluie_gui.models.batches import BatchMemory
from parapluie_gui.models.device import ALL_GPUS, choose_device, choose_precision, foresee, free_bytes
from parapluie_gui.models.loading import check_before_layers, check_memory, hold_weights, load_files
from parapluie_gui.models.quantised import resolve_precision
from parapluie_gui.pluie.batch_scorer import BatchJudge
from parapluie_gui.pluie.budget import BATCH_TOKENS, WRITERS, ModelShape, plan_pass_tokens
from parapluie_gui.pluie.fast.choice import PassChoice
from parapluie_gui.pluie.judge import pluie_signature

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from parapluie_gui.models.catalogue import ModelFiles
    from parapluie_gui.pluie.judge_settings import JudgeSettings
    from parapluie_gui.pluie.templates import Template
    from parapluie_gui.scores.signature import Signature


class PytorchJudge(BatchJudge):
    """A loaded Hugging Face model."""

    kind: ClassVar[str]
    device: torch.device

    def __init__(
        self,
        files: ModelFiles,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        device: torch.device,
        precision: str,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self.files = files
        self.model = model.eval()
        self.tokenizer = tokenizer
        self.device = device
        self.precision = precision
        # Tied weights are still one tensor here; below, some are untied and packed.
        self.parameters = sum(weight.numel() for weight in model.parameters())
        self.computed_by = self._prepare(check)
        if not files.gguf:
            hold_weights(self.model)  # only after packing, which copies the weights
        check_before_layers(self.model, check)

    @property
    def batch_tokens(self) -> int:
        """The default for the maximum number of tokens per forward pass."""
        most = BATCH_TOKENS[self.device.type]
        if self.device.type == "cpu":
            return most
        return plan_pass_tokens(
            most, free_bytes(self.device), ModelShape.from_config(self.model.config.get_text_config(), self.size)
        )

    def writing_memory(self, warn: Callable[[str], None], batch_tokens: int = 0) -> BatchMemory:
        """Return the token budget for rows written at a time; `batch_tokens` is as for scoring, 0 = the default."""
        kind = self.device.type
        most = WRITERS[kind] * (batch_tokens or BATCH_TOKENS[kind]) // BATCH_TOKENS[kind]
        return BatchMemory(max(most, 1), str(self.device), warn)

    @property
    def size(self) -> int:
        """Bytes of a number in the model's layers."""
        return int(self.model.dtype.itemsize)

    @abstractmethod
    def _prepare(self, check: Callable[[], None]) -> PassChoice:
        """Make the model compute logits at few positions only; return the chosen forward pass."""

    @classmethod
    def load(
        cls,
        files: ModelFiles,
        device: str = "auto",
        precision: str = "auto",
        check: Callable[[], None] = lambda: None,
        say: Callable[[str], None] = lambda text: None,
    ) -> Self:
        """Load a model from its local files; see `Judge.load`."""
        where = choose_device(device)
        how = choose_precision(resolve_precision(files.folder, precision), where)
        with check_memory(files.name, where):  # including the float32 copy of the output head
            model, tokenizer = load_files(files, where, how, cls.kind, spread=device == ALL_GPUS)
            return cls(files, model, tokenizer, where, how, check)

    @classmethod
    def signature(cls, files: ModelFiles, template: Template, settings: JudgeSettings) -> Signature:
        """Return the signature of the scores; see `Judge.signature`."""
        device, precision = foresee(settings.device, resolve_precision(files.folder, settings.precision))
        return pluie_signature(files, template, precision, exact=settings.exact, device=device)


def sum_logs(logs: torch.Tensor) -> torch.Tensor:
    """Return the logarithms (n,) of the sums of n rows of numbers, from the numbers' logarithms."""
    return logs[:, 0] if logs.shape[1] == 1 else logs.logsumexp(1)
