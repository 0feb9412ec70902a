"""Judges of the papers' sizes on a GPU, with random weights: speed, memory, and the delay of Stop.

    python tests/benchmarks/gpu.py [--device auto] [--shape mistral-7b] [--precision bfloat16] [--pairs 2048] [--json F]

Only the tokenizer's model (smollm2-135m) is downloaded. Aims on an H100: FS-DIRECT 350 pairs/s and half the dense peak
at Mistral-7B's shape, three times lm-evaluation-harness (`pip install lm-eval`), checks for Stop at most 0.2 s apart,
and no memory of the first judge once the second is loaded. `--device cpu --shape tiny --pairs 16` runs the GPU's own
path on the CPU, which checks that it works and measures nothing.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import cost
import numpy as np
import rivals
import torch
import transformers
from scoring import corpus, run_in_turn, scores

from parapluie_gui.models.catalogue import ModelFiles, find_model
from parapluie_gui.models.device import choose_device, choose_precision
from parapluie_gui.models.loading import quiet
from parapluie_gui.pluie.causal import CausalJudge
from parapluie_gui.pluie.causal_scorer import CausalScorer
from parapluie_gui.pluie.encoding import PromptEncoder
from parapluie_gui.pluie.fast import aligned
from parapluie_gui.pluie.templates import find_templates, load_templates

TEMPLATES = ("DIRECT", "FS-DIRECT")
MISTRAL = {"hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32}
MISTRAL |= {"num_key_value_heads": 8, "head_dim": 128, "sliding_window": None, "max_position_embeddings": 32768}
SHAPES = {
    "mistral-7b": MISTRAL,
    # Keys and values of all 32 heads: four times the memory.
    "llama-2-7b": MISTRAL | {"num_key_value_heads": 32, "intermediate_size": 11008, "max_position_embeddings": 4096},
    "tiny": MISTRAL | {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "head_dim": 16}
    | {"num_attention_heads": 4, "num_key_value_heads": 2},
}  # fmt: skip
#: Numbers of pairs scored one at a time for comparison, given to lm-evaluation-harness, and scored with INDIRECT.
FEW, SOME = 8, 64


class Looks:
    """Records when a judge's layers check whether the job should end."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def __call__(self) -> None:
        self.times.append(time.monotonic())

    def longest(self) -> float:
        return max((two - one for one, two in pairwise(self.times)), default=0.0)


def judge(files: ModelFiles, shape: str, device: torch.device, precision: str, looks: Looks) -> CausalJudge:
    """Make a judge of a given shape, with random weights and the vocabulary of a small model."""
    with quiet():
        tokenizer = transformers.AutoTokenizer.from_pretrained(files.folder)
        settings = transformers.MistralConfig(**SHAPES[shape], vocab_size=len(tokenizer))
        torch.set_default_dtype(getattr(torch, precision))
        with torch.device(device):
            model = transformers.AutoModelForCausalLM.from_config(settings)
        torch.set_default_dtype(torch.float32)
    return CausalJudge(files, model, tokenizer, device, precision, looks)


def memory(device: torch.device, *, most: bool = False) -> float | None:
    """Return the current or peak gigabytes of tensors; None without CUDA."""
    if device.type != "cuda":
        return None
    return (torch.cuda.max_memory_allocated if most else torch.cuda.memory_allocated)(device) / 1e9


def measure(made: CausalJudge, template: Any, pairs: int, looks: Looks) -> dict[str, Any]:
    """Score pairs with a template; return speed, share of the dense peak, memory, and the longest interval between
    checks.
    """
    data = corpus(pairs)
    sources, hypotheses = list(data.source), list(data.hypothesis)
    scorer, exact = CausalScorer(made, template), CausalScorer(made, template, exact=True)
    scores(scorer, sources[:SOME], hypotheses[:SOME])  # warm-up, which also determines the batch size
    if made.device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(made.device)
    ways: dict[str, Any] = {"default": (len(sources), partial(scores, scorer, sources, hypotheses))}
    if rivals.Harness.installed():
        plain = rivals.Plain.__new__(rivals.Plain)
        plain.model, plain.tokenizer = made.model, made.tokenizer
        harness = rivals.Harness(plain)
        ways["harness"] = (SOME, partial(harness.scores, template, sources[:SOME], hypotheses[:SOME]))
    looks.times.clear()
    told, last = run_in_turn(ways, 3 if len(ways) == 1 else 1)
    alone = scores(exact, sources[:FEW], hypotheses[:FEW])
    prompts = PromptEncoder(made.renderer, scorer.frame)
    cut = len(prompts.shared)
    new = [each.ids[cut:] for each in prompts.encode(range(len(sources)), sources, hypotheses)]
    seconds = told["default"]["seconds"]
    best = cost.peak(made.precision, made.device, 8192 if made.device.type == "cuda" else 512)[0]
    return {
        "template": template.name,
        "pairs": len(sources),
        "prefix": cut,
        "pairs_per_second": 1 / seconds,
        "of_dense_peak": cost.operations(made.model.config, new, cut) / len(new) / seconds / best,
        "times_harness": told["harness"]["ratio"] if "harness" in told else None,
        "peak_gb": memory(made.device, most=True),
        "tokens_a_pass": scorer._memory.budget,
        "longest_between_looks": looks.longest(),
        "from_exact": float(np.abs(last["default"][:FEW] - alone).max()),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; the exit status is 1 if scores differ from those of one pair at a time."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--shape", choices=SHAPES, default="mistral-7b")
    parser.add_argument("--precision", default="auto")
    parser.add_argument("--pairs", type=int, default=2048)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    device = choose_device(options.device)
    precision = choose_precision(options.precision, device)
    if device.type == "cpu":
        if options.shape != "tiny":
            print(f"{options.shape}: did not run, there is no GPU (--shape tiny tries the path on the CPU)")
            return 0
        aligned.DEVICES = ("cuda", "cpu")
    files, looks = find_model("smollm2-135m"), Looks()
    made = judge(files, options.shape, device, precision, looks)
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else str(device)
    attention = getattr(getattr(made._forward, "_attend", None), "__name__", "transformers'")
    told: dict[str, Any] = {"device": name, "torch": torch.__version__, "attention": attention, "rows": []}
    print(f"{name}, PyTorch {torch.__version__}; {made.describe()}; attention {attention.strip('_')}")
    for template in find_templates(TEMPLATES, load_templates()[0]):
        row = measure(made, template, options.pairs, looks)
        told["rows"].append(row)
        print(
            ", ".join(
                f"{key} {value:.4g}" if isinstance(value, float) else f"{key} {value}" for key, value in row.items()
            )
        )
    told["gb_of_the_first_judge"] = memory(device)
    made = None  # type: ignore[assignment]
    gc.collect()
    told["gb_before_the_second"] = memory(device)
    print(f"GB with the first judge {told['gb_of_the_first_judge']}, before the second {told['gb_before_the_second']}")
    if options.json:
        options.json.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    near = 1e-3 if precision == "float32" else 1.0
    return int(any(row["from_exact"] > near for row in told["rows"]))


if __name__ == "__main__":
    sys.exit(main())
