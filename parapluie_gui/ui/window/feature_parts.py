"""The features' parts of the window, created on first use or after the first frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter
from typing import Any

from PySide6.QtCore import QObject, QTimer

from parapluie_gui.errors import one_line
from parapluie_gui.feature import Feature, TabPart
from parapluie_gui.ui.analysis.page import AnalysisPage
from parapluie_gui.ui.state.preferences import UserPreferences
from parapluie_gui.ui.widgets.tab_view import TabView
from parapluie_gui.ui.widgets.text import translate_feature
from parapluie_gui.ui.window.context import WindowContext, WindowController


class FeatureParts(QObject):
    """Creates the window parts and the tabs of the features.

    Args:
        context: Passed to the parts.
        features: The installed features.
        preferences: Stores the parts' settings between runs.
    """

    def __init__(self, context: WindowContext, features: Sequence[Feature], preferences: UserPreferences) -> None:
        super().__init__(context.window)
        self._context, self._preferences = context, preferences
        self._features = {feature.name: feature for feature in features}
        self._parts: dict[str, WindowController] = {}
        self._owners = {part.name: feature.name for feature in features for part in feature.analyses}
        self._after_start = QTimer(self)
        self._after_start.setSingleShot(True)
        self._after_start.timeout.connect(self.make_all)
        for feature in features:
            for tab in feature.tabs:
                context.tabs.add_tab(tab.name, translate_feature(tab.title), partial(self._make_tab, tab))
        context.analysis.page_made.connect(self._hand_over)

    def __getitem__(self, name: str) -> Any:
        """Return the part of a feature; create it on first use."""
        if name not in self._parts:
            part: WindowController = self._features[name].load_window()(self._context)
            self._parts[name] = part
            part.restore(self._preferences.values.part(name))
        return self._parts[name]

    def __contains__(self, name: str) -> bool:
        return name in self._features

    def slot(self, path: str) -> Callable[..., object] | None:
        """Return the function of a feature's action ("NAME.method"); None for an action of the core.

        The feature's part is created when the action is first used.
        """
        name, _, method = path.partition(".")
        if name not in self._features or not self._features[name].window:
            return None
        return lambda *arguments: attrgetter(method)(self[name])(*arguments)

    def make_soon(self) -> None:
        """Create all parts once the window is painted."""
        self._after_start.start(0)

    def make_all(self) -> None:
        """Create the parts that do not exist yet."""
        for name, feature in list(self._features.items()):
            if not feature.window:
                continue
            try:
                _ = self[name]
            except Exception as error:
                if feature.package.startswith("parapluie_gui."):
                    raise
                del self._features[name]  # an error in a package must not end the program
                sentence = self.tr("The feature {0} could not be started: {1}. Update or remove its package.")
                self._context.banner.complain(sentence.format(name, one_line(f"{type(error).__name__}: {error}")))

    def keep(self) -> None:
        """Store the parts' settings; those of a part that was never created stay unchanged."""
        for name, part in self._parts.items():
            if settings := part.settings():
                self._preferences.set(name, settings)

    def close(self) -> None:
        """Close all parts."""
        self._after_start.stop()
        for part in self._parts.values():
            part.close()

    def _make_tab(self, tab: TabPart) -> TabView:
        view: TabView = tab.load()(self._context)
        view.message.connect(self._context.banner.tell)
        view.written.connect(self._context.banner.tell_written)
        view.failed.connect(self._context.banner.complain)
        self._context.looks.scale_too(view)
        return view

    def _hand_over(self, page: AnalysisPage) -> None:
        """Pass a new page to the feature of its analysis."""
        owner = self._owners.get(page.analysis.name, "")
        if owner and self._features[owner].window:
            self[owner].take_page(page)
