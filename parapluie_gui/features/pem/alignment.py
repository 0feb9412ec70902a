"""Word alignment of parallel sentences by an aligner that is installed, both directions joined into one."""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from parapluie_gui.errors import MetricError

#: Pairs of word positions (source, pivot), from 0.
Links = set[tuple[int, int]]
Sentences = Sequence[Sequence[str]]

_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))

#: Rounds of expectation maximisation of nltk's IBM model 1.
_ROUNDS = 5


def align(sources: Sentences, pivots: Sentences, aligner: str) -> list[Links]:
    """Return the links between the words of n tokenised sentences, none empty, and of their translations."""
    return ALIGNERS[aligner][1](sources, pivots)


def choose(name: str = "auto") -> str:
    """Return the aligner to use: the one that is named, or the best one installed.

    Raises:
        MetricError: There is none of that name, or it is not installed.
    """
    if name == "auto":
        return next(each for each, (module, _) in ALIGNERS.items() if importlib.util.find_spec(module))
    if name not in ALIGNERS:
        raise MetricError(f'There is no aligner "{name}"; the aligners are auto, {", ".join(ALIGNERS)}.')
    module = ALIGNERS[name][0]
    if importlib.util.find_spec(module) is None:
        raise MetricError(f"The aligner {name} is not installed; `pip install {module.replace('_', '-')}` brings it.")
    return name


def grow_diagonal(forward: Links, backward: Links) -> Links:
    """Join the links of both directions: what both say, grown by neighbours of one direction (Och and Ney, 2003).

    A neighbour is taken when it links a word that has no link yet ("grow-diag", without the final step: of the joint
    forms that leave few words alone it has the lowest alignment error rate).
    """
    links, either = forward & backward, forward | backward
    linked, linked_pivot = {i for i, _ in links}, {j for _, j in links}
    grown = len(links) < len(either)
    while grown:
        grown = False
        for i, j in sorted(links):
            for down, right in _NEIGHBOURS:
                near = (i + down, j + right)
                if near in either and near not in links and (near[0] not in linked or near[1] not in linked_pivot):
                    links.add(near)
                    linked.add(near[0])
                    linked_pivot.add(near[1])
                    grown = True
    return links


def _eflomal(sources: Sentences, pivots: Sentences) -> list[Links]:
    """Östling and Tiedemann (2016): a Bayesian hidden Markov model with fertility, sampled; it seeds itself."""
    import eflomal

    with tempfile.TemporaryDirectory(prefix="parapluie-pem-") as folder:
        forward, backward = Path(folder) / "forward", Path(folder) / "backward"
        eflomal.Aligner().align(_lines(sources), _lines(pivots), str(forward), str(backward))
        return [grow_diagonal(one, other) for one, other in zip(_links(forward), _links(backward), strict=True)]


def _systran(sources: Sentences, pivots: Sentences) -> list[Links]:
    """Dyer et al. (2013), fast_align: IBM model 2 with a prior on the diagonal."""
    import systran_align

    with tempfile.TemporaryDirectory(prefix="parapluie-pem-") as folder:
        text, forward, backward = (str(Path(folder) / name) for name in ("text", "forward", "backward"))
        pairs = zip(_lines(sources), _lines(pivots), strict=True)
        Path(text).write_text("".join(f"{one.strip()} ||| {other}" for one, other in pairs), encoding="utf-8")
        systran_align.generate_alignment_probabilities(
            text, forward, backward, favor_diagonal=True, optimize_tension=True, variational_bayes=True
        )
        found = systran_align.Aligner(forward, backward).align_batch(
            [list(each) for each in sources], [list(each) for each in pivots]
        )
    return [{(int(i), int(j)) for i, j in each["alignments"]} for each in found]


def _nltk(sources: Sentences, pivots: Sentences) -> list[Links]:
    """Brown et al. (1993), IBM model 1: slow and coarse, but always there."""
    from nltk.translate import AlignedSent, IBMModel1

    def one_way(given: Sentences, written: Sentences) -> list[Links]:
        texts = [AlignedSent(list(words), list(mots)) for words, mots in zip(written, given, strict=True)]
        IBMModel1(texts, _ROUNDS)
        return [{(i, j) for j, i in text.alignment if i is not None} for text in texts]

    forward = one_way(sources, pivots)
    backward = [{(i, j) for j, i in links} for links in one_way(pivots, sources)]
    return [grow_diagonal(one, other) for one, other in zip(forward, backward, strict=True)]


#: Aligners by name, best first: the module each needs, and what aligns with it.
ALIGNERS: dict[str, tuple[str, Callable[[Sentences, Sentences], list[Links]]]] = {
    "eflomal": ("eflomal", _eflomal),
    "systran-align": ("systran_align", _systran),
    "nltk": ("nltk", _nltk),
}


def _lines(sentences: Sentences) -> list[str]:
    # "|" is fast_align's separator; the words' positions are all that matters here.
    return [" ".join(word.replace("|", "¦") for word in sentence) + "\n" for sentence in sentences]


def _links(file: Path) -> list[Links]:
    found: list[Links] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        pairs = (link.split("-") for link in line.split())
        found.append({(int(i), int(j)) for i, j in pairs})
    return found
