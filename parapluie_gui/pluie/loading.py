"""Loading a judge from its files, and refusing what would load but not judge: classifiers, encoders, lost weights."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from parapluie_gui.errors import ModelError

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from parapluie_gui.pluie.models import ModelFiles

#: How transformers names the classes of models that write text.
_WRITERS = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")


def load_files(
    files: ModelFiles, device: torch.device, precision: str
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Load a causal language model and its tokeniser; no remote code is run, only safetensors or GGUF is read.

    Raises:
        ModelError: The files are broken, or belong to a model that cannot judge.
    """
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

    options: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    if files.gguf:
        options["gguf_file"] = files.gguf
    placing: dict[str, Any] = {} if device.type == "cpu" else {"device_map": {"": device}}
    if not files.gguf:
        placing["use_safetensors"] = True
    try:
        with quiet():
            _check_kind(files, AutoConfig.from_pretrained(files.folder, **options))
            tokenizer = AutoTokenizer.from_pretrained(files.folder, **options)
            # Any: the annotation of from_pretrained does not know of output_loading_info.
            loaded: Any = AutoModelForCausalLM.from_pretrained(
                files.folder, dtype=getattr(torch, precision), output_loading_info=True, **placing, **options
            )
    except ModelError:
        raise
    except (torch.OutOfMemoryError, MemoryError) as error:
        raise ModelError(
            f"{files.name} does not fit into the memory of {device}; choose another precision or device."
        ) from error
    except Exception as error:  # transformers, tokenizers and safetensors each raise their own
        first_line = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ModelError(f"{files.name} cannot be loaded as a causal language model: {first_line}") from error
    model, told = loaded
    # transformers would fill them with random numbers, and the scores would be as random.
    if missing := sorted(told["missing_keys"]):
        raise ModelError(
            f"{files.name} lacks weights that a causal language model needs ({missing[0]}); "
            "fetch it anew, or choose a model that writes text."
        )
    _check_order(files, model)
    return model, tokenizer


def _check_kind(files: ModelFiles, config: Any) -> None:
    if getattr(config, "is_encoder_decoder", False):
        raise ModelError(
            f"{files.name} is an encoder-decoder model ({config.model_type}); ParaPLUIE needs a causal language model."
        )
    kinds = getattr(config, "architectures", None) or []
    if kinds and not any(kind.endswith(_WRITERS) for kind in kinds):
        raise ModelError(f"{files.name} is no model that writes text ({kinds[0]}); choose a causal language model.")


def _check_order(files: ModelFiles, model: PreTrainedModel) -> None:
    """Refuse a model whose view of a token depends on the tokens after it: the padding would change the scores."""
    import torch

    with torch.inference_mode():
        logits = model(input_ids=torch.tensor([[1, 2], [1, 3]], device=model.device), use_cache=False).logits[:, 0]
    if not torch.allclose(logits[0].float(), logits[1].float(), rtol=1e-2, atol=1e-2, equal_nan=True):
        raise ModelError(f"{files.name} reads texts in both directions; ParaPLUIE needs a causal language model.")


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep transformers' progress bars and its advice for programmers off the user's terminal."""
    from transformers.utils import logging as transformers_logging

    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    with contextlib.redirect_stderr(io.StringIO()):
        yield
