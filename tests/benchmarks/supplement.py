"""Size of the page of `parapluie share` for 100,000 pairs, and its cost in a browser.

    python tests/benchmarks/supplement.py FILE ...

The sentences are those of the files, pooled and repeated with an additional word until there are enough; the scores
are random numbers, which compress less well than real ones. Seconds are CPU time as counted by Chromium.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))
from chromium import Chromium, chromium

import parapluie_gui as pp
from parapluie_gui.api.material import build_material
from parapluie_gui.features.share.page import PageContents, write_supplement
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.table import ScoreTable

PAIRS = 100_000
#: Actions in the page, repetitions, and names.
STEPS = (
    ("redrawn", "page.draw()", 5),
    ("threshold dragged", "page.setThreshold(i / 10 - 0.5, true)", 10),
    ("filter, first time", "page.at('filter').value = 'the'; page.filterChanged()", 1),
    ("filter", "page.at('filter').value = 'an'; page.filterChanged()", 3),
    ("table scrolled", "page.at('table').scrollTop = 100000 * i; page.table.draw()", 5),
    ("pair chosen", "page.choose(9000 * i)", 5),
)


def corpus_of(paths: list[str]) -> Corpus:
    pairs = []
    for path in paths:
        corpus = pp.read(path)
        pairs += list(zip(corpus.source, corpus.hypothesis, corpus.labels.tolist(), strict=True))
    while len(pairs) < PAIRS:
        pairs += [(f"{source} indeed", hypothesis, label) for source, hypothesis, label in pairs[: PAIRS - len(pairs)]]
    sources, hypotheses, labels = zip(*pairs[:PAIRS], strict=True)
    ids = [str(row) for row in range(PAIRS)]
    return Corpus("large", ids, sources, hypotheses, label=np.array(labels, dtype=np.int8))


def seconds(browser: Chromium) -> float:
    result = {each["name"]: each["value"] for each in browser.ask("Performance.getMetrics")["metrics"]}
    return result["TaskDuration"]


def main() -> None:
    corpus, table, random = corpus_of(sys.argv[1:]), ScoreTable(PAIRS), np.random.default_rng(0)
    scores = ("pluie.cloze", "pluie.direct", "bleu", "edit_distance")
    table.put(np.arange(PAIRS), {name: random.normal(size=PAIRS) for name in scores})
    with tempfile.TemporaryDirectory() as folder, chromium(Path(folder)) as browser:
        page = write_supplement(Path(folder, "page.html"), PageContents(build_material(corpus, table), "CC0"))
        letters = sum(map(len, corpus.source)) + sum(map(len, corpus.hypothesis))
        print(f"{PAIRS:,} pairs of {letters / PAIRS:.0f} letters: {page.stat().st_size / 1e6:.1f} MB")
        browser.look(1280, 900)
        browser.ask("Performance.enable", timeDomain="threadTicks")
        browser.open(page.as_uri())
        print(f"opened: {seconds(browser):.2f} s")
        for name, script, times in STEPS:
            before = seconds(browser)
            for number in range(times):
                drawn = "page.plot.points.getContext('2d').getImageData(0, 0, 1, 1)"
                browser.run(f"(() => {{ const i = {number}; {script}; {drawn}; }})()")
            print(f"{name}: {(seconds(browser) - before) / times:.3f} s")


if __name__ == "__main__":
    main()
