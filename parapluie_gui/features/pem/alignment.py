"""Word alignment of parallel sentences by an installed aligner, with both directions merged."""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from parapluie_gui.errors import MetricError
from parapluie_gui.packages import import_alone

#: Pairs of word positions (source, pivot), counted from 0.
Links = set[tuple[int, int]]
Sentences = Sequence[Sequence[str]]

_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))

#: Iterations of expectation maximisation in nltk's IBM model 1.
_ROUNDS = 5


def align(sources: Sentences, pivots: Sentences, aligner: str) -> list[Links]:
    """Align n tokenised sentences with their translations; no sentence may be empty. Returns the links of each."""
    return ALIGNERS[aligner][1](sources, pivots)


def choose_aligner(name: str = "auto") -> str:
    """Return the name of the aligner to use; "auto" chooses the best one installed.

    Raises:
        MetricError: The aligner is unknown or not installed.
    """
    if name == "auto":
        return next(aligner for aligner, (module, _) in ALIGNERS.items() if importlib.util.find_spec(module))
    if name not in ALIGNERS:
        raise MetricError(f'There is no aligner "{name}"; the aligners are auto, {", ".join(ALIGNERS)}.')
    module = ALIGNERS[name][0]
    if importlib.util.find_spec(module) is None:
        raise MetricError(f"The aligner {name} is not installed. Run `pip install {module.replace('_', '-')}`.")
    return name


def grow_diagonal(forward: Links, backward: Links) -> Links:
    """Merge the links of both directions: their intersection, extended by neighbouring links (Och and Ney, 2003).

    A neighbour in one direction is added if it links a word without a link. This is "grow-diag" without the final step;
    of the methods that leave few words unaligned it has the lowest alignment error rate.
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
    """Align by eflomal (Östling and Tiedemann, 2016), a sampled Bayesian hidden Markov model with its own seed."""
    import eflomal

    with tempfile.TemporaryDirectory(prefix="parapluie-pem-") as folder:
        forward, backward = Path(folder) / "forward", Path(folder) / "backward"
        eflomal.Aligner().align(_write_lines(sources), _write_lines(pivots), str(forward), str(backward))
        return [
            grow_diagonal(one, other) for one, other in zip(_read_links(forward), _read_links(backward), strict=True)
        ]


def _systran(sources: Sentences, pivots: Sentences) -> list[Links]:
    """Align by fast_align (Dyer et al., 2013): IBM model 2 with a prior on the diagonal."""
    import systran_align

    with tempfile.TemporaryDirectory(prefix="parapluie-pem-") as folder:
        text, forward, backward = (str(Path(folder) / name) for name in ("text", "forward", "backward"))
        pairs = zip(_write_lines(sources), _write_lines(pivots), strict=True)
        Path(text).write_text("".join(f"{one.strip()} ||| {other}" for one, other in pairs), encoding="utf-8")
        systran_align.generate_alignment_probabilities(
            text, forward, backward, favor_diagonal=True, optimize_tension=True, variational_bayes=True
        )
        alignments = systran_align.Aligner(forward, backward).align_batch(
            [list(words) for words in sources], [list(words) for words in pivots]
        )
    return [{(int(i), int(j)) for i, j in result["alignments"]} for result in alignments]


def _nltk(sources: Sentences, pivots: Sentences) -> list[Links]:
    """Align by IBM model 1 (Brown et al., 1993), which is slow and coarse but always available."""
    import_alone("nltk")
    from nltk.translate import AlignedSent, IBMModel1

    def align_one_way(observed: Sentences, generated: Sentences) -> list[Links]:
        texts = [AlignedSent(list(words), list(mots)) for words, mots in zip(generated, observed, strict=True)]
        IBMModel1(texts, _ROUNDS)
        return [{(i, j) for j, i in text.alignment if i is not None} for text in texts]

    forward = align_one_way(sources, pivots)
    backward = [{(i, j) for j, i in links} for links in align_one_way(pivots, sources)]
    return [grow_diagonal(one, other) for one, other in zip(forward, backward, strict=True)]


#: Aligners by name, best first: the required module and the function.
ALIGNERS: dict[str, tuple[str, Callable[[Sentences, Sentences], list[Links]]]] = {
    "eflomal": ("eflomal", _eflomal),
    "systran-align": ("systran_align", _systran),
    "nltk": ("nltk", _nltk),
}


def _write_lines(sentences: Sentences) -> list[str]:
    # "|" is fast_align's separator, and only the positions of words matter for alignment.
    return [" ".join(word.replace("|", "¦") for word in sentence) + "\n" for sentence in sentences]


def _read_links(file: Path) -> list[Links]:
    result: list[Links] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        pairs = (link.split("-") for link in line.split())
        result.append({(int(i), int(j)) for i, j in pairs})
    return result
