"""Overrides of Qt methods in Python, wrapped so that an error in one of them does not crash the process.

On Python 3.11 an exception raised by C code (`int("x")`, a deleted object) is not normalised before Python handles it.
PySide 6.9 to 6.11 reads its arguments when it leaves an override that Python code is waiting for, such as `showEvent`
in `show()`, and crashes with a segmentation fault. Catching and re-raising the exception normalises it.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import FunctionType, MethodDescriptorType
from typing import Any

from shiboken6 import Shiboken


def keep_errors_from_ending() -> None:
    """Wrap the overrides of all Python classes derived from Qt's, existing and future."""
    if sys.version_info < (3, 12) and "__init_subclass__" not in vars(Shiboken.Object):
        _wrap_all(Shiboken.Object)
        Shiboken.Object.__init_subclass__ = classmethod(_take_new)  # type: ignore[assignment]


def _wrap_all(cls: type[Any]) -> None:
    for subclass in cls.__subclasses__():
        if not subclass.__module__.startswith("PySide6"):
            _wrap_overrides(subclass)
        _wrap_all(subclass)


def _take_new(cls: type[Any], /, **named: Any) -> None:
    super(Shiboken.Object, cls).__init_subclass__(**named)
    _wrap_overrides(cls)


def _wrap_overrides(cls: type[Any]) -> None:
    for name, method in list(vars(cls).items()):
        if isinstance(method, FunctionType) and any(
            isinstance(vars(base).get(name), MethodDescriptorType) for base in cls.__mro__
        ):
            setattr(cls, name, _making_errors_whole(method))


def _making_errors_whole(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def override(*arguments: Any, **named: Any) -> Any:
        try:
            return method(*arguments, **named)
        except BaseException:
            raise

    return override
