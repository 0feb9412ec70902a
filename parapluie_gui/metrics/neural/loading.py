"""Loads the neural networks of metrics: safetensors only, no remote code, interruptible before each layer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from parapluie_gui.errors import ModelError
from parapluie_gui.metrics.base import MetricContext
from parapluie_gui.models.batches import PASS_SECONDS, BatchMemory
from parapluie_gui.models.catalogue import ModelFiles
from parapluie_gui.packages import require

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


@dataclass(frozen=True)
class LoadedNetwork:
    """A network with its tokeniser.

    Attributes:
        name: The name of its model.
        most_tokens: The longest input that the network was made for.
        memory: The maximum number of tokens per pass, padding included.
        notice: Called with a sentence for the user.
        cut: The texts that were cut, each with the number of tokens that was left; `tokenize` fills it.
    """

    name: str
    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    device: torch.device
    most_tokens: int
    memory: BatchMemory
    notice: Callable[[str], None] = lambda text: None
    cut: set[tuple[int, str]] = field(default_factory=set)

    def tokenize(self, *texts: Sequence[str], limit: int, target: bool = False) -> Mapping[str, list[list[int]]]:
        """Tokenise texts or pairs of texts, cut to what the network reads; a notice says if any were cut.

        Args:
            texts: The texts, or the first and the second text of each pair.
            limit: Maximum number of tokens, special tokens included.
            target: Whether the texts are what a sequence-to-sequence model writes.
        """
        most = min(limit, self.most_tokens)
        columns = [replace_surrogates(column) for column in texts]
        encoded = self._encode(columns, target, truncation=True, max_length=most)
        if full := [row for row, ids in enumerate(encoded["input_ids"]) if len(ids) >= most]:
            uncut = self._encode([[column[row] for row in full] for column in columns], target, verbose=False)
            if longer := [row for row, ids in zip(full, uncut["input_ids"], strict=True) if len(ids) > most]:
                self.cut.update((most, column[row].strip()) for column in texts for row in longer)
                kind = "Sentences" if len(texts) == 1 else "Pairs"
                self.notice(f"{kind} longer than the {most} tokens that {self.name} reads were cut at the end.")
        return encoded

    def was_cut(self, text: str, limit: int) -> bool:
        """Return whether a text that was tokenised with this limit was longer."""
        return (min(limit, self.most_tokens), text.strip()) in self.cut

    def _encode(self, columns: list[list[str]], target: bool, **options: Any) -> Mapping[str, list[list[int]]]:
        texts: dict[str, Any] = {"text_target": columns[0]} if target else {}
        encoded: Mapping[str, list[list[int]]] = self.tokenizer(*([] if target else columns), **texts, **options)
        return encoded


def load(
    files: ModelFiles, auto: str, what: str, context: MetricContext, dispensable: Sequence[str] = ()
) -> LoadedNetwork:
    """Load a network, which will call `context.check` before each layer, and its tokeniser.

    `auto` is the transformers class that loads it ("AutoModel"), `what` its description in messages ("an encoder").
    Weights whose names begin with one of `dispensable` may be missing, because they are not used.

    Raises:
        ModelError: The files are damaged or belong to another type of model.
    """
    require("torch", "transformers", what=files.name)
    context.stage(f"Loading {files.name} …")
    import torch
    import transformers

    from parapluie_gui.models.device import choose_device
    from parapluie_gui.models.loading import (
        check_before_layers,
        check_layers,
        check_memory,
        hold_weights,
        loading_failure,
        quiet,
    )
    from parapluie_gui.models.manifest import check_files
    from parapluie_gui.models.tokenizer import load_tokenizer

    check_files(files.folder, files.known)
    device = choose_device(context.device)
    local: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    try:
        with quiet(), check_memory(files.name, device):
            config = transformers.AutoConfig.from_pretrained(files.folder, **local)
            check_layers(files.name, files.folder, config)
            tokenizer = load_tokenizer(files.name, files.folder, trust_remote_code=False)
            model, report = getattr(transformers, auto).from_pretrained(
                files.folder,
                dtype=getattr(torch, context.precision),
                use_safetensors=True,
                output_loading_info=True,
                **local,
            )
    except ModelError:
        raise
    except Exception as error:  # transformers, tokenizers and safetensors raise errors of different classes
        raise ModelError(f"{files.name} cannot be loaded as {what}: {loading_failure(files.folder, error)}") from error
    # transformers would initialise them at random, which would make the scores random.
    missing = sorted(name for name in report["missing_keys"] if not name.startswith(tuple(dispensable)))
    if missing:
        raise ModelError(f"{files.name} lacks weights that {what} needs ({missing[0]}). Choose another model.")
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.unk_token
    with check_memory(files.name, device):
        model = model.to(device).eval()
        hold_weights(model)
    check_before_layers(model, lambda: context.check())
    memory = batch_memory(device, lambda text: context.notice(text))
    return LoadedNetwork(
        files.name, model, tokenizer, device, _most_tokens(model, tokenizer), memory, lambda text: context.notice(text)
    )


#: Maximum number of tokens of one pass, padding included.
MOST_TOKENS = {"cpu": 4096, "gpu": 32768}


def batch_memory(device: torch.device, notice: Callable[[str], None]) -> BatchMemory:
    """Return the maximum number of tokens per pass on a device."""
    if device.type == "cpu":
        return BatchMemory(MOST_TOKENS["cpu"], "cpu", notice)
    return BatchMemory(MOST_TOKENS["gpu"], str(device), notice, PASS_SECONDS)


def replace_surrogates(texts: Iterable[str]) -> list[str]:
    """Replace lone surrogates, which tokenisers reject, with question marks."""
    return [text if text.isascii() else text.encode("utf-8", "replace").decode() for text in texts]


def batches(lengths: Sequence[int], device: torch.device) -> Iterator[list[int]]:
    """Yield batches of row numbers of similar lengths, the shortest first.

    On a CPU a few hundred tokens are enough, so a batch ends where padding would cost more than it saves.
    """
    budget, enough = (MOST_TOKENS["cpu"], 384) if device.type == "cpu" else (MOST_TOKENS["gpu"], MOST_TOKENS["gpu"])
    order = sorted(range(len(lengths)), key=lambda row: lengths[row])
    batch: list[int] = []
    for row in order:
        tokens = lengths[row] * (len(batch) + 1)
        full = tokens > budget or (tokens > enough and lengths[row] > 1.1 * lengths[batch[0]]) if batch else False
        if full:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def pad_ids(rows: Sequence[Sequence[int]], pad_id: int, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """Pad rows of token ids on the right; returns the ids (int64) and a mask that is false for padding (bool)."""
    import torch

    width = max(len(row) for row in rows)
    ids = torch.tensor([[*row, *[pad_id] * (width - len(row))] for row in rows], dtype=torch.long, device=device)
    lengths = torch.tensor([len(row) for row in rows], device=device)
    return ids, torch.arange(width, device=device)[None, :] < lengths[:, None]


def _most_tokens(model: Any, tokenizer: Any) -> int:
    config = model.config.get_text_config()
    positions = int(getattr(config, "max_position_embeddings", 0) or 0)
    if config.model_type in ("roberta", "xlm-roberta", "camembert", "mpnet", "longformer"):
        positions -= 2  # the first two positions are reserved for padding
    longest = tokenizer.model_max_length
    limits = [limit for limit in (positions, longest) if 0 < limit < 1_000_000]
    return min(limits, default=512)
