"""Loads a judge from its files, and rejects models that load but cannot judge, such as classifiers and encoders."""

from __future__ import annotations

import contextlib
import inspect
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parapluie_gui.errors import ModelError, OwnFileError, first_line, one_line
from parapluie_gui.models.adapters import merge
from parapluie_gui.models.catalogue import ModelFiles, count_parameters
from parapluie_gui.models.device import free_memory, is_out_of_memory
from parapluie_gui.models.gguf_metadata import parse_gguf_once
from parapluie_gui.models.kind import CAUSAL, MASKED
from parapluie_gui.models.manifest import check_files
from parapluie_gui.models.quantised import is_int8, read_int8
from parapluie_gui.models.symmetric import add_terms, is_symmetric
from parapluie_gui.models.tokenizer import MOST_BYTES, load_tokenizer
from parapluie_gui.own_files import read_json
from parapluie_gui.packages import require

if TYPE_CHECKING:
    import torch
    from transformers import Cache, PreTrainedModel, PreTrainedTokenizerBase

#: Class-name endings of text-generating models in transformers.
_WRITERS = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")


def load_files(
    files: ModelFiles, device: torch.device, precision: str, kind: str = CAUSAL, *, spread: bool = False
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Load a language model and its tokeniser, from safetensors or GGUF only and without remote code.

    Args:
        files: The files of the model.
        device: The device of the model.
        precision: Name of a floating-point type ("bfloat16").
        kind: CAUSAL or MASKED.
        spread: Whether to distribute the layers over as many CUDA devices as needed.

    Raises:
        ModelError: The files are broken, or the model cannot be used as a judge of this kind.
    """
    require("torch", "transformers", *(["gguf"] if files.gguf else []), what=files.name)
    from transformers import AutoConfig

    check_files(files.folder, files.known)
    what = f"{kind} language model"
    gguf: dict[str, Any] = {"gguf_file": files.gguf} if files.gguf else {}
    options: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False, **gguf}
    try:
        with quiet(), check_memory(files.name, device), parse_gguf_once() if files.gguf else contextlib.nullcontext():
            config = AutoConfig.from_pretrained(files.folder, **options)
            _check_kind(files, config, kind)
            check_layers(files.name, files.folder, config)
            tokenizer = load_tokenizer(files.name, _tokenizer_folder(files), trust_remote_code=False, **gguf)
            model, missing = _weights(files, config, options, device, precision, kind, spread=spread)
    except ModelError:
        raise
    except Exception as error:  # transformers, tokenizers and safetensors raise exceptions of many classes
        raise ModelError(
            f"{files.name} cannot be loaded as a {what}: {loading_failure(files.folder, error)}"
        ) from error
    if files.adapter is not None:
        missing = [weight for weight in missing if not files.adapter.replaces(weight)]
    # transformers would fill missing weights with random numbers, and the scores would be random.
    if missing:
        raise ModelError(
            f"{files.name} lacks weights that a {what} needs ({missing[0]}). "
            f"Fetch it again, or choose a model that {_ABILITIES[kind]}."
        )
    if files.adapter is not None:
        embeddings: Any = model.get_input_embeddings()
        if len(tokenizer) > embeddings.weight.shape[0]:
            raise ModelError(
                f"{files.name} has a larger vocabulary than its base {files.adapter.base}. "
                "Save the adapter without added tokens, or merge it into its base."
            )
        model = merge(model, files.adapter)
    if kind == CAUSAL:
        _check_order(files, model)
    return model, tokenizer


def _weights(
    files: ModelFiles,
    config: Any,
    options: dict[str, Any],
    device: torch.device,
    precision: str,
    kind: str,
    *,
    spread: bool,
) -> tuple[PreTrainedModel, list[str]]:
    """Return the model, and the names of its missing weights."""
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForMaskedLM

    auto: Any = AutoModelForMaskedLM if kind == MASKED else AutoModelForCausalLM
    arguments: dict[str, Any] = {"dtype": getattr(torch, precision), "output_loading_info": True}
    if files.gguf is None and is_int8(files.folder):
        weights = read_int8(files.folder, arguments["dtype"])
        # transformers accepts a state dict only if no folder is given (PreTrainedModel.from_pretrained in 5.23), but
        # its Auto classes need a folder, so the class is taken from an empty model.
        with torch.device("meta"):
            model_class: Any = type(auto.from_config(config))
        model, report = model_class.from_pretrained(None, config=config, state_dict=weights, **arguments)
        if is_symmetric(config):
            add_terms(model, weights)
        model = model.to(device)
    else:
        if device.type != "cpu":
            arguments["device_map"] = "auto" if spread else {"": device}
        if not files.gguf:
            arguments["use_safetensors"] = True
        model, report = auto.from_pretrained(files.folder, **arguments, **options)
        if not {"cpu", "disk"}.isdisjoint(map(str, getattr(model, "hf_device_map", {}).values())) and spread:
            raise ModelError(
                f"{files.name} does not fit into the memory of all GPUs together. Choose a smaller model or a lower "
                "precision."
            )
    return model, sorted(report["missing_keys"])


def _tokenizer_folder(files: ModelFiles) -> Path:
    """Return the adapter's folder if it has a tokeniser (added words, a chat template), otherwise the model's."""
    if files.adapter is not None and (files.adapter.folder / "tokenizer_config.json").is_file():
        return files.adapter.folder
    return files.folder


#: The ability of each kind of judge, to follow the words "a model that".
_ABILITIES = {CAUSAL: "writes text", MASKED: "fills gaps in texts"}


def _check_kind(files: ModelFiles, config: Any, kind: str) -> None:
    if getattr(config, "is_encoder_decoder", False):
        raise ModelError(
            f"{files.name} is an encoder-decoder model ({config.model_type}); ParaPLUIE needs a {kind} language model."
        )
    kinds = getattr(config, "architectures", None) or []
    if kind == CAUSAL and kinds and not any(name.endswith(_WRITERS) for name in kinds):
        raise ModelError(f"{files.name} does not write text ({kinds[0]}). Choose a causal language model.")


def check_layers(name: str, folder: Path, config: Any) -> None:
    """Refuse a configuration with more layers than stored weights: creating those would take hours and all memory."""
    layers, width = (getattr(config, name, None) for name in ("num_hidden_layers", "hidden_size"))
    try:
        stored = count_parameters(folder)
    except ModelError:  # the error is reported when the weights are read
        return
    if stored and isinstance(layers, int) and isinstance(width, int) and layers * width > stored:
        raise ModelError(f"{name} has fewer weights than its config.json says. Fetch or copy it again.")


def _check_order(files: ModelFiles, model: PreTrainedModel) -> None:
    """Refuse a model in which later tokens affect earlier ones: padding would change its scores."""
    import torch

    with torch.inference_mode():
        logits = model(input_ids=torch.tensor([[1, 2], [1, 3]], device=model.device), use_cache=False).logits[:, 0]
    if not torch.allclose(logits[0].float(), logits[1].float(), rtol=1e-2, atol=1e-2, equal_nan=True):
        raise ModelError(f"{files.name} reads texts in both directions; ParaPLUIE needs a causal language model.")


def layers(model: Any) -> list[Any]:
    """Return the layers of a network in order, ignoring lists within a layer, such as experts."""
    import torch

    stacks = {name: module for name, module in model.named_modules() if isinstance(module, torch.nn.ModuleList)}
    outer = [stack for name, stack in stacks.items() if not any(name.startswith(f"{other}.") for other in stacks)]
    return [layer for stack in outer for layer in stack]


def hold_weights(model: Any) -> None:
    """Copy weights that are mapped from a file into memory.

    Overwriting the file then changes no score, and truncating it does not kill the process (SIGBUS).
    """
    for module in model.modules():
        for weight in (*module._parameters.values(), *module._buffers.values()):
            # PyTorch can resize only memory that it allocated.
            if weight is not None and not weight.untyped_storage().resizable():
                weight.data = weight.data.clone()


def check_before_layers(model: Any, check: Callable[[], None]) -> None:
    """Call `check` before each layer, so that pause and cancel act in the middle of a forward pass."""
    for layer in layers(model):
        layer.register_forward_pre_hook(lambda _module, _inputs: check())


def loading_failure(folder: Path, error: Exception) -> str:
    """Return why a model could not be loaded, and what to do: a damaged file, a missing package or another error."""
    from safetensors import SafetensorError
    from transformers.utils.import_utils import is_protobuf_available, is_sentencepiece_available

    for file in sorted(folder.glob("*.json")):
        try:
            read_json(file, MOST_BYTES)
        except OwnFileError as damage:
            return f"{str(damage).partition('. ')[0]}. Fetch or copy the model again."
    if "custom code" in str(error) or "trust_remote_code" in str(error):
        return (
            "it needs its own Python code (auto_map in its config.json), and third-party code is never run. Choose "
            "a model that transformers can load without such code."
        )
    if isinstance(error, SafetensorError):
        return "its weights are damaged or incomplete. Fetch or copy them again."
    if "ignore_mismatched_sizes" in str(error):
        return "its weights do not have the sizes in its config.json. Fetch or copy it again."
    # Without these packages transformers reads the file as a different format and reports invalid bytes
    # (tokenization_utils_tokenizers.py, "Falling back to TikToken extractor", in transformers 5.23).
    slow = any(folder.glob("*.model")) and not (folder / "tokenizer.json").is_file()
    if slow and not (is_sentencepiece_available() and is_protobuf_available()):
        return (
            "its tokenizer is a SentencePiece file, but the packages for that are missing. "
            "Install them with `pip install 'parapluie_gui[slow-tokenizers]'`."
        )
    reason = first_line(error)
    if reason.endswith(":"):  # its reason is on the next line
        reason = one_line(" ".join(str(error).strip().splitlines()[:2]))
    return f"{reason.strip().rstrip('.')}. Check its files, or choose a different model."


@contextlib.contextmanager
def check_memory(name: str, device: torch.device) -> Iterator[None]:
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        free_memory()
        raise ModelError(
            f"{name} does not fit into the memory of {device}. Choose a smaller model, a lower precision or a "
            "different device."
        ) from None


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Suppress transformers' progress bars and warnings, which are meant for programmers."""
    from transformers.utils import logging as transformers_logging

    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    with contextlib.redirect_stderr(io.StringIO()):
        yield


def cache_argument(model: torch.nn.Module, cache: Cache) -> dict[str, Any]:
    """Return the argument that passes a cache to a model's `forward`: transformers has called it `cache` since 5.24."""
    name = "cache" if "cache" in inspect.signature(type(model).forward).parameters else "past_key_values"
    return {name: cache, "use_cache": True}
