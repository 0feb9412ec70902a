"""A feature: one capability of the program in one folder, and the list of those that are installed.

The core has loops where it would otherwise have lists: commands, analyses, columns, metrics, judges, functions of
Python, tabs, menus and pages of the manual are its own and those that the features bring. A feature is named by
strings, so that listing it imports nothing of it but `feature.py`.

The program's own features are the folders of `parapluie_gui/features`; an installed package adds one by an entry point
of the group `parapluie_gui.features` that names its `Feature`.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Protocol, TypeVar

from parapluie_gui.errors import one_line

#: The group of entry points in which packages name their features.
GROUP = "parapluie_gui.features"


class NamedEntry(Protocol):
    """An entry of a list that features add to.

    Attributes:
        name: Unique in the list.
        after: The name of the entry that it follows, or several, of which the first that is present counts; last if
            there is none.
    """

    @property
    def name(self) -> str: ...

    @property
    def after(self) -> str: ...


EntryT = TypeVar("EntryT", bound=NamedEntry)


@dataclass(frozen=True)
class Part:
    """An object that a feature adds to one of the program's lists, imported when it is first needed.

    Attributes:
        name: Its name in the list ("certificate" among the analyses).
        place: "module:object" inside the feature's package ("analysis:Certificate"), or a full name.
        after: The names of the entries that it may follow in the list; the first that is present counts.
        package: The feature's package; `Feature` fills it in.
    """

    name: str
    place: str
    after: str = ""
    package: str = ""

    def load(self) -> Any:
        """Import the object and return it."""
        return self._resolve(self.place)

    def _resolve(self, place: str) -> Any:
        return resolve_name(place if place.startswith("parapluie_gui.") else f"{self.package}.{place}")


@dataclass(frozen=True)
class AnalysisPart(Part):
    """An analysis.

    Attributes:
        page: The place of the class of its page, where that has more than every page has.
        page_of: The analysis on whose page it is, where it has none of its own.
        page_title: The title of its page, where that shows other analyses too.
        words: Earlier names of its page, by which the palette finds it too.
    """

    page: str = ""
    page_of: str = ""
    page_title: str = ""
    words: str = ""

    def load_page(self) -> Any:
        """Import the class of its page and return it."""
        return self._resolve(self.page)


@dataclass(frozen=True)
class ColumnPart(Part):
    """A kind of column, a function as in `analysis.columns`.

    Attributes:
        setting: The session's setting that holds what it needs beside the corpus; "" for none.
        reader: The place of the function that is given that setting's value, fit for JSON, and returns what the kind
            finds in `ColumnMaterial.feature_material` under the feature's name; what makes no sense is left out.
        checker, definer: The places of the functions that define columns of the kind by texts ("NAME = EXPRESSION"), as
            `--column` does; "" for none. The first is given the texts, and raises a ParapluieError where one cannot be
            right whatever the corpus; the second is given texts, `ColumnMaterial` and the table of scores that the
            columns are put into.
    """

    setting: str = ""
    reader: str = ""
    checker: str = ""
    definer: str = ""

    def read(self, stored: object) -> object:
        """Return what a session keeps for the kind, as the kind needs it."""
        return self._resolve(self.reader)(stored)

    def check(self, texts: Sequence[str]) -> None:
        """Raise a ParapluieError where a text defines no column."""
        self._resolve(self.checker)(texts)

    def define(self, texts: Sequence[str], pairs: Any, table: Any) -> None:
        """Put the columns that texts define into a table of scores; errors as `check`, and where they do not fit it."""
        self._resolve(self.definer)(texts, pairs, table)


@dataclass(frozen=True)
class Tab(Part):
    """A tab of the window: `place` names a function that is given the window's context and returns the widget.

    Attributes:
        title: As on the tab, in English; the window translates it.
    """

    title: str = ""


@dataclass(frozen=True)
class ModelSource(Part):
    """A source of models beside the catalogue, folders and the hub; `place` is a class, a `models.sources.Source`.

    Attributes:
        prefixes: What the names of its models begin with, in small letters ("http://").
        choose: The line in the menu of models that opens its dialog, in English ("Connect to a server…").
        dialog: The place of the class of that dialog, which is given its parent. Its signal `connected` has the name of
            a model that can be the judge.
        hint: What is said in Setup of the name of a model that is not known yet.
    """

    prefixes: tuple[str, ...] = ()
    choose: str = ""
    dialog: str = ""
    hint: str = ""

    def load_dialog(self) -> Any:
        """Import the class of its dialog and return it."""
        return self._resolve(self.dialog)


@dataclass(frozen=True)
class Command(Part):
    """A command of `parapluie`; `place` is the function that runs it with its options and returns the exit status.

    Attributes:
        of: The command whose action it is, for an action that a feature adds to one ("models").
        about: Its effect, as the list of commands shows it.
        options: The place of the dataclass of its options; "" for a command that has actions alone.
        group: The heading it is listed under.
        description: What its own help begins with, where it has no options whose docstring says it.
        examples: Lines that can be pasted where `parapluie demo pairs.csv` has written its file.
        actions: Its actions (`models get`), each with a name of its own; a command with a place runs without one too.
        offline: It computes with models that are here and fetches none.
    """

    of: str = ""
    about: str = ""
    options: str = ""
    group: str = ""
    description: str = ""
    examples: tuple[str, ...] = ()
    actions: tuple[Command, ...] = ()
    offline: bool = False

    def load_options(self) -> type[Any]:
        """Import the dataclass of its options and return it."""
        kind: type[Any] = self._resolve(self.options)
        return kind

    @property
    def epilog(self) -> str:
        """The examples as its help prints them."""
        return "\n".join(["examples:", *(f"  parapluie {example}" for example in self.examples)])


@dataclass(frozen=True)
class ExtensionPart(Part):
    """Further options of a command, a class as `commands.extension.Extension`.

    Attributes:
        command: The command that takes them.
    """

    command: str = ""


@dataclass(frozen=True)
class AnalysisCommand(Command):
    """A command that prints analyses.

    Attributes:
        analyses: Their names; () lets the user choose among all.
        without: The groups of options that it lacks.
        apart: Each file is analysed by itself.
        draws: Its default number of resamples, where it is not that of the others.
    """

    place: str = "parapluie_gui.commands.analysis:run"
    options: str = "parapluie_gui.commands.options:AnalyseOptions"
    analyses: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    apart: bool = False
    draws: int | None = None


@dataclass(frozen=True)
class ShippedCorpus:
    """A corpus that ships with the program or a package.

    Attributes:
        name: It stands for the file wherever a command or Python takes a corpus, and is an option of `parapluie gui`.
        path: The file.
        title: What the window calls it.
        option: Help of the option of `parapluie gui`.
        tip: One sentence for its button on the start page.
    """

    name: str
    path: Path
    title: str
    option: str = ""
    tip: str = ""


@dataclass(frozen=True)
class Action:
    """Something that the user can do by menu, key and palette.

    Attributes:
        slot: The method that does it, as an attribute path: from the window for the core's actions ("scatter.fit"),
            from the feature's part of the window for a feature's ("NAME.add" is `add` of the feature NAME). It is
            the action's name too. "recent", "kept_sets" and "docks" are submenus that the window fills; "" is a line
            between groups.
        menu: The menu it is in, with the one that this opens from: ("&Pairs", "&Verdict"); () where it is only found by
            Ctrl+K and its keys.
        text: As in the menu.
        keys: Shortcuts, the first one shown.
        tip: One sentence for the status bar.
        checkable: It is on or off.
        icon: Its name in the set of icons; "" for none.
        words: Its earlier names, by which the palette finds it too.
        corpus: Its keys act on the corpus's pairs: they are off while the Bench is in sight.
        pairs: It is about pairs: without a corpus its line in the menu is grey. Its keys then say what is missing.
        after: The slot that it follows; last in its menu by default.
        button: The place in the window where a button does it too: "templates" is under Setup's list of them.
    """

    slot: str
    menu: tuple[str, ...]
    text: str
    keys: tuple[str, ...] = ()
    tip: str = ""
    checkable: bool = False
    icon: str = ""
    words: str = ""
    corpus: bool = False
    pairs: bool = False
    after: str = ""
    button: str = ""

    @property
    def name(self) -> str:
        return self.slot


@dataclass(frozen=True)
class Feature:
    """What one capability adds to the program. All but `name` and `package` may be left out.

    Attributes:
        name: Of its folder ("concordance").
        package: The package that the places are in: `__package__` in `feature.py`.
        about: Its purpose, in a sentence.
        commands: Commands of `parapluie`, and actions of others.
        extensions: Further options of commands that others bring.
        corpora: Corpora that ship with it.
        analyses: Analyses: a page, a section of the report, a table of `parapluie analyse` and of Python each.
        columns: Kinds of column.
        metrics: Classes of metrics.
        judges: Classes of judges; `name` is the kind of model, and they are asked before the core's.
        model_sources: Sources of models beside the catalogue, folders and the hub.
        functions: Functions and classes of `import parapluie_gui as pp`.
        report_columns: Columns of the report's lists of pairs: functions that are given the file of kept scores (None
            for none) and return a `report.html.PairColumn` each.
        pair_edits: What tells, of pairs, what each of their edits did to a score: functions as
            `report.edits.EditsOfPairs`, with the file of kept scores before it.
        readers: Kinds of corpus that are spread over several files, objects as in `pairs.reading.collections`.
        growing: Kinds of corpus that grow while they are open, objects as in `ui.state.growing`.
        window: The part of it that works between the window's views: a place "module:class"; it is given the context.
        tabs: Tabs beside Scatter, Bench and Analysis.
        actions: Entries of menus, palette and keys; their slots begin with the feature's name.
        manual: Pages of the manual; those of another package are in its folder `manual`.
        content: Keys of a session's settings that hold what the user made, as a corpus does: a session that has one is
            not empty.
    """

    name: str
    package: str
    about: str = ""
    commands: tuple[Command, ...] = ()
    extensions: tuple[ExtensionPart, ...] = ()
    corpora: tuple[ShippedCorpus, ...] = ()
    analyses: tuple[AnalysisPart, ...] = ()
    columns: tuple[ColumnPart, ...] = ()
    metrics: tuple[Part, ...] = ()
    judges: tuple[Part, ...] = ()
    model_sources: tuple[ModelSource, ...] = ()
    functions: tuple[Part, ...] = ()
    report_columns: tuple[Part, ...] = ()
    pair_edits: tuple[Part, ...] = ()
    readers: tuple[Part, ...] = ()
    growing: tuple[Part, ...] = ()
    window: str = ""
    tabs: tuple[Tab, ...] = ()
    actions: tuple[Action, ...] = ()
    manual: tuple[str, ...] = ()
    content: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for kind in fields(self):
            parts = getattr(self, kind.name)
            if isinstance(parts, tuple) and all(isinstance(part, Part) for part in parts):
                object.__setattr__(self, kind.name, tuple(in_package(part, self.package) for part in parts))

    def load_window(self) -> Any:
        """Import the class of its part of the window and return it."""
        return resolve_name(f"{self.package}.{self.window}")


PartT = TypeVar("PartT", bound=Part)


def in_package(part: PartT, package: str) -> PartT:
    """Return a part whose places are in a package."""
    if isinstance(part, Command):
        actions = tuple(in_package(action, package) for action in part.actions)
        return replace(part, package=package, actions=actions)
    return replace(part, package=package)


@cache
def installed_features() -> tuple[Feature, ...]:
    """Return the features that are installed: the program's own by name, then those of packages."""
    return _discovery()[0]


def broken_features() -> tuple[str, ...]:
    """Return a sentence for each feature of a package that could not be read."""
    return _discovery()[1]


@cache
def _discovery() -> tuple[tuple[Feature, ...], tuple[str, ...]]:
    folder = Path(__file__).with_name("features")
    names = sorted(module.name for module in pkgutil.iter_modules([str(folder)]) if module.ispkg)
    features = [import_module(f"{GROUP}.{name}.feature").FEATURE for name in names]
    troubles = []
    for point in entry_points(group=GROUP):
        origin = point.value if point.dist is None else f"{point.dist.name} ({point.value})"
        try:
            feature = point.load()
            if not isinstance(feature, Feature):
                raise TypeError(f"{type(feature).__name__} is not a Feature")
        except Exception as error:  # a package must not keep the program from starting
            reason = one_line(f"{type(error).__name__}: {error}")
            troubles.append(f"The feature of {origin} could not be loaded: {reason}. Update or remove the package.")
            continue
        if feature.name in (other.name for other in features):
            troubles.append(f"The feature of {origin} is left out: there is one called {feature.name} already.")
        else:
            features.append(feature)
    return tuple(features), tuple(troubles)


def collect_parts(kind: str) -> tuple[Any, ...]:
    """Return what the installed features add to one of the lists of `Feature` ("analyses")."""
    return tuple(part for feature in installed_features() for part in getattr(feature, kind))


def arrange_entries(own: Iterable[EntryT], more: Sequence[EntryT]) -> list[EntryT]:
    """Return the core's entries of a list with those of features in their places.

    Entries that follow the same one stay in their order; those whose predecessors are all absent come last.
    """
    entries, waiting = list(own), list(more)
    while waiting:
        names = {entry.name for entry in (*entries, *waiting)}
        placed = {entry.name: at for at, entry in enumerate(entries)}
        anchors = [next((name for name in entry.after.split() if name in names), "") for entry in waiting]
        anchor = next((name for name in anchors if name in placed), None)
        if anchor is None:
            break
        followers = [entry for entry, name in zip(waiting, anchors, strict=True) if name == anchor]
        entries[placed[anchor] + 1 : placed[anchor] + 1] = followers
        waiting = [entry for entry, name in zip(waiting, anchors, strict=True) if name != anchor]
    return [*entries, *waiting]
