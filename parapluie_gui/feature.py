"""A feature: one capability of the program in one folder, and the list of those that are installed.

Instead of fixed lists, the core has loops over its own parts and those of features: commands, analyses, columns,
metrics, judges, Python functions, tabs, menus and manual pages. A feature names its parts by strings, so that listing
them imports nothing but its `feature.py`.

The program's own features are the folders of `parapluie_gui/features`; an installed package adds a feature by an entry
point in the group `parapluie_gui.features` that names its `Feature`.
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
        name: The name, which is unique in the list.
        after: The name of the entry that it follows, or several names, of which the first that is present counts;
            without any, it is last.
    """

    @property
    def name(self) -> str: ...

    @property
    def after(self) -> str: ...


EntryT = TypeVar("EntryT", bound=NamedEntry)


@dataclass(frozen=True)
class FeaturePart:
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
class AnalysisPart(FeaturePart):
    """An analysis that a feature adds.

    Attributes:
        page: The place of the class of its page, if the usual page is not enough.
        page_of: The analysis on whose page it is shown, if it has no separate page.
        page_title: The title of its page, if that also shows other analyses.
        words: Earlier names of its page, under which the command palette also finds it.
    """

    page: str = ""
    page_of: str = ""
    page_title: str = ""
    words: str = ""

    def load_page(self) -> Any:
        """Import and return the class of its page."""
        return self._resolve(self.page)


@dataclass(frozen=True)
class ColumnPart(FeaturePart):
    """A kind of column, a function as in `analysis.columns`.

    Attributes:
        setting: The key of the session's setting with the data that it needs besides the corpus; "" if it needs none.
        reader: The place of the function that converts that setting's value (JSON) to the kind's entry in
            `ColumnMaterial.feature_material`, under the feature's name, leaving out invalid parts.
        checker, definer: The places of the functions that check and add columns defined by texts ("NAME = EXPRESSION"),
            as for `--column`; "" if there are none. The first raises a ParapluieError if a text is invalid for every
            corpus; the second takes the texts, `ColumnMaterial` and the table of scores to which it adds the columns.
    """

    setting: str = ""
    reader: str = ""
    checker: str = ""
    definer: str = ""

    def read(self, stored: object) -> object:
        """Convert the value of the session's setting to the form that the kind of column uses."""
        return self._resolve(self.reader)(stored)

    def check(self, texts: Sequence[str]) -> None:
        """Raise a ParapluieError if a text does not define a column."""
        self._resolve(self.checker)(texts)

    def define(self, texts: Sequence[str], pairs: Any, table: Any) -> None:
        """Add the columns that texts define to a table of scores; errors as in `check`, and if they do not fit."""
        self._resolve(self.definer)(texts, pairs, table)


@dataclass(frozen=True)
class TabPart(FeaturePart):
    """A tab of the window: `place` names a function that takes the window's context and returns the widget.

    Attributes:
        title: The title on the tab, in English; the window translates it.
    """

    title: str = ""


@dataclass(frozen=True)
class ModelSource(FeaturePart):
    """A source of models besides the catalogue, folders and the hub; `place` names a subclass of `RemoteModelSource`.

    Attributes:
        prefixes: Prefixes of the names of its models, in lower case ("http://").
        choose: The line in the menu of models that opens its dialog, in English ("Connect to a server…").
        dialog: The place of the class of that dialog, which takes its parent widget. Its signal `connected` carries the
            name of a model that can be the judge.
        hint: The hint in Setup if the name of a model is not known yet.
    """

    prefixes: tuple[str, ...] = ()
    choose: str = ""
    dialog: str = ""
    hint: str = ""

    def load_dialog(self) -> Any:
        """Import and return the class of its dialog."""
        return self._resolve(self.dialog)


@dataclass(frozen=True)
class Command(FeaturePart):
    """A command of `parapluie`; `place` is the function that runs it with its options and returns the exit status.

    Attributes:
        of: The command to which a feature adds it as an action ("models"); "" for a separate command.
        about: The description of its effect in the list of commands.
        options: The place of the dataclass of its options; "" for a command that consists of actions.
        group: The heading under which it is listed.
        description: The beginning of its help; by default the docstring of its options.
        examples: Command lines that work in a folder where `parapluie demo pairs.csv` has been run.
        actions: Its actions (`models get`), each with its own name; a command with a place can also be run without an
            action.
        offline: Whether it uses only models that are on this computer and fetches none.
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
        """Import and return the dataclass of its options."""
        kind: type[Any] = self._resolve(self.options)
        return kind

    @property
    def epilog(self) -> str:
        """The examples as the help prints them."""
        return "\n".join(["examples:", *(f"  parapluie {example}" for example in self.examples)])


@dataclass(frozen=True)
class ExtensionPart(FeaturePart):
    """Further options of a command; `place` names a subclass of `commands.extension.CommandExtension`.

    Attributes:
        command: The command that takes the options.
    """

    command: str = ""


@dataclass(frozen=True)
class AnalysisCommand(Command):
    """A command that prints analyses.

    Attributes:
        analyses: The names of the analyses; () lets the user choose among all.
        without: The groups of options that it lacks.
        apart: Whether each file is analysed separately.
        draws: Its default number of resamples, if it differs from that of other commands.
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
        name: The name, accepted instead of the file wherever a command or Python takes a corpus, and an option of
            `parapluie gui`.
        path: The file.
        title: The title in the window.
        option: The help of its option for `parapluie gui`.
        tip: One sentence for its button on the start page.
    """

    name: str
    path: Path
    title: str
    option: str = ""
    tip: str = ""


@dataclass(frozen=True)
class Action:
    """A command of the window, available by menu, shortcut and command palette.

    Attributes:
        slot: The method that carries it out, as an attribute path: from the window for the core's actions
            ("scatter.fit"), from the feature's part of the window for a feature's ("NAME.add" is `add` of the feature
            NAME). It is also the action's name. "recent", "kept_sets" and "docks" are submenus that the window fills;
            "" is a line between groups.
        menu: The menu that contains it, after the menus from which that opens: ("&Pairs", "&Verdict"); () if it is only
            available by Ctrl+K and its shortcuts.
        text: The text in the menu.
        keys: Shortcuts, of which the first is shown.
        tip: One sentence for the status bar.
        checkable: Whether it can be switched on and off.
        icon: Its name in the set of icons; "" for none.
        words: Earlier names, under which the command palette also finds it.
        corpus: Whether its shortcuts act on the corpus's pairs, so that they are off while the Bench is visible.
        pairs: Whether it needs pairs: without a corpus it is disabled in the menu, and its shortcuts show the reason.
        after: The slot that it follows; last in its menu by default.
        button: The part of the window that has a button for it: "templates" means below Setup's list of templates.
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
    """The parts that one capability adds to the program. All except `name` and `package` may be left out.

    Attributes:
        name: The name of its folder ("concordance").
        package: The package to which the places are relative: `__package__` in `feature.py`.
        about: Its purpose, in a sentence.
        commands: Commands of `parapluie`, and actions of other commands.
        extensions: Further options for other commands.
        corpora: Corpora that ship with it.
        analyses: Analyses, each with a page, a section of the report, and results in `parapluie analyse` and Python.
        columns: Kinds of column.
        metrics: Classes of metrics.
        judges: Classes of judges; `name` is the kind of model, and they take precedence over the core's.
        model_sources: Sources of models besides the catalogue, folders and the hub.
        functions: Functions and classes of `import parapluie_gui as pp`.
        report_columns: Columns of the report's lists of pairs: functions that take the file of stored scores (or None)
            and return a `report.html.PairColumn`.
        pair_edits: Functions that return the effect of each edit in some pairs on a score: as
            `report.edits.EditsOfPairs`, with the file of stored scores as an additional first argument.
        readers: Readers of corpora that consist of several files, objects as in `pairs.reading.collections`.
        growing: Kinds of corpus that grow while they are open, objects as in `ui.state.growing`.
        window: The place ("module:class") of its part of the window, which connects the views and takes the context.
        tabs: Tabs besides Scatter, Bench and Analysis.
        actions: Actions, with menu entries and shortcuts; their slots begin with the feature's name.
        manual: Pages of the manual; a different package keeps its pages in its folder `manual`.
        content: Keys of session settings that hold the user's work, as a corpus does: a session with such a setting is
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
    metrics: tuple[FeaturePart, ...] = ()
    judges: tuple[FeaturePart, ...] = ()
    model_sources: tuple[ModelSource, ...] = ()
    functions: tuple[FeaturePart, ...] = ()
    report_columns: tuple[FeaturePart, ...] = ()
    pair_edits: tuple[FeaturePart, ...] = ()
    readers: tuple[FeaturePart, ...] = ()
    growing: tuple[FeaturePart, ...] = ()
    window: str = ""
    tabs: tuple[TabPart, ...] = ()
    actions: tuple[Action, ...] = ()
    manual: tuple[str, ...] = ()
    content: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for kind in fields(self):
            parts = getattr(self, kind.name)
            if isinstance(parts, tuple) and all(isinstance(part, FeaturePart) for part in parts):
                object.__setattr__(self, kind.name, tuple(in_package(part, self.package) for part in parts))

    def load_window(self) -> Any:
        """Import and return the class of its part of the window."""
        return resolve_name(f"{self.package}.{self.window}")


PartT = TypeVar("PartT", bound=FeaturePart)


def in_package(part: PartT, package: str) -> PartT:
    """Return a copy of a part whose places are relative to a package."""
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
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a package must not keep the program from starting, or end it
            reason = one_line(f"{type(error).__name__}: {error}")
            troubles.append(f"The feature of {origin} could not be loaded: {reason}. Update or remove the package.")
            continue
        if feature.name in (other.name for other in features):
            troubles.append(
                f"The feature of {origin} is left out because a feature called {feature.name} already exists."
            )
        else:
            features.append(feature)
    return tuple(features), tuple(troubles)


def collect_parts(kind: str) -> tuple[Any, ...]:
    """Return the parts that the installed features add to one of the lists of `Feature` ("analyses")."""
    return tuple(part for feature in installed_features() for part in getattr(feature, kind))


def arrange_entries(own: Iterable[EntryT], more: Sequence[EntryT]) -> list[EntryT]:
    """Return the core's entries of a list with the features' entries inserted.

    Entries that follow the same entry keep their order; those whose predecessors are all absent come last.
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


#: Earlier names that other packages may import.
Part = FeaturePart
Tab = TabPart
