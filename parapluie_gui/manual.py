"""The manual: pages of Markdown that ship with the program, read by `parapluie help` and by the window (F1)."""

from __future__ import annotations

import difflib
import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from parapluie_gui import places
from parapluie_gui.analysis import catalogue as analyses
from parapluie_gui.errors import HelpError, with_advice
from parapluie_gui.feature import brought, installed
from parapluie_gui.metrics import catalogue as metrics
from parapluie_gui.options import described

FOLDER = "manual"
INDEX = "index"

#: Which flag an option has that is named like one of another analysis.
_PREFIXED = """
Where the command itself or another analysis means something else by a name, the analysis is written before it:
`--corpus-measure`.
"""

_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_FENCE = re.compile(r"\s*```")


@dataclass(frozen=True)
class Page:
    """One page; `text` is Markdown."""

    #: As in `parapluie help NAME` ("metrics").
    name: str
    #: Inside the resources, with slashes ("manual/metrics.md").
    path: str
    #: As the index calls it.
    title: str
    text: str

    @property
    def anchors(self) -> frozenset[str]:
        """What a link to a heading of this page may have behind its #."""
        return frozenset(anchor(heading) for _, _, heading in _headings(self.text))

    @property
    def links(self) -> tuple[str, ...]:
        """The targets of its links, in order."""
        return tuple(link for _, link in _LINK.findall(self.text))

    def section(self, heading: str) -> str:
        """Return the part under a heading of these words (in any case), with all below it; "" where there is none."""
        headings = _headings(self.text)
        lines = self.text.splitlines()
        for place, (line, level, title) in enumerate(headings):
            if title.replace("`", "").casefold() == heading.casefold():
                end = next((later for later, deep, _ in headings[place + 1 :] if deep <= level), len(lines))
                return "\n".join(lines[line:end]).rstrip() + "\n"
        return ""


def anchor(heading: str) -> str:
    """Return a heading as links write it behind a # ("The filter box" → "the-filter-box"), as GitHub does."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@cache
def pages() -> tuple[Page, ...]:
    """Return every page in the order in which the index names them, the index first.

    Pages of features that are not installed are left out, and links to them become plain text; those of features from
    other packages follow the program's own.
    """
    index = _read(f"{FOLDER}/{INDEX}.md", "Contents")
    entries = [line for line in index.text.splitlines() if line.startswith("- ")]
    absent = [line for line in entries if not _LINK.search(line)]
    foreign = list(_foreign_pages())
    text = "".join(line for line in index.text.splitlines(keepends=True) if line.rstrip("\n") not in absent)
    if foreign:
        text += "\n## From other packages\n\n" + "".join(f"- [{page.title}]({page.name}.md)\n" for page in foreign)
    named = {target(index, link)[0]: title for title, link in _LINK.findall(index.text) if is_internal(link)}
    return (replace(index, text=text), *(_read(path, title) for path, title in named.items()), *foreign)


def _foreign_pages() -> Iterator[Page]:
    """Yield the pages in the packages of features that are not the program's own."""
    for feature in installed():
        if not feature.package.startswith("parapluie_gui."):
            for name in feature.manual:
                text = (files(feature.package) / FOLDER / f"{name}.md").read_text(encoding="utf-8")
                title = next((words for _, _, words in _headings(text)), name)
                yield Page(name, f"{FOLDER}/{name}.md", title, text)


def is_internal(link: str) -> bool:
    """Return whether a link leads to a page of the manual rather than into the web."""
    return ":" not in link


def target(page: Page, link: str) -> tuple[str, str]:
    """Return the path and the anchor that an internal link of a page leads to."""
    path, _, fragment = link.partition("#")
    return posixpath.normpath(posixpath.join(posixpath.dirname(page.path), path)) if path else page.path, fragment


def find(topic: str) -> str:
    """Return the Markdown of a page ("metrics") or of a section by its heading ("score"), in any case; "": the index.

    Raises:
        HelpError: There is neither; the sentence names the nearest pages.
    """
    wanted = topic.strip().casefold() or INDEX
    for page in pages():
        if page.name == wanted:
            return page.text
    # A command's name is a topic too; a menu may have the same heading.
    for page in sorted(pages(), key=lambda page: page.name != "command-line"):
        if found := page.section(wanted):
            return found
    names = [page.name for page in pages()]
    near = difflib.get_close_matches(wanted, names, n=3, cutoff=0.7)
    near += [page.name for page in pages() if wanted in page.text.casefold() and page.name not in near]
    hint = f"did you mean {', '.join(near[:5])}?" if near else "`parapluie help` lists them"
    raise HelpError(with_advice(f'There is no page "{topic}" in the manual', hint))


def _read(path: str, title: str) -> Page:
    folder, _, file = path.rpartition("/")
    name = file.removesuffix(".md") if folder == FOLDER else f"{posixpath.basename(folder)}-card"
    page = Page(name, path, title, (places.resources() / path).read_text(encoding="utf-8"))

    def living(link: re.Match[str]) -> str:
        there = not is_internal(link[2]) or (places.resources() / target(page, link[2])[0]).is_file()
        return link[0] if there else link[1]

    return replace(page, text=_LINK.sub(living, page.text) + _further_rows(page))


def _further_rows(page: Page) -> str:
    """Return what a page has that is made of the catalogues: options, and what nobody described yet, in its own words.

    A metric or an analysis that was just added, or that a package brings, is in the manual by itself.
    """
    if page.name == "metrics":
        found = [info for info in metrics.metrics() if f"`{info.id}" not in page.text]
        rows = [(f"`{info.id}`", info.summary, _options(info.options)) for info in found]
        return _table("Further metrics", ("metric", "meaning", "options"), rows)
    if page.name == "analysis":
        parts = [part for part in analyses.parts().values() if not part.page_of]
        listed = [(part.page_title, analyses.analysis(part.name)) for part in parts]
        pages = [(title or each.title, each.about) for title, each in listed if each.in_window]
        missing = [row for row in pages if f"\n| {row[0]} |" not in page.text]
        return _table("Further pages", ("page", "contents"), missing)
    if page.name == "analyse":
        options = [
            (f"`{each.name}`", f"`{option.flag}`", option.description)
            for each in analyses.analyses()
            for option in described(each.options)
            if option.flag and not each.standalone
        ]
        return _table("Options of the analyses", ("analysis", "option", "meaning"), options) + _PREFIXED
    if page.name == "command-line":
        added = [command for command in brought("commands") if not command.of]
        commands = [command for command in added if f"\n## {command.name}" not in page.text]
        rows = [(f"`{command.name}`", command.about, f"`parapluie {command.name} --help`") for command in commands]
        return _table("Further commands", ("command", "contents", "options"), rows)
    return ""


def _options(kind: type[Any]) -> str:
    return "; ".join(f"`{option.name}=` {option.description}" for option in described(kind))


def _table(heading: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    cells: list[Sequence[str]] = [
        head,
        ["---"] * len(head),
        *([cell.replace("|", r"\|") for cell in row] for row in rows),
    ]
    return f"\n## {heading}\n\n" + "".join(f"| {' | '.join(row)} |\n" for row in cells)


def _headings(text: str) -> list[tuple[int, int, str]]:
    """Return the 0-based line, level and words of each heading outside code."""
    found = []
    code = False
    for number, line in enumerate(text.splitlines()):
        code ^= _FENCE.match(line) is not None
        if not code and (heading := _HEADING.match(line)):
            found.append((number, len(heading[1]), heading[2].strip()))
    return found
