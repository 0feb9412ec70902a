"""A judge on a server compared with our own pass: differences of scores, changed signs, pairs per second, tokens.

    python tests/benchmarks/servers.py ADDRESS [--judge smollm2-135m] [--pairs 100] [--template DIRECT] [--ask chat]
    python tests/benchmarks/servers.py FILE.gguf

ADDRESS is a server connected with `parapluie models connect`. For a GGUF file, llama.cpp's own server is started (extra
`llamacpp`). `--ask` selects a different interface of a server: vLLM by `/generative_scoring`, any by the chat interface
`/v1/chat/completions` or `/v1/responses`. The pairs are the first of MRPC test in ../shared/data; our pass is in
float32 on the CPU.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from parapluie_gui.features.servers.connecting import connect
from parapluie_gui.features.servers.conversation import ConversationServer, LmStudio, OpenAiChat
from parapluie_gui.features.servers.judge import ChatScorer
from parapluie_gui.models.catalogue import find_model
from parapluie_gui.pairs import read
from parapluie_gui.pluie.judge import Judge, TemplateScorer, judge_class
from parapluie_gui.pluie.templates import Template, find_templates, load_templates
from parapluie_gui.scores.signature import Signature

MRPC = Path(__file__).parents[2].parent / "shared" / "data" / "mrpc" / "msr_paraphrase_test.txt"
_CONVERSATIONS: dict[str, type[ConversationServer]] = {"chat": OpenAiChat, "responses": LmStudio}


def make_scorer(judge: Judge, template: Template, ask: str) -> TemplateScorer:
    """Return a scorer that uses a server's given interface."""
    engine: Any = getattr(judge, "_engine", None)
    if ask in _CONVERSATIONS:
        conversation = _CONVERSATIONS[ask](engine._connection, engine.model)
        return ChatScorer(conversation, template, Signature.from_fields("server", {}), lambda: None)
    if ask == "scoring":
        engine._by_score = True
    return judge.scorer(template)


def scores(scorer: TemplateScorer, pairs: int) -> tuple[np.ndarray, float]:
    """Return the scores of the first pairs, and pairs per second."""
    corpus = read(MRPC).take(range(pairs))
    result = np.full(pairs, np.nan)
    started = time.monotonic()
    for batch in scorer.score(corpus.source, corpus.hypothesis):
        for one in batch:
            result[one.row] = one.score
    return result, pairs / (time.monotonic() - started)


def main() -> None:
    """Score with both and print the differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server")
    parser.add_argument("--judge", default="smollm2-135m")
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--template", default="DIRECT")
    parser.add_argument("--ask", choices=("usual", "scoring", *_CONVERSATIONS), default="usual")
    options = parser.parse_args()
    [template] = find_templates([options.template], load_templates()[0])
    address, running = options.server, None
    if address.endswith(".gguf"):
        import xllamacpp

        wanted = xllamacpp.CommonParams()
        wanted.model.path, wanted.n_ctx, wanted.verbosity, wanted.warmup = address, 4096, -1, False
        running = xllamacpp.Server(wanted)
        address = running.listening_address
        print(connect(address).name)
    files = find_model(address)
    judge = judge_class(files).load(files)
    theirs, speed = scores(make_scorer(judge, template, options.ask), options.pairs)
    own_files = find_model(options.judge)
    own = judge_class(own_files, "cpu", "float32").load(own_files, "cpu", "float32")
    ours, own_speed = scores(own.scorer(template), options.pairs)
    apart = np.abs(theirs - ours)
    signs = np.count_nonzero((theirs >= 0) != (ours >= 0))
    print(f"{judge.describe()}\n{judge.spending()}")
    print(f"difference: mean {np.nanmean(apart):.5f}, greatest {np.nanmax(apart):.5f}; signs changed: {signs}")
    print(f"correlation {np.corrcoef(theirs, ours)[0, 1]:.5f}; {speed:.1f} pairs/s there, {own_speed:.1f} here")


if __name__ == "__main__":
    main()
