"""Loading a judge from its files, and refusing what would load but not judge: classifiers, encoders, lost weights."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parapluie_gui.errors import ModelError, first_line
from parapluie_gui.models.adapters import merge
from parapluie_gui.models.catalogue import ModelFiles, numbers_in
from parapluie_gui.models.device import free_memory, out_of_memory
from parapluie_gui.models.kind import CAUSAL, MASKED
from parapluie_gui.models.manifest import check_files
from parapluie_gui.models.quantised import is_int8, read_int8
from parapluie_gui.models.symmetric import add_terms, is_symmetric
from parapluie_gui.packages import require

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

#: How transformers names the classes of models that write text.
_WRITERS = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")


def load_files(
    files: ModelFiles, device: torch.device, precision: str, kind: str = CAUSAL, *, spread: bool = False
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Load a language model and its tokeniser; no remote code is run, only safetensors or GGUF is read.

    `precision` is a floating-point type's name ("bfloat16"), `kind` CAUSAL or MASKED; `spread` puts the layers on all
    CUDA devices that they need.

    Raises:
        ModelError: The files are broken, or belong to a model that cannot judge in this way.
    """
    require("torch", "transformers", what=files.name)
    from transformers import AutoConfig, AutoTokenizer

    check_files(files.folder, files.known)
    what = f"{kind} language model"
    options: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    if files.gguf:
        options["gguf_file"] = files.gguf
    try:
        with quiet(), fitting(files.name, device):
            config = AutoConfig.from_pretrained(files.folder, **options)
            _check_kind(files, config, kind)
            check_layers(files.name, files.folder, config)
            tokenizer = AutoTokenizer.from_pretrained(_tokenizer_folder(files), **options)
            model, missing = _weights(files, config, options, device, precision, kind, spread=spread)
    except ModelError:
        raise
    except Exception as error:  # transformers, tokenizers and safetensors each raise their own
        raise ModelError(f"{files.name} cannot be loaded as a {what}: {why_not(files.folder, error)}") from error
    if files.adapter is not None:
        missing = [weight for weight in missing if not files.adapter.brings(weight)]
    # transformers would fill them with random numbers, and the scores would be as random.
    if missing:
        raise ModelError(
            f"{files.name} lacks weights that a {what} needs ({missing[0]}). "
            f"Fetch it anew, or choose a model that {_DOES[kind]}."
        )
    if files.adapter is not None:
        words: Any = model.get_input_embeddings()
        if len(tokenizer) > words.weight.shape[0]:
            raise ModelError(
                f"{files.name} has a larger vocabulary than {files.adapter.base}, which it changes. "
                "Save the adapter without added words, or merge it into its base."
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
    """Return the model, and the names of the weights that it lacks."""
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForMaskedLM

    auto: Any = AutoModelForMaskedLM if kind == MASKED else AutoModelForCausalLM
    how: dict[str, Any] = {"dtype": getattr(torch, precision), "output_loading_info": True}
    if files.gguf is None and is_int8(files.folder):
        weights = read_int8(files.folder, how["dtype"])
        # transformers takes weights at hand only without a folder (PreTrainedModel.from_pretrained in 5.23), and
        # its Auto classes choose by the folder: one of them is asked for the class.
        with torch.device("meta"):
            model_class: Any = type(auto.from_config(config))
        model, report = model_class.from_pretrained(None, config=config, state_dict=weights, **how)
        if is_symmetric(config):
            add_terms(model, weights)
        model = model.to(device)
    else:
        if device.type != "cpu":
            how["device_map"] = "auto" if spread else {"": device}
        if not files.gguf:
            how["use_safetensors"] = True
        model, report = auto.from_pretrained(files.folder, **how, **options)
        if not {"cpu", "disk"}.isdisjoint(map(str, getattr(model, "hf_device_map", {}).values())) and spread:
            raise ModelError(
                f"{files.name} does not fit into the memory of all GPUs together. Choose a smaller model or precision."
            )
    return model, sorted(report["missing_keys"])


def _tokenizer_folder(files: ModelFiles) -> Path:
    """Return the adapter's folder if it brings a tokeniser of its own (added words, a chat template)."""
    brings = files.adapter is not None and (files.adapter.folder / "tokenizer_config.json").is_file()
    return files.adapter.folder if files.adapter is not None and brings else files.folder


#: What a judge of each kind does, after "a model that".
_DOES = {CAUSAL: "writes text", MASKED: "fills gaps in texts"}


def _check_kind(files: ModelFiles, config: Any, kind: str) -> None:
    if getattr(config, "is_encoder_decoder", False):
        raise ModelError(
            f"{files.name} is an encoder-decoder model ({config.model_type}); ParaPLUIE needs a {kind} language model."
        )
    kinds = getattr(config, "architectures", None) or []
    if kind == CAUSAL and kinds and not any(name.endswith(_WRITERS) for name in kinds):
        raise ModelError(f"{files.name} is no model that writes text ({kinds[0]}). Choose a causal language model.")


def check_layers(name: str, folder: Path, config: Any) -> None:
    """Refuse a configuration of more layers than there are weights for: making them takes hours and all memory."""
    layers, width = (getattr(config, each, None) for each in ("num_hidden_layers", "hidden_size"))
    try:
        stored = numbers_in(folder)
    except ModelError:  # said when they are read
        return
    if stored and isinstance(layers, int) and isinstance(width, int) and layers * width > stored:
        raise ModelError(f"{name} has fewer weights than its config.json says. Fetch or copy it anew.")


def _check_order(files: ModelFiles, model: PreTrainedModel) -> None:
    """Refuse a model whose view of a token depends on the tokens after it: the padding would change the scores."""
    import torch

    with torch.inference_mode():
        logits = model(input_ids=torch.tensor([[1, 2], [1, 3]], device=model.device), use_cache=False).logits[:, 0]
    if not torch.allclose(logits[0].float(), logits[1].float(), rtol=1e-2, atol=1e-2, equal_nan=True):
        raise ModelError(f"{files.name} reads texts in both directions; ParaPLUIE needs a causal language model.")


def layers(model: Any) -> list[Any]:
    """Return the layers of a network, in the order of its stacks; not the lists within one, such as experts."""
    import torch

    stacks = {name: each for name, each in model.named_modules() if isinstance(each, torch.nn.ModuleList)}
    outer = [stack for name, stack in stacks.items() if not any(name.startswith(f"{other}.") for other in stacks)]
    return [layer for stack in outer for layer in stack]


def hold_weights(model: Any) -> None:
    """Copy the weights that are parts of a mapped file into memory, and let go of the file.

    Who overwrites the file later on then changes no score, and who cuts it short does not kill the process (SIGBUS).
    """
    for module in model.modules():
        for weight in (*module._parameters.values(), *module._buffers.values()):
            # PyTorch can resize the memory that it asked for itself.
            if weight is not None and not weight.untyped_storage().resizable():
                weight.data = weight.data.clone()


def check_before_layers(model: Any, check: Callable[[], None]) -> None:
    """Call `check` before each layer, so that pause and cancel act in the middle of a forward pass."""
    for layer in layers(model):
        layer.register_forward_pre_hook(lambda _module, _inputs: check())


def why_not(folder: Path, error: Exception) -> str:
    """Return why a model could not be loaded: what is wrong with its files, missing here, or said by transformers."""
    from safetensors import SafetensorError
    from transformers.utils.import_utils import is_protobuf_available, is_sentencepiece_available

    if isinstance(error, SafetensorError):
        return "its weights are damaged or cut short. Fetch or copy them anew."
    if "ignore_mismatched_sizes" in str(error):
        return "its weights have other sizes than its config.json says. Fetch or copy it anew."
    # Without them transformers takes the file for one of another format and complains of its bytes
    # (tokenization_utils_tokenizers.py, "Falling back to TikToken extractor", in transformers 5.23).
    slow = any(folder.glob("*.model")) and not (folder / "tokenizer.json").is_file()
    if slow and not (is_sentencepiece_available() and is_protobuf_available()):
        return (
            "its tokenizer is a sentencepiece file, and the packages that read those are missing; "
            "`pip install 'parapluie_gui[slow-tokenizers]'` brings them."
        )
    return first_line(error)


@contextlib.contextmanager
def fitting(name: str, device: torch.device) -> Iterator[None]:
    """Say in a sentence that a model does not fit into a device's memory.

    Raises:
        ModelError: Memory ran out.
    """
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if not out_of_memory(error):
            raise
        free_memory()
        raise ModelError(
            f"{name} does not fit into the memory of {device}. Choose a smaller model, another precision or device."
        ) from None


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep transformers' progress bars and its advice for programmers off the user's terminal."""
    from transformers.utils import logging as transformers_logging

    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    with contextlib.redirect_stderr(io.StringIO()):
        yield
