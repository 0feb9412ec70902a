"""Speed of ParaPLUIE compared with the alternatives that a user has, all in one run.

    python tests/benchmarks/scoring.py [--pairs 48] [--rounds 3] [--precision float32 bfloat16] [--device D]
        [--json FILE] [--short]

The pairs are the first of MRPC test if ../shared/data is available, else of the demo corpus. The alternatives take
turns; ratios are computed within a round and their medians printed, by wall-clock time and by CPU time (which other
programs affect less). --short takes seconds and only checks that all agree. lm-evaluation-harness and sentence-
transformers are included if installed (`pip install lm-eval sentence-transformers`).
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import cost
import numpy as np
import rivals
import torch
import transformers

from parapluie_gui.errors import ParapluieError
from parapluie_gui.models.catalogue import ModelFiles, find_model
from parapluie_gui.models.device import choose_device, cpu_has_fast_bfloat16
from parapluie_gui.models.kind import MASKED
from parapluie_gui.models.loading import quiet
from parapluie_gui.pairs import Corpus, read
from parapluie_gui.pluie.causal import CausalJudge
from parapluie_gui.pluie.causal_scorer import CausalScorer
from parapluie_gui.pluie.encoding import PromptEncoder
from parapluie_gui.pluie.fast.choice import SWITCH
from parapluie_gui.pluie.judge import judge_class
from parapluie_gui.pluie.masked import MaskedJudge
from parapluie_gui.pluie.masked_scorer import MaskedScorer
from parapluie_gui.pluie.templates import find_templates, load_templates
from parapluie_gui.ui.state.opening import read_demo

TEMPLATES = ("DIRECT", "FS-DIRECT")
MRPC = Path(__file__).parents[2].parent / "shared" / "data" / "mrpc" / "msr_paraphrase_test.txt"

#: Pairs of the slow alternatives in a round; the batched pass gets all pairs.
SLOW_PAIRS = 2
NEAR = 1e-4
Work = Callable[[], np.ndarray]


def corpus(pairs: int) -> Corpus:
    """Return the first pairs of MRPC test, or of the demo."""
    whole = read(MRPC) if MRPC.is_file() else read_demo()
    return whole.take(range(min(pairs, len(whole))))


def sentences_of(data: Corpus, rows: Sequence[int]) -> tuple[list[str], list[str]]:
    """Return the sentences of some pairs."""
    return [data.source[row] for row in rows], [data.hypothesis[row] for row in rows]


def scores(scorer: CausalScorer | MaskedScorer, sources: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
    """Return the scores in the order of the pairs."""
    result = {one.row: one.score for batch in scorer.score(sources, hypotheses) for one in batch}
    return np.array([result[row] for row in range(len(sources))])


def run_in_turn(
    ways: dict[str, tuple[int, Work]], rounds: int, reference: str = "default"
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Run alternatives in turn.

    Args:
        ways: Number of pairs of each, and its function, which returns their scores.
        rounds: Number of rounds.
        reference: The alternative by which the others are divided.

    Returns:
        Wall-clock and CPU seconds per pair, and the ratio of each to the reference
        (medians over the rounds); and the last scores of each.
    """
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    last: dict[str, np.ndarray] = {}
    for _ in range(rounds):
        for name, (pairs, work) in ways.items():
            clock, processor, last[name] = cost.timed(work)
            spent[name].append((clock / pairs, processor / pairs))
    told: dict[str, Any] = {}
    for name, times in spent.items():
        ratios = [[own[by] / base[by] for own, base in zip(times, spent[reference], strict=True)] for by in (0, 1)]
        told[name] = {
            "seconds": statistics.median(clock for clock, _ in times),
            "processor_seconds": statistics.median(processor for _, processor in times),
            "ratio": statistics.median(ratios[0]),
            "processor_ratio": statistics.median(ratios[1]),
        }
    return told, last


def measure(
    files: ModelFiles,
    precision: str,
    templates: Sequence[str],
    pairs: int,
    rounds: int,
    batch: int,
    device: torch.device,
) -> list[dict[str, Any]]:
    """Return one row per template: seconds per pair, ratios, efficiency, and differences of scores."""
    plain = rivals.Plain(files, precision, device)
    backend = CausalJudge.load(files, str(device), precision)
    data = corpus(pairs)
    sources, hypotheses = list(data.source), list(data.hypothesis)
    rows = []
    for template in find_templates(templates, load_templates()[0]):
        default, exact = (CausalScorer(backend, template, exact=exact) for exact in (False, True))
        scores(default, sources[:4], hypotheses[:4])  # warm-up: the prefix is computed and memory allocated
        prompts = PromptEncoder(default.judge.renderer, default.frame)
        cut = len(prompts.shared)
        new = [each.ids[cut:] for each in prompts.encode(range(len(sources)), sources, hypotheses)]
        # The slow alternatives get pairs of average length, or the choice of pairs would favour or slow them.
        average = sum(map(len, new)) / len(new)
        usual = sorted(range(len(new)), key=lambda row: abs(len(new[row]) - average))
        few, some = usual[:SLOW_PAIRS], usual[:batch]
        ways: dict[str, tuple[int, Work]] = {
            "two_loss": (len(few), partial(rivals.TwoLoss(plain).scores, template, *sentences_of(data, few))),
            "exact": (len(few), partial(scores, exact, *sentences_of(data, few))),
            "default": (len(sources), partial(scores, default, sources, hypotheses)),
        }
        if rivals.Harness.installed():
            harness = rivals.Harness(plain)
            ways["harness"] = (len(some), partial(harness.scores, template, *sentences_of(data, some)))
        told, last = run_in_turn(ways, rounds)
        work = cost.operations(backend.model.config, new, cut) / len(sources)
        best = cost.peak(precision, device)
        rows.append(
            {
                "template": template.name,
                "precision": precision,
                "device": str(device),
                "pairs": len(sources),
                "rounds": rounds,
                "tokens_a_pair": average,
                "prefix": cut,
                "gigaflop_a_pair": work / 1e9,
                "peak_gigaflops": best[0] / 1e9,
                "efficiency": work / told["default"]["seconds"] / best[0],
                "processor_efficiency": work / told["default"]["processor_seconds"] / best[1],
                "ways": told,
                "default_from_exact": float(np.abs(last["default"][few] - last["exact"]).max()),
                "exact_from_two_loss": float(np.abs(last["two_loss"] - last["exact"]).max()),
                "default_from_harness": None
                if "harness" not in last
                else float(np.abs(last["default"][some] - last["harness"]).max()),
                "scores": last["default"].tolist(),
            }
        )
    return rows


def indirect(files: ModelFiles, precision: str, pairs: int, slow: int, device: torch.device) -> dict[str, Any]:
    """Return the seconds per pair of INDIRECT, generated in batches and one pair at a time with `generate`."""
    plain, backend = rivals.Plain(files, precision, device), CausalJudge.load(files, str(device), precision)
    (template,) = find_templates(("INDIRECT",), load_templates()[0])
    data = corpus(pairs)
    sources, hypotheses = list(data.source), list(data.hypothesis)
    alone = rivals.OneAtATime(plain, backend._ends)
    scorer = CausalScorer(backend, template)
    # Pairs from all over the corpus, so that the texts of both are equally long on average.
    chosen = np.linspace(0, len(sources) - 1, slow).astype(int)
    told, last = run_in_turn(
        {
            "one_at_a_time": (
                slow,
                partial(alone.scores, template, [sources[row] for row in chosen], [hypotheses[row] for row in chosen]),
            ),
            "default": (len(sources), partial(scores, scorer, sources, hypotheses)),
        },
        1,
    )
    difference = float(np.abs(last["default"][chosen] - last["one_at_a_time"]).max())
    return {"template": "INDIRECT", "precision": precision, "pairs": len(sources), "ways": told, "apart": difference}


def masked(model: str, pairs: int, rounds: int) -> dict[str, Any] | str:
    """Return the times of the masked judge, transformers' model classes and sentence-transformers' CrossEncoder.

    The judge's own pass and transformers' have the same scores, with differences of at most `apart`.
    """
    try:
        files = find_model(model)
        own = judge_class(files, "cpu", "float32").load(files, "cpu", "float32")
        plain = MaskedJudge.load(files, "cpu", "float32")
    except ParapluieError as error:
        return f"masked judge: did not run ({error})"
    (template, *_) = (each for each in load_templates()[0] if each.kind == MASKED)
    data = corpus(pairs)
    sources, hypotheses = list(data.source), list(data.hypothesis)
    ways: dict[str, tuple[int, Work]] = {
        "transformers": (len(sources), partial(scores, MaskedScorer(plain, template), sources, hypotheses)),
        "default": (len(sources), partial(scores, own.scorer(template), sources, hypotheses)),
    }
    if importlib.util.find_spec("sentence_transformers") is not None:
        from sentence_transformers import CrossEncoder

        with quiet():
            # The classification head is random: only the time is compared.
            encoder = CrossEncoder(str(files.folder), num_labels=1, device="cpu")
        both = list(zip(sources, hypotheses, strict=True))
        ways["cross_encoder"] = len(both), lambda: np.asarray(encoder.predict(both, show_progress_bar=False))
    told, last = run_in_turn(ways, rounds)
    return {
        "template": template.name,
        "model": own.describe(),
        "pairs": len(sources),
        "ways": told,
        "apart": float(np.abs(last["default"] - last["transformers"]).max()),
        "first_score": {name: first_score(model, switch) for name, switch in (("default", "1"), ("transformers", "0"))},
    }


def first_score(model: str, switch: str) -> dict[str, float]:
    """Return the time of a fresh process until its first score of a masked judge, including Python's start.

    Wall-clock and CPU seconds; `switch` is the value of PARAPLUIE_PACKED.
    """
    script = (
        "import sys; from parapluie_gui.models.catalogue import find_model; "
        "from parapluie_gui.pluie.judge import judge_class; from parapluie_gui.pluie.templates import load_templates; "
        "files = find_model(sys.argv[1]); judge = judge_class(files, 'cpu', 'float32').load(files, 'cpu', 'float32'); "
        "cloze = next(each for each in load_templates()[0] if each.name == 'CLOZE'); "
        "list(judge.scorer(cloze).score(['The cat sat.'], ['A cat sat.'])); "
        "import os; print(sum(os.times()[:2]))"
    )
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", script, model],
        env={**os.environ, SWITCH: switch},
        capture_output=True,
        text=True,
        check=True,
    )
    return {"seconds": time.perf_counter() - started, "processor_seconds": float(done.stdout)}


def compare(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return for every template the differences of bfloat16 from float32 in speed and scores."""
    result = []
    for template in TEMPLATES:
        by = {row["precision"]: row for row in rows if row["template"] == template}
        if {"float32", "bfloat16"} <= set(by):
            full, half = (np.array(by[name]["scores"]) for name in ("float32", "bfloat16"))
            apart = np.abs(full - half)
            times = [by[name]["ways"]["default"]["processor_seconds"] for name in ("float32", "bfloat16")]
            result.append(
                {
                    "template": template,
                    "speed_ratio": times[0] / times[1],
                    "rms_difference": float(np.sqrt(np.mean(apart**2))),
                    "median_difference": float(np.median(apart)),
                    "p95_difference": float(np.quantile(apart, 0.95)),
                    "largest_difference": float(apart.max()),
                    "changed_signs": float(np.mean(np.sign(full) != np.sign(half))),
                    "pairs": len(full),
                }
            )
    return result


def show_ways(row: dict[str, Any]) -> None:
    """Print one table of alternatives."""
    print(f"\n{row['template']}, {row.get('precision', 'float32')}, {row['pairs']} pairs")
    print("way             s/pair  processor s/pair   times default's   by processor")
    for name, way in row["ways"].items():
        print(
            f"{name:<14} {way['seconds']:>7.4f} {way['processor_seconds']:>17.4f} {way['ratio']:>17.2f} "
            f"{way['processor_ratio']:>14.2f}"
        )


def show_masked(found: dict[str, Any] | str) -> None:
    """Print the masked judge's table, or why there is none."""
    if isinstance(found, str):
        print(f"\n{found}")
        return
    show_ways(found)
    print(f"{found['model']}; its scores are at most {found['apart']:.1e} from those of transformers' model")
    for name, took in found["first_score"].items():
        spent = f"{took['seconds']:.2f} s, processor {took['processor_seconds']:.2f} s"
        print(f"first score in a fresh process, {name}: {spent}")


def show(row: dict[str, Any]) -> None:
    """Print a template's table and its notes."""
    show_ways(row)
    print(
        f"{row['tokens_a_pair']:.1f} new tokens a pair behind {row['prefix']}, {row['gigaflop_a_pair']:.1f} GFLOP; "
        f"efficiency {row['efficiency']:.0%} by the clock, {row['processor_efficiency']:.0%} by the processor "
        f"(a dense product reaches {row['peak_gigaflops']:.0f} GFLOP/s)"
    )
    print(
        f"default − exact at most {row['default_from_exact']:.1e}, exact − two-loss {row['exact_from_two_loss']:.1e}"
        + ("" if row["default_from_harness"] is None else f", default − harness {row['default_from_harness']:.1e}")
    )


def machine() -> dict[str, str]:
    """Return the hardware and software of the measurements."""
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
    """Measure and print; the scores of all alternatives must agree, the times are only printed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="smollm2-135m")
    parser.add_argument("--masked", default="pocket", help="the masked judge beside CrossEncoder")
    parser.add_argument("--only-masked", action="store_true", help="the masked judge alone")
    parser.add_argument("--templates", nargs="+", default=list(TEMPLATES))
    parser.add_argument("--pairs", type=int, default=48)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--harness", type=int, default=16, help="pairs of lm-evaluation-harness")
    parser.add_argument("--threads", type=int, default=0, help="of PyTorch; 0 leaves it the choice")
    parser.add_argument("--precision", nargs="+", default=["float32", "bfloat16"])
    parser.add_argument("--device", default="auto", help="auto, cpu, cuda, cuda:1, mps")
    parser.add_argument("--indirect", type=int, default=32, help="pairs of INDIRECT; 0 leaves it out")
    parser.add_argument("--short", action="store_true", help="a few pairs, to check that all ways agree")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    if options.threads:
        torch.set_num_threads(options.threads)
    if options.short:
        options.pairs, options.rounds, options.precision, options.indirect = 4, 1, ["float32"], 0
    if options.only_masked:
        show_masked(masked(options.masked, options.pairs, options.rounds))
        return 0
    files, device = find_model(options.model), choose_device(options.device)
    told: dict[str, Any] = {"machine": machine()}
    print(", ".join(f"{key} {value}" for key, value in told["machine"].items()))
    rows = []
    for precision in options.precision:
        for row in measure(files, precision, options.templates, options.pairs, options.rounds, options.harness, device):
            rows.append(row)
            show(row)
    told["bfloat16"] = compare(rows)
    for item in told["bfloat16"]:
        print(
            f"\n{item['template']}: bfloat16 {item['speed_ratio']:.2f} times as fast as float32; its scores differ by "
            f"{item['rms_difference']:.3f} (root mean square; median {item['median_difference']:.3f}, 95 % within "
            f"{item['p95_difference']:.3f}, all within {item['largest_difference']:.3f}); "
            f"{item['changed_signs']:.1%} of {item['pairs']} signs changed"
        )
    told["rows"] = [{key: value for key, value in row.items() if key != "scores"} for row in rows]
    if not rivals.Harness.installed():
        print("lm-evaluation-harness: did not run, lm-eval is not installed")
    if options.indirect:
        told["indirect"] = indirect(files, options.precision[0], options.indirect, SLOW_PAIRS, device)
        show_ways(told["indirect"])
        print(f"scores at most {told['indirect']['apart']:.1e} apart")
    if not options.short:
        told["masked"] = masked(options.masked, options.pairs, options.rounds)
        show_masked(told["masked"])
    if options.json:
        options.json.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    full = [row for row in rows if row["precision"] == "float32"]
    wrong = [row for row in full if row["default_from_exact"] > NEAR or (row["default_from_harness"] or 0) > 10 * NEAR]
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
