"""The manual: pages of Markdown for `parapluie help` and the window (F1)."""

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
from parapluie_gui.feature import collect_parts, installed_features
from parapluie_gui.metrics import catalogue as metrics
from parapluie_gui.options import list_options

FOLDER = "manual"
INDEX = "index"

#: A note on options with the same name in several analyses.
_PREFIXED = """
If the command itself or another analysis uses the same option name with a different meaning, the name of the analysis
is put in front: `--corpus-measure`.
"""

_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_FENCE = re.compile(r"\s*```")


@dataclass(frozen=True)
class ManualPage:
    """A page of the manual; `text` is Markdown."""

    #: The name in `parapluie help NAME` ("metrics").
    name: str
    #: The path in the resources, with slashes ("manual/metrics.md").
    path: str
    #: The title in the index.
    title: str
    text: str

    @property
    def anchors(self) -> frozenset[str]:
        """The anchors of the page's headings."""
        return frozenset(anchor(heading) for _, _, heading in _headings(self.text))

    @property
    def links(self) -> tuple[str, ...]:
        """The targets of the page's links, in order."""
        return tuple(link for _, link in _LINK.findall(self.text))

    def section(self, heading: str) -> str:
        """Return the section with a heading (ignoring case), including subsections; "" if there is none."""
        headings = _headings(self.text)
        lines = self.text.splitlines()
        for place, (line, level, title) in enumerate(headings):
            if title.replace("`", "").casefold() == heading.casefold():
                end = next((later for later, deep, _ in headings[place + 1 :] if deep <= level), len(lines))
                return "\n".join(lines[line:end]).rstrip() + "\n"
        return ""


def anchor(heading: str) -> str:
    """Return the anchor of a heading as on GitHub ("The filter box" → "the-filter-box")."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@cache
def pages() -> tuple[ManualPage, ...]:
    """Return all pages in the order of the index, which comes first.

    Pages of features that are not installed are left out, and links to them become plain text. Pages of features that
    the index does not link to, such as those from other packages, come last.
    """
    index = _read(f"{FOLDER}/{INDEX}.md", "Contents")
    entries = [line for line in index.text.splitlines() if line.startswith("- ")]
    absent = [line for line in entries if not _LINK.search(line)]
    named = {target(index, link)[0]: title for title, link in _LINK.findall(index.text) if is_internal(link)}
    further = [page for page in _feature_pages() if page.path not in named]
    text = "".join(line for line in index.text.splitlines(keepends=True) if line.rstrip("\n") not in absent)
    if further:
        text += "\n## Further pages\n\n" + "".join(f"- [{page.title}]({page.name}.md)\n" for page in further)
    return (replace(index, text=text), *(_read(path, title) for path, title in named.items()), *further)


def _feature_pages() -> Iterator[ManualPage]:
    """Yield the pages of features; those of other packages are in a folder `manual` of the package."""
    for feature in installed_features():
        shipped = feature.package.startswith("parapluie_gui.")
        folder = places.resources() if shipped else files(feature.package)
        for name in feature.manual:
            text = (folder / FOLDER / f"{name}.md").read_text(encoding="utf-8")
            title = next((words for _, _, words in _headings(text)), name)
            yield ManualPage(name, f"{FOLDER}/{name}.md", title, text)


def is_internal(link: str) -> bool:
    """Return whether a link leads to a page of the manual rather than to the web."""
    return ":" not in link


def target(page: ManualPage, link: str) -> tuple[str, str]:
    """Return the path and the anchor of an internal link's target."""
    path, _, fragment = link.partition("#")
    return posixpath.normpath(posixpath.join(posixpath.dirname(page.path), path)) if path else page.path, fragment


def find(topic: str) -> str:
    """Return the Markdown of a page ("metrics") or of a section ("score"), ignoring case; "" means the index.

    Raises:
        HelpError: There is no such page or section; the message names similar pages.
    """
    wanted = topic.strip().casefold() or INDEX
    for page in pages():
        if page.name == wanted:
            return page.text
    # The name of a command takes precedence over a menu with the same heading.
    for page in sorted(pages(), key=lambda page: page.name != "command-line"):
        if section := page.section(wanted):
            return section
    names = [page.name for page in pages()]
    near = difflib.get_close_matches(wanted, names, n=3, cutoff=0.7)
    near += [page.name for page in pages() if wanted in page.text.casefold() and page.name not in near]
    hint = f"did you mean {', '.join(near[:5])}?" if near else "`parapluie help` lists them"
    raise HelpError(with_advice(f'There is no page "{topic}" in the manual', hint))


def _read(path: str, title: str) -> ManualPage:
    folder, _, file = path.rpartition("/")
    name = file.removesuffix(".md") if folder == FOLDER else f"{posixpath.basename(folder)}-card"
    page = ManualPage(name, path, title, (places.resources() / path).read_text(encoding="utf-8"))

    def keep_existing(link: re.Match[str]) -> str:
        exists = not is_internal(link[2]) or (places.resources() / target(page, link[2])[0]).is_file()
        return link[0] if exists else link[1]

    return replace(page, text=_LINK.sub(keep_existing, page.text) + _catalogue_tables(page))


def _catalogue_tables(page: ManualPage) -> str:
    """Return tables made from the catalogues for a page: options, and entries that the page does not describe.

    This way, new metrics and analyses, and those of other packages, appear in the manual automatically.
    """
    if page.name == "metrics":
        missing = [info for info in metrics.metrics() if f"`{info.id}" not in page.text]
        rows = [(f"`{info.id}`", info.summary, _options(info.options)) for info in missing]
        return _table("Further metrics", ("metric", "meaning", "options"), rows)
    if page.name == "analysis":
        parts = [part for part in analyses.parts().values() if not part.page_of]
        titled = [(part.page_title, analyses.analysis(part.name)) for part in parts]
        described = [(title or analysis.title, analysis.about) for title, analysis in titled if analysis.in_window]
        undescribed = [row for row in described if f"\n| {row[0]} |" not in page.text]
        return _table("Further pages", ("page", "contents"), undescribed)
    if page.name == "analyse":
        options = [
            (f"`{analysis.name}`", f"`{option.flag}`", option.description)
            for analysis in analyses.analyses()
            for option in list_options(analysis.options)
            if option.flag and not analysis.standalone
        ]
        return _table("Options of the analyses", ("analysis", "option", "meaning"), options) + _PREFIXED
    if page.name == "command-line":
        added = [command for command in collect_parts("commands") if not command.of]
        commands = [command for command in added if f"\n## {command.name}" not in page.text]
        rows = [(f"`{command.name}`", command.about, f"`parapluie {command.name} --help`") for command in commands]
        return _table("Further commands", ("command", "contents", "options"), rows)
    return ""


def _options(kind: type[Any]) -> str:
    return "; ".join(f"`{option.name}=` {option.description}" for option in list_options(kind))


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
    """Return the 0-based line, level and text of each heading outside of code blocks."""
    headings = []
    code = False
    for number, line in enumerate(text.splitlines()):
        code ^= _FENCE.match(line) is not None
        if not code and (heading := _HEADING.match(line)):
            headings.append((number, len(heading[1]), heading[2].strip()))
    return headings
