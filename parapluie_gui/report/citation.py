"""The citations of a report: the program, and the paper of a judge's scores."""

from __future__ import annotations

from parapluie_gui.version import __version__

#: The ParaPLUIE paper, as in CITATION.cff.
AUTHORS = (
    "Quentin Lemesle",
    "Jonathan Chevelu",
    "Philippe Martin",
    "Damien Lolive",
    "Arnaud Delhay",
    "Nelly Barbot",
)
TITLE = "Paraphrase Generation Evaluation Powered by an LLM: A Semantic Metric, Not a Lexical One"
BOOK = "Proceedings of the 31st International Conference on Computational Linguistics (COLING)"
YEAR = 2025


def bibtex(has_judge: bool) -> str:
    """Return BibTeX entries for the program and, if a judge scored, for ParaPLUIE."""
    program = (
        "@software{parapluie_inspector,\n"
        "  title = {{ParaPLUIE Inspector}},\n"
        "  author = {{The ParaPLUIE Inspector developers}},\n"
        f"  version = {{{__version__}}}\n"
        "}"
    )
    paper = (
        "@inproceedings{lemesle-etal-2025-paraphrase,\n"
        f"  title = {{{{{TITLE}}}}},\n"
        f"  author = {{{' and '.join(AUTHORS)}}},\n"
        f"  booktitle = {{{BOOK}}},\n"
        f"  year = {{{YEAR}}}\n"
        "}"
    )
    return "\n\n".join([program, *([paper] if has_judge else [])])
