"""How fast ParaPLUIE is computed: the paper's two-loss way, exact mode and the default, side by side in one run.

    python tests/benchmarks/scoring.py [--pairs 96] [--rounds 3] [--precision float32 bfloat16] [--json FILE]

The pairs are the first of MRPC test where ../shared/data is at hand, else of the demo corpus. The three ways take turns
within each round, so that a machine whose speed drifts treats them alike; medians over the rounds are printed.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import torch
import transformers

from parapluie_gui.pairs import Corpus, read
from parapluie_gui.pluie.backend import Backend, quiet
from parapluie_gui.pluie.device import choose_device, cpu_has_fast_bfloat16
from parapluie_gui.pluie.models import ModelFiles, find_model
from parapluie_gui.pluie.scorer import Scorer
from parapluie_gui.pluie.templates import Template, find_templates, load_templates
from parapluie_gui.ui.opening import read_demo

TEMPLATES = ("DIRECT", "FS-DIRECT")
MRPC = Path(__file__).parents[2].parent / "shared" / "data" / "mrpc" / "msr_paraphrase_test.txt"

#: Pairs of the slow ways per round; the default has all of them, as its batches need.
SLOW_PAIRS = 4


class TwoLoss:
    """The paper's way: the loss of the whole conversation with each answer, (T+1)·(loss(no) − loss(yes))."""

    def __init__(self, files: ModelFiles, precision: str, device: torch.device) -> None:
        with quiet():
            self.tokenizer = transformers.AutoTokenizer.from_pretrained(files.folder)
            model = transformers.AutoModelForCausalLM.from_pretrained(files.folder, dtype=getattr(torch, precision))
        self.model = model.to(device).eval()

    def score(self, template: Template, source: str, hypothesis: str) -> float:
        """Return the score of one pair."""
        sentences = {"{source}": source, "{hypothesis}": hypothesis}
        losses = []
        for answer in (template.no, template.yes):
            turns = [
                {"role": turn.role, "content": re.sub(r"{source}|{hypothesis}", lambda at: sentences[at[0]], turn.text)}
                for turn in template.turns
            ]
            # Up to the answer and no further: what a chat format writes after it would enter the loss.
            text = self.tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True) + answer
            ids = self.tokenizer(text, add_special_tokens=False, return_tensors="pt")["input_ids"].to(self.model.device)
            with torch.inference_mode():
                losses.append(self.model(input_ids=ids, labels=ids).loss.double().item())
        return (ids.shape[1] - 1) * (losses[0] - losses[1])

    def scores(self, template: Template, sources: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        """Return the scores of some pairs."""
        return np.array([self.score(template, *pair) for pair in zip(sources, hypotheses, strict=True)])


def corpus(pairs: int) -> Corpus:
    """Return the first pairs of MRPC test, or of the demo."""
    whole = read(MRPC) if MRPC.is_file() else read_demo()
    return whole.take(range(min(pairs, len(whole))))


def timed(work: Callable[[], np.ndarray]) -> tuple[float, np.ndarray]:
    """Return the seconds that the work took, and its result."""
    start = time.perf_counter()
    result = work()
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter() - start, result


def scores(scorer: Scorer, sources: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
    """Return the scores in the order of the pairs."""
    found = {one.row: one.score for batch in scorer.score(sources, hypotheses) for one in batch}
    return np.array([found[row] for row in range(len(sources))])


def measure(files: ModelFiles, precision: str, pairs: int, rounds: int) -> list[dict]:
    """Return one row per template: pairs per second of each way, ratios, and how far the ways' scores lie apart."""
    device = choose_device()
    two_loss = TwoLoss(files, precision, device)
    backend = Backend.load(files, precision=precision)
    data = corpus(pairs)
    sources, hypotheses = list(data.source), list(data.hypothesis)
    slow = min(SLOW_PAIRS, len(sources))
    rows = []
    for template in find_templates(TEMPLATES, load_templates()[0]):
        default, exact = (Scorer(backend, files, template, exact=exact) for exact in (False, True))
        scores(default, sources[:8], hypotheses[:8])  # warm: the prefix is computed, the memory is there
        rates: dict[str, list[float]] = {"two_loss": [], "exact": [], "default": []}
        for _ in range(rounds):
            seconds, reference = timed(partial(two_loss.scores, template, sources[:slow], hypotheses[:slow]))
            rates["two_loss"].append(slow / seconds)
            seconds, by_one = timed(partial(scores, exact, sources[:slow], hypotheses[:slow]))
            rates["exact"].append(slow / seconds)
            seconds, by_batch = timed(partial(scores, default, sources, hypotheses))
            rates["default"].append(len(sources) / seconds)
        row = {way: statistics.median(found) for way, found in rates.items()}
        rows.append(
            {
                "template": template.name,
                "precision": precision,
                "device": str(device),
                "pairs": len(sources),
                **{f"{way}_pairs_per_second": rate for way, rate in row.items()},
                "exact_ratio": row["exact"] / row["two_loss"],
                "default_ratio": row["default"] / row["two_loss"],
                "exact_from_two_loss": float(np.abs(reference - by_one).max()),
                "default_from_exact": float(np.abs(by_batch[:slow] - by_one).max()),
                "scores": by_batch.tolist(),
            }
        )
    return rows


def compare(rows: Sequence[dict]) -> list[dict]:
    """Return, for each template, how bfloat16 differs from float32 in speed and in score."""
    found = []
    for template in TEMPLATES:
        by = {row["precision"]: row for row in rows if row["template"] == template}
        if {"float32", "bfloat16"} <= set(by):
            full, half = (np.array(by[name]["scores"]) for name in ("float32", "bfloat16"))
            found.append(
                {
                    "template": template,
                    "speed_ratio": by["bfloat16"]["default_pairs_per_second"]
                    / by["float32"]["default_pairs_per_second"],
                    "rms_difference": float(np.sqrt(np.mean((full - half) ** 2))),
                    "changed_signs": float(np.mean(np.sign(full) != np.sign(half))),
                    "pairs": len(full),
                }
            )
    return found


def show(rows: Sequence[dict], comparison: Sequence[dict]) -> None:
    """Print the tables."""
    print("template   precision  two-loss    exact  default  exact/2L  default/2L")
    for row in rows:
        print(
            f"{row['template']:<10} {row['precision']:<9} {row['two_loss_pairs_per_second']:>9.3f} "
            f"{row['exact_pairs_per_second']:>8.3f} {row['default_pairs_per_second']:>8.3f} "
            f"{row['exact_ratio']:>8.1f}x {row['default_ratio']:>10.1f}x"
        )
    print("(pairs per second)")
    for row in rows:
        print(
            f"{row['template']} in {row['precision']}: exact − two-loss at most {row['exact_from_two_loss']:.1e}, "
            f"default − exact at most {row['default_from_exact']:.1e}"
        )
    for item in comparison:
        print(
            f"{item['template']}: bfloat16 {item['speed_ratio']:.2f} times as fast as float32; root mean square "
            f"difference {item['rms_difference']:.3f}, {item['changed_signs']:.1%} of {item['pairs']} signs changed"
        )


def machine() -> dict[str, str]:
    """Return what the figures were measured on."""
    return {
        "processor": platform.processor() or platform.machine(),
        "threads": str(torch.get_num_threads()),
        "cpu_capability": torch.backends.cpu.get_cpu_capability(),
        "fast_bfloat16": "yes" if cpu_has_fast_bfloat16() else "no",
        "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else "none",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "transformers": transformers.__version__,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; the scores of all ways must agree, the times are only told."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="smollm2-135m")
    parser.add_argument("--pairs", type=int, default=96)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--precision", nargs="+", default=["float32", "bfloat16"])
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    files = find_model(options.model)
    print(", ".join(f"{key} {value}" for key, value in machine().items()))
    rows = [row for name in options.precision for row in measure(files, name, options.pairs, options.rounds)]
    comparison = compare(rows)
    show(rows, comparison)
    if options.json:
        told = {"machine": machine(), "rows": [{k: v for k, v in row.items() if k != "scores"} for row in rows]}
        options.json.write_text(json.dumps({**told, "bfloat16": comparison}, indent=2) + "\n", encoding="utf-8")
    wrong = [row for row in rows if row["precision"] == "float32" and row["default_from_exact"] > 1e-4]
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
