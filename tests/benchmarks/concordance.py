"""Running time of the concordance on a thousand to a million sentences.

    python tests/benchmarks/concordance.py [--sentences 1000000] [--short]

The corpus is synthetic, from a seed. It measures the CPU time of the searching thread in seconds: for a frequent word,
a whole word, two regular expressions (the second has lookarounds, so sentences are searched one by one), then for
sorting the lines of the first by their left neighbours, counting all words, and the collocates. --short runs on a
thousand sentences and fails when the hits are not those of Python's `re` on each sentence.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable

import synthetic

PATTERNS = {
    "word": "station",
    "whole word": "season",
    "expression": r"/\b(school|house)\s+\w+/",
    "lookahead": "/team(?=s)/",
}


def timed(name: str, work: Callable[[], object]) -> object:
    begun = time.process_time()
    result = work()
    print(f"{name:<12} {time.process_time() - begun:8.3f} s", end="")
    return result


def main() -> None:
    from parapluie_gui.analysis.pattern import compile_pattern
    from parapluie_gui.features.concordance.search import count_words, find_collocates, find_lines, sort_lines

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sentences", type=int, default=1_000_000)
    parser.add_argument("--short", action="store_true")
    arguments = parser.parse_args()
    corpus = synthetic.corpus((1000 if arguments.short else arguments.sentences) // 2)
    texts = [*corpus.source, *corpus.hypothesis]
    print(f"{len(texts):,} sentences of {sum(map(len, texts)) / len(texts):.0f} characters")
    first = None
    for name, text in PATTERNS.items():
        lines = timed(
            name, lambda text=text, name=name: find_lines(corpus, compile_pattern(text, name == "whole word"))
        )
        print(f"  {lines.hits:,} hits")
        first = first or lines
        body = text.strip("/")
        expected = sum(len(re.findall(body, each)) for each in texts) if arguments.short else lines.hits
        assert lines.hits == expected, f"{text}: {lines.hits} hits instead of {expected}"
    timed("sorting", lambda: sort_lines(first, "left"))
    print()
    totals = timed("all words", lambda: count_words(texts))
    print(f"  {sum(totals.values()):,} words")
    timed("collocates", lambda: find_collocates(first, totals))
    print()


if __name__ == "__main__":
    main()
