"""Pairs per second of the neural metrics, compared with the libraries that a user would otherwise call.

    python tests/benchmarks/model_metrics.py [--only sbert nli] [--pairs 200] [--rounds 3] [--json FILE]

The pairs are the first of MRPC's test part. Needs the MiniLM (`parapluie models get all-minilm-l6-v2`),
sentence-transformers and bert-score. Our metric and the library run in turn, so that a busy computer slows both
equally, each time with empty caches (networks are loaded before). Both `ratio` columns are the library's seconds over
ours, by wall-clock time and by CPU time, which other programs affect less; all figures are medians over the rounds.
`apart` is the difference of our numbers from the library's; they must agree.

- No library of ParaScore.Free or of BERT-iBLEU works with current transformers: a user would call bert-score and write
  the rest, so they are compared with bert-score alone, which gives different numbers.
- The published code of SimCSE and BARTScore is reproduced here with transformers. SimCSE uses the MiniLM.
- The classifier, the entailment model and the BART have random weights, in the MiniLM's shape or in one of similar
  size: their scores mean nothing, but they take as long as trained models of that shape.

ParaScore is left out, because it needs references, which MRPC lacks; pem.py measures PEM.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np
import torch
import transformers
from metrics import Took, machine, timed

from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.base import Metric, MetricContext
from parapluie_gui.metrics.neural.model_files import MINILM, find_files
from parapluie_gui.models.loading import quiet
from parapluie_gui.pairs import read

MRPC = Path(__file__).parents[2].parent / "shared" / "data" / "mrpc" / "msr_paraphrase_test.txt"
#: Allowed difference from the library's numbers, relative to their range over the pairs.
NEAR = 1e-3
#: Standard deviation of random weights whose numbers differ from pair to pair.
WIDTH = 0.1

Way = Callable[[list[str], list[str]], np.ndarray]


def ours(*specs: str) -> Way:
    """Return a function that computes these metrics with one loaded network and returns the last metric's numbers."""
    bench = MetricContext(device="cpu")
    metrics: list[Metric] = [catalogue.metric(spec) for spec in specs]
    for metric in metrics:
        metric.announce(bench)
    for metric in metrics:
        metric.prepare(bench)

    def score(sources: list[str], hypotheses: list[str]) -> np.ndarray:
        bench.models.forget()
        return [metric.score(sources, hypotheses) for metric in metrics][-1]

    return score


@cache
def sentence_transformers(model: str) -> Way:
    """Return SBERT by its own library."""
    from sentence_transformers import SentenceTransformer

    encoder = SentenceTransformer(model, device="cpu")

    def score(sources: list[str], hypotheses: list[str]) -> np.ndarray:
        vectors = encoder.encode([*sources, *hypotheses], normalize_embeddings=True, show_progress_bar=False)
        return (vectors[: len(sources)] * vectors[len(sources) :]).sum(1)

    return score


@cache
def bert_score(model: str) -> Way:
    """Return BERTScore by its own library."""
    from bert_score import BERTScorer

    layer = int(dict(catalogue.metric(f"bertscore:{MINILM}").signature().fields)["layer"])
    scorer = BERTScorer(model_type=model, num_layers=layer, device="cpu")
    return lambda sources, hypotheses: scorer.score(hypotheses, sources)[2].numpy()


def both_libraries(model: str) -> Way:
    """Return the cosine and BERTScore by their own libraries, and BERTScore's numbers."""
    ways = sentence_transformers(model), bert_score(model)
    return lambda sources, hypotheses: [way(sources, hypotheses) for way in ways][-1]


def simcse(model: str) -> Way:
    """Return SimCSE as its published tool computes it: 64 sentences at a time in order, at most 128 tokens."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(model)
    network = transformers.AutoModel.from_pretrained(model).eval()

    def encode(texts: list[str]) -> torch.Tensor:
        parts = []
        for start in range(0, len(texts), 64):
            batch = texts[start : start + 64]
            inputs = tokenizer(batch, padding=True, truncation=True, max_length=128, return_tensors="pt")
            parts.append(network(**inputs).pooler_output)
        return torch.nn.functional.normalize(torch.cat(parts))

    @torch.no_grad()
    def score(sources: list[str], hypotheses: list[str]) -> np.ndarray:
        return (encode(sources) * encode(hypotheses)).sum(1).numpy()

    return score


def classifier(model: str) -> Way:
    """Return the difference of a classifier's logits by sentence-transformers."""
    from sentence_transformers import CrossEncoder

    reader = CrossEncoder(model, device="cpu")

    def score(sources: list[str], hypotheses: list[str]) -> np.ndarray:
        logits = reader.predict(list(zip(sources, hypotheses, strict=True)))
        return logits[:, 1] - logits[:, 0]

    return score


def nli(model: str) -> Way:
    """Return the log odds of entailment, the lower of both directions, by sentence-transformers."""
    from sentence_transformers import CrossEncoder

    reader = CrossEncoder(model, device="cpu")

    def score(sources: list[str], hypotheses: list[str]) -> np.ndarray:
        pairs = [*zip(sources, hypotheses, strict=True), *zip(hypotheses, sources, strict=True)]
        entailed = reader.predict(pairs, apply_softmax=True)[:, 0].astype(float)
        return np.log(entailed / (1 - entailed)).reshape(2, -1).min(0)

    return score


def bartscore(model: str) -> Way:
    """Return BARTScore as its published code computes it: 4 pairs at a time in the given order."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(model)
    network = transformers.AutoModelForSeq2SeqLM.from_pretrained(model).eval()
    loss = torch.nn.NLLLoss(reduction="none", ignore_index=network.config.pad_token_id)

    def tokens(texts: list[str]) -> tuple[torch.Tensor, torch.Tensor]:
        encoded = tokenizer(texts, padding=True, truncation=True, max_length=1024, return_tensors="pt")
        return encoded["input_ids"], encoded["attention_mask"]

    @torch.no_grad()
    def score(sources: list[str], hypotheses: list[str]) -> np.ndarray:
        scores: list[float] = []
        for start in range(0, len(sources), 4):
            source, seen = tokens(sources[start : start + 4])
            target, counted = tokens(hypotheses[start : start + 4])
            logits = network(input_ids=source, attention_mask=seen, labels=target).logits
            losses = loss(logits.flatten(0, 1).log_softmax(1), target.flatten()).view(target.shape)
            scores += (-losses.sum(1) / counted.sum(1)).tolist()
        return np.array(scores)

    return score


def random_classifier(folder: Path, *labels: str) -> None:
    """Save a classifier with random weights in the MiniLM's shape."""
    config = transformers.AutoConfig.from_pretrained(
        find_files(MINILM).folder,
        id2label=dict(enumerate(labels)),
        label2id={label: number for number, label in enumerate(labels)},
        initializer_range=WIDTH,
    )
    save(transformers.BertForSequenceClassification(config), folder)


def random_bart(folder: Path) -> None:
    """Save a BART with random weights, the MiniLM's width and six layers in all."""
    words = transformers.AutoTokenizer.from_pretrained(find_files(MINILM).folder)
    config = transformers.BartConfig(
        vocab_size=len(words),
        d_model=384,
        encoder_layers=3,
        decoder_layers=3,
        encoder_attention_heads=6,
        decoder_attention_heads=6,
        encoder_ffn_dim=1536,
        decoder_ffn_dim=1536,
        init_std=WIDTH,
        pad_token_id=words.pad_token_id,
        bos_token_id=words.cls_token_id,
        eos_token_id=words.sep_token_id,
        decoder_start_token_id=words.sep_token_id,
        forced_eos_token_id=None,
    )
    save(transformers.BartForConditionalGeneration(config), folder)


def save(model: Any, folder: Path) -> None:
    """Save a network with the MiniLM's tokenizer."""
    model.save_pretrained(folder)
    transformers.AutoTokenizer.from_pretrained(find_files(MINILM).folder).save_pretrained(folder)


@dataclass(frozen=True)
class Contest:
    """Metrics of one network and the library that a user would otherwise call.

    Attributes:
        name: Name of the row.
        specs: The metrics, without the model.
        library: Description of the library.
        rival: Creates the library's function for a model folder.
        make: Saves a random model in a folder; None for the MiniLM.
        comparable: Whether the numbers should be equal.
    """

    name: str
    specs: tuple[str, ...]
    library: str
    rival: Callable[[str], Way]
    make: Callable[[Path], None] | None = None
    comparable: bool = True


CONTESTS = (
    Contest("sbert", ("sbert",), "sentence-transformers", sentence_transformers),
    Contest("bertscore", ("bertscore",), "bert-score", bert_score),
    Contest("parascore_free", ("parascore_free",), "bert-score, without the rest", bert_score, comparable=False),
    Contest("bert_ibleu", ("bert_ibleu",), "bert-score, without the rest", bert_score, comparable=False),
    Contest(
        "all_four",
        ("sbert", "bertscore", "parascore_free", "bert_ibleu"),
        "sentence-transformers, then bert-score",
        both_libraries,
        comparable=False,
    ),
    Contest("simcse", ("simcse",), "transformers, as SimCSE's tool", simcse),
    Contest(
        "classifier",
        ("classifier",),
        "sentence-transformers' CrossEncoder",
        classifier,
        lambda folder: random_classifier(folder, "different", "paraphrase"),
    ),
    Contest(
        "nli",
        ("nli",),
        "sentence-transformers' CrossEncoder",
        nli,
        lambda folder: random_classifier(folder, "entailment", "neutral", "contradiction"),
    ),
    Contest("bartscore", ("bartscore",), "transformers, as BARTScore's code", bartscore, random_bart),
)


def measure(contest: Contest, folder: Path, sources: list[str], hypotheses: list[str], rounds: int) -> dict[str, Any]:
    """Time ours and the library's in turn; return a row of the table."""
    with quiet():
        if contest.make is not None:
            torch.manual_seed(1)
            contest.make(folder)
        model = str(folder) if contest.make is not None else MINILM
        way = ours(*(f"{spec}:{model}" for spec in contest.specs))
        other = contest.rival(str(find_files(model).folder))
        for each in (way, other):  # one-time initialisation, on the first pairs
            each(sources[:4], hypotheses[:4])
    took: list[tuple[Took, Took]] = []
    for _ in range(rounds):
        result, mine = timed(lambda: way(sources, hypotheses))
        expected, theirs = timed(lambda: other(sources, hypotheses))
        took.append((mine, theirs))
    row: dict[str, Any] = {
        "metric": contest.name,
        "ours": statistics.median(len(sources) / mine.clock for mine, _ in took),
        "theirs": statistics.median(len(sources) / theirs.clock for _, theirs in took),
        "ratio": statistics.median(theirs.clock / mine.clock for mine, theirs in took),
        "processor_ratio": statistics.median(theirs.processor / mine.processor for mine, theirs in took),
        "library": contest.library,
        "random_weights": contest.make is not None,
    }
    if contest.comparable:
        row["apart"] = float(np.abs(result - expected).max())
        row["agree"] = bool(row["apart"] <= NEAR * np.ptp(expected))
    return row


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; the numbers must agree, the times are only printed."""
    names = [contest.name for contest in CONTESTS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=names, default=names, help=", ".join(names))
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    corpus = read(MRPC).take(range(options.pairs))
    sources, hypotheses = list(corpus.source), list(corpus.hypothesis)
    libraries = {name: version(name) for name in ("torch", "transformers", "sentence-transformers", "bert-score")}
    encoded: dict[str, Any] = {"machine": machine() | {"threads": str(torch.get_num_threads())} | libraries}
    encoded |= {"pairs": options.pairs, "rounds": options.rounds, "rows": []}
    print(", ".join(f"{key} {value}" for key, value in encoded["machine"].items()))
    print(f"\n{len(corpus):,} pairs of MRPC test, medians of {options.rounds}; pairs per second, ratios library : ours")
    print("* random weights, in the shape of the MiniLM: the speed is that of trained ones, the numbers mean nothing\n")
    print(f"{'metric':14} {'ours':>8} {'library':>8} {'ratio':>6} {'processor':>9} {'apart':>8}  library")
    with tempfile.TemporaryDirectory() as models:
        for contest in CONTESTS:
            if contest.name not in options.only:
                continue
            row = measure(contest, Path(models) / contest.name, sources, hypotheses, options.rounds)
            encoded["rows"].append(row)
            apart = f"{row['apart']:.0e}" if contest.comparable else "-"
            print(
                f"{row['metric'] + '*' * row['random_weights']:14} {row['ours']:>8.1f} {row['theirs']:>8.1f} "
                f"{row['ratio']:>6.2f} {row['processor_ratio']:>9.2f} {apart:>8}  {row['library']}",
                flush=True,
            )
    if options.json:
        options.json.write_text(json.dumps(encoded, indent=2) + "\n", encoding="utf-8")
    if odd := [row["metric"] for row in encoded["rows"] if not row.get("agree", True)]:
        print(f"The numbers do not agree: {', '.join(odd)}")
    return 1 if odd else 0


if __name__ == "__main__":
    sys.exit(main())
