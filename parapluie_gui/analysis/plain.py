"""Conversion of results to plain values for JSON: their fields and properties."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum

import numpy as np


def plain(value: object) -> object:
    """Convert a result to dicts, lists, numbers, texts and None.

    A dataclass becomes a dict of its fields and its public properties, NaN and infinity become None. Keys are texts.

    Raises:
        TypeError: A value has a type that JSON cannot represent.
    """
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, np.integer)) and not isinstance(value, Enum):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, Enum):
        return value.name.lower()
    if isinstance(value, np.ndarray):
        return [plain(item) for item in value.tolist()]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if is_dataclass(value):
        return {name: plain(getattr(value, name)) for name in _names(type(value))}
    raise TypeError(f"{type(value).__name__} cannot be converted to a plain value")


def _names(kind: type) -> list[str]:
    own = [item.name for item in fields(kind)]
    computed = [
        name
        for base in reversed(kind.__mro__)
        for name, item in vars(base).items()
        if isinstance(item, property) and not name.startswith("_")
    ]
    return list(dict.fromkeys([*own, *computed]))
