"""A field for a number with decimals that takes a point and a comma, whatever the locale writes."""

from __future__ import annotations

from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QDoubleSpinBox

#: Signs that separate decimals in some locale.
_SEPARATORS = ".,٫"


class DecimalBox(QDoubleSpinBox):
    """A spin box in which "0.5" and "0,5" are the same number.

    Qt alone reads "0.5" as 5 where the locale groups thousands with a point.
    """

    def validate(self, text: str, at: int) -> tuple[QValidator.State, str, int]:
        """Validate a text as Qt does (acceptable, intermediate or invalid), with either separator."""
        return super().validate(self._with_own_separator(text), at)

    def valueFromText(self, text: str) -> float:
        """Return the number of a text."""
        return super().valueFromText(self._with_own_separator(text))

    def _with_own_separator(self, text: str) -> str:
        """Return a text of the box with the decimal separator of its locale."""
        begin, end = len(self.prefix()), len(self.suffix())
        before, number, after = text, "", ""
        if text.startswith(self.prefix()) and text.endswith(self.suffix()):
            before, number, after = text[:begin], text[begin : len(text) - end], text[len(text) - end :]
        else:
            before, number = "", text
        own = self.locale().decimalPoint()
        return before + "".join(own if sign in _SEPARATORS else sign for sign in number) + after
